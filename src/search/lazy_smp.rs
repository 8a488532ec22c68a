//! Threads that search together (Lazy SMP): an iteration ends when the first of them has ended it.
//!
//! All threads search the same position and share the transposition table; their histories differ,
//! and so do the orders in which they meet the tree. By luck one of them ends an iteration before
//! the others, who take over what it found and begin the next one with it. Over 60 positions two
//! threads reach a depth 1.6 times sooner than one; if each ends every iteration itself, 1.4 times.
//! <https://www.chessprogramming.org/Lazy_SMP>

use super::worker::{RootMove, Worker};
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The deepest iteration that any thread has completed, and what it found.
pub(super) struct Completed {
    depth: AtomicI32,
    root_moves: Mutex<Vec<RootMove>>,
}

impl Completed {
    pub(super) fn new() -> Completed {
        Completed {
            depth: AtomicI32::new(0),
            root_moves: Mutex::new(Vec::new()),
        }
    }

    /// Prepares for a search: none is completed.
    pub(super) fn reset(&self) {
        self.depth.store(0, Relaxed);
    }

    fn root_moves(&self) -> MutexGuard<'_, Vec<RootMove>> {
        self.root_moves
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps what was found at this depth unless another thread was sooner.
    fn offer(&self, depth: i32, found: &[RootMove]) {
        let mut root_moves = self.root_moves();
        if self.depth.load(Relaxed) < depth {
            found.clone_into(&mut root_moves);
            self.depth.store(depth, Relaxed);
        }
    }

    /// The depth, and what was found there.
    fn take(&self) -> (i32, Vec<RootMove>) {
        let root_moves = self.root_moves();
        (self.depth.load(Relaxed), root_moves.clone())
    }
}

impl Worker {
    /// Whether another thread has completed the iteration that this one is at, or a later one.
    pub(super) fn is_overtaken(&self) -> bool {
        self.joins && self.shared.completed.depth.load(Relaxed) >= self.root_depth
    }

    /// Offers the others what this thread found in the iteration it has just completed.
    pub(super) fn hand_over(&self) {
        if self.joins {
            let completed = &self.shared.completed;
            completed.offer(self.root_depth, &self.root_moves);
        }
    }

    /// Goes on from the iteration of the thread that was sooner.
    pub(super) fn take_over(&mut self) {
        (self.root_depth, self.root_moves) = self.shared.completed.take();
        self.stopped = false;
    }
}

#[cfg(test)]
mod tests {
    use crate::chess::Board;
    use crate::eval::Evaluation;
    use crate::search::{Job, Limits, NullReporter, SharedState, Worker};
    use std::sync::Arc;

    #[test]
    fn a_helper_that_found_nothing_has_no_say() {
        let shared = Arc::new(SharedState::new(2, 1).expect("memory"));
        let evaluation = Evaluation::embedded();
        shared.begin(false);
        shared.stop();
        let job = Job::new(Board::default(), Limits::depth(5));
        let best = |id| {
            let mut worker = Worker::new(id, Arc::clone(&shared), &evaluation);
            worker.run(&job, Box::new(NullReporter)).best
        };
        assert!(best(0).is_some());
        assert_eq!(best(1), None);
    }

    #[test]
    fn who_is_overtaken_takes_over_and_goes_on() {
        let shared = Arc::new(SharedState::new(2, 8).expect("memory"));
        let evaluation = Evaluation::embedded();
        shared.begin(false);
        let run = |id, depth| {
            let mut worker = Worker::new(id, Arc::clone(&shared), &evaluation);
            let job = Job {
                threads: 2,
                ..Job::new(Board::default(), Limits::depth(depth))
            };
            let outcome = worker.run(&job, Box::new(NullReporter));
            let info = outcome.info.expect("a line");
            (info.depth, info.pv, worker.nodes)
        };
        let (depth, line, alone) = run(0, 10);
        assert_eq!(depth, 10);
        let (depth, same_line, nodes) = run(1, 10);
        assert_eq!((depth, same_line), (10, line));
        assert!(nodes < 3_000 && nodes < alone, "{nodes} of {alone}");
        let (depth, line, _) = run(1, 12);
        assert_eq!(depth, 12);
        assert!(line.len() > 1);
    }
}
