//! Accessibility: axe-core in the states of the page, the keyboard alone, the text of the board.
//!
//! axe-core (MPL-2.0) is not part of the repository: `npm install --prefix target/axe axe-core@4`.
//! Without it that test is ignored.

use crate::Test;
use crate::support::page::{PageTest, square};
use serde_json::json;
use std::path::{Path, PathBuf};

pub(crate) const TESTS: &[Test] =
    tests![the_whole_page_works_by_keyboard_alone, a_screen_reader_hears_the_board,];

/// The test that needs axe-core.
pub(crate) const AXE_TESTS: &[Test] = tests![axe_finds_nothing_in_any_state];

const TRICKY: &str = include_str!("../modules/tricky.pgn");

/// The file of axe-core.
pub(crate) fn axe_path() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    root.join("target/axe/node_modules/axe-core/axe.min.js")
}

/// Checks that axe-core finds nothing of any severity.
#[track_caller]
fn assert_nothing_found(page: &PageTest, axe: &str, state: &str) {
    page.browser.run(axe);
    let script = "const found = await window.axe.run(document, { resultTypes: ['violations'] });\
        return found.violations.map((v) => `${v.id} (${v.impact}): ${v.nodes.map((n) => n.html.slice(0, 90)).join(' | ')}`)";
    assert_eq!(page.browser.run_async(script), json!([]), "{state}");
}

fn axe_finds_nothing_in_any_state() {
    let axe = std::fs::read_to_string(axe_path()).expect("axe-core");
    let page = PageTest::open("/");
    let game = "/?engine=&moves=e2e4,e7e5,d1h5,g8f6,h5f7,e8f7";
    for scheme in ["light", "dark"] {
        let check = |state: &str| assert_nothing_found(&page, &axe, &format!("{state}, {scheme}"));
        page.browser.set_color_scheme(scheme);
        page.go("/");
        check("a new game");
        page.browser.click("#new");
        check("the dialog for a new game");
        page.browser.press(&["Escape"]);
        page.go(game);
        page.browser.click("#analyse");
        page.browser.wait("three lines", || page.browser.count("#lines li") == 3);
        check("an analysis");
        page.browser.click("#analyse");
        page.review();
        page.browser.click("#mistake-next");
        check("a review");
        page.tab("practise");
        page.browser.click("#practice-start");
        check("an exercise");
        page.browser.click("#practice-solution");
        check("a solution");
        page.browser.press(&["Escape"]);
        check("a summary of exercises");
        page.browser.click("#help");
        check("the dialog of the keys");
        page.browser.press(&["Escape"]);
        page.load(TRICKY);
        page.wait_for_message("7 games");
        check("variations, comments, the games of a file, a message");
        page.browser.press(&["c"]);
        check("the notes");
        page.browser.click("#edit-tags");
        check("the tags");
        page.browser.press(&["Escape"]);
        page.browser.click("#edit");
        check("the setup");
        page.browser.press(&["Escape"]);
        check_explorer(&page, check);
        for tab in page.tabs() {
            page.tab(&tab);
            check(&tab);
        }
        page.go("/?engine=&fen=8/2P5/1K6/8/8/8/8/k2r4+w+-+-+0+1");
        page.click_square("c7");
        page.click_square("c8");
        check("the promotion");
        page.go("/?engine=b&moves=f2f3,e7e5,g2g4,d8h4");
        check("the end of a game");
        page.browser.emulate_screen(390, 844);
        page.go(game);
        check("a phone");
        page.browser.emulate_screen(844, 390);
        page.go(game);
        check("a phone in landscape");
        page.browser.emulate_screen(1280, 900);
    }
}

/// Checks the explorer, with the games of a file and without any.
fn check_explorer(page: &PageTest, check: impl Fn(&str)) {
    page.tab("analyse");
    page.browser.run("document.getElementById('explorer').open = true");
    let text = || page.browser.text("#explorer-text");
    page.browser.wait("the games", || text() == "6 games counted.");
    page.browser.fill("#explorer-player", "a");
    check("the explorer");
    page.browser.click("#explorer-forget");
    page.browser.click("#explorer-forget");
    check("an empty explorer");
}

/// Presses Tab until every visible control has had the focus; returns their number.
#[track_caller]
fn reach_every_control(page: &PageTest) -> usize {
    let wanted = "return [...document.querySelectorAll('button, input, select, textarea, summary, a')]\
        .filter((e) => e.checkVisibility() && !e.disabled && e.tabIndex >= 0).map((e) => e.id || e.textContent.trim())";
    let wanted = page.browser.run(wanted);
    let wanted: Vec<&str> = wanted
        .as_array()
        .map(|all| all.iter().filter_map(|v| v.as_str()).collect())
        .unwrap_or_default();
    let mut reached = Vec::new();
    for _ in 0..wanted.len() + 4 {
        page.browser.press(&["Tab"]);
        let script = "const e = document.activeElement; return e.id || e.textContent.trim()";
        let focus = page.browser.run(script);
        reached.push(focus.as_str().unwrap_or_default().to_owned());
    }
    for name in &wanted {
        assert!(
            reached.iter().any(|other| other == name),
            "Tab does not reach {name}: {reached:?}"
        );
    }
    wanted.len()
}

/// A whole visit without a pointer: a move, a variation, a PGN, the setup, the analysis.
fn the_whole_page_works_by_keyboard_alone() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5,g1f3");
    // Tab reaches every control; in the board, the palette and groups it reaches one.
    let mut all = 0;
    for tab in page.tabs() {
        page.tab(&tab);
        all += reach_every_control(&page);
    }
    assert!(all > 30, "{all} controls");
    // The setup by keyboard: a queen on the focused square.
    let focus = |selector: &str| {
        page.browser.run(&format!("document.querySelector({}).focus()", json!(selector)));
    };
    page.tab("files");
    focus("#edit");
    page.browser.press(&["Enter"]);
    focus("#palette [tabindex='0']");
    page.browser.press(&["ArrowRight"]);
    let chosen = page
        .browser
        .run("return document.querySelector('#palette [aria-pressed=true]').textContent");
    assert_eq!(chosen, "Erase", "the piece after the white pawn");
    focus(&square("e4"));
    page.browser.press(&["Enter"]);
    assert_eq!(page.piece("e4"), None, "erased");
    focus("#setup-done");
    page.browser.press(&["Enter"]);
    page.browser
        .wait("the new position", || page.path().contains("fen=") && page.moves().is_empty());
    page.assert_no_console_errors();
}

fn a_screen_reader_hears_the_board() {
    let page = PageTest::open("/?engine=&moves=e2e4,d7d5");
    let back = ["rook", "knight", "bishop", "queen", "king", "bishop", "knight", "rook"];
    for row in 1..=8 {
        for (file, kind) in "abcdefgh".chars().zip(back) {
            let name = format!("{file}{row}");
            let man = match (name.as_str(), row) {
                ("e2" | "d7", _) => "empty".to_owned(),
                ("e4", _) => "white pawn".to_owned(),
                ("d5", _) => "black pawn".to_owned(),
                (_, 1) => format!("white {kind}"),
                (_, 2) => "white pawn".to_owned(),
                (_, 7) => "black pawn".to_owned(),
                (_, 8) => format!("black {kind}"),
                _ => "empty".to_owned(),
            };
            assert_eq!(page.browser.label(&square(&name)), format!("{name}, {man}"));
        }
    }
    assert_eq!(page.browser.role("#board"), "grid");
    assert_eq!(page.browser.label("#board"), "Chess board");
    assert_eq!(page.browser.role("h1"), "heading");
    page.click_square("e4");
    assert_eq!(page.browser.label(&square("d5")), "d5, black pawn, possible capture");
    page.click_square("d5");
    page.browser.wait("spoken", || {
        page.browser.run("return document.getElementById('spoken').textContent")
            == "White: pawn e takes d5."
    });
}
