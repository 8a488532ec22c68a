//! The suites of `perft/`, limited in nodes so that they take seconds, and the claims in the
//! comments of `tricky.epd`.

use saavedra_chess::Board;
use saavedra_chess::perft::{perft, slow_perft};
use std::path::Path;

/// Larger counts are checked by `saavedra perft --suite` only.
const BULK_NODES: u64 = 1_000_000;
/// The same for perft without bulk counting.
const SLOW_NODES: u64 = 20_000;

/// A line of a suite.
struct Line {
    /// `file:line`, for messages.
    place: String,
    fen: String,
    board: Board,
    /// Depths with their perft.
    counts: Vec<(u32, u64)>,
    comment: String,
}

fn suite(file: &str) -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../perft").join(file);
    let text = std::fs::read_to_string(path).expect("the suite exists");
    let lines = text.lines().enumerate();
    lines.map(|(index, line)| parse(format!("{file}:{}", index + 1), line)).collect()
}

fn parse(place: String, line: &str) -> Line {
    let (body, comment) = line.split_once(";#").unwrap_or((line, ""));
    let mut fields = body.split(';').map(str::trim);
    let fen = fields.next().expect("a FEN").to_owned();
    let board = Board::from_fen(&fen).unwrap_or_else(|error| panic!("{place}: {error}"));
    let counts = fields.filter(|field| !field.is_empty()).map(|field| {
        let (depth, nodes) = field.split_once(' ').expect("Dn count");
        let depth = depth.strip_prefix('D').expect("D before the depth");
        (depth.parse().expect("a depth"), nodes.trim().parse().expect("a count"))
    });
    Line { counts: counts.collect(), comment: comment.trim().to_owned(), place, fen, board }
}

/// Perft that checks each parent after making its moves.
fn checked_perft(board: &Board, depth: u32) -> u64 {
    let before = *board;
    let moves = board.legal_moves();
    let nodes = if depth == 0 {
        1
    } else {
        moves.iter().map(|m| checked_perft(&board.make(*m), depth - 1)).sum()
    };
    assert_eq!(*board, before, "make changed its parent");
    assert_eq!(board.key(), board.compute_key(), "the incremental key is wrong");
    nodes
}

fn check(file: &str) {
    for line in suite(file) {
        let flipped = line.board.flipped();
        for (depth, nodes) in &line.counts {
            let message = |how| format!("{} {how}, depth {depth}: {}", line.place, line.fen);
            if *nodes <= BULK_NODES {
                assert_eq!(perft(&line.board, *depth), *nodes, "{}", message("perft"));
                assert_eq!(perft(&flipped, *depth), *nodes, "{}", message("colours exchanged"));
            }
            if *nodes <= SLOW_NODES {
                let (slow, checked) =
                    (slow_perft(&line.board, *depth), checked_perft(&line.board, *depth));
                assert_eq!(slow, *nodes, "{}", message("slow_perft"));
                assert_eq!(checked, *nodes, "{}", message("checked_perft"));
            }
        }
    }
}

#[test]
fn standard_suite() {
    check("standard.epd");
}

#[test]
fn chess960_suite() {
    check("chess960.epd");
}

#[test]
fn random_suite() {
    check("random.epd");
}

#[test]
fn tricky_suite() {
    check("tricky.epd");
}

/// Whether castling rights are files of rooks, so that castling is written as king takes rook.
fn is_chess960(fen: &str) -> bool {
    let castling = fen.split(' ').nth(2).unwrap_or("-");
    castling.contains(|c: char| !"KQkq-".contains(c))
}

/// Checks one group of claims: `b7a8n: -e8c8`, or claims about the position itself.
fn check_claims(line: &Line, group: &str) {
    let (moves, claims) = group.split_once(':').unwrap_or(("", group));
    let board = moves.split_whitespace().fold(line.board, |board, text| {
        board.try_make_uci(text).unwrap_or_else(|error| panic!("{}: {error}", line.place))
    });
    let list = board.legal_moves();
    let legal: Vec<String> = list.iter().map(|m| board.uci(*m, is_chess960(&line.fen))).collect();
    for claim in claims.split_whitespace() {
        let (sign, texts) = claim.split_at(1);
        let moves: Vec<&str> = texts.split(',').filter(|text| *text != "0").collect();
        let holds = match sign {
            "+" => moves.iter().all(|text| legal.iter().any(|m| m == text)),
            "-" => moves.iter().all(|text| legal.iter().all(|m| m != text)),
            "=" => legal.len() == moves.len() && moves.iter().all(|t| legal.iter().any(|m| m == t)),
            other => panic!("{}: claims start with + - or =, not {other}", line.place),
        };
        assert!(holds, "{} ({}): {group}: {claim}", line.place, line.fen);
    }
}

/// The groups in parentheses that contain claims.
fn claims(comment: &str) -> impl Iterator<Item = &str> {
    comment
        .split('(')
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|group| group.split_whitespace().any(|word| word.starts_with(['+', '-', '='])))
}

#[test]
fn claims_of_the_tricky_suite_hold() {
    let lines = suite("tricky.epd");
    assert!(lines.len() >= 60);
    for line in &lines {
        assert!(!line.comment.is_empty(), "{} has no comment", line.place);
        for group in claims(&line.comment) {
            check_claims(line, group);
        }
    }
    let checked = lines.iter().flat_map(|line| claims(&line.comment)).count();
    assert!(checked > 100, "only {checked} claims found");
}
