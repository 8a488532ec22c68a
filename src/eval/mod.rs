//! Evaluation: how good a position is for the side to move.
//!
//! The seam between the search and what it evaluates with: a network, or, where there is none,
//! material and piece-square values; what is known of endings holds for both. Material alone is what
//! learning from nothing begins with.

mod endgame;
mod king_pawn;
mod material;
mod piece_square;
pub mod wdl;
mod worth;

pub(crate) use endgame::is_lone_king;
pub use material::evaluate as material;
pub use piece_square::{PIECE_VALUES, evaluate as piece_square};
pub use worth::{Worth, worths, worths_text};

use crate::chess::Board;
use crate::nnue::evaluator::Evaluator as NetworkEvaluator;
use crate::nnue::network::Network;
use crate::nnue::simd::Kernel;
use endgame::Knowledge;
use std::fmt;
use std::sync::Arc;

/// What to evaluate with; shared by all threads.
#[derive(Clone, Debug, Default)]
pub enum Evaluation {
    /// Material alone.
    Material,
    /// Material and piece-square values.
    #[default]
    PieceSquare,
    /// A network, computed by a kernel.
    Network(Arc<Network>, Kernel),
}

impl Evaluation {
    /// The network that is part of the program, if there is one, with the fastest kernel.
    pub fn embedded() -> Evaluation {
        Evaluation::embedded_with(Kernel::detect())
    }

    /// Centipawns for the side to move, without search.
    pub fn of(&self, board: &Board) -> i32 {
        Evaluator::new(self, 0).evaluate(0, board)
    }

    /// The same with a chosen kernel.
    pub fn embedded_with(kernel: Kernel) -> Evaluation {
        match Network::embedded() {
            Some(network) => Evaluation::Network(Arc::new(network), kernel),
            None => Evaluation::PieceSquare,
        }
    }
}

/// What it is, and of a network the checksum: `network 0123456789abcdef`.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluation::Material => f.write_str("material"),
            Evaluation::PieceSquare => f.write_str("piece-square values"),
            Evaluation::Network(network, _) => write!(f, "network {:016x}", network.checksum()),
        }
    }
}

/// One thread's evaluator.
pub(crate) enum Evaluator {
    Material,
    PieceSquare,
    Network(Box<NetworkEvaluator>),
}

impl Evaluator {
    /// For searches to this ply.
    pub(crate) fn new(evaluation: &Evaluation, max_ply: usize) -> Evaluator {
        match evaluation {
            Evaluation::Material => Evaluator::Material,
            Evaluation::PieceSquare => Evaluator::PieceSquare,
            Evaluation::Network(network, kernel) => Evaluator::Network(Box::new(
                NetworkEvaluator::new(Arc::clone(network), *kernel, max_ply),
            )),
        }
    }

    /// Centipawns for the side to move, at this distance from the root.
    #[inline]
    pub(crate) fn evaluate(&mut self, ply: usize, board: &Board) -> i32 {
        let known = match self {
            Evaluator::Material => Knowledge::Nothing,
            _ => endgame::know(board),
        };
        known.apply(board, || match self {
            Evaluator::Material => material::evaluate(board),
            Evaluator::PieceSquare => piece_square::evaluate(board),
            Evaluator::Network(network) => network.evaluate(ply, board),
        })
    }
}
