//! Tests of the program with the real engine.

use crate::support::http::{Connection, get, metric, post};
use crate::support::program::Program;
use crate::support::wait_until;
use serde_json::{Value, json};
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
fn the_help_lists_the_options_and_their_variables() {
    let output = Command::new(env!("CARGO_BIN_EXE_saavedra-web")).arg("--help").output();
    let text = String::from_utf8(output.expect("the search runs").stdout).expect("UTF-8");
    for option in ["--listen", "--workers", "--queue", "--max-movetime", "--allow-origin"] {
        let variable = option[2..].replace('-', "_").to_uppercase();
        for word in [option, &format!("[env: SAAVEDRA_WEB_{variable}]")] {
            assert!(text.contains(word), "no {word} in:\n{text}");
        }
    }
}

#[test]
fn options_come_from_the_environment_unless_the_command_line_has_them() {
    let program = Program::with_variables(
        &[
            ("SAAVEDRA_WEB_LISTEN", "127.0.0.1:0"),
            ("SAAVEDRA_WEB_WORKERS", "3"),
            ("SAAVEDRA_WEB_MAX_MOVETIME", "1234"),
            ("SAAVEDRA_WEB_HOST", "a.example,b.example"),
            ("SAAVEDRA_WEB_SYZYGY_PATH", ""),
        ],
        &["--workers", "2", "--log-level", "error"],
    );
    let health = get(program.address, "/health").json();
    assert_eq!((&health["workers"], &health["limits"]["movetime"]), (&json!(2), &json!(1234)));
    for (host, status) in [("a.example", 200), ("b.example", 200), ("c.example", 421)] {
        let mut connection = Connection::open(program.address);
        let request = format!("GET /health HTTP/1.1\r\nHost: {host}\r\n\r\n");
        connection.send(request.as_bytes());
        assert_eq!(connection.response().map(|answer| answer.status), Some(status), "{host}");
    }
}

#[test]
fn an_invalid_value_names_its_variable_or_its_option() {
    for (arguments, name, other) in [
        (&[][..], "SAAVEDRA_WEB_WORKERS", "--workers"),
        (&["--hash", "0"], "--hash", "SAAVEDRA_WEB"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_saavedra-web"))
            .args(arguments)
            .env("SAAVEDRA_WEB_WORKERS", "many")
            .output()
            .expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(name) && !errors.contains(other), "{errors}");
    }
}

/// A folder with small tablebases.
const TABLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../crates/syzygy/tests/tables");

#[test]
fn a_folder_without_tablebases_is_refused() {
    let empty = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for folder in [empty, "/nowhere"] {
        let path = std::env::join_paths([TABLES, folder]).expect("a path");
        let output = Command::new(env!("CARGO_BIN_EXE_saavedra-web"))
            .args(["--listen", "127.0.0.1:0", "--log-level", "error", "--syzygy-path"])
            .arg(path)
            .output()
            .expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        assert!(errors.contains(&format!("no Syzygy tablebases in {folder}")), "{errors}");
        assert!(output.stdout.is_empty());
    }
}

/// A few nodes do not find the mate, but the tablebases have the win.
#[test]
fn best_moves_analyses_reviews_and_explanations_use_the_tablebases() {
    let game = json!({"fen": "8/8/8/3k4/8/8/8/R3K3 w - - 0 1", "nodes": 50});
    for (arguments, expected) in [(&["--syzygy-path", TABLES][..], true), (&[], false)] {
        let program = Program::with(arguments);
        let is_win = |score: &Value| score["cp"].as_i64().is_some_and(|cp| cp > 20_000);
        let best = post(program.address, "/api/v1/bestmove", &game).json();
        assert_eq!(is_win(&best["score"]), expected, "{best}");
        let path = "/api/v1/analysis?fen=8/8/8/3k4/8/8/8/R3K3+w+-+-+0+1&nodes=50";
        let analysis = get(program.address, path).body;
        let last = analysis.lines().rfind(|line| line.starts_with("data:")).expect("an event");
        let last: Value = serde_json::from_str(&last[5..]).expect("JSON");
        assert_eq!(is_win(&last["score"]), expected, "{last}");
        let mut played = game.clone();
        played["moves"] = json!(["Ra4", "Ke5"]);
        let review = post(program.address, "/api/v1/reviews", &played);
        let path = review.header("location").expect("a location").to_owned();
        let state = || get(program.address, &path).json();
        wait_until("the review is done", || state()["status"] == "done");
        assert_eq!(is_win(&state()["positions"][2]["score"]), expected, "{}", state());
        let explained = post(program.address, "/api/v1/explain", &game).json();
        assert_eq!(is_win(&explained["eval"]), expected, "{explained}");
    }
}

#[test]
fn the_tablebases_have_the_outcome_of_a_position_and_its_moves() {
    let program = Program::with(&["--syzygy-path", TABLES]);
    assert_eq!(get(program.address, "/health").json()["engine"]["tablebase"], 4);
    for (fen, wdl, best, worst) in [
        // A rook wins; it may be lost.
        ("8/8/8/3k4/2R5/8/8/4K3 w - - 0 1", json!("win"), json!("win"), json!("draw")),
        ("8/8/8/3k4/8/8/8/R3K3 b - - 0 1", json!("loss"), json!("loss"), json!("loss")),
        // The clock of the position counts.
        (
            "8/8/8/3k4/2R5/8/8/4K3 w - - 90 80",
            json!("cursed_win"),
            json!("cursed_win"),
            json!("draw"),
        ),
        ("8/8/8/8/8/3k4/3P4/3K4 w - - 0 1", json!("draw"), json!("draw"), json!("draw")),
        // Too many pieces, castling rights, a finished game.
        ("startpos", Value::Null, Value::Null, Value::Null),
        ("8/8/8/3k4/8/8/8/R3K3 w Q - 0 1", Value::Null, Value::Null, Value::Null),
        ("k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", Value::Null, Value::Null, Value::Null),
    ] {
        let answer = post(program.address, "/api/v1/tablebase", &json!({ "fen": fen })).json();
        let moves = answer["moves"].as_array().expect("moves");
        let wdl_of = |m: Option<&Value>| m.map_or(Value::Null, |m| m["wdl"].clone());
        let found = (answer["wdl"].clone(), wdl_of(moves.first()), wdl_of(moves.last()));
        assert_eq!(found, (wdl, best, worst), "{fen}: {answer}");
    }
    let mate = json!({ "fen": "7k/8/6K1/8/8/8/8/R7 w - - 0 1" });
    let answer = post(program.address, "/api/v1/tablebase", &mate).json();
    assert_eq!((&answer["dtz"], &answer["moves"][0]["san"]), (&json!(1), &json!("Ra8#")));
    let bad = post(program.address, "/api/v1/tablebase", &json!({ "fen": "8/8" }));
    assert_eq!(bad.status, 422);
}
