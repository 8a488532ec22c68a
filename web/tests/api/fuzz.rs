//! Random requests, made from valid ones by mutation: each has a response, never with a 5xx status,
//! and error responses have a message.

use crate::support::Server;
use crate::support::http::{Connection, get};
use crate::support::program::Program;
use saavedra::chess::Random;
use serde_json::{Value, json};
use std::net::SocketAddr;

const ROUTES: [&str; 12] = [
    "/api/v1/bestmove",
    "/api/v1/explain",
    "/api/v1/moves",
    "/api/v1/make",
    "/api/v1/reviews",
    "/api/v1/analysis",
    "/api/v1/pgn/read",
    "/api/v1/pgn/write",
    "/health",
    "/openapi.json",
    "/assets/app.js",
    "/",
];
const CONTENT_TYPES: [&str; 8] = [
    "application/json",
    "text/html",
    "text/plain",
    "application/x-chess-pgn",
    "application/x-www-form-urlencoded",
    "text/html; charset=utf-8",
    "image/png",
    "",
];
/// Values for bodies, fields and queries: valid, partly valid and invalid.
const TEXTS: [&str; 24] = [
    "startpos",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1",
    "4k3/8/8/8/8/8/8/8 w - - 0 1",
    "kk6/8/8/8/8/8/8/KK6 w - - 0 1",
    "4k3/P6P/8/8/8/8/p6p/4K3 b - - 99999999999999999999 -1",
    "pppppppp/pppppppp/pppppppp/pppppppp/PPPPPPPP/PPPPPPPP/PPPPPPPP/k6K w - - 0 1",
    "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/k6K w - - 0 1",
    "8/8/8/8/8/8/8/8 w - - 0 1",
    "9/8/8/8/8/8/8/8",
    "8/7k/8/8/3pP3/8/8/K7 b - e3 0 1",
    "e2e4",
    "e7e8q",
    "O-O-O",
    "Nf3",
    "0000",
    "1. e4 e5 2. Nf3 (2. f4 exf4 (2... d5)) 2... Nc6 $5 {words} *",
    "[FEN \"8/8/8/8/8/8/8/K1k5 w - - 0 1\"]\n\n1. Ka2 1-0",
    "[Variant \"Chess960\"]\n[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\"]\n\n1. e4 *",
    "<table><tr><td data-col=a data-row=1>\u{2654}</td></tr></table>",
    "<div data-turn=b data-castling=- data-ep=e3>",
    "../../etc/passwd",
    "%00%ff%2e%2e",
    "\u{0}\u{feff}\u{202e}🙂",
];
const FIELDS: [&str; 17] = [
    "fen", "start", "moves", "pgn", "html", "text", "boards", "turn", "chess960", "movetime",
    "nodes", "depth", "multipv", "elo", "move", "history", "games",
];

fn one_in(random: &mut Random, n: usize) -> bool {
    random.below(n) == 0
}

/// A random JSON value.
fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 8 } else { 11 }) {
        0 => Value::Null,
        1 => json!(one_in(random, 2)),
        2 => json!(random.below(10)),
        3 => json!(-(random.below(1 << 40) as i64)),
        4 => json!(u64::MAX),
        5 => json!(1.5e300),
        6 | 7 => json!(random.pick(&TEXTS)),
        8 => board(random),
        9 => (0..random.below(4)).map(|_| value(random, depth - 1)).collect(),
        _ => json!({ *random.pick(&FIELDS): value(random, depth - 1) }),
    }
}

/// A list of board arrays, mostly invalid.
fn board(random: &mut Random) -> Value {
    let rows = if one_in(random, 8) { 7 } else { 8 };
    let row = |random: &mut Random| -> Vec<i64> {
        (0..8).map(|_| if one_in(random, 4) { random.below(14) as i64 - 7 } else { 0 }).collect()
    };
    let one = |random: &mut Random| -> Vec<Vec<i64>> { (0..rows).map(|_| row(random)).collect() };
    json!((0..random.below(3)).map(|_| one(random)).collect::<Vec<_>>())
}

fn body(random: &mut Random) -> Vec<u8> {
    let mut bytes = match random.below(4) {
        0 => random.pick(&TEXTS).as_bytes().to_vec(),
        1 => value(random, 3).to_string().into_bytes(),
        _ => {
            let fields = (0..=random.below(4)).map(|_| {
                let text = json!(random.pick(&TEXTS));
                let value = if one_in(random, 2) { text } else { value(random, 3) };
                ((*random.pick(&FIELDS)).to_owned(), value)
            });
            json!(fields.collect::<serde_json::Map<_, _>>()).to_string().into_bytes()
        }
    };
    for _ in 0..random.below(4) {
        mutate(random, &mut bytes);
    }
    bytes
}

/// Changes the bytes at one place.
fn mutate(random: &mut Random, bytes: &mut Vec<u8>) {
    let at = random.below(bytes.len() + 1);
    match random.below(5) {
        0 => bytes.truncate(at),
        1 => bytes.insert(at, random.below(256) as u8),
        2 => bytes.splice(at..at, [b"[{(<\"/".as_slice()[random.below(6)]; 2000]).for_each(drop),
        3 => bytes.extend_from_within(at..),
        _ => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
    }
}

fn query(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(4) {
        let encoded: String =
            form_urlencoded::byte_serialize(random.pick(&TEXTS).as_bytes()).collect();
        let value = match random.below(3) {
            0 => encoded,
            1 => random.below(100).to_string(),
            _ => "%ff%00&&==+".to_owned(),
        };
        text +=
            &format!("{}{}={value}", if text.is_empty() { '?' } else { '&' }, random.pick(&FIELDS));
    }
    text
}

/// Sends random requests and checks the responses.
fn send_random_requests(address: SocketAddr, seed: u64, requests: usize) {
    let mut random = Random::new(seed);
    let mut connection = Connection::open(address);
    for number in 0..requests {
        let method = random.pick(&["POST", "POST", "POST", "GET", "DELETE", "HEAD"]);
        let path = format!("{}{}", random.pick(&ROUTES), query(&mut random));
        let body = if *method == "POST" { body(&mut random) } else { Vec::new() };
        let length = body.len().to_string();
        let mut headers = vec![("Content-Length", length.as_str())];
        let content_type = random.pick(&CONTENT_TYPES);
        if !content_type.is_empty() {
            headers.push(("Content-Type", content_type));
        }
        connection.head(method, &path, &headers);
        connection.send(&body);
        let what = || format!("{number}: {method} {path} {:?}", String::from_utf8_lossy(&body));
        if *method == "HEAD" {
            let (status, _) = connection.response_head().unwrap_or_else(|| panic!("{}", what()));
            assert!(status < 500, "{status} to {}", what());
            continue;
        }
        let response = connection.response().unwrap_or_else(|| panic!("no response to {}", what()));
        assert!(response.status < 500, "{response:?} to {}", what());
        if response.status >= 400 {
            assert!(response.problem()["detail"].is_string(), "{response:?} to {}", what());
        }
    }
    assert_eq!(get(address, "/health").status, 200);
    let metrics = get(address, "/metrics").body;
    assert!(!metrics.contains("status=\"5"), "{metrics}");
}

#[test]
fn random_requests_never_cause_internal_errors() {
    let server = Server::with(|config| {
        config.max_movetime = 5;
        config.max_analysis = 1;
        config.max_body = 16;
    });
    send_random_requests(server.address, 0x5aa_7ed4a, 3_000);
}

#[test]
fn random_requests_never_make_the_engine_fail() {
    let arguments = ["--max-movetime", "5", "--max-analysis", "1", "--hash", "1"];
    let program = Program::with(&arguments);
    send_random_requests(program.address, 0xbad_5eed, 400);
    let log = program.kill();
    assert!(log.is_empty(), "the log has errors:\n{log}");
}

#[test]
#[ignore = "takes minutes"]
fn many_random_requests_never_make_the_engine_fail() {
    let arguments = ["--max-movetime", "5", "--max-analysis", "1", "--hash", "1"];
    let program = Program::with(&arguments);
    for seed in 1..=20 {
        send_random_requests(program.address, seed * 0x9e37_79b9, 2_000);
    }
    let log = program.kill();
    assert!(log.is_empty(), "the log has errors:\n{log}");
}
