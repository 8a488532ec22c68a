//! Compares the kernels of this machine with the reference evaluation.

use std::fmt;
use std::sync::Arc;

use super::arch::{OUTPUT_BUCKETS, output_bucket};
use super::evaluator::Evaluator;
use super::features::Orientation;
use super::format::Parameters;
use super::network::Network;
use super::reference;
use super::simd::Kernel;
use crate::chess::{Board, Color, PieceKind};

/// Positions with moves of every kind: castling on both sides and in Chess960, en passant,
/// promotion with and without capture, kings that cross between the files d and e (refresh).
const POSITIONS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "1rk3r1/pp3ppp/8/2pP4/8/8/PP3PPP/1RK3R1 w GBgb c6 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/P2k2p1/8/8/8/4K3/1p6/8 b - - 0 1",
];

/// A position whose evaluation by a kernel differs from the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelMismatch {
    /// The kernel's name.
    pub kernel: &'static str,
    /// The position.
    pub fen: String,
    /// The reference evaluation, in centipawns from the side to move's view.
    pub expected: i32,
    /// The kernel's evaluation, likewise.
    pub found: i32,
}

impl fmt::Display for KernelMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "kernel {} evaluates {} as {} centipawns, the reference as {}",
            self.kernel, self.fen, self.found, self.expected
        )
    }
}

impl std::error::Error for KernelMismatch {}

/// The evaluation of a board by [`mod@reference`], in centipawns from the side to move's view.
///
/// # Panics
/// If the network does not have the sizes the program was built for.
pub fn reference_evaluation(network: &Parameters, board: &Board) -> i32 {
    let active_features = |perspective: Color| -> Vec<usize> {
        let king = board.king(perspective).index() as u8;
        let orientation = Orientation::new(perspective == Color::Black, king);
        let mut features = Vec::new();
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                for square in board.side(color).pieces(kind) {
                    features.push(orientation.feature_index(
                        color != perspective,
                        kind.index(),
                        square.index() as u8,
                    ));
                }
            }
        }
        features
    };
    let bucket = output_bucket(board.occupied().count() as usize, OUTPUT_BUCKETS);
    let us = active_features(board.turn());
    let them = active_features(!board.turn());
    reference::evaluate(network, &us, &them, bucket)
}

impl Kernel {
    /// Evaluates positions, their children and grandchildren incrementally, as a search does, and
    /// compares each evaluation with the reference.
    ///
    /// # Errors
    /// The first position whose evaluation differs.
    pub fn self_check(self, network: &Arc<Network>) -> Result<(), KernelMismatch> {
        let parameters = network.parameters();
        let mut evaluator = Evaluator::new(Arc::clone(network), self, 2);
        let mut compare = |ply: usize, board: &Board| {
            let expected = reference_evaluation(&parameters, board);
            let found = evaluator.evaluate(ply, board);
            (expected == found).then_some(()).ok_or_else(|| KernelMismatch {
                kernel: self.name(),
                fen: board.to_shredder_fen(),
                expected,
                found,
            })
        };
        let boards = POSITIONS.iter().filter_map(|fen| Board::from_fen(fen).ok());
        for board in boards {
            compare(0, &board)?;
            for (_, child) in board.children() {
                compare(1, &child)?;
                if let Some((_, grandchild)) = child.children().next() {
                    compare(2, &grandchild)?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positions_are_valid() {
        for fen in POSITIONS {
            assert!(Board::from_fen(fen).is_ok(), "{fen}");
        }
    }
}
