//! Analysis of games and positions: reviews with a judgement of each move, test suites,
//! explanations, and HTML pages of them.
//!
//! This module prints nothing; its commands are in `cmd`.

mod accuracy;
mod analyser;
mod annotate;
mod explain;
mod openings;
pub mod page;
mod phase;
mod review;
mod scale;
mod suite;

pub use accuracy::accuracy;
pub use analyser::{
    Analyser, AnalysisProgress, AnalysisResult, AnalysisTask, Budget, DEFAULT_HASH, PvLine,
    begins_group, game_groups, group_count,
};
pub use annotate::{annotate, annotate_position, with_annotator};
pub use explain::{ExplainedMove, Explanation, explain};
pub use openings::{Opening, Openings};
pub use phase::Phase;
pub use review::{
    JudgedMove, Judgement, Review, ReviewBuilder, ReviewedPosition, SideSummary, game_positions,
    review, review_on_scale,
};
pub use scale::Scale;
pub use suite::{Goal, Solution, goals, solution};

use crate::chess::{Board, Color};
use crate::search::score::{Score, ShownScore};
use std::fmt;

/// A score for display, from White's view.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Eval {
    /// Normalised centipawns, see [`normalised`](crate::search::score::normalised): at 100 the
    /// probability of a win is 50 %.
    Centipawns(i32),
    /// White mates in this number of moves; negative if White is mated, 0 for checkmate on the
    /// board.
    Mate(i32),
}

impl Eval {
    /// A score of the side to move.
    pub fn new(score: Score, turn: Color) -> Eval {
        let sign = match turn {
            Color::White => 1,
            Color::Black => -1,
        };
        match ShownScore::new(score) {
            ShownScore::Mate(moves) => Eval::Mate(sign * moves),
            ShownScore::Centipawns(centipawns) => Eval::Centipawns(sign * centipawns),
        }
    }
}

impl fmt::Display for Eval {
    /// `0.31`, `-1.20`, `#3`, `#-2`: as in the PGN command `%eval`. A mate on the board is `#`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match *self {
            Eval::Mate(0) => "#".to_owned(),
            Eval::Mate(moves) => format!("#{moves}"),
            Eval::Centipawns(n) => {
                let sign = if n < 0 { "-" } else { "" };
                format!("{sign}{}.{:02}", n.abs() / 100, n.abs() % 100)
            }
        };
        f.pad(&text)
    }
}

/// A line of moves in SAN with move numbers: `12. Nf3 Nc6 13. d4`.
pub fn line_text(board: &Board, moves: &[crate::chess::Move]) -> String {
    let mut board = *board;
    let mut words = Vec::new();
    for (number, m) in moves.iter().enumerate() {
        match board.turn() {
            Color::White => words.push(format!("{}.", board.fullmove_number())),
            Color::Black if number == 0 => words.push(format!("{}...", board.fullmove_number())),
            Color::Black => {}
        }
        words.push(board.san(*m));
        board = board.make(*m);
    }
    words.join(" ")
}
