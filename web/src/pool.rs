//! The engines, one thread each, and their queue.
//!
//! [`Pool::submit`] returns a [`SearchHandle`]. Dropping it, as happens when the connection of a
//! request closes, removes the search from the queue or stops it.
//!
//! Clients take turns: each has a queue of its own, in which best moves have priority over the
//! positions of reviews, and these over analyses. Long searches never occupy the last engine, so
//! that a short one soon finds one. If the queue is full, a client that has more searches in it
//! than the new one loses its newest.

use crate::backend::{Backend, BackendFactory, SearchOutput, SearchTask, StopSignal};
use crate::client::ClientId;
use crate::metrics::Metrics;
use crossbeam_channel::Sender;
use saavedra::search::Info;
use saavedra_api::{BestMoveResponse, RequestedGame};
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

impl FinishedSearch {
    /// The response for the search of this game.
    pub fn response(&self, requested: &RequestedGame) -> BestMoveResponse {
        let SearchOutput { result, lines } = &self.output;
        BestMoveResponse::new(requested, result, lines, self.queued, self.searched)
    }
}

/// A search of at most this time may occupy any engine.
const SHORT: Duration = Duration::from_millis(250);

/// A best move of at most this time may occupy the last engine, unless its client already runs one
/// that is not short.
const MEDIUM: Duration = Duration::from_secs(2);

/// Whether a search must leave an engine to others.
fn is_long(priority: Priority, max_time: Duration) -> bool {
    max_time > SHORT && (priority != Priority::BestMove || max_time > MEDIUM)
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
    client: ClientId,
    task: SearchTask,
    backend: Option<Box<dyn Backend>>,
    priority: Priority,
    expected: Duration,
    max_time: Duration,
    since: Instant,
    events: mpsc::Sender<SearchEvent>,
    finished: oneshot::Sender<Result<FinishedSearch, QueueFull>>,
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
    client: ClientId,
    priority: Priority,
    max_time: Duration,
    expected_end: Instant,
    stopper: Arc<Stopper>,
}

/// The queued searches of one client, by priority.
struct ClientQueue {
    client: ClientId,
    searches: [VecDeque<QueuedSearch>; PRIORITIES],
}

impl ClientQueue {
    fn iter(&self) -> impl Iterator<Item = &QueuedSearch> {
        self.searches.iter().flatten()
    }

    fn len(&self, priority: Priority) -> usize {
        self.searches[priority as usize].len()
    }
}

#[derive(Default)]
struct State {
    /// The clients with queued searches; the first is the next to be served.
    queues: VecDeque<ClientQueue>,
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
    /// The result; an error if the search lost its place in the queue, and closed without a value
    /// if it failed.
    pub finished: oneshot::Receiver<Result<FinishedSearch, QueueFull>>,
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
            for searches in &mut queue.searches {
                searches.retain(|search| search.id != self.id);
            }
        }
        state.queues.retain(|queue| queue.iter().next().is_some());
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

    /// Queues a search of a client. A `backend` is used instead of the
    /// pool's own and returned with the result.
    ///
    /// # Errors
    /// The queue is full or the expected waiting time too long.
    pub fn submit(
        &self,
        client: ClientId,
        task: SearchTask,
        priority: Priority,
        backend: Option<Box<dyn Backend>>,
    ) -> Result<SearchHandle, QueueFull> {
        let shared = &self.shared;
        let (expected, max_time) = (task.parameters.expected_time(), task.parameters.max_time());
        let (events, events_receiver) = mpsc::channel(EVENT_CAPACITY);
        let (finished, finished_receiver) = oneshot::channel();
        let (sender, receiver) = crossbeam_channel::bounded(0);
        let stopper = Arc::new(Stopper(Mutex::new(Some(sender))));
        let mut state = lock(&shared.state);
        if let Err(retry_after) = shared.make_room(&mut state, client, priority, max_time) {
            return Err(QueueFull {
                retry_after,
                backend,
            });
        }
        let id = state.next_id;
        state.next_id += 1;
        state.push(QueuedSearch {
            id,
            client,
            task,
            backend,
            priority,
            expected,
            max_time,
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

    /// Whether the pool was closed; it accepts no search then.
    pub fn is_closed(&self) -> bool {
        lock(&self.shared.state).closed
    }

    /// Whether another best move can be queued.
    pub fn has_room(&self) -> bool {
        self.shared.has_room(&lock(&self.shared.state))
    }

    /// Stops all analyses, so that their streams end. Other searches continue.
    pub fn stop_analyses(&self) {
        let state = lock(&self.shared.state);
        let queued = state
            .queues
            .iter()
            .flat_map(|queue| &queue.searches[Priority::Analysis as usize])
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
        state.queues.clear();
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
        self.queues.iter().map(|queue| queue.iter().count()).sum()
    }

    fn push(&mut self, search: QueuedSearch) {
        let client = search.client;
        let known = self.queues.iter().position(|queue| queue.client == client);
        let index = known.unwrap_or_else(|| {
            self.queues.push_back(ClientQueue {
                client,
                searches: Default::default(),
            });
            self.queues.len() - 1
        });
        self.queues[index].searches[search.priority as usize].push_back(search);
    }

    /// The next search that an idle engine may start; its client is then the last to be served.
    fn next_search(&mut self, workers: usize) -> Option<QueuedSearch> {
        for index in 0..self.queues.len() {
            for priority in 0..PRIORITIES {
                let searches = &self.queues[index].searches[priority];
                let may_start = |search: &QueuedSearch| {
                    search.stop.is_set()
                        || self.may_start(search.client, search.priority, search.max_time, workers)
                };
                let Some(next) = searches.iter().position(may_start) else {
                    continue;
                };
                let mut queue = self.queues.remove(index)?;
                let search = queue.searches[priority].remove(next);
                if queue.iter().next().is_some() {
                    self.queues.push_back(queue);
                }
                return search;
            }
        }
        None
    }

    /// Whether an idle engine may start a search. One engine is kept free of long searches.
    fn may_start(
        &self,
        client: ClientId,
        priority: Priority,
        max_time: Duration,
        workers: usize,
    ) -> bool {
        if workers == 1 || max_time <= SHORT {
            return true;
        }
        if is_long(priority, max_time) {
            let is_long = |other: &&RunningSearch| is_long(other.priority, other.max_time);
            return self.running.iter().filter(is_long).count() + 1 < workers;
        }
        let is_last_engine = self.running.len() + 1 >= workers;
        let mut running = self.running.iter();
        !is_last_engine
            || !running.any(|other| {
                other.client == client
                    && other.priority == Priority::BestMove
                    && other.max_time > SHORT
            })
    }
}

impl Shared {
    /// Checks that there is room for a search, if need be at the cost of a client with more queued
    /// searches. The error is Retry-After in seconds.
    fn make_room(
        &self,
        state: &mut State,
        client: ClientId,
        priority: Priority,
        max_time: Duration,
    ) -> Result<(), u64> {
        let wait = self.expected_wait(state, client, priority, max_time);
        let retry_after = wait.as_secs_f64().ceil().clamp(1.0, 60.0) as u64;
        if state.closed || wait > self.max_wait {
            return Err(retry_after);
        }
        let queued: usize = state.queues.iter().map(|queue| queue.len(priority)).sum();
        if queued < self.max_queued {
            return Ok(());
        }
        let own = state.queues.iter().find(|queue| queue.client == client);
        let own = own.map_or(0, |queue| queue.len(priority));
        let longest = state
            .queues
            .iter_mut()
            .max_by_key(|queue| queue.len(priority))
            .filter(|queue| queue.len(priority) > own + 1);
        let newest = longest.and_then(|queue| queue.searches[priority as usize].pop_back());
        let Some(evicted) = newest else {
            return Err(retry_after);
        };
        // Fails if the client is gone.
        let _ = evicted.finished.send(Err(QueueFull {
            retry_after,
            backend: evicted.backend,
        }));
        Ok(())
    }

    /// The expected waiting time of a new search. Zero if an idle engine starts it, and for
    /// analyses, since most are closed long before their time limit.
    ///
    /// Clients take turns, so of the other clients only as many searches count as the client has
    /// queued itself. A short search does not wait for long ones: one engine is kept free of them.
    fn expected_wait(
        &self,
        state: &State,
        client: ClientId,
        priority: Priority,
        max_time: Duration,
    ) -> Duration {
        let has_idle_engine = state.queues.is_empty() && state.running.len() < self.workers;
        if priority == Priority::Analysis
            || has_idle_engine && state.may_start(client, priority, max_time, self.workers)
        {
            return Duration::ZERO;
        }
        let counts = |other: Duration| self.workers == 1 || max_time > MEDIUM || other <= MEDIUM;
        let own = state.queues.iter().find(|queue| queue.client == client);
        let turns = 1 + own.map_or(0, |queue| queue.iter().count());
        let queued: Duration = state
            .queues
            .iter()
            .flat_map(|queue| {
                let before = queue.iter().filter(|search| {
                    search.priority != Priority::Analysis && counts(search.max_time)
                });
                before.take(turns)
            })
            .map(|search| search.expected)
            .sum();
        let now = Instant::now();
        let running: Duration = state
            .running
            .iter()
            .filter(|search| search.priority != Priority::Analysis && counts(search.max_time))
            .map(|search| search.expected_end.saturating_duration_since(now))
            .sum();
        (queued + running) / self.workers.try_into().unwrap_or(u32::MAX)
    }

    /// Whether another best move can be queued.
    fn has_room(&self, state: &State) -> bool {
        let best_moves = state
            .queues
            .iter()
            .map(|queue| queue.len(Priority::BestMove));
        !state.closed && best_moves.sum::<usize>() < self.max_queued
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
            // Another engine may now be allowed to start a long search.
            self.state_changed.notify_all();
        }
    }

    fn wait_for_search(&self) -> Option<QueuedSearch> {
        let mut state = lock(&self.state);
        loop {
            if state.closed {
                return None;
            }
            if let Some(search) = state.next_search(self.workers) {
                state.running.push(RunningSearch {
                    id: search.id,
                    client: search.client,
                    priority: search.priority,
                    max_time: search.max_time,
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
        let _ = finished.send(Ok(FinishedSearch {
            output,
            queued,
            searched,
            backend,
        }));
        true
    }
}
