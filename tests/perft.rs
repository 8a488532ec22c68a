//! The suites of `perft/`, capped by nodes so that they take seconds, and what the comments of
//! `tricky.epd` claim.

use saavedra::chess::Board;
use saavedra::chess::perft::{perft, slow_perft};
use std::path::Path;

/// Counts above this are left to `saavedra perft --suite`.
const BULK_NODES: u64 = 1_000_000;
/// The same for counting move by move.
const SLOW_NODES: u64 = 20_000;

/// A line of a suite.
struct Line {
    /// `file:line`, for messages.
    place: String,
    fen: String,
    board: Board,
    /// Depths and their numbers of leaf nodes.
    counts: Vec<(u32, u64)>,
    comment: String,
}

fn suite(file: &str) -> Vec<Line> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("perft")
        .join(file);
    let text = std::fs::read_to_string(path).expect("the suite exists");
    let lines = text.lines().enumerate();
    lines
        .map(|(index, line)| parse(format!("{file}:{}", index + 1), line))
        .collect()
}

fn parse(place: String, line: &str) -> Line {
    let (body, comment) = line.split_once(";#").unwrap_or((line, ""));
    let mut fields = body.split(';').map(str::trim);
    let fen = fields.next().expect("a FEN").to_owned();
    let board = Board::from_fen(&fen).unwrap_or_else(|error| panic!("{place}: {error}"));
    let counts = fields.filter(|field| !field.is_empty()).map(|field| {
        let (depth, nodes) = field.split_once(' ').expect("Dn count");
        let depth = depth.strip_prefix('D').expect("D before the depth");
        (
            depth.parse().expect("a depth"),
            nodes.trim().parse().expect("a count"),
        )
    });
    Line {
        counts: counts.collect(),
        comment: comment.trim().to_owned(),
        place,
        fen,
        board,
    }
}

/// Leaf nodes, one move after the other; every parent must come out as it went in.
fn careful_perft(board: &Board, depth: u32) -> u64 {
    let before = *board;
    let moves = board.legal_moves();
    let nodes = if depth == 0 {
        1
    } else {
        moves
            .iter()
            .map(|m| careful_perft(&board.make(*m), depth - 1))
            .sum()
    };
    assert_eq!(*board, before, "make changes its parent");
    assert_eq!(board.key(), board.compute_key(), "the key has drifted");
    nodes
}

fn check(file: &str) {
    for line in suite(file) {
        let flipped = line.board.flipped();
        for (depth, nodes) in &line.counts {
            let says = |how| format!("{} {how} to depth {depth}: {}", line.place, line.fen);
            if *nodes <= BULK_NODES {
                assert_eq!(perft(&line.board, *depth), *nodes, "{}", says("in bulk"));
                assert_eq!(perft(&flipped, *depth), *nodes, "{}", says("flipped"));
            }
            if *nodes <= SLOW_NODES {
                let (slow, careful) = (
                    slow_perft(&line.board, *depth),
                    careful_perft(&line.board, *depth),
                );
                assert_eq!(slow, *nodes, "{}", says("one by one"));
                assert_eq!(careful, *nodes, "{}", says("with make"));
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

/// Whether the castling field names the rooks' files, so that castling is written king takes rook.
fn is_chess960(fen: &str) -> bool {
    let castling = fen.split(' ').nth(2).unwrap_or("-");
    castling.contains(|c: char| !"KQkq-".contains(c))
}

/// One group of claims: `b7a8n: -e8c8`, or claims about the position itself.
fn check_claims(line: &Line, group: &str) {
    let (moves, claims) = group.split_once(':').unwrap_or(("", group));
    let board = moves.split_whitespace().fold(line.board, |board, text| {
        board
            .try_make_uci(text)
            .unwrap_or_else(|error| panic!("{}: {error}", line.place))
    });
    let list = board.legal_moves();
    let legal: Vec<String> = list
        .iter()
        .map(|m| board.uci(*m, is_chess960(&line.fen)))
        .collect();
    for claim in claims.split_whitespace() {
        let (sign, texts) = claim.split_at(1);
        let moves: Vec<&str> = texts.split(',').filter(|text| *text != "0").collect();
        let holds = match sign {
            "+" => moves.iter().all(|text| legal.iter().any(|m| m == text)),
            "-" => moves.iter().all(|text| legal.iter().all(|m| m != text)),
            "=" => legal.len() == moves.len() && moves.iter().all(|t| legal.iter().any(|m| m == t)),
            other => panic!("{}: claims begin with + - or =, not {other}", line.place),
        };
        assert!(holds, "{} ({}): {group}: {claim}", line.place, line.fen);
    }
}

/// The groups in parentheses that hold claims.
fn claims(comment: &str) -> impl Iterator<Item = &str> {
    comment
        .split('(')
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|group| {
            group
                .split_whitespace()
                .any(|word| word.starts_with(['+', '-', '=']))
        })
}

#[test]
fn tricky_lines_guard_what_they_say() {
    let lines = suite("tricky.epd");
    assert!(lines.len() >= 60);
    for line in &lines {
        assert!(!line.comment.is_empty(), "{} says nothing", line.place);
        for group in claims(&line.comment) {
            check_claims(line, group);
        }
    }
    let checked = lines.iter().flat_map(|line| claims(&line.comment)).count();
    assert!(checked > 100, "claims are found: {checked}");
}
