//! Analysis of games and positions: reviews with a judgement of each move, test suites,
//! explanations, and HTML pages of them.
//!
//! This module prints nothing; its commands are in `cmd`.

mod accuracy;
mod analyser;
mod annotate;
mod explain;
#[cfg(feature = "json")]
pub mod json;
mod material;
pub mod motif;
mod openings;
pub mod page;
mod phase;
mod players;
mod puzzles;
mod review;
mod scale;
mod suite;

pub use accuracy::accuracy;
pub use analyser::{
    Analyser, AnalysisProgress, AnalysisResult, AnalysisTask, Budget, DEFAULT_HASH, GROUP_SIZE,
    begins_group, game_groups, group_count, hash_for_groups, needed_depth,
};
pub use annotate::{
    ACCURACY_TAGS, OPENING_TAGS, annotate, annotate_position, set_review_tags, with_annotator,
};
pub use explain::{
    DEFAULT_EXPLANATION_NODES, ExplainedMove, Explanation, Question, Reason, Threat, explain,
    explain_with,
};
pub use material::Material;
pub use openings::{Opening, Openings};
pub use phase::Phase;
pub use players::{PhaseRecord, PlayerSummary, Players, Results, SideRecord};
pub use puzzles::{DEFAULT_PROOF_NODES, PUZZLE_HASH, Puzzle, PuzzleFinder, Solver};
pub use review::{
    JudgedMove, Judgement, Review, ReviewBuilder, ReviewedPosition, SideSummary, game_positions,
    review,
};
pub use scale::Scale;
pub use suite::{Goal, Solution, goals, solution};

use crate::chess::{Board, Color};

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
