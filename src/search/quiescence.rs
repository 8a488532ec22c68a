//! Quiescence search: captures, promotions and check evasions, until the position is quiet.
//! <https://www.chessprogramming.org/Quiescence_Search>

use super::correction::{correction_indices, pawn_index};
use super::history::{Histories, NO_MOVE, QuietContext, target_square, threats};
use super::info::Bound;
use super::movepick::{MovePicker, PickMode, is_noisy};
use super::node::NodeType;
use super::params;
use super::score::{
    DRAW, INFINITE, MAX_PLY, NO_SCORE, TB_WIN_IN_MAX_PLY, Value, blend_fail_high, is_decisive,
    mated_in,
};
use super::static_eval::corrected_static_eval;
use super::tt::TtEntry;
use super::worker::Worker;
use crate::chess::{Board, Move, SEE_VALUES};

impl Worker {
    /// Searches captures, promotions and check evasions, and returns the score of the node.
    /// <https://www.chessprogramming.org/Quiescence_Search>
    ///
    /// Move count pruning, and quiet evasions only until one does not lose, are ideas of Stockfish.
    #[expect(clippy::too_many_lines, reason = "the quiescence search, read from top to bottom")]
    pub(super) fn quiescence<N: NodeType>(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: Value,
        beta: Value,
    ) -> Value {
        debug_assert!((-INFINITE..beta).contains(&alpha) && beta <= INFINITE);
        debug_assert!(N::PV || alpha + 1 == beta);
        debug_assert!(ply <= MAX_PLY);
        self.stack[ply].pv.clear();
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
        }

        // Step 1. Draws and maximum ply.
        if self.is_draw(board, ply) {
            return self.draw_score(ply);
        }
        let in_check = board.in_check();
        if ply >= MAX_PLY {
            return self.evaluate_at_max_ply(board, ply);
        }

        // Step 2. Transposition table. The work before the probe gives the prefetch time.
        let correction = if in_check { 0 } else { self.correction(ply, correction_indices(board)) };
        let tt_entry = self.shared.tt.probe(board.key(), ply, board.halfmove_clock());
        if let Some(entry) = tt_entry
            && !N::PV
            && entry.decides(beta)
        {
            return entry.score;
        }
        let tt_pv = N::PV || tt_entry.is_some_and(|entry| entry.tt_pv);
        if let Some(m) = tt_entry.and_then(|entry| entry.best_move) {
            self.shared.tt.prefetch(board.key_after(m));
        }

        // Step 3. Stand pat: the side to move does not have to capture.
        let mut best_score = -INFINITE;
        let (mut raw_eval, mut static_eval) = (NO_SCORE, NO_SCORE);
        if !in_check {
            raw_eval = self.raw_eval(board, ply, tt_entry);
            (static_eval, _) = corrected_static_eval(board, raw_eval, correction);
            best_score = match tt_entry {
                Some(entry) if entry.decides(static_eval + 1) && !is_decisive(entry.score) => {
                    entry.score
                }
                _ => static_eval,
            };
            if best_score >= beta {
                if tt_entry.is_none() {
                    let entry = TtEntry {
                        best_move: None,
                        score: NO_SCORE,
                        raw_eval,
                        depth: 0,
                        bound: None,
                        tt_pv,
                    };
                    self.shared.tt.store(board.key(), ply, entry);
                }
                let weight = params::quiescence_stand_pat_weight();
                return blend_fail_high(best_score, beta, weight);
            }
            alpha = alpha.max(best_score);
        }
        self.stack[ply].static_eval = static_eval;

        // Step 4. The moves. Quiet moves are only searched in check.
        let tt_move = tt_entry
            .and_then(|entry| entry.best_move)
            .filter(|m| (in_check || is_noisy(board, *m)) && board.is_legal(*m));
        let turn = board.turn();
        let (mode, context) = if in_check {
            let previous_moves = self.previous_moves(ply);
            let context =
                QuietContext::new(turn, threats(board), previous_moves, pawn_index(board));
            (PickMode::All, context)
        } else {
            (PickMode::Captures(0), QuietContext::none(turn))
        };
        let mut picker = MovePicker::new(mode, tt_move, self.move_filter(ply));
        let (mut best_move, mut move_count) = (None, 0);
        let mut is_evaluator_updated = false;
        while let Some(m) = picker.next(board, &self.histories, &context) {
            move_count += 1;

            // Step 5. Pruning: of quiet evasions, and of captures other than promotions and recaptures.
            let is_exempt = in_check || m.is_promotion() || self.is_recapture(ply, m);
            if best_score > -TB_WIN_IN_MAX_PLY && move_count > 1 {
                if in_check && !is_noisy(board, m) {
                    // One evasion that does not lose is enough.
                    picker.skip_quiets();
                    continue;
                }
                if !is_exempt && move_count > params::quiescence_max_moves() {
                    continue;
                }
            }
            if !is_exempt && best_score > -TB_WIN_IN_MAX_PLY {
                // Futility pruning (delta pruning):
                // <https://www.chessprogramming.org/Delta_Pruning>
                let captured = SEE_VALUES[Histories::captured(board, m)];
                let futility_value = static_eval + params::quiescence_futility_margin() + captured;
                if futility_value <= alpha && !board.gives_check(m) {
                    best_score = best_score.max(futility_value);
                    continue;
                }
            }

            // Step 6. Make the move and search it.
            if Some(m) != tt_move {
                self.shared.tt.prefetch(board.key_after(m));
            }
            if !self.count_node() {
                return DRAW;
            }
            if !is_evaluator_updated {
                self.evaluator.update(ply, board);
                is_evaluator_updated = true;
            }
            let child = self.make_move(board, ply, m);
            let score = -self.quiescence::<N>(&child, ply + 1, -beta, -alpha);
            self.leave_child();
            if self.stopped {
                return DRAW;
            }
            if score > best_score {
                best_score = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.update_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && move_count == 0 {
            return mated_in(ply);
        }

        // Step 7. Store the result.
        let mut bound = Bound::Upper;
        if best_score >= beta {
            bound = Bound::Lower;
            let weight = params::quiescence_fail_high_weight();
            best_score = blend_fail_high(best_score, beta, weight);
        }
        let entry =
            TtEntry { best_move, score: best_score, raw_eval, depth: 0, bound: Some(bound), tt_pv };
        self.shared.tt.store(board.key(), ply, entry);
        best_score
    }

    /// Whether a move goes to the target square of the previous one: if it captures, it recaptures.
    /// Recaptures are not pruned. (Stockfish)
    #[inline]
    fn is_recapture(&self, ply: usize, m: Move) -> bool {
        let [last, ..] = self.previous_moves(ply);
        last != NO_MOVE && target_square(last) == m.to().index()
    }
}
