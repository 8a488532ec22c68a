//! The moves of the root and their results.

use super::info::Bound;
use super::score::{INFINITE, Value};
use super::worker::Worker;
use crate::chess::Move;
use std::cmp::Reverse;

/// A root move and the results of its search.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) m: Move,
    /// The score of this iteration; -[`INFINITE`] if the move was not the best one.
    pub(super) score: Value,
    /// The bound type of the score: a fail high or fail low is searched again, unless the search
    /// stops.
    pub(super) bound: Bound,
    /// The last exact score of an earlier iteration, and its depth.
    pub(super) previous_score: Value,
    pub(super) previous_depth: i32,
    /// The depth of the last score and PV.
    pub(super) depth: i32,
    pub(super) seldepth: usize,
    /// Nodes searched below this move.
    pub(super) nodes: u64,
    pub(super) pv: Vec<Move>,
    /// The score by tablebases.
    pub(super) tb_score: Option<Value>,
    /// The rank by tablebases: moves of a higher rank come first, whatever their score.
    pub(super) tb_rank: i32,
}

impl RootMove {
    /// A move without results.
    pub(super) fn new(m: Move) -> RootMove {
        RootMove {
            m,
            score: -INFINITE,
            bound: Bound::Exact,
            previous_score: -INFINITE,
            previous_depth: 0,
            depth: 0,
            seldepth: 0,
            nodes: 0,
            pv: vec![m],
            tb_score: None,
            tb_rank: 0,
        }
    }

    /// Whether the move has had a score in this search.
    pub(super) fn has_score(&self) -> bool {
        self.score.max(self.previous_score) > -INFINITE
    }

    /// Whether the score of this iteration is exact.
    fn has_exact_score(&self) -> bool {
        self.score > -INFINITE && self.bound == Bound::Exact
    }

    /// The score and its depth to report. If the search stops while a fail high or fail low is
    /// searched again, they come from the iteration before, or otherwise from the bound.
    pub(super) fn result(&self) -> (Value, i32) {
        let is_previous_old = self.previous_depth + 1 < self.depth;
        let has_only_bound = self.previous_score == -INFINITE || is_previous_old;
        if self.has_exact_score() || (self.score > -INFINITE && has_only_bound) {
            (self.score, self.depth)
        } else {
            (self.previous_score, self.previous_depth)
        }
    }

    /// Prepares for the next iteration. Scores of different iterations are never compared.
    pub(super) fn begin_iteration(&mut self) {
        if self.has_exact_score() {
            (self.previous_score, self.previous_depth) = (self.score, self.depth);
        }
        self.score = -INFINITE;
    }

    /// The sort key, best moves first.
    pub(super) fn sort_key(&self) -> Reverse<(i32, Value)> {
        Reverse((self.tb_rank, self.score))
    }
}

impl Worker {
    /// Sets the root moves: the legal moves in the limits that the handicap does not miss.
    pub(super) fn init_root_moves(&mut self) {
        let board = self.request.board;
        let search_moves = &self.request.limits.search_moves;
        let mut moves: Vec<Move> = board
            .legal_moves()
            .iter()
            .copied()
            .filter(|m| search_moves.is_empty() || search_moves.contains(m))
            .collect();
        // Relative to the side to move, so that both colours are searched alike.
        let relative = |square: crate::chess::Square| square.relative_to(board.turn()).index();
        moves.sort_by_key(|m| (relative(m.from()), relative(m.to()), m.bits() >> 12));
        if let Some(handicap) = &self.request.handicap {
            handicap.restrict_root_moves(&board, &mut moves);
        }
        self.root_moves = moves.into_iter().map(RootMove::new).collect();
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
    fn a_score_of_the_last_iteration_ranks_nothing_in_the_next_one() {
        let m = Board::startpos().legal_moves()[0];
        for (score, bound, previous) in [
            (20, Bound::Exact, (20, 7)),
            (20, Bound::Upper, (5, 6)),
            (-INFINITE, Bound::Exact, (5, 6)),
        ] {
            let mut root = RootMove {
                score,
                bound,
                depth: 7,
                previous_score: 5,
                previous_depth: 6,
                ..RootMove::new(m)
            };
            root.begin_iteration();
            assert_eq!(root.score, -INFINITE, "{bound:?}");
            assert_eq!(root.result(), previous, "{bound:?}");
        }
    }

    #[test]
    fn a_bound_is_reported_if_the_last_exact_score_is_older_than_the_iteration_before() {
        let m = Board::startpos().legal_moves()[0];
        for (score, bound, previous_depth, result) in [
            (60, Bound::Exact, 19, (60, 20)),
            (60, Bound::Lower, 19, (15, 19)),
            (60, Bound::Lower, 3, (60, 20)),
            (-60, Bound::Upper, 19, (15, 19)),
            (-INFINITE, Bound::Exact, 3, (15, 3)),
        ] {
            let root = RootMove {
                score,
                bound,
                depth: 20,
                previous_score: 15,
                previous_depth,
                ..RootMove::new(m)
            };
            assert_eq!(root.result(), result, "{score} {bound:?} {previous_depth}");
        }
    }

    #[test]
    fn a_search_of_some_root_moves_does_not_store_the_root() {
        let board = Board::startpos();
        let stores_root = |search_moves: &[&str]| {
            let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
            let mut worker = Worker::new(0, Arc::clone(&shared), &Evaluation::Material);
            let moves = search_moves.iter().map(|text| board.parse_uci(text));
            let limits = Limits {
                search_moves: moves.map(|m| m.expect("legal")).collect(),
                ..Limits::depth(4)
            };
            worker.run(&SearchRequest::new(board, limits), Box::new(NullReporter));
            let entry = shared.tt.probe(board.key(), 0, 0);
            entry.is_some_and(|entry| entry.bound.is_some())
        };
        assert!(stores_root(&[]));
        assert!(!stores_root(&["a2a3", "h2h4"]));
    }
}
