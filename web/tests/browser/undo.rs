//! Undo and redo, and that nothing of a loaded game is lost.

use super::variations::copied;
use crate::Test;
use crate::support::page::{PageTest, piece, square};
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    every_change_is_undone_and_done_again,
    the_best_line_of_a_review_is_undone,
    against_the_engine_undo_goes_back_to_the_user_s_turn,
    undo_in_a_field_is_the_field_s,
    take_back_in_a_loaded_game_deletes_nothing,
];

/// Whether a button can be pressed.
fn is_enabled(page: &PageTest, selector: &str) -> bool {
    page.browser.property(selector, "disabled") == json!(false)
}

/// Undoes the last change and does it again, by keys and by buttons.
#[track_caller]
fn check_both_ways(page: &PageTest, what: &str, before: &str) {
    let after = copied(page);
    assert_ne!(before, after, "{what} changes the game");
    let undo_keys = || page.browser.press_with_control('z');
    let redo_keys = || page.browser.press_with_control('Z');
    page.blur();
    for (undo, redo) in [
        (&undo_keys as &dyn Fn(), &redo_keys as &dyn Fn()),
        (&|| page.browser.click("#undo"), &|| page.browser.click("#redo")),
    ] {
        undo();
        page.browser.wait(&format!("{what} is undone"), || copied(page) == before);
        redo();
        page.browser.wait(&format!("{what} is done again"), || copied(page) == after);
    }
}

fn every_change_is_undone_and_done_again() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5,g1f3&ply=2");
    assert!(!is_enabled(&page, "#undo") && !is_enabled(&page, "#redo"));
    let changes: [(&str, &dyn Fn()); 8] = [
        ("a variation", &|| page.play("f1c4")),
        ("a move in it", &|| page.play("g8f6")),
        ("its promotion", &|| page.browser.click("#promote")),
        ("an arrow", &|| page.browser.right_drag(&square("d2"), &square("d4"))),
        ("a circle", &|| page.browser.right_drag(&square("e5"), &square("e5"))),
        ("the removal of both", &|| page.browser.press(&["x"])),
        ("a move taken back", &|| page.browser.click("#takeback")),
        ("a deletion", &|| page.browser.click("#delete")),
    ];
    for (what, change) in changes {
        page.blur();
        let before = copied(&page);
        change();
        page.browser.wait(what, || copied(&page) != before);
        check_both_ways(&page, what, &before);
        assert!(is_enabled(&page, "#undo") && !is_enabled(&page, "#redo"), "{what}");
    }
    // All of them, one after the other.
    let (last, middle) = (copied(&page), "1. e4 e5 2. Bc4 (2. Nf3) 2... Nf6 *");
    while is_enabled(&page, "#undo") {
        page.browser.click("#undo");
    }
    page.browser.wait("the first state", || page.moves() == ["e4", "e5", "Nf3"]);
    assert_eq!(page.piece("e5"), piece("bp"), "where the user was");
    while is_enabled(&page, "#redo") {
        page.browser.press_with_control('y');
    }
    page.browser.wait("the last state", || copied(&page) == last);
    page.browser.click("#undo");
    page.browser.click("#undo");
    page.browser.wait("the state between", || copied(&page).ends_with(middle));
    page.assert_no_console_errors();
}

fn the_best_line_of_a_review_is_undone() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5,d1h5,g8f6,h5f7,e8f7");
    page.review();
    let before = copied(&page);
    page.browser.click("#mistake-prev");
    page.browser.wait("the last mistake", || page.path().ends_with("ply=4"));
    page.browser.click("#add-best");
    page.browser.wait("the best line", || page.moves().contains(&"Qxe5+".to_owned()));
    check_both_ways(&page, "the best line", &before);
    assert!(page.browser.text("#summary").contains("accurate"), "the review stays");
    page.assert_no_console_errors();
}

fn against_the_engine_undo_goes_back_to_the_user_s_turn() {
    let page = PageTest::open("/");
    page.play_on_with(&[("#movetime", "100")]);
    page.play("e2e4");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    let both = page.moves();
    page.blur();
    page.browser.press_with_control('z');
    page.browser.wait("both moves are undone", || page.moves().is_empty());
    page.wait_for_status("White to move");
    page.browser.press_with_control('Z');
    page.browser.wait("both moves again", || page.moves() == both);
    page.browser.click("#resign");
    page.wait_for_status("You resigned");
    page.browser.click("#undo");
    page.wait_for_status("White to move");
    assert!(copied(&page).ends_with('*'), "{}", copied(&page));
    page.play("d2d4");
    page.browser.wait("the engine goes on", || page.moves().len() == 4);
    page.assert_no_console_errors();
}

fn undo_in_a_field_is_the_field_s() {
    let page = PageTest::open("/?engine=&moves=e2e4");
    page.play("e7e5");
    page.browser.fill("#move", "Nf");
    page.browser.press_with_control('z');
    assert_eq!(page.moves(), ["e4", "e5"]);
    page.browser.set_value("#move", "");
    page.browser.press_with_control('z');
    page.browser.wait("the move is undone", || page.moves() == ["e4"]);
    page.browser.press_with_control('Z');
    page.browser.wait("the move again", || page.moves() == ["e4", "e5"]);
    // A dialog is before the game.
    page.tab("play");
    page.browser.click("#new");
    page.browser.press_with_control('z');
    page.browser.press(&["Escape"]);
    assert_eq!(page.moves(), ["e4", "e5"]);
}

fn take_back_in_a_loaded_game_deletes_nothing() {
    let page = PageTest::open("/?engine=");
    page.load("1. e4 e5 2. Nf3 (2. Bc4) 2... Nc6 *");
    page.browser.wait("the loaded game", || page.moves().len() == 5);
    let text = copied(&page);
    page.browser.click("#last");
    page.browser.wait("its end", || page.piece("c6") == piece("bn"));
    page.browser.click("#takeback");
    page.browser.wait("one move back", || page.piece("c6").is_none());
    for _ in 0..3 {
        page.blur();
        page.browser.press(&["u"]);
    }
    page.browser.wait("the start", || page.piece("e2") == piece("wp"));
    assert!(!is_enabled(&page, "#takeback"));
    assert_eq!(copied(&page), text);
    // A game of one's own is kept where moves follow.
    page.go("/?engine=&moves=e2e4,e7e5&ply=1");
    page.browser.click("#takeback");
    page.browser.wait("the start", || page.piece("e2") == piece("wp"));
    assert_eq!(page.moves(), ["e4", "e5"]);
    page.assert_no_console_errors();
}
