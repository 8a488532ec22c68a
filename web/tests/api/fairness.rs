//! Tests that no client can keep the service from the others.

use crate::support::http::{Connection, get, metric, request};
use crate::support::{Server, wait_until};
use saavedra_web::Config;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

const BESTMOVE: &str = "/api/v1/bestmove";
const REVIEWS: &str = "/api/v1/reviews";
const CLIENT: &str = "X-Client";
const HOSTILE: &str = "10.0.0.1";
const OTHER: &str = "10.0.0.2";

/// A server that takes the address of the client from a header.
fn server(workers: u16, queue: u16) -> Server {
    Server::with(|config| {
        config.workers = Some(workers);
        config.queue = queue;
        config.client_header = CLIENT.parse().ok();
    })
}

/// Sends a POST request without waiting for the response.
fn send(server: &Server, client: &str, path: &str, body: &Value) -> Connection {
    let body = body.to_string();
    let length = body.len().to_string();
    let mut connection = Connection::open(server.address);
    let headers = [(CLIENT, client), ("Content-Length", length.as_str())];
    connection.head("POST", path, &headers);
    connection.send(body.as_bytes());
    connection
}

fn best_move(milliseconds: u64) -> Value {
    json!({"fen": "startpos", "movetime": milliseconds})
}

fn load(server: &Server) -> (f64, f64) {
    let value = |name| metric(server.address, name);
    (value("saavedra_searches_running"), value("saavedra_queue_length"))
}

/// Opens an analysis stream of the start position.
fn analysis(server: &Server, client: &str) -> Connection {
    let mut connection = Connection::open(server.address);
    let path = "/api/v1/analysis?fen=startpos";
    connection.head("GET", path, &[(CLIENT, client)]);
    connection
}

/// A server whose analyses and best moves may take longer than any test waits.
fn patient_server(workers: u16, change: impl FnOnce(&mut Config)) -> Server {
    Server::with(|config| {
        config.workers = Some(workers);
        config.client_header = CLIENT.parse().ok();
        config.max_analysis = 3_600;
        config.max_movetime = 3_600_000;
        change(config);
    })
}

/// A game of this many plies: knights move out and back.
fn long_game(plies: usize) -> Vec<&'static str> {
    let moves = ["g1f3", "g8f6", "f3g1", "f6g8"];
    moves.into_iter().cycle().take(plies).collect()
}

#[test]
fn a_short_search_does_not_wait_for_long_ones_of_another_client() {
    let server = server(2, 64);
    let hostile: Vec<Connection> =
        (0..20).map(|_| send(&server, HOSTILE, BESTMOVE, &best_move(20_000))).collect();
    let review = json!({"moves": long_game(19), "movetime": 10_000});
    let reviews: Vec<Connection> =
        (0..40).map(|_| send(&server, HOSTILE, REVIEWS, &review)).collect();
    // Most are refused, since they would wait for more than a minute.
    wait_until("some are queued", || load(&server).1 >= 3.0);
    let response = send(&server, OTHER, BESTMOVE, &best_move(100)).response();
    let response = response.expect("a response");
    assert_eq!(response.status, 200, "{response:?}");
    let queued = response.json()["queued"].as_u64().expect("a time");
    assert!(queued < 10_000, "{queued} ms in the queue");
    drop((hostile, reviews));
    // Nobody reads the reviews, so they stop too.
    wait_until("no search runs or is queued", || load(&server) == (0.0, 0.0));
}

#[test]
fn a_search_that_an_idle_engine_may_start_is_accepted() {
    let server = Server::with(|config| {
        config.workers = Some(4);
        config.max_movetime = 600_000;
        config.client_header = CLIENT.parse().ok();
    });
    let _running = send(&server, HOSTILE, BESTMOVE, &best_move(300_000));
    wait_until("it runs", || load(&server).0 == 1.0);
    // The pool expects it to take long, but the stub does not.
    let long = json!({"fen": "startpos", "nodes": 1_000_000_000});
    let response = send(&server, OTHER, BESTMOVE, &long).response();
    assert_eq!(response.expect("a response").status, 200);
}

#[test]
fn clients_take_turns() {
    let server = server(1, 64);
    let _hostile: Vec<Connection> =
        (0..10).map(|_| send(&server, HOSTILE, BESTMOVE, &best_move(300))).collect();
    wait_until("nine are queued", || load(&server).1 == 9.0);
    let response = send(&server, OTHER, BESTMOVE, &best_move(10)).response();
    assert_eq!(response.expect("a response").status, 200);
    assert!(load(&server).1 >= 5.0, "the other client waited for all");
}

#[test]
fn a_full_queue_has_a_place_for_another_client() {
    let server = server(1, 4);
    let mut running = send(&server, HOSTILE, BESTMOVE, &best_move(2_000));
    wait_until("one runs", || load(&server).0 == 1.0);
    let mut queued: Vec<Connection> = (1..=4)
        .map(|count| {
            let connection = send(&server, HOSTILE, BESTMOVE, &best_move(20));
            wait_until("it is queued", || load(&server).1 == f64::from(count));
            connection
        })
        .collect();
    let status =
        |connection: &mut Connection| connection.response().map(|response| response.status);
    let refused = status(&mut send(&server, HOSTILE, BESTMOVE, &best_move(20)));
    assert_eq!(refused, Some(429));
    let other = status(&mut send(&server, OTHER, BESTMOVE, &best_move(20)));
    assert_eq!(other, Some(200));
    // The newest search of the client with the most lost its place.
    let statuses: Vec<_> = queued.iter_mut().map(status).collect();
    assert_eq!(statuses, [Some(200), Some(200), Some(200), Some(429)]);
    assert_eq!(status(&mut running), Some(200));
}

#[test]
fn an_unread_review_pauses_and_continues_when_read() {
    let server = server(2, 64);
    let body = json!({"moves": ["e2e4"], "movetime": 10_000});
    let response = send(&server, HOSTILE, REVIEWS, &body).response();
    let response = response.expect("a response");
    let path = response.header("location").expect("a location").to_owned();
    wait_until("it runs", || load(&server).0 == 1.0);
    wait_until("it is paused", || load(&server).0 == 0.0);
    assert_eq!(get(server.address, &path).json()["status"], "queued");
    wait_until("it continues", || load(&server).0 == 1.0);
}

#[test]
fn a_paused_review_continues_at_the_beginning_of_its_group() {
    let server = server(2, 64);
    let body = json!({"moves": long_game(11), "movetime": 2_000});
    let response = send(&server, HOSTILE, REVIEWS, &body).response();
    let response = response.expect("a response");
    let path = response.header("location").expect("a location").to_owned();
    // Longer than an unread review runs.
    sleep(Duration::from_secs(6));
    assert_eq!(get(server.address, &path).json()["status"], "running");
    let starts = || {
        let starts = server.factory.review_starts.lock();
        starts.expect("no thread panics").clone()
    };
    wait_until("a new engine searches", || starts().len() == 2);
    assert_eq!(starts(), [true, true]);
}

#[test]
fn a_review_that_nobody_reads_does_not_take_a_free_engine() {
    let server = server(2, 64);
    let body = json!({"moves": ["e2e4"], "movetime": 10_000});
    let post = || {
        let response = send(&server, HOSTILE, REVIEWS, &body).response();
        let response = response.expect("a response");
        response.header("location").expect("a location").to_owned()
    };
    let engines = || server.factory.review_engines.load(Ordering::Relaxed);
    let running = [post(), post()];
    wait_until("two have an engine, all that a client may have", || engines() == 2);
    let _unread: Vec<String> = (0..10).map(|_| post()).collect();
    // Longer than an unread review runs.
    let end = Instant::now() + Duration::from_secs(6);
    while Instant::now() < end {
        for path in &running {
            get(server.address, path);
        }
        sleep(Duration::from_millis(50));
    }
    for path in &running {
        request(server.address, "DELETE", path, &[], b"");
    }
    // The next one gets an engine, and it is the only one.
    post();
    wait_until("another has an engine", || engines() >= 3);
    wait_until("it is paused", || load(&server).0 == 0.0);
    assert_eq!(engines(), 3);
}

#[test]
fn a_client_with_fewer_reviews_takes_a_place_of_the_one_with_the_most() {
    let server = Server::with(|config| {
        config.reviews = 3;
        config.client_header = CLIENT.parse().ok();
    });
    let body = json!({"moves": ["e2e4"], "movetime": 10_000});
    let post = |client: &str| {
        let response = send(&server, client, REVIEWS, &body).response();
        let response = response.expect("a response");
        let path = response.header("location").unwrap_or_default().to_owned();
        (response.status, path)
    };
    let [first, second, newest] = [(); 3].map(|()| post(HOSTILE));
    assert_eq!(post(HOSTILE).0, 429);
    let (accepted, other) = post(OTHER);
    assert_eq!(accepted, 202);
    assert_eq!(post(OTHER).0, 429, "it would have the most");
    let found = [first, second, newest].map(|(_, path)| get(server.address, &path).status);
    assert_eq!(found, [200, 200, 404]);
    assert_eq!(get(server.address, &other).status, 200);
}

#[test]
fn a_review_has_a_budget() {
    let server = Server::with(|config| config.max_review = 20);
    let post = |body: &Value| {
        let text = body.to_string();
        request(server.address, "POST", REVIEWS, &[], text.as_bytes())
    };
    let moves = long_game(39);
    let refused = post(&json!({"moves": moves, "movetime": 501}));
    assert_eq!((refused.status, &refused.problem()["field"]), (422, &json!("movetime")));
    assert_eq!(post(&json!({"moves": moves, "movetime": 500})).status, 202);
    assert_eq!(post(&json!({"moves": moves, "depth": 2})).status, 202);
}

#[test]
fn the_service_is_not_ready_while_the_queue_is_full() {
    let server = server(1, 1);
    assert_eq!(get(server.address, "/ready").status, 200);
    let running = send(&server, HOSTILE, BESTMOVE, &best_move(30_000));
    wait_until("one runs", || load(&server) == (1.0, 0.0));
    let queued = send(&server, HOSTILE, BESTMOVE, &best_move(1));
    wait_until("one is queued", || load(&server) == (1.0, 1.0));
    let response = get(server.address, "/ready");
    assert_eq!(response.status, 503);
    response.problem();
    assert_eq!(get(server.address, "/health").status, 200);
    drop((running, queued));
    wait_until("it is ready", || get(server.address, "/ready").status == 200);
}

/// The events of an analysis up to the start of this turn: their names, and the depths of the lines.
fn events_until_turn(analysis: &mut Connection, turn: usize) -> (Vec<String>, Vec<u64>) {
    let mut text = String::new();
    while text.matches("event: started").count() < turn {
        let chunk = analysis.chunk().expect("the stream goes on");
        text += std::str::from_utf8(&chunk).expect("UTF-8");
    }
    let after = |prefix| text.lines().filter_map(move |line| line.strip_prefix(prefix));
    let mut names: Vec<String> = after("event: ").map(ToOwned::to_owned).collect();
    names.dedup();
    let lines = after("data: ").filter_map(|line| serde_json::from_str::<Value>(line).ok());
    (names, lines.filter_map(|line| line["depth"].as_u64()).collect())
}

const TWO_TURNS: [&str; 5] = ["queued", "started", "info", "queued", "started"];

#[test]
fn an_analysis_pauses_for_a_best_move_that_waits_for_its_engine() {
    // A short best move waits only if there is no second engine.
    for (workers, milliseconds) in [(2, 2_100), (1, 10)] {
        let server = patient_server(workers, |_| {});
        let mut running = analysis(&server, HOSTILE);
        assert!(running.response_head().is_some());
        wait_until("it runs", || load(&server) == (1.0, 0.0));
        let response = send(&server, OTHER, BESTMOVE, &best_move(milliseconds)).response();
        assert_eq!(response.expect("a response").status, 200);
        assert_eq!(events_until_turn(&mut running, 2).0, TWO_TURNS);
    }
}

#[test]
fn an_analysis_pauses_for_a_position_of_a_review() {
    let server = patient_server(2, |_| {});
    let mut running = analysis(&server, OTHER);
    assert!(running.response_head().is_some());
    wait_until("it runs", || load(&server).0 == 1.0);
    let body = json!({"moves": ["e2e4"], "movetime": 300});
    let review = send(&server, HOSTILE, REVIEWS, &body).response();
    let review = review.expect("a response");
    let path = review.header("location").expect("a location");
    wait_until("the review ends", || get(server.address, path).json()["status"] == "done");
    assert_eq!(events_until_turn(&mut running, 2).0, TWO_TURNS);
}

#[test]
fn analyses_take_turns_and_get_deeper() {
    let server = patient_server(2, |_| {});
    let mut running = [HOSTILE, OTHER].map(|client| analysis(&server, client));
    for analysis in &mut running {
        assert!(analysis.response_head().is_some());
    }
    for analysis in &mut running {
        let (names, depths) = events_until_turn(analysis, 3);
        assert_eq!(names[..5], TWO_TURNS);
        assert!(depths.is_sorted(), "{depths:?}");
        assert!(names[5..].contains(&"info".to_owned()), "a second turn is longer: {names:?}");
    }
}

#[test]
fn an_analysis_continues_while_other_searches_have_engines() {
    let server = patient_server(3, |_| {});
    let _analysis = analysis(&server, OTHER);
    wait_until("it runs", || load(&server).0 == 1.0);
    for milliseconds in [2_500, 10] {
        let response = send(&server, HOSTILE, BESTMOVE, &best_move(milliseconds)).response();
        assert_eq!(response.expect("a response").status, 200);
    }
    wait_until("only the analysis runs", || load(&server) == (1.0, 0.0));
}

#[test]
fn a_long_search_is_refused_if_it_would_wait_long_for_an_engine_that_takes_long_ones() {
    // The other engines are kept free of long searches, so they do not shorten the wait.
    let server = patient_server(2, |config| config.max_wait = 60);
    let _running = send(&server, HOSTILE, BESTMOVE, &best_move(100_000));
    wait_until("it runs", || load(&server).0 == 1.0);
    assert_eq!(get(server.address, "/ready").status, 200);
    let refused = send(&server, OTHER, BESTMOVE, &best_move(10_000)).response();
    let refused = refused.expect("a response");
    assert_eq!(refused.status, 429);
    let detail = refused.problem()["detail"].to_string();
    assert!(detail.contains("the wait too long"), "{detail}");
    let short = send(&server, OTHER, BESTMOVE, &best_move(10)).response();
    assert_eq!(short.expect("a response").status, 200);
}

#[test]
fn the_analyses_before_a_best_move_count_as_its_wait() {
    let server = patient_server(2, |config| config.max_wait = 10);
    let _analyses: Vec<Connection> =
        (0..20).map(|index| analysis(&server, &format!("10.0.1.{index}"))).collect();
    wait_until("19 wait", || load(&server) == (1.0, 19.0));
    let refused = send(&server, OTHER, BESTMOVE, &best_move(10_000)).response();
    assert_eq!(refused.expect("a response").status, 429);
    let short = send(&server, OTHER, BESTMOVE, &best_move(10)).response();
    assert_eq!(short.expect("a response").status, 200);
}

#[test]
fn a_refused_analysis_is_to_be_repeated_when_a_running_one_may_have_ended() {
    let server = patient_server(1, |config| config.queue = 1);
    let _running = analysis(&server, HOSTILE);
    wait_until("one runs", || load(&server) == (1.0, 0.0));
    let _queued = analysis(&server, OTHER);
    wait_until("one is queued", || load(&server) == (1.0, 1.0));
    let refused = analysis(&server, OTHER).response().expect("a response");
    assert_eq!(refused.status, 429);
    // An hour, but no client shall wait longer than a minute.
    assert_eq!(refused.header("retry-after"), Some("60"));
}

#[test]
fn the_service_is_not_ready_while_a_best_move_would_wait_too_long() {
    let server = patient_server(1, |config| config.max_wait = 2);
    assert_eq!(get(server.address, "/ready").status, 200);
    let running = send(&server, HOSTILE, BESTMOVE, &best_move(100_000));
    wait_until("it runs", || load(&server) == (1.0, 0.0));
    let refused = send(&server, OTHER, BESTMOVE, &best_move(1_000)).response();
    assert_eq!(refused.expect("a response").status, 429);
    assert_eq!(get(server.address, "/ready").status, 503);
    drop(running);
    wait_until("it is ready", || get(server.address, "/ready").status == 200);
}

#[test]
fn disconnects_are_counted_as_499() {
    let server = server(1, 64);
    let connection = send(&server, OTHER, BESTMOVE, &best_move(30_000));
    wait_until("the search runs", || load(&server).0 == 1.0);
    drop(connection);
    let line =
        "saavedra_requests_total{method=\"POST\",route=\"/api/v1/bestmove\",status=\"499\"} 1";
    wait_until("the disconnect is counted", || get(server.address, "/metrics").body.contains(line));
}

#[test]
fn requests_for_other_hosts_are_refused() {
    let server = Server::with(|config| config.host = vec!["chess.example.org".to_owned()]);
    let status = |host: &str| {
        let mut connection = Connection::open(server.address);
        connection.send(format!("GET /health HTTP/1.1\r\n{host}\r\n").as_bytes());
        connection.response().map(|response| response.status)
    };
    let port = server.address.port();
    for host in [
        "127.0.0.1".to_owned(),
        "LOCALHOST".to_owned(),
        format!("127.0.0.1:{port}"),
        format!("localhost:{port}"),
        format!("[::1]:{port}"),
        "chess.example.org".to_owned(),
        "Chess.Example.Org:443".to_owned(),
    ] {
        assert_eq!(status(&format!("Host: {host}\r\n")), Some(200), "{host}");
    }
    for host in [
        "evil.example",
        "127.0.0.1.evil.example",
        "evil.example:8080",
        "localhost.evil.example",
        "192.0.2.1",
        "",
    ] {
        assert_eq!(status(&format!("Host: {host}\r\n")), Some(421), "{host}");
    }
    assert_eq!(status(""), Some(421), "no host");
    let absolute = "GET http://evil.example/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut connection = Connection::open(server.address);
    connection.send(absolute.as_bytes());
    let response = connection.response().expect("a response");
    assert_eq!(response.status, 421);
    response.problem();
    let refused = "saavedra_rejections_total{reason=\"host\"} 8\n";
    let metrics = get(server.address, "/metrics").body;
    assert!(metrics.contains(refused), "{metrics}");
}

#[test]
fn a_response_has_the_id_of_its_request() {
    let server = server(1, 64);
    let id = |line: &str| {
        let mut connection = Connection::open(server.address);
        connection
            .send(format!("GET /health HTTP/1.1\r\nHost: localhost\r\n{line}\r\n").as_bytes());
        let response = connection.response().expect("a response");
        response.header("x-request-id").expect("an id").to_owned()
    };
    assert_eq!(id("X-Request-Id: trace-17\r\n"), "trace-17");
    let long = "x".repeat(65);
    for given in [String::new(), "a b".into(), "a=\"1\"".into(), long] {
        let random = id(&format!("X-Request-Id: {given}\r\n"));
        assert!(random.len() == 16 && random != given, "{given}: {random}");
    }
    assert_ne!(id(""), id(""));
}
