//! Node types and the state of a node.
//!
//! A PV node has an open window and needs an exact score. A non-PV node has a zero window: only
//! whether its score is above alpha matters. A cut node is a non-PV node that is expected to fail
//! high, an all node one that is expected to fail low.
//! <https://www.chessprogramming.org/Node_Types>

use super::correction::CorrectionIndices;
use super::score::{INFINITE, NO_SCORE, Value};
use super::tt::TtEntry;
use crate::chess::Move;

/// The type of a node, known at compile time.
pub(super) trait NodeType {
    /// Whether the window is open.
    const PV: bool;
    /// Whether this is the root.
    const ROOT: bool;
}

/// The root node.
pub(super) struct Root;
/// A PV node below the root.
pub(super) struct Pv;
/// A non-PV node.
pub(super) struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}

/// The state of a node during its search.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeState {
    /// Remaining depth, in plies; extensions and reductions of the node change it.
    pub(super) depth: i32,
    /// Plies from the root.
    pub(super) ply: usize,
    pub(super) alpha: Value,
    pub(super) beta: Value,
    /// Whether the node is expected to fail high.
    pub(super) cut_node: bool,
    pub(super) in_check: bool,
    /// The move that a singular extension search leaves out.
    pub(super) excluded_move: Option<Move>,
    pub(super) tt_entry: Option<TtEntry>,
    /// The move of the entry, if it is legal.
    pub(super) tt_move: Option<Move>,
    /// Whether the TT move is a capture or promotion.
    pub(super) tt_capture: bool,
    /// Whether the node is a PV node or was one in an earlier search.
    pub(super) tt_pv: bool,
    /// The evaluation of network and endgame knowledge; [`NO_SCORE`] in check and in a singular
    /// extension search.
    pub(super) raw_eval: Value,
    /// The evaluation after damping and correction; [`NO_SCORE`] in check.
    pub(super) static_eval: Value,
    /// The correction in it; 0 in check.
    pub(super) correction: Value,
    /// Indices into the correction history; none in check and in a singular extension search.
    pub(super) correction_indices: Option<CorrectionIndices>,
    /// The static evaluation, or the TT score where its bound makes it the better estimate.
    pub(super) eval: Value,
    /// Whether the static evaluation is better than two plies ago (four, if that was in check).
    pub(super) improving: bool,
    /// The best score so far; a tablebase may raise it before the first move.
    pub(super) best_score: Value,
    /// The maximum score, if a tablebase limits it.
    pub(super) max_score: Value,
}

impl NodeState {
    /// The state before the transposition table is probed.
    #[inline(always)]
    pub(super) fn new(
        depth: i32,
        ply: usize,
        alpha: Value,
        beta: Value,
        cut_node: bool,
    ) -> NodeState {
        NodeState {
            depth,
            ply,
            alpha,
            beta,
            cut_node,
            in_check: false,
            excluded_move: None,
            tt_entry: None,
            tt_move: None,
            tt_capture: false,
            tt_pv: false,
            raw_eval: NO_SCORE,
            static_eval: NO_SCORE,
            correction: 0,
            correction_indices: None,
            eval: NO_SCORE,
            improving: false,
            best_score: -INFINITE,
            max_score: INFINITE,
        }
    }

    /// Whether there is a static evaluation: the side to move is not in check.
    pub(super) fn has_static_eval(&self) -> bool {
        self.static_eval != NO_SCORE
    }

    /// Whether there is a TT move that is quiet.
    pub(super) fn has_quiet_tt_move(&self) -> bool {
        self.tt_move.is_some() && !self.tt_capture
    }
}
