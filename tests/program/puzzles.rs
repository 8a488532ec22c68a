//! `saavedra puzzles`: exercises from games, in each format.

use crate::support::{saavedra, stdout};
use serde_json::Value;

const GAMES: &str = r#"[White "Ann"]
[Black "Bob"]
[FEN "6k1/q4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"]

1... Qa8 2. h3 *

[White "Eve"]
[Black "Bob"]
[FEN "6k1/q4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"]

1... Qa8 2. Rxa8# 1-0
"#;

fn puzzles(options: &[&str]) -> String {
    let output = saavedra(&[&["puzzles", "-", "--nodes", "20000"], options].concat(), GAMES);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    stdout(&output).to_owned()
}

#[test]
fn a_position_is_one_exercise_in_each_format() {
    let json = puzzles(&[]);
    let lines: Vec<Value> = json.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
    let mates: Vec<_> = lines.iter().filter(|l| l["themes"][0] == "mate-in-1").collect();
    let [mate] = mates[..] else { panic!("one mate: {json}") };
    assert_eq!(mate["solution"], serde_json::json!(["a1a8"]));
    assert_eq!(mate["game"], serde_json::json!({ "white": "Ann", "black": "Bob", "ply": 1 }));
    let id = mate["id"].as_str().expect("an id");
    // In the table of lichess the position is the one before, and the first move leads to the exercise.
    let csv = puzzles(&["--format", "csv"]);
    let row = csv.lines().find(|line| line.starts_with(id)).expect("the row");
    assert!(csv.starts_with("PuzzleId,FEN,Moves,Rating,"), "{csv}");
    assert!(row.contains(" b - - ") && row.contains(",a7a8 a1a8,"), "{row}");
    assert!(row.contains("mateIn1"), "{row}");
    assert!(csv.lines().all(|line| line.matches(',').count() == 9), "{csv}");
    let pgn = puzzles(&["--format", "pgn"]);
    assert!(pgn.contains(&format!("[PuzzleId \"{id}\"]")) && pgn.contains("Rxa8#"), "{pgn}");
}

#[test]
fn sides_and_players_select_and_threads_change_nothing() {
    let all = puzzles(&[]);
    assert_eq!(puzzles(&["--threads", "3"]), all);
    assert!(!puzzles(&["--side", "black"]).contains("mate-in-1"));
    assert!(puzzles(&["--player", "eve"]).contains("\"white\":\"Eve\""));
    assert_eq!(puzzles(&["--player", "nobody"]), "");
}

#[test]
fn games_that_cannot_be_read_are_reported() {
    let output = saavedra(&["puzzles", "-", "--nodes", "1000"], "1. e5 *\n\n1. e4 e5 *\n");
    assert_eq!(output.status.code(), Some(3), "{output:?}");
    assert_eq!(saavedra(&["puzzles", "absent.pgn"], "").status.code(), Some(2));
}
