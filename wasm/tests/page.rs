//! The page without a server gets the answers of the web service.

use saavedra_api::request::answer;
use saavedra_api::{RequestedGame, main_lines, read_games, write_games};
use saavedra_web::position::requested_game;
use saavedra_web::request::RequestFields;
use serde_json::{Value, json};

/// Games as the page sends them.
fn games() -> Vec<Value> {
    vec![
        json!({ "start": "startpos", "moves": [] }),
        json!({ "start": "startpos", "moves": ["e4", "e7e5", "Nf3", "Nc6", "Bb5", "Nf6", "e1g1"] }),
        json!({ "start": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] }),
        json!({ "start": "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 4 9", "moves": ["bxa8=Q+", "Ke7"] }),
        json!({ "start": "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "moves": ["O-O"] }),
        json!({ "start": "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "moves": ["e1h1"], "chess960": true }),
        // A right without its rook is repaired.
        json!({ "start": "4k3/8/8/8/8/8/8/4K3 w KQ - 0 0", "moves": [] }),
        json!({ "start": "startpos", "moves": "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8".split(' ').collect::<Vec<_>>() }),
        // Pinned and checking men.
        json!({ "start": "4k3/4r3/8/8/8/2b5/3B4/4K3 w - - 0 1", "moves": [] }),
    ]
}

/// The request of a game to the module: its start is called `fen`.
fn ask(name: &str, game: &Value) -> Value {
    let mut fields = game.clone();
    fields["fen"] = fields["start"].take();
    serde_json::from_str(&answer(name, &fields.to_string())).expect("an answer is JSON")
}

fn requested(game: &Value) -> RequestedGame {
    let fields: RequestFields = serde_json::from_value(game.clone()).expect("fields of the API");
    requested_game(&fields).expect("a legal game")
}

#[test]
fn positions_are_described_alike() {
    for game in games() {
        let described = serde_json::to_value(requested(&game).describe(true)).expect("JSON");
        assert_eq!(ask("position", &game)["ok"], described, "{game}");
    }
}

#[test]
fn moves_are_described_alike() {
    for game in games() {
        let mut service = requested(&game);
        for m in service.game.board().legal_moves().iter().copied() {
            let mut fields = game.clone();
            fields["move"] = service.game.board().san(m).into();
            service.game.push(m);
            let described = serde_json::to_value(service.describe_with_last_move()).expect("JSON");
            assert_eq!(ask("play", &fields)["ok"], described, "{fields}");
            service.game.pop();
        }
    }
}

#[test]
fn an_illegal_move_is_named_by_its_index() {
    let game = json!({ "start": "startpos", "moves": ["e4", "e5", "Ke3"] });
    assert_eq!(ask("position", &game)["error"]["field"], "moves[2]");
}

#[test]
fn a_review_grows_from_the_last_position() {
    let mut game = json!({ "start": "startpos", "moves": ["f3", "e5", "g4", "Qh4#"] });
    let search = |ply: usize, score: Value, pv: &[&str]| {
        let mut before = game.clone();
        before["moves"].as_array_mut().expect("moves").truncate(ply);
        let fen = &ask("position", &before)["ok"]["fen"];
        json!({ "ply": ply, "fen": fen, "engine": "x", "score": score, "depth": 9, "nodes": 99, "time": 9, "pv": pv })
    };
    let searched = [
        search(4, json!({ "mate": 0 }), &[]),
        search(3, json!({ "mate": 1 }), &["d8h4"]),
        search(2, json!({ "cp": -90 }), &["d2d4"]),
        search(1, json!({ "cp": 60 }), &["e7e5"]),
        search(0, json!({ "cp": 20 }), &["e2e4", "e7e5"]),
    ];
    for done in 0..=searched.len() {
        game["searched"] = searched[..done].to_vec().into();
        let review = &ask("review", &game)["ok"];
        assert_eq!(review["progress"], json!({ "done": done, "total": 5 }));
        assert_eq!(review["status"], if done == 5 { "done" } else { "running" });
        assert_eq!(review["positions"].as_array().map(Vec::len), Some(done));
    }
    let review = &ask("review", &game)["ok"];
    let judgements: Vec<&Value> =
        (1..5).map(|ply| &review["positions"][ply]["judgement"]).collect();
    assert_eq!(judgements[2..], ["blunder", "best"]);
    assert_eq!(review["positions"][3]["played"], json!({ "uci": "g2g4", "san": "g4" }));
    assert_eq!(review["positions"][3]["score"], json!({ "mate": 1 }));
    assert_eq!(review["summary"]["white"]["blunders"], 1);
}

#[test]
fn games_are_read_and_written_as_by_the_service() {
    for pgn in ["1. e4! {good} (1. d4) e5 2. Ke3 1-0", "[FEN \"8/8 w\"]\n\n1. e4 *", ""] {
        let answer = |name, fields: Value| -> Value {
            serde_json::from_str(&answer(name, &fields.to_string())).expect("an answer is JSON")
        };
        let games = read_games(pgn);
        let read = answer("readGames", json!({ "pgn": pgn }));
        assert_eq!(read["ok"], serde_json::to_value(&games).expect("JSON"), "{pgn}");
        let written = answer("writeGames", json!({ "games": read["ok"] }));
        assert_eq!(written["ok"], write_games(&games).expect("written"), "{pgn}");
        let lines = answer("mainLines", json!({ "games": read["ok"] }));
        let expected = serde_json::to_value(main_lines(&games).expect("positions"));
        assert_eq!(lines["ok"], expected.expect("JSON"), "{pgn}");
    }
    let bad = r#"{"games":[{"tags":[],"result":"*","nodes":[{},{"parent":1,"san":"e4"}]}]}"#;
    let refused: Value = serde_json::from_str(&answer("writeGames", bad)).expect("JSON");
    assert_eq!(refused["error"]["field"], "games[0].nodes[1].parent");
}
