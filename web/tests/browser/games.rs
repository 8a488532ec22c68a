//! Games: moves, promotion, castling, takeback, loading and setup.

use crate::Test;
use crate::support::http::{metric, post};
use crate::support::page::{PageTest, piece, square};
use serde_json::json;
use std::time::Duration;

pub(crate) const TESTS: &[Test] = tests![
    a_game_is_played_by_clicking,
    a_pawn_is_promoted_to_the_chosen_piece,
    letters_choose_the_promotion_and_no_key_reaches_the_page,
    castling_works_by_king_target_by_rook_and_by_dragging,
    touching_the_king_does_not_castle,
    takeback_removes_the_engines_reply_too,
    targets_are_shown_and_a_selection_can_be_cancelled,
    navigation_updates_the_url,
    a_fen_is_loaded_and_an_invalid_one_reported,
    a_typed_move_is_played_and_an_illegal_one_reported,
    a_position_is_set_up,
    the_strength_of_the_engine_is_limited,
    going_back_twice_at_once_keeps_the_game_between,
    the_back_button_restores_the_previous_game,
    positions_without_moves_are_kept_when_another_game_is_opened,
    a_stored_game_outlives_a_failed_connection,
];

fn a_game_is_played_by_clicking() {
    let page = PageTest::open("/");
    page.play_on_with(&[("#movetime", "100")]);
    let mut played: Vec<String> = Vec::new();
    for _ in 0..300 {
        // The moves against the engine come from a depth-1 search of the same server.
        let body = json!({"moves": played, "depth": 1});
        let best = post(page.address(), "/api/v1/bestmove", &body).json();
        let Some(uci) = best["bestmove"].as_str().filter(|_| best["status"] == "ongoing") else {
            break;
        };
        page.play(uci);
        page.browser.wait("the engine has moved or the game is over", || {
            let text = page.browser.text("#status");
            !text.contains("searching") && !text.ends_with("Black to move")
        });
        let history =
            post(page.address(), "/api/v1/moves", &json!({"moves": page.moves(), "history": true}));
        let history =
            history.json()["history"].as_array().expect("the move list is a game").clone();
        played = history.iter().filter_map(|m| m["uci"].as_str().map(ToOwned::to_owned)).collect();
    }
    let end = post(page.address(), "/api/v1/moves", &json!({ "moves": played })).json();
    assert_ne!(end["status"], "ongoing", "the game did not end: {played:?}");
    let status = match end["status"].as_str() {
        Some("checkmate") => "Checkmate",
        Some("stalemate") => "Draw by stalemate",
        _ => "Draw",
    };
    page.wait_for_status(status);
    assert_eq!(page.position()["fen"].as_str().map(placement), end["fen"].as_str().map(placement));
    // The scores of the engine are in the graph.
    assert_eq!(page.browser.count("#graph svg .area"), 1);
    page.assert_no_console_errors();
}

fn placement(fen: &str) -> String {
    fen.split(' ').next().unwrap_or_default().to_owned()
}

/// The Saavedra position: only the promotion to a rook wins.
fn a_pawn_is_promoted_to_the_chosen_piece() {
    let page = PageTest::open("/?fen=8/8/1KP5/3r4/8/8/8/k7+w+-+-+0+1");
    for uci in ["c6c7", "d5d6", "b6b5", "d6d5", "b5b4", "d5d4", "b4b3", "d4d3", "b3c2", "d3d4"] {
        page.play(uci);
    }
    page.click_square("c7");
    page.click_square("c8");
    let choices = page.browser.run(
        "return [...document.querySelectorAll('#promotion button')].map(b => b.getAttribute('aria-label'))",
    );
    assert_eq!(choices, json!(["queen", "knight", "rook", "bishop"]));
    page.screenshot("web-promotion.png");
    page.browser.press(&["Escape"]);
    assert_eq!(page.piece("c7"), piece("wp"), "the promotion was cancelled");
    page.play("c7c8r");
    let focus = "const { col, row } = document.activeElement.dataset; return col + row";
    assert_eq!(page.browser.run(focus), json!("c8"), "the focus stays");
    assert_eq!(page.piece("c8"), piece("wr"));
    assert_eq!(page.moves().last().map(String::as_str), Some("c8=R"));
    page.wait_for_status("Black to move");
    page.assert_no_console_errors();
}

fn letters_choose_the_promotion_and_no_key_reaches_the_page() {
    let page = PageTest::open("/?fen=8/2P5/8/8/8/8/8/k1K5+w+-+-+0+1");
    for (key, code) in [("q", "wq"), ("R", "wr"), ("b", "wb"), ("n", "wn")] {
        page.click_square("c7");
        page.click_square("c8");
        page.browser.press(&["a", "f", "u", "Home"]);
        assert_eq!(page.browser.property("#analyse", "checked"), json!(false));
        assert_eq!(page.browser.property("#promotion", "hidden"), json!(false));
        page.browser.press(&[key]);
        page.browser.wait(key, || page.piece("c8") == piece(code));
        page.browser.click("#takeback");
        page.browser.wait("taken back", || page.piece("c7") == piece("wp"));
    }
    page.assert_no_console_errors();
}

fn castling_works_by_king_target_by_rook_and_by_dragging() {
    let page = PageTest::open("/");
    let fen = "/?fen=r3k2r/8/8/8/8/8/8/R3K2R+w+KQkq+-+0+1";
    for (from, to, king, rook) in [("e1", "g1", "g1", "f1"), ("e1", "a1", "c1", "d1")] {
        page.go(fen);
        page.play(&format!("{from}{to}"));
        assert_eq!((page.piece(king), page.piece(rook)), (piece("wk"), piece("wr")), "{to}");
    }
    page.go(fen);
    page.browser.drag(&square("e1"), &square("c1"));
    page.browser.wait("castled", || page.moves() == ["O-O-O"]);
    assert_eq!((page.piece("c1"), page.piece("d1")), (piece("wk"), piece("wr")));
    page.browser.drag(&square("e8"), &square("e5"));
    assert_eq!(page.piece("e8"), piece("bk"), "an illegal drag leaves the king where it was");
    page.assert_no_console_errors();
}

fn touching_the_king_does_not_castle() {
    let page = PageTest::open("/?fen=4k3/8/8/8/8/8/8/6KR+w+H+-+0+1");
    page.click_square("g1");
    let targets = page.browser.run(
        "return [...document.querySelectorAll('.target')].map(s => s.dataset.col + s.dataset.row).sort()",
    );
    assert_eq!(targets, json!(["f1", "f2", "g2", "h1", "h2"]));
    page.click_square("g1");
    assert!(page.moves().is_empty());
    page.play("g1h1");
    assert_eq!(page.moves(), ["O-O"]);
    assert_eq!((page.piece("f1"), page.piece("g1")), (piece("wr"), piece("wk")));
    page.assert_no_console_errors();
}

fn takeback_removes_the_engines_reply_too() {
    let page = PageTest::open("/");
    page.play_on_with(&[("#movetime", "100")]);
    page.play("e2e4");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    page.browser.click("#takeback");
    page.browser.wait("both moves are taken back", || page.moves().is_empty());
    assert_eq!((page.piece("e2"), page.piece("e4")), (piece("wp"), None));
    page.wait_for_status("White to move");
    // Without an engine, one move is taken back.
    page.play_on_with(&[("#engine", "")]);
    for uci in ["d2d4", "d7d5"] {
        page.play(uci);
    }
    page.browser.click("#takeback");
    page.browser.wait("one move is taken back", || page.moves() == ["d4"]);
    page.wait_for_status("Black to move");
    page.assert_no_console_errors();
}

fn targets_are_shown_and_a_selection_can_be_cancelled() {
    let page = PageTest::open("/");
    let targets = || {
        let script = "return [...document.querySelectorAll('.target')].map(s => s.dataset.col + s.dataset.row).sort()";
        page.browser.run(script)
    };
    page.click_square("g1");
    assert_eq!(targets(), json!(["f3", "h3"]));
    page.click_square("b1");
    assert_eq!(targets(), json!(["a3", "c3"]), "another piece is selected");
    page.browser.press(&["Escape"]);
    assert_eq!(targets(), json!([]));
    page.click_square("e7");
    assert_eq!(targets(), json!([]), "a piece of the other side");
    page.assert_no_console_errors();
}

fn navigation_updates_the_url() {
    let page = PageTest::open("/");
    page.tab("files");
    let pgn = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 {a comment} Nc6 (2... d6) 3. Bb5 a6 1/2-1/2";
    page.browser.fill("#pgn", pgn);
    page.browser.click("#pgn-form button");
    page.browser.wait("the game is loaded", || page.moves().len() == 7);
    assert_eq!(page.piece("e2"), piece("wp"), "the start position is shown");
    page.browser.click("#next");
    page.browser.wait("one move forward", || page.piece("e4") == piece("wp"));
    page.browser.click("#last");
    page.browser.wait("the last position", || page.piece("a6") == piece("bp"));
    page.blur();
    page.browser.press(&["ArrowLeft", "ArrowLeft"]);
    page.browser.wait("two moves back", || page.piece("b5").is_none());
    let path = page.path();
    assert_eq!(path, "/?moves=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6&ply=4");
    page.go(&path);
    assert_eq!(
        (page.moves().len(), page.piece("c6"), page.piece("b5")),
        (7, piece("bn"), None),
        "the variation survives a reload"
    );
    // Another move makes a variation, and the URL has its line.
    page.play("f1c4");
    assert_eq!(page.moves(), ["e4", "e5", "Nf3", "Nc6", "d6", "Bb5", "Bc4", "a6"]);
    assert_eq!(page.path(), "/?moves=e2e4,e7e5,g1f3,b8c6,f1c4");
    page.assert_no_console_errors();
}

fn a_fen_is_loaded_and_an_invalid_one_reported() {
    let page = PageTest::open("/");
    page.tab("files");
    page.browser.fill("#pgn", "4k3/8/8/8/8/8/8/8 w - - 0 1");
    page.browser.click("#load-row button");
    page.wait_for_message("white has no king");
    assert_eq!(page.piece("e1"), piece("wk"), "the position is unchanged");
    page.browser.fill("#pgn", "4k3/8/8/8/8/8/8/4K2R b K - 0 1");
    page.browser.click("#load-row button");
    page.browser.wait("the FEN is loaded", || page.piece("d1").is_none());
    page.wait_for_status("Black to move");
    assert!(page.path().starts_with("/?fen=4k3/8"), "{}", page.path());
    assert_eq!(
        placement(page.position()["fen"].as_str().unwrap_or_default()),
        "4k3/8/8/8/8/8/8/4K2R"
    );
    page.go("/?fen=nonsense");
    page.wait_for_message("malformed FEN");
    assert_eq!(page.piece("e1"), piece("wk"));
}

fn a_typed_move_is_played_and_an_illegal_one_reported() {
    let page = PageTest::open("/?engine=");
    page.play_on_with(&[("#engine", "")]);
    page.blur();
    page.browser.press(&["m"]);
    page.browser.press(&["N", "f", "3", "Enter"]);
    page.browser.wait("played", || page.moves() == ["Nf3"]);
    page.browser.wait("the field is empty", || page.browser.property("#move", "value") == "");
    page.browser.fill("#move", "e7e4");
    page.browser.click("#entry button");
    page.wait_for_message("cannot move there");
    assert_eq!(page.moves(), ["Nf3"]);
    assert_eq!(page.browser.text("#spoken"), "White: knight f3.");
}

fn a_position_is_set_up() {
    let page = PageTest::open("/");
    page.tab("files");
    page.browser.click("#edit");
    page.browser.click("#clear");
    for (piece, name) in [("K", "g1"), ("k", "g8"), ("R", "a1"), ("p", "f7"), ("p", "h7")] {
        page.browser.click(&format!("#palette [data-choice='{piece}']"));
        page.click_square(name);
    }
    page.browser.fill("#setup-castling", "KQ");
    page.browser.click("#setup-done");
    page.wait_for_message("castling right of white without king or rook ignored");
    page.browser.wait("the position is accepted", || {
        page.path().starts_with("/?fen=6k1/5p1p/8/8/8/8/8/R5K1")
    });
    page.play_on_with(&[("#engine", "")]);
    page.play("a1a8");
    assert_eq!(page.moves(), ["Ra8+"]);
    page.wait_for_status("Check. Black to move");
    // An invalid position is reported, and the setup remains.
    page.tab("files");
    page.browser.click("#edit");
    page.browser.click("#palette [data-choice='K']");
    page.click_square("c3");
    page.browser.click("#setup-done");
    page.wait_for_message("white has 2 kings");
    assert_eq!(page.piece("c3"), piece("wk"));
    page.browser.drag(&square("c3"), "#status");
    page.browser.wait("dragged off the board", || page.piece("c3").is_none());
}

fn the_strength_of_the_engine_is_limited() {
    let page = PageTest::open("/");
    page.browser.click("#new");
    assert_eq!(page.browser.text("#strength-text"), "full");
    page.browser.run("document.getElementById('strength').focus()");
    page.browser.press(&["Home"]);
    let weakest = page.browser.text("#strength-text");
    assert!(weakest.starts_with("Elo "), "{weakest}");
    page.browser.click("#new-apply");
    assert!(page.browser.text("#opponent").contains(&weakest));
    page.play("e2e4");
    page.browser.wait("the engine moves", || page.moves().len() == 2);
    let nodes = metric(page.address(), "saavedra_nodes_total");
    assert!(nodes < 2_000.0, "{nodes} nodes");
    assert_eq!(
        page.browser.label("#bar"),
        "No evaluation yet",
        "scores at limited strength are not shown"
    );
    page.go("/");
    page.browser.click("#new");
    assert_eq!(page.browser.text("#strength-text"), weakest, "the strength is stored");
    page.assert_no_console_errors();
}

fn going_back_twice_at_once_keeps_the_game_between() {
    let page = PageTest::without_web_assembly("/?moves=e2e4,e7e5,g1f3&ply=2");
    page.play("f1c4");
    page.new_game();
    page.browser.wait("a new game", || page.moves().is_empty());
    for uci in ["d2d4", "d7d5"] {
        page.play(uci);
    }
    page.browser.click("#prev");
    page.play("g8f6");
    page.new_game();
    page.browser.wait("a third game", || page.moves().is_empty());
    // The second step comes before the answer to the first one.
    page.browser.run(
        "const get = window.fetch; window.fetch = async (...request) => { await new Promise((r) => setTimeout(r, 400)); return get(...request); };\
         history.back(); setTimeout(() => history.back(), 200)",
    );
    page.browser
        .wait("the first game with its variation", || page.moves() == ["e4", "e5", "Nf3", "Bc4"]);
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(page.moves(), ["e4", "e5", "Nf3", "Bc4"]);
    page.browser.run("history.forward()");
    page.browser.wait("the second game with its variation", || page.moves() == ["d4", "d5", "Nf6"]);
    page.assert_no_console_errors();
}

fn the_back_button_restores_the_previous_game() {
    let page = PageTest::open("/?moves=e2e4,e7e5,g1f3&ply=2");
    page.play("f1c4");
    assert_eq!(page.moves(), ["e4", "e5", "Nf3", "Bc4"]);
    page.new_game();
    page.browser.wait("a new game", || page.moves().is_empty());
    page.browser.run("history.back()");
    page.browser.wait("the previous game with its variation", || {
        page.moves() == ["e4", "e5", "Nf3", "Bc4"]
    });
    assert_eq!(page.piece("c4"), piece("wb"), "at the same move");
    page.assert_no_console_errors();
}

fn positions_without_moves_are_kept_when_another_game_is_opened() {
    let page = PageTest::open("/?engine=");
    page.load("4k3/8/8/8/8/8/8/4K2R w K -\n4k3/8/8/8/8/8/8/R3K3 w Q -\n");
    page.browser.wait("both positions", || page.browser.count("#games option") == 2);
    page.new_game();
    page.browser.wait("a new game", || page.piece("d1") == piece("wq"));
    page.browser.run("history.back()");
    page.browser.wait("the first position", || {
        page.piece("h1") == piece("wr") && page.piece("d1").is_none()
    });
    assert_eq!(page.browser.count("#games option"), 2);
    page.assert_no_console_errors();
}

fn a_stored_game_outlives_a_failed_connection() {
    let page = PageTest::without_web_assembly("/?moves=e2e4,e7e5,g1f3&ply=2");
    page.play("f1c4");
    page.new_game();
    page.browser.wait("a new game", || page.moves().is_empty());
    // The start position is confirmed, its moves are not.
    page.browser.run(
        "const get = window.fetch; let requests = 0; window.fetch = (...request) => {\
         requests += 1; return requests === 2 ? Promise.reject(new TypeError('cut')) : get(...request); };\
         history.back()",
    );
    page.wait_for_message("The server cannot be reached.");
    assert!(page.moves().is_empty(), "the new game is still shown");
    page.go(&page.path());
    assert_eq!(page.moves(), ["e4", "e5", "Nf3", "Bc4"]);
    page.assert_no_console_errors();
}
