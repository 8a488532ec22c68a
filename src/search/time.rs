//! How long to think.

use super::limits::Limits;
use super::params;
use super::score::{Score, is_decisive};
use crate::chess::Move;
use std::time::Duration;

/// The times of one search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TimePlan {
    /// What the move is worth: no new iteration begins after this, stretched or shortened by how
    /// the search goes. Counted from the beginning, whoever's clock ran; if the time is given for this
    /// move, from when ours began to run.
    pub(super) soft: Option<Duration>,
    /// The search ends here, whatever it does; counted from when our clock began to run.
    pub(super) hard: Option<Duration>,
    /// Whether the soft time may be stretched.
    elastic: bool,
}

/// The least we ever plan with.
const MINIMUM: Duration = Duration::from_millis(1);

impl TimePlan {
    /// The plan for these limits, with so much lost on each move between us and the clock.
    pub(super) fn new(limits: &Limits, overhead: Duration) -> TimePlan {
        let mut plan = TimePlan {
            soft: None,
            hard: None,
            elastic: true,
        };
        if let Some(clock) = limits.clock {
            // Never more than what is left, less what gets lost.
            let usable = clock.remaining.saturating_sub(overhead).max(MINIMUM);
            let most_moves = params::time_moves() as u32;
            let moves = clock
                .moves_to_go
                .map_or(most_moves, |n| n.clamp(1, most_moves));
            let losses = overhead * (moves - 1);
            let budget = usable.saturating_sub(losses).max(usable / 8);
            let share = budget / moves + clock.increment * params::time_increment() as u32 / 100;
            let most = if moves == 1 {
                usable * 9 / 10
            } else {
                usable * 2 / 3
            };
            plan.soft = Some(share.min(most));
            plan.hard = Some((share * params::time_most_shares() as u32).min(most));
        }
        if let Some(time) = limits.move_time {
            let time = time.saturating_sub(overhead.min(time / 2)).max(MINIMUM);
            plan.soft = Some(plan.soft.map_or(time, |soft| soft.min(time)));
            plan.hard = Some(plan.hard.map_or(time, |hard| hard.min(time)));
            plan.elastic = limits.clock.is_some();
        }
        plan
    }

    /// Whether no new iteration should begin after so much time.
    pub(super) fn is_over(&self, elapsed: Duration, progress: &Progress) -> bool {
        let Some(soft) = self.soft else { return false };
        if !self.elastic {
            return elapsed >= soft;
        }
        elapsed >= soft.mul_f64(progress.factor())
    }
}

/// How the search goes, iteration by iteration.
#[derive(Clone, Debug)]
pub(super) struct Progress {
    only_move: bool,
    best: Option<Move>,
    /// For how many iterations the best move has been the same.
    stable: u32,
    scores: Vec<Score>,
    /// The share of the nodes spent on the best move.
    share: f64,
}

impl Progress {
    pub(super) fn new(only_move: bool) -> Progress {
        Progress {
            only_move,
            best: None,
            stable: 0,
            scores: Vec::new(),
            share: 0.5,
        }
    }

    /// An iteration has ended with this best move and score; so many of all nodes were spent on it.
    pub(super) fn note(&mut self, best: Move, score: Score, nodes: u64, all: u64) {
        self.stable = if self.best == Some(best) {
            self.stable + 1
        } else {
            0
        };
        self.best = Some(best);
        self.scores.push(score);
        self.share = nodes as f64 / all.max(1) as f64;
    }

    /// By how much the time is to be stretched (above 1) or shortened.
    fn factor(&self) -> f64 {
        if self.only_move && self.scores.len() > 6 {
            return hundredths(params::time_only_move());
        }
        // A best move that took most of the effort has no rival.
        let effort = hundredths(params::time_effort_base())
            - hundredths(params::time_effort_slope()) * self.share;
        // One that has just changed may change again.
        let stability = hundredths(match self.stable {
            0 => params::time_new_move(),
            1 => params::time_second_time(),
            2 => params::time_third_time(),
            3..6 => params::time_settled(),
            _ => params::time_long_settled(),
        });
        // A falling score is worth a longer look.
        let n = self.scores.len();
        let trend = match (self.scores.last(), n.checked_sub(4).map(|i| self.scores[i])) {
            (Some(now), Some(before)) if !is_decisive(*now) && !is_decisive(before) => {
                let loss = f64::from(before - now) / f64::from(params::time_trend_divisor());
                (1.0 + loss).clamp(
                    hundredths(params::time_trend_min()),
                    hundredths(params::time_trend_max()),
                )
            }
            _ => 1.0,
        };
        (effort * stability * trend).clamp(
            hundredths(params::time_factor_min()),
            hundredths(params::time_factor_max()),
        )
    }
}

fn hundredths(n: i32) -> f64 {
    f64::from(n) / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::limits::ClockTime;

    fn plan(left: u64, increment: u64, moves_to_go: Option<u32>, overhead: u64) -> TimePlan {
        let milliseconds = Duration::from_millis;
        let clock = ClockTime {
            remaining: milliseconds(left),
            increment: milliseconds(increment),
            moves_to_go,
        };
        let limits = Limits {
            clock: Some(clock),
            ..Limits::default()
        };
        TimePlan::new(&limits, milliseconds(overhead))
    }

    #[test]
    fn never_plans_with_more_than_is_left() {
        for left in [1, 5, 20, 100, 1_000, 60_000, 10_000_000] {
            for increment in [0, 10, 1_000, 60_000] {
                for moves_to_go in [None, Some(1), Some(2), Some(40), Some(1_000)] {
                    for overhead in [0, 10, 500] {
                        let plan = plan(left, increment, moves_to_go, overhead);
                        let most = Duration::from_millis(left.saturating_sub(overhead).max(1));
                        assert!(plan.hard.is_some_and(|hard| hard <= most));
                        assert!(plan.soft <= plan.hard);
                    }
                }
            }
        }
    }

    #[test]
    fn forty_moves_in_a_row_keep_within_the_clock() {
        let mut left = Duration::from_secs(40);
        let overhead = Duration::from_millis(10);
        for move_number in 0..40 {
            let plan = plan(left.as_millis() as u64, 0, Some(40 - move_number), 10);
            let used = plan.soft.unwrap_or_default() + overhead;
            assert!(used <= left, "move {move_number}: {used:?} of {left:?}");
            left -= used;
        }
    }
}
