//! Why a move of a reviewed game is bad: one clause, proved by the lines of the review alone.

use super::super::material::PAWN_VALUE;
use super::super::motif::{Motif, MotifName, motifs};
use super::super::review::ReviewedPosition;
use super::statement::{Course, Line, saves_draw, telling_motif};
use super::wording;
use crate::chess::Move;
use crate::eval::Evaluation;
use crate::search::score::Score;
use std::fmt;

/// Why a move is bad.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Reason {
    /// A clause without a full stop: `Black wins a rook by a fork`.
    pub words: String,
    /// The answer that proves it, as text; empty if the better line does.
    pub line: String,
    /// The motif that the move allows or misses.
    pub motif: Option<MotifName>,
}

/// The words and the line, without a full stop.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.line.is_empty() { "" } else { ": " };
        write!(f, "{}{colon}{}", self.words, self.line)
    }
}

impl Reason {
    /// Why the move that was played between two positions is bad: what the other side wins by its
    /// answer, or what the mover could have won. `None` if the lines prove neither.
    pub(in super::super) fn new(
        before: &ReviewedPosition,
        played: Move,
        after: &ReviewedPosition,
        evaluation: &Evaluation,
    ) -> Option<Reason> {
        let (board, score) = (&before.board, after.score.before_move());
        let line: Vec<Move> = std::iter::once(played).chain(after.pv.iter().copied()).collect();
        let missed = Line { board, moves: &before.pv, score: before.score, evaluation };
        let missed = Course::new(missed);
        let answer = Course::of_answer(Line { board, moves: &line, score, evaluation });
        let wins = |score: Score| score.mate().is_some_and(|moves| moves > 0);
        let loses = |score: Score| score.mate().is_some_and(|moves| moves <= 0);
        let named = |motifs: &[Motif]| telling_motif(motifs).map(|motif| motif.name);
        // What is lost or won in either case is no reason.
        let is_material = missed.outcome.value() + answer.outcome.value() >= PAWN_VALUE;
        let misses_mate = wins(before.score) && !wins(score);
        let allows_mate = loses(score) && !loses(before.score);
        if misses_mate || is_material && missed.outcome.is_gain() && !answer.outcome.is_gain() {
            let motif = named(&motifs(board, &before.pv, before.score));
            return Some(Reason {
                words: wording::missed(&missed.outcome, motif),
                line: String::new(),
                motif,
            });
        }
        let is_gain = allows_mate || is_material && answer.outcome.is_gain();
        let motif = named(&motifs(&after.board, &after.pv, after.score));
        let saves = motif.is_some_and(saves_draw);
        let words = || wording::allowed(&answer.outcome, motif);
        (is_gain || saves).then(|| Reason { words: words(), line: answer.line, motif })
    }
}
