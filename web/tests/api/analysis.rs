//! `GET /api/v1/analysis`: the events, and closing the stream.

use crate::support::http::{Connection, get, metric, post};
use crate::support::{Server, eventually};
use serde_json::{Value, json};

/// The events of a whole stream.
fn events(text: &str) -> Vec<(String, Value)> {
    let blocks = text
        .split("\n\n")
        .filter(|block| block.starts_with("event:"));
    blocks
        .map(|block| {
            let (event, data) = block.split_once('\n').expect("two lines");
            let data = data.strip_prefix("data:").expect("data").trim();
            let name = event.trim_start_matches("event:").trim().to_owned();
            (name, serde_json::from_str(data).expect("JSON"))
        })
        .collect()
}

#[test]
fn an_analysis_tells_lines_and_ends_with_a_best_move() {
    let server = Server::start();
    let path = "/api/v1/analysis?fen=startpos&moves=e2e4,c7c5&movetime=100&multipv=2";
    let answer = get(server.address, path);
    assert_eq!(
        (answer.status, answer.header("content-type")),
        (200, Some("text/event-stream"))
    );
    let events = events(&answer.body);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[..2], ["queued", "started"]);
    assert_eq!(names.last(), Some(&"bestmove"));
    let infos = events.iter().filter(|(name, _)| name == "info");
    for (_, info) in infos.clone() {
        for field in ["multipv", "depth", "score", "wdl", "nodes", "pv", "pv_san"] {
            assert!(info.get(field).is_some(), "no {field} in {info}");
        }
    }
    let ranks: Vec<_> = infos
        .map(|(_, info)| info["multipv"].clone())
        .take(2)
        .collect();
    assert_eq!(ranks, [1, 2]);
}

#[test]
fn closing_the_stream_stops_the_search() {
    let server = Server::start();
    let mut connection = Connection::open(server.address);
    connection.head("GET", "/api/v1/analysis?fen=startpos", &[]);
    let (status, _) = connection.answer_head().expect("a head");
    assert_eq!(status, 200);
    let running = || metric(server.address, "saavedra_searches_running");
    eventually("it runs", || running() == 1.0);
    drop(connection);
    eventually("it is stopped", || running() == 0.0);
}

#[test]
fn analyses_leave_an_engine_to_best_moves() {
    let server = Server::start();
    let open = || {
        let mut connection = Connection::open(server.address);
        connection.head("GET", "/api/v1/analysis?fen=startpos", &[]);
        assert!(connection.answer_head().is_some());
        connection
    };
    let analyses: Vec<Connection> = (0..5).map(|_| open()).collect();
    eventually("one runs and four wait", || {
        metric(server.address, "saavedra_searches_running") == 1.0
            && metric(server.address, "saavedra_queue_length") == 4.0
    });
    let body = json!({"fen": "startpos", "movetime": 20});
    assert_eq!(post(server.address, "/api/v1/bestmove", &body).status, 200);
    drop(analyses);
    eventually("all are gone", || {
        metric(server.address, "saavedra_queue_length") == 0.0
    });
}

#[test]
fn a_finished_game_ends_the_stream_at_once() {
    let server = Server::start();
    let answer = get(
        server.address,
        "/api/v1/analysis?fen=7k/5Q2/6K1/8/8/8/8/8+b+-+-+0+1",
    );
    let events = events(&answer.body);
    assert_eq!(events.len(), 1);
    assert_eq!(
        (events[0].0.as_str(), &events[0].1["status"]),
        ("bestmove", &json!("stalemate"))
    );
}

#[test]
fn a_bad_query_is_a_problem_not_a_stream() {
    let server = Server::start();
    for (query, status, field) in [
        ("", 400, "fen"),
        ("fen=startpos&depth=0", 400, "depth"),
        ("fen=startpos&boards=x", 400, "boards"),
        ("fen=8/8/8/8/8/8/8/8", 422, "fen"),
        ("fen=startpos&moves=e2e5", 422, "moves[0]"),
        ("fen=%ff%fe", 422, "fen"),
    ] {
        let answer = get(server.address, &format!("/api/v1/analysis?{query}"));
        assert_eq!(answer.status, status, "{query}");
        assert_eq!(answer.problem()["field"], field, "{query}");
    }
}

#[test]
fn an_analysis_ends_when_the_server_stops() {
    let mut server = Server::start();
    let mut connection = Connection::open(server.address);
    connection.head("GET", "/api/v1/analysis?fen=startpos", &[]);
    assert!(connection.answer_head().is_some());
    eventually("it runs", || {
        metric(server.address, "saavedra_searches_running") == 1.0
    });
    server.stop();
    let mut text = Vec::new();
    while let Some(chunk) = connection.chunk() {
        text.extend(chunk);
    }
    let text = String::from_utf8(text).expect("UTF-8");
    assert_eq!(
        events(&text).last().map(|(name, _)| name.as_str()),
        Some("bestmove")
    );
}
