//! Quiescence: following captures until the position is quiet enough to be evaluated.

use super::movepick::MovePicker;
use super::score::{DRAW, INFINITE, MAX_PLY, Score, mated_in};
use super::worker::Worker;
use crate::chess::{Board, MoveList, Stage};

impl Worker {
    /// The score of the position when only captures, promotions and answers to checks are tried.
    pub(super) fn quiesce(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        self.frames[ply].pv.clear();
        self.seldepth = self.seldepth.max(ply);
        if self.is_draw(board, ply) {
            return DRAW;
        }
        if ply >= MAX_PLY {
            return self.evaluate(board);
        }
        let in_check = board.in_check();
        let mut moves = MoveList::new();
        let mut best = -INFINITE;
        if in_check {
            moves = board.legal_moves();
            if moves.is_empty() {
                return mated_in(ply);
            }
        } else {
            best = self.evaluate(board);
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
            board.legal_moves_of(Stage::Noisy, &mut moves);
        }
        let mut picker = MovePicker::new(board, moves, None, [None; 2]);
        while let Some(m) = picker.next() {
            if !in_check && !board.see_ge(m, 0) {
                continue;
            }
            if !self.may_visit() {
                return DRAW;
            }
            let child = board.make(m);
            self.frames[ply + 1].since_null = self.frames[ply].since_null + 1;
            self.keys.push(child.key());
            let score = -self.quiesce(&child, ply + 1, -beta, -alpha);
            self.keys.pop();
            if self.stopped {
                return DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    self.extend_pv(ply, m);
                    if score >= beta {
                        break;
                    }
                }
            }
        }
        best
    }
}
