//! The static evaluation that the search uses.
//!
//! It is a network; or material and piece-square tables, in a program built without a network or
//! when the user chooses them. Endgame knowledge corrects both. Material alone plays the first games
//! when a network is trained from zero.

mod endgame;
mod kpk;
mod material;
mod piece_square;
mod piece_values;
pub mod wdl;

pub(crate) use endgame::{has_lone_king, is_wrong_rook_pawn};
pub use material::evaluate as material;
pub use piece_square::{PIECE_VALUES, evaluate as piece_square};
pub use piece_values::{PieceValue, piece_values, piece_values_text};

use crate::chess::Board;
use crate::nnue::evaluator::Evaluator as NetworkEvaluator;
use crate::nnue::network::Network;
use crate::nnue::simd::Kernel;
use endgame::EndgameScore;
use std::fmt;
use std::sync::Arc;

/// An evaluation, shared by all threads.
#[derive(Clone, Debug, Default)]
pub enum Evaluation {
    /// Material count.
    Material,
    /// Material and piece-square tables.
    #[default]
    PieceSquare,
    /// A network and the kernel that computes it.
    Network(Arc<Network>, Kernel),
}

impl Evaluation {
    /// The embedded network with the fastest kernel; piece-square tables if there is no network.
    pub fn embedded() -> Evaluation {
        Evaluation::embedded_with(Kernel::detect())
    }

    /// The static evaluation in centipawns from the side to move's view.
    pub fn evaluate(&self, board: &Board) -> i32 {
        Evaluator::new(self, 0).evaluate(0, board)
    }

    /// The embedded network with this kernel; piece-square tables if there is no network.
    pub fn embedded_with(kernel: Kernel) -> Evaluation {
        match Network::embedded() {
            Some(network) => Evaluation::Network(Arc::new(network), kernel),
            None => Evaluation::PieceSquare,
        }
    }
}

/// Its kind, and the checksum of a network: `network 0123456789abcdef`.
impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evaluation::Material => f.write_str("material"),
            Evaluation::PieceSquare => f.write_str("piece-square tables"),
            Evaluation::Network(network, _) => write!(f, "network {:016x}", network.checksum()),
        }
    }
}

/// The evaluator of one search thread.
pub(crate) enum Evaluator {
    Material,
    PieceSquare,
    Network(Box<NetworkEvaluator>),
}

impl Evaluator {
    /// An evaluator for searches up to `max_ply`.
    pub(crate) fn new(evaluation: &Evaluation, max_ply: usize) -> Evaluator {
        match evaluation {
            Evaluation::Material => Evaluator::Material,
            Evaluation::PieceSquare => Evaluator::PieceSquare,
            Evaluation::Network(network, kernel) => Evaluator::Network(Box::new(
                NetworkEvaluator::new(Arc::clone(network), *kernel, max_ply),
            )),
        }
    }

    /// Prepares the evaluation of the children of a position.
    #[inline]
    pub(crate) fn update(&mut self, ply: usize, board: &Board) {
        if let Evaluator::Network(network) = self {
            network.update(ply, board);
        }
    }

    /// The static evaluation in centipawns from the side to move's view. `ply` counts from the root.
    #[inline]
    pub(crate) fn evaluate(&mut self, ply: usize, board: &Board) -> i32 {
        let endgame = match self {
            Evaluator::Material => EndgameScore::Unknown,
            _ => endgame::probe(board),
        };
        endgame.apply(board, || match self {
            Evaluator::Material => material::evaluate(board),
            Evaluator::PieceSquare => piece_square::evaluate(board),
            Evaluator::Network(network) => network.evaluate(ply, board),
        })
    }
}
