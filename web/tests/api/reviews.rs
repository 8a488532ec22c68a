//! Tests of `/api/v1/reviews`.

use crate::driven::drive;
use crate::support::http::{get, metric, post, post_as, request};
use crate::support::program::Program;
use crate::support::stub::FAILING_NODES;
use crate::support::{Server, wait_until};
use serde_json::{Value, json};
use std::path::Path;

const REVIEWS: &str = "/api/v1/reviews";

fn start(server: &Server, body: &Value) -> String {
    let response = post(server.address, REVIEWS, body);
    assert_eq!(response.status, 202, "{response:?}");
    let path = response.header("location").expect("a location").to_owned();
    assert_eq!(path, format!("{REVIEWS}/{}", response.json()["id"].as_str().expect("an id")));
    path
}

#[test]
fn a_review_judges_every_move_and_has_a_summary() {
    let server = Server::start();
    let path = start(&server, &json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"], "depth": 1}));
    let state = || get(server.address, &path).json();
    wait_until("the review is done", || state()["status"] == "done");
    let review = state();
    assert_eq!(review["progress"], json!({"done": 5, "total": 5}));
    let positions = review["positions"].as_array().expect("positions");
    let plies: Vec<_> = positions.iter().map(|position| position["ply"].clone()).collect();
    assert_eq!(plies, [0, 1, 2, 3, 4]);
    assert!(positions[0].get("judgement").is_none());
    // The stub scores every position alike; only the mate differs.
    assert_eq!(positions[3]["played"], json!({"uci": "g2g4", "san": "g4"}));
    assert_eq!(positions[4]["score"], json!({"mate": 0}));
    for side in ["white", "black"] {
        assert_eq!(review["summary"][side]["moves"], 2);
        assert!(review["summary"][side]["accuracy"].is_number());
    }
}

#[test]
fn a_failed_search_fails_the_review() {
    let server = Server::start();
    let path = start(&server, &json!({"moves": ["e2e4"], "nodes": FAILING_NODES}));
    let state = || get(server.address, &path).json();
    wait_until("the review ends", || state()["status"] == "failed");
    assert_eq!(state()["positions"], json!([]));
}

#[test]
fn deleting_a_review_stops_its_search() {
    let server = Server::start();
    let path = start(&server, &json!({"moves": ["e2e4", "e7e5"], "movetime": 10_000}));
    let running = || metric(server.address, "saavedra_searches_running");
    wait_until("the search runs", || running() == 1.0);
    assert_eq!(get(server.address, REVIEWS).json()["queued"], 1);
    assert_eq!(request(server.address, "DELETE", &path, &[], b"").status, 204);
    assert_eq!(request(server.address, "DELETE", &path, &[], b"").status, 404);
    assert_eq!(get(server.address, &path).status, 404);
    wait_until("the search has stopped", || running() == 0.0);
}

#[test]
fn the_number_of_reviews_is_limited() {
    let server = Server::with(|config| config.reviews = 2);
    let long = json!({"moves": ["e2e4"], "movetime": 10_000});
    let (first, _) = (start(&server, &long), start(&server, &long));
    let refused = post(server.address, REVIEWS, &long);
    assert_eq!(refused.status, 429);
    assert!(refused.header("retry-after").is_some());
    request(server.address, "DELETE", &first, &[], b"");
    // A new review replaces a finished one.
    let short = start(&server, &json!({"moves": ["e2e4"], "depth": 1}));
    wait_until("the review is done", || get(server.address, &short).json()["status"] == "done");
    start(&server, &long);
    assert_eq!(get(server.address, &short).status, 404);
}

#[test]
fn a_game_without_moves_is_refused() {
    let server = Server::start();
    let response = post(server.address, REVIEWS, &json!({"fen": "startpos"}));
    assert_eq!((response.status, &response.problem()["field"]), (422, &json!("moves")));
}

#[test]
fn unknown_and_malformed_ids_are_not_found() {
    let server = Server::start();
    for id in ["x", "..", "%2e%2e%2fetc%2fpasswd", "%00", "%ff", "0123456789abcdef0123456789abcdef"]
    {
        let response = get(server.address, &format!("{REVIEWS}/{id}"));
        assert_eq!(response.status, 404, "{id}");
        response.problem();
    }
}

/// A game with a blunder, a missed mate and a promotion.
const GAME: &str = "[Event \"x\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n";
/// A game that ends by resignation after several mistakes.
pub(super) const LONGER_GAME: &str = "[Event \"y\"]\n\n1. d4 d5 2. c4 dxc4 3. e3 b5 4. a4 c6 5. axb5 cxb5 6. Qf3 Nc6 7. Qxc6+ Bd7 \
    8. Qf3 Rc8 9. Nc3 e5 10. Qe4 Nf6 11. Qxe5+ Be7 12. Nxb5 1-0\n\n";

/// `saavedra analyse`, the review that the service drives and the one that a client drives judge a game
/// alike, whatever number of lines and strength are requested.
#[test]
fn a_review_equals_saavedra_analyse() {
    let program = Program::start();
    let folder = std::env::temp_dir().join(format!("saavedra-review-{}", program.address.port()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    for (pgn, nodes) in [(GAME, 5_000), (LONGER_GAME, 2_000), (LONGER_GAME, 20_000)] {
        let analysed = analyse(&folder, pgn, nodes);
        let path = format!("{REVIEWS}?nodes={nodes}&multipv=3&elo=800");
        let posted = post_as(program.address, &path, "application/x-chess-pgn", pgn.as_bytes());
        let path = posted.header("location").expect("a location").to_owned();
        let state = || get(program.address, &path).json();
        wait_until("the review is done", || state()["status"] == "done");
        let stored = state();
        assert_is_analysis(&stored, &analysed);
        let driven = drive(&[program.address], &json!({"pgn": pgn}), nodes);
        assert_is_analysis(&driven, &analysed);
        assert_eq!(driven["summary"], stored["summary"]);
        let reasons = |review: &Value| -> Vec<Value> {
            let positions = review["positions"].as_array().expect("positions");
            positions.iter().map(|position| position["why"].clone()).collect()
        };
        assert_eq!(reasons(&driven), reasons(&stored));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}

/// Asserts that a review has the judgements, accuracies and lines of an analysis.
#[track_caller]
fn assert_is_analysis(review: &Value, analysed: &Value) {
    let positions = review["positions"].as_array().expect("positions");
    let moves = analysed["moves"].as_array().expect("moves");
    assert_eq!(positions.len(), moves.len() + 1);
    for (judged, position) in moves.iter().zip(&positions[1..]) {
        for field in ["ply", "fen", "judgement", "depth"] {
            assert_eq!(position[field], judged[field], "{field}: {position} {judged}");
        }
        assert_eq!(position["played"]["san"], judged["san"]);
        let accuracy = position["accuracy"].as_f64().expect("an accuracy");
        assert_eq!((accuracy * 10.0).round() / 10.0, judged["accuracy"]);
        assert_eq!(white_score(position), judged["eval"]);
    }
    for (ply, judged) in moves.iter().enumerate() {
        assert_eq!(positions[ply]["bestmove"], judged["best"]["uci"]);
    }
    for side in ["white", "black"] {
        for field in ["inaccuracies", "mistakes", "blunders"] {
            assert_eq!(review["summary"][side][field], analysed[side][field]);
        }
    }
}

/// The JSON of `saavedra analyse` for the only game of a PGN, with one thread.
fn analyse(folder: &Path, pgn: &str, nodes: u64) -> Value {
    let (input, output) = (folder.join("game.pgn"), folder.join("game.json"));
    std::fs::write(&input, pgn).expect("the game is written");
    let paths = [&input, &output].map(|path| path.to_str().expect("a UTF-8 path").to_owned());
    let [input, output_path] = &paths;
    let nodes = nodes.to_string();
    let arguments = [
        "analyse",
        input,
        "--nodes",
        &nodes,
        "--threads",
        "1",
        "--format",
        "json",
        "-o",
        output_path,
    ];
    let arguments = arguments.map(ToOwned::to_owned);
    let status = saavedra::cmd::run("saavedra".as_ref(), &arguments);
    assert_eq!(status, 0);
    let text = std::fs::read_to_string(&output).expect("the analysis");
    serde_json::from_str(text.lines().next().expect("one game")).expect("JSON")
}

/// A position's score from White's view.
fn white_score(position: &Value) -> Value {
    let sign = match position["fen"].as_str().and_then(|fen| fen.split(' ').nth(1)) {
        Some("w") => 1,
        _ => -1,
    };
    let score = position["score"].as_object().expect("a score");
    let (kind, value) = score.iter().next().expect("cp or mate");
    json!({ kind: sign * value.as_i64().expect("a number") })
}
