//! Motifs: the definitions by examples and counter-examples, and how many are found in positions
//! that were labelled by hand.

use crate::endgames::bundled_tablebases;
use crate::explain::twin::mates_in;
use crate::support::board;
use saavedra::analysis::motif::{Motif, MotifName, fortress, lasting, motifs};
use saavedra::chess::{Board, KeyHistory, Move, Square};
use saavedra::engine::{Limits, Searcher};
use saavedra::eval::Evaluation;
use saavedra::search::SearchRequest;
use saavedra::search::score::Score;
use std::collections::HashMap;

/// Positions with their solutions and motifs, labelled by hand.
const WIN_AT_CHESS: &str = include_str!("../data/win_at_chess_motifs.txt");

/// The rest of the suite, labelled after the detectors were tuned.
const WIN_AT_CHESS_LATER: &str = include_str!("../data/win_at_chess_motifs_later.txt");

/// Examples and counter-examples of the definitions.
const EXAMPLES: &str = include_str!("../data/motif_examples.txt");

/// The lines of a table without comments, split into fields.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split(';').map(str::trim).collect())
}

/// The line that begins with a move, and its score, by a search after it. A short line is continued.
fn line_of(searcher: &mut Searcher, board: &Board, first: Move, nodes: u64) -> (Vec<Move>, Score) {
    const MIN_PLIES: usize = 8;
    searcher.clear();
    let mut at = board.make(first);
    let (mut line, mut score) = (vec![first], None);
    let mut previous_keys: KeyHistory = std::iter::once(board.key()).collect();
    while line.len() < MIN_PLIES && at.has_legal_move() {
        let limits = Limits::nodes(nodes);
        let request = SearchRequest {
            previous_keys: previous_keys.clone(),
            ..SearchRequest::new(at, limits)
        };
        let found = searcher.search(&request);
        let Some(best) = found.line() else { break };
        score = score.or(Some(best.score.before_move()));
        for m in &best.pv {
            previous_keys.push(&at);
            at = at.make(*m);
            line.push(*m);
        }
    }
    (line, score.unwrap_or_else(|| Score::of_game_over(&at).before_move()))
}

fn tokens(motifs: &[Motif]) -> Vec<&'static str> {
    motifs.iter().map(|motif| motif.name.token()).collect()
}

/// How many labelled motifs of solutions are named, and how many claims are right.
#[derive(Default)]
struct Tally {
    labelled: usize,
    named: usize,
    claims: usize,
    right: usize,
}

impl Tally {
    /// The tally of a table. Prints what is missed or wrong.
    fn of_table(table: &str) -> Tally {
        const NODES: u64 = 100_000;
        let mut searcher = Searcher::new(8, &Evaluation::embedded()).expect("a searcher");
        let mut tally = Tally::default();
        for row in rows(table) {
            let [fen, solution, labels] = row[..] else { panic!("three fields: {row:?}") };
            let position = board(fen);
            let m = position.parse_san(solution).expect("a legal move");
            let (line, score) = line_of(&mut searcher, &position, m, NODES);
            let found = tokens(&motifs(&position, &line, score));
            let accepted: Vec<&str> = labels.split(' ').collect();
            let is_known = |label: &&str| {
                *label == "-" || MotifName::ALL.iter().any(|name| name.token() == *label)
            };
            assert!(accepted.iter().all(is_known), "{fen}: {labels}");
            let main = accepted.first().filter(|label| **label != "-");
            let is_named = main.map(|main| found.contains(main));
            let right = found.iter().filter(|token| accepted.contains(token)).count();
            tally.labelled += usize::from(is_named.is_some());
            tally.named += usize::from(is_named == Some(true));
            tally.claims += found.len();
            tally.right += right;
            if is_named == Some(false) || right < found.len() {
                let line = saavedra::analysis::line_text(&position, &line);
                println!("{fen} | {line} | {score} | {labels} | {}", found.join(" "));
            }
        }
        tally
    }

    /// Asserts the shares of motifs that are named and of claims that are right, in per cent.
    fn reaches(&self, recall: usize, precision: usize) {
        let Tally { labelled, named, claims, right } = self;
        println!("recall {named} of {labelled}, precision {right} of {claims}");
        assert!(named * 100 >= labelled * recall, "{named} of {labelled} motifs are named");
        assert!(right * 100 >= claims * precision, "{right} of {claims} claims are right");
    }
}

#[test]
fn motifs_of_labelled_solutions_are_named() {
    Tally::of_table(WIN_AT_CHESS).reaches(90, 95);
}

/// Measured: see `docs/EXPLAIN.md`.
#[test]
fn motifs_of_solutions_labelled_later_are_named_as_measured() {
    Tally::of_table(WIN_AT_CHESS_LATER).reaches(25, 84);
}

/// The score of a line by the rules alone: a mate that every move proves, a draw on the board or by
/// repetition, and otherwise any other score.
fn score_by_rules(board: &Board, line: &[Move]) -> Score {
    const OTHER: i32 = 100;
    let mut boards = vec![*board];
    for m in line {
        boards.push(boards[boards.len() - 1].make(*m));
    }
    let (last, earlier) = boards.split_last().expect("a board");
    let moves = line.len().div_ceil(2) as u32;
    let repeats = earlier.iter().any(|at| at.key() == last.key());
    if last.is_checkmate() && line.len() % 2 == 1 && mates_in(board, moves) {
        Score::from_mate(moves as i32)
    } else if repeats || !last.has_legal_move() && !last.in_check() {
        Score::DRAW
    } else {
        Score::from(OTHER)
    }
}

#[test]
fn definitions_hold_for_their_examples_and_not_for_near_misses() {
    const EACH: usize = 3;
    let tablebases = bundled_tablebases();
    let mut counts: HashMap<(&str, bool), usize> = HashMap::new();
    let mut wrong = Vec::new();
    for row in rows(EXAMPLES) {
        let [token, answer, fen, moves, _] = row[..] else { panic!("five fields: {row:?}") };
        let (board, is_example) = (board(fen), answer == "yes");
        let found = if let Ok(square) = moves.parse::<Square>() {
            let all = lasting(&board).into_iter();
            all.filter(|m| m.side == board.turn() && m.squares[0] == square).collect()
        } else {
            let mut at = board;
            let read = |san: &str| {
                let m = at.parse_san(san).unwrap_or_else(|error| panic!("{fen} {san}: {error}"));
                at = at.make(m);
                m
            };
            let line: Vec<Move> = moves.split(' ').map(read).collect();
            let mut found = motifs(&board, &line, score_by_rules(&board, &line));
            found.extend(fortress(&board.make(line[0]), &tablebases));
            found
        };
        *counts.entry((token, is_example)).or_default() += 1;
        if tokens(&found).contains(&token) != is_example {
            wrong.push(format!("{} found {:?}", row.join("; "), tokens(&found)));
        }
    }
    for name in MotifName::ALL {
        for is_example in [true, false] {
            let count = counts.get(&(name.token(), is_example)).copied().unwrap_or(0);
            assert!(count >= EACH, "{name:?} {is_example}: {count} rows");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_of_motifs_are_distinct() {
    let mut tokens: Vec<&str> = MotifName::ALL.iter().map(|name| name.token()).collect();
    tokens.sort_unstable();
    tokens.dedup();
    assert_eq!(tokens.len(), MotifName::ALL.len());
}
