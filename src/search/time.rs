//! How long to think.

use super::limits::Limits;
use std::time::Duration;

/// The times of one search, counted from when our clock began to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TimePlan {
    /// No new iteration begins after this, as a rule.
    pub(super) soft: Option<Duration>,
    /// The search ends here, whatever it does.
    pub(super) hard: Option<Duration>,
}

/// The least we ever plan with.
const MINIMUM: Duration = Duration::from_millis(1);

impl TimePlan {
    /// The plan for these limits, with so much lost on each move between us and the clock.
    pub(super) fn new(limits: &Limits, overhead: Duration) -> TimePlan {
        let mut plan = TimePlan {
            soft: None,
            hard: None,
        };
        if let Some(clock) = limits.clock {
            // Never more than what is left, less what gets lost.
            let usable = clock.left.saturating_sub(overhead).max(MINIMUM);
            let moves = clock.moves_to_go.map_or(40, |n| n.clamp(1, 40));
            let losses = overhead * (moves - 1).min(10);
            let budget = usable.saturating_sub(losses).max(usable / 10);
            let share = budget / moves + clock.increment * 3 / 4;
            let most = usable * 3 / 4;
            plan.soft = Some(share.min(most));
            plan.hard = Some((share * 4).min(if moves == 1 { usable * 9 / 10 } else { most }));
        }
        if let Some(time) = limits.move_time {
            let time = time.saturating_sub(overhead.min(time / 2)).max(MINIMUM);
            plan.soft = Some(plan.soft.map_or(time, |soft| soft.min(time)));
            plan.hard = Some(plan.hard.map_or(time, |hard| hard.min(time)));
        }
        plan
    }
}
