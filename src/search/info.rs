//! What a search tells, as plain data.

use super::score::Score;
use crate::chess::Move;
use std::time::Duration;

/// What a score says of the true one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is the score.
    Exact,
    /// It is at least this.
    Lower,
    /// It is at most this.
    Upper,
}

/// The state of a search at one moment, for one line of play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Info {
    /// Plies searched fully.
    pub depth: u32,
    /// Plies of the longest line looked at.
    pub seldepth: u32,
    /// Which of the best lines this is, from 1,
    pub multipv: usize,
    /// and how many are told one after the other.
    pub pv_count: usize,
    /// From the side to move's view.
    pub score: Score,
    /// What the score says.
    pub bound: Bound,
    /// Boards made by all threads.
    pub nodes: u64,
    /// Positions found in endgame tables.
    pub tb_hits: u64,
    /// How full the transposition table is, in thousandths.
    pub hashfull: u32,
    /// Since the search began.
    pub time: Duration,
    /// The line of play.
    pub pv: Vec<Move>,
}

/// How a search ended; by default without having found anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SearchResult {
    /// The best move; none if the game is over.
    pub best: Option<Move>,
    /// The answer expected to it.
    pub ponder: Option<Move>,
    /// The best line's last state; none if the game is over.
    pub info: Option<Info>,
}

/// Who is told.
pub trait Reporter: Send {
    /// A line of play, exact or not.
    fn info(&mut self, info: &Info);

    /// The root move that is being searched, and its place in the order, from 1.
    fn current_move(&mut self, _depth: u32, _m: Move, _number: usize) {}
}

/// Nobody.
pub struct NullReporter;

impl Reporter for NullReporter {
    fn info(&mut self, _: &Info) {}
}
