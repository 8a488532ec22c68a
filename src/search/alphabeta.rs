//! The alpha-beta search: principal variation search over immutable boards.

use super::movepick::{MovePicker, is_noisy};
use super::report::Bound;
use super::score::{DRAW, INFINITE, MAX_PLY, NONE, Score, is_decisive, mate_in, mated_in};
use super::worker::Worker;
use crate::chess::{Board, PieceKind};

impl Worker {
    /// Searches the root within the window.
    pub(super) fn search_root(
        &mut self,
        board: &Board,
        depth: i32,
        alpha: Score,
        beta: Score,
    ) -> Score {
        self.alphabeta(board, depth, 0, alpha, beta)
    }

    /// The score of the position, exact inside the window, else a bound (fail-soft).
    #[expect(
        clippy::too_many_lines,
        reason = "the recipe of the search, read from top to bottom"
    )]
    fn alphabeta(
        &mut self,
        board: &Board,
        mut depth: i32,
        ply: usize,
        mut alpha: Score,
        mut beta: Score,
    ) -> Score {
        let is_root = ply == 0;
        let is_pv = beta - alpha > 1;
        let in_check = board.in_check();
        if in_check {
            depth += 1;
        }
        if depth <= 0 {
            return self.quiesce(board, ply, alpha, beta);
        }
        self.frames[ply].pv.clear();
        self.seldepth = self.seldepth.max(ply);
        if !is_root {
            if self.is_draw(board, ply) {
                return DRAW;
            }
            if ply >= MAX_PLY {
                return self.evaluate(board);
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        let known = self.shared.table.probe(board.key(), ply);
        if let Some(entry) = known {
            let fits = match entry.bound {
                Some(Bound::Exact) => true,
                Some(Bound::Lower) => entry.score >= beta,
                Some(Bound::Upper) => entry.score <= alpha,
                None => false,
            };
            if !is_pv && entry.depth >= depth && fits {
                return entry.score;
            }
        }
        let table_move = known
            .and_then(|entry| entry.best)
            .filter(|m| board.is_legal(*m));

        // Null move: if passing is good enough, some move will be too.
        let pieces = board.us().occupied()
            & !board.us().pieces(PieceKind::Pawn)
            & !board.us().pieces(PieceKind::King);
        if !is_pv && !in_check && depth >= 3 && pieces.any() && self.frames[ply].since_null > 0 {
            let eval = self.evaluate(board);
            if eval >= beta && self.may_visit() {
                let child = board.make_null();
                self.shared.table.prefetch(child.key());
                self.frames[ply + 1].since_null = 0;
                self.keys.push(child.key());
                let reduced = depth - 3 - depth / 4;
                let score = -self.alphabeta(&child, reduced, ply + 1, -beta, 1 - beta);
                self.keys.pop();
                if self.stopped {
                    return DRAW;
                }
                if score >= beta {
                    return if is_decisive(score) { beta } else { score };
                }
            }
        }

        let moves = board.legal_moves();
        if moves.is_empty() {
            return if in_check { mated_in(ply) } else { DRAW };
        }
        let mut picker = MovePicker::new(board, moves, table_move, self.frames[ply].killers);
        let (mut best, mut best_move, mut tried) = (-INFINITE, None, 0);
        let first_alpha = alpha;
        while let Some(m) = picker.next() {
            if is_root
                && !self.root_moves[self.pv_index..]
                    .iter()
                    .any(|root| root.m == m)
            {
                continue;
            }
            if !self.may_visit() {
                return DRAW;
            }
            tried += 1;
            let child = board.make(m);
            self.shared.table.prefetch(child.key());
            self.frames[ply + 1].since_null = self.frames[ply].since_null + 1;
            self.keys.push(child.key());
            let quiet = !is_noisy(board, m);
            let next = depth - 1;
            let mut score = INFINITE;
            // Late moves are searched less deep until they surprise.
            if tried > 3 && depth >= 3 && quiet && !in_check {
                let reduction = 1 + i32::from(tried > 8) + depth / 8 - i32::from(is_pv);
                score = -self.alphabeta(
                    &child,
                    (next - reduction).max(1),
                    ply + 1,
                    -alpha - 1,
                    -alpha,
                );
            }
            if tried > 1 && score > alpha {
                score = -self.alphabeta(&child, next, ply + 1, -alpha - 1, -alpha);
            }
            if tried == 1 || (is_pv && score > alpha) {
                score = -self.alphabeta(&child, next, ply + 1, -beta, -alpha);
            }
            self.keys.pop();
            if self.stopped {
                return DRAW;
            }
            if is_root {
                self.note_root_move(m, score, tried == 1 || score > alpha);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    self.extend_pv(ply, m);
                    alpha = score;
                    if score >= beta {
                        let killers = &mut self.frames[ply].killers;
                        if quiet && killers[0] != Some(m) {
                            *killers = [Some(m), killers[0]];
                        }
                        break;
                    }
                }
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > first_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if self.pv_index == 0 || !is_root {
            let key = board.key();
            self.shared
                .table
                .store(key, ply, best_move, best, NONE, depth, Some(bound), is_pv);
        }
        best
    }

    /// Keeps what was found of a root move. One that is worse than the best has no score of its own.
    fn note_root_move(&mut self, m: crate::chess::Move, score: Score, is_best: bool) {
        let seldepth = self.seldepth;
        let line = self.frames[1].pv.clone();
        if let Some(root) = self.root_moves.iter_mut().find(|root| root.m == m) {
            root.score = if is_best { score } else { -INFINITE };
            if is_best {
                root.seldepth = seldepth;
                root.pv.truncate(1);
                root.pv.extend(line);
            }
        }
    }
}
