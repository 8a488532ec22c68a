//! What survives a reload of the page.

use crate::Test;
use crate::support::page::{PageTest, piece, square};
use serde_json::{Value, json};

pub(crate) const TESTS: &[Test] = tests![
    a_turned_board_its_tab_and_its_position_survive_a_reload,
    a_position_being_set_up_survives_a_reload,
];

/// The rank at the top of the board.
fn top_rank(page: &PageTest) -> Value {
    page.browser.run("return document.querySelector('#board').firstElementChild.dataset.rank")
}

fn shown_tab(page: &PageTest) -> Value {
    page.browser.run("return document.querySelector('[role=tab][aria-selected=true]').textContent")
}

fn a_turned_board_its_tab_and_its_position_survive_a_reload() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5,g1f3&ply=2");
    page.play("f1c4");
    page.browser.click("#flip");
    page.tab("review");
    page.browser.click("#prev");
    page.browser.wait("one move back", || page.piece("f1") == piece("wb"));
    let check = |what: &str| {
        assert_eq!((top_rank(&page), shown_tab(&page)), (json!("1"), json!("Review")), "{what}");
        assert_eq!(page.moves(), ["e4", "e5", "Nf3", "Bc4"], "{what}");
        assert_eq!((page.piece("e5"), page.piece("f1")), (piece("bp"), piece("wb")), "{what}");
    };
    check("before");
    page.browser.reload();
    check("after a reload");
    // Another game has its own side of the board.
    page.tab("play");
    page.browser.click("#new");
    page.browser.select("#engine", "b");
    page.browser.click("#new-start");
    page.browser.wait("a new game", || page.moves().is_empty());
    assert_eq!(top_rank(&page), "8");
    page.browser.run("history.back()");
    page.browser.wait("the game before", || page.moves().len() == 4);
    assert_eq!(top_rank(&page), "1");
    page.assert_no_console_errors();
}

fn a_position_being_set_up_survives_a_reload() {
    let page = PageTest::open("/?engine=&moves=e2e4,e7e5");
    page.tab("files");
    page.browser.click("#edit");
    page.browser.click("#palette [data-choice='Q']");
    page.click_square("e4");
    page.browser.drag(&square("a2"), &square("a6"));
    page.browser.select("#setup-turn", "b");
    page.browser.fill("#setup-castling", "KQ");
    for _ in 0..2 {
        page.browser.reload();
        page.wait_for_status("Setting up a position");
        assert_eq!((page.piece("e4"), page.piece("a6")), (piece("wq"), piece("wp")));
        let fields = ["#setup-turn", "#setup-castling"].map(|s| page.browser.property(s, "value"));
        assert_eq!(fields, [json!("b"), json!("KQ")]);
    }
    page.browser.click("#setup-done");
    page.browser.wait("the position", || page.path().contains("fen=rnbqkbnr/pppp1ppp/P7/4p3/4Q3"));
    page.browser.reload();
    page.wait_for_status("Black to move");
    assert!(page.moves().is_empty());
    // The page that was left is as it was before the setup.
    page.browser.run("history.back()");
    page.browser.wait("the game before", || page.moves() == ["e4", "e5"]);
    assert_eq!(page.piece("e4"), piece("wp"));
    // A setup that is given up does not come back.
    page.browser.click("#edit");
    page.browser.click("#clear");
    page.browser.press(&["Escape"]);
    page.browser.reload();
    page.wait_for_status("White to move");
    assert_eq!(page.moves(), ["e4", "e5"]);
    page.assert_no_console_errors();
}
