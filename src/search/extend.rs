//! What must be searched deeper.

use super::node::{Facts, Node, ZeroWindow};
use super::params;
use super::score::{MAX_PLY, Score, is_decisive};
use super::worker::Worker;
use crate::chess::{Board, Move};

/// What the search for alternatives to the table's move says.
pub(super) enum Singular {
    /// Search the move so many plies deeper; or less deep, if negative.
    Extend(i32),
    /// Another move is also good enough: the node fails high with this score.
    MultiCut(Score),
}

impl Worker {
    /// Singular extensions: the table's move is searched deeper if it is much better than all
    /// others, which a reduced search without it tells. If the others are as good as beta, so is the
    /// node (multi-cut). If neither, and the node is likely to fail high, the move is searched less deep.
    /// <https://www.chessprogramming.org/Singular_Extensions>
    pub(super) fn singular<N: Node>(&mut self, board: &Board, facts: &Facts, m: Move) -> Singular {
        let Facts {
            depth,
            ply,
            beta,
            cut_node,
            ..
        } = *facts;
        let Some(entry) = facts.entry.filter(|entry| {
            !N::ROOT
                && depth >= params::singular_min_depth() + i32::from(facts.was_pv)
                && Some(m) == facts.table_move
                && self.frames[ply].excluded.is_none()
                && entry.depth >= depth - params::singular_table_depth()
                && entry.is_lower()
                && !is_decisive(entry.score)
                && ply < (2 * self.root_depth as usize).min(MAX_PLY - 20)
        }) else {
            return Singular::Extend(0);
        };
        let widen = 1 + i32::from(facts.was_pv && !N::PV);
        let singular_beta = entry.score - params::singular_margin() * depth * widen / 16;
        self.frames[ply].excluded = Some(m);
        let score = self.alphabeta::<ZeroWindow>(
            board,
            (depth - 1) / 2,
            ply,
            singular_beta - 1,
            singular_beta,
            cut_node,
        );
        self.frames[ply].excluded = None;
        if self.stopped {
            return Singular::Extend(0);
        }
        if score < singular_beta {
            let below = singular_beta - score;
            let double = !N::PV && below > params::singular_double_margin();
            let triple = double && !facts.table_noisy && below > params::singular_triple_margin();
            return Singular::Extend(1 + i32::from(double) + i32::from(triple));
        }
        if score >= beta && !is_decisive(score) && !N::PV {
            return Singular::MultiCut(score);
        }
        if entry.score >= beta {
            return Singular::Extend(-2 - i32::from(!N::PV));
        }
        Singular::Extend(if cut_node { -2 } else { 0 })
    }
}
