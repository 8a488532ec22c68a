//! The exercises that the browser keeps: collected from reviews, due again, exported and imported.

use super::practice::{answer, is_seen, reviewed, text, wait_for};
use crate::Test;
use crate::support::page::{PageTest, piece};
use crate::support::python::python_chess;
use saavedra::formats::pgn;
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    mistakes_are_kept_and_come_back_when_they_are_due,
    kept_exercises_are_solved_by_keyboard_and_heard,
    exercises_are_chosen_by_theme_and_phase,
    exercises_are_exported_and_imported_as_pgn,
    another_tab_or_game_has_the_board_during_a_kept_exercise,
    a_review_that_ends_during_a_kept_exercise_is_kept,
    one_exercise_or_all_are_deleted,
    without_a_database_exercises_last_until_the_page_is_closed,
];

/// White misses the same mate twice.
const MISSED: &str = "/?engine=&moves=e2e4,e7e5,d1h5,e8e7,a2a3,a7a6,a3a4";

/// A mate, a fork and an endgame, as `saavedra puzzles` writes exercises, a game that is none, and a position twice.
const PUZZLES: &str = "[Event \"Exercise\"]\n[White \"Anna\"]\n[Black \"Ben\"]\n\
    [FEN \"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1\"]\n[SetUp \"1\"]\n[Themes \"mate-in-1, back-rank-mate, endgame\"]\n\n\
    1. Ra8# *\n\n\
    [Event \"Exercise\"]\n[FEN \"r1bqkb1r/pppp1ppp/2n2n2/3Np3/4P3/5N2/PPPP1PPP/R1BQKB1R b KQkq - 1 4\"]\n[SetUp \"1\"]\n\
    [Themes \"fork, opening\"]\n\n4... Nxd5 5. exd5 *\n\n\
    [Event \"Game\"]\n\n1. e4 e5 *\n\n\
    [Event \"Exercise\"]\n[FEN \"6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 5 9\"]\n[SetUp \"1\"]\n\n9. Ra8# *\n";

/// Chooses a file of exercises with this text.
fn import(page: &PageTest, text: &str) {
    page.browser.run(&format!(
        "const files = new DataTransfer(); files.items.add(new File([{}], 'exercises.pgn'));\
         const field = document.getElementById('deck-file'); field.files = files.files; field.dispatchEvent(new Event('change'))",
        json!(text)
    ));
}

/// The Practise tab of a page that has got the exercises of [`PUZZLES`].
fn with_puzzles(path: &str) -> PageTest {
    let page = PageTest::open(path);
    page.tab("practise");
    import(&page, PUZZLES);
    page
}

/// The file that a button saves.
fn saved(page: &PageTest, selector: &str) -> String {
    page.browser.run(
        "window.saved = null; const make = URL.createObjectURL; URL.createObjectURL = (blob) => {\
         blob.text().then((text) => { window.saved = text; }); URL.createObjectURL = make; return make(blob); }",
    );
    page.browser.click(selector);
    page.browser.wait("a file", || page.browser.run("return window.saved !== null") == json!(true));
    page.browser.run("return window.saved").as_str().unwrap_or_default().to_owned()
}

#[track_caller]
fn wait_for_deck(page: &PageTest, part: &str) {
    let shown = || page.browser.text("#deck-text");
    page.browser.wait(&format!("{part}: {}", shown()), || shown().contains(part));
}

/// Waits until the engine has confirmed the moves of an exercise: only then there are hints.
#[track_caller]
fn wait_until_ready(page: &PageTest) {
    let is_disabled = || page.browser.property("#practice-solution", "disabled");
    page.browser.wait("hints", || is_disabled() == json!(false));
}

/// Lets days pass.
fn pass(page: &PageTest, days: u32) {
    page.browser.run(&format!(
        "const now = Date.now; Date.now = () => now() + {days} * 864e5;\
         document.getElementById('deck-phase').dispatchEvent(new Event('change'))"
    ));
}

fn mistakes_are_kept_and_come_back_when_they_are_due() {
    let page = reviewed(MISSED);
    wait_for_deck(&page, "2 kept exercises, 2 due.");
    assert_eq!(page.browser.label("#tab-practise"), "Practise 2 due");
    // The same position is not kept twice, whichever game it is from.
    page.go("/?engine=&moves=e2e4,e7e5,d1h5,e8e7,a2a3,h7h6,b2b3");
    page.tab("practise");
    page.browser.click("#practice-review");
    wait_for_deck(&page, "3 kept exercises, 3 due.");
    page.load("1. d4 d5 2. c4 *");
    page.browser.wait("another game", || page.moves() == ["d4", "d5", "c4"]);
    let path = page.path();
    page.tab("practise");
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 3: White to move.");
    page.browser.wait("its position", || page.piece("h5") == piece("wq"));
    assert!(!is_seen(&page, "#moves") && !is_seen(&page, "#arrows > *"));
    assert_eq!(page.path(), path, "the answer is not in the URL");
    answer(&page, "h5e5");
    wait_for(&page, "Right: ");
    page.browser.click("#practice-next");
    wait_for(&page, "Exercise 2 of 3");
    wait_until_ready(&page);
    page.browser.click("#practice-solution");
    wait_for(&page, "The solution: ");
    let missed = page.piece("a4").is_some();
    page.browser.click("#practice-next");
    wait_for(&page, "Exercise 3 of 3");
    // What is left without a try stays due.
    page.browser.click("#practice-end");
    wait_for(&page, "3 exercises: 1 solved at once, 0 with a hint or a second try, 2 not solved.");
    page.browser.wait("the game before", || page.moves() == ["d4", "d5", "c4"]);
    assert_eq!((page.path(), page.piece("d2")), (path, piece("wp")));
    wait_for_deck(&page, "3 kept exercises, 1 due.");
    page.browser.reload();
    assert_eq!(page.browser.label("#tab-practise"), "Practise 1 due");
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 1");
    page.browser.wait("its position", || page.piece("h5") == piece("wq"));
    answer(&page, "h5e5");
    wait_for(&page, "Right: ");
    page.browser.click("#practice-next");
    wait_for_deck(&page, "3 kept exercises, none due. The next one is due in ");
    // The missed one is due the same day, the others two days later.
    pass(&page, 1);
    wait_for_deck(&page, "3 kept exercises, 1 due.");
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 1");
    page.browser.wait("the missed one", || page.piece("h5") == piece("wq"));
    assert_eq!(page.piece("a4").is_some(), missed);
    page.browser.press(&["Escape"]);
    pass(&page, 1);
    wait_for_deck(&page, "3 kept exercises, 3 due.");
    page.assert_no_console_errors();
}

fn kept_exercises_are_solved_by_keyboard_and_heard() {
    let page = with_puzzles("/?engine=");
    wait_for_deck(&page, "2 kept exercises, 2 due.");
    page.browser.run("document.getElementById('deck-start').focus()");
    page.browser.press(&["Enter"]);
    let question = "Exercise 1 of 2: White to move in Anna – Ben. Find the best move.";
    wait_for(&page, question);
    assert_eq!(page.browser.run("return document.activeElement.id"), "practice-text");
    assert_eq!(page.browser.role("#practice-text"), "status");
    wait_until_ready(&page);
    page.browser.press(&["h"]);
    wait_for(&page, "Hint: look at the rook on a1.");
    page.browser.press(&["m"]);
    page.browser.press(&["r", "a", "8", "Enter"]);
    wait_for(&page, "Right: 1. Ra8#.");
    page.browser.press(&["Enter"]);
    wait_for(&page, "Exercise 2 of 2: Black to move. Find the best move.");
    page.browser.run("document.activeElement.blur()");
    wait_until_ready(&page);
    page.browser.press(&["s"]);
    wait_for(&page, "The solution: 4… Nxd5 5. exd5.");
    page.browser.press(&["ArrowRight"]);
    wait_for(&page, "2 exercises: 0 solved at once, 1 with a hint or a second try, 1 not solved.");
    page.assert_no_console_errors();
}

fn exercises_are_chosen_by_theme_and_phase() {
    let page = with_puzzles("/?engine=");
    page.wait_for_message("2 exercises added. 1 known already. 1 game is no exercise");
    for (theme, phase, button, question) in [
        ("fork", "", "Practise the ones due (1)", "Black to move"),
        ("back rank mate", "endgame", "Practise the ones due (1)", "White to move"),
        ("", "opening", "Practise the ones due (1)", "Black to move"),
        ("", "", "Practise the ones due (2)", "White to move"),
        ("fork", "endgame", "Practise the ones due (0)", ""),
    ] {
        page.browser.select("#deck-theme", theme);
        page.browser.select("#deck-phase", phase);
        assert_eq!(page.browser.text("#deck-start"), button, "{theme} {phase}");
        let is_none = question.is_empty();
        assert_eq!(page.browser.property("#deck-start", "disabled"), json!(is_none));
        if !is_none {
            page.browser.click("#deck-start");
            wait_for(&page, question);
            page.browser.click("#practice-end");
        }
    }
    page.assert_no_console_errors();
}

fn exercises_are_exported_and_imported_as_pgn() {
    let page = reviewed(MISSED);
    import(&page, PUZZLES);
    wait_for_deck(&page, "4 kept exercises, 4 due.");
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 4");
    wait_until_ready(&page);
    page.browser.click("#practice-solution");
    wait_for(&page, "The solution: ");
    page.browser.click("#practice-end");
    wait_for_deck(&page, "4 kept exercises, 3 due.");
    let file = saved(&page, "#deck-export");
    let games: Vec<_> =
        pgn::Reader::new(file.as_bytes()).map(|game| game.expect("a game")).collect();
    assert_eq!(games.len(), 4, "{file}");
    if let Some(read) = python_chess(&file) {
        let read = read.as_array().cloned().unwrap_or_default();
        assert_eq!(read.len(), 4);
        assert!(read.iter().all(|game| game["errors"] == json!([])), "{read:?}");
        assert!(read.iter().any(|game| game["headers"]["Themes"] == "fork, opening"), "{read:?}");
        assert!(read.iter().all(|game| game["moves"].as_array().is_some_and(|m| !m.is_empty())));
    }
    // Another browser has them with their schedules.
    page.browser.click("#deck-clear");
    page.browser.click("#deck-clear");
    wait_for_deck(&page, "The mistakes of reviewed games are kept here");
    import(&page, &file);
    wait_for_deck(&page, "4 kept exercises, 3 due.");
    let again = saved(&page, "#deck-export");
    assert_eq!(again.len(), file.len(), "{again}");
    let schedules = |text: &str| -> Vec<String> {
        text.lines().filter(|line| line.starts_with("[Schedule")).map(str::to_owned).collect()
    };
    assert_eq!(schedules(&again), schedules(&file));
    page.assert_no_console_errors();
}

fn another_tab_or_game_has_the_board_during_a_kept_exercise() {
    let page = with_puzzles("/?engine=&moves=d2d4,d7d5");
    wait_for_deck(&page, "2 due");
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 2");
    page.browser
        .wait("its position", || page.piece("a1") == piece("wr") && page.piece("d1").is_none());
    page.tab("analyse");
    page.browser.wait("the game", || page.piece("d4") == piece("wp"));
    assert_eq!(page.moves(), ["d4", "d5"]);
    page.play("c2c4");
    page.tab("practise");
    page.browser.wait("the exercise", || page.piece("d1").is_none());
    answer(&page, "a1a8");
    wait_for(&page, "Right");
    page.browser.click("#practice-next");
    wait_for(&page, "Exercise 2 of 2");
    // A reload during an exercise has the user's game.
    page.browser.reload();
    assert_eq!(page.moves(), ["d4", "d5", "c4"]);
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 1");
    page.browser.wait("its side", || {
        page.browser.run("return document.querySelector('#board').firstElementChild.dataset.rank")
            == "1"
    });
    page.tab("files");
    page.load("1. e4 *");
    page.browser.wait("another game", || page.moves() == ["e4"]);
    page.tab("practise");
    wait_for(&page, "Review the game first");
    assert!(page.browser.text("#deck-text").contains("1 due"));
    page.assert_no_console_errors();
}

fn a_review_that_ends_during_a_kept_exercise_is_kept() {
    let page = with_puzzles(MISSED);
    wait_for_deck(&page, "2 kept exercises");
    // The answers of the review come late.
    page.browser.run(
        "const get = window.fetch; window.fetch = async (path, options) => {\
         if (/review\\/judge/.test(path)) await new Promise((r) => { window.goOn = r; }); return get(path, options); }",
    );
    page.browser.click("#practice-review");
    page.browser
        .wait("the review", || page.browser.run("return Boolean(window.goOn)") == json!(true));
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 2");
    page.browser.wait("the review is done", || {
        let script = "window.goOn(); return document.getElementById('review').textContent";
        page.browser.run(script) == "Review the game"
    });
    page.browser.click("#practice-end");
    wait_for_deck(&page, "4 kept exercises, 4 due.");
    assert!(text(&page).starts_with("2 exercises: 0 solved at once"));
    assert_eq!(page.moves().len(), 7, "the user's game");
    page.assert_no_console_errors();
}

fn one_exercise_or_all_are_deleted() {
    let page = with_puzzles("/?engine=");
    wait_for_deck(&page, "2 kept exercises");
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 2: White");
    page.browser.click("#practice-delete");
    wait_for(&page, "Exercise 1 of 1: Black");
    page.browser.click("#practice-end");
    wait_for_deck(&page, "1 kept exercise, 1 due.");
    page.browser.click("#deck-clear");
    page.wait_for_message("Press Delete all again to delete 1 exercise for good.");
    page.browser.reload();
    wait_for_deck(&page, "1 kept exercise, 1 due.");
    page.browser.click("#deck-clear");
    page.browser.click("#deck-clear");
    wait_for_deck(&page, "The mistakes of reviewed games are kept here");
    page.browser.reload();
    wait_for_deck(&page, "The mistakes of reviewed games are kept here");
    assert_eq!(page.browser.label("#tab-practise"), "Practise");
    page.assert_no_console_errors();
}

fn without_a_database_exercises_last_until_the_page_is_closed() {
    let page = PageTest::open("/?engine=");
    page.browser.run_before_pages(
        "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('denied', 'SecurityError'); } })",
    );
    page.go("/?engine=&moves=e2e4");
    page.tab("practise");
    wait_for_deck(&page, "This browser does not keep them: they last until the page is closed.");
    import(&page, PUZZLES);
    wait_for_deck(&page, "2 kept exercises, 2 due. This browser does not keep them");
    page.browser.click("#deck-start");
    wait_for(&page, "Exercise 1 of 2");
    page.browser
        .wait("its position", || page.piece("a1") == piece("wr") && page.piece("d1").is_none());
    answer(&page, "a1a8");
    wait_for(&page, "Right");
    page.browser.click("#practice-end");
    wait_for_deck(&page, "2 kept exercises, 1 due.");
    assert!(text(&page).starts_with("2 exercises: 1 solved at once"));
    page.assert_no_console_errors();
}
