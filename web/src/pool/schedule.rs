//! The queue of the engines: which search starts next, which one is refused, and when the turn of an
//! analysis ends for the searches that wait for its engine.

use super::{FinishedSearch, QueueFull, SearchEvent, StopHandle, StopReason};
use crate::backend::{Backend, SearchTask, StopSignal};
use crate::client::ClientId;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// The priority of a search, highest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Priority {
    /// A best move.
    BestMove,
    /// A position of a game review.
    Review,
    /// An open-ended analysis.
    Analysis,
}

const PRIORITIES: usize = 3;

/// A search of at most this time may occupy any engine.
const SHORT: Duration = Duration::from_millis(250);

/// A best move of at most this time may occupy the last engine, unless its client already runs one
/// that is not short.
const MEDIUM: Duration = Duration::from_secs(2);

/// How long an analysis keeps its engine while best moves, positions of reviews or new analyses wait
/// for it.
const ANALYSIS_SHARE: Duration = Duration::from_secs(2);

/// What decides where a search may run.
#[derive(Clone, Copy)]
pub(super) struct Class {
    pub(super) priority: Priority,
    pub(super) max_time: Duration,
}

impl Class {
    /// Whether the search must leave an engine to others.
    fn is_long(self) -> bool {
        self.max_time > SHORT && (self.priority != Priority::BestMove || self.max_time > MEDIUM)
    }

    fn is_analysis(self) -> bool {
        self.priority == Priority::Analysis
    }

    /// The time for which a search of this expected time keeps an engine that others wait for.
    fn share(self, expected: Duration) -> Duration {
        if self.is_analysis() { expected.min(ANALYSIS_SHARE) } else { expected }
    }
}

/// A search as the schedule sees it.
#[derive(Clone)]
pub(super) struct Entry {
    pub(super) id: u64,
    pub(super) client: ClientId,
    pub(super) class: Class,
    /// The expected time of the search.
    pub(super) expected: Duration,
    /// The time of the earlier turns of an analysis.
    pub(super) searched: Duration,
    /// When it was queued or, once it runs, when it started.
    pub(super) since: Instant,
    pub(super) stop_handle: Arc<StopHandle>,
}

pub(super) struct QueuedSearch {
    pub(super) entry: Entry,
    pub(super) task: SearchTask,
    pub(super) backend: Option<Box<dyn Backend>>,
    pub(super) events: mpsc::Sender<SearchEvent>,
    pub(super) finished: oneshot::Sender<Result<FinishedSearch, QueueFull>>,
    pub(super) stop: StopSignal,
}

/// The queued searches of one client, by priority.
struct ClientQueue {
    client: ClientId,
    searches: [VecDeque<QueuedSearch>; PRIORITIES],
}

impl ClientQueue {
    fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.searches.iter().flatten().map(|search| &search.entry)
    }

    fn len(&self, priority: Priority) -> usize {
        self.searches[priority as usize].len()
    }
}

/// The queued and the running searches.
pub(super) struct Schedule {
    workers: usize,
    max_queued: usize,
    max_wait: Duration,
    /// The clients with queued searches; the first is the next to be served.
    queues: VecDeque<ClientQueue>,
    /// The running searches, in the order of their starts.
    running: Vec<Entry>,
    /// Whether no search starts any more.
    pub(super) closed: bool,
}

impl Schedule {
    /// The queue of `workers` engines, with at most `max_queued` searches of each priority, no best
    /// move or review with an expected waiting time above `max_wait`.
    pub(super) fn new(workers: usize, max_queued: usize, max_wait: Duration) -> Schedule {
        Schedule {
            workers,
            max_queued,
            max_wait,
            queues: VecDeque::new(),
            running: Vec::new(),
            closed: false,
        }
    }

    /// The number of queued and of running searches.
    pub(super) fn load(&self) -> (usize, usize) {
        (self.queued().count(), self.running.len())
    }

    fn queued(&self) -> impl Iterator<Item = &Entry> {
        self.queues.iter().flat_map(ClientQueue::iter)
    }

    fn len(&self, priority: Priority) -> usize {
        self.queues.iter().map(|queue| queue.len(priority)).sum()
    }

    fn own_queue(&self, client: Option<ClientId>) -> Option<&ClientQueue> {
        self.queues.iter().find(|queue| Some(queue.client) == client)
    }

    /// Adds a search to the queue of its client.
    pub(super) fn push(&mut self, search: QueuedSearch) {
        let Entry { client, class, .. } = search.entry;
        let known = self.queues.iter().position(|queue| queue.client == client);
        let index = known.unwrap_or_else(|| {
            self.queues.push_back(ClientQueue { client, searches: Default::default() });
            self.queues.len() - 1
        });
        self.queues[index].searches[class.priority as usize].push_back(search);
    }

    /// Removes a search from the queue.
    pub(super) fn remove(&mut self, id: u64) {
        for queue in &mut self.queues {
            for searches in &mut queue.searches {
                searches.retain(|search| search.entry.id != id);
            }
        }
        self.queues.retain(|queue| queue.iter().next().is_some());
    }

    /// Starts the next search that an idle engine may start.
    pub(super) fn start_next(&mut self) -> Option<QueuedSearch> {
        let search = self.next_search()?;
        self.running.push(Entry { since: Instant::now(), ..search.entry.clone() });
        Some(search)
    }

    /// The engine of a search is idle again.
    pub(super) fn finish(&mut self, id: u64) {
        self.running.retain(|search| search.id != id);
    }

    /// Empties the queue, stops the running searches and starts none any more.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.queues.clear();
        for search in &self.running {
            search.stop_handle.stop(StopReason::Shutdown);
        }
    }

    /// Stops all analyses, the queued ones too.
    pub(super) fn stop_analyses(&self) {
        let analyses =
            self.queued().chain(&self.running).filter(|search| search.class.is_analysis());
        analyses.for_each(|analysis| analysis.stop_handle.stop(StopReason::Shutdown));
    }

    /// Stops the analyses whose engines other searches wait for, the oldest first, if they have had
    /// their share of time. Returns when the next one has.
    ///
    /// If only analyses wait that had a turn before, each turn is twice as long as the one before. So
    /// its search, which begins anew, gets deeper.
    pub(super) fn stop_analyses_for_others(&self, now: Instant) -> Option<Instant> {
        let waiting: Vec<&Entry> =
            self.queued().filter(|search| self.needs_long_slot(search.class)).collect();
        let all_had_turns = waiting.iter().all(|search| !search.searched.is_zero());
        let share = |analysis: &Entry| {
            let earlier = if all_had_turns { analysis.searched } else { Duration::ZERO };
            ANALYSIS_SHARE + earlier
        };
        let occupied: Vec<&Entry> = self
            .running
            .iter()
            .filter(|search| !search.stop_handle.is_stopped() && self.needs_long_slot(search.class))
            .collect();
        let free = self.long_slots().saturating_sub(occupied.len());
        let needed = waiting.len().saturating_sub(free);
        if needed == 0 {
            return None;
        }
        let analyses = occupied.into_iter().filter(|search| search.class.is_analysis());
        let (over, others): (Vec<_>, Vec<_>) = analyses
            .map(|analysis| (analysis.since + share(analysis), analysis))
            .partition(|(end, _)| *end <= now);
        for (_, analysis) in over.iter().take(needed) {
            analysis.stop_handle.stop(StopReason::Queue);
        }
        let next = others.iter().map(|(end, _)| *end).min();
        next.filter(|_| over.len() < needed)
    }

    /// The number of engines that long searches may occupy: one is kept free of them, unless there
    /// is only one.
    fn long_slots(&self) -> usize {
        (self.workers - 1).max(1)
    }

    fn needs_long_slot(&self, class: Class) -> bool {
        self.workers == 1 || class.is_long()
    }

    /// The next search that an idle engine may start; its client is then the last to be served.
    fn next_search(&mut self) -> Option<QueuedSearch> {
        for index in 0..self.queues.len() {
            for priority in 0..PRIORITIES {
                let searches = &self.queues[index].searches[priority];
                let may_start = |search: &QueuedSearch| {
                    search.stop.is_set()
                        || self.may_start(Some(search.entry.client), search.entry.class)
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

    /// Whether an idle engine may start a search.
    fn may_start(&self, client: Option<ClientId>, class: Class) -> bool {
        if self.workers == 1 || class.max_time <= SHORT {
            return true;
        }
        if class.is_long() {
            let long = self.running.iter().filter(|other| other.class.is_long());
            return long.count() < self.long_slots();
        }
        let is_last_engine = self.running.len() + 1 >= self.workers;
        let mut running = self.running.iter();
        !is_last_engine
            || !running.any(|other| {
                Some(other.client) == client
                    && other.class.priority == Priority::BestMove
                    && other.class.max_time > SHORT
            })
    }

    /// Checks that there is room for a search, if need be at the cost of a client with more queued
    /// searches. The error is Retry-After in seconds.
    pub(super) fn make_room(&mut self, client: ClientId, class: Class) -> Result<(), u64> {
        let priority = class.priority;
        let wait = self.expected_wait(Some(client), class);
        let retry_after = if class.is_analysis() { self.next_end() } else { wait };
        let retry_after = retry_after.as_secs_f64().ceil().clamp(1.0, 60.0) as u64;
        // Analyses are not refused for it: most are closed long before their time limit.
        let is_too_long = wait > self.max_wait && !class.is_analysis();
        if self.closed || is_too_long {
            return Err(retry_after);
        }
        if self.len(priority) < self.max_queued {
            return Ok(());
        }
        let own = self.own_queue(Some(client));
        let own = own.map_or(0, |queue| queue.len(priority));
        let longest = self
            .queues
            .iter_mut()
            .max_by_key(|queue| queue.len(priority))
            .filter(|queue| queue.len(priority) > own + 1);
        let newest = longest.and_then(|queue| queue.searches[priority as usize].pop_back());
        let Some(evicted) = newest else {
            return Err(retry_after);
        };
        // Fails if the client is gone.
        let _ = evicted.finished.send(Err(QueueFull { retry_after, backend: evicted.backend }));
        Ok(())
    }

    /// Whether a best move of this time, of a client without searches, can be queued.
    pub(super) fn has_room(&self, max_time: Duration) -> bool {
        let class = Class { priority: Priority::BestMove, max_time };
        !self.closed
            && self.len(class.priority) < self.max_queued
            && self.expected_wait(None, class) <= self.max_wait
    }

    /// The expected waiting time of a new search; zero if an idle engine starts it.
    ///
    /// Clients take turns, so each other client counts with at most as many searches as this client
    /// will have queued. A short search does not wait for long ones: one engine is kept free of them.
    fn expected_wait(&self, client: Option<ClientId>, class: Class) -> Duration {
        let has_idle_engine = self.queues.is_empty() && self.running.len() < self.workers;
        if has_idle_engine && self.may_start(client, class) {
            return Duration::ZERO;
        }
        let is_long = self.needs_long_slot(class);
        let counts = |other: Class| is_long || !other.is_long();
        let own = self.own_queue(client).into_iter().flat_map(ClientQueue::iter);
        let is_before = |other: &&Entry| other.class.priority <= class.priority;
        let turns = 1 + own.filter(is_before).count();
        let queued: Duration = self
            .queues
            .iter()
            .flat_map(|queue| {
                let is_own = Some(queue.client) == client;
                let before = queue
                    .iter()
                    .filter(move |other| counts(other.class) && (!is_own || is_before(other)));
                before.take(turns)
            })
            .map(|other| other.class.share(other.expected))
            .sum();
        let now = Instant::now();
        let running: Duration = self
            .running
            .iter()
            .filter(|other| counts(other.class))
            .map(|other| {
                let end = other.since + other.class.share(other.expected);
                end.saturating_duration_since(now)
            })
            .sum();
        let engines = if is_long { self.long_slots() } else { self.workers };
        (queued + running) / engines.try_into().unwrap_or(u32::MAX)
    }

    /// The expected time until an analysis may start instead of a running search.
    fn next_end(&self) -> Duration {
        let now = Instant::now();
        let running = self.running.iter();
        let long = running.filter(|search| self.needs_long_slot(search.class));
        let next = long.map(|search| search.since + search.expected).min();
        next.unwrap_or(now).saturating_duration_since(now)
    }
}
