//! The state that all threads of a search share.

use super::clock::{Clock, SystemClock};
use super::info::SearchProgress;
use super::lazy_smp::CompletedIteration;
use super::tt::{AllocationError, TranspositionTable};
use std::sync::Arc;
use std::sync::atomic::{
    AtomicU64,
    Ordering::{Acquire, Relaxed, Release},
};
use std::time::Duration;

/// The search is stopped: a bit of [`SharedState::state`].
const STOPPED: u64 = 1;
/// The search is pondering: a bit of [`SharedState::state`].
const PONDERING: u64 = 2;
/// The first bit of the number of the search in [`SharedState::state`].
const NUMBER_SHIFT: u32 = 2;

/// The counters of one thread, in cache lines of their own.
#[derive(Default)]
#[repr(align(128))]
pub(super) struct Counters {
    pub(super) nodes: AtomicU64,
    pub(super) tb_hits: AtomicU64,
}

/// The state that the threads of one engine share.
pub struct SharedState {
    /// The transposition table.
    pub tt: TranspositionTable,
    pub(super) counters: Vec<Counters>,
    pub(super) completed: CompletedIteration,
    pub(super) clock: Arc<dyn Clock>,
    /// The number of the search, and whether it is stopped and pondering. One value, so that a stop
    /// or ponder hit that is meant for a search never reaches the next one.
    state: AtomicU64,
    /// When the search started, in microseconds of the clock.
    search_start: AtomicU64,
    /// When our chess clock started: with the search, or at the ponder hit.
    clock_start: AtomicU64,
}

impl SharedState {
    /// For `threads` threads, with an empty transposition table of this size.
    ///
    /// # Errors
    /// If there is not enough memory for the table.
    pub fn new(threads: usize, megabytes: usize) -> Result<SharedState, AllocationError> {
        let tt = TranspositionTable::new(megabytes, threads)?;
        let clock = Arc::new(SystemClock::default());
        Ok(SharedState::with_clock(threads, tt, clock))
    }

    /// For `threads` threads, with this transposition table and clock.
    pub fn with_clock(
        threads: usize,
        tt: TranspositionTable,
        clock: Arc<dyn Clock>,
    ) -> SharedState {
        SharedState {
            tt,
            counters: (0..threads.max(1)).map(|_| Counters::default()).collect(),
            completed: CompletedIteration::new(),
            clock,
            state: AtomicU64::new(0),
            search_start: AtomicU64::new(0),
            clock_start: AtomicU64::new(0),
        }
    }

    /// Returns the transposition table, for another number of threads.
    pub fn into_tt(self) -> TranspositionTable {
        self.tt
    }

    /// Prepares for a search and gives it the next number. No other search may be running.
    pub fn begin(&self, pondering: bool) {
        let now = self.now();
        self.search_start.store(now, Relaxed);
        self.clock_start.store(now, Relaxed);
        for counters in &self.counters {
            counters.nodes.store(0, Relaxed);
            counters.tb_hits.store(0, Relaxed);
        }
        self.completed.reset();
        self.tt.new_search();
        let number = self.search_number().wrapping_add(1) << NUMBER_SHIFT;
        let pondering = if pondering { PONDERING } else { 0 };
        self.state.store(number | pondering, Release);
    }

    /// The number of the search that began last.
    pub fn search_number(&self) -> u64 {
        self.state.load(Acquire) >> NUMBER_SHIFT
    }

    /// Stops the search as soon as possible.
    pub fn stop(&self) {
        self.state.fetch_or(STOPPED, Relaxed);
    }

    /// Stops the search of this number as soon as possible. Without effect on another one.
    pub fn stop_search(&self, number: u64) {
        self.update_state(number, |state| state | STOPPED);
    }

    /// Whether the search is stopped.
    #[inline(always)]
    pub fn is_stopped(&self) -> bool {
        self.state.load(Relaxed) & STOPPED != 0
    }

    /// The opponent played the expected move: our clock starts. Without effect if the search of this
    /// number is not the last one or does not ponder.
    pub fn ponder_hit(&self, number: u64) {
        if self.search_number() != number || !self.is_pondering() {
            return;
        }
        self.clock_start.store(self.now(), Relaxed);
        // Release: a thread that sees the search no longer pondering sees the new start too.
        self.update_state(number, |state| state & !PONDERING);
    }

    /// Whether the search is pondering.
    pub fn is_pondering(&self) -> bool {
        self.state.load(Acquire) & PONDERING != 0
    }

    /// Changes the state of the search of this number, if that is the last one.
    fn update_state(&self, number: u64, change: impl Fn(u64) -> u64) {
        let _ = self.state.fetch_update(Release, Relaxed, |state| {
            (state >> NUMBER_SHIFT == number).then(|| change(state))
        });
    }

    /// The time of the clock in microseconds.
    fn now(&self) -> u64 {
        self.clock.now().as_micros() as u64
    }

    fn since(&self, start: &AtomicU64) -> Duration {
        let start = Duration::from_micros(start.load(Relaxed));
        self.clock.now().saturating_sub(start)
    }

    /// Time that our chess clock has run; while pondering, time since the search started.
    pub fn clock_time(&self) -> Duration {
        self.since(&self.clock_start)
    }

    /// Time since the search started, including pondering.
    pub fn search_time(&self) -> Duration {
        self.since(&self.search_start)
    }

    /// The counters of this search.
    pub fn progress(&self) -> SearchProgress {
        SearchProgress {
            nodes: self.nodes(),
            tb_hits: self.tb_hits(),
            hashfull: self.tt.hashfull(),
            time: self.search_time(),
        }
    }

    /// Nodes of all threads in this search.
    pub fn nodes(&self) -> u64 {
        self.counters.iter().map(|c| c.nodes.load(Relaxed)).sum()
    }

    /// Tablebase hits of all threads in this search.
    fn tb_hits(&self) -> u64 {
        self.counters.iter().map(|c| c.tb_hits.load(Relaxed)).sum()
    }
}
