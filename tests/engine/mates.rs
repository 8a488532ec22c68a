//! Mates in two to six moves: what the file has is proved by brute force, and most of it is found.

mod generator;

use crate::support::board;
use saavedra::chess::{Board, Move};
use saavedra::engine::{Limits, Searcher};
use saavedra::eval::Evaluation;
use saavedra::formats::epd;
use saavedra::search::SearchRequest;
use std::collections::HashSet;

/// Positions with the length of the shortest mate and all moves that begin one.
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/mates.epd");

/// The number of rows.
const COUNT: usize = 165;

/// How many of them a search finds, at least.
const MIN_FOUND: usize = 130;

/// A row of the file.
struct Row {
    board: Board,
    /// Moves to the shortest mate of the side to move.
    distance: u32,
    /// The moves that begin a mate of this length.
    keys: Vec<Move>,
    /// The game or random position it is from.
    id: String,
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(DATA).expect("the file");
    text.lines().map(row).collect()
}

fn row(line: &str) -> Row {
    let document = epd::import(line).unwrap_or_else(|error| panic!("{line}: {error}"));
    let operation = |name: &str| {
        let found = document.operations.iter().find(|operation| operation.name == name);
        found.unwrap_or_else(|| panic!("{name}: {line}"))
    };
    Row {
        board: *document.tree.start(),
        distance: operation("dm").operands[0].parse().expect("a number"),
        keys: operation("bm").moves.clone(),
        id: operation("id").operands[0].clone(),
    }
}

/// Whether a move gives no check, captures nothing and does not promote.
fn is_quiet(board: &Board, m: Move) -> bool {
    !board.gives_check(m) && !board.is_capture(m) && !m.is_promotion()
}

/// Whether the side to move mates within this number of moves: every move against every reply.
fn mates(board: &Board, moves: u32) -> bool {
    moves > 0 && board.children().any(|(_, child)| is_mated(&child, moves - 1))
}

/// Whether the side to move is mated, now or within this number of moves whatever it plays.
fn is_mated(board: &Board, moves: u32) -> bool {
    board.is_checkmate()
        || (moves > 0
            && board.has_legal_move()
            && board.children().all(|(_, child)| mates(&child, moves)))
}

#[test]
fn brute_force_knows_what_a_mate_is() {
    for (fen, distance) in [
        ("6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", 1),
        ("8/8/8/8/8/1k6/7r/K7 b - - 0 1", 1),
        ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 2),
        ("7k/8/5K2/8/8/8/8/R7 w - - 0 1", 2),
    ] {
        assert!(mates(&board(fen), distance), "{fen}");
        assert!(!mates(&board(fen), distance - 1), "{fen}");
    }
    assert!(is_mated(&board("8/8/8/8/8/1k6/7r/K7 w - - 0 1"), 1), "after its only move");
    assert!(!is_mated(&board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"), 3), "stalemate");
}

#[test]
fn the_mates_are_of_all_lengths_and_many_begin_with_a_quiet_move() {
    let rows = rows();
    assert_eq!(rows.len(), COUNT);
    for (distance, least) in [(2, 25), (3, 25), (4, 25), (5, 25), (6, 10)] {
        let count = rows.iter().filter(|row| row.distance == distance).count();
        assert!(count >= least, "{count} mates in {distance}");
    }
    let quiet = |row: &&Row| row.keys.iter().all(|m| is_quiet(&row.board, *m));
    let quiet = rows.iter().filter(quiet).count();
    assert!(quiet >= 60, "{quiet} with quiet key moves only");
    let sources: HashSet<_> = rows.iter().map(|row| &row.id).collect();
    assert_eq!(sources.len(), COUNT, "one position of a game");
}

#[test]
fn brute_force_proves_the_short_mates() {
    for row in rows().iter().filter(|row| row.distance <= 3) {
        let fen = row.board.to_fen();
        assert!(!mates(&row.board, row.distance - 1), "{fen}");
        let is_key = |(_, child): &(Move, Board)| is_mated(child, row.distance - 1);
        let keys: HashSet<Move> = row.board.children().filter(is_key).map(|(m, _)| m).collect();
        assert_eq!(keys, row.keys.iter().copied().collect(), "{fen}");
    }
}

#[test]
fn a_short_search_finds_most_mates_and_no_wrong_ones() {
    let mut searcher = Searcher::new(16, &Evaluation::embedded()).expect("a searcher");
    let mut found = 0;
    for row in rows() {
        let fen = row.board.to_fen();
        searcher.clear();
        let result = searcher.search(&SearchRequest::new(row.board, Limits::nodes(100_000)));
        let line = result.line().expect("a line");
        let end = line.pv.iter().fold(row.board, |board, m| {
            assert!(board.is_legal(*m), "{fen}: {m}");
            board.make(*m)
        });
        let Some(moves) = line.score.mate() else { continue };
        assert!(moves >= row.distance as i32, "{fen}: mate in {moves} of {}", row.distance);
        assert_eq!(line.pv.len(), 2 * moves as usize - 1, "{fen}");
        assert!(end.is_checkmate(), "{fen}");
        found += 1;
    }
    println!("{found} of {COUNT}");
    assert!(found >= MIN_FOUND, "{found}");
}
