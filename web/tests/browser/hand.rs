//! Moves stand where they are put.

use crate::Test;
use crate::support::page::{PageTest, piece, square};
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    a_move_stands_although_the_server_does_not_answer,
    a_stored_game_opens_although_the_server_does_not_answer,
    a_dropped_piece_stands_on_its_square_in_the_next_frame,
    a_piece_that_is_dropped_where_it_cannot_go_returns_with_the_reason,
];

fn a_move_stands_although_the_server_does_not_answer() {
    const CASTLING: &str = "/?engine=&fen=r3k2r/8/8/8/8/8/8/R3K2R+w+KQkq+-+0+1";
    const EN_PASSANT: &str = "/?engine=&fen=4k3/8/8/3pP3/8/8/8/4K3+w+-+d6+0+2";
    const PROMOTION: &str = "/?engine=&fen=3rk3/2P5/8/8/8/8/8/4K3+w+-+-+0+1";
    let drag = |page: &PageTest, from, to| page.browser.drag(&square(from), &square(to));
    let click = |page: &PageTest, from, to| [from, to].map(|name| page.click_square(name));
    let type_move = |page: &PageTest, text: &str| {
        page.browser.set_value("#move", text);
        page.browser.click("#entry button");
    };
    let by_keys = |page: &PageTest| {
        page.browser.run("document.querySelector('#board [tabindex=\"0\"]').focus()");
        page.browser.press(&["Enter", "ArrowUp", "ArrowUp", "Enter"]);
    };
    type Act<'a> = &'a dyn Fn(&PageTest);
    let cases: [(&str, Act, &str, &[(&str, Option<&str>)]); 8] = [
        ("/?engine=", &|page| drag(page, "e2", "e4"), "e4", &[("e4", Some("wp")), ("e2", None)]),
        ("/", &|page| _ = click(page, "g1", "f3"), "Nf3", &[("f3", Some("wn")), ("g1", None)]),
        ("/?engine=", &|page| type_move(page, "ng1f3"), "Nf3", &[("f3", Some("wn"))]),
        ("/", &|page| by_keys(page), "e4", &[("e4", Some("wp"))]),
        (CASTLING, &|page| drag(page, "e1", "g1"), "O-O", &[("f1", Some("wr")), ("h1", None)]),
        (CASTLING, &|page| drag(page, "e1", "a1"), "O-O-O", &[("d1", Some("wr")), ("a1", None)]),
        (EN_PASSANT, &|page| drag(page, "e5", "d6"), "exd6", &[("d6", Some("wp")), ("d5", None)]),
        (
            PROMOTION,
            &|page| {
                drag(page, "c7", "d8");
                page.browser.click("#promotion [data-uci='c7d8n']");
            },
            "cxd8=N",
            &[("d8", Some("wn")), ("c7", None)],
        ),
    ];
    let page = PageTest::open("/");
    for (path, act, san, squares) in cases {
        page.go(path);
        page.pause_server();
        act(&page);
        page.browser.wait(&format!("{san} in the move list"), || page.moves() == [san]);
        for (name, code) in squares {
            assert_eq!(page.piece(name), code.and_then(piece), "{san}: {name}");
        }
        // Steps through the game need no answer either.
        page.blur();
        page.browser.press(&["ArrowLeft", "ArrowRight"]);
        assert_eq!(page.piece(squares[0].0), squares[0].1.and_then(piece), "{san}");
        page.resume_server();
    }
    page.assert_no_console_errors();
}

fn a_stored_game_opens_although_the_server_does_not_answer() {
    let page = PageTest::open("/?moves=e2e4,e7e5,g1f3&ply=2");
    page.play("f1c4");
    page.new_game();
    page.browser.wait("a new game", || page.moves().is_empty());
    page.pause_server();
    page.browser.run("history.back()");
    page.browser.wait("the game before", || page.moves() == ["e4", "e5", "Nf3", "Bc4"]);
    page.blur();
    page.browser.press(&["ArrowLeft"]);
    page.browser.wait("a step back", || page.piece("f1") == piece("wb"));
    page.resume_server();
    page.assert_no_console_errors();
}

fn a_dropped_piece_stands_on_its_square_in_the_next_frame() {
    let page = PageTest::open("/?engine=");
    page.pause_server();
    // What the next frame shows of both squares.
    page.browser.run(
        "document.addEventListener('pointerup', () => requestAnimationFrame(() => {\
           const at = (name) => document.querySelector(`#board [data-col='${name[0]}'][data-row='${name[1]}']`);\
           window.seen = ['e2', 'e4'].map((name) => at(name).classList.contains('dragged') ? null : at(name).dataset.piece ?? null);\
         }), true)",
    );
    page.browser.drag(&square("e2"), &square("e4"));
    page.browser.wait("a frame", || !page.browser.run("return window.seen ?? null").is_null());
    assert_eq!(page.browser.run("return window.seen"), json!([null, "wp"]));
    page.resume_server();
    // While a promotion is chosen, the pawn does not return to its square.
    page.go("/?engine=&fen=4k3/2P5/8/8/8/8/8/4K3+w+-+-+0+1");
    page.browser.drag(&square("c7"), &square("c8"));
    let is_lifted = |page: &PageTest| page.browser.count(&format!("{}.dragged", square("c7"))) == 1;
    assert!(is_lifted(&page));
    page.browser.press(&["Escape"]);
    assert!(!is_lifted(&page), "without a choice it does");
    assert_eq!(page.piece("c7"), piece("wp"));
}

fn a_piece_that_is_dropped_where_it_cannot_go_returns_with_the_reason() {
    let page = PageTest::open("/?engine=");
    let pinned = "/?engine=&fen=4r1k1/8/8/8/8/8/4B3/4K3+w+-+-+0+1";
    for (path, from, to, reason) in [
        ("/?engine=", "e2", "e5", "cannot move there"),
        ("/?engine=", "f1", "b5", "stands in the way"),
        ("/?engine=", "a1", "a2", "a piece of the same side"),
        (pinned, "e2", "d3", "leaves the king in check"),
    ] {
        page.go(path);
        let before = page.piece(from);
        page.browser.drag(&square(from), &square(to));
        page.wait_for_message(reason);
        assert_eq!((page.piece(from), page.moves().len()), (before, 0), "{from}{to}");
        assert_eq!(page.browser.count("#board .dragged, #ghost"), 0);
    }
    page.browser.drag(&square("e1"), &square("d1"));
    page.browser.wait("a legal move", || page.moves() == ["Kd1"]);
    assert_eq!(page.browser.text("#toast"), "");
    page.assert_no_console_errors();
}
