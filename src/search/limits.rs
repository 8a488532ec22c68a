//! Limits of a search.

use crate::chess::Move;
use std::time::Duration;

/// The clock of one player.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockTime {
    /// Remaining time.
    pub remaining: Duration,
    /// Increment per move.
    pub increment: Duration,
    /// Moves to the next time control; none if the time is for the rest of the game.
    pub moves_to_go: Option<u32>,
}

impl ClockTime {
    /// More time than any clock has, and so little that products with it do not overflow.
    const MAX_TIME: Duration = Duration::from_millis(1 << 50);

    /// The same clock with no more time than products with it allow.
    pub(crate) fn bounded(self) -> ClockTime {
        ClockTime {
            remaining: self.remaining.min(ClockTime::MAX_TIME),
            increment: self.increment.min(ClockTime::MAX_TIME),
            ..self
        }
    }
}

/// When a search ends: as soon as one of the given limits is reached.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Maximum depth of iterative deepening, in plies.
    pub depth: Option<u32>,
    /// Maximum number of nodes. One thread never exceeds it; several together may, by a little.
    pub nodes: Option<u64>,
    /// No new iteration starts after this number of nodes.
    pub soft_nodes: Option<u64>,
    /// The search ends when it has found a mate, for either side, in at most this many moves,
    /// and with 0 at depth one.
    pub mate: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<ClockTime>,
    /// The root moves to search; all if empty.
    pub search_moves: Vec<Move>,
    /// Ponder: time limits apply only after [`ponder_hit`](super::SharedState::ponder_hit).
    pub ponder: bool,
    /// Time limits do not apply; the search ends by [`stop`](super::SharedState::stop).
    pub infinite: bool,
}

impl Limits {
    /// A limit of the depth, in plies.
    pub fn depth(depth: u32) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A limit of the nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// A limit of the time.
    pub fn move_time(time: Duration) -> Limits {
        Limits { move_time: Some(time), ..Limits::default() }
    }
}
