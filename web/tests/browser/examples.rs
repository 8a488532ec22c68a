//! Runs the curl commands of README.md and docs/WEB.md against the program.

use crate::Test;
use crate::support::program::Program;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::process::Command;

pub(crate) const TESTS: &[Test] = tests![
    the_commands_of_the_readme_give_the_documented_moves,
    the_commands_of_the_manual_give_the_documented_results,
    the_commands_of_a_review_give_a_review,
];

const README: &str = include_str!("../../../README.md");
const WEB: &str = include_str!("../../../docs/WEB.md");
const BEST_MOVE: &str = "/api/v1/bestmove";
/// The address in the documents.
const ADDRESS: &str = "127.0.0.1:8080";

/// Runs the shell block of a document that uses a route and returns its responses, one per line.
fn run(document: &str, route: &str, address: SocketAddr) -> Vec<Value> {
    let block = document
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0))
        .find(|block| block.contains(route))
        .expect("the document has API examples");
    let script =
        block.replace(ADDRESS, &address.to_string()).replace("curl -s", "curl -sS -w '\\n'");
    let folder = std::env::temp_dir().join(format!("saavedra-web-{}", address.port()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let output = Command::new("sh")
        .args(["-eu", "-c", &script])
        .current_dir(&folder)
        .output()
        .expect("a shell");
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(output.status.success(), "{output:?}", output = output.stderr);
    let answers = text.lines().filter(|line| line.starts_with(['{', 'd']));
    let read = |line: &str| {
        let line = line.strip_prefix("data: ").unwrap_or(line);
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
    };
    answers.map(read).collect()
}

fn the_commands_of_the_readme_give_the_documented_moves() {
    let program = Program::start();
    let answers = run(README, BEST_MOVE, program.address);
    let found: Vec<_> =
        answers.iter().map(|best| (best["bestmove"].clone(), best["san"].clone())).collect();
    let expected = [("a1a8", "Ra8#"), ("e5d6", "exd6#")].map(|(uci, san)| (json!(uci), json!(san)));
    assert_eq!(found, expected);
    for best in answers {
        assert_eq!(best["score"], json!({"mate": 1}));
    }
}

fn the_commands_of_the_manual_give_the_documented_results() {
    let program = Program::start();
    let answers = run(WEB, BEST_MOVE, program.address);
    let [fen, page, arrays, game, refused, analysis @ ..] = &answers[..] else {
        panic!("too few responses: {answers:?}");
    };
    assert_eq!((&fen["san"], &page["san"]), (&json!("Ra8#"), &json!("Ra8#")));
    let position = "rnbqkbnr/ppp1pppp/8/3pP3/8/8/PPPP1PPP/RNBQKBNR w KQkq d6 0 2";
    assert_eq!(arrays["fen"], position);
    assert_eq!(game["fen"], "r1bqkbnr/1ppp1ppp/p1n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 0 4");
    assert_eq!((&refused["status"], &refused["field"]), (&json!(422), &json!("move")));
    let last = analysis.last().expect("an analysis");
    assert!(last["bestmove"].is_string(), "{last}");
    assert!(analysis.iter().any(|info| info["multipv"] == 3));
}

fn the_commands_of_a_review_give_a_review() {
    let program = Program::start();
    let [review] = &run(WEB, "/api/v1/review/judge", program.address)[..] else {
        panic!("one response is expected");
    };
    assert_eq!(review["status"], "done", "{review}");
    assert_eq!(review["positions"][3]["judgement"], "blunder");
}
