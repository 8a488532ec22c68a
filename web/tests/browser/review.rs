//! Reviews: what was best, mistakes to step through, a reload, saving.

use crate::Test;
use crate::support::page::{PageTest, piece};
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    a_review_says_what_was_best_and_lists_the_mistakes,
    a_review_survives_a_reload_and_can_be_saved,
    a_reviewed_variation_can_be_saved_after_a_reload,
    a_pressed_mistake_keeps_the_focus,
    a_running_review_goes_on_after_a_reload,
    a_running_review_outlasts_a_restart_of_the_server,
    a_running_review_starts_again_after_back_and_forward,
    recorded_evaluations_are_drawn_and_unknown_ones_left_out,
];

const BLUNDER: &str = "/?engine=&moves=e2e4,e7e5,d1h5,g8f6,h5f7,e8f7";

fn reviewed() -> PageTest {
    let page = PageTest::open(BLUNDER);
    page.review();
    page
}

/// What a button saves.
fn saved(page: &PageTest, button: &str) -> String {
    let script = format!(
        "const make = URL.createObjectURL; const blobs = []; URL.createObjectURL = (blob) => {{ blobs.push(blob); return make.call(URL, blob); }};\
         document.getElementById('{button}').click(); for (let i = 0; i < 100 && !blobs.length; i += 1) await new Promise((r) => setTimeout(r, 50));\
         URL.createObjectURL = make; return blobs[0]?.text()"
    );
    let text = page.browser.run_async(&script);
    text.as_str().unwrap_or_default().to_owned()
}

fn a_review_says_what_was_best_and_lists_the_mistakes() {
    let page = reviewed();
    let listed = page.browser.text("#mistakes");
    assert!(listed.contains("3. Qxf7+ ??"), "{listed}");
    assert!(listed.contains("best Qxe5"), "{listed}");
    page.blur();
    page.browser.press(&["Home", "B"]);
    page.browser.wait("the last mistake", || {
        page.browser.text("#assessment").starts_with("3. Qxf7+ is a blunder")
    });
    assert!(page.browser.text("#assessment").contains("Best was Qxe5"));
    // The position before it, with the move and the better one.
    assert!(page.path().ends_with("ply=4"), "{}", page.path());
    assert_eq!(page.browser.count("#arrows [data-move='h5f7'].red"), 1);
    assert_eq!(page.browser.count("#arrows [data-move='h5e5'].green"), 1);
    page.browser.set_color_scheme("dark");
    page.screenshot("web-review-dark.png");
    page.browser.click("#add-best");
    page.browser.wait("the best line", || page.moves().contains(&"Qxe5+".to_owned()));
    assert!(page.moves().contains(&"Qxf7+".to_owned()), "as a variation: {:?}", page.moves());
    let moves = page.moves();
    page.browser.click("#mistake-prev");
    page.browser.wait("the position before it", || page.path().ends_with("ply=4"));
    page.browser.click("#add-best");
    page.browser.wait("the best line again", || page.piece("e5") == piece("wq"));
    assert_eq!(page.moves(), moves, "it is there once");
    page.assert_no_console_errors();
}

fn a_review_survives_a_reload_and_can_be_saved() {
    let page = reviewed();
    let summary = page.browser.text("#summary");
    let listed = page.browser.text("#mistakes");
    page.go(&page.path());
    assert_eq!(page.browser.text("#summary"), summary);
    assert_eq!(page.browser.text("#mistakes"), listed);
    assert_eq!(page.browser.count("#graph svg .area"), 1);
    let pgn = saved(&page, "review-pgn").replace('\n', " ");
    assert!(pgn.contains("Qxf7+ $4") && pgn.contains("[%eval "), "{pgn}");
    assert!(pgn.contains("Best was Qxe5") && pgn.contains("(3. Qxe5"), "{pgn}");
    let html = saved(&page, "review-html");
    assert!(html.starts_with("<!doctype html>"), "{html}");
    assert!(html.contains("3. Qxf7+ is a blunder") && html.contains("<svg class=\"board\""));
    assert!(!html.contains("http"), "the file needs nothing else");
    page.assert_no_console_errors();
}

fn a_reviewed_variation_can_be_saved_after_a_reload() {
    let page = PageTest::open("/?engine=");
    page.load("1. e4 e5 2. Qh5 Nc6 (2... Nf6 3. Qxf7+ Kxf7) 3. Bc4 *");
    page.browser.wait("the loaded game", || page.moves().len() == 8);
    page.click_move("Kxf7");
    page.browser.wait("the variation", || page.piece("f7") == piece("bk"));
    page.review();
    page.browser.click("#first");
    page.browser.wait("the start", || page.piece("e2") == piece("wp"));
    page.go(&page.path());
    let html = saved(&page, "review-html");
    assert!(html.contains("3. Qxf7+ is a blunder"), "{html}");
    assert!(html.contains("<svg class=\"board\""), "{html}");
    page.assert_no_console_errors();
}

fn a_pressed_mistake_keeps_the_focus() {
    let page = reviewed();
    page.browser.click("#mistakes li:last-child button");
    page.browser.wait("the position before it", || page.path().ends_with("ply=4"));
    let focus =
        "return document.getElementById('mistakes').lastChild.contains(document.activeElement)";
    assert_eq!(page.browser.run(focus), json!(true));
    page.assert_no_console_errors();
}

fn a_running_review_goes_on_after_a_reload() {
    let moves = "e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,c2c3,g8f6,d2d4,e5d4,c3d4,c5b4,b1c3,f6e4,e1g1,b4c3";
    let page = PageTest::open(&format!("/?engine=&moves={moves}"));
    page.tab("review");
    page.browser.click("#review");
    page.browser.wait("it runs", || page.browser.property("#progress", "hidden") == json!(false));
    page.go(&page.path());
    page.browser
        .wait("the summary is shown", || page.browser.text("#summary").contains("accurate"));
    page.assert_no_console_errors();
}

fn a_running_review_outlasts_a_restart_of_the_server() {
    let opening = "e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,c2c3,g8f6,d2d4,e5d4,c3d4,c5b4,b1c3,f6e4,e1g1,b4c3";
    let rest = ",g1h1,e8g8".to_owned() + &",h1g1,g8h8,g1h1,h8g8".repeat(2);
    let mut page = PageTest::open(&format!("/?engine=&moves={opening}{rest}"));
    page.tab("review");
    page.browser.click("#review");
    page.browser.wait("it runs", || page.browser.property("#progress", "hidden") == json!(false));
    page.end_server();
    let message = |page: &PageTest| page.browser.text("#toast");
    page.browser.wait("a message", || message(&page).contains("cannot be reached"));
    assert_eq!(page.browser.text("#review"), "Stop the review");
    page.restart_server();
    page.browser
        .wait("the summary is shown", || page.browser.text("#summary").contains("accurate"));
    assert_eq!(message(&page), "");
    // A second review searches nothing.
    let nodes = crate::support::http::metric(page.address(), "saavedra_nodes_total");
    page.browser.click("#review");
    page.browser.wait("it is done", || page.browser.text("#review") == "Review the game");
    assert_eq!(crate::support::http::metric(page.address(), "saavedra_nodes_total"), nodes);
}

fn a_running_review_starts_again_after_back_and_forward() {
    let page = PageTest::open("/?engine=&moves=f2f3,e7e5");
    let pgn = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d4 exd4 6. cxd4 Bb4+ 7. Nc3 Nxe4 8. O-O Bxc3 *";
    page.load(pgn);
    page.browser.wait("the loaded game", || page.moves().len() == 16);
    page.tab("review");
    page.browser.click("#review");
    page.browser.wait("it runs", || page.browser.property("#progress", "hidden") == json!(false));
    page.browser.run("history.back()");
    page.browser.wait("the first game", || page.moves() == ["f3", "e5"]);
    assert_eq!(page.browser.text("#review"), "Review the game");
    page.browser.run("history.forward()");
    page.browser
        .wait("the summary is shown", || page.browser.text("#summary").contains("accurate"));
    page.assert_no_console_errors();
}

fn recorded_evaluations_are_drawn_and_unknown_ones_left_out() {
    let page = PageTest::open("/?engine=");
    let pgn = "1. e4 {[%eval 0.3]} e5 {[%eval 0.2]} 2. Nf3 {[%eval 0.4]} Nc6 3. Bb5 a6 4. Ba4 {[%eval 0.1]} Nf6 {[%eval #3]} *";
    page.load(pgn);
    page.tab("review");
    page.browser.wait("two known stretches", || page.browser.count("#graph .area") == 2);
    assert!(page.browser.label("#graph").contains("4 unknown"), "{}", page.browser.label("#graph"));
    assert_eq!(page.browser.label("#bar"), "No evaluation yet");
    page.blur();
    page.browser.press(&["End"]);
    page.browser.wait("a mate", || page.browser.label("#bar").contains("White wins 100 %"));
}
