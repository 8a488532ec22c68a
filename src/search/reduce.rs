//! How much less deep late moves are searched.
//!
//! Moves are ordered, so late ones are seldom best: they are searched less deep until one surprises.
//! <https://www.chessprogramming.org/Late_Move_Reductions>

use super::node::{Facts, Node};
use super::params;
use super::worker::Worker;
use crate::chess::Move;

/// One ply in the unit of reductions.
pub(super) const PLY: i32 = 1024;

/// The logarithms of small numbers, in 1/1024.
pub(super) struct Logarithms([i32; 256]);

impl Logarithms {
    pub(super) fn new() -> Logarithms {
        Logarithms(std::array::from_fn(|n| {
            ((n.max(1) as f64).ln() * 1024.0) as i32
        }))
    }

    /// ln(depth) · ln(number), in 1/1024.
    #[inline(always)]
    fn product(&self, depth: i32, number: i32) -> i32 {
        let log = |n: i32| self.0[n.clamp(0, 255) as usize];
        log(depth) * log(number) / 1024
    }
}

/// A move of a node that is about to be searched, or not.
#[derive(Clone, Copy)]
pub(super) struct Candidate {
    pub(super) m: Move,
    /// Its place in the order, from 1.
    pub(super) number: i32,
    /// The worth of a quiet move by its histories; none for captures.
    pub(super) quiet_history: Option<i32>,
    pub(super) gives_check: bool,
}

impl Worker {
    /// The reduction by depth and number alone, in 1/1024 plies.
    #[inline]
    pub(super) fn base_reduction(&self, depth: i32, number: i32, quiet: bool) -> i32 {
        let product = self.logarithms.product(depth, number);
        if quiet {
            params::reduction_quiet_base() + product * params::reduction_quiet_factor() / 1024
        } else {
            params::reduction_noisy_base() + product * params::reduction_noisy_factor() / 1024
        }
    }

    /// The reduction of a late move, in 1/1024 plies.
    #[inline]
    pub(super) fn late_move_reduction<N: Node>(&self, facts: &Facts, late: &Candidate) -> i32 {
        let quiet = late.quiet_history.is_some();
        let mut reduction = self.base_reduction(facts.depth, late.number, quiet);
        reduction += params::reduction_cut_node() * i32::from(facts.cut_node);
        reduction -= params::reduction_was_pv() * i32::from(facts.was_pv);
        reduction -= params::reduction_pv() * i32::from(N::PV);
        reduction += params::reduction_not_improving() * i32::from(!facts.improving);
        reduction -= params::reduction_check() * i32::from(late.gives_check);
        reduction += params::reduction_table_noisy() * i32::from(facts.table_noisy && quiet);
        let keep_failing_high =
            self.frames[facts.ply + 1].cutoffs > params::reduction_cutoffs_min();
        reduction += params::reduction_cutoffs() * i32::from(keep_failing_high);
        reduction -= params::reduction_correction() * facts.correction.abs();
        if let Some(history) = late.quiet_history {
            reduction -= history * PLY / params::reduction_history_divisor();
        }
        reduction
    }
}
