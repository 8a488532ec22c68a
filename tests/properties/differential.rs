//! The rules compared with an independent implementation, the crate `shakmaty`, on random
//! positions.

use crate::support::{Random, random_boards, random_setup};
use saavedra::chess::{Board, Color, Move, MoveKind, PieceKind, Square};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen, san::SanPlus};
use std::collections::HashSet;

/// The number of positions of an ordinary run.
const COUNT: usize = 12_000;
/// The number of positions of the ignored tests: `cargo test --release -- --ignored`.
const LARGE_COUNT: usize = 400_000;

/// The numbers of rare cases in the random positions, to check that they occur.
#[derive(Default, Debug)]
struct Coverage {
    castlings: usize,
    en_passants: usize,
    promotions: usize,
    checks: usize,
    double_checks: usize,
    mates: usize,
    stalemates: usize,
    insufficient_material: usize,
    chess960: usize,
}

fn theirs(board: &Board) -> Chess {
    let fen: Fen = board.to_fen().parse().expect("a FEN");
    let position = fen.into_position::<Chess>(CastlingMode::Chess960);
    position
        .or_else(shakmaty::PositionError::ignore_impossible_check)
        .or_else(shakmaty::PositionError::ignore_too_much_material)
        .unwrap_or_else(|error| panic!("{}: {error}", board.to_fen()))
}

/// A move as origin, target, promotion, castling and en passant.
fn parts_of_theirs(m: shakmaty::Move) -> (u8, u8, Option<char>, bool, bool) {
    let from = m.from().expect("no drops in standard chess") as u8;
    let promotion = m.promotion().map(shakmaty::Role::char);
    (from, m.to() as u8, promotion, m.is_castle(), m.is_en_passant())
}

fn parts(m: Move) -> (u8, u8, Option<char>, bool, bool) {
    (
        m.from().index() as u8,
        m.to().index() as u8,
        m.promotion().map(PieceKind::letter),
        m.is_castling(),
        m.is_en_passant(),
    )
}

/// Compares everything that both implementations compute for a position.
fn compare(board: &Board, coverage: &mut Coverage) {
    let fen = board.to_fen();
    let theirs = theirs(board);
    assert_eq!(Fen::from_position(&theirs, EnPassantMode::Legal).to_string(), fen);
    assert_eq!(board.in_check(), theirs.is_check(), "check: {fen}");
    assert_eq!(board.checkers().0, theirs.checkers().0, "checkers: {fen}");
    let has_move = board.has_legal_move();
    assert_eq!(board.in_check() && !has_move, theirs.is_checkmate(), "mate: {fen}");
    assert_eq!(!board.in_check() && !has_move, theirs.is_stalemate(), "stalemate: {fen}");
    let insufficient = theirs.is_insufficient_material();
    assert_eq!(board.has_insufficient_material(), insufficient, "insufficient material: {fen}");
    for (ours, color) in
        [(Color::White, shakmaty::Color::White), (Color::Black, shakmaty::Color::Black)]
    {
        let can_mate = !theirs.has_insufficient_material(color);
        assert_eq!(board.can_mate(ours), can_mate, "{ours:?} can mate: {fen}");
    }
    compare_moves(board, &theirs, coverage);
    coverage.checks += usize::from(board.in_check());
    coverage.double_checks += usize::from(board.checkers().more_than_one());
    coverage.mates += usize::from(theirs.is_checkmate());
    coverage.stalemates += usize::from(theirs.is_stalemate());
    coverage.insufficient_material += usize::from(insufficient);
    coverage.chess960 += usize::from(board.is_chess960());
}

fn compare_moves(board: &Board, theirs: &Chess, coverage: &mut Coverage) {
    let fen = board.to_fen();
    let moves = board.legal_moves();
    let their_moves = theirs.legal_moves();
    assert_eq!(moves.len(), board.count_legal_moves() as usize, "{fen}");
    assert_eq!(moves.len(), their_moves.len(), "{fen}: {moves:?}");
    for m in &moves {
        let other = their_moves.iter().find(|other| parts_of_theirs(**other) == parts(m));
        let Some(other) = other else {
            panic!("{m:?} is not legal: {fen}");
        };
        let san = board.san(m);
        assert_eq!(san, SanPlus::from_move(theirs.clone(), *other).to_string(), "{fen}");
        assert_eq!(board.parse_san(&san), Ok(m), "{san}: {fen}");
        let mut child = theirs.clone();
        child.play_unchecked(*other);
        let child_fen = Fen::from_position(&child, EnPassantMode::Legal).to_string();
        assert_eq!(board.make(m).to_fen(), child_fen, "{san}: {fen}");
        coverage.castlings += usize::from(m.is_castling());
        coverage.en_passants += usize::from(m.is_en_passant());
        coverage.promotions += usize::from(m.is_promotion());
    }
}

fn compare_all(count: usize) {
    let mut coverage = Coverage::default();
    for board in random_boards(count, 1) {
        compare(&board, &mut coverage);
    }
    println!("{coverage:?}");
    // Minimum for each thousand positions.
    let minimums = [
        (coverage.castlings, 10),
        (coverage.en_passants, 3),
        (coverage.promotions, 10),
        (coverage.checks, 10),
        (coverage.double_checks, 1),
        (coverage.mates, 1),
        (coverage.insufficient_material, 1),
        (coverage.chess960, 10),
    ];
    for (found, minimum) in minimums {
        assert!(found >= minimum * count / 1000, "only {found} cases");
    }
    assert!(coverage.stalemates > 0, "no stalemate");
}

#[test]
fn positions_equal_those_of_another_implementation() {
    compare_all(COUNT);
}

#[test]
#[ignore = "takes a minute; run by .ci/run"]
fn many_positions_equal_those_of_another_implementation() {
    compare_all(LARGE_COUNT);
}

/// Invariants of the legal moves of a position.
fn check_moves(board: &Board) {
    let fen = board.to_fen();
    let before = *board;
    let moves = board.legal_moves();
    let mut captures_en_passant = false;
    for m in &moves {
        let child = board.make(m);
        assert_eq!(child.key(), child.compute_key(), "{m:?}: {fen}");
        assert_eq!(board.gives_check(m), child.in_check(), "{m:?}: {fen}");
        assert_eq!(board.try_make(m), Ok(child), "{m:?}: {fen}");
        assert!(!child.is_in_check(board.turn()), "{m:?}: {fen}");
        for chess960 in [false, true] {
            let text = board.uci(m, chess960);
            assert_eq!(board.parse_uci(&text), Ok(m), "{text}: {fen}");
        }
        captures_en_passant |= m.is_en_passant();
    }
    assert_eq!(*board, before, "make changed its parent: {fen}");
    // Set only if an en passant capture is legal, so that equal positions have equal keys.
    assert_eq!(board.en_passant().is_some(), captures_en_passant, "{fen}");
    for text in [board.to_fen(), board.to_shredder_fen()] {
        let (read, repairs) = Board::from_fen_with_repairs(&text).expect("the FEN of a board");
        assert_eq!((read, repairs), (*board, vec![]), "{text}");
    }
}

/// With colours exchanged, a position has the same moves on mirrored squares.
fn check_flipped(board: &Board) {
    let flipped = board.flipped();
    let fen = board.to_fen();
    assert_eq!(flipped.flipped(), *board, "{fen}");
    assert_eq!(flipped.key(), flipped.compute_key(), "{fen}");
    assert_eq!(flipped.in_check(), board.in_check(), "{fen}");
    let mirrored: HashSet<Move> = board
        .legal_moves()
        .iter()
        .map(|m| Move::new(m.from().flip_rank(), m.to().flip_rank(), m.kind()))
        .collect();
    let moves: HashSet<Move> = flipped.legal_moves().iter().copied().collect();
    assert_eq!(moves, mirrored, "{fen}");
    for m in &moves {
        let back = Move::new(m.from().flip_rank(), m.to().flip_rank(), m.kind());
        for threshold in [-500, -100, 0, 1, 100, 300] {
            let exchange = board.see_ge(back, threshold);
            assert_eq!(flipped.see_ge(*m, threshold), exchange, "{back:?}: {fen}");
        }
        // Equal but for the move number.
        let (child, mirrored_child) = (flipped.make(*m), board.make(back).flipped());
        assert!(child.same_position(&mirrored_child), "{back:?}: {fen}");
    }
}

#[test]
fn invariants_hold() {
    for board in random_boards(COUNT, 2) {
        check_moves(&board);
        check_flipped(&board);
    }
}

#[test]
#[ignore = "takes a minute; run by .ci/run"]
fn invariants_hold_in_many_positions() {
    for board in random_boards(LARGE_COUNT, 3) {
        check_moves(&board);
        check_flipped(&board);
    }
}

/// `is_legal` of all 16-bit moves in 2,000 positions.
#[test]
fn is_legal_agrees_with_the_list_of_legal_moves() {
    let every: Vec<Move> = (0..=u16::MAX).filter_map(Move::from_bits).collect();
    for board in random_boards(40_000, 4).into_iter().step_by(20) {
        let moves = board.legal_moves();
        let legal = every.iter().filter(|m| board.is_legal(**m));
        let legal: HashSet<Move> = legal.copied().collect();
        assert_eq!(legal, moves.iter().copied().collect(), "{board:?}");
        assert_eq!(legal.len(), moves.len(), "{board:?}: a duplicate move");
    }
}

/// The texts of all pairs of squares with all promotions.
#[test]
fn uci_texts_are_legal_moves_or_errors() {
    for board in random_boards(8_000, 5).into_iter().step_by(100) {
        let legal: HashSet<Move> = board.legal_moves().iter().copied().collect();
        for from in Square::ALL {
            for to in Square::ALL {
                for promotion in ["", "n", "b", "r", "q", "k", "p"] {
                    let text = format!("{from}{to}{promotion}");
                    match board.parse_uci(&text) {
                        Ok(m) => {
                            assert!(legal.contains(&m), "{text}: {board:?}");
                            assert_eq!(board.try_make_uci(&text), Ok(board.make(m)));
                        }
                        Err(error) => assert_eq!((error.text, error.fen), (text, board.to_fen())),
                    }
                }
            }
        }
    }
}

/// The noisy and the quiet moves are together the list of legal moves, without duplicates.
#[test]
fn noisy_and_quiet_moves_are_all_moves() {
    use saavedra::chess::{GenType, MoveList};
    for board in random_boards(COUNT, 6) {
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        board.generate_moves(GenType::Noisy, &mut noisy);
        board.generate_moves(GenType::Quiet, &mut quiet);
        let is_capture = |m: Move| !m.is_castling() && board.occupied().has(m.to());
        for m in &noisy {
            assert!(is_capture(m) || m.is_en_passant() || m.is_promotion(), "{m:?}: {board:?}");
        }
        for m in &quiet {
            assert!(!is_capture(m) && !m.is_en_passant() && !m.is_promotion(), "{m:?}: {board:?}");
        }
        let both: HashSet<Move> = noisy.iter().chain(quiet.iter()).copied().collect();
        assert_eq!(both.len(), noisy.len() + quiet.len(), "{board:?}");
        assert_eq!(both, board.legal_moves().iter().copied().collect(), "{board:?}");
    }
}

/// Compares which setups are illegal. (`shakmaty` rejects more: it counts promoted bishops by the
/// colour of their square, and rejects checks that no move can give.)
#[test]
fn the_same_setups_are_legal() {
    let mut random = Random::new(7);
    let (mut legal, mut illegal) = (0, 0);
    for _ in 0..20_000 {
        let setup = random_setup(&mut random);
        let mut theirs = shakmaty::Setup::empty();
        theirs.turn = match setup.turn() {
            Color::White => shakmaty::Color::White,
            Color::Black => shakmaty::Color::Black,
        };
        for square in Square::ALL {
            if let Some(piece) = setup.piece_at(square) {
                let piece = shakmaty::Piece::from_char(piece.letter()).expect("a piece");
                theirs.board.set_piece_at(shakmaty::Square::new(square.index() as u32), piece);
            }
        }
        let position = theirs
            .position::<Chess>(CastlingMode::Chess960)
            .or_else(shakmaty::PositionError::ignore_impossible_check)
            .or_else(shakmaty::PositionError::ignore_too_much_material);
        match setup.to_board() {
            Ok(_) => {
                assert!(position.is_ok(), "{setup:?}: {position:?}");
                legal += 1;
            }
            Err(error) => {
                let only_material = error.reasons.iter().all(|reason| {
                    use saavedra::chess::IllegalPosition::*;
                    matches!(
                        reason,
                        TooManyPieces(..) | TooManyPawns(..) | TooManyPromotedPieces(..)
                    )
                });
                assert!(position.is_err() || only_material, "{setup:?}: {error}");
                illegal += 1;
            }
        }
    }
    assert!(legal > 5_000 && illegal > 2_000, "{legal} legal, {illegal} illegal");
}

#[test]
fn the_piece_of_a_move_is_the_piece_that_moves() {
    for board in random_boards(2_000, 8) {
        for m in &board.legal_moves() {
            assert_eq!(board.us().piece_at(m.from()), Some(m.piece()), "{m:?}: {board:?}");
            if let MoveKind::Normal(PieceKind::Pawn) = m.kind() {
                assert!(!(!board.turn()).back_rank().has(m.to()), "{m:?}: {board:?}");
            }
        }
    }
}
