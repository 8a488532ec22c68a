//! Late move reductions (LMR): late moves are seldom the best, so they are searched with reduced
//! depth, and again at full depth if they fail high.
//! <https://www.chessprogramming.org/Late_Move_Reductions>

use super::node::{NodeState, NodeType};
use super::params;
use super::worker::Worker;
use crate::chess::Move;

/// One ply, in the unit of reductions: 1/1024 ply.
pub(super) const PLY: i32 = 1024;
/// The unit of logarithms and of their factors.
const LN_UNIT: i32 = 1024;
/// Logarithms of numbers below this; greater numbers count as the last one.
const LN_COUNT: usize = 256;

/// Natural logarithms of small numbers, in 1/1024.
pub(super) struct Logarithms([i32; LN_COUNT]);

impl Logarithms {
    pub(super) fn new() -> Logarithms {
        Logarithms(std::array::from_fn(|n| ((n.max(1) as f64).ln() * f64::from(LN_UNIT)) as i32))
    }

    /// ln(depth) · ln(move count), in 1/1024.
    #[inline(always)]
    fn product(&self, depth: i32, move_count: i32) -> i32 {
        let ln = |n: i32| self.0[n.clamp(0, LN_COUNT as i32 - 1) as usize];
        ln(depth) * ln(move_count) / LN_UNIT
    }
}

/// A move of a node, before it is pruned or searched.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) m: Move,
    /// Its place in the move ordering, from 1.
    pub(super) move_count: i32,
    /// The quiet history of a quiet move; none for captures and promotions.
    pub(super) quiet_history: Option<i32>,
    pub(super) gives_check: bool,
}

impl Candidate {
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet_history.is_some()
    }
}

impl Worker {
    /// The reduction by depth and move count alone, in 1/1024 ply.
    #[inline]
    pub(super) fn base_reduction(&self, depth: i32, move_count: i32, is_quiet: bool) -> i32 {
        let product = self.logarithms.product(depth, move_count);
        if is_quiet {
            params::lmr_quiet_base() + product * params::lmr_quiet_factor() / LN_UNIT
        } else {
            params::lmr_capture_base() + product * params::lmr_capture_factor() / LN_UNIT
        }
    }

    /// Late move reductions: the reduction of a move, in 1/1024 ply.
    /// <https://www.chessprogramming.org/Late_Move_Reductions>
    ///
    /// The cutoff count is over all siblings of a ply. (Stockfish)
    #[inline]
    pub(super) fn late_move_reduction<N: NodeType>(
        &self,
        node: &NodeState,
        candidate: &Candidate,
    ) -> i32 {
        let is_quiet = candidate.is_quiet();
        let mut reduction = self.base_reduction(node.depth, candidate.move_count, is_quiet);
        reduction += params::lmr_cut_node() * i32::from(node.cut_node);
        reduction -= params::lmr_tt_pv() * i32::from(node.tt_pv);
        reduction -= params::lmr_pv() * i32::from(N::PV);
        let is_tt_deep = node.tt_entry.is_some_and(|entry| entry.depth >= node.depth);
        reduction -= params::lmr_tt_depth() * i32::from(is_tt_deep);
        reduction -= params::lmr_move_count() * candidate.move_count.min(40);
        reduction += params::lmr_not_improving() * i32::from(!node.improving);
        reduction -= params::lmr_check() * i32::from(candidate.gives_check);
        reduction += params::lmr_tt_capture() * i32::from(node.tt_capture && is_quiet);
        let many_cutoffs = self.stack[node.ply + 1].cutoff_count > params::lmr_cutoff_count_min();
        reduction += params::lmr_cutoff_count() * i32::from(many_cutoffs);
        reduction -= params::lmr_correction() * node.correction.abs();
        if let Some(history) = candidate.quiet_history {
            reduction -= history * PLY / params::lmr_history_divisor();
        }
        reduction
    }
}
