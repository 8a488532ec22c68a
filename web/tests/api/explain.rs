//! Tests of `POST /api/v1/explain`.

use crate::support::Server;
use crate::support::http::{post, post_as};
use saavedra::analysis::{Analyser, Budget, Question, explain, json as explained};
use saavedra::chess::Game;
use saavedra::eval::Evaluation;
use serde_json::{Value, json};

const EXPLAIN: &str = "/api/v1/explain";

/// What the library says of the last position of a game, as `saavedra explain --json` does.
fn expected(moves: &[&str], asked: Option<&str>, nodes: u64) -> Value {
    let mut game = Game::default();
    for text in moves {
        game.push(game.board().parse_move(text).expect("a legal move"));
    }
    let asked = asked.map(|text| game.board().parse_move(text).expect("a legal move"));
    let analyser = Analyser::for_explanations(Budget::Nodes(nodes), Evaluation::embedded());
    let explanation = explain(&Question::in_game(&game, asked), &analyser);
    explained::explanation(&explanation.expect("an explanation"))
}

#[test]
fn the_answer_is_that_of_the_command() {
    let server = Server::start();
    let moves = ["e4", "e5", "Qh5"];
    for asked in [None, Some("g6")] {
        let mut body = json!({ "moves": moves, "nodes": 3000 });
        if let Some(text) = asked {
            body["move"] = text.into();
        }
        let answer = post(server.address, EXPLAIN, &body).json();
        assert_eq!(answer, expected(&moves, asked, 3000), "{body}");
    }
    let fen = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1";
    let answer =
        post_as(server.address, &format!("{EXPLAIN}?move=Ra8"), "text/plain", fen.as_bytes());
    assert!(answer.json()["text"].as_str().is_some_and(|text| text.contains("checkmate")));
}

#[test]
fn refusals_name_the_field() {
    let server = Server::start();
    for (body, status, field) in [
        (json!({ "fen": "startpos", "move": "e5" }), 422, "move"),
        (json!({ "fen": "startpos", "nodes": 0 }), 400, "nodes"),
        (json!({ "fen": "startpos", "nodes": 1_000_001 }), 400, "nodes"),
        (json!({ "fen": "startpos", "depth": 3 }), 400, "depth"),
        (json!({ "move": "e4" }), 400, "fen"),
    ] {
        let response = post(server.address, EXPLAIN, &body);
        assert_eq!(response.status, status, "{body}");
        assert_eq!(response.problem()["field"], field, "{body}");
    }
}
