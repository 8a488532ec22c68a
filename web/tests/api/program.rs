//! Tests of the program with the real engine.

use crate::support::http::{Connection, get, metric, post};
use crate::support::program::Program;
use crate::support::wait_until;
use serde_json::json;
use std::process::Command;

#[test]
fn the_engine_finds_a_mate_and_obeys_its_limits() {
    let program = Program::start();
    let body = json!({"fen": "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "movetime": 200});
    let best = post(program.address, "/api/v1/bestmove", &body).json();
    assert_eq!((&best["san"], &best["score"]), (&json!("Ra8#"), &json!({"mate": 1})));
    assert_eq!(best["wdl"], json!([1000, 0, 0]));
    let body = json!({"fen": "startpos", "nodes": 3000, "multipv": 4});
    let best = post(program.address, "/api/v1/bestmove", &body).json();
    assert_eq!(best["lines"].as_array().map(Vec::len), Some(4), "{best}");
    assert!(best["nodes"].as_u64().is_some_and(|nodes| nodes <= 3000), "{best}");
    let events = get(program.address, "/api/v1/analysis?fen=startpos&depth=5&multipv=2").body;
    assert!(events.contains("event: info") && events.contains("event: bestmove"), "{events}");
}

#[test]
fn limited_strength_applies_to_one_request_only() {
    let program = Program::start();
    let health = get(program.address, "/health").json();
    let weakest = health["engine"]["elo"]["min"].as_u64().expect("a minimum");
    let weak = json!({"fen": "startpos", "movetime": 300, "elo": weakest});
    let strong = json!({"fen": "startpos", "movetime": 300});
    for (body, limited) in [(&weak, true), (&strong, false), (&weak, true)] {
        let best = post(program.address, "/api/v1/bestmove", body).json();
        let nodes = best["nodes"].as_u64().expect("nodes");
        assert_eq!(nodes < 2_000, limited, "{body}: {best}");
    }
}

#[test]
fn requests_are_independent_of_each_other() {
    let program = Program::start();
    let search = |fen: &str| {
        let body = json!({"fen": fen, "nodes": 20_000});
        let mut best = post(program.address, "/api/v1/bestmove", &body).json();
        for field in ["time", "queued"] {
            best[field] = json!(0);
        }
        best
    };
    let fen = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3";
    let first = search(fen);
    search("startpos");
    assert_eq!(search(fen), first, "the result depends on an earlier search");
}

/// Running searches are answered, analyses end, and new requests are refused.
#[cfg(unix)]
#[test]
fn sigterm_stops_gracefully() {
    let mut program = Program::start();
    let mut analysis = Connection::open(program.address);
    analysis.head("GET", "/api/v1/analysis?fen=startpos", &[]);
    let body = json!({"fen": "startpos", "movetime": 1500}).to_string();
    let length = body.len().to_string();
    let mut waiting = Connection::open(program.address);
    waiting.head("POST", "/api/v1/bestmove", &[("Content-Length", &length)]);
    waiting.send(body.as_bytes());
    let idle = Connection::open(program.address);
    // A request whose body has not arrived yet keeps the service running.
    let body = json!({"fen": "startpos"}).to_string();
    let length = body.len().to_string();
    let headers = [("Content-Length", &*length), ("Expect", "100-continue")];
    let mut slow = Connection::open(program.address);
    slow.head("POST", "/api/v1/moves", &headers);
    assert_eq!(slow.response_head().map(|(status, _)| status), Some(100));
    wait_until("both searches run", || metric(program.address, "saavedra_searches_running") == 2.0);
    program.terminate();
    let events = analysis.response().expect("the stream ends").body;
    assert!(events.contains("event: bestmove"), "{events}");
    for path in ["/ready", "/", "/api/v1/analysis?fen=startpos"] {
        let refused = get(program.address, path);
        assert_eq!(refused.status, 503, "{path}");
        refused.problem();
    }
    for path in ["/health", "/metrics"] {
        assert_eq!(get(program.address, path).status, 200, "{path}");
    }
    slow.send(body.as_bytes());
    assert_eq!(slow.response().map(|response| response.status), Some(200));
    let response = waiting.response().expect("a response");
    assert_eq!(response.status, 200, "{response:?}");
    assert!(response.json()["bestmove"].is_string());
    assert_eq!(program.wait().code(), Some(0));
    drop(idle);
}

#[cfg(unix)]
#[test]
fn sigterm_stops_gracefully_as_soon_as_the_address_is_printed() {
    let mut program = Program::start();
    program.terminate();
    assert_eq!(program.wait().code(), Some(0));
}

#[cfg(unix)]
#[test]
fn searches_longer_than_the_grace_period_are_aborted() {
    let mut program = Program::with(&["--grace", "0"]);
    let body = json!({"fen": "startpos", "movetime": 30_000}).to_string();
    let length = body.len().to_string();
    let mut waiting = Connection::open(program.address);
    waiting.head("POST", "/api/v1/bestmove", &[("Content-Length", &length)]);
    waiting.send(body.as_bytes());
    wait_until("the search runs", || metric(program.address, "saavedra_searches_running") == 1.0);
    program.terminate();
    assert_eq!(program.wait().code(), Some(0));
}

#[test]
fn usage_errors_have_status_2() {
    for arguments in [
        &["--listen", "nowhere"][..],
        &["--workers", "0"],
        &["--allow-origin", "https://a/b"],
        &["--allow-origin", "http://a:"],
        &["--host", "."],
        &["--host", ":8080"],
        &["--host", "not a host"],
        &["--client-header", "not a header"],
        &["--surprise"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_saavedra-web")).args(arguments).output();
        let output = output.expect("the program runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(
            output.stdout.is_empty() && output.stderr.starts_with(b"saavedra-web: "),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn the_help_lists_the_options() {
    let output = Command::new(env!("CARGO_BIN_EXE_saavedra-web")).arg("--help").output();
    let text = String::from_utf8(output.expect("the search runs").stdout).expect("UTF-8");
    for option in ["--listen", "--workers", "--queue", "--max-movetime", "--allow-origin"] {
        assert!(text.contains(option), "no {option} in:\n{text}");
    }
}
