//! Perspectives: colours, mirrored files, signs of scores and results, from the record to the
//! features.

use saavedra::chess::{Board, Color, PieceKind, Square};
use saavedra::nnue::features::Orientation;
use saavedra_trainer::sample::{LabelledPosition, Sample};

fn sorted_features(sample: &Sample) -> [Vec<usize>; 2] {
    sample.feature_lists().map(|mut features| {
        features.sort_unstable();
        features
    })
}

fn labelled(board: &Board) -> LabelledPosition {
    let pieces = |color| PieceKind::ALL.map(|kind| board.side(color).pieces(kind).0);
    LabelledPosition {
        white: pieces(Color::White),
        black: pieces(Color::Black),
        black_to_move: board.turn() == Color::Black,
        score: 123,
        result: 2,
    }
}

/// The features of a board by the engine's own function.
fn expected(board: &Board) -> [Vec<usize>; 2] {
    [board.turn(), !board.turn()].map(|perspective| {
        let king = board.king(perspective).index() as u8;
        let orientation = Orientation::new(perspective == Color::Black, king);
        let pieces =
            Square::ALL.into_iter().filter_map(|square| Some((square, board.piece_at(square)?)));
        let features = pieces.map(|(square, piece)| {
            let is_opponent = piece.color != perspective;
            orientation.feature_index(is_opponent, piece.kind.index(), square.index() as u8)
        });
        let mut features: Vec<usize> = features.collect();
        features.sort_unstable();
        features
    })
}

#[test]
fn samples_have_the_engines_features() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
        "8/2k5/8/8/3Q4/8/5K2/8 b - - 0 1",
        "8/5k2/8/8/3q4/8/1K6/8 w - - 0 1",
    ] {
        let board = Board::from_fen(fen).expect("legal");
        let sample = Sample::pack(&labelled(&board));
        assert_eq!(sorted_features(&sample), expected(&board), "{fen}");
        assert_eq!(sample.piece_count(), board.occupied().count() as usize);
    }
}

#[test]
fn a_position_with_colours_flipped_is_the_same_sample() {
    for position in crate::synthetic::positions(500, 14, 3) {
        let flipped = LabelledPosition {
            white: position.black.map(u64::swap_bytes),
            black: position.white.map(u64::swap_bytes),
            black_to_move: !position.black_to_move,
            score: -position.score,
            result: 2 - position.result,
        };
        assert_eq!(Sample::pack(&position), Sample::pack(&flipped));
    }
}

#[test]
fn a_mirrored_position_has_the_same_features() {
    let mirror = |pieces: [u64; 6]| pieces.map(|squares| squares.swap_bytes().reverse_bits());
    for position in crate::synthetic::positions(500, 14, 4) {
        let mirrored = LabelledPosition {
            white: mirror(position.white),
            black: mirror(position.black),
            ..position
        };
        assert_eq!(
            sorted_features(&Sample::pack(&position)),
            sorted_features(&Sample::pack(&mirrored))
        );
    }
}

#[test]
fn scores_and_results_are_from_the_side_to_moves_view() {
    let position = crate::synthetic::positions(1, 8, 1)[0];
    // (Black to move, White's score, White's result) -> (score, result, sign of target - 0.5)
    for (black_to_move, score, result, expected) in [
        (false, 200, 2, (200, 2, 1.0)),
        (true, 200, 2, (-200, 0, -1.0)),
        (false, -200, 0, (-200, 0, -1.0)),
        (true, -200, 0, (200, 2, 1.0)),
    ] {
        let sample = Sample::pack(&LabelledPosition { black_to_move, score, result, ..position });
        assert_eq!((sample.score, sample.result), (expected.0, expected.1));
        for wdl in [0.0, 0.4, 1.0] {
            assert_eq!((sample.target(wdl) - 0.5).signum(), expected.2);
        }
        assert_eq!(sample.target(1.0), f32::from(expected.1) / 2.0);
    }
    let even = Sample::pack(&LabelledPosition { score: 0, result: 1, ..position });
    assert_eq!(even.target(0.7), 0.5);
}

#[test]
fn a_full_board_and_bare_kings_fit() {
    for pieces in [2, 32] {
        for sample in crate::synthetic::samples(50, pieces, 6) {
            assert_eq!(sample.piece_count(), pieces);
            let features = sample.feature_lists();
            assert!(features.iter().all(|list| list.len() == pieces));
        }
    }
}
