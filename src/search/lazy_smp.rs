//! Lazy SMP: several threads search the same position and share the transposition table.
//! <https://www.chessprogramming.org/Lazy_SMP>
//!
//! Their histories differ, so they search the tree in different orders, and one completes an
//! iteration before the others. The others then abort the iteration, adopt its root moves and start
//! the next one.

use super::root_move::RootMove;
use super::worker::Worker;
use crate::mutex::lock;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

/// The deepest iteration that any thread has completed, and its root moves.
pub(super) struct CompletedIteration {
    depth: AtomicI32,
    root_moves: Mutex<Vec<RootMove>>,
}

impl CompletedIteration {
    pub(super) fn new() -> CompletedIteration {
        CompletedIteration { depth: AtomicI32::new(0), root_moves: Mutex::new(Vec::new()) }
    }

    /// Prepares for a new search.
    pub(super) fn reset(&self) {
        self.depth.store(0, Relaxed);
    }

    fn root_moves(&self) -> MutexGuard<'_, Vec<RootMove>> {
        lock(&self.root_moves)
    }

    /// Stores the root moves of a completed iteration, unless another thread was first.
    fn store(&self, depth: i32, completed: &[RootMove]) {
        let mut root_moves = self.root_moves();
        if self.depth.load(Relaxed) < depth {
            completed.clone_into(&mut root_moves);
            self.depth.store(depth, Relaxed);
        }
    }

    /// The depth and the root moves.
    fn load(&self) -> (i32, Vec<RootMove>) {
        let root_moves = self.root_moves();
        (self.depth.load(Relaxed), root_moves.clone())
    }
}

impl Worker {
    /// Whether another thread has completed this iteration or a later one.
    pub(super) fn is_iteration_completed(&self) -> bool {
        self.request.shares_iterations()
            && self.shared.completed.depth.load(Relaxed) >= self.root_depth
    }

    /// Shares the iteration that this thread has completed.
    pub(super) fn share_iteration(&self) {
        if self.request.shares_iterations() {
            let completed = &self.shared.completed;
            completed.store(self.root_depth, &self.root_moves);
        }
    }

    /// Continues from the iteration that another thread has completed.
    pub(super) fn adopt_iteration(&mut self) {
        (self.root_depth, self.root_moves) = self.shared.completed.load();
        self.stopped = false;
    }
}

#[cfg(test)]
mod tests {
    use crate::chess::Board;
    use crate::eval::Evaluation;
    use crate::search::{Limits, NullReporter, SearchRequest, SharedState, Worker};
    use std::sync::Arc;

    #[test]
    fn a_helper_thread_without_a_completed_iteration_has_no_best_move() {
        let shared = Arc::new(SharedState::new(2, 1).expect("memory"));
        let evaluation = Evaluation::embedded();
        shared.begin(false);
        shared.stop();
        let request = SearchRequest::new(Board::default(), Limits::depth(5));
        let best_move = |id| {
            let mut worker = Worker::new(id, Arc::clone(&shared), &evaluation);
            worker.run(&request, Box::new(NullReporter)).best
        };
        assert!(best_move(0).is_some());
        assert_eq!(best_move(1), None);
    }

    #[test]
    fn a_thread_continues_from_iterations_that_another_completed() {
        let shared = Arc::new(SharedState::new(2, 8).expect("memory"));
        let evaluation = Evaluation::embedded();
        shared.begin(false);
        let run = |id, depth| {
            let mut worker = Worker::new(id, Arc::clone(&shared), &evaluation);
            let request = SearchRequest {
                threads: 2,
                ..SearchRequest::new(Board::default(), Limits::depth(depth))
            };
            let result = worker.run(&request, Box::new(NullReporter));
            let line = result.line().expect("a PV");
            (line.depth, line.pv.clone(), worker.nodes)
        };
        let (depth, pv, first_nodes) = run(0, 10);
        assert_eq!(depth, 10);
        let (depth, adopted_pv, nodes) = run(1, 10);
        assert_eq!((depth, adopted_pv), (10, pv));
        assert!(nodes < 3_000 && nodes < first_nodes, "{nodes} of {first_nodes}");
        let (depth, pv, _) = run(1, 12);
        assert_eq!(depth, 12);
        assert!(pv.len() > 1);
    }
}
