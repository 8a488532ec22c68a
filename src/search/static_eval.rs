//! The static evaluation of the search: with handicap error, fifty-move damping and correction.

use super::correction::{CorrectionIndices, correction_indices};
use super::params;
use super::score::{NO_SCORE, TB_WIN_IN_MAX_PLY, Value};
use super::tt::TtEntry;
use super::worker::Worker;
use crate::chess::Board;
use crate::eval::has_lone_king;

/// Maximum absolute raw evaluation: with the correction it stays below decisive scores.
const MAX_RAW_EVAL: Value = TB_WIN_IN_MAX_PLY - 1000;
/// Maximum absolute static evaluation: not a decisive score.
const MAX_STATIC_EVAL: Value = TB_WIN_IN_MAX_PLY - 1;

impl Worker {
    /// The uncorrected evaluation; reuses the TT entry's if present.
    #[inline]
    pub(super) fn raw_eval(
        &mut self,
        board: &Board,
        ply: usize,
        tt_entry: Option<TtEntry>,
    ) -> Value {
        match tt_entry {
            Some(entry) if entry.raw_eval != NO_SCORE => entry.raw_eval,
            _ => {
                let handicap = self.request.handicap.as_ref();
                let error = handicap.map_or(0, |handicap| handicap.eval_error(board));
                let eval = self.evaluator.evaluate(ply, board) + error;
                eval.clamp(-MAX_RAW_EVAL, MAX_RAW_EVAL)
            }
        }
    }

    /// The correction of the static evaluation by correction history.
    #[inline]
    pub(super) fn correction(&self, ply: usize, indices: CorrectionIndices) -> Value {
        self.correction_history.correction(indices, self.previous_moves(ply))
    }

    /// The static evaluation of a position that is not in check.
    pub(super) fn evaluate(&mut self, board: &Board, ply: usize) -> Value {
        let raw_eval = self.raw_eval(board, ply, None);
        let correction = self.correction(ply, correction_indices(board));
        corrected_static_eval(board, raw_eval, correction).0
    }

    /// The score of a node at the maximum ply; a draw in check, which has no evaluation.
    #[cold]
    pub(super) fn evaluate_at_max_ply(&mut self, board: &Board, ply: usize) -> Value {
        if board.in_check() { self.draw_score(ply) } else { self.evaluate(board, ply) }
    }
}

/// The static evaluation, and the correction in it. The raw evaluation is damped towards the
/// fifty-move rule (Stockfish), then the correction is added. Against a lone king it stays
/// unchanged: its small steps lead to mate.
#[inline]
pub(super) fn corrected_static_eval(
    board: &Board,
    raw_eval: Value,
    correction: Value,
) -> (Value, Value) {
    if has_lone_king(board) {
        return (raw_eval, 0);
    }
    let clock = i32::from(board.halfmove_clock().min(100));
    let fifty = params::fifty_move_damping();
    let damped = raw_eval * (fifty - clock) / fifty;
    let static_eval = (damped + correction).clamp(-MAX_STATIC_EVAL, MAX_STATIC_EVAL);
    (static_eval, correction)
}
