//! Test suites: positions with best moves, moves to avoid, or mates.

use super::AnalysisResult;
use crate::chess::Move;
use crate::formats::Document;
use crate::formats::epd::mate_distance;
use crate::search::score::Score;
use std::time::Duration;

/// The goal of a test position; all parts must be met.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Goal {
    /// The best moves (`bm`); any move if empty.
    pub best: Vec<Move>,
    /// Moves to avoid (`am`).
    pub avoid: Vec<Move>,
    /// Mate in at most this number of moves; negative if the side to move is mated (`dm`, or `bm #3`).
    pub mate: Option<i32>,
}

/// The goal of an EPD record; `None` if it has none of the operations `bm`, `am` and `dm`.
pub fn goals(document: &Document) -> Option<Goal> {
    let dm = document.operation("dm").and_then(|dm| dm.operands.first()?.parse().ok());
    let bm = document.operation("bm");
    let mate = dm.or_else(|| bm?.operands.iter().find_map(|operand| mate_distance(operand)));
    let goal =
        Goal { best: document.operation_moves("bm"), avoid: document.operation_moves("am"), mate };
    (goal != Goal::default()).then_some(goal)
}

/// Whether and when a test position was solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Whether the final move meets the goal.
    pub solved: bool,
    /// The time from which on the best move met the goal.
    pub time: Option<Duration>,
}

impl Goal {
    fn is_met(&self, m: Move, score: Score) -> bool {
        let mate_found = self.mate.is_none_or(|goal| {
            score.mate().is_some_and(|found| {
                if goal < 0 { (goal..0).contains(&found) } else { (1..=goal).contains(&found) }
            })
        });
        let is_best = self.best.is_empty() || self.best.contains(&m);
        mate_found && is_best && !self.avoid.contains(&m)
    }
}

/// Whether and when an analysis met the goal.
pub fn solution<T>(goal: &Goal, result: &AnalysisResult<T>) -> Solution {
    let solved = result.best().is_some_and(|best| goal.is_met(best, result.score));
    let solving =
        result.best_moves.iter().rev().take_while(|(_, m, score)| goal.is_met(*m, *score));
    let time = solving.last().map(|(time, ..)| *time);
    Solution { solved, time: time.filter(|_| solved).or(solved.then_some(result.time)) }
}
