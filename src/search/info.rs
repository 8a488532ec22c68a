//! What a search reports, as plain data.

use super::score::Score;
use crate::chess::Move;
use std::time::Duration;

/// The bound type of a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// The score is exact.
    Exact,
    /// The score is a lower bound: the search failed high.
    Lower,
    /// The score is an upper bound: the search failed low.
    Upper,
}

/// The counters of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SearchProgress {
    /// Nodes of all threads.
    pub nodes: u64,
    /// Tablebase hits of all threads.
    pub tb_hits: u64,
    /// Slots of the transposition table filled by this search, per mille.
    pub hashfull: u32,
    /// Time since the search started.
    pub time: Duration,
}

impl SearchProgress {
    /// Nodes per second.
    pub fn nps(&self) -> u64 {
        let nps = u128::from(self.nodes) * 1_000_000 / self.time.as_micros().max(1);
        nps.min(u64::MAX.into()) as u64
    }
}

/// A principal variation and its score.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct PvLine {
    /// From the side to move's view.
    pub score: Score,
    /// The bound type of the score.
    pub bound: Bound,
    /// Depth of the iteration of the score, in plies.
    pub depth: u32,
    /// Selective depth: the maximum ply of a PV node.
    pub seldepth: u32,
    /// The moves.
    pub pv: Vec<Move>,
}

impl PvLine {
    /// A line with an exact score, searched to this depth.
    pub fn new(score: Score, depth: u32, pv: Vec<Move>) -> PvLine {
        PvLine { score, bound: Bound::Exact, depth, seldepth: depth, pv }
    }
}

/// The state of a search: after an iteration all its PV lines, or the first one alone if it failed
/// high or low.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Info {
    /// The PV lines, the best first.
    pub lines: Vec<PvLine>,
    /// The counters at this moment.
    pub progress: SearchProgress,
}

impl Info {
    /// Whether the scores are exact: these are all PV lines of an iteration.
    pub fn is_exact(&self) -> bool {
        self.lines.iter().all(|line| line.bound == Bound::Exact)
    }
}

/// The result of a search. `Default` is an empty result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct SearchResult {
    /// The best move; none if the game is over.
    pub best: Option<Move>,
    /// The expected reply, to ponder on.
    pub ponder: Option<Move>,
    /// The PV lines, the best first; none if the game is over.
    pub lines: Vec<PvLine>,
    /// The counters at the end of the search.
    pub progress: SearchProgress,
}

impl SearchResult {
    /// The best line; none if the game is over.
    pub fn line(&self) -> Option<&PvLine> {
        self.lines.first()
    }
}

/// Receives the reports of a search.
pub trait Reporter: Send {
    /// Reports the PV lines of an iteration, or a fail high or low of the first one.
    fn info(&mut self, info: &Info);

    /// Whether reports are discarded. The search does not compute them then: in a search of a
    /// hundred nodes they cost a tenth of the time.
    fn is_silent(&self) -> bool {
        false
    }

    /// Reports the root move searched at this depth, and its move count, from 1.
    fn current_move(&mut self, _depth: u32, _m: Move, _move_count: usize) {}

    /// Is called about every millisecond of the search, on its main thread. A program without
    /// threads reads its input here.
    fn poll(&mut self) {}
}

/// Discards all reports.
pub struct NullReporter;

impl Reporter for NullReporter {
    fn info(&mut self, _: &Info) {}

    fn is_silent(&self) -> bool {
        true
    }
}
