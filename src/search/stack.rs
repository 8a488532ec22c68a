//! The search stack: one entry per ply of the path from the root.

use super::history::{NO_MOVE, PieceTo};
use super::score::{MAX_PLY, NO_SCORE, Value};
use crate::chess::{Bitboard, Move};

/// The state that a node's children and later nodes at its ply read.
#[derive(Clone, Debug)]
pub(super) struct StackEntry {
    /// The principal variation from this node.
    pub(super) pv: Vec<Move>,
    /// The static evaluation; [`NO_SCORE`] in check.
    pub(super) static_eval: Value,
    /// The correction in it.
    pub(super) correction: Value,
    /// The move that is being searched, as a continuation history index.
    pub(super) piece_to: PieceTo,
    /// The moves 1, 2 and 4 plies before the node, as continuation history indices.
    pub(super) previous_moves: [PieceTo; 3],
    /// The same move as `piece_to`, if it is quiet.
    pub(super) quiet_move: Option<Move>,
    /// Squares that the opponent attacks.
    pub(super) threats: Bitboard,
    /// The move that a singular extension search leaves out.
    pub(super) excluded_move: Option<Move>,
    /// The reduction of the move that is being searched, in plies.
    pub(super) reduction: i32,
    /// Fail highs at this ply since the node two plies above was entered.
    pub(super) cutoff_count: i32,
    /// Plies since the last null move; repetitions do not reach past it.
    pub(super) plies_since_null: usize,
}

impl StackEntry {
    /// An entry before the search.
    pub(super) fn new() -> StackEntry {
        StackEntry {
            pv: Vec::with_capacity(MAX_PLY),
            static_eval: NO_SCORE,
            correction: 0,
            piece_to: NO_MOVE,
            previous_moves: [NO_MOVE; 3],
            quiet_move: None,
            threats: Bitboard::EMPTY,
            excluded_move: None,
            reduction: 0,
            cutoff_count: 0,
            plies_since_null: 0,
        }
    }
}
