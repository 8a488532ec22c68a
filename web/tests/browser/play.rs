//! Games: moves, promotions, castling, taking back, loading and setting up.

use crate::support::http::{get, metric, post};
use crate::support::scene::{Scene, some, square};
use crate::support::skip;
use serde_json::json;

#[test]
fn a_whole_game_is_played_by_clicking() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    scene.browser.choose("#movetime", "100");
    let mut played: Vec<String> = Vec::new();
    for _ in 0..300 {
        // The person's moves are the engine's hasty advice, from the same server.
        let ask = json!({"moves": played, "depth": 1});
        let best = post(scene.address(), "/api/v1/bestmove", &ask).json();
        let Some(uci) = best["bestmove"]
            .as_str()
            .filter(|_| best["status"] == "ongoing")
        else {
            break;
        };
        scene.play(uci);
        scene
            .browser
            .wait("the engine has answered or the game is over", || {
                let text = scene.browser.text("#status");
                !text.contains("thinking") && !text.ends_with("Black to move")
            });
        let history = post(
            scene.address(),
            "/api/v1/moves",
            &json!({"moves": scene.moves(), "history": true}),
        );
        let history = history.json()["history"]
            .as_array()
            .expect("the list reads as a game")
            .clone();
        played = history
            .iter()
            .filter_map(|m| m["uci"].as_str().map(ToOwned::to_owned))
            .collect();
    }
    let end = post(
        scene.address(),
        "/api/v1/moves",
        &json!({ "moves": played }),
    )
    .json();
    assert_ne!(
        end["status"], "ongoing",
        "the game came to no end: {played:?}"
    );
    let words = match end["status"].as_str() {
        Some("checkmate") => "Checkmate",
        Some("stalemate") => "Stalemate",
        _ => "Draw",
    };
    scene.status(words);
    assert_eq!(
        scene.position()["fen"].as_str().map(board_of),
        end["fen"].as_str().map(board_of)
    );
    // The engine told what it thought of the game, and the page drew it.
    assert_eq!(scene.browser.count("#graph svg .area"), 1);
    scene.is_quiet();
}

fn board_of(fen: &str) -> String {
    fen.split(' ').next().unwrap_or_default().to_owned()
}

/// The study the engine is named after: only the promotion to a rook wins.
#[test]
fn a_pawn_is_promoted_to_the_piece_one_chooses() {
    let Some(scene) = Scene::open("/?fen=8/8/1KP5/3r4/8/8/8/k7+w+-+-+0+1") else {
        return;
    };
    for uci in [
        "c6c7", "d5d6", "b6b5", "d6d5", "b5b4", "d5d4", "b4b3", "d4d3", "b3c2", "d3d4",
    ] {
        scene.play(uci);
    }
    scene.square("c7");
    scene.square("c8");
    let choices = scene.browser.run(
        "return [...document.querySelectorAll('#promotion button')].map(b => b.getAttribute('aria-label'))",
    );
    assert_eq!(choices, json!(["queen", "knight", "rook", "bishop"]));
    scene.shoot("web-promotion.png");
    scene.browser.press(&["Escape"]);
    assert_eq!(scene.piece("c7"), some("wp"), "the choice was called off");
    scene.play("c7c8r");
    assert_eq!(scene.piece("c8"), some("wr"));
    assert_eq!(scene.moves().last().map(String::as_str), Some("c8=R"));
    scene.status("Black to move");
    scene.is_quiet();
}

#[test]
fn one_castles_by_the_king_s_step_by_its_rook_and_by_dragging() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    let fen = "/?fen=r3k2r/8/8/8/8/8/8/R3K2R+w+KQkq+-+0+1";
    for (from, to, king, rook) in [("e1", "g1", "g1", "f1"), ("e1", "a1", "c1", "d1")] {
        scene.go(fen);
        scene.play(&format!("{from}{to}"));
        assert_eq!(
            (scene.piece(king), scene.piece(rook)),
            (some("wk"), some("wr")),
            "{to}"
        );
    }
    scene.go(fen);
    scene.browser.drag(&square("e1"), &square("c1"));
    scene.browser.wait("castled", || scene.moves() == ["O-O-O"]);
    assert_eq!(
        (scene.piece("c1"), scene.piece("d1")),
        (some("wk"), some("wr"))
    );
    scene.browser.drag(&square("e8"), &square("e5"));
    assert_eq!(
        scene.piece("e8"),
        some("bk"),
        "no king goes there: it is back at home"
    );
    scene.is_quiet();
}

#[test]
fn a_move_is_taken_back_with_the_engines_answer() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    scene.browser.choose("#movetime", "100");
    scene.play("e2e4");
    scene
        .browser
        .wait("the engine answers", || scene.moves().len() == 2);
    scene.browser.click("#takeback");
    scene
        .browser
        .wait("both moves are gone", || scene.moves().is_empty());
    assert_eq!((scene.piece("e2"), scene.piece("e4")), (some("wp"), None));
    scene.status("White to move");
    // Without an engine it is one move at a time.
    scene.browser.choose("#engine", "");
    for uci in ["d2d4", "d7d5"] {
        scene.play(uci);
    }
    scene.browser.click("#takeback");
    scene
        .browser
        .wait("one move is gone", || scene.moves() == ["d4"]);
    scene.status("Black to move");
    scene.is_quiet();
}

#[test]
fn targets_are_shown_and_a_piece_can_be_put_back() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    let targets = || {
        let script = "return [...document.querySelectorAll('.target')].map(s => s.dataset.col + s.dataset.row).sort()";
        scene.browser.run(script)
    };
    scene.square("g1");
    assert_eq!(targets(), json!(["f3", "h3"]));
    scene.square("b1");
    assert_eq!(
        targets(),
        json!(["a3", "c3"]),
        "another piece is picked up instead"
    );
    scene.browser.press(&["Escape"]);
    assert_eq!(targets(), json!([]));
    scene.square("e7");
    assert_eq!(targets(), json!([]), "the other side's piece");
    scene.is_quiet();
}

#[test]
fn one_steps_through_a_game_and_the_address_keeps_the_place() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    scene.browser.click("#position summary");
    let pgn = "[Event \"x\"]\n\n1. e4 e5 2. Nf3 {a comment} Nc6 (2... d6) 3. Bb5 a6 1/2-1/2";
    scene.browser.fill("#pgn", pgn);
    scene.browser.click("#pgn-form button");
    scene
        .browser
        .wait("the game is loaded", || scene.moves().len() == 6);
    assert_eq!(scene.piece("e2"), some("wp"), "it begins at the start");
    scene.browser.click("#next");
    scene
        .browser
        .wait("a move on", || scene.piece("e4") == some("wp"));
    scene.browser.click("#last");
    scene
        .browser
        .wait("the end", || scene.piece("a6") == some("bp"));
    scene.browser.run("document.activeElement.blur()");
    scene.browser.press(&["ArrowLeft", "ArrowLeft"]);
    scene
        .browser
        .wait("two back", || scene.piece("b5").is_none());
    let path = scene.path();
    assert_eq!(path, "/?moves=e2e4,e7e5,g1f3,b8c6,f1b5,a7a6&ply=4");
    scene.go(&path);
    assert_eq!(
        (scene.moves().len(), scene.piece("c6"), scene.piece("b5")),
        (6, some("bn"), None)
    );
    // Another move from here begins another game.
    scene.play("f1c4");
    assert_eq!(scene.moves(), ["e4", "e5", "Nf3", "Nc6", "Bc4"]);
    scene.is_quiet();
}

#[test]
fn a_fen_is_loaded_and_a_bad_one_explained() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    scene.browser.click("#position summary");
    scene.browser.fill("#fen", "4k3/8/8/8/8/8/8/8 w - - 0 1");
    scene.browser.click("#fen-form button");
    scene.message("white has no king");
    assert_eq!(scene.piece("e1"), some("wk"), "the old position stays");
    scene.browser.fill("#fen", "4k3/8/8/8/8/8/8/4K2R b K - 0 1");
    scene.browser.click("#fen-form button");
    scene
        .browser
        .wait("it is loaded", || scene.piece("d1").is_none());
    scene.status("Black to move");
    assert!(scene.path().starts_with("/?fen=4k3/8"), "{}", scene.path());
    assert_eq!(
        board_of(scene.position()["fen"].as_str().unwrap_or_default()),
        "4k3/8/8/8/8/8/8/4K2R"
    );
    scene.go("/?fen=nonsense");
    scene.message("malformed FEN");
    assert_eq!(scene.piece("e1"), some("wk"));
}

#[test]
fn a_typed_move_is_played_and_a_wrong_one_explained() {
    let Some(scene) = Scene::open("/?engine=") else {
        return;
    };
    scene.browser.choose("#engine", "");
    scene.browser.run("document.activeElement.blur()");
    scene.browser.press(&["m"]);
    scene.browser.press(&["N", "f", "3", "Enter"]);
    scene.browser.wait("played", || scene.moves() == ["Nf3"]);
    scene.browser.wait("the field is empty", || {
        scene.browser.property("#move", "value") == ""
    });
    scene.browser.fill("#move", "e7e4");
    scene.browser.click("#entry button");
    scene.message("does not go there");
    assert_eq!(scene.moves(), ["Nf3"]);
    assert_eq!(scene.browser.text("#spoken"), "White: knight f3.");
}

#[test]
fn a_position_is_set_up_by_hand() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    scene.browser.click("#position summary");
    scene.browser.click("#edit");
    scene.browser.click("#clear");
    for (piece, name) in [
        ("K", "g1"),
        ("k", "g8"),
        ("R", "a1"),
        ("p", "f7"),
        ("p", "h7"),
    ] {
        scene
            .browser
            .click(&format!("#palette [data-choice='{piece}']"));
        scene.square(name);
    }
    scene.browser.fill("#setup-castling", "KQ");
    scene.browser.click("#setup-done");
    scene.message("castling right of white without king or rook ignored");
    scene.browser.wait("it is a position", || {
        scene.path().starts_with("/?fen=6k1/5p1p/8/8/8/8/8/R5K1")
    });
    scene.browser.choose("#engine", "");
    scene.play("a1a8");
    assert_eq!(scene.moves(), ["Ra8+"]);
    scene.status("Check. Black to move");
    // A king too many is refused in words, and the board stays as it was set up.
    scene.browser.click("#edit");
    scene.browser.click("#palette [data-choice='K']");
    scene.square("c3");
    scene.browser.click("#setup-done");
    scene.message("white has 2 kings");
    assert_eq!(scene.piece("c3"), some("wk"));
    scene.browser.drag(&square("c3"), "#status");
    scene
        .browser
        .wait("dragged off the board", || scene.piece("c3").is_none());
}

#[test]
fn the_engine_plays_as_weakly_as_one_wishes() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    if get(scene.address(), "/health").json()["engine"]["elo"].is_null() {
        return skip("strengths: the engine has only the full one");
    }
    assert_eq!(scene.browser.text("#strength-text"), "full");
    scene
        .browser
        .run("document.getElementById('strength').focus()");
    scene.browser.press(&["Home"]);
    let weakest = scene.browser.text("#strength-text");
    assert!(weakest.starts_with("Elo "), "{weakest}");
    scene.play("e2e4");
    scene
        .browser
        .wait("the engine answers", || scene.moves().len() == 2);
    let nodes = metric(scene.address(), "saavedra_nodes_total");
    assert!(nodes < 2_000.0, "it looked at {nodes} positions");
    assert_eq!(
        scene.browser.label("#bar"),
        "No evaluation yet",
        "what a weak player thinks of it is nobody's evaluation"
    );
    scene.go("/");
    assert_eq!(scene.browser.text("#strength-text"), weakest, "remembered");
    scene.is_quiet();
}

#[test]
fn the_browser_s_way_back_leads_to_the_game_before() {
    let Some(scene) = Scene::open("/?moves=e2e4,e7e5,g1f3&ply=2") else {
        return;
    };
    scene.play("f1c4");
    assert_eq!(scene.moves(), ["e4", "e5", "Bc4"]);
    scene.browser.click("#new");
    scene
        .browser
        .wait("a new game", || scene.moves().is_empty());
    scene.browser.run("history.back()");
    scene
        .browser
        .wait("the game before", || scene.moves() == ["e4", "e5", "Bc4"]);
    scene.browser.run("history.back()");
    scene.browser.wait("the one before that", || {
        scene.moves() == ["e4", "e5", "Nf3"]
    });
    assert_eq!(scene.piece("f3"), None, "at the place where one was");
    scene.is_quiet();
}
