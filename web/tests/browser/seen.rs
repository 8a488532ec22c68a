//! What is seen: pixels and places, not only attributes.

use crate::Test;
use crate::support::page::{PageTest, piece, square};
use crate::support::picture::is_near;
use serde_json::{Value, json};

pub(crate) const TESTS: &[Test] = tests![
    the_palette_shows_each_piece_whole,
    an_unknown_evaluation_looks_unknown_and_a_mate_fills_the_bar,
    messages_cover_no_control_and_are_in_view,
    on_phones_board_and_best_lines_are_seen_together,
    the_right_button_draws_arrows_and_circles,
    moves_are_animated_unless_less_motion_is_wished,
    the_wheel_and_the_arrow_keys_step_from_everywhere,
    keys_do_no_harm_while_a_position_is_set_up,
    captured_men_and_the_opening_are_named,
];

/// The outline of the pieces is darker than every background of the light theme.
fn is_ink(colour: [u8; 3]) -> bool {
    colour.iter().all(|part| *part < 70)
}

fn the_palette_shows_each_piece_whole() {
    let page = PageTest::open("/");
    page.browser.set_color_scheme("light");
    page.tab("files");
    page.browser.click("#edit");
    page.browser.click("#palette .erase");
    page.screenshot("web-setup.png");
    let mut seen = Vec::new();
    for choice in "KQRBNPkqrbnp".chars() {
        let picture = page.browser.picture(&format!("#palette [data-choice='{choice}']"));
        let [left, top, right, bottom] = picture.bounds(is_ink).expect("a piece");
        let (width, height) = (picture.width, picture.height);
        assert!(
            left > 0 && top > 0 && right < width - 1 && bottom < height - 1,
            "{choice} is cut: {left} {top} {right} {bottom} of {width} × {height}"
        );
        let size = (right - left, bottom - top);
        assert!(size.0 * 10 > width * 4 && size.1 * 10 > height * 6, "{choice}: {size:?}");
        // In the middle: not a half of this and a half of the next.
        let middle = (left + right) / 2;
        assert!(middle.abs_diff(width / 2) <= width / 12, "{choice}: {middle}");
        seen.push((picture.share(is_ink) * 1e4) as u32);
    }
    seen.sort_unstable();
    seen.dedup();
    assert!(seen.len() >= 10, "different pieces look different: {seen:?}");
}

fn an_unknown_evaluation_looks_unknown_and_a_mate_fills_the_bar() {
    let page = PageTest::open("/?fen=6k1/5ppp/8/8/8/8/5PPP/R5K1+w+-+-+0+1");
    let unknown = page.browser.picture("#bar");
    let mut full = Vec::new();
    for (winner, path) in [
        ("White", "/?fen=6k1/5ppp/8/8/8/8/5PPP/R5K1+w+-+-+0+1"),
        ("Black", "/?fen=r5k1/5ppp/8/8/8/8/5PPP/6K1+b+-+-+0+1"),
    ] {
        page.go(path);
        page.browser.click("#analyse");
        page.browser
            .wait(&format!("a mate for {winner}"), || page.browser.label("#bar").contains("M1"));
        page.browser.wait(&format!("a bar full of {winner}"), || {
            let picture = page.browser.picture("#bar");
            let colour = picture.main_colour();
            let is_full = picture.share(|c| is_near(c, colour, 6)) > 0.9;
            let is_new = is_full && !full.contains(&colour);
            full.extend(is_new.then_some(colour));
            is_new
        });
    }
    let (white, black) = (full[0], full[1]);
    assert!(white > black, "{full:?}");
    let plain = unknown.share(|c| is_near(c, white, 6) || is_near(c, black, 6));
    assert!(plain < 0.1, "stripes only, but {plain} are win or loss");
}

/// A script: the controls that the message covers.
const COVERED: &str = "const m = document.getElementById('toast').getBoundingClientRect();\
    return [...document.querySelectorAll('button, input, select, textarea, summary, a')]\
    .filter((e) => e.checkVisibility()).filter((e) => { const r = e.getBoundingClientRect();\
    return r.left < m.right && r.right > m.left && r.top < m.bottom && r.bottom > m.top; })\
    .map((e) => e.id || e.outerHTML.slice(0, 60))";

fn messages_cover_no_control_and_are_in_view() {
    let page = PageTest::open("/?engine=");
    for (width, height) in [(1280, 720), (390, 844), (844, 390)] {
        page.browser.emulate_screen(width, height);
        page.go("/?engine=&moves=e2e4");
        let check = |what: &str| {
            page.browser.wait(what, || !page.browser.text("#toast").is_empty());
            assert_eq!(page.browser.run(COVERED), json!([]), "{what} at {width} × {height}");
            let script = "const r = document.getElementById('toast').getBoundingClientRect();\
                return Math.min(r.top, r.left, innerHeight - r.bottom, innerWidth - r.right)";
            let inside = page.browser.run(script).as_f64().unwrap_or(f64::NAN);
            assert!(inside > -1.0, "{what} is in view at {width}: {inside}");
        };
        page.browser.set_value("#move", "Ke7");
        page.browser.click("#entry button");
        check("an illegal move");
        page.browser.set_value("#move", "e5");
        page.browser.click("#entry button");
        page.browser
            .wait("the message goes with its cause", || page.browser.text("#toast").is_empty());
        page.load("8/8/8/8/8/8/8/8 w - - 0 1");
        check("a refused position");
        page.blur();
        page.browser.press(&["ArrowLeft"]);
        page.browser
            .wait("the message goes with its cause", || page.browser.text("#toast").is_empty());
    }
}

fn on_phones_board_and_best_lines_are_seen_together() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5,g1f3");
    for (width, height) in [(390, 844), (360, 740), (844, 390), (740, 360)] {
        page.browser.emulate_screen(width, height);
        page.go("/?engine=&moves=e2e4,e7e5,g1f3");
        page.browser.click("#analyse");
        page.browser.wait("three lines", || page.browser.count("#lines li") == 3);
        for selector in ["#board", "#lines", "#bar", "#prev", "#flip"] {
            page.assert_in_view(selector, (width, height));
        }
        let board = page.rectangle("#board");
        let shorter = f64::from(width.min(height));
        assert!(
            board[2] - board[0] > 0.9 * shorter,
            "the board is as large as the screen allows: {board:?}"
        );
        let script = "const d = document.documentElement; return d.scrollWidth - d.clientWidth";
        assert_eq!(page.browser.run(script), 0, "no scrolling aside");
    }
    page.browser.emulate_screen(844, 390);
    page.screenshot("web-landscape.png");
}

fn the_right_button_draws_arrows_and_circles() {
    let page = PageTest::open("/?engine=&moves=e2e4");
    page.browser.set_color_scheme("light");
    let middle = || page.browser.picture(&square("d3")).middle();
    let before = middle();
    page.browser.right_drag(&square("d2"), &square("d4"));
    page.browser.right_drag(&square("e5"), &square("e5"));
    assert_eq!(page.browser.count("#arrows path.green"), 1);
    assert_eq!(page.browser.count("#arrows circle.green"), 1);
    let green = middle();
    assert!(!is_near(before, green, 20) && green[1] > green[0], "{before:?} became {green:?}");
    // They belong to the position, and stay with it after a reload.
    page.blur();
    page.browser.press(&["ArrowLeft"]);
    page.browser.wait("another position", || page.browser.count("#arrows path") == 0);
    page.browser.press(&["ArrowRight"]);
    page.browser.wait("its arrow again", || page.browser.count("#arrows path") == 1);
    let path = page.path();
    page.go(&path);
    assert_eq!(page.browser.count("#arrows path"), 1);
    // The same arrow again removes it.
    page.browser.right_drag(&square("d2"), &square("d4"));
    assert_eq!(page.browser.count("#arrows path"), 0);
    page.assert_no_console_errors();
}

fn moves_are_animated_unless_less_motion_is_wished() {
    let page = PageTest::open("/?engine=");
    // Counts the pieces that slide from now on.
    let watch = "window.slides = 0; new MutationObserver((all) => all.forEach((m) => m.addedNodes.forEach((n) => {\
        if (n.classList?.contains('flying')) window.slides += 1; }))).observe(document.getElementById('frame'), { childList: true })";
    page.browser.run(watch);
    page.play("e2e4");
    assert_eq!(page.browser.run("return window.slides"), 1);
    page.browser.wait("it arrives", || page.browser.count(".flying, .arriving") == 0);
    page.browser.drag(&square("e7"), &square("e5"));
    page.browser.wait("played", || page.piece("e5") == piece("bp"));
    assert_eq!(page.browser.run("return window.slides"), 1, "a dragged piece does not slide");
    page.browser.reduce_motion();
    page.play("g1f3");
    assert_eq!(page.browser.run("return window.slides"), 1);
}

fn the_wheel_and_the_arrow_keys_step_from_everywhere() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5,g1f3,b8c6");
    let ply = || {
        let script = "return [...document.querySelectorAll('#moves button')].findIndex((b) => b.ariaCurrent) + 1";
        page.browser.run(script).as_u64().unwrap_or_default()
    };
    let mut expected = 4;
    let mut step = |key: &str, what: &str| {
        match key {
            "wheel up" => page.browser.turn_wheel("#board", -120),
            "wheel down" => page.browser.turn_wheel("#board", 120),
            key => page.browser.press(&[key]),
        }
        let back = ["wheel up", "ArrowLeft"].contains(&key);
        expected = if back { expected - 1 } else { expected + 1 };
        let expected = expected;
        page.browser.wait(&format!("{key} after {what}"), || ply() == expected);
    };
    step("wheel up", "loading");
    step("wheel down", "the wheel");
    let (unmoved, pawn) = (square("a2"), square("e4"));
    for selector in [&unmoved, &pawn, "#flip", "#multipv option:nth-child(2)", "#tab-play"] {
        page.browser.click(selector);
        step("ArrowLeft", selector);
        step("ArrowRight", selector);
    }
    page.play_on_with(&[("#engine", "")]);
    step("ArrowLeft", "the choice of the engine's side");
    step("ArrowRight", "the choice of the engine's side");
    // In the dialog the keys are for its fields.
    page.browser.click("#new");
    page.browser.run("document.getElementById('strength').focus()");
    page.browser.press(&["ArrowLeft"]);
    page.browser.click("#new-apply");
    step("ArrowLeft", "the slider");
    page.assert_no_console_errors();
}

fn keys_do_no_harm_while_a_position_is_set_up() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5");
    page.tab("files");
    page.browser.click("#edit");
    page.browser.click("#palette [data-choice='Q']");
    page.click_square("e4");
    page.browser.press(&["a", "u", "n", "p", "ArrowLeft", "Home"]);
    assert_eq!(page.piece("e4"), piece("wq"), "what was set up stays");
    assert_eq!(page.browser.property("#analyse", "checked"), json!(false));
    assert_eq!(page.browser.text("#status"), "Setting up a position");
    page.browser.press(&["Escape"]);
    page.wait_for_status("White to move");
    assert_eq!(page.moves(), ["e4", "e5"]);
    assert_eq!(page.piece("e4"), piece("wp"));
    page.assert_no_console_errors();
}

fn captured_men_and_the_opening_are_named() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6,b5c6");
    let men = |side: &str| -> Value {
        page.browser.run(&format!(
            "return [...document.querySelectorAll('#{side}-men span')].map((s) => s.dataset.piece)"
        ))
    };
    assert_eq!((men("bottom"), men("top")), (json!(["bn"]), json!([])));
    assert_eq!(page.browser.text("#bottom-lead"), "+3");
    assert_eq!(page.browser.text("#opening"), "C68 Ruy Lopez: Exchange Variation");
    // By another order of moves.
    page.go("/?engine=&moves=g1f3,b8c6,e2e4,e7e5,f1b5");
    assert_eq!(page.browser.text("#opening"), "C60 Ruy Lopez");
    page.go("/?engine=&fen=6k1/5ppp/8/8/8/8/5PPP/R5K1+w+-+-+0+1");
    assert_eq!(page.browser.text("#opening"), "");
}
