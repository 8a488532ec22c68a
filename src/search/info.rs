//! What a search reports, as plain data.

use super::score::{Score, ShownScore};
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

/// The state of a search for one of its PV lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Depth of the iteration of the score, in plies.
    pub depth: u32,
    /// Selective depth: the maximum ply of a PV node.
    pub seldepth: u32,
    /// Index of this PV line, from 1.
    pub multipv: usize,
    /// Number of PV lines reported together.
    pub pv_count: usize,
    /// From the side to move's view.
    pub score: Score,
    /// The bound type of the score.
    pub bound: Bound,
    /// The counters at this moment.
    pub progress: SearchProgress,
    /// The principal variation.
    pub pv: Vec<Move>,
}

impl Info {
    /// The score as it is shown: centipawns or a mate in moves.
    pub fn shown_score(&self) -> ShownScore {
        ShownScore::new(self.score)
    }
}

/// The result of a search; by default that of a search that found nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchResult {
    /// The best move; none if the game is over.
    pub best: Option<Move>,
    /// The expected reply, to ponder on.
    pub ponder: Option<Move>,
    /// The final state of the first PV line; none if the game is over.
    pub info: Option<Info>,
}

/// Receives the reports of a search.
pub trait Reporter: Send {
    /// Reports a PV line; its score is exact or a bound.
    fn info(&mut self, info: &Info);

    /// Whether anybody reads the reports. If not, the search does not compute them: in a search of
    /// a hundred nodes they cost a tenth of the time.
    fn is_silent(&self) -> bool {
        false
    }

    /// Reports the root move that is searched at this depth, and its move count, from 1.
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
