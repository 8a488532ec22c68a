//! Time management. <https://www.chessprogramming.org/Time_Management>
//!
//! The base time is a share of the spendable time and of the increment. The spendable time is the
//! remaining time minus the overhead of this move, minus the overhead of later moves that their
//! increments do not cover, minus a reserve against delays. The soft limit, after which no new
//! iteration starts, is the base time scaled by best-move stability, the fraction of nodes spent on
//! the best move, a falling score, and score stability. The hard limit ends the search at once.
//!
//! The tests show for which delays the clock cannot run out, even if every move uses its hard limit.

use super::limits::{ClockTime, Limits};
use super::params;
use super::score::{Value, is_decisive};
use crate::chess::Move;
use std::time::Duration;

/// The time limits of one search. <https://www.chessprogramming.org/Time_Management>
#[derive(Clone, Debug)]
pub(super) struct TimeManager {
    /// Base of the soft limit. With a clock it applies to the time since the search started,
    /// pondering included; with a fixed move time to the time since our clock started.
    base: Option<Duration>,
    /// Hard limit of the time since our clock started.
    hard_limit: Option<Duration>,
    /// Whether the base time is scaled.
    is_scaled: bool,
    progress: Progress,
}

/// Minimum of the base time and of the hard limit.
const MIN_TIME: Duration = Duration::from_millis(1);

impl TimeManager {
    /// The time limits of a search with `root_moves` root moves, where `overhead` is lost per move
    /// and `move_number` is the full move number of the game.
    pub(super) fn new(
        limits: &Limits,
        overhead: Duration,
        root_moves: usize,
        move_number: u32,
    ) -> TimeManager {
        let mut manager = TimeManager {
            base: None,
            hard_limit: None,
            is_scaled: true,
            progress: Progress::new(root_moves == 1),
        };
        if limits.infinite {
            return manager;
        }
        if let Some(clock) = limits.clock {
            let (base, max) = base_and_max(&clock, overhead, move_number);
            let hard = base * params::time_hard_factor() as u32;
            manager.base = Some(base.min(max).max(MIN_TIME));
            manager.hard_limit = Some(hard.min(max).max(MIN_TIME));
        }
        if let Some(time) = limits.move_time {
            let time = time.saturating_sub(overhead.min(time / 2)).max(MIN_TIME);
            manager.base = Some(manager.base.map_or(time, |base| base.min(time)));
            manager.hard_limit = Some(manager.hard_limit.map_or(time, |hard| hard.min(time)));
            manager.is_scaled = limits.clock.is_some();
        }
        manager
    }

    /// Whether no new iteration should start after this time.
    pub(super) fn is_soft_limit_reached(&self, time: Duration) -> bool {
        let Some(base) = self.base else { return false };
        if !self.is_scaled {
            return time >= base;
        }
        time >= base.mul_f64(self.progress.factor())
    }

    /// Whether the search must end after this time.
    pub(super) fn is_hard_limit_reached(&self, time: Duration) -> bool {
        self.hard_limit.is_some_and(|limit| time >= limit)
    }

    /// Records a completed iteration: its best move, its score, and the nodes spent on the best
    /// move and on all.
    pub(super) fn update(&mut self, best: Move, score: Value, best_nodes: u64, all_nodes: u64) {
        self.progress.update(best, score, best_nodes, all_nodes);
    }
}

/// The base time of a move and the maximum of its hard limit.
fn base_and_max(clock: &ClockTime, overhead: Duration, move_number: u32) -> (Duration, Duration) {
    let ClockTime { remaining, increment, moves_to_go } = clock.bounded();
    // No more is lost per move than there is.
    let overhead = overhead.min(remaining);
    let moves_to_go =
        moves_to_go.map(|moves| moves.clamp(1, params::time_max_moves_to_go() as u32));
    let later_moves = moves_to_go.map_or(params::time_overhead_moves() as u32, |moves| moves - 1);
    let later_costs = (overhead + MIN_TIME).saturating_sub(increment) * later_moves;
    let reserve = overhead * params::time_reserve() as u32;
    let spendable = remaining.saturating_sub(overhead + later_costs + reserve);
    let share = match moves_to_go {
        Some(moves) => spendable / moves,
        None => spendable * sudden_death_share(move_number) / 10_000,
    };
    let increment = increment.saturating_sub(overhead);
    let base = share + increment * params::time_increment() as u32 / 100;
    let max = match moves_to_go {
        Some(1) => spendable * params::time_max_share_last_move() as u32 / 100,
        _ => spendable * params::time_max_share() as u32 / 12,
    };
    (base, max)
}

/// The share of the spendable time for one move in sudden death, in 1/10000. It grows in the course
/// of the game, as fewer moves are left.
fn sudden_death_share(move_number: u32) -> u32 {
    let move_number = move_number.min(params::time_share_max_move() as u32);
    params::time_share_base() as u32 + params::time_share_slope() as u32 * move_number
}

/// The number of nodes between two checks of the limits. It adapts to the speed of the search, so
/// that the time is checked about every millisecond also on a slow machine or on a shared core.
#[derive(Clone, Debug)]
pub(super) struct CheckInterval {
    nodes: u64,
    last_check: Duration,
}

/// The intended time between two checks.
const CHECK_PERIOD: Duration = Duration::from_millis(1);
/// The number of nodes before the first check.
const FIRST_CHECK: u64 = 64;
/// The maximum number of nodes between two checks.
const MAX_CHECK: u64 = 1024;

impl CheckInterval {
    /// The interval at the start of a search, at this time.
    pub(super) fn new(now: Duration) -> CheckInterval {
        CheckInterval { nodes: FIRST_CHECK, last_check: now }
    }

    /// The nodes until the next check.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Records a check at this time. The number of nodes at most doubles, since a delay of the
    /// thread may follow a fast interval.
    pub(super) fn update(&mut self, now: Duration) {
        let elapsed = now.saturating_sub(self.last_check).as_micros().max(1);
        let ideal = u128::from(self.nodes) * CHECK_PERIOD.as_micros() / elapsed;
        let max = MAX_CHECK.min(2 * self.nodes);
        self.nodes = ideal.clamp(1, max.into()) as u64;
        self.last_check = now;
    }
}

/// The course of the iterations so far.
#[derive(Clone, Debug)]
struct Progress {
    only_move: bool,
    best_move: Option<Move>,
    /// Iterations since the best move changed.
    stability: u32,
    scores: Vec<Value>,
    /// Fraction of the nodes spent on the best move.
    node_fraction: f64,
}

impl Progress {
    fn new(only_move: bool) -> Progress {
        Progress {
            only_move,
            best_move: None,
            stability: 0,
            scores: Vec::new(),
            node_fraction: 0.5,
        }
    }

    fn update(&mut self, best: Move, score: Value, best_nodes: u64, all_nodes: u64) {
        self.stability = if self.best_move == Some(best) { self.stability + 1 } else { 0 };
        self.best_move = Some(best);
        self.scores.push(score);
        self.node_fraction = best_nodes as f64 / all_nodes.max(1) as f64;
    }

    /// The factor of the base time.
    fn factor(&self) -> f64 {
        if self.only_move && self.scores.len() > params::time_only_move_min_depth() as usize {
            return hundredths(params::time_only_move());
        }
        let factor = self.node_fraction_factor()
            * self.stability_factor()
            * self.falling_score_factor()
            * self.score_stability_factor();
        factor.clamp(hundredths(params::time_factor_min()), hundredths(params::time_factor_max()))
    }

    /// Less time if most nodes were spent on the best move: no other move is close.
    fn node_fraction_factor(&self) -> f64 {
        hundredths(params::time_node_fraction_base())
            - hundredths(params::time_node_fraction_slope()) * self.node_fraction
    }

    /// More time if the best move has just changed: it may change again.
    fn stability_factor(&self) -> f64 {
        hundredths(match self.stability {
            0 => params::time_stability_0(),
            1 => params::time_stability_1(),
            2 => params::time_stability_2(),
            3..6 => params::time_stability_3(),
            _ => params::time_stability_6(),
        })
    }

    /// More time if the score has fallen within the last three iterations.
    fn falling_score_factor(&self) -> f64 {
        let earlier = self.scores.len().checked_sub(4).map(|i| self.scores[i]);
        match (self.scores.last(), earlier) {
            (Some(now), Some(earlier)) if !is_decisive(*now) && !is_decisive(earlier) => {
                let divisor = f64::from(params::time_falling_score_divisor());
                (1.0 + f64::from(earlier - now) / divisor).clamp(
                    hundredths(params::time_falling_score_min()),
                    hundredths(params::time_falling_score_max()),
                )
            }
            _ => 1.0,
        }
    }

    /// Less time if the score has been the same for several iterations.
    fn score_stability_factor(&self) -> f64 {
        let is_stable =
            |pair: &&[Value]| (pair[1] - pair[0]).abs() <= params::time_score_stability_margin();
        let max = params::time_score_stability_max() as usize;
        let iterations = self.scores.windows(2).rev().take(max).take_while(is_stable).count();
        let less = params::time_score_stability_slope() * iterations as i32;
        hundredths(params::time_score_stability_base() - less)
    }
}

fn hundredths(n: i32) -> f64 {
    f64::from(n) / 100.0
}

#[cfg(test)]
mod tests;
