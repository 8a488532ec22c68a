//! The mistakes of a reviewed game as exercises.

use super::variations::copied;
use crate::Test;
use crate::support::page::{PageTest, piece};
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    mistakes_are_asked_and_nothing_tells_the_answer,
    exercises_are_solved_by_keyboard_and_heard,
    every_move_that_keeps_the_winning_chances_is_right,
    another_tab_pauses_an_exercise_and_another_game_ends_it,
    on_phones_the_question_is_directly_under_the_board,
    a_variation_is_practised_after_a_reload,
];

/// White misses the same mate twice; Black allows it twice.
const MISSED: &str = "/?engine=&moves=e2e4,e7e5,d1h5,e8e7,a2a3,a7a6,a3a4";

pub(crate) fn text(page: &PageTest) -> String {
    page.browser.text("#practice-text")
}

/// Waits until a text is shown, which a screen reader speaks.
#[track_caller]
pub(crate) fn wait_for(page: &PageTest, part: &str) {
    page.browser.wait(&format!("{part}: {}", text(page)), || text(page).contains(part));
}

pub(crate) fn reviewed(path: &str) -> PageTest {
    let page = PageTest::open(path);
    page.tab("practise");
    wait_for(&page, "Review the game first");
    page.browser.click("#practice-review");
    wait_for(&page, "Mistakes to practise");
    page
}

/// Answers by clicking.
#[track_caller]
pub(crate) fn answer(page: &PageTest, uci: &str) {
    page.click_square(&uci[..2]);
    page.click_square(&uci[2..4]);
}

pub(crate) fn is_seen(page: &PageTest, selector: &str) -> bool {
    let script = format!(
        "const e = document.querySelector({}); return Boolean(e?.checkVisibility({{ visibilityProperty: true }}))",
        json!(selector)
    );
    page.browser.run(&script) == json!(true)
}

fn mistakes_are_asked_and_nothing_tells_the_answer() {
    let page = reviewed(MISSED);
    assert_eq!(text(&page), "Mistakes to practise: 2 by White, 2 by Black.");
    let (game, path) = (copied(&page), page.path());
    // Arrows of an analysis do not help, either.
    page.tab("analyse");
    page.browser.click("#analyse");
    page.browser.wait("three lines", || page.browser.count("#lines li") == 3);
    page.tab("practise");
    page.browser.click("#practice-start");
    assert!(text(&page).starts_with("Exercise 1 of 2: White to move. 3. a3 was a blunder."));
    page.browser.wait("the position before it", || page.piece("a2") == piece("wp"));
    let hidden = ["#bar", "#moves", "#lines", "#assessment", "#graph", "#next", "#arrows > *"];
    for selector in hidden {
        assert!(!is_seen(&page, selector), "{selector}");
    }
    // Neither keys nor the wheel lead to the game.
    page.browser.press(&["ArrowRight", "End", "a", "b", "u"]);
    page.browser.turn_wheel("#board", 120);
    assert_eq!(page.piece("a2"), piece("wp"));
    answer(&page, "a2a3");
    wait_for(&page, "a3 is not good enough.");
    assert!(!text(&page).contains("Qxe5"), "{}", text(&page));
    page.browser.wait("the piece is back", || page.piece("a2") == piece("wp"));
    page.browser.click("#practice-hint");
    wait_for(&page, "Hint: look at the queen on h5.");
    assert_eq!(page.browser.count("#arrows [data-square='h5']"), 1);
    page.browser.click("#practice-hint");
    wait_for(&page, "Hint: the queen goes from h5 to e5.");
    answer(&page, "h5e5");
    wait_for(&page, "Right: 3. Qxe5#.");
    assert_eq!(page.piece("e5"), piece("wq"), "the answer is on the board");
    page.browser.click("#practice-next");
    wait_for(&page, "Exercise 2 of 2: White to move. 4. a4 was a blunder.");
    page.browser.click("#practice-solution");
    wait_for(&page, "The solution: 4. Qxe5#.");
    assert_eq!(page.browser.count("#arrows [data-move='h5e5'].practice"), 1);
    page.browser.click("#practice-next");
    wait_for(&page, "2 exercises: 0 solved at once, 1 with a hint or a second try, 1 not solved.");
    page.browser.wait("where the user was", || page.path() == path);
    assert_eq!(copied(&page), game, "the game is unchanged");
    assert!(is_seen(&page, "#moves") && is_seen(&page, "#bar"));
    // What was not solved at once is asked again.
    page.browser.click("#practice-missed");
    wait_for(&page, "Exercise 1 of 2");
    answer(&page, "h5e5");
    wait_for(&page, "Right");
    page.browser.click("#practice-end");
    wait_for(&page, "2 exercises: 1 solved at once");
    page.browser.click("#practice-missed");
    wait_for(&page, "Exercise 1 of 1");
    page.assert_no_console_errors();
}

fn exercises_are_solved_by_keyboard_and_heard() {
    let page = reviewed(MISSED);
    assert_eq!(page.browser.role("#practice-text"), "status");
    let focus = |id: &str| page.browser.run(&format!("document.getElementById('{id}').focus()"));
    focus("practice-side");
    page.browser.press(&["ArrowDown"]);
    focus("practice-start");
    page.browser.press(&["Enter"]);
    wait_for(&page, "Exercise 1 of 2: Black to move. 2… Ke7 was a blunder.");
    let focused = page.browser.run("return document.activeElement.id");
    assert_eq!(focused, "practice-text", "the question has the focus");
    page.browser.press(&["m"]);
    page.browser.press(&["K", "e", "3", "Enter"]);
    page.wait_for_message("no legal move");
    page.browser.run("document.getElementById('move').value = ''");
    page.browser.press(&["K", "e", "7", "Enter"]);
    wait_for(&page, "Ke7 is not good enough.");
    assert_eq!(page.browser.text("#toast"), "");
    page.browser.press(&["N", "c", "6", "Enter"]);
    wait_for(&page, "Right: ");
    // The empty field goes on.
    page.browser.press(&["Enter"]);
    wait_for(&page, "Exercise 2 of 2: Black to move. 3… a6 was a blunder.");
    page.browser.press(&["h"]);
    wait_for(&page, "Hint: look at ");
    page.browser.press(&["s"]);
    wait_for(&page, "The solution: 3… ");
    page.browser.press(&["ArrowRight"]);
    wait_for(&page, "2 exercises: 0 solved at once, 1 with a hint or a second try, 1 not solved.");
    focus("practice-start");
    page.browser.press(&["Enter"]);
    wait_for(&page, "Exercise 1 of 2");
    // Escape clears a selection first.
    page.click_square("e8");
    page.browser.press(&["Escape"]);
    wait_for(&page, "Exercise 1 of 2");
    page.browser.press(&["Escape"]);
    wait_for(&page, "2 exercises: 0 solved at once, 0 with a hint or a second try, 2 not solved.");
    // The browser notes the status 422 of the illegal move in its console.
}

fn every_move_that_keeps_the_winning_chances_is_right() {
    // The queen can be taken in two ways; White did not.
    let page =
        reviewed("/?engine=&fen=r5k1/5ppp/8/3q4/8/2N5/5PPP/3Q2K1+w+-+-+0+1&moves=h2h3,d5d1,c3d1");
    for (uci, san, is_right) in
        [("d1d5", "Qxd5", true), ("c3d5", "Nxd5", true), ("g2g4", "g4", false)]
    {
        page.browser.click("#practice-start");
        wait_for(&page, "Exercise 1 of 1: White to move. 1. h3 was a blunder.");
        answer(&page, uci);
        let expected =
            if is_right { "Right: ".to_owned() } else { format!("{san} is not good enough.") };
        wait_for(&page, &expected);
        assert!(text(&page).contains(san));
        page.browser.click("#practice-end");
        wait_for(&page, "1 exercise: ");
    }
    page.assert_no_console_errors();
}

fn another_tab_pauses_an_exercise_and_another_game_ends_it() {
    let page = reviewed(MISSED);
    page.browser.click("#practice-start");
    wait_for(&page, "Exercise 1 of 2");
    // A move whose check is left is asked for again.
    page.browser.run("const get = window.fetch; window.fetch = async (path, options) => {\
        if (String(path).endsWith('bestmove')) await new Promise((r) => setTimeout(r, 500)); return get(path, options); }");
    answer(&page, "b1c3");
    wait_for(&page, "Checking Nc3");
    page.tab("review");
    assert!(is_seen(&page, "#moves"));
    page.browser.click("#last");
    page.browser.wait("the end of the game", || page.piece("a4") == piece("wp"));
    page.tab("practise");
    page.browser.wait("the exercise again", || page.piece("a2") == piece("wp"));
    assert!(text(&page).starts_with("Exercise 1 of 2"), "{}", text(&page));
    assert!(!is_seen(&page, "#moves"));
    answer(&page, "h5e5");
    wait_for(&page, "Right");
    page.browser.click("#practice-next");
    wait_for(&page, "Exercise 2 of 2");
    page.new_game();
    page.browser.wait("a new game", || page.moves().is_empty());
    page.tab("practise");
    wait_for(&page, "Play or load a game first");
    page.play("e2e4");
    page.browser.run("history.back()");
    page.browser.wait("the game before", || page.moves().len() == 7);
    wait_for(&page, "Mistakes to practise: 2 by White, 2 by Black.");
    page.assert_no_console_errors();
}

fn on_phones_the_question_is_directly_under_the_board() {
    let page = reviewed(MISSED);
    page.browser.click("#practice-start");
    wait_for(&page, "Exercise 1 of 2");
    for (width, height) in [(390, 844), (360, 740), (844, 390)] {
        page.browser.emulate_screen(width, height);
        page.browser.run("scrollTo(0, 0)");
        for selector in ["#board", "#practice-text", "#practice-hint", "#practice-next"] {
            page.assert_in_view(selector, (width, height));
        }
        if width < height {
            let (under, top) = (page.rectangle("#flip")[3], page.rectangle("#practice-text")[1]);
            assert!(top >= under && top - under < 32.0, "{width}: {under} {top}");
        }
    }
    page.browser.emulate_screen(390, 844);
    page.screenshot("web-practise.png");
}

fn a_variation_is_practised_after_a_reload() {
    let page = PageTest::open("/?engine=");
    page.load("1. e4 e5 2. Qh5 Nc6 (2... Ke7 3. a3 a6) 3. Bc4 *");
    page.browser.wait("the loaded game", || page.moves().len() == 8);
    page.click_move("a3");
    page.browser.wait("the variation", || page.piece("a3") == piece("wp"));
    page.review();
    page.browser.click("#first");
    page.browser.wait("the start", || page.piece("e2") == piece("wp"));
    page.tab("practise");
    page.go(&page.path());
    wait_for(&page, "Mistakes to practise: 1 by White, 2 by Black.");
    page.browser.click("#practice-start");
    wait_for(&page, "3. a3 was a blunder.");
    answer(&page, "h5e5");
    wait_for(&page, "Right: 3. Qxe5#.");
    page.assert_no_console_errors();
}
