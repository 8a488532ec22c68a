//! What a search was asked for.

use crate::chess::Move;
use std::time::Duration;

/// A player's clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockTime {
    /// What is left of the time.
    pub remaining: Duration,
    /// What each move adds.
    pub increment: Duration,
    /// Moves until the next time control, if it is not the whole game.
    pub moves_to_go: Option<u32>,
}

/// When a search ends. All limits that are given bind.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Plies of iterative deepening.
    pub depth: Option<u32>,
    /// Nodes that one thread must not exceed; with more threads, all together by a little.
    pub nodes: Option<u64>,
    /// Nodes after which no new iteration begins.
    pub soft_nodes: Option<u64>,
    /// End with a mate (given or suffered) in at most this many moves.
    pub mate: Option<u32>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// The clock of the side to move.
    pub clock: Option<ClockTime>,
    /// Only these moves at the root, if any are given.
    pub search_moves: Vec<Move>,
    /// No time limit binds until the opponent has made the expected move.
    pub ponder: bool,
    /// Only a word from outside ends the search.
    pub infinite: bool,
}

impl Limits {
    /// Ends after an iteration of this depth.
    pub fn depth(depth: u32) -> Limits {
        Limits {
            depth: Some(depth),
            ..Limits::default()
        }
    }

    /// Ends at this many nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits {
            nodes: Some(nodes),
            ..Limits::default()
        }
    }

    /// Ends after this time.
    pub fn move_time(time: Duration) -> Limits {
        Limits {
            move_time: Some(time),
            ..Limits::default()
        }
    }
}
