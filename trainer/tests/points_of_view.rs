//! Whose view is it? Colours, mirrored files, scores and results, from the record to the network.

use saavedra::chess::{Board, Color, PieceKind, Square};
use saavedra::nnue::features::{MAX_ACTIVE_FEATURES, Orientation};
use saavedra_trainer::sample::{Labelled, Sample};
use saavedra_trainer::synthetic;

fn inputs(sample: &Sample) -> [Vec<u16>; 2] {
    let (mut own, mut other) = ([0; MAX_ACTIVE_FEATURES], [0; MAX_ACTIVE_FEATURES]);
    let count = sample.features(&mut own, &mut other);
    [own, other].map(|inputs| {
        let mut inputs = inputs[..count].to_vec();
        inputs.sort_unstable();
        inputs
    })
}

fn labelled(board: &Board) -> Labelled {
    let men = |color| PieceKind::ALL.map(|kind| board.side(color).pieces(kind).0);
    Labelled {
        white: men(Color::White),
        black: men(Color::Black),
        black_to_move: board.turn() == Color::Black,
        score: 123,
        result: 2,
    }
}

/// The inputs as the engine's rules say, straight from a board.
fn expected(board: &Board) -> [Vec<u16>; 2] {
    [board.turn(), !board.turn()].map(|view| {
        let king = board.king(view).index() as u8;
        let turned = Orientation::new(view == Color::Black, king);
        let men = Square::ALL
            .into_iter()
            .filter_map(|square| Some((square, board.piece_at(square)?)));
        let inputs = men.map(|(square, man)| {
            turned.feature_index(man.color != view, man.kind.index(), square.index() as u8) as u16
        });
        let mut inputs: Vec<u16> = inputs.collect();
        inputs.sort_unstable();
        inputs
    })
}

#[test]
fn packed_positions_have_the_engines_inputs() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 2",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 3 17",
        "8/2k5/8/8/3Q4/8/5K2/8 b - - 0 1",
        "8/5k2/8/8/3q4/8/1K6/8 w - - 0 1",
    ] {
        let board = Board::from_fen(fen).expect("sound");
        let sample = Sample::pack(&labelled(&board));
        assert_eq!(inputs(&sample), expected(&board), "{fen}");
        assert_eq!(sample.men_count(), board.occupied().count() as usize);
    }
}

#[test]
fn a_position_with_colours_exchanged_is_the_same_position() {
    for position in synthetic::positions(500, 14, 3) {
        let flipped = Labelled {
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
fn a_mirrored_position_has_the_same_inputs() {
    let mirror = |men: [u64; 6]| men.map(|squares| squares.swap_bytes().reverse_bits());
    for position in synthetic::positions(500, 14, 4) {
        let mirrored = Labelled {
            white: mirror(position.white),
            black: mirror(position.black),
            ..position
        };
        assert_eq!(
            inputs(&Sample::pack(&position)),
            inputs(&Sample::pack(&mirrored))
        );
    }
}

#[test]
fn scores_and_results_are_the_side_to_moves() {
    let position = synthetic::positions(1, 8, 1)[0];
    // (Black to move, White's score, White's result) -> (score, result, sign of target - 0.5)
    for (black_to_move, score, result, expected) in [
        (false, 200, 2, (200, 2, 1.0)),
        (true, 200, 2, (-200, 0, -1.0)),
        (false, -200, 0, (-200, 0, -1.0)),
        (true, -200, 0, (200, 2, 1.0)),
    ] {
        let sample = Sample::pack(&Labelled {
            black_to_move,
            score,
            result,
            ..position
        });
        assert_eq!((sample.score, sample.result), (expected.0, expected.1));
        for wdl in [0.0, 0.4, 1.0] {
            assert_eq!((sample.target(wdl) - 0.5).signum(), expected.2);
        }
        assert_eq!(sample.target(1.0), f32::from(expected.1) / 2.0);
    }
    let even = Sample::pack(&Labelled {
        score: 0,
        result: 1,
        ..position
    });
    assert_eq!(even.target(0.7), 0.5);
}

#[test]
fn a_full_board_and_bare_kings_fit() {
    for men in [2, 32] {
        for sample in synthetic::samples(50, men, 6) {
            assert_eq!(sample.men_count(), men);
            assert!(inputs(&sample).iter().all(|inputs| inputs.len() == men));
        }
    }
}
