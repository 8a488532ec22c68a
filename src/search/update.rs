//! Updates after a node: histories, transposition table, correction history.

use super::history::QuietContext;
use super::info::Bound;
use super::movepick::is_noisy;
use super::node::NodeState;
use super::params;
use super::score::{Value, is_decisive};
use super::stack::StackEntry;
use super::tt::TtEntry;
use super::worker::Worker;
use crate::chess::{Board, Move};

/// Maximum number of quiet moves and of captures that get a malus.
const MAX_QUIETS: usize = 48;
const MAX_NOISIES: usize = 24;

/// The moves of a node that were searched and did not become its best move.
pub(super) struct SearchedMoves {
    quiets: [Option<Move>; MAX_QUIETS],
    quiet_count: usize,
    noisies: [Option<Move>; MAX_NOISIES],
    noisy_count: usize,
}

impl SearchedMoves {
    pub(super) fn new() -> SearchedMoves {
        SearchedMoves {
            quiets: [None; MAX_QUIETS],
            quiet_count: 0,
            noisies: [None; MAX_NOISIES],
            noisy_count: 0,
        }
    }

    pub(super) fn push(&mut self, m: Move, is_quiet: bool) {
        if is_quiet && self.quiet_count < self.quiets.len() {
            self.quiets[self.quiet_count] = Some(m);
            self.quiet_count += 1;
        } else if !is_quiet && self.noisy_count < self.noisies.len() {
            self.noisies[self.noisy_count] = Some(m);
            self.noisy_count += 1;
        }
    }
}

impl Worker {
    /// Updates the histories after a fail high: a bonus for the best move, a malus for the
    /// captures searched before it and, if it is quiet, for the quiet moves. After a fail low the
    /// previous quiet move gets a bonus.
    /// <https://www.chessprogramming.org/History_Heuristic>
    pub(super) fn update_histories(
        &mut self,
        board: &Board,
        node: &NodeState,
        context: &QuietContext,
        best_move: Option<Move>,
        bound: Bound,
        searched: &SearchedMoves,
    ) {
        let (bonus, malus) = (history_bonus(node.depth), history_malus(node.depth));
        let Some(best_move) = best_move.filter(|_| bound == Bound::Lower) else {
            if bound == Bound::Upper && node.ply > 0 {
                let bonus = bonus / params::previous_move_bonus_divisor();
                self.update_previous_quiet_move(board, node.ply, bonus);
            }
            return;
        };
        if is_noisy(board, best_move) {
            self.histories.update_capture(board, best_move, bonus);
        } else {
            // At low depth a fail high of the first quiet move proves little.
            if node.depth >= params::first_quiet_bonus_min_depth() || searched.quiet_count > 0 {
                self.histories.update_quiet(context, best_move, bonus);
            }
            for m in searched.quiets[..searched.quiet_count].iter().flatten() {
                self.histories.update_quiet(context, *m, -malus);
            }
        }
        for m in searched.noisies[..searched.noisy_count].iter().flatten() {
            self.histories.update_capture(board, *m, -malus);
        }
    }

    /// Eval history: updates the continuation histories of the previous quiet move by its gain or
    /// loss of static evaluation. (Stockfish)
    pub(super) fn update_eval_history(&mut self, node: &NodeState, loss: Value) {
        let bonus = (-params::eval_history_factor() * loss)
            .clamp(-params::eval_history_max_malus(), params::eval_history_max_bonus());
        self.update_previous_continuation(node.ply, bonus);
    }

    /// Updates the continuation histories of the move that led to this ply, if it is quiet.
    fn update_previous_continuation(&mut self, ply: usize, bonus: i32) {
        let StackEntry { quiet_move, piece_to, .. } = self.stack[ply - 1];
        if quiet_move.is_some() {
            let previous = self.previous_moves(ply - 1);
            self.histories.update_continuation(previous, piece_to, bonus);
        }
    }

    /// Updates the continuation and butterfly histories of the move that led to this ply, if it is
    /// quiet. (Stockfish)
    fn update_previous_quiet_move(&mut self, board: &Board, ply: usize, bonus: i32) {
        self.update_previous_continuation(ply, bonus);
        let StackEntry { quiet_move, threats, .. } = self.stack[ply - 1];
        if let Some(m) = quiet_move {
            self.histories.update_butterfly(!board.turn(), threats, m, bonus);
        }
    }

    /// Stores the result of a node in the transposition table.
    pub(super) fn store_tt(
        &self,
        board: &Board,
        node: &NodeState,
        best_move: Option<Move>,
        score: Value,
        depth: i32,
        bound: Bound,
    ) {
        let entry = TtEntry {
            best_move,
            score,
            raw_eval: node.raw_eval,
            depth,
            bound: Some(bound),
            tt_pv: node.tt_pv,
        };
        self.shared.tt.store(board.key(), node.ply, entry);
    }

    /// Updates correction history by the difference between score and static evaluation, unless the
    /// best move is a capture or the bound proves nothing about the difference.
    pub(super) fn update_correction_history(
        &mut self,
        board: &Board,
        node: &NodeState,
        best_move: Option<Move>,
        score: Value,
        bound: Bound,
    ) {
        let is_uninformative = match bound {
            Bound::Exact => false,
            Bound::Lower => score <= node.static_eval,
            Bound::Upper => score >= node.static_eval,
        };
        let Some(indices) = node.correction_indices else {
            return;
        };
        if is_decisive(score) || is_uninformative || best_move.is_some_and(|m| is_noisy(board, m)) {
            return;
        }
        let error = score - node.static_eval;
        let previous = self.previous_moves(node.ply);
        self.correction_history.update(indices, previous, node.depth, error);
    }
}

/// The history bonus of a move that failed high at this depth.
pub(super) fn history_bonus(depth: i32) -> i32 {
    (params::history_bonus_factor() * depth - params::history_bonus_offset())
        .clamp(0, params::history_bonus_max())
}

/// The history malus of a move searched before the one that failed high at this depth.
pub(super) fn history_malus(depth: i32) -> i32 {
    (params::history_malus_factor() * depth - params::history_malus_offset())
        .clamp(0, params::history_malus_max())
}
