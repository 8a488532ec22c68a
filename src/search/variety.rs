//! Variety: a random choice among moves that are nearly as good as the best one.

use super::root_move::RootMove;
use super::score::{Score, is_decisive};
use super::worker::Worker;
use crate::chess::{Move, Random};

/// The number of PV lines that are searched to compare moves.
pub(super) const MULTIPV: usize = 4;

/// A random choice among the best moves. Not measured.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variety {
    /// Maximum loss against the best move, in centipawns of the evaluation (not normalised).
    pub max_loss: Score,
    /// Seed of the choice.
    pub seed: u64,
}

impl Variety {
    /// The moves within the maximum loss; only the best move if its score is decisive. `best` are
    /// the best root moves in order.
    pub(super) fn candidates(&self, best: &[RootMove]) -> Vec<Move> {
        let max_score = best[0].score;
        let min_score = if is_decisive(max_score) {
            max_score
        } else {
            max_score - self.max_loss
        };
        let is_candidate = |(i, root): &(usize, &RootMove)| *i == 0 || root.score >= min_score;
        let candidates = best.iter().enumerate().filter(is_candidate);
        candidates.map(|(_, root)| root.m).collect()
    }
}

impl Worker {
    /// Moves one of the candidates to the front of the root moves, unless the last iteration found
    /// a better move than all of them.
    pub(super) fn apply_variety(&mut self) {
        let Some(variety) = &self.job.variety else {
            return;
        };
        let moves = &self.variety_candidates;
        if !moves.contains(&self.root_moves[0].m) {
            return;
        }
        let chosen = *Random::new(self.job.board.key() ^ variety.seed).pick(moves);
        if let Some(place) = self.root_moves.iter().position(|root| root.m == chosen) {
            self.root_moves[..=place].rotate_right(1);
        }
    }
}
