//! The engine as the service sees it: two traits, so that the pool, the handlers and the tests do
//! not depend on an implementation.

use crate::problem::{Code, Problem};
use crossbeam_channel::Receiver;
use saavedra::chess::Game;
use saavedra::search::{Info, Limits, SearchResult, Tablebases};
use std::convert::Infallible;
use std::ops::RangeInclusive;
use std::time::Duration;

/// One search.
#[derive(Clone, Debug)]
pub struct SearchTask {
    /// The game; its last position is searched.
    pub game: Game,
    /// Limits and options.
    pub parameters: SearchParameters,
    /// Whether the tables of earlier searches are cleared first.
    pub new_game: bool,
    /// The time of the earlier turns of an analysis.
    pub searched: Duration,
}

impl SearchTask {
    /// A search with empty tables.
    pub fn new(game: Game, parameters: SearchParameters) -> SearchTask {
        SearchTask { game, parameters, new_game: true, searched: Duration::ZERO }
    }
}

/// The limits and options of a search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SearchParameters {
    /// When the search ends; a move time is always set.
    pub limits: Limits,
    /// Number of PV lines.
    pub multipv: u32,
    /// Playing strength; full strength if `None`.
    pub elo: Option<u32>,
}

impl SearchParameters {
    /// The move time.
    pub fn move_time(&self) -> Duration {
        self.limits.move_time.unwrap_or_default()
    }

    /// The parameters for each of many positions, which together take at most `budget`.
    ///
    /// # Errors
    /// 422: the requested move time exceeds the budget.
    pub fn with_budget(mut self, positions: usize, budget: Duration) -> Result<Self, Problem> {
        let share = budget / u32::try_from(positions).unwrap_or(u32::MAX).max(1);
        let limited = self.limits.nodes.is_some() || self.limits.depth.is_some();
        if self.move_time() > share && !limited {
            let error = format!(
                "{positions} positions may take {} s together, {} ms each",
                budget.as_secs(),
                share.as_millis()
            );
            return Err(Problem::unprocessable(Code::OutOfRange, "movetime", error));
        }
        self.limits.move_time = Some(self.move_time().min(share));
        Ok(self)
    }

    /// The expected time: the move time, or less if nodes or depth end the search earlier at a
    /// typical speed. Only the expected time in the queue is computed from it.
    pub fn expected_time(&self) -> Duration {
        self.time_at(500_000.0, 1.8)
    }

    /// The time that the search never exceeds, even on a slow machine and in a complex position.
    pub fn max_time(&self) -> Duration {
        self.time_at(50_000.0, 3.0)
    }

    fn time_at(&self, nodes_per_second: f64, branching_factor: f64) -> Duration {
        let nodes = self.limits.nodes.map(|nodes| nodes as f64);
        // Each PV line is a separate search.
        let depth = self
            .limits
            .depth
            .map(|depth| f64::from(self.multipv) * branching_factor.powf(depth.into()));
        let move_time = self.move_time().as_secs_f64();
        let seconds = [nodes, depth]
            .into_iter()
            .flatten()
            .map(|nodes| nodes / nodes_per_second)
            .fold(move_time, f64::min);
        Duration::from_secs_f64(seconds)
    }
}

/// Tells a search to stop: the channel is then disconnected.
#[derive(Clone, Debug)]
pub struct StopSignal(pub Receiver<Infallible>);

impl StopSignal {
    /// Whether the search should stop.
    pub fn is_set(&self) -> bool {
        self.0.try_recv() == Err(crossbeam_channel::TryRecvError::Disconnected)
    }
}

/// An engine that searches one position at a time.
pub trait Backend: Send {
    /// Searches until a limit is reached or `stop` is set. Calls `on_info` for each iteration. A
    /// search that fails has no best move.
    ///
    /// The position has at least one legal move. With `new_game` the search must not depend on
    /// earlier ones.
    fn search(
        &mut self,
        task: &SearchTask,
        stop: &StopSignal,
        on_info: &mut dyn FnMut(Info),
    ) -> SearchResult;
}

/// Creates backends and describes them.
pub trait BackendFactory: Send + Sync {
    /// A new backend.
    ///
    /// # Errors
    /// A message why it cannot be created.
    fn create(&self) -> Result<Box<dyn Backend>, String>;
    /// A new backend for one review with this limit of nodes, with the hash size of `saavedra
    /// analyse`.
    ///
    /// # Errors
    /// A message why it cannot be created.
    fn create_for_review(&self, nodes: Option<u64>) -> Result<Box<dyn Backend>, String>;
    /// Name and version of the engine.
    fn name(&self) -> String;
    /// The Elo range, if the strength can be limited.
    fn elo_range(&self) -> Option<RangeInclusive<u32>>;
    /// The tablebases of the engines, for explanations.
    fn tablebases(&self) -> Option<Tablebases> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_depth_grows_with_the_pv_lines_and_ends_at_the_move_time() {
        let max_time = |depth, multipv| {
            let parameters = SearchParameters {
                limits: Limits { depth: Some(depth), ..Limits::move_time(Duration::from_secs(30)) },
                multipv,
                elo: None,
            };
            assert!(parameters.expected_time() <= parameters.max_time());
            parameters.max_time().as_millis()
        };
        for (depth, multipv, milliseconds) in
            [(8, 1, 131), (8, 2, 262), (8, 64, 8_398), (10, 1, 1_180), (20, 1, 30_000)]
        {
            assert_eq!(max_time(depth, multipv), milliseconds, "{depth} {multipv}");
        }
    }

    #[test]
    fn a_node_limit_is_shared_by_all_pv_lines() {
        let parameters = |multipv| SearchParameters {
            limits: Limits { nodes: Some(10_000), ..Limits::move_time(Duration::from_secs(30)) },
            multipv,
            elo: None,
        };
        assert_eq!(parameters(64).max_time(), parameters(1).max_time());
    }
}
