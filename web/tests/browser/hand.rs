//! Moves stand where they are put, and premoves.

use crate::Test;
use crate::support::page::{PageTest, piece, square};
use serde_json::json;

pub(crate) const TESTS: &[Test] = tests![
    a_move_stands_although_the_server_does_not_answer,
    a_stored_game_opens_although_the_server_does_not_answer,
    a_dropped_piece_stands_on_its_square_in_the_next_frame,
    a_piece_that_is_dropped_where_it_cannot_go_returns_with_the_reason,
    a_premove_is_played_once_the_engine_has_moved,
    the_promotion_of_a_premove_is_still_chosen_after_the_engine_s_move,
    a_premove_that_is_not_legal_is_dropped_with_a_message,
    a_premove_is_cancelled,
    a_piece_in_the_hand_stays_there_when_the_turn_comes,
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
    type Squares<'a> = &'a [(&'a str, Option<&'a str>)];
    let cases: [(&str, Act, &str, Squares); 8] = [
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

/// The squares of the premove.
fn marked(page: &PageTest) -> serde_json::Value {
    page.browser.run(
        "return [...document.querySelectorAll('#board .premove')].map((b) => b.dataset.col + b.dataset.row).sort()",
    )
}

fn a_premove_is_played_once_the_engine_has_moved() {
    let page = PageTest::open("/");
    let castling = "/?engine=b&fen=4k3/pppppppp/8/8/8/8/PPPPPPPP/R3K2R+w+KQ+-+0+1";
    // Nothing of Black's can stop the pawn.
    let promotion = "/?engine=b&fen=7k/2P4p/8/8/8/8/P6P/K7+w+-+-+0+1";
    type Act<'a> = &'a dyn Fn(&PageTest);
    let cases: [(&str, &str, Act, [&str; 2], &str); 5] = [
        ("/", "e2e4", &|page| page.browser.drag(&square("g1"), &square("f3")), ["f3", "g1"], "Nf3"),
        (
            "/",
            "g1f3",
            &|page| ["b1", "c3"].iter().for_each(|name| page.click_square(name)),
            ["b1", "c3"],
            "Nc3",
        ),
        (
            "/",
            "e2e4",
            &|page| {
                page.browser.set_value("#move", "Nge2");
                page.browser.click("#entry button");
            },
            ["e2", "g1"],
            "Ne2",
        ),
        (
            castling,
            "a2a3",
            &|page| page.browser.drag(&square("e1"), &square("h1")),
            ["e1", "g1"],
            "O-O",
        ),
        (
            promotion,
            "a2a3",
            &|page| {
                page.browser.drag(&square("c7"), &square("c8"));
                page.browser.click("#promotion [data-uci='c7c8r']");
            },
            ["c7", "c8"],
            "c8=R",
        ),
    ];
    for (path, first, act, squares, san) in cases {
        page.go(path);
        page.pause_server();
        page.play(first);
        page.wait_for_status("Saavedra is searching");
        act(&page);
        page.browser.wait(&format!("{san} is marked"), || marked(&page) == json!(squares));
        assert_eq!(page.moves().len(), 1, "{san} is not played yet");
        assert!(page.browser.label(&square(squares[0])).contains("premove"));
        page.wait_for_status(&format!("Saavedra is searching… Premove: {san}"));
        page.resume_server();
        page.browser.wait(&format!("{san} is played"), || page.moves().len() >= 3);
        assert_eq!(page.moves()[2].trim_end_matches(['+', '#']), san);
        assert_eq!(marked(&page), json!([]));
    }
    page.assert_no_console_errors();
}

/// After e2e4 the only legal reply is Ka7.
const ONE_REPLY: &str = "/?engine=b&fen=k7/2K5/8/8/8/8/4P3/8+w+-+-+0+1";

fn the_promotion_of_a_premove_is_still_chosen_after_the_engine_s_move() {
    let page = PageTest::open("/?engine=b&fen=7k/2P4p/8/8/8/8/P6P/K7+w+-+-+0+1");
    page.pause_server();
    page.play("a2a3");
    page.browser.drag(&square("c7"), &square("c8"));
    page.resume_server();
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    page.browser.click("#promotion [data-uci='c7c8r']");
    page.browser.wait("the rook", || page.piece("c8") == piece("wr"));
    page.assert_no_console_errors();
}

fn a_premove_that_is_not_legal_is_dropped_with_a_message() {
    let page = PageTest::open(ONE_REPLY);
    page.pause_server();
    page.play("e2e4");
    page.browser.drag(&square("e4"), &square("d5"));
    page.browser.wait("marked", || marked(&page) == json!(["d5", "e4"]));
    page.resume_server();
    page.wait_for_message("The premove exd5 is not legal now.");
    assert_eq!(page.moves(), ["e4", "Ka7"]);
    assert_eq!(marked(&page), json!([]));
    page.play("e4e5");
    page.assert_no_console_errors();
}

fn a_premove_is_cancelled() {
    let page = PageTest::open("/");
    type Act<'a> = &'a dyn Fn(&PageTest);
    let cases: [(&str, Act); 5] = [
        ("Escape", &|page| page.browser.press(&["Escape"])),
        ("a click", &|page| page.click_square("e5")),
        ("a right click", &|page| page.browser.right_drag(&square("e5"), &square("e5"))),
        ("a step back", &|page| {
            page.blur();
            page.browser.press(&["ArrowLeft", "ArrowRight"]);
        }),
        ("another premove", &|page| page.browser.drag(&square("g1"), &square("h3"))),
    ];
    for (what, act) in cases {
        page.go("/");
        page.pause_server();
        page.play("e2e4");
        page.browser.drag(&square("g1"), &square("f3"));
        page.browser.wait("marked", || marked(&page) == json!(["f3", "g1"]));
        act(&page);
        page.browser.wait(what, || !marked(&page).to_string().contains("f3"));
        assert_eq!(page.browser.count("#arrows circle"), 0, "{what} draws nothing");
        page.resume_server();
        let other = what == "another premove";
        page.browser.wait(what, || page.moves().len() == if other { 3 } else { 2 });
        assert!(!other || page.moves()[2] == "Nh3");
    }
    page.assert_no_console_errors();
}

fn a_piece_in_the_hand_stays_there_when_the_turn_comes() {
    let page = PageTest::open("/");
    page.pause_server();
    page.play("e2e4");
    // A pointer at the middle of a square.
    let point = |kind: &str, name: &str| {
        page.browser.run(&format!(
            "const b = document.querySelector(\"{}\"); const r = b.getBoundingClientRect();\
             const at = {{ clientX: (r.left + r.right) / 2, clientY: (r.top + r.bottom) / 2, button: 0, pointerId: 7, bubbles: true }};\
             b.dispatchEvent(new PointerEvent('{kind}', at))",
            square(name)
        ))
    };
    point("pointerdown", "g1");
    point("pointermove", "f3");
    page.resume_server();
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    assert_eq!(page.browser.count("#ghost"), 1);
    assert_eq!(page.browser.count(&format!("{}.dragged", square("g1"))), 1);
    point("pointerup", "f3");
    page.browser.wait("the knight is dropped", || page.moves().len() >= 3);
    assert_eq!(page.moves()[2], "Nf3");
    page.assert_no_console_errors();
}
