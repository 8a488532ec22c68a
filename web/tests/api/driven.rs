//! Tests of `/api/v1/review/search` and `/api/v1/review/judge`: reviews that a client drives.

use crate::reviews::LONGER_GAME;
use crate::support::http::{Connection, Response, get, metric, post, post_as};
use crate::support::program::Program;
use crate::support::stub::FAILING_NODES;
use crate::support::{Server, wait_until};
use serde_json::{Value, json};
use std::net::SocketAddr;

const SEARCH: &str = "/api/v1/review/search";
const JUDGE: &str = "/api/v1/review/judge";

/// The game of a request with more fields.
fn with(game: &Value, more: &Value) -> Value {
    let mut body = game.clone();
    for (name, value) in more.as_object().expect("an object") {
        body[name] = value.clone();
    }
    body
}

/// The lines of an answer.
fn lines(response: &Response) -> Vec<Value> {
    assert_eq!(response.status, 200, "{response:?}");
    assert_eq!(response.header("content-type"), Some("application/x-ndjson"));
    response.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// Reviews a game as a client does that asks another of these servers for each group.
pub(super) fn drive(servers: &[SocketAddr], game: &Value, nodes: u64) -> Value {
    let mut searched: Vec<Value> = Vec::new();
    for server in servers.iter().cycle() {
        let mut body = with(game, &json!({"nodes": nodes}));
        match searched.last().map(|position| position["ply"].as_u64().expect("a ply")) {
            Some(0) => break,
            Some(ply) => body["ply"] = (ply - 1).into(),
            None => {}
        }
        searched.extend(lines(&post(*server, SEARCH, &body)));
    }
    let response = post(servers[0], JUDGE, &with(game, &json!({"searched": searched})));
    assert_eq!(response.status, 200, "{response:?}");
    response.json()
}

/// A game of this many plies.
fn game(plies: usize) -> Value {
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"].iter().cycle().take(plies);
    json!({"moves": moves.collect::<Vec<_>>()})
}

#[test]
fn a_game_is_searched_in_groups_that_begin_with_empty_tables() {
    let server = Server::start();
    for (ply, expected) in [
        (None, 19..=30),
        (Some(30), 19..=30),
        (Some(25), 19..=30),
        (Some(19), 19..=30),
        (Some(18), 7..=18),
        (Some(7), 7..=18),
        (Some(6), 0..=6),
        (Some(0), 0..=6),
    ] {
        let mut body = with(&game(30), &json!({"nodes": 10}));
        if let Some(ply) = ply {
            body["ply"] = json!(ply);
        }
        let found = lines(&post(server.address, SEARCH, &body));
        let plies: Vec<u64> = found.iter().filter_map(|line| line["ply"].as_u64()).collect();
        let expected: Vec<u64> = expected.rev().collect();
        assert_eq!(plies, expected, "{ply:?}");
        assert!(found.iter().all(|line| line["event"] == "position"));
    }
    let starts = server.factory.review_starts.lock().expect("the starts");
    assert_eq!(*starts, [true; 8]);
}

#[test]
fn the_body_may_be_a_pgn() {
    let server = Server::start();
    let path = format!("{SEARCH}?nodes=10&ply=1");
    let found = post_as(server.address, &path, "application/x-chess-pgn", b"1. e4 e5 2. Nf3 *");
    assert_eq!(lines(&found).len(), 4);
}

#[test]
fn a_part_of_a_game_is_judged_as_far_as_it_is_searched() {
    let server = Server::start();
    let found = lines(&post(server.address, SEARCH, &with(&game(30), &json!({"nodes": 10}))));
    let part = |count: usize| {
        let body = with(&game(30), &json!({"searched": found[..count]}));
        post(server.address, JUDGE, &body).json()
    };
    let review = part(12);
    assert_eq!(review["status"], "running");
    assert_eq!(review["progress"], json!({"done": 12, "total": 31}));
    assert!(review.get("summary").is_none());
    let positions = review["positions"].as_array().expect("positions");
    assert_eq!((&positions[0]["ply"], &positions[11]["ply"]), (&json!(19), &json!(30)));
    assert!(positions[0].get("judgement").is_none() && positions[1]["judgement"].is_string());
    assert_eq!(part(1)["progress"]["done"], 1);
    assert_eq!(part(12), review, "the same request has the same answer");
}

#[test]
fn results_that_are_missing_or_of_another_game_are_refused() {
    let server = Server::start();
    let game = json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]});
    let found = lines(&post(server.address, SEARCH, &with(&game, &json!({"nodes": 10}))));
    let changed = |index: usize, field: &str, value: Value| {
        let mut found = found.clone();
        found[index][field] = value;
        found
    };
    let without = |field: &str| {
        let mut found = found.clone();
        found[1].as_object_mut().expect("an object").remove(field);
        found
    };
    let cases = [
        (found[1..].to_vec(), 422, "searched[0].ply"),
        ([&found[..2], &found[3..]].concat(), 422, "searched[2].ply"),
        ([&found[..2], &found[1..4]].concat(), 422, "searched[2].ply"),
        ([&found[..], &found[..1]].concat(), 422, "searched"),
        (changed(1, "ply", json!(u64::MAX)), 422, "searched[1].ply"),
        (changed(1, "fen", found[2]["fen"].clone()), 422, "searched[1].fen"),
        (changed(1, "engine", json!("Another 1")), 422, "searched[1].engine"),
        (changed(1, "score", json!({"cp": 30_001})), 422, "searched[1].score"),
        (changed(1, "score", json!({"cp": i32::MIN})), 422, "searched[1].score"),
        (changed(1, "score", json!({"mate": 0})), 422, "searched[1].score"),
        (changed(1, "score", json!({"mate": 121})), 422, "searched[1].score"),
        (changed(0, "score", json!({"mate": 1})), 422, "searched[0].score"),
        (changed(1, "depth", json!(241)), 422, "searched[1].depth"),
        (changed(1, "pv", json!([])), 422, "searched[1].pv"),
        (changed(1, "pv", json!(["d8h4", "e2e4"])), 422, "searched[1].pv[1]"),
        (changed(1, "pv", json!(["Qh4"])), 422, "searched[1].pv[0]"),
        (changed(0, "pv", json!(["e2e4"])), 422, "searched[0].pv[0]"),
        (changed(1, "score", json!(30)), 400, "searched[1].score"),
        (changed(1, "nodes", json!(-1)), 400, "searched[1].nodes"),
        (without("pv"), 400, "searched[1]"),
        (Vec::new(), 400, "searched"),
    ];
    for (searched, status, field) in cases {
        let body = with(&game, &json!({"searched": searched}));
        let response = post(server.address, JUDGE, &body);
        let problem = response.problem();
        assert_eq!((response.status, &problem["field"]), (status, &json!(field)), "{problem}");
        let detail = problem["detail"].as_str().expect("a message");
        for word in ["u64", "usize", "i32", "missing field", "struct", "expected"] {
            assert!(!detail.contains(word), "{detail}");
        }
    }
    assert_eq!(post(server.address, JUDGE, &game).problem()["field"], "searched");
    assert_eq!(post(server.address, JUDGE, &with(&game, &json!({"searched": found}))).status, 200);
}

#[test]
fn searches_of_groups_are_checked() {
    let server = Server::start();
    for (more, status, field) in [
        (json!({"ply": 31}), 422, "ply"),
        (json!({"ply": -1}), 400, "ply"),
        (json!({"ply": "last"}), 400, "ply"),
        (json!({"nodes": 0}), 400, "nodes"),
        (json!({"movetime": 10_001}), 400, "movetime"),
        (json!({"multipv": 2}), 400, "multipv"),
        (json!({"moves": []}), 422, "moves"),
        (json!({"moves": ["e5"]}), 422, "moves[0]"),
    ] {
        let response = post(server.address, SEARCH, &with(&game(30), &more));
        assert_eq!((response.status, &response.problem()["field"]), (status, &json!(field)));
    }
    let failing = with(&game(30), &json!({"nodes": FAILING_NODES}));
    let last = lines(&post(server.address, SEARCH, &failing)).pop().expect("a line");
    assert_eq!((&last["event"], &last["status"]), (&json!("problem"), &json!(500)));
}

#[test]
fn closing_the_connection_stops_the_search_of_a_group() {
    let server = Server::with(|config| config.reviews = 2);
    let body = with(&game(4), &json!({"movetime": 10_000})).to_string();
    let length = body.len().to_string();
    let open = || {
        let mut connection = Connection::open(server.address);
        connection.head("POST", SEARCH, &[("Content-Length", &length)]);
        connection.send(body.as_bytes());
        assert_eq!(connection.response_head().map(|(status, _)| status), Some(200));
        connection
    };
    let connections = [open(), open()];
    let running = || metric(server.address, "saavedra_searches_running");
    wait_until("the search runs", || running() == 1.0);
    let refused = post(server.address, SEARCH, &with(&game(4), &json!({"nodes": 10})));
    assert_eq!(refused.status, 429, "two groups are unfinished");
    assert!(refused.header("retry-after").is_some());
    drop(connections);
    wait_until("the search has stopped", || running() == 0.0);
    assert_eq!(get(server.address, "/api/v1/reviews").json()["running"], 0, "nothing is stored");
    let free =
        || post(server.address, SEARCH, &with(&game(4), &json!({"nodes": 10}))).status == 200;
    wait_until("there is room again", free);
}

/// Three replicas, of which one is killed while it searches: another one searches the group again.
#[test]
fn a_replica_that_is_killed_loses_no_review() {
    let mut replicas: Vec<Program> = (0..3).map(|_| Program::start()).collect();
    let game = json!({"pgn": LONGER_GAME});
    let nodes = 50_000;
    let expected = drive(&[replicas[2].address], &game, nodes);
    let killed = replicas.remove(0);
    let body = with(&game, &json!({"nodes": nodes})).to_string();
    let length = body.len().to_string();
    let mut connection = Connection::open(killed.address);
    connection.head("POST", SEARCH, &[("Content-Length", &length)]);
    connection.send(body.as_bytes());
    assert_eq!(connection.response_head().map(|(status, _)| status), Some(200));
    assert!(connection.chunk().is_some(), "a position is searched");
    killed.kill();
    let mut received = 1;
    while connection.chunk().is_some() {
        received += 1;
    }
    assert!(received < 12, "the group is cut off");
    let others: Vec<SocketAddr> = replicas.iter().map(|replica| replica.address).collect();
    let review = drive(&others, &game, nodes);
    let results = |review: &Value| {
        let mut review = review.clone();
        for position in review["positions"].as_array_mut().expect("positions") {
            position["time"] = Value::Null;
        }
        review
    };
    assert_eq!(results(&review), results(&expected));
}
