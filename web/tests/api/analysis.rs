//! Tests of `/api/v1/analysis`: the events, and closing the stream.

use crate::support::http::{Connection, get, metric, post, post_as, request};
use crate::support::{Server, wait_until};
use serde_json::{Value, json};

/// The events of a stream.
fn events(text: &str) -> Vec<(String, Value)> {
    let blocks = text.split("\n\n").filter(|block| block.starts_with("event:"));
    blocks
        .map(|block| {
            let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name));
            let data = field("data:").expect("data").trim();
            let name = field("event:").expect("a name").trim().to_owned();
            (name, serde_json::from_str(data).expect("JSON"))
        })
        .collect()
}

/// The objects of a response, one a line.
fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

const ANALYSIS: &str = "/api/v1/analysis";

#[test]
fn an_analysis_reports_pv_lines_and_ends_with_a_best_move() {
    let server = Server::start();
    let path = "/api/v1/analysis?fen=startpos&moves=e2e4,c7c5&movetime=100&multipv=2";
    let response = get(server.address, path);
    assert_eq!(
        (response.status, response.header("content-type")),
        (200, Some("text/event-stream"))
    );
    let events = events(&response.body);
    let names: Vec<&str> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names[..2], ["queued", "started"]);
    assert_eq!(names.last(), Some(&"bestmove"));
    let infos = events.iter().filter(|(name, _)| name == "info");
    for (_, info) in infos.clone() {
        for field in ["multipv", "depth", "score", "wdl", "nodes", "pv", "pv_san"] {
            assert!(info.get(field).is_some(), "no {field} in {info}");
        }
    }
    let ranks: Vec<_> = infos.map(|(_, info)| info["multipv"].clone()).take(2).collect();
    assert_eq!(ranks, [1, 2]);
}

#[test]
fn a_post_is_answered_by_the_events_as_lines_of_json() {
    let server = Server::start();
    let body = json!({"moves": ["e2e4", "c7c5"], "movetime": 100, "multipv": 2});
    let response = post(server.address, ANALYSIS, &body);
    assert_eq!(
        (response.status, response.header("content-type")),
        (200, Some("application/x-ndjson"))
    );
    let objects = objects(&response.body);
    let path = format!("{ANALYSIS}?fen=startpos&moves=e2e4,c7c5&movetime=100&multipv=2");
    let events = events(&get(server.address, &path).body);
    for (object, (name, data)) in
        [(&objects[0], &events[0]), (&objects[2], &events[2]), (&objects[3], &events[3])]
    {
        let (mut object, mut data) = (object.clone(), data.clone());
        assert_eq!(&object["event"], name);
        // The times differ.
        for field in ["time", "nps"] {
            object[field] = Value::Null;
            data[field] = Value::Null;
        }
        assert_eq!(object, data);
    }
    let last = objects.last().expect("an object");
    assert_eq!((&last["event"], &last["bestmove"]), (&json!("bestmove"), &events[2].1["pv"][0]));
    assert!(last.get("stopped").is_none(), "its own limit ended it: {last}");
    let game = post_as(
        server.address,
        &format!("{ANALYSIS}?movetime=20"),
        "application/x-chess-pgn",
        b"1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0",
    );
    assert_eq!(self::objects(&game.body)[0]["status"], "checkmate");
    for (body, status) in [
        (json!({}), 400),
        (json!({"fen": "startpos", "moves": ["e5"]}), 422),
        (json!({"fen": "startpos", "movetime": 3_600_001}), 400),
    ] {
        let refused = post(server.address, ANALYSIS, &body);
        assert_eq!(refused.status, status, "{body}");
        refused.problem();
    }
}

#[test]
fn an_analysis_that_the_service_ends_says_why() {
    let mut server = Server::with(|config| {
        config.workers = Some(1);
        config.max_analysis = 1;
    });
    for (body, stopped) in [
        (json!({"fen": "startpos"}), json!("time")),
        (json!({"fen": "startpos", "movetime": 100}), Value::Null),
        (json!({"fen": "startpos", "nodes": 100}), Value::Null),
    ] {
        let response = post(server.address, ANALYSIS, &body);
        assert_eq!(objects(&response.body).pop().expect("an end")["stopped"], stopped, "{body}");
    }
    server.stop();
    let mut server = Server::with(|config| (config.workers, config.queue) = (Some(1), 1));
    let open = |expected| {
        let mut connection = Connection::open(server.address);
        connection.head("POST", &format!("{ANALYSIS}?fen=startpos"), &[("Content-Length", "0")]);
        let value = |name| metric(server.address, name);
        wait_until("it runs or waits", || {
            (value("saavedra_searches_running"), value("saavedra_queue_length")) == expected
        });
        connection
    };
    let end = |mut connection: Connection| {
        let response = connection.response().expect("the stream ends");
        objects(&response.body).pop().expect("an end")["stopped"].clone()
    };
    let analysis = open((1.0, 0.0));
    let next = open((1.0, 1.0));
    let body = json!({"fen": "startpos", "movetime": 200});
    assert_eq!(post(server.address, "/api/v1/bestmove", &body).status, 200);
    assert_eq!(end(analysis), "queue", "the other one has the only place in the queue");
    drop(next);
    let analysis = open((1.0, 0.0));
    server.stop();
    assert_eq!(end(analysis), "shutdown");
}

/// An `EventSource` connects again by itself when a stream ends, until it gets 204.
#[test]
fn an_event_source_that_has_the_last_event_does_not_search_again() {
    let server = Server::start();
    let path = format!("{ANALYSIS}?fen=startpos&movetime=20");
    let first = get(server.address, &path);
    let ids: Vec<&str> = first.body.lines().filter(|line| line.starts_with("id:")).collect();
    assert_eq!(ids.len(), 1, "{}", first.body);
    assert!(first.body.trim_end().ends_with(ids[0]), "the last event has it: {}", first.body);
    let id = ids[0].trim_start_matches("id:").trim();
    for (id, status) in [(id, 204), ("another", 200)] {
        let again = request(server.address, "GET", &path, &[("Last-Event-ID", id)], b"");
        assert_eq!(again.status, status, "{id}");
    }
}

#[test]
fn closing_the_stream_stops_the_search() {
    let server = Server::start();
    let mut connection = Connection::open(server.address);
    connection.head("GET", "/api/v1/analysis?fen=startpos", &[]);
    let (status, _) = connection.response_head().expect("a head");
    assert_eq!(status, 200);
    let running = || metric(server.address, "saavedra_searches_running");
    wait_until("the search runs", || running() == 1.0);
    drop(connection);
    wait_until("the search has stopped", || running() == 0.0);
}

#[test]
fn analyses_leave_an_engine_for_best_moves() {
    let server = Server::start();
    let open = || {
        let mut connection = Connection::open(server.address);
        connection.head("GET", "/api/v1/analysis?fen=startpos", &[]);
        assert!(connection.response_head().is_some());
        connection
    };
    let analyses: Vec<Connection> = (0..5).map(|_| open()).collect();
    wait_until("one runs and four are queued", || {
        metric(server.address, "saavedra_searches_running") == 1.0
            && metric(server.address, "saavedra_queue_length") == 4.0
    });
    let body = json!({"fen": "startpos", "movetime": 20});
    assert_eq!(post(server.address, "/api/v1/bestmove", &body).status, 200);
    drop(analyses);
    wait_until("the queue is empty", || metric(server.address, "saavedra_queue_length") == 0.0);
}

#[test]
fn the_stream_of_a_finished_game_has_one_event() {
    let server = Server::start();
    let response = get(server.address, "/api/v1/analysis?fen=7k/5Q2/6K1/8/8/8/8/8+b+-+-+0+1");
    let events = events(&response.body);
    assert_eq!(events.len(), 1);
    assert_eq!((events[0].0.as_str(), &events[0].1["status"]), ("bestmove", &json!("stalemate")));
}

#[test]
fn an_invalid_query_is_an_error_response() {
    let server = Server::start();
    for (query, status, field) in [
        ("", 400, "fen"),
        ("fen=startpos&depth=0", 400, "depth"),
        ("fen=startpos&boards=x", 400, "boards"),
        ("fen=8/8/8/8/8/8/8/8", 422, "fen"),
        ("fen=startpos&moves=e2e5", 422, "moves[0]"),
        ("fen=%ff%fe", 422, "fen"),
    ] {
        let response = get(server.address, &format!("/api/v1/analysis?{query}"));
        assert_eq!(response.status, status, "{query}");
        assert_eq!(response.problem()["field"], field, "{query}");
    }
}

#[test]
fn an_analysis_ends_when_the_server_stops() {
    let mut server = Server::start();
    let mut connection = Connection::open(server.address);
    connection.head("GET", "/api/v1/analysis?fen=startpos", &[]);
    assert!(connection.response_head().is_some());
    wait_until("the search runs", || metric(server.address, "saavedra_searches_running") == 1.0);
    server.stop();
    let mut text = Vec::new();
    while let Some(chunk) = connection.chunk() {
        text.extend(chunk);
    }
    let text = String::from_utf8(text).expect("UTF-8");
    assert_eq!(events(&text).last().map(|(name, _)| name.as_str()), Some("bestmove"));
}
