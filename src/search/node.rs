//! What is known of a node before its moves are tried.

use super::history::PieceTo;
use super::info::Bound;
use super::score::{NONE, Score};
use super::tt::TtEntry;
use crate::chess::{Bitboard, Move};

/// The kind of a node, known at compile time.
pub(super) trait Node {
    /// Whether an exact score is wanted: the window is open.
    const PV: bool;
    /// Whether it is the root.
    const ROOT: bool;
}

/// The root.
pub(super) struct Root;
/// On the principal variation, below the root.
pub(super) struct Pv;
/// With a window of width one: only whether the score is above it is asked.
pub(super) struct ZeroWindow;

impl Node for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl Node for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl Node for ZeroWindow {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// What a node leaves for its neighbours on the path.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) pv: Vec<Move>,
    /// The corrected static evaluation; [`NONE`] in check.
    pub(super) static_eval: Score,
    /// By how much what was learnt corrected it.
    pub(super) correction: Score,
    /// The move that led from this node to the next, as an index.
    pub(super) moved: PieceTo,
    /// That move, if it neither captured nor promoted.
    pub(super) quiet: Option<Move>,
    /// Squares the other side attacks.
    pub(super) threats: Bitboard,
    /// Not to be tried here: the node is searched for an alternative to it.
    pub(super) excluded: Option<Move>,
    /// By how many plies the search from here was reduced.
    pub(super) reduction: i32,
    /// How often nodes at this ply have failed high, since the search of the node two plies above
    /// began.
    pub(super) cutoffs: i32,
    /// Plies since the last null move on the path; repetitions do not reach behind it.
    pub(super) since_null: usize,
}

/// What is known of a node before its moves are tried; computed once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub(super) depth: i32,
    pub(super) ply: usize,
    pub(super) alpha: Score,
    pub(super) beta: Score,
    /// Whether a move that refutes the node's parent is expected.
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    /// What the table knows.
    pub(super) entry: Option<TtEntry>,
    /// Its move, if it is legal here.
    pub(super) table_move: Option<Move>,
    /// Whether that captures or promotes.
    pub(super) table_noisy: bool,
    /// Whether the node is or was on a principal variation.
    pub(super) was_pv: bool,
    /// The evaluation as the network gives it; [`NONE`] in check.
    pub(super) raw_eval: Score,
    /// Corrected by what was learnt, and damped.
    pub(super) static_eval: Score,
    /// The correction in that; 0 in check.
    pub(super) correction: Score,
    /// The best estimate of the score: the static evaluation or the table's score.
    pub(super) estimate: Score,
    /// Whether the side to move stands better than at its last turn.
    pub(super) improving: bool,
}

impl TtEntry {
    /// Whether the entry's score decides that the true one is at least or at most this.
    #[inline]
    pub(super) fn bounds(&self, window: Score) -> bool {
        match self.bound {
            None => false,
            Some(Bound::Exact) => true,
            Some(Bound::Lower) => self.score >= window,
            Some(Bound::Upper) => self.score < window,
        }
    }

    /// Whether the score is at least a bound from below.
    pub(super) fn is_lower(&self) -> bool {
        matches!(self.bound, Some(Bound::Lower | Bound::Exact))
    }

    /// Whether the score is at least a bound from above.
    pub(super) fn is_upper(&self) -> bool {
        matches!(self.bound, Some(Bound::Upper | Bound::Exact))
    }
}

impl Facts {
    /// Whether the evaluation is known: we are not in check.
    pub(super) fn has_eval(&self) -> bool {
        self.static_eval != NONE
    }
}
