//! The engines, one thread each, and their queue.
//!
//! [`Pool::submit`] returns a [`SearchHandle`]. Dropping it, as happens when the connection of a
//! request closes, removes the search from the queue or stops it. Best moves have priority over the
//! positions of reviews, and these over analyses. Analyses leave at least one engine to the others.

use crate::backend::{Backend, BackendFactory, SearchOutput, SearchTask, StopSignal};
use crate::metrics::Metrics;
use crossbeam_channel::Sender;
use saavedra::search::Info;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Capacity of the event channel; events beyond it are discarded.
const EVENT_CAPACITY: usize = 256;

/// Delay before another attempt to create an engine.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The priority of a search, highest first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Priority {
    /// A best move.
    BestMove,
    /// A position of a game review.
    Review,
    /// An open-ended analysis.
    Analysis,
}

const PRIORITIES: usize = 3;

/// An event of a search before its end.
#[derive(Debug)]
pub enum SearchEvent {
    /// An engine has started the search.
    Started,
    /// The search has reported a PV line.
    Info(Info),
}

/// A finished search.
#[derive(Default)]
pub struct FinishedSearch {
    /// The result.
    pub output: SearchOutput,
    /// Time in the queue.
    pub queued: Duration,
    /// Time of the search.
    pub searched: Duration,
    /// The backend that was submitted with the search.
    pub backend: Option<Box<dyn Backend>>,
}

/// The queue is full.
pub struct QueueFull {
    /// Seconds to wait before a retry.
    pub retry_after: u64,
    /// The backend that was submitted with the search.
    pub backend: Option<Box<dyn Backend>>,
}

struct QueuedSearch {
    id: u64,
    task: SearchTask,
    backend: Option<Box<dyn Backend>>,
    priority: Priority,
    expected: Duration,
    since: Instant,
    events: mpsc::Sender<SearchEvent>,
    finished: oneshot::Sender<FinishedSearch>,
    stop: StopSignal,
    stopper: Arc<Stopper>,
}

/// Stops a search: its sender is dropped, which disconnects the [`StopSignal`].
struct Stopper(Mutex<Option<Sender<Infallible>>>);

impl Stopper {
    fn stop(&self) {
        drop(lock(&self.0).take());
    }
}

struct RunningSearch {
    id: u64,
    priority: Priority,
    expected_end: Instant,
    stopper: Arc<Stopper>,
}

#[derive(Default)]
struct State {
    queues: [VecDeque<QueuedSearch>; PRIORITIES],
    running: Vec<RunningSearch>,
    next_id: u64,
    closed: bool,
}

struct Shared {
    state: Mutex<State>,
    state_changed: Condvar,
    workers: usize,
    max_queued: usize,
    max_wait: Duration,
    metrics: Arc<Metrics>,
}

/// The engines and their queue. Cheap to clone.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

/// A queued or running search. Dropping it cancels the search.
pub struct SearchHandle {
    /// Events before the end.
    pub events: mpsc::Receiver<SearchEvent>,
    /// The result; closed without a value if the search failed.
    pub finished: oneshot::Receiver<FinishedSearch>,
    _cancel: CancelOnDrop,
}

struct CancelOnDrop {
    id: u64,
    shared: Arc<Shared>,
    stopper: Arc<Stopper>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.stopper.stop();
        let mut state = lock(&self.shared.state);
        for queue in &mut state.queues {
            queue.retain(|search| search.id != self.id);
        }
        self.shared.update_metrics(&state);
    }
}

/// Replaces a failed engine; retries while there is no memory for it.
fn recreate(factory: &dyn BackendFactory) -> Box<dyn Backend> {
    loop {
        match factory.create() {
            Ok(backend) => return backend,
            Err(error) => tracing::error!(error, "a failed engine could not be replaced"),
        }
        std::thread::sleep(RETRY_DELAY);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Starts `workers` engines. At most `max_queued` searches of each priority are queued, none
    /// with an expected waiting time above `max_wait`.
    ///
    /// # Errors
    /// No memory or no thread for an engine.
    pub fn start(
        factory: &Arc<dyn BackendFactory>,
        workers: usize,
        max_queued: usize,
        max_wait: Duration,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<Pool> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State::default()),
            state_changed: Condvar::new(),
            workers,
            max_queued,
            max_wait,
            metrics,
        });
        let mut threads = Vec::new();
        for index in 0..workers {
            let (shared, factory) = (Arc::clone(&shared), Arc::clone(factory));
            let backend = factory.create().map_err(std::io::Error::other)?;
            let name = format!("engine-{index}");
            let run = move || shared.run_worker(backend, factory.as_ref());
            threads.push(std::thread::Builder::new().name(name).spawn(run)?);
        }
        Ok(Pool {
            shared,
            threads: Arc::new(Mutex::new(threads)),
        })
    }

    /// Queues a search. `expected` is its expected duration. A `backend` is used instead of the
    /// pool's own and returned with the result.
    ///
    /// # Errors
    /// The queue is full or the expected waiting time too long.
    pub fn submit(
        &self,
        task: SearchTask,
        priority: Priority,
        expected: Duration,
        backend: Option<Box<dyn Backend>>,
    ) -> Result<SearchHandle, QueueFull> {
        let shared = &self.shared;
        let (events, events_receiver) = mpsc::channel(EVENT_CAPACITY);
        let (finished, finished_receiver) = oneshot::channel();
        let (sender, receiver) = crossbeam_channel::bounded(0);
        let stopper = Arc::new(Stopper(Mutex::new(Some(sender))));
        let mut state = lock(&shared.state);
        if let Err(retry_after) = shared.check_capacity(&state, priority) {
            return Err(QueueFull {
                retry_after,
                backend,
            });
        }
        let id = state.next_id;
        state.next_id += 1;
        state.queues[priority as usize].push_back(QueuedSearch {
            id,
            task,
            backend,
            priority,
            expected,
            since: Instant::now(),
            events,
            finished,
            stop: StopSignal(receiver),
            stopper: Arc::clone(&stopper),
        });
        shared.update_metrics(&state);
        drop(state);
        // Not every idle engine may start every search: wake them all.
        shared.state_changed.notify_all();
        let cancel = CancelOnDrop {
            id,
            shared: Arc::clone(shared),
            stopper,
        };
        Ok(SearchHandle {
            events: events_receiver,
            finished: finished_receiver,
            _cancel: cancel,
        })
    }

    /// The number of queued and of running searches.
    pub fn load(&self) -> (usize, usize) {
        let state = lock(&self.shared.state);
        (state.queued(), state.running.len())
    }

    /// Stops all analyses, so that their streams end. Other searches continue.
    pub fn stop_analyses(&self) {
        let state = lock(&self.shared.state);
        let queued = state.queues[Priority::Analysis as usize]
            .iter()
            .map(|search| &search.stopper);
        let running = state
            .running
            .iter()
            .filter(|search| search.priority == Priority::Analysis);
        for stopper in queued.chain(running.map(|search| &search.stopper)) {
            stopper.stop();
        }
        drop(state);
        self.shared.state_changed.notify_all();
    }

    /// Stops all searches and waits for the threads of the engines to end.
    pub fn close(&self) {
        let mut state = lock(&self.shared.state);
        state.closed = true;
        for queue in &mut state.queues {
            queue.clear();
        }
        for search in &state.running {
            search.stopper.stop();
        }
        drop(state);
        self.shared.state_changed.notify_all();
        for thread in lock(&self.threads).drain(..) {
            // The thread catches the panics of its searches.
            let _ = thread.join();
        }
    }
}

impl State {
    fn queued(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }

    /// The next search that an idle engine may start. An analysis must not occupy the last engine,
    /// unless it was already stopped.
    fn next_search(&mut self, max_analyses: usize) -> Option<QueuedSearch> {
        let running_analyses = self
            .running
            .iter()
            .filter(|search| search.priority == Priority::Analysis)
            .count();
        let [best_moves, reviews, analyses] = &mut self.queues;
        let next_analysis = |queue: &mut VecDeque<QueuedSearch>| {
            if running_analyses < max_analyses {
                return queue.pop_front();
            }
            let stopped = queue.iter().position(|search| search.stop.is_set());
            stopped.and_then(|index| queue.remove(index))
        };
        best_moves
            .pop_front()
            .or_else(|| reviews.pop_front())
            .or_else(|| next_analysis(analyses))
    }
}

impl Shared {
    /// The maximum number of analyses that run at the same time.
    fn max_analyses(&self) -> usize {
        (self.workers - 1).max(1)
    }

    /// Checks that there is room for a search. The error is Retry-After in seconds.
    fn check_capacity(&self, state: &State, priority: Priority) -> Result<(), u64> {
        let wait = self.expected_wait(state, priority);
        let queued = state.queues[priority as usize].len();
        if !state.closed && queued < self.max_queued && wait <= self.max_wait {
            return Ok(());
        }
        Err(wait.as_secs_f64().ceil().clamp(1.0, 60.0) as u64)
    }

    /// The expected waiting time of a new search: the work before it divided by the number of
    /// engines. Zero for analyses, since most are closed long before their time limit.
    fn expected_wait(&self, state: &State, priority: Priority) -> Duration {
        if priority == Priority::Analysis {
            return Duration::ZERO;
        }
        let now = Instant::now();
        let before = &state.queues[..=priority as usize];
        let queued: Duration = before.iter().flatten().map(|search| search.expected).sum();
        let limited = state
            .running
            .iter()
            .filter(|search| search.priority != Priority::Analysis);
        let running: Duration = limited
            .map(|search| search.expected_end.saturating_duration_since(now))
            .sum();
        (queued + running) / self.workers.try_into().unwrap_or(u32::MAX)
    }

    fn update_metrics(&self, state: &State) {
        self.metrics.set_load(state.queued(), state.running.len());
    }

    /// The loop of an engine's thread.
    fn run_worker(&self, mut backend: Box<dyn Backend>, factory: &dyn BackendFactory) {
        while let Some(search) = self.wait_for_search() {
            let id = search.id;
            if !self.run_search(backend.as_mut(), search) {
                backend = recreate(factory);
            }
            let mut state = lock(&self.state);
            state.running.retain(|search| search.id != id);
            self.update_metrics(&state);
            drop(state);
            // Another engine may now be allowed to start an analysis.
            self.state_changed.notify_all();
        }
    }

    fn wait_for_search(&self) -> Option<QueuedSearch> {
        let mut state = lock(&self.state);
        loop {
            if state.closed {
                return None;
            }
            if let Some(search) = state.next_search(self.max_analyses()) {
                state.running.push(RunningSearch {
                    id: search.id,
                    priority: search.priority,
                    expected_end: Instant::now() + search.expected,
                    stopper: Arc::clone(&search.stopper),
                });
                self.update_metrics(&state);
                return Some(search);
            }
            state = self
                .state_changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Runs a search. Returns false if `worker_backend` failed and must be replaced.
    fn run_search(&self, worker_backend: &mut dyn Backend, search: QueuedSearch) -> bool {
        let QueuedSearch {
            task,
            mut backend,
            stop,
            events,
            finished,
            since,
            ..
        } = search;
        let queued = since.elapsed();
        if finished.is_closed() {
            return true;
        }
        // Events are lost if the reader is slow or gone; the result has its own channel.
        let _ = events.try_send(SearchEvent::Started);
        let start = Instant::now();
        let mut on_info = |info| drop(events.try_send(SearchEvent::Info(info)));
        let result = catch_unwind(AssertUnwindSafe(|| match &mut backend {
            Some(backend) => backend.search(&task, &stop, &mut on_info),
            None => worker_backend.search(&task, &stop, &mut on_info),
        }));
        let searched = start.elapsed();
        // Every searched position has a legal move: no best move is a failure too.
        let Some(output) = result.ok().filter(|output| output.result.best.is_some()) else {
            tracing::error!(fen = task.game.board().to_fen(), "the engine failed");
            return backend.is_some();
        };
        self.metrics
            .count_search(output.nodes(), queued, searched, stop.is_set());
        // Fails if the client is gone.
        let _ = finished.send(FinishedSearch {
            output,
            queued,
            searched,
            backend,
        });
        true
    }
}
