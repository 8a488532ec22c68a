//! Variety: not always the same move where others are nearly as good.

use super::score::{Score, is_decisive};
use super::worker::{RootMove, Worker};
use crate::chess::{Board, Move};

/// So many of the best moves are compared.
pub(super) const LINES: usize = 4;

/// Playing any of the moves that are nearly as good as the best.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variety {
    /// How much worse than the best a move may be, in centipawns.
    pub loss: Score,
    /// Decides among them.
    pub seed: u64,
}

impl Variety {
    /// Those of the best moves, in order, that may be played; only the best where the result is
    /// certain.
    pub(super) fn nearly_equal(&self, best: &[RootMove]) -> Vec<Move> {
        let most = best[0].score;
        let least = if is_decisive(most) {
            most
        } else {
            most - self.loss
        };
        let may_be_played = |(i, root): &(usize, &RootMove)| *i == 0 || root.score >= least;
        let candidates = best.iter().enumerate().filter(may_be_played);
        candidates.map(|(_, root)| root.m).collect()
    }
}

impl Worker {
    /// Puts one of the nearly equal moves first, unless the last iteration has found a better one.
    pub(super) fn vary(&mut self, variety: &Variety, board: &Board) {
        let moves = &self.nearly_equal;
        if !moves.contains(&self.root_moves[0].m) {
            return;
        }
        let random = (board.key() ^ variety.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let chosen = moves[(random >> 32) as usize % moves.len()];
        if let Some(place) = self.root_moves.iter().position(|root| root.m == chosen) {
            self.root_moves[..=place].rotate_right(1);
        }
    }
}
