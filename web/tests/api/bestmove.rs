//! Tests of `POST /api/v1/bestmove`: limits, the queue, clients that disconnect.

use crate::support::http::{Connection, get, metric, post, post_as};
use crate::support::stub::FAILING_NODES;
use crate::support::{Server, wait_until};
use serde_json::json;
use std::sync::atomic::Ordering;

const BESTMOVE: &str = "/api/v1/bestmove";

#[test]
fn the_response_has_all_documented_fields() {
    let server = Server::start();
    let body = json!({"fen": "startpos", "movetime": 30, "multipv": 3});
    let response = post(server.address, BESTMOVE, &body);
    let best = response.json();
    for field in [
        "bestmove", "san", "ponder", "score", "wdl", "depth", "nodes", "pv", "fen", "time",
        "queued",
    ] {
        assert!(best.get(field).is_some(), "no {field} in {best}");
    }
    assert_eq!(best["bestmove"], best["pv"][0]);
    assert_eq!(best["lines"].as_array().map(Vec::len), Some(3));
    let timing = response.header("server-timing").expect("a timing header");
    assert!(timing.starts_with("queue;dur=") && timing.contains("search;dur="), "{timing}");
}

#[test]
fn a_finished_game_has_no_best_move() {
    let server = Server::start();
    let mated = json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]});
    let best = post(server.address, BESTMOVE, &mated).json();
    assert_eq!((&best["bestmove"], &best["score"]), (&json!(null), &json!({"mate": 0})));
    assert_eq!((&best["status"], &best["wdl"]), (&json!("checkmate"), &json!([0, 0, 1000])));
    let stalemate = json!({"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"});
    let best = post(server.address, BESTMOVE, &stalemate).json();
    assert_eq!((&best["bestmove"], &best["score"]), (&json!(null), &json!({"cp": 0})));
    assert_eq!(best["wdl"], json!([0, 1000, 0]));
}

#[test]
fn a_failed_search_is_an_internal_error() {
    let server = Server::start();
    let failing = json!({"fen": "startpos", "nodes": FAILING_NODES});
    assert_eq!(post(server.address, BESTMOVE, &failing).status, 500);
    let valid = json!({"fen": "startpos", "nodes": 1});
    assert_eq!(post(server.address, BESTMOVE, &valid).status, 200);
}

#[test]
fn limits_out_of_range_are_refused_with_the_field() {
    let server = Server::with(|config| config.max_movetime = 2000);
    let cases = [
        ("movetime", json!(0)),
        ("movetime", json!(2001)),
        ("movetime", json!(-5)),
        ("movetime", json!(1.5)),
        ("movetime", json!("100")),
        ("movetime", json!(1e30)),
        ("nodes", json!(0)),
        ("depth", json!(0)),
        ("depth", json!(100_000)),
        ("multipv", json!(0)),
        ("multipv", json!(65)),
        ("elo", json!(1)),
        ("elo", json!(5000)),
    ];
    for (field, value) in cases {
        let response = post(server.address, BESTMOVE, &json!({"fen": "startpos", field: value}));
        let problem = response.problem();
        assert_eq!(
            (response.status, &problem["field"]),
            (400, &json!(field)),
            "{value}: {problem}"
        );
    }
}

#[test]
fn limits_may_be_in_the_query() {
    let server = Server::start();
    let path = format!("{BESTMOVE}?depth=3&multipv=2");
    let best = post_as(server.address, &path, "text/plain", b"startpos").json();
    assert_eq!(best["lines"].as_array().map(Vec::len), Some(2));
    // A float without a fraction is an integer, as in a body.
    let path = format!("{BESTMOVE}?movetime=1e1&multipv=2.0");
    let best = post_as(server.address, &path, "text/plain", b"startpos").json();
    assert_eq!(best["lines"].as_array().map(Vec::len), Some(2));
    for (query, field) in [
        ("movetime=1.5", "movetime"),
        ("depth=x", "depth"),
        ("depth=1&depth=2", "depth"),
        ("colour=1", "colour"),
    ] {
        let path = format!("{BESTMOVE}?{query}");
        let response = post_as(server.address, &path, "text/plain", b"startpos");
        assert_eq!(response.status, 400);
        assert_eq!(response.problem()["field"], field);
    }
}

#[test]
fn the_query_overrides_a_valid_body() {
    let server = Server::start();
    let path = format!("{BESTMOVE}?multipv=2");
    let body = json!({"fen": "startpos", "depth": 1, "multipv": 5});
    let best = post(server.address, &path, &body).json();
    assert_eq!(best["lines"].as_array().map(Vec::len), Some(2));
    for invalid in [json!("many"), json!(0), json!(65), json!(null)] {
        let body = json!({"fen": "startpos", "multipv": invalid});
        let response = post(server.address, &path, &body);
        assert_eq!(
            (response.status, &response.problem()["field"]),
            (400, &json!("multipv")),
            "{body}"
        );
    }
}

#[test]
fn depth_and_nodes_alone_end_a_search() {
    let server = Server::start();
    for limit in ["depth", "nodes"] {
        let best = post(server.address, BESTMOVE, &json!({"fen": "startpos", limit: 5})).json();
        assert!(best["bestmove"].is_string(), "{best}");
    }
}

/// Sends a search of this many milliseconds without waiting for the response.
fn send_search(server: &Server, movetime: u32) -> Connection {
    let body = json!({"fen": "startpos", "movetime": movetime}).to_string();
    let mut connection = Connection::open(server.address);
    let length = body.len().to_string();
    let headers = [("Content-Type", "application/json"), ("Content-Length", length.as_str())];
    connection.head("POST", BESTMOVE, &headers);
    connection.send(body.as_bytes());
    connection
}

#[test]
fn a_full_queue_is_answered_429_with_retry_after() {
    let server = Server::with(|config| {
        config.workers = Some(1);
        config.queue = 1;
    });
    let send = |movetime| send_search(&server, movetime);
    let mut running = send(1500);
    wait_until("the first runs", || metric(server.address, "saavedra_searches_running") == 1.0);
    let mut queued = send(10);
    wait_until("the second is queued", || metric(server.address, "saavedra_queue_length") == 1.0);
    let refused = send(10).response().expect("a response");
    assert_eq!(refused.status, 429);
    let seconds: u64 = refused.header("retry-after").and_then(|s| s.parse().ok()).expect("seconds");
    assert!((1..=60).contains(&seconds));
    assert_eq!(refused.problem()["retry_after"], seconds);
    for connection in [&mut running, &mut queued] {
        assert_eq!(connection.response().expect("a response").status, 200);
    }
}

#[test]
fn a_long_expected_wait_is_answered_429_at_once() {
    let server = Server::with(|config| {
        config.workers = Some(1);
        config.max_wait = 2;
    });
    let _running = send_search(&server, 20_000);
    wait_until("the search runs", || metric(server.address, "saavedra_searches_running") == 1.0);
    let response = post(server.address, BESTMOVE, &json!({"fen": "startpos", "movetime": 10}));
    assert_eq!(response.status, 429);
}

#[test]
fn a_disconnect_stops_the_search_and_leaves_the_queue() {
    let server = Server::with(|config| config.workers = Some(1));
    let start = || send_search(&server, 30_000);
    let load = || {
        let value = |name| metric(server.address, name);
        (value("saavedra_searches_running"), value("saavedra_queue_length"))
    };
    let running = start();
    wait_until("one runs", || load() == (1.0, 0.0));
    let queued = [start(), start()];
    wait_until("two are queued", || load() == (1.0, 2.0));
    drop(queued);
    wait_until("the queue is empty", || load() == (1.0, 0.0));
    drop(running);
    wait_until("no search runs", || load() == (0.0, 0.0));
    assert_eq!(metric(server.address, "saavedra_searches_cancelled_total"), 1.0);
}

#[test]
fn a_disconnect_after_the_bytes_of_a_further_request_stops_the_search() {
    let server = Server::with(|config| config.max_movetime = 3_600_000);
    let running = || metric(server.address, "saavedra_searches_running");
    let further = "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    for bytes in ["\r\n", "GET /he", further] {
        let mut connection = send_search(&server, 3_600_000);
        connection.send(bytes.as_bytes());
        wait_until("the search runs", || running() == 1.0);
        drop(connection);
        wait_until("the search has stopped", || running() == 0.0);
    }
}

#[test]
fn the_service_stops_while_a_failed_engine_cannot_be_replaced() {
    let mut server = Server::start();
    let valid = json!({"fen": "startpos", "nodes": 1});
    assert_eq!(post(server.address, BESTMOVE, &valid).status, 200);
    server.factory.fails.store(true, Ordering::Relaxed);
    let failing = json!({"fen": "startpos", "nodes": FAILING_NODES});
    assert_eq!(post(server.address, BESTMOVE, &failing).status, 500);
    server.stop();
}

#[test]
fn health_and_metrics_describe_the_service() {
    let server = Server::start();
    let health = get(server.address, "/health").json();
    assert_eq!((&health["status"], &health["workers"]), (&json!("ok"), &json!(2)));
    assert_eq!(health["engine"]["elo"], json!({"min": 1000, "max": 2000}));
    post(server.address, BESTMOVE, &json!({"fen": "startpos", "depth": 1}));
    get(server.address, "/nowhere");
    let text = get(server.address, "/metrics").body;
    for line in [
        "saavedra_requests_total{method=\"POST\",route=\"/api/v1/bestmove\",status=\"200\"} 1",
        "saavedra_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 1",
        "saavedra_search_seconds_count 1",
        "saavedra_nodes_total 100",
    ] {
        assert!(text.lines().any(|known| known == line), "no {line} in:\n{text}");
    }
}
