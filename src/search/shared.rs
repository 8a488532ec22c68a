//! What all threads of a search share, and nothing else.

use super::lazy_smp::Completed;
use super::tt::{AllocationError, TranspositionTable};
use std::sync::atomic::{
    AtomicBool, AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::time::{Duration, Instant};

/// A thread's counters, in a cache line of their own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Counters {
    pub(super) nodes: AtomicU64,
    pub(super) tb_hits: AtomicU64,
}

/// The state that the threads of one engine share.
pub struct SharedState {
    /// What has been learnt of positions.
    pub tt: TranspositionTable,
    pub(super) counters: Vec<Counters>,
    pub(super) completed: Completed,
    stop: AtomicBool,
    pondering: AtomicBool,
    started: Instant,
    /// Microseconds from `started` to when the present search began,
    search_start: AtomicU64,
    /// and to when our clock began to run for it.
    clock_start: AtomicU64,
}

impl SharedState {
    /// For so many threads, with a table of so many megabytes.
    ///
    /// # Errors
    /// If there is no memory for the table.
    pub fn new(threads: usize, megabytes: usize) -> Result<SharedState, AllocationError> {
        Ok(SharedState::with_tt(
            threads,
            TranspositionTable::new(megabytes, threads)?,
        ))
    }

    /// For so many threads, with this table.
    pub fn with_tt(threads: usize, table: TranspositionTable) -> SharedState {
        SharedState {
            tt: table,
            counters: (0..threads.max(1)).map(|_| Counters::default()).collect(),
            completed: Completed::new(),
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(false),
            started: Instant::now(),
            search_start: AtomicU64::new(0),
            clock_start: AtomicU64::new(0),
        }
    }

    /// Gives the table back, to be used with another number of threads.
    pub fn into_tt(self) -> TranspositionTable {
        self.tt
    }

    /// Prepares for a search; to be called before any thread begins and before anyone may call
    /// [`stop`](SharedState::stop) for it.
    pub fn begin(&self, pondering: bool) {
        self.stop.store(false, Relaxed);
        self.pondering.store(pondering, Relaxed);
        let now = self.now();
        self.search_start.store(now, Relaxed);
        self.clock_start.store(now, Relaxed);
        for counters in &self.counters {
            counters.nodes.store(0, Relaxed);
            counters.tb_hits.store(0, Relaxed);
        }
        self.completed.reset();
        self.tt.new_search();
    }

    /// Ends the search as soon as may be.
    pub fn stop(&self) {
        self.stop.store(true, Relaxed);
    }

    /// Whether the search is to end.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Relaxed)
    }

    /// The opponent made the expected move: our clock runs from now.
    pub fn ponder_hit(&self) {
        self.clock_start.store(self.now(), Relaxed);
        // Whoever sees this sees the new clock too.
        self.pondering.store(false, Release);
    }

    /// Whether we think in the opponent's time.
    pub fn is_pondering(&self) -> bool {
        self.pondering.load(Acquire)
    }

    /// Microseconds since `started`.
    fn now(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    fn since(&self, start: &AtomicU64) -> Duration {
        let start = Duration::from_micros(start.load(Relaxed));
        self.started.elapsed().saturating_sub(start)
    }

    /// How long our clock has been running; while we ponder, how long it might have been.
    pub fn clock_time(&self) -> Duration {
        self.since(&self.clock_start)
    }

    /// How long the search has been running, in whosever time.
    pub fn search_time(&self) -> Duration {
        self.since(&self.search_start)
    }

    /// Boards made by all threads in this search.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Relaxed)).sum()
    }

    /// Table positions found by all threads in this search.
    pub fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|c| c.tb_hits.load(Relaxed)).sum()
    }
}
