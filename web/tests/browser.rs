//! The page as a person meets it: in headless Chromium, with the real engine behind it.
//!
//! Without Chromium and chromedriver (Debian: `chromium chromium-driver`) each test says that it is
//! skipped. With `SAAVEDRA_SCREENSHOTS=DIR` the pictures of the documentation are taken anew.

mod support;

use serde_json::json;
use support::http::{metric, post};
use support::scene::{Scene, some, square};

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
fn analysis_shows_lines_arrows_and_chances_and_stops_with_the_page() {
    let path = "/?moves=e2e4,e7e5,g1f3,b8c6,f1c4,g8f6,d2d4,e5d4,e1g1,f6e4";
    let Some(scene) = Scene::open(path) else {
        return;
    };
    scene.browser.click("#analyse");
    scene
        .browser
        .wait("three lines", || scene.browser.count("#lines li") == 3);
    scene.browser.wait("some depth", || {
        let depth = scene.browser.attribute("#effort", "data-depth");
        depth
            .and_then(|depth| depth.parse::<u32>().ok())
            .is_some_and(|depth| depth >= 8)
    });
    assert!(scene.browser.text("#effort").contains("nodes"));
    assert_eq!(scene.browser.count("#arrows path"), 3);
    assert!(
        scene.browser.label("#bar").starts_with("Evaluation "),
        "{}",
        scene.browser.label("#bar")
    );
    // A move of a line is played by clicking it: read and clicked at once, as the line may change.
    let first = scene.browser.run(
        "const b = document.querySelector('#lines li:first-child button'); b.click(); return b.textContent",
    );
    scene
        .browser
        .wait("it is played", || scene.moves().len() == 11);
    assert_eq!(first, scene.moves()[10].as_str());
    scene.browser.wait("the new position is analysed", || {
        scene.browser.count("#lines li") == 3
    });
    let running = || metric(scene.address(), "saavedra_searches_running");
    scene.browser.wait("it runs", || running() == 1.0);
    scene.browser.click("#analyse");
    scene.browser.wait("it is stopped", || running() == 0.0);
    assert_eq!(
        (
            scene.browser.count("#lines li"),
            scene.browser.count("#arrows path")
        ),
        (0, 0)
    );
    scene.browser.click("#analyse");
    scene.browser.wait("it runs again", || running() == 1.0);
    scene.browser.run("location.href = 'about:blank'");
    scene
        .browser
        .wait("leaving the page stops it", || running() == 0.0);
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
fn the_keyboard_alone_is_enough() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    scene.browser.choose("#engine", "");
    scene
        .browser
        .run("document.querySelector('#board [tabindex=\"0\"]').focus()");
    let focus = || {
        let script =
            "const d = document.activeElement.dataset; return (d.col ?? '') + (d.row ?? '')";
        scene.browser.run(script)
    };
    assert_eq!(focus(), "e2");
    assert_eq!(scene.browser.label(&square("e2")), "e2, white pawn");
    scene.browser.press(&["Enter"]);
    assert_eq!(
        scene.browser.label(&square("e2")),
        "e2, white pawn, picked up"
    );
    assert_eq!(
        scene.browser.label(&square("e4")),
        "e4, empty, can be reached"
    );
    scene.browser.press(&["ArrowUp", "ArrowUp", "Enter"]);
    scene.browser.wait("played", || scene.moves() == ["e4"]);
    assert_eq!(focus(), "e4");
    scene.browser.press(&["f"]);
    scene.browser.press(&["ArrowLeft"]);
    assert_eq!(focus(), "f4", "the board is turned, and left with it");
    scene.browser.press(&["u"]);
    scene
        .browser
        .wait("taken back", || scene.moves().is_empty());
    scene.is_quiet();
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
fn a_review_marks_the_blunder_and_draws_the_line() {
    let Some(scene) = Scene::open("/?moves=f2f3,e7e5,g2g4,d8h4") else {
        return;
    };
    scene.browser.click("#review");
    scene.browser.wait("it sums up", || {
        scene.browser.text("#summary").contains("accurate")
    });
    let marks = scene
        .browser
        .run("return document.querySelectorAll('#moves button')[2].dataset.mark");
    assert_eq!(marks, "??");
    assert_eq!(scene.browser.count("#graph svg .area"), 1);
    assert!(
        scene
            .browser
            .label("#graph")
            .starts_with("Evaluation graph")
    );
    scene.is_quiet();
}

#[test]
fn everything_one_can_use_has_a_name() {
    let Some(scene) = Scene::open("/?moves=e2e4,e7e5") else {
        return;
    };
    scene.browser.click("#position summary");
    let script = "const all = [...document.querySelectorAll('button, input, select, textarea, summary, a, [role]')]\
        .filter(e => e.checkVisibility() && !e.closest('#board [data-col]'));\
        all.forEach((e, n) => { e.dataset.nth = n; }); return all.length";
    let count = scene.browser.run(script).as_u64().unwrap_or_default();
    assert!(count > 30, "only {count} things to use");
    for nth in 0..count {
        let selector = format!("[data-nth='{nth}']");
        let role = scene.browser.role(&selector);
        // Rows are named by their squares, and what is said aloud is its own name.
        if ["row", "status", "alert", "generic", "none"].contains(&role.as_str()) {
            continue;
        }
        let html = scene.browser.property(&selector, "outerHTML");
        assert_ne!(
            scene.browser.label(&selector),
            "",
            "{role} without a name: {html}"
        );
    }
    assert_eq!(scene.browser.role("#board"), "grid");
    assert_eq!(scene.browser.role(&square("e4")), "gridcell");
    assert_eq!(scene.browser.role("#analyse"), "switch");
}

#[test]
fn a_finger_drags_pieces_too() {
    let Some(scene) = Scene::sized("/", 500, 900) else {
        return;
    };
    scene.browser.choose("#engine", "");
    scene.browser.drag_by_finger(&square("g1"), &square("f3"));
    scene
        .browser
        .wait("the knight is put down", || scene.moves() == ["Nf3"]);
    scene.browser.drag_by_finger(&square("e7"), &square("e4"));
    scene.browser.drag_by_finger(&square("e7"), &square("e5"));
    scene
        .browser
        .wait("the pawn goes two", || scene.moves() == ["Nf3", "e5"]);
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

#[test]
fn the_system_s_preference_for_dark_is_followed() {
    let Some(scene) = Scene::open("/") else {
        return;
    };
    let theme = |wanted: &str| {
        scene.browser.prefer(wanted);
        scene.browser.wait(wanted, || {
            scene
                .browser
                .run("return document.documentElement.dataset.theme")
                == wanted
        });
        scene
            .browser
            .run("return getComputedStyle(document.body).backgroundColor")
    };
    let (light, dark) = (theme("light"), theme("dark"));
    assert_ne!(light, dark);
    // A choice of one's own goes before, and stays.
    scene.browser.click("#theme");
    scene.browser.wait("light by choice", || {
        scene
            .browser
            .run("return document.documentElement.dataset.theme")
            == "light"
    });
    scene.go("/");
    assert_eq!(
        scene
            .browser
            .run("return getComputedStyle(document.body).backgroundColor"),
        light
    );
}

#[test]
fn it_fits_a_phone_in_light_and_dark() {
    let Some(scene) = Scene::sized("/?moves=e2e4,e7e5,g1f3", 500, 900) else {
        return;
    };
    for width in [360, 500, 768, 1024, 1440] {
        scene.browser.resize(width, 900);
        let script = "const d = document.documentElement; return d.scrollWidth - d.clientWidth";
        assert_eq!(
            scene.browser.run(script),
            0,
            "at {width} one must scroll sideways"
        );
    }
    let colour = || {
        scene
            .browser
            .run("return getComputedStyle(document.body).backgroundColor")
    };
    scene.browser.resize(500, 900);
    scene.browser.click("#theme");
    let light = colour();
    scene.browser.click("#theme");
    assert_ne!(light, colour());
    scene.shoot("web-phone-dark.png");
    scene.is_quiet();
}

/// Takes the large picture of the documentation: a reviewed game under analysis.
#[test]
fn the_picture_of_the_documentation() {
    if std::env::var("SAAVEDRA_SCREENSHOTS").is_err() {
        return;
    }
    let path = "/?moves=e2e4,e7e5,g1f3,b8c6,f1c4,f8c5,c2c3,g8f6,d2d4,e5d4,c3d4,c5b4,b1c3,f6e4,e1g1,b4c3,\
                d4d5,c3f6,f1e1,c6e7,e1e4,d7d6,c1g5,f6g5,f3g5,h7h6,d1e2,h6g5,a1e1,c8e6,d5e6,f7f6&ply=20";
    let Some(scene) = Scene::sized(path, 1320, 1180) else {
        return;
    };
    scene.browser.click("#review");
    scene.browser.wait("it sums up", || {
        scene.browser.text("#summary").contains("accurate")
    });
    scene.browser.click("#analyse");
    scene.browser.wait("some depth", || {
        let depth = scene.browser.attribute("#effort", "data-depth");
        depth
            .and_then(|depth| depth.parse::<u32>().ok())
            .is_some_and(|depth| depth >= 14)
    });
    scene.shoot("web-analysis.png");
}
