//! Requests no honest client sends: each is refused politely, and the server lives on.

use crate::support::http::{Connection, get, post_as, request};
use crate::support::{Server, eventually};
use serde_json::json;
use std::time::Duration;

const MOVES: &str = "/api/v1/moves";

#[test]
fn unreadable_bodies_are_refused() {
    let server = Server::start();
    let deep = "[".repeat(100_000);
    let cases: [(&str, &[u8], u16); 10] = [
        ("application/json", b"", 400),
        ("application/json", b"{\"fen\":", 400),
        ("application/json", b"[1,2]", 400),
        ("application/json", b"null", 400),
        ("application/json", deep.as_bytes(), 400),
        ("application/json", b"{\"fen\":\"\xff\xfe\"}", 400),
        ("text/plain", b"\xc3\x28", 400),
        ("text/plain; charset=utf-16", b"x", 415),
        ("image/png", b"\x89PNG", 415),
        ("application/xml", b"<a/>", 415),
    ];
    for (kind, body, status) in cases {
        let answer = post_as(server.address, MOVES, kind, body);
        assert_eq!(
            answer.status,
            status,
            "{kind} {:?}",
            &body[..body.len().min(20)]
        );
        answer.problem();
    }
}

#[test]
fn large_bodies_are_refused_and_the_client_gets_to_read_it() {
    let server = Server::with(|config| config.max_body = 16);
    for size in [17 << 10, 1 << 20] {
        let body = vec![b' '; size];
        let answer = post_as(server.address, MOVES, "application/json", &body);
        assert_eq!(answer.status, 413);
        answer.problem();
    }
    // One that asks first is refused before it sends.
    let mut connection = Connection::open(server.address);
    let headers = [("Content-Length", "99999999"), ("Expect", "100-continue")];
    connection.head("POST", MOVES, &headers);
    assert_eq!(connection.answer().expect("an answer").status, 413);
}

#[test]
fn a_detail_repeats_only_the_beginning_of_a_long_text() {
    let server = Server::start();
    let body = json!({"fen": "x".repeat(200_000)}).to_string();
    let answer = post_as(server.address, MOVES, "application/json", body.as_bytes());
    assert_eq!(answer.status, 422);
    assert!(answer.body.len() < 2_000, "{} bytes", answer.body.len());
}

#[test]
fn paths_lead_nowhere_outside() {
    let server = Server::start();
    for path in [
        "/assets/../Cargo.toml",
        "/assets/..%2f..%2fetc%2fpasswd",
        "/../../../../etc/passwd",
        "//etc/passwd",
        "/assets/%2e%2e/%2e%2e/etc/passwd",
        "/assets/app.js%00.png",
        "/assets/",
        "/assets",
        "/.git/config",
        "/api/v2/bestmove",
        "/api/v1/",
    ] {
        let answer = get(server.address, path);
        assert_eq!(answer.status, 404, "{path}");
        answer.problem();
    }
}

#[test]
fn a_body_that_does_not_come_is_given_up() {
    let server = Server::with(|config| config.patience = 1);
    let mut connection = Connection::open(server.address);
    connection.head("POST", MOVES, &[("Content-Length", "50")]);
    connection.send(b"{\"fen\":");
    let answer = connection.answer().expect("an answer");
    assert_eq!(answer.status, 408);
    answer.problem();
}

#[test]
fn a_body_that_nobody_wants_is_read_all_the_same_and_the_connection_goes_on() {
    let server = Server::start();
    let mut connection = Connection::open(server.address);
    let body = vec![b' '; 100_000];
    let length = body.len().to_string();
    for (path, kind, status) in [
        ("/nowhere", "text/plain", 404),
        ("/health", "text/plain", 405),
        (MOVES, "image/png", 415),
        ("/api/v1/moves?colour=1", "text/plain", 400),
        ("/api/v1/reviews/none", "text/plain", 405),
    ] {
        let headers = [("Content-Length", length.as_str()), ("Content-Type", kind)];
        connection.head("POST", path, &headers);
        // The answer is ready before the body has come.
        std::thread::sleep(Duration::from_millis(20));
        connection.send(&body);
        let answer = connection.answer().expect("an answer");
        assert_eq!(answer.status, status, "{path}");
    }
}

#[test]
fn a_head_that_does_not_come_is_given_up() {
    let server = Server::with(|config| config.patience = 1);
    for start in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
        let mut connection = Connection::open(server.address);
        connection.send(start.as_bytes());
        assert!(
            connection
                .answer()
                .is_none_or(|answer| answer.status == 408),
            "{start:?}"
        );
    }
}

#[test]
fn a_client_that_reads_nothing_is_given_up() {
    let server = Server::with(|config| config.patience = 1);
    let mut connections: Vec<Connection> = (0..3)
        .map(|_| {
            let mut connection = Connection::open(server.address);
            // Answers enough to fill every buffer on the way, none of which is read.
            for _ in 0..2_000 {
                if !connection.send(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n") {
                    break;
                }
            }
            connection
        })
        .collect();
    let open = || crate::support::http::metric(server.address, "saavedra_connections");
    // The one that asks for the metric is open itself.
    eventually("their connections are closed", || open() <= 1.0);
    connections.clear();
}

#[test]
fn nonsense_on_the_wire_does_no_harm() {
    let server = Server::start();
    let oversized = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(1 << 20));
    let long_path = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(70_000));
    let cases: [&[u8]; 9] = [
        b"\0\0\0\0",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /api/v1/moves HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /api/v1/moves HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        oversized.as_bytes(),
        long_path.as_bytes(),
    ];
    for bytes in cases {
        let mut connection = Connection::open(server.address);
        connection.send(bytes);
        connection.stream.shutdown(std::net::Shutdown::Write).ok();
        let status = connection.answer().map(|answer| answer.status);
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        assert!(
            status.is_none_or(|status| (400..500).contains(&status)),
            "{text:?}: {status:?}"
        );
    }
    assert_eq!(get(server.address, "/health").status, 200);
}

#[test]
fn methods_of_any_name_are_refused() {
    let server = Server::start();
    for method in ["PUT", "TRACE", "OPTIONS", "BREW", "get"] {
        let answer = request(server.address, method, MOVES, &[], b"");
        assert_eq!(answer.status, 405, "{method}");
    }
    let metrics = get(server.address, "/metrics").body;
    assert!(
        !metrics.contains("BREW"),
        "a made-up method must not become a label"
    );
}

#[test]
fn connections_beyond_the_limit_wait_and_are_served() {
    let server = Server::with(|config| {
        config.connections = 2;
        config.patience = 1;
    });
    let idle: Vec<Connection> = (0..2).map(|_| Connection::open(server.address)).collect();
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(get(server.address, "/health").status, 200);
    drop(idle);
}
