//! Where an engine searches: on threads of its own, or on the thread of its caller.

use super::search::{SearchControl, SearchError};
use super::thread_pool::{self, ListenerReporter, Task, ThreadPool};
use crate::chess::Move;
use crate::eval::Evaluation;
use crate::mutex::lock;
use crate::search::clock::{Clock, SystemClock};
use crate::search::{AllocationError, Info, Reporter, SharedState, TranspositionTable, Worker};
use std::io;
use std::sync::{Arc, Mutex};

/// What the platform offers an engine.
#[derive(Clone)]
pub struct Platform {
    /// The clock of searches.
    pub clock: Arc<dyn Clock>,
    /// Whether threads can be started. Without them, a search runs on the thread of its caller.
    pub has_threads: bool,
}

/// The system's clock and threads.
impl Default for Platform {
    fn default() -> Platform {
        Platform { clock: Arc::new(SystemClock::default()), has_threads: true }
    }
}

impl Platform {
    /// The shared state of this number of threads, with a table of this size in megabytes.
    pub(super) fn shared_state(
        &self,
        threads: usize,
        megabytes: usize,
    ) -> Result<SharedState, AllocationError> {
        let tt = TranspositionTable::new(megabytes, threads)?;
        Ok(self.shared_state_with(threads, tt))
    }

    /// The same with this table.
    pub(super) fn shared_state_with(&self, threads: usize, tt: TranspositionTable) -> SharedState {
        SharedState::with_clock(threads, tt, Arc::clone(&self.clock))
    }

    /// Starts this number of threads. Without threads there is only the caller's.
    pub(super) fn workers(
        &self,
        threads: usize,
        shared: &Arc<SharedState>,
        evaluation: &Evaluation,
    ) -> io::Result<Workers> {
        // The code of threads is not linked where there are none.
        if self.has_threads && !cfg!(target_family = "wasm") {
            return ThreadPool::new(threads, shared, evaluation).map(Workers::Threads);
        }
        if threads > 1 {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let worker = Worker::new(0, Arc::clone(shared), evaluation);
        Ok(Workers::Caller { worker: Arc::new(Mutex::new(worker)), pending: None, last: None })
    }
}

/// What runs the tasks of an engine.
pub(super) enum Workers {
    /// Threads of the engine.
    Threads(ThreadPool),
    /// The thread of the caller: it takes each task and runs it.
    Caller {
        worker: Arc<Mutex<Worker>>,
        pending: Option<PendingTask>,
        /// Controls the last task, which the caller may have taken.
        last: Option<SearchControl>,
    },
}

impl Workers {
    /// No worker.
    pub(super) fn none() -> Workers {
        Workers::Threads(ThreadPool::empty())
    }

    /// The number of workers.
    pub(super) fn len(&self) -> usize {
        match self {
            Workers::Threads(pool) => pool.len(),
            Workers::Caller { .. } => 1,
        }
    }

    /// Starts the task, or keeps it until [`take_pending`](Workers::take_pending) is called.
    pub(super) fn start(&mut self, task: Task, shared: &Arc<SharedState>) -> SearchControl {
        match self {
            Workers::Threads(pool) => pool.start(task, shared),
            Workers::Caller { worker, pending, last } => {
                let control = last.insert(SearchControl::new(shared)).clone();
                *pending = Some(PendingTask {
                    worker: Arc::clone(worker),
                    shared: Arc::clone(shared),
                    control: control.clone(),
                    task,
                });
                control
            }
        }
    }

    /// Takes the task that the caller has to run.
    pub(super) fn take_pending(&mut self) -> Option<PendingTask> {
        match self {
            Workers::Threads(_) => None,
            Workers::Caller { pending, .. } => pending.take(),
        }
    }

    /// Stops the running task, if any, and waits for its end.
    pub(super) fn finish(&mut self) {
        match self {
            Workers::Threads(pool) => pool.finish(),
            Workers::Caller { pending, last, .. } => {
                *pending = None;
                if let Some(control) = last.take() {
                    control.stop();
                }
            }
        }
    }

    /// Clears the histories.
    pub(super) fn clear(&self) {
        match self {
            Workers::Threads(pool) => pool.clear(),
            Workers::Caller { worker, .. } => {
                let mut worker = lock(worker);
                worker.clear();
            }
        }
    }
}

/// Dropping them stops the running task.
impl Drop for Workers {
    fn drop(&mut self) {
        self.finish();
    }
}

/// A task of an engine without threads, see [`Engine::take_pending`](super::Engine::take_pending).
#[must_use = "the task runs when `run` is called"]
pub struct PendingTask {
    worker: Arc<Mutex<Worker>>,
    shared: Arc<SharedState>,
    control: SearchControl,
    task: Task,
}

impl PendingTask {
    /// Runs the task to its end on this thread. `poll` is called about every millisecond. The task
    /// fails if the engine has started another one.
    pub fn run(self, mut poll: impl FnMut() + Send + 'static) {
        if !self.control.is_last() {
            self.task.fail(SearchError::NotBegun);
            return;
        }
        match self.task {
            Task::Search(request, listener) => {
                let mut worker = lock(&self.worker);
                let reporter =
                    PollingReporter { reporter: ListenerReporter(Arc::clone(&listener)), poll };
                let result = worker.run(&request, Box::new(reporter));
                self.control.stop();
                thread_pool::report_result(&request.board, result, &listener);
            }
            Task::Perft(board, depth, listener) => {
                thread_pool::count_moves(&board, depth, &self.shared, &listener, &mut poll);
            }
        }
    }
}

/// Passes reports to a listener, and polls.
struct PollingReporter<F> {
    reporter: ListenerReporter,
    poll: F,
}

impl<F: FnMut() + Send> Reporter for PollingReporter<F> {
    fn info(&mut self, info: &Info) {
        self.reporter.info(info);
    }

    fn current_move(&mut self, depth: u32, m: Move, move_number: usize) {
        self.reporter.current_move(depth, m, move_number);
    }

    fn poll(&mut self) {
        (self.poll)();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::engine::{Engine, Limits};

    fn engine_without_threads() -> Engine {
        let platform = Platform { has_threads: false, ..Platform::default() };
        Engine::with_platform(platform, 1, 1, Evaluation::PieceSquare).expect("an engine")
    }

    #[test]
    fn without_threads_a_search_that_has_not_begun_does_not_touch_the_next_one() {
        let mut engine = engine_without_threads();
        let first = engine.start(&Game::default(), Limits::depth(3));
        let second = engine.start(&Game::default(), Limits::depth(3));
        assert_eq!(first.wait(), Err(SearchError::NotBegun));
        let result = second.wait().expect("a result");
        assert_eq!(result.line().map(|line| line.depth), Some(3));
    }

    #[test]
    fn without_threads_a_finished_or_dropped_engine_ends_its_search() {
        let infinite = || Limits { infinite: true, ..Limits::default() };
        let mut engine = engine_without_threads();
        let finished = engine.start(&Game::default(), infinite());
        engine.finish();
        assert!(finished.wait().expect("a result").best.is_some());
        let dropped = engine.start(&Game::default(), infinite());
        drop(engine);
        assert!(dropped.wait().expect("a result").best.is_some());
    }
}
