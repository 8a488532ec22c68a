//! The engines, one thread each, and their queue.
//!
//! [`Pool::submit`] returns a [`SearchHandle`]. Dropping it, as happens when the connection of a
//! request closes, removes the search from the queue or stops it.
//!
//! Clients take turns: each has its own queue, in which best moves come before positions of
//! reviews, and these before analyses. Long searches never occupy the last engine, so
//! that a short one soon finds one, and the turn of an analysis soon ends if another search waits
//! for its engine. If the queue is full, a client that has more searches in it than the new one loses
//! its newest.

mod schedule;

pub use schedule::Priority;

use crate::backend::{Backend, BackendFactory, SearchTask, StopSignal};
use crate::client::ClientId;
use crate::metrics::Metrics;
use crossbeam_channel::Sender;
use parking_lot::{Condvar, Mutex};
use saavedra::search::{Info, SearchResult};
use saavedra_api::{BestMoveResponse, RequestedGame};
use schedule::{Class, Entry, QueuedSearch, Schedule};
use serde::Serialize;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};
use utoipa::ToSchema;

/// Capacity of the event channel; events beyond it are discarded.
const EVENT_CAPACITY: usize = 256;

/// Delay before another attempt to create an engine.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// An event of a search before its end.
#[derive(Debug)]
pub enum SearchEvent {
    /// An engine has started the search.
    Started,
    /// The search has reported the PV lines of an iteration.
    Info(Info),
}

/// A finished search.
#[derive(Default)]
pub struct FinishedSearch {
    /// The result.
    pub result: SearchResult,
    /// Time in the queue.
    pub queued: Duration,
    /// Time of the search.
    pub searched: Duration,
    /// Why the service ended it.
    pub stopped: Option<StopReason>,
    /// The backend that was submitted with the search.
    pub backend: Option<Box<dyn Backend>>,
}

impl FinishedSearch {
    /// The response for the search of this game.
    pub fn response(&self, requested: &RequestedGame) -> BestMoveResponse {
        BestMoveResponse::new(requested, &self.result, self.queued, self.searched)
    }
}

/// The queue is full or the expected waiting time too long.
pub struct QueueFull {
    /// Seconds to wait before a retry.
    pub retry_after: u64,
    /// The backend that was submitted with the search.
    pub backend: Option<Box<dyn Backend>>,
}

/// Why the service ends an analysis, or its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum StopReason {
    /// It took the maximum time.
    Time,
    /// Another search waits for its engine.
    Queue,
    /// The service is shutting down.
    Shutdown,
}

/// Stops a search: its sender is dropped, which disconnects the [`StopSignal`].
struct StopHandle {
    sender: Mutex<Option<Sender<Infallible>>>,
    reason: OnceLock<StopReason>,
}

impl StopHandle {
    /// Stops the search because nobody waits for it any more.
    fn cancel(&self) {
        drop(self.sender.lock().take());
    }

    fn stop(&self, reason: StopReason) {
        // The first reason counts.
        let _ = self.reason.set(reason);
        self.cancel();
    }

    fn is_stopped(&self) -> bool {
        self.sender.lock().is_none()
    }
}

struct Shared {
    schedule: Mutex<Schedule>,
    schedule_changed: Condvar,
    next_id: AtomicU64,
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
    stop_handle: Arc<StopHandle>,
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.stop_handle.cancel();
        let mut schedule = self.shared.schedule.lock();
        schedule.remove(self.id);
        self.shared.update_metrics(&schedule);
    }
}

fn spawn(name: String, run: impl FnOnce() + Send + 'static) -> std::io::Result<JoinHandle<()>> {
    std::thread::Builder::new().name(name).spawn(run)
}

impl Pool {
    /// Starts `workers` engines. At most `max_queued` searches of each priority are queued, no best
    /// move or review with an expected waiting time above `max_wait`.
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
            schedule: Mutex::new(Schedule::new(workers, max_queued, max_wait)),
            schedule_changed: Condvar::new(),
            next_id: AtomicU64::new(0),
            metrics,
        });
        let timer = Arc::clone(&shared);
        let run = move || timer.run_analysis_timer();
        let mut threads = vec![spawn("analysis-timer".to_owned(), run)?];
        for index in 0..workers {
            let (shared, factory) = (Arc::clone(&shared), Arc::clone(factory));
            let backend = factory.create().map_err(std::io::Error::other)?;
            let run = move || shared.run_worker(backend, factory.as_ref());
            threads.push(spawn(format!("engine-{index}"), run)?);
        }
        Ok(Pool { shared, threads: Arc::new(Mutex::new(threads)) })
    }

    /// Queues a search of a client. A `backend` is used instead of the pool's own and returned with
    /// the result.
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
        let expected = task.parameters.expected_time();
        let class = Class { priority, max_time: task.parameters.max_time() };
        let (events, events_receiver) = mpsc::channel(EVENT_CAPACITY);
        let (finished, finished_receiver) = oneshot::channel();
        let (sender, receiver) = crossbeam_channel::bounded(0);
        let sender = Mutex::new(Some(sender));
        let stop_handle = Arc::new(StopHandle { sender, reason: OnceLock::new() });
        let id = shared.next_id.fetch_add(1, Ordering::Relaxed);
        let mut schedule = shared.schedule.lock();
        if let Err(retry_after) = schedule.make_room(client, class) {
            return Err(QueueFull { retry_after, backend });
        }
        let (since, stop) = (Instant::now(), StopSignal(receiver));
        let (searched, handle) = (task.searched, Arc::clone(&stop_handle));
        let entry = Entry { id, client, class, expected, searched, since, stop_handle: handle };
        schedule.push(QueuedSearch { entry, task, backend, events, finished, stop });
        shared.update_metrics(&schedule);
        drop(schedule);
        // Not every idle engine may start every search: wake them all.
        shared.schedule_changed.notify_all();
        let cancel = CancelOnDrop { id, shared: Arc::clone(shared), stop_handle };
        Ok(SearchHandle { events: events_receiver, finished: finished_receiver, _cancel: cancel })
    }

    /// The number of queued and of running searches.
    pub fn load(&self) -> (usize, usize) {
        self.shared.schedule.lock().load()
    }

    /// Whether the pool was closed; it accepts no search then.
    pub fn is_closed(&self) -> bool {
        self.shared.schedule.lock().closed
    }

    /// Whether another best move of this time can be queued.
    pub fn has_room(&self, max_time: Duration) -> bool {
        self.shared.schedule.lock().has_room(max_time)
    }

    /// Stops all analyses, so that their streams end. Other searches continue.
    pub fn stop_analyses(&self) {
        self.shared.schedule.lock().stop_analyses();
        self.shared.schedule_changed.notify_all();
    }

    /// Stops all searches and waits for the threads of the engines to end.
    pub fn close(&self) {
        self.shared.schedule.lock().close();
        self.shared.schedule_changed.notify_all();
        for thread in self.threads.lock().drain(..) {
            // The thread catches the panics of its searches.
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn update_metrics(&self, schedule: &Schedule) {
        let (queued, running) = schedule.load();
        self.metrics.set_load(queued, running);
    }

    /// The loop of an engine's thread.
    fn run_worker(&self, mut backend: Box<dyn Backend>, factory: &dyn BackendFactory) {
        while let Some(search) = self.wait_for_search() {
            let id = search.entry.id;
            if !self.run_search(backend.as_mut(), search) {
                let Some(new) = self.recreate(factory) else {
                    return;
                };
                backend = new;
            }
            let mut schedule = self.schedule.lock();
            schedule.finish(id);
            self.update_metrics(&schedule);
            drop(schedule);
            // Another engine may now be allowed to start a long search.
            self.schedule_changed.notify_all();
        }
    }

    /// Replaces a failed engine; retries while there is no memory for it. `None` if the pool is
    /// closed.
    fn recreate(&self, factory: &dyn BackendFactory) -> Option<Box<dyn Backend>> {
        loop {
            match factory.create() {
                Ok(backend) => return Some(backend),
                Err(error) => tracing::error!(error, "a failed engine could not be replaced"),
            }
            let mut schedule = self.schedule.lock();
            let is_open = |schedule: &mut Schedule| !schedule.closed;
            self.schedule_changed.wait_while_for(&mut schedule, is_open, RETRY_DELAY);
            if schedule.closed {
                return None;
            }
        }
    }

    /// The loop of the thread that ends analyses for the searches that wait for their engines.
    fn run_analysis_timer(&self) {
        let mut schedule = self.schedule.lock();
        while !schedule.closed {
            match schedule.stop_analyses_for_others(Instant::now()) {
                Some(next) => drop(self.schedule_changed.wait_until(&mut schedule, next)),
                None => self.schedule_changed.wait(&mut schedule),
            }
        }
    }

    fn wait_for_search(&self) -> Option<QueuedSearch> {
        let mut schedule = self.schedule.lock();
        while !schedule.closed {
            if let Some(search) = schedule.start_next() {
                self.update_metrics(&schedule);
                // The share of an analysis that others wait for begins now.
                self.schedule_changed.notify_all();
                return Some(search);
            }
            self.schedule_changed.wait(&mut schedule);
        }
        None
    }

    /// Runs a search. Returns false if `worker_backend` failed and must be replaced.
    fn run_search(&self, worker_backend: &mut dyn Backend, search: QueuedSearch) -> bool {
        let QueuedSearch { entry, task, mut backend, stop, events, finished } = search;
        let queued = entry.since.elapsed();
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
        let Some(result) = result.ok().filter(|result| result.best.is_some()) else {
            tracing::error!(fen = task.game.board().to_fen(), "the engine failed");
            return backend.is_some();
        };
        self.metrics.count_search(result.progress.nodes, queued, searched, stop.is_set());
        // Fails if the client is gone.
        let stopped = entry.stop_handle.reason.get().copied();
        let _ = finished.send(Ok(FinishedSearch { result, queued, searched, stopped, backend }));
        true
    }
}
