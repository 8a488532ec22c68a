//! `POST /api/v1/bestmove`: limits, the queue, clients that go away.

use crate::support::http::{Connection, get, metric, post, post_as};
use crate::support::stub::FAILING;
use crate::support::{Server, eventually};
use serde_json::json;

const BESTMOVE: &str = "/api/v1/bestmove";

#[test]
fn a_best_move_comes_with_all_that_is_known_of_it() {
    let server = Server::start();
    let body = json!({"fen": "startpos", "movetime": 30, "multipv": 3});
    let answer = post(server.address, BESTMOVE, &body);
    let best = answer.json();
    for field in [
        "bestmove", "san", "ponder", "score", "wdl", "depth", "nodes", "pv", "fen", "time",
        "queued",
    ] {
        assert!(best.get(field).is_some(), "no {field} in {best}");
    }
    assert_eq!(best["bestmove"], best["pv"][0]);
    assert_eq!(best["lines"].as_array().map(Vec::len), Some(3));
    let timing = answer.header("server-timing").expect("times in the header");
    assert!(
        timing.starts_with("queue;dur=") && timing.contains("search;dur="),
        "{timing}"
    );
}

#[test]
fn a_finished_game_has_no_best_move() {
    let server = Server::start();
    let mated = json!({"moves": ["f2f3", "e7e5", "g2g4", "d8h4"]});
    let best = post(server.address, BESTMOVE, &mated).json();
    assert_eq!(
        (&best["bestmove"], &best["score"]),
        (&json!(null), &json!({"mate": 0}))
    );
    assert_eq!(
        (&best["status"], &best["wdl"]),
        (&json!("checkmate"), &json!([0, 0, 1000]))
    );
    let stalemate = json!({"fen": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"});
    let best = post(server.address, BESTMOVE, &stalemate).json();
    assert_eq!(
        (&best["bestmove"], &best["score"]),
        (&json!(null), &json!({"cp": 0}))
    );
}

#[test]
fn a_search_that_fails_is_no_finished_game() {
    let server = Server::start();
    let failing = json!({"fen": "startpos", "nodes": FAILING});
    assert_eq!(post(server.address, BESTMOVE, &failing).status, 500);
    let sound = json!({"fen": "startpos", "nodes": 1});
    assert_eq!(post(server.address, BESTMOVE, &sound).status, 200);
}

#[test]
fn limits_out_of_range_are_refused_by_name() {
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
        let answer = post(
            server.address,
            BESTMOVE,
            &json!({"fen": "startpos", field: value}),
        );
        let problem = answer.problem();
        assert_eq!(
            (answer.status, &problem["field"]),
            (400, &json!(field)),
            "{value}: {problem}"
        );
    }
}

#[test]
fn limits_may_stand_in_the_query() {
    let server = Server::start();
    let path = format!("{BESTMOVE}?depth=3&multipv=2");
    let best = post_as(server.address, &path, "text/plain", b"startpos").json();
    assert_eq!(best["lines"].as_array().map(Vec::len), Some(2));
    for (query, field) in [
        ("depth=x", "depth"),
        ("depth=1&depth=2", "depth"),
        ("colour=1", "colour"),
    ] {
        let path = format!("{BESTMOVE}?{query}");
        let answer = post_as(server.address, &path, "text/plain", b"startpos");
        assert_eq!(answer.status, 400);
        assert_eq!(answer.problem()["field"], field);
    }
}

#[test]
fn the_query_decides_over_a_sound_body() {
    let server = Server::start();
    let path = format!("{BESTMOVE}?multipv=2");
    let body = json!({"fen": "startpos", "depth": 1, "multipv": 5});
    let best = post(server.address, &path, &body).json();
    assert_eq!(best["lines"].as_array().map(Vec::len), Some(2));
    let answer = post(
        server.address,
        &path,
        &json!({"fen": "startpos", "multipv": "many"}),
    );
    assert_eq!(
        (answer.status, &answer.problem()["field"]),
        (400, &json!("multipv"))
    );
}

#[test]
fn depth_and_nodes_alone_end_a_search() {
    let server = Server::start();
    for limit in ["depth", "nodes"] {
        let best = post(
            server.address,
            BESTMOVE,
            &json!({"fen": "startpos", limit: 5}),
        )
        .json();
        assert!(best["bestmove"].is_string(), "{best}");
    }
}

#[test]
fn a_full_queue_says_when_to_come_back() {
    let server = Server::with(|config| {
        config.workers = Some(1);
        config.queue = 1;
    });
    let ask = |ms: u32| {
        let body = json!({"fen": "startpos", "movetime": ms}).to_string();
        let mut connection = Connection::open(server.address);
        let length = body.len().to_string();
        let headers = [
            ("Content-Type", "application/json"),
            ("Content-Length", length.as_str()),
        ];
        connection.head("POST", BESTMOVE, &headers);
        connection.send(body.as_bytes());
        connection
    };
    let mut running = ask(1500);
    eventually("the first runs", || {
        metric(server.address, "saavedra_searches_running") == 1.0
    });
    let mut waiting = ask(10);
    eventually("the second waits", || {
        metric(server.address, "saavedra_queue_length") == 1.0
    });
    let refused = ask(10).answer().expect("an answer");
    assert_eq!(refused.status, 429);
    let seconds: u64 = refused
        .header("retry-after")
        .and_then(|s| s.parse().ok())
        .expect("seconds");
    assert!((1..=60).contains(&seconds));
    assert_eq!(refused.problem()["retry_after"], seconds);
    for connection in [&mut running, &mut waiting] {
        assert_eq!(connection.answer().expect("an answer").status, 200);
    }
}

#[test]
fn who_would_wait_too_long_is_told_so_at_once() {
    let server = Server::with(|config| {
        config.workers = Some(1);
        config.max_wait = 2;
    });
    let long = json!({"fen": "startpos", "movetime": 20_000}).to_string();
    let mut running = Connection::open(server.address);
    let length = long.len().to_string();
    let headers = [
        ("Content-Type", "application/json"),
        ("Content-Length", length.as_str()),
    ];
    running.head("POST", BESTMOVE, &headers);
    running.send(long.as_bytes());
    eventually("it runs", || {
        metric(server.address, "saavedra_searches_running") == 1.0
    });
    let answer = post(
        server.address,
        BESTMOVE,
        &json!({"fen": "startpos", "movetime": 10}),
    );
    assert_eq!(answer.status, 429);
}

#[test]
fn a_client_that_goes_away_stops_its_search_and_leaves_the_queue() {
    let server = Server::with(|config| config.workers = Some(1));
    let connections: Vec<Connection> = (0..3)
        .map(|_| {
            let body = json!({"fen": "startpos", "movetime": 30_000}).to_string();
            let mut connection = Connection::open(server.address);
            let length = body.len().to_string();
            let headers = [
                ("Content-Type", "application/json"),
                ("Content-Length", length.as_str()),
            ];
            connection.head("POST", BESTMOVE, &headers);
            connection.send(body.as_bytes());
            connection
        })
        .collect();
    let load = || {
        let of = |name| metric(server.address, name);
        (of("saavedra_searches_running"), of("saavedra_queue_length"))
    };
    eventually("one runs and two wait", || load() == (1.0, 2.0));
    drop(connections);
    eventually("nothing runs or waits", || load() == (0.0, 0.0));
    assert_eq!(
        metric(server.address, "saavedra_searches_cancelled_total"),
        1.0
    );
}

#[test]
fn health_and_metrics_tell_of_the_service() {
    let server = Server::start();
    let health = get(server.address, "/health").json();
    assert_eq!(
        (&health["status"], &health["workers"]),
        (&json!("ok"), &json!(2))
    );
    assert_eq!(health["engine"]["elo"], json!({"min": 1000, "max": 2000}));
    post(
        server.address,
        BESTMOVE,
        &json!({"fen": "startpos", "depth": 1}),
    );
    get(server.address, "/nowhere");
    let text = get(server.address, "/metrics").body;
    for line in [
        "saavedra_requests_total{method=\"POST\",route=\"/api/v1/bestmove\",status=\"200\"} 1",
        "saavedra_requests_total{method=\"GET\",route=\"none\",status=\"404\"} 1",
        "saavedra_search_seconds_count 1",
        "saavedra_nodes_total 100",
    ] {
        assert!(
            text.lines().any(|known| known == line),
            "no {line} in:\n{text}"
        );
    }
}
