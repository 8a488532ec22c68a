//! `saavedra play`: games of a user against the engine.

use crate::support::{folder, saavedra, stderr, stdout, unread};
use saavedra::formats::{self, Document, Ply, result_text};

fn documents(text: &str) -> Vec<Document> {
    let pgn = formats::by_name("pgn").expect("a format");
    let read = pgn.read(Box::new(text.as_bytes()));
    read.collect::<Result<_, _>>().expect("games")
}

/// Plays a game with this input; the output and the final game.
fn played(arguments: &[&str], typed: &str) -> (String, Document) {
    let output = saavedra(&[&["play", "--nodes", "3000"], arguments].concat(), typed);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let record = &text[text.find("[Event ").expect("a record")..];
    let game = documents(record).pop().expect("a game");
    (text, game)
}

#[test]
fn a_game_is_played_to_mate() {
    // The user mates.
    let fen = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1";
    let (text, game) = played(&["--fen", fen], "a1a9\nhint\nRa8\n");
    assert!(text.contains("Hint: 1. Ra8#"), "{text}");
    assert!(text.contains("1-0: checkmate"), "{text}");
    assert_eq!(result_text(game.result), "1-0");
    assert_eq!(game.tag("White"), Some("You"));
    // The engine mates.
    let (text, game) = played(&[], "f3\nundo\nundo\ne4\nundo\nf3\nboard\nmoves\nflip\ng4\nquit\n");
    assert!(text.contains("You have no move to take back."), "{text}");
    let moves: Vec<Ply> = game.tree.mainline().collect();
    assert!(moves.len() >= 3, "{text}");
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2";
    let (text, game) = played(&["--fen", fen], "g4\n");
    assert!(text.contains("Saavedra plays 2... Qh4#"), "{text}");
    assert_eq!(result_text(game.result), "0-1");
}

#[test]
fn a_game_that_cannot_be_written_is_printed() {
    let path = folder("unwritable").join("missing").join("game.pgn");
    let path = path.to_str().expect("a name");
    let output = saavedra(&["play", "--nodes", "100", "-o", path], "e4\nquit\n");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("game.pgn"), "{}", stderr(&output));
    let text = stdout(&output);
    let record = &text[text.find("[Event ").expect("a record")..];
    assert_eq!(documents(record).len(), 1, "{text}");
}

#[test]
fn a_game_is_kept_if_nobody_reads_the_output() {
    let path = folder("play-unread").join("game.pgn");
    let output = unread(&["play", "--nodes", "100", "-o", path.to_str().expect("a name")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = std::fs::read_to_string(&path).expect("a record");
    assert_eq!(documents(&text).len(), 1, "{text}");
}

#[test]
fn the_user_ends_the_game() {
    let (text, game) = played(&["--side", "black"], "resign\n");
    assert!(text.contains("Saavedra plays 1. "), "{text}");
    assert_eq!(result_text(game.result), "1-0");
    assert_eq!(game.tag("Black"), Some("You"));
    // End of input ends the game.
    let (_, game) = played(&[], "e4\n");
    assert_eq!(result_text(game.result), "*");
    assert_eq!(game.tree.len(), 2);
    let folder = folder("play");
    let path = folder.join("game.pgn");
    let name = path.to_str().expect("a name");
    let output = saavedra(&["play", "--nodes", "100", "-o", name], "e4\nquit\n");
    assert_eq!(output.status.code(), Some(0));
    assert!(!stdout(&output).contains("[Event"));
    let written = std::fs::read_to_string(&path).expect("a game");
    assert_eq!(documents(&written)[0].tree.len(), 2);
}

#[test]
fn a_draw_is_taken_unless_the_engine_stands_better() {
    let ahead = "4k3/8/8/8/8/8/8/Q3K3 w - - 0 1";
    let (text, game) = played(&["--fen", ahead], "draw\nqb1\ndraw\n");
    assert!(text.contains("Saavedra plays on.") && text.contains("1/2-1/2: draw by"), "{text}");
    assert_eq!(result_text(game.result), "1/2-1/2");
    let behind = "q3k3/8/8/8/8/8/8/4K3 w - - 0 1";
    let (text, game) = played(&["--fen", behind], "kf2\ndraw\nquit\n");
    assert!(text.contains("Saavedra plays on."), "{text}");
    assert_eq!(result_text(game.result), "*");
}

#[test]
fn a_draw_is_offered_in_a_level_endgame() {
    // Nobody gets through; the user's king walks through a part of the board once.
    let fen = "4k3/8/1p1p1p1p/pPpPpPpP/P1P1P1P1/8/8/4K3 w - - 0 60";
    let walk = "kd1 kc1 kb1 ka1 ka2 kb2 kc2 kd2 ke2 kf2 kg2 kh2 kh3 kg3 kf3".replace(' ', "\n");
    let (text, _) = played(&["--fen", fen], &format!("{walk}\nquit\n"));
    assert!(text.contains("Saavedra offers a draw."), "{text}");
}

#[test]
fn a_fen_is_printed_only_when_asked() {
    let (text, _) = played(&[], "e5\ne2e5\nKe2\nx\nquit\n");
    let (board, _) = text.split_once("[Event").expect("a record");
    assert!(!board.contains(" w KQkq"), "{board}");
    for reason in ["no legal move matches \"e5\";", "illegal move e2e5: ", "\"x\" is not"] {
        assert!(board.contains(reason), "{reason}: {board}");
    }
    let (text, _) = played(&[], "fen\nquit\n");
    assert!(text.contains(saavedra::chess::Board::startpos().to_fen().as_str()), "{text}");
}

#[test]
fn the_engine_plays_at_the_given_strength() {
    let (_, game) = played(&["--elo", "1600"], "e4\nquit\n");
    assert_eq!(game.tag("BlackElo"), Some("1600"));
    assert_eq!(game.tree.len(), 2);
    let output = saavedra(&["play", "--elo", "1"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("--elo 1: "), "{}", stderr(&output));
}

/// A whole game at a pseudo-terminal, created by the program `script`: the user plays the hints
/// until checkmate.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "needs the program `script`; run by .ci/run"]
fn a_game_at_a_terminal_is_played_to_mate_by_hints() {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::process::{Command, Stdio};
    let program = env!("CARGO_BIN_EXE_saavedra");
    let fen = "8/8/8/4k3/8/8/1R6/R3K3 w - - 0 1";
    let play = format!("'{program}' play --nodes 4000 --fen '{fen}'");
    let mut child = Command::new("script")
        .args(["-qec", &play, "/dev/null"])
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`script` starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let mut stdout = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut transcript = String::new();
    stdin.write_all(b"hint\n").expect("it listens");
    loop {
        let mut line = String::new();
        assert!(stdout.read_line(&mut line).expect("text") > 0, "{transcript}");
        transcript += &line;
        if let Some((_, hint)) = line.split_once("Hint: ") {
            let m = hint.split_whitespace().nth(1).expect("a move");
            stdin.write_all(format!("{m}\n").as_bytes()).expect("it listens");
        } else if line.contains("Saavedra plays") {
            stdin.write_all(b"hint\n").expect("it listens");
        } else if line.contains(": checkmate") {
            break;
        }
    }
    stdout.read_to_string(&mut transcript).expect("text");
    assert!(child.wait().expect("it ends").success(), "{transcript}");
    assert!(transcript.contains("1-0: checkmate"), "{transcript}");
    assert!(transcript.contains("\u{1b}[48;5;"), "the board has colours");
    assert!(transcript.contains("[Result \"1-0\"]"), "{transcript}");
}
