//! The rules against an independent implementation, the crate `shakmaty`, on random positions.

mod support;

use saavedra::chess::{Board, Color, Move, MoveKind, PieceKind, Square};
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen, san::SanPlus};
use std::collections::HashSet;
use support::{Random, random_boards, random_setup};

/// Positions looked at on every run, and by `cargo test --release -- --ignored`.
const SOME: usize = 12_000;
const MANY: usize = 400_000;

/// How often the rarer things were met: a test that never meets them proves nothing.
#[derive(Default, Debug)]
struct Met {
    castles: usize,
    en_passants: usize,
    promotions: usize,
    checks: usize,
    double_checks: usize,
    mates: usize,
    stalemates: usize,
    dead: usize,
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

/// Their move in our words: squares, promotion, castling and en passant.
fn words_of(m: shakmaty::Move) -> (u8, u8, Option<char>, bool, bool) {
    let from = m.from().expect("no drops here") as u8;
    let promotion = m.promotion().map(shakmaty::Role::char);
    (
        from,
        m.to() as u8,
        promotion,
        m.is_castle(),
        m.is_en_passant(),
    )
}

fn words(m: Move) -> (u8, u8, Option<char>, bool, bool) {
    (
        m.from().index() as u8,
        m.to().index() as u8,
        m.promotion().map(PieceKind::letter),
        m.is_castling(),
        m.is_en_passant(),
    )
}

/// Everything said about one position, here and there.
fn compare(board: &Board, met: &mut Met) {
    let fen = board.to_fen();
    let theirs = theirs(board);
    assert_eq!(
        Fen::from_position(&theirs, EnPassantMode::Legal).to_string(),
        fen
    );
    assert_eq!(board.in_check(), theirs.is_check(), "check: {fen}");
    assert_eq!(board.checkers().0, theirs.checkers().0, "checkers: {fen}");
    let has_move = board.has_legal_move();
    assert_eq!(
        board.in_check() && !has_move,
        theirs.is_checkmate(),
        "mate: {fen}"
    );
    assert_eq!(
        !board.in_check() && !has_move,
        theirs.is_stalemate(),
        "stalemate: {fen}"
    );
    let dead = theirs.is_insufficient_material();
    assert_eq!(
        board.has_insufficient_material(),
        dead,
        "insufficient material: {fen}"
    );
    for (ours, color) in [
        (Color::White, shakmaty::Color::White),
        (Color::Black, shakmaty::Color::Black),
    ] {
        let can_mate = !theirs.has_insufficient_material(color);
        assert_eq!(board.can_mate(ours), can_mate, "{ours:?} can mate: {fen}");
    }
    compare_moves(board, &theirs, met);
    met.checks += usize::from(board.in_check());
    met.double_checks += usize::from(board.checkers().more_than_one());
    met.mates += usize::from(theirs.is_checkmate());
    met.stalemates += usize::from(theirs.is_stalemate());
    met.dead += usize::from(dead);
    met.chess960 += usize::from(board.is_chess960());
}

fn compare_moves(board: &Board, theirs: &Chess, met: &mut Met) {
    let fen = board.to_fen();
    let moves = board.legal_moves();
    let their_moves = theirs.legal_moves();
    assert_eq!(moves.len(), board.count_legal_moves() as usize, "{fen}");
    assert_eq!(moves.len(), their_moves.len(), "{fen}: {moves:?}");
    for m in &moves {
        let other = their_moves
            .iter()
            .find(|other| words_of(**other) == words(m));
        let Some(other) = other else {
            panic!("{m:?} is not legal: {fen}");
        };
        let san = board.san(m);
        assert_eq!(
            san,
            SanPlus::from_move(theirs.clone(), *other).to_string(),
            "{fen}"
        );
        assert_eq!(board.parse_san(&san), Ok(m), "{san}: {fen}");
        let mut child = theirs.clone();
        child.play_unchecked(*other);
        let child_fen = Fen::from_position(&child, EnPassantMode::Legal).to_string();
        assert_eq!(board.make(m).to_fen(), child_fen, "{san}: {fen}");
        met.castles += usize::from(m.is_castling());
        met.en_passants += usize::from(m.is_en_passant());
        met.promotions += usize::from(m.is_promotion());
    }
}

fn compare_all(count: usize) {
    let mut met = Met::default();
    for board in random_boards(count, 1) {
        compare(&board, &mut met);
    }
    println!("{met:?}");
    // In a thousand positions at least so many.
    let wanted = [
        (met.castles, 10),
        (met.en_passants, 3),
        (met.promotions, 10),
        (met.checks, 10),
        (met.double_checks, 1),
        (met.mates, 1),
        (met.dead, 1),
        (met.chess960, 10),
    ];
    for (met, wanted) in wanted {
        assert!(met >= wanted * count / 1000, "{met} is too rare");
    }
    assert!(met.stalemates > 0, "no stalemate was met");
}

#[test]
fn moves_texts_and_verdicts_equal_those_of_another_implementation() {
    compare_all(SOME);
}

#[test]
#[ignore = "takes a minute; run by .ci/run"]
fn moves_texts_and_verdicts_equal_on_many_positions() {
    compare_all(MANY);
}

/// What must hold of every legal move, by our own words alone.
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
    assert_eq!(*board, before, "a move changed its parent: {fen}");
    // Kept if and only if it can be used: so equal positions have equal keys.
    assert_eq!(board.en_passant().is_some(), captures_en_passant, "{fen}");
    for text in [board.to_fen(), board.to_shredder_fen()] {
        let (read, repairs) = Board::from_fen_with_repairs(&text).expect("our own FEN");
        assert_eq!((read, repairs), (*board, vec![]), "{text}");
    }
}

/// Colours exchanged, the position has the same moves mirrored.
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
        // The clocks go on, the rest is the mirror.
        let (there, here) = (flipped.make(*m), board.make(back).flipped());
        assert!(there.same_position(&here), "{back:?}: {fen}");
    }
}

#[test]
fn moves_keys_texts_and_mirrors_agree_with_each_other() {
    for board in random_boards(SOME, 2) {
        check_moves(&board);
        check_flipped(&board);
    }
}

#[test]
#[ignore = "takes a minute; run by .ci/run"]
fn moves_keys_texts_and_mirrors_agree_on_many_positions() {
    for board in random_boards(MANY, 3) {
        check_moves(&board);
        check_flipped(&board);
    }
}

/// Every number of sixteen bits as a move in 2,000 positions: legal only if it is in the list.
#[test]
fn only_moves_of_the_list_are_legal() {
    let every: Vec<Move> = (0..=u16::MAX).filter_map(Move::from_bits).collect();
    for board in random_boards(40_000, 4).into_iter().step_by(20) {
        let moves = board.legal_moves();
        let legal = every.iter().filter(|m| board.is_legal(**m));
        let legal: HashSet<Move> = legal.copied().collect();
        assert_eq!(legal, moves.iter().copied().collect(), "{board:?}");
        assert_eq!(legal.len(), moves.len(), "{board:?}: a move twice");
    }
}

/// A refused move changes nothing, and every text of two squares is refused or legal.
#[test]
fn any_two_squares_are_a_legal_move_or_refused() {
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

/// Stages together are the whole list, without a move twice.
#[test]
fn noisy_and_quiet_moves_are_all_moves() {
    use saavedra::chess::{GenType, MoveList};
    for board in random_boards(SOME, 6) {
        let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
        board.generate_moves(GenType::Noisy, &mut noisy);
        board.generate_moves(GenType::Quiet, &mut quiet);
        let takes = |m: Move| !m.is_castling() && board.occupied().has(m.to());
        for m in &noisy {
            assert!(
                takes(m) || m.is_en_passant() || m.is_promotion(),
                "{m:?}: {board:?}"
            );
        }
        for m in &quiet {
            assert!(
                !takes(m) && !m.is_en_passant() && !m.is_promotion(),
                "{m:?}: {board:?}"
            );
        }
        let both: HashSet<Move> = noisy.iter().chain(quiet.iter()).copied().collect();
        assert_eq!(both.len(), noisy.len() + quiet.len(), "{board:?}");
        assert_eq!(
            both,
            board.legal_moves().iter().copied().collect(),
            "{board:?}"
        );
    }
}

/// What is refused as impossible, here and there. (They know of more: promoted bishops by the
/// colour of their square, and checks that no move gives, which we accept.)
#[test]
fn the_same_set_ups_are_sound() {
    let mut random = Random::new(7);
    let (mut sound, mut unsound) = (0, 0);
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
                theirs
                    .board
                    .set_piece_at(shakmaty::Square::new(square.index() as u32), piece);
            }
        }
        let verdict = theirs
            .position::<Chess>(CastlingMode::Chess960)
            .or_else(shakmaty::PositionError::ignore_impossible_check)
            .or_else(shakmaty::PositionError::ignore_too_much_material);
        match setup.to_board() {
            Ok(_) => {
                assert!(verdict.is_ok(), "{setup:?}: {verdict:?}");
                sound += 1;
            }
            Err(error) => {
                let only_material = error.reasons.iter().all(|fault| {
                    use saavedra::chess::IllegalPosition::*;
                    matches!(
                        fault,
                        TooManyPieces(..) | TooManyPawns(..) | TooManyPromotedPieces(..)
                    )
                });
                assert!(verdict.is_err() || only_material, "{setup:?}: {error}");
                unsound += 1;
            }
        }
    }
    assert!(
        sound > 5_000 && unsound > 2_000,
        "{sound} sound, {unsound} not"
    );
}

/// The move kinds that carry a piece name the piece that moves.
#[test]
fn a_move_names_what_it_moves() {
    for board in random_boards(2_000, 8) {
        for m in &board.legal_moves() {
            assert_eq!(
                board.us().piece_at(m.from()),
                Some(m.piece()),
                "{m:?}: {board:?}"
            );
            if let MoveKind::Normal(PieceKind::Pawn) = m.kind() {
                assert!(!(!board.turn()).back_rank().has(m.to()), "{m:?}: {board:?}");
            }
        }
    }
}
