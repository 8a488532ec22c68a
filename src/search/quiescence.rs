//! Quiescence: following captures until the position is quiet enough to be evaluated.
//! <https://www.chessprogramming.org/Quiescence_Search>

use super::history::{Histories, QuietContext, threats};
use super::info::Bound;
use super::movepick::{MovePicker, Purpose, is_noisy};
use super::node::Node;
use super::params;
use super::score::{
    DRAW, INFINITE, MAX_PLY, NONE, Score, TB_WIN_IN_MAX_PLY, is_decisive, mated_in, towards,
};
use super::worker::Worker;
use crate::chess::{Bitboard, Board, SEE_VALUES};

impl Worker {
    /// The score of the position when only captures, promotions and answers to checks are tried.
    #[expect(
        clippy::too_many_lines,
        reason = "the recipe of quiescence, read from top to bottom"
    )]
    pub(super) fn quiesce<N: Node>(
        &mut self,
        board: &Board,
        ply: usize,
        mut alpha: Score,
        beta: Score,
    ) -> Score {
        self.frames[ply].pv.clear();
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
        }
        if self.is_draw(board, ply) {
            return self.draw_at(ply);
        }
        let in_check = board.in_check();
        if ply >= MAX_PLY {
            return self.evaluate_horizon(board, ply);
        }

        let entry = self.shared.tt.probe(board.key(), ply);
        if let Some(entry) = entry
            && !N::PV
            && entry.bounds(beta)
        {
            return entry.score;
        }
        let was_pv = N::PV || entry.is_some_and(|entry| entry.was_pv);

        // Standing pat: nobody has to capture.
        let mut best = -INFINITE;
        let (mut raw_eval, mut static_eval) = (NONE, NONE);
        if !in_check {
            raw_eval = match entry {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ => self.raw_evaluation(board, ply),
            };
            (static_eval, _) = self.corrected(board, ply, raw_eval);
            best = match entry {
                Some(entry) if entry.bounds(static_eval + 1) && !is_decisive(entry.score) => {
                    entry.score
                }
                _ => static_eval,
            };
            if best >= beta {
                if entry.is_none() {
                    let key = board.key();
                    self.shared
                        .tt
                        .store(key, ply, None, NONE, raw_eval, 0, None, was_pv);
                }
                return towards(beta, best, 1);
            }
            alpha = alpha.max(best);
        }
        self.frames[ply].static_eval = static_eval;

        let table_move = entry
            .and_then(|entry| entry.best)
            .filter(|m| (in_check || is_noisy(board, *m)) && board.is_legal(*m));
        // Only answers to checks can be quiet.
        let (purpose, threats) = match in_check {
            true => (Purpose::Search, threats(board)),
            false => (Purpose::Captures(0), Bitboard::EMPTY),
        };
        let quiets = QuietContext::new(board, threats, self.earlier_moves(ply));
        let mut picker = MovePicker::new(purpose, table_move);
        let (mut best_move, mut number) = (None, 0);
        while let Some(m) = picker.next(board, &self.histories, &quiets) {
            if self.misses_move(board, ply, m) {
                continue;
            }
            number += 1;
            let exempt = in_check || m.is_promotion() || self.takes_back(ply, m);
            if best > -TB_WIN_IN_MAX_PLY && number > 1 {
                if in_check && !is_noisy(board, m) {
                    // One quiet answer to a check that holds is enough.
                    picker.skip_quiets();
                    continue;
                }
                if !exempt && number > params::quiescence_max_moves() {
                    continue;
                }
            }
            if !exempt && best > -TB_WIN_IN_MAX_PLY {
                // Even with the captured piece we stay too far below alpha.
                let victim = SEE_VALUES[Histories::victim(board, m)];
                let most = static_eval + params::quiescence_futility() + victim;
                if most <= alpha && !board.gives_check(m) {
                    best = best.max(most);
                    continue;
                }
            }
            if !self.may_visit() {
                return DRAW;
            }
            let child = self.make(board, ply, m);
            let score = -self.quiesce::<N>(&child, ply + 1, -beta, -alpha);
            self.leave();
            if self.stopped {
                return DRAW;
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    if N::PV {
                        self.extend_pv(ply, m);
                    }
                    if score >= beta {
                        break;
                    }
                    alpha = score;
                }
            }
        }
        if in_check && number == 0 {
            return mated_in(ply);
        }
        let bound = if best >= beta {
            Bound::Lower
        } else {
            Bound::Upper
        };
        if best >= beta {
            best = towards(beta, best, 3);
        }
        let key = board.key();
        self.shared
            .tt
            .store(key, ply, best_move, best, raw_eval, 0, Some(bound), was_pv);
        best
    }
}
