//! Test positions with known best moves, and whether they were solved.

use super::AnalysisResult;
use crate::chess::Move;
use crate::formats::Document;
use crate::search::score::{Score, mate_distance};
use std::time::Duration;

/// What solves a position: all that its record names.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Goal {
    /// One of these moves (`bm`), if there are any.
    pub best: Vec<Move>,
    /// None of these moves (`am`).
    pub avoid: Vec<Move>,
    /// A mate in so many moves; negative if the side to move is mated (`dm`).
    pub mate: Option<i32>,
}

/// What solves the position of an EPD record; `None` if it names nothing.
pub fn goals(document: &Document) -> Option<Goal> {
    let mate = document.operation("dm");
    let mate = mate.and_then(|dm| dm.operands.first()?.parse().ok());
    let goal = Goal {
        best: document.operation_moves("bm"),
        avoid: document.operation_moves("am"),
        mate,
    };
    (goal != Goal::default()).then_some(goal)
}

/// How a position was solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solution {
    /// Whether it was, when the search ended.
    pub solved: bool,
    /// From when on the answer was right and stayed so.
    pub time: Option<Duration>,
}

impl Goal {
    fn is_met(&self, m: Move, score: Score) -> bool {
        let mate_found = self.mate.is_none_or(|wanted| {
            mate_distance(score).is_some_and(|found| match wanted < 0 {
                true => (wanted..0).contains(&found),
                false => (1..=wanted).contains(&found),
            })
        });
        let moved = self.best.is_empty() || self.best.contains(&m);
        mate_found && moved && !self.avoid.contains(&m)
    }
}

/// Whether and when an answer met the goal.
pub fn solution<T>(goal: &Goal, answer: &AnalysisResult<T>) -> Solution {
    let solved = answer
        .best()
        .is_some_and(|best| goal.is_met(best, answer.score));
    let right = answer
        .best_moves
        .iter()
        .rev()
        .take_while(|(_, m, score)| goal.is_met(*m, *score));
    let time = right.last().map(|(time, ..)| *time);
    Solution {
        solved,
        time: time.filter(|_| solved).or(solved.then_some(answer.time)),
    }
}
