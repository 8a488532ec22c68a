//! Time management. <https://www.chessprogramming.org/Time_Management>
//!
//! The base time is a share of the remaining time. The soft limit, after which no new iteration
//! starts, is the base time scaled by how the search goes: best-move stability, the fraction of nodes
//! spent on the best move, and a falling score. The hard limit ends the search at once. Not measured.

use super::limits::Limits;
use super::params;
use super::score::{Score, is_decisive};
use crate::chess::Move;
use std::time::Duration;

/// The time limits of one search.
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

/// The base time is at least this.
const MIN_TIME: Duration = Duration::from_millis(1);

impl TimeManager {
    /// The time limits of a search with `root_moves` root moves, where `overhead` is lost per move.
    pub(super) fn new(limits: &Limits, overhead: Duration, root_moves: usize) -> TimeManager {
        let mut manager = TimeManager {
            base: None,
            hard_limit: None,
            is_scaled: true,
            progress: Progress::new(root_moves == 1),
        };
        if let Some(clock) = limits.clock {
            let remaining = clock.remaining.saturating_sub(overhead).max(MIN_TIME);
            let max_moves = params::time_moves_to_go() as u32;
            let moves = clock
                .moves_to_go
                .map_or(max_moves, |moves| moves.clamp(1, max_moves));
            let budget = remaining
                .saturating_sub(overhead * (moves - 1))
                .max(remaining / params::time_min_budget_divisor() as u32);
            let base = budget / moves + clock.increment * params::time_increment() as u32 / 100;
            let max = if moves == 1 {
                remaining * params::time_max_share_last_move() as u32 / 100
            } else {
                remaining * params::time_max_share() as u32 / 12
            };
            manager.base = Some(base.min(max));
            manager.hard_limit = Some((base * params::time_hard_factor() as u32).min(max));
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

    /// Records a completed iteration: its best move, its score, and the nodes spent on the best move
    /// and on all.
    pub(super) fn update(&mut self, best: Move, score: Score, best_nodes: u64, all_nodes: u64) {
        self.progress.update(best, score, best_nodes, all_nodes);
    }
}

/// The course of the iterations so far.
#[derive(Clone, Debug)]
struct Progress {
    only_move: bool,
    best_move: Option<Move>,
    /// Iterations since the best move changed.
    stability: u32,
    scores: Vec<Score>,
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

    fn update(&mut self, best: Move, score: Score, best_nodes: u64, all_nodes: u64) {
        self.stability = if self.best_move == Some(best) {
            self.stability + 1
        } else {
            0
        };
        self.best_move = Some(best);
        self.scores.push(score);
        self.node_fraction = best_nodes as f64 / all_nodes.max(1) as f64;
    }

    /// The factor of the base time.
    fn factor(&self) -> f64 {
        if self.only_move && self.scores.len() > params::time_only_move_min_depth() as usize {
            return hundredths(params::time_only_move());
        }
        let factor = self.node_fraction_factor() * self.stability_factor() * self.score_factor();
        factor.clamp(
            hundredths(params::time_factor_min()),
            hundredths(params::time_factor_max()),
        )
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
    fn score_factor(&self) -> f64 {
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
}

fn hundredths(n: i32) -> f64 {
    f64::from(n) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::ClockTime;

    fn manager(
        remaining: u64,
        increment: u64,
        moves_to_go: Option<u32>,
        overhead: u64,
    ) -> TimeManager {
        let milliseconds = Duration::from_millis;
        let clock = ClockTime {
            remaining: milliseconds(remaining),
            increment: milliseconds(increment),
            moves_to_go,
        };
        let limits = Limits {
            clock: Some(clock),
            ..Limits::default()
        };
        TimeManager::new(&limits, milliseconds(overhead), 20)
    }

    #[test]
    fn limits_never_exceed_the_remaining_time() {
        for remaining in [1, 5, 20, 100, 1_000, 60_000, 10_000_000] {
            for increment in [0, 10, 1_000, 60_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40), Some(1_000)] {
                    for overhead in [0, 10, 500] {
                        let manager = manager(remaining, increment, moves_to_go, overhead);
                        let max = Duration::from_millis(remaining.saturating_sub(overhead).max(1));
                        assert!(manager.hard_limit.is_some_and(|hard| hard <= max));
                        assert!(manager.base <= manager.hard_limit);
                    }
                }
            }
        }
    }

    #[test]
    fn forty_moves_stay_within_the_time_control() {
        let mut remaining = Duration::from_secs(40);
        let overhead = Duration::from_millis(10);
        for move_number in 0..40 {
            let manager = manager(remaining.as_millis() as u64, 0, Some(40 - move_number), 10);
            let used = manager.base.unwrap_or_default() + overhead;
            assert!(
                used <= remaining,
                "move {move_number}: {used:?} of {remaining:?}"
            );
            remaining -= used;
        }
    }
}
