//! Malformed and hostile requests: each has an error response, and the server keeps running.

use crate::support::http::{Connection, get, post_as, request};
use crate::support::{Server, wait_until};
use serde_json::json;

const MOVES: &str = "/api/v1/moves";

#[test]
fn malformed_bodies_are_refused() {
    let server = Server::start();
    let deep = "[".repeat(100_000);
    let cases: [(&str, &[u8], u16); 17] = [
        ("text/html", b"", 400),
        ("text/html", b" ", 422),
        ("text/html", "\u{a0}".as_bytes(), 422),
        ("text/plain", b"\n", 422),
        ("text/plain", "\u{3000}".as_bytes(), 422),
        ("text/plain", "\u{feff}".as_bytes(), 422),
        ("application/x-chess-pgn", "\u{a0}".as_bytes(), 422),
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
    for (content_type, body, status) in cases {
        let response = post_as(server.address, MOVES, content_type, body);
        assert_eq!(response.status, status, "{content_type} {:?}", &body[..body.len().min(20)]);
        response.problem();
    }
}

#[test]
fn large_bodies_are_refused_with_a_response() {
    let server = Server::with(|config| config.max_body = 16);
    for size in [17 << 10, 1 << 20] {
        let body = vec![b' '; size];
        let response = post_as(server.address, MOVES, "application/json", &body);
        assert_eq!(response.status, 413);
        response.problem();
    }
    // With `Expect: 100-continue` the refusal comes before the body is sent.
    let mut connection = Connection::open(server.address);
    let headers = [("Content-Length", "99999999"), ("Expect", "100-continue")];
    connection.head("POST", MOVES, &headers);
    assert_eq!(connection.response().expect("a response").status, 413);
}

#[test]
fn error_messages_truncate_long_texts() {
    let server = Server::start();
    let body = json!({"fen": "x".repeat(200_000)}).to_string();
    let response = post_as(server.address, MOVES, "application/json", body.as_bytes());
    assert_eq!(response.status, 422);
    assert!(response.body.len() < 2_000, "{} bytes", response.body.len());
}

#[test]
fn bodies_in_many_small_chunks_are_refused() {
    let server = Server::start();
    let body = format!("{{\"fen\":\"startpos\"{}}}", " ".repeat(5_000));
    for (path, length, status) in [
        (MOVES, 8, 200),
        (MOVES, 1, 413),
        // The rest of an unread body is not read either.
        ("/nowhere", 1, 404),
    ] {
        let mut connection = Connection::open(server.address);
        connection.head("POST", path, &[("Transfer-Encoding", "chunked")]);
        let mut text = String::new();
        for chunk in body.as_bytes().chunks(length) {
            let chunk = String::from_utf8_lossy(chunk);
            text += &format!("{:x}\r\n{chunk}\r\n", chunk.len());
        }
        text += "0\r\n\r\n";
        connection.send(text.as_bytes());
        let response = connection.response().expect("a response");
        assert_eq!(response.status, status, "{path} {length}");
    }
}

#[test]
fn games_longer_than_any_legal_one_are_refused() {
    let server = Server::start();
    let moves = ["Nf3", "Nf6", "Ng1", "Ng8"];
    for (plies, status) in [(12_000, 200), (12_001, 422)] {
        let game: Vec<_> = moves.iter().cycle().take(plies).copied().collect();
        let text = format!("1. {}", game.join(" "));
        for (content_type, body) in [
            ("application/x-chess-pgn", text.clone()),
            ("text/plain", text.clone()),
            ("application/json", json!({"pgn": text}).to_string()),
            ("application/json", json!({"moves": game}).to_string()),
        ] {
            let path = format!("{MOVES}?history=true");
            let response = post_as(server.address, &path, content_type, body.as_bytes());
            assert_eq!(response.status, status, "{plies} {content_type}");
        }
    }
}

#[test]
fn path_traversal_is_not_found() {
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
        let response = get(server.address, path);
        assert_eq!(response.status, 404, "{path}");
        response.problem();
    }
}

#[test]
fn a_body_that_does_not_arrive_times_out() {
    let server = Server::with(|config| config.patience = 1);
    let mut connection = Connection::open(server.address);
    connection.head("POST", MOVES, &[("Content-Length", "50")]);
    connection.send(b"{\"fen\":");
    let response = connection.response().expect("a response");
    assert_eq!(response.status, 408);
    response.problem();
}

#[test]
fn an_unread_body_is_drained_and_the_connection_is_reused() {
    let server = Server::start();
    let mut connection = Connection::open(server.address);
    let body = vec![b' '; 100_000];
    let length = body.len().to_string();
    for (path, content_type, status) in [
        ("/nowhere", "text/plain", 404),
        ("/health", "text/plain", 405),
        (MOVES, "image/png", 415),
        ("/api/v1/moves?colour=1", "text/plain", 400),
        ("/api/v1/reviews/none", "text/plain", 405),
    ] {
        let headers = [("Content-Length", length.as_str()), ("Content-Type", content_type)];
        connection.head("POST", path, &headers);
        // The server sees the head before the body.
        assert_eq!(get(server.address, "/health").status, 200);
        connection.send(&body);
        let response = connection.response().expect("a response");
        assert_eq!(response.status, status, "{path}");
    }
}

#[test]
fn a_head_that_does_not_arrive_times_out() {
    let server = Server::with(|config| config.patience = 1);
    for start in ["", "GET / HT", "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: "] {
        let mut connection = Connection::open(server.address);
        connection.send(start.as_bytes());
        assert!(connection.response().is_none_or(|response| response.status == 408), "{start:?}");
    }
}

#[test]
fn a_client_that_does_not_read_is_disconnected() {
    let server = Server::with(|config| config.patience = 1);
    let mut connections: Vec<Connection> = (0..3)
        .map(|_| {
            let mut connection = Connection::open(server.address);
            // Enough responses to fill all buffers; none is read.
            for _ in 0..2_000 {
                if !connection.send(b"GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n") {
                    break;
                }
            }
            connection
        })
        .collect();
    let open = || crate::support::http::metric(server.address, "saavedra_connections");
    // The request for the metrics is itself a connection.
    wait_until("their connections are closed", || open() <= 1.0);
    connections.clear();
}

#[test]
fn malformed_http_is_refused() {
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
        let status = connection.response().map(|response| response.status);
        let text = String::from_utf8_lossy(&bytes[..bytes.len().min(60)]).into_owned();
        assert!(status.is_none_or(|status| (400..500).contains(&status)), "{text:?}: {status:?}");
    }
    assert_eq!(get(server.address, "/health").status, 200);
}

#[test]
fn requests_that_the_http_layer_refuses_have_an_empty_response() {
    let server = Server::start();
    let address = "a".repeat(70_000);
    let headers = "X: x\r\n".repeat(101);
    for (head, status) in [
        ("GET / HT TP/1.1\r\n".to_owned(), 400),
        (format!("GET /{address} HTTP/1.1\r\n"), 414),
        (format!("GET / HTTP/1.1\r\n{headers}"), 431),
    ] {
        let mut connection = Connection::open(server.address);
        connection.send(format!("{head}\r\n").as_bytes());
        let response = connection.response().expect("a response");
        assert_eq!(response.status, status);
        assert_eq!(response.body, "", "{status}");
    }
}

#[test]
fn other_methods_are_refused() {
    let server = Server::start();
    for method in ["PUT", "TRACE", "OPTIONS", "BREW", "get"] {
        let response = request(server.address, method, MOVES, &[], b"");
        assert_eq!(response.status, 405, "{method}");
    }
    let metrics = get(server.address, "/metrics").body;
    assert!(!metrics.contains("BREW"), "an unknown method must not become a label");
}

#[test]
fn connections_beyond_the_limit_are_served_later() {
    let server = Server::with(|config| {
        config.connections = 2;
        config.patience = 1;
    });
    // After a response a connection has been accepted.
    let open = |_| {
        let mut connection = Connection::open(server.address);
        connection.head("GET", "/health", &[]);
        assert!(connection.response().is_some());
        connection
    };
    let idle: Vec<Connection> = (0..2).map(open).collect();
    assert_eq!(get(server.address, "/health").status, 200);
    drop(idle);
}
