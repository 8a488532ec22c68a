//! Variety: a random choice among moves that are nearly as good as the best one.

use super::root_move::RootMove;
use super::score::{Value, is_decisive};
use super::worker::Worker;
use crate::chess::{Move, Random};

/// The number of PV lines that are searched to compare moves.
pub(super) const MULTIPV: usize = 4;

/// A random choice among the best moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variety {
    /// Maximum loss against the best move, a difference of internal scores.
    pub max_loss: Value,
    /// Seed of the choice.
    pub seed: u64,
}

impl Variety {
    /// The moves within the maximum loss; only the best move if its score is decisive. `best` are
    /// the best root moves in order.
    pub(super) fn candidates(&self, best: &[RootMove]) -> Vec<Move> {
        let max_score = best[0].score;
        let min_score = if is_decisive(max_score) { max_score } else { max_score - self.max_loss };
        let is_candidate = |(i, root): &(usize, &RootMove)| *i == 0 || root.score >= min_score;
        let candidates = best.iter().enumerate().filter(is_candidate);
        candidates.map(|(_, root)| root.m).collect()
    }
}

impl Worker {
    /// Moves one of the candidates to the front of the root moves, unless the last iteration found
    /// a better move than all of them.
    pub(super) fn apply_variety(&mut self) {
        let Some(variety) = &self.request.variety else {
            return;
        };
        let moves = &self.variety_candidates;
        if !moves.contains(&self.root_moves[0].m) {
            return;
        }
        let chosen = *Random::new(self.request.board.key() ^ variety.seed).pick(moves);
        if let Some(place) = self.root_moves.iter().position(|root| root.m == chosen) {
            self.root_moves[..=place].rotate_right(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;
    use crate::eval::Evaluation;
    use crate::search::{Limits, NullReporter, SearchRequest, SharedState};
    use std::sync::Arc;

    #[test]
    fn one_of_the_best_four_moves_is_chosen_whatever_the_number_of_pv_lines() {
        for multipv in [1, 4, 10] {
            let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
            shared.begin(false);
            let mut worker = Worker::new(0, shared, &Evaluation::Material);
            let request = SearchRequest {
                multipv,
                variety: Some(Variety { max_loss: 10_000, seed: 1 }),
                ..SearchRequest::new(Board::startpos(), Limits::depth(3))
            };
            worker.run(&request, Box::new(NullReporter));
            assert_eq!(worker.variety_candidates.len(), MULTIPV, "{multipv}");
        }
    }
}
