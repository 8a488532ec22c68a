//! Extensions: singular, double and triple extensions, multi-cut, negative extensions.

use super::node::{NodeState, NodeType, NonPv};
use super::params;
use super::score::{MAX_PLY, is_decisive};
use super::worker::Worker;
use crate::chess::{Board, Move};

/// No extensions within this many plies of the maximum ply.
const MAX_PLY_MARGIN: usize = 20;

/// The result of the singular extension search.
pub(super) enum Singular {
    /// The move is searched this many plies deeper; shallower if negative.
    Extension(i32),
    /// Multi-cut: the node fails high with this score.
    MultiCut(i32),
}

impl Worker {
    /// Singular extensions: a reduced zero-window search without the TT move. If it fails low, the
    /// TT move is singular and extended by one ply, by two below a margin (double extension), or by
    /// three below a larger one (triple extension). If it fails high above beta, so does the node
    /// (multi-cut). Otherwise the move is reduced if the TT score is at least beta or this is a cut
    /// node (negative extension).
    /// <https://www.chessprogramming.org/Singular_Extensions>
    /// <https://www.chessprogramming.org/Multi-Cut>
    pub(super) fn singular_extension<N: NodeType>(
        &mut self,
        board: &Board,
        node: &NodeState,
        m: Move,
    ) -> Singular {
        let max_ply = params::singular_root_depth_factor() as usize * self.root_depth as usize;
        let Some(tt_entry) = node.tt_entry.filter(|entry| {
            !N::ROOT
                && node.depth >= params::singular_min_depth() + i32::from(node.tt_pv)
                && Some(m) == node.tt_move
                && node.excluded_move.is_none()
                && entry.depth >= node.depth - params::singular_tt_depth_margin()
                && entry.is_lower_bound()
                && !is_decisive(entry.score)
                && node.ply < max_ply.min(MAX_PLY - MAX_PLY_MARGIN)
        }) else {
            return Singular::Extension(0);
        };
        let widening = 1 + i32::from(node.tt_pv && !N::PV);
        let singular_beta = tt_entry.score - params::singular_margin() * node.depth * widening / 16;
        self.stack[node.ply].excluded_move = Some(m);
        let score = self.alphabeta::<NonPv>(
            board,
            (node.depth - 1) / params::singular_depth_divisor(),
            node.ply,
            singular_beta - 1,
            singular_beta,
            node.cut_node,
        );
        self.stack[node.ply].excluded_move = None;
        if self.stopped {
            return Singular::Extension(0);
        }
        if score < singular_beta {
            let margin = singular_beta - score;
            let double = !N::PV && margin > params::singular_double_margin();
            let triple = double && !node.tt_capture && margin > params::singular_triple_margin();
            return Singular::Extension(1 + i32::from(double) + i32::from(triple));
        }
        if score >= node.beta && !is_decisive(score) && !N::PV && !self.request.is_mate_search() {
            return Singular::MultiCut(score);
        }
        let negative = params::singular_negative_extension();
        if tt_entry.score >= node.beta {
            return Singular::Extension(-negative - i32::from(!N::PV));
        }
        Singular::Extension(if node.cut_node { -negative } else { 0 })
    }
}
