//! Pruning: nodes and moves that are not searched. The margins are in [`params`].

use super::history::{Histories, NO_MOVE, QuietContext};
use super::info::Bound;
use super::movepick::{MovePicker, PickMode};
use super::node::{NodeState, NonPv};
use super::params;
use super::reduce::{Candidate, PLY};
use super::score::{DRAW, TB_WIN_IN_MAX_PLY, Value, blend_fail_high, is_decisive};
use super::worker::Worker;
use crate::chess::{Bitboard, Board, Move, PieceKind, SEE_VALUES};

/// Whether a move is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum MovePruning {
    /// The move is searched.
    Search,
    /// The move is pruned.
    Skip,
    /// The move and all later quiet moves are pruned.
    SkipQuiets,
}

impl MovePruning {
    /// Skips a move if the condition holds.
    fn skip_if(condition: bool) -> MovePruning {
        if condition { MovePruning::Skip } else { MovePruning::Search }
    }
}

impl Worker {
    /// Prunes a whole non-PV node: razoring, reverse futility pruning, null move pruning, probcut.
    #[inline]
    pub(super) fn prune_node(&mut self, board: &Board, node: &NodeState) -> Option<Value> {
        if node.in_check || self.request.is_mate_search() || node.excluded_move.is_some() {
            return None;
        }
        self.razoring(board, node)
            .or_else(|| reverse_futility_pruning(node))
            .or_else(|| self.null_move_pruning(board, node))
            .or_else(|| self.probcut(board, node))
    }

    /// Razoring: the evaluation is far below alpha, and quiescence search fails low.
    /// <https://www.chessprogramming.org/Razoring>
    fn razoring(&mut self, board: &Board, node: &NodeState) -> Option<Value> {
        let is_far_below = node.eval + params::razoring_margin() < node.alpha;
        if node.depth > 1 || !is_far_below || is_decisive(node.alpha) {
            return None;
        }
        let score = self.quiescence::<NonPv>(board, node.ply, node.alpha, node.alpha + 1);
        (score <= node.alpha && !self.stopped).then_some(score)
    }

    /// Null move pruning: if the score is at least beta after passing, the node fails high. Not
    /// without pieces (zugzwang); at high depth a verification search without null moves confirms
    /// it. <https://www.chessprogramming.org/Null_Move_Pruning>
    fn null_move_pruning(&mut self, board: &Board, node: &NodeState) -> Option<Value> {
        let NodeState { depth, ply, beta, .. } = *node;
        let us = board.us();
        let pieces = us.occupied() & !us.pieces(PieceKind::Pawn) & !us.pieces(PieceKind::King);
        let margin = params::null_move_static_margin() - params::null_move_static_slope() * depth;
        if !node.cut_node
            || node.eval < beta
            || node.static_eval < beta + margin
            || pieces.is_empty()
            || self.stack[ply].plies_since_null == 0
            || ply < self.null_move_min_ply
            || is_decisive(beta)
            || node.tt_entry.is_some_and(|entry| entry.is_upper_bound() && entry.score < beta)
            || !self.count_node()
        {
            return None;
        }
        let eval_reduction = ((node.eval - beta) / params::null_move_eval_divisor())
            .min(params::null_move_eval_max());
        let reduced_depth = depth
            - params::null_move_base()
            - depth / params::null_move_depth_divisor()
            - eval_reduction;
        let child = board.make_null();
        self.enter_child(board, ply, NO_MOVE);
        self.stack[ply + 1].plies_since_null = 0;
        let score =
            -self.alphabeta::<NonPv>(&child, reduced_depth, ply + 1, -beta, 1 - beta, false);
        self.leave_child();
        if self.stopped {
            return Some(DRAW);
        }
        if score < beta {
            return None;
        }
        let score = if is_decisive(score) { beta } else { score };
        if depth < params::null_move_verification_min_depth() || self.null_move_min_ply > 0 {
            return Some(score);
        }
        self.null_move_verification(board, node, reduced_depth).then_some(score)
    }

    /// Verification search: a reduced search without null moves in three quarters of its depth.
    /// Whether it fails high too. <https://www.chessprogramming.org/Null_Move_Pruning#Zugzwang>
    fn null_move_verification(
        &mut self,
        board: &Board,
        node: &NodeState,
        reduced_depth: i32,
    ) -> bool {
        let plies = reduced_depth.max(0) * params::null_move_verification_share() / 16;
        self.null_move_min_ply = node.ply + plies as usize;
        let (ply, beta) = (node.ply, node.beta);
        let score = self.alphabeta::<NonPv>(board, reduced_depth, ply, beta - 1, beta, false);
        self.null_move_min_ply = 0;
        score >= beta || self.stopped
    }

    /// Probcut: a capture whose reduced search exceeds beta by a margin. The quiescence search of
    /// the capture must exceed it first. <https://www.chessprogramming.org/ProbCut>
    fn probcut(&mut self, board: &Board, node: &NodeState) -> Option<Value> {
        let NodeState { depth, ply, .. } = *node;
        let probcut_beta = node.beta + params::probcut_margin();
        let probcut_depth = depth - params::probcut_reduction();
        if !node.cut_node
            || depth < params::probcut_min_depth()
            || is_decisive(node.beta)
            || probcut_beta >= TB_WIN_IN_MAX_PLY
            || node.tt_entry.is_some_and(|entry| {
                entry.bound.is_some() && entry.depth > probcut_depth && entry.score < probcut_beta
            })
            || node.has_quiet_tt_move()
        {
            return None;
        }
        let context = QuietContext::none(board.turn());
        let see_threshold = probcut_beta - node.static_eval;
        let tt_move = node.tt_move.filter(|m| board.see_ge(*m, see_threshold));
        let mode = PickMode::Captures(see_threshold);
        let mut picker = MovePicker::new(mode, tt_move, self.move_filter(ply));
        while let Some(m) = picker.next(board, &self.histories, &context) {
            if !self.count_node() {
                return Some(DRAW);
            }
            self.shared.tt.prefetch(board.key_after(m));
            let child = self.make_move(board, ply, m);
            let (alpha, beta) = (-probcut_beta, 1 - probcut_beta);
            let mut score = -self.quiescence::<NonPv>(&child, ply + 1, alpha, beta);
            if score >= probcut_beta && probcut_depth > 0 {
                let cut_node = !node.cut_node;
                score =
                    -self.alphabeta::<NonPv>(&child, probcut_depth, ply + 1, alpha, beta, cut_node);
            }
            self.leave_child();
            if self.stopped {
                return Some(DRAW);
            }
            if score >= probcut_beta {
                self.store_tt(board, node, Some(m), score, probcut_depth + 1, Bound::Lower);
                return Some(if is_decisive(score) {
                    score
                } else {
                    score - probcut_beta + node.beta
                });
            }
        }
        None
    }

    /// Prunes a move that is not the first: late move pruning, futility pruning, history pruning
    /// and SEE pruning. A quiet move that gives check is only pruned by SEE, or with all quiet moves
    /// that are left.
    #[inline]
    pub(super) fn prune_move(
        &self,
        board: &Board,
        node: &NodeState,
        candidate: &Candidate,
    ) -> MovePruning {
        if self.request.is_mate_search() {
            return MovePruning::Search;
        }
        let Candidate { m, move_count, .. } = *candidate;
        let reduction = self.base_reduction(node.depth, move_count, candidate.is_quiet());
        let reduced_depth = (node.depth - reduction / PLY).max(0);
        let threats = self.stack[node.ply].threats;
        let Some(history) = candidate.quiet_history else {
            let history = self.histories.capture(board, m);
            let is_futile = !candidate.gives_check
                && capture_futility_pruning(board, node, m, history, reduced_depth);
            return MovePruning::skip_if(
                is_futile || see_capture_pruning(board, node, threats, m, history),
            );
        };
        if candidate.gives_check {
            return MovePruning::skip_if(see_capture_pruning(board, node, threats, m, 0));
        }
        if late_move_pruning(node, move_count)
            || futility_pruning(node, history, reduced_depth)
            || history_pruning(node, history, reduced_depth)
        {
            return MovePruning::SkipQuiets;
        }
        MovePruning::skip_if(see_quiet_pruning(board, threats, m, reduced_depth))
    }
}

/// Reverse futility pruning (static null move pruning): the evaluation exceeds beta by a margin,
/// larger where the evaluation is corrected much. The result lies between evaluation and beta.
/// <https://www.chessprogramming.org/Reverse_Futility_Pruning>
fn reverse_futility_pruning(node: &NodeState) -> Option<Value> {
    let margin = params::reverse_futility_margin() * node.depth
        - params::reverse_futility_improving() * i32::from(node.improving)
        + node.correction.abs() / params::reverse_futility_correction_divisor();
    if node.depth > params::reverse_futility_max_depth()
        || node.tt_pv
        || node.eval - margin < node.beta
        || node.eval >= TB_WIN_IN_MAX_PLY
        || node.beta <= -TB_WIN_IN_MAX_PLY
        || node.has_quiet_tt_move()
    {
        return None;
    }
    let weight = params::reverse_futility_eval_weight();
    Some(blend_fail_high(node.eval, node.beta, weight))
}

/// Late move pruning (move count pruning): late quiet moves at low depth seldom raise alpha. A
/// static evaluation of at least beta counts as improving; PV and former PV nodes search more
/// moves. <https://www.chessprogramming.org/Futility_Pruning#MoveCountBasedPruning>
fn late_move_pruning(node: &NodeState, move_count: i32) -> bool {
    let is_good = node.improving || (node.has_static_eval() && node.static_eval >= node.beta);
    let divisor = if is_good { 1 } else { params::late_move_pruning_divisor() };
    let searched = (params::late_move_pruning_base() + node.depth * node.depth) / divisor;
    let more = if node.tt_pv { searched * params::late_move_pruning_tt_pv() / 100 } else { 0 };
    move_count > searched + more
}

/// Futility pruning: static evaluation, margin and history of a quiet move do not reach alpha.
/// <https://www.chessprogramming.org/Futility_Pruning>
fn futility_pruning(node: &NodeState, history: i32, reduced_depth: i32) -> bool {
    let futility_value = node.static_eval
        + params::futility_base()
        + params::futility_margin() * reduced_depth
        + history / params::futility_history_divisor();
    node.has_static_eval()
        && reduced_depth <= params::futility_max_depth()
        && futility_value <= node.alpha
}

/// Futility pruning of captures: the same with the value of the captured piece and capture history.
/// <https://www.chessprogramming.org/Futility_Pruning>
fn capture_futility_pruning(
    board: &Board,
    node: &NodeState,
    m: Move,
    history: i32,
    reduced_depth: i32,
) -> bool {
    let futility_value = node.static_eval
        + params::capture_futility_base()
        + params::capture_futility_margin() * reduced_depth
        + SEE_VALUES[Histories::captured(board, m)]
        + history / params::capture_futility_history_divisor();
    node.has_static_eval()
        && reduced_depth <= params::capture_futility_max_depth()
        && futility_value <= node.alpha
}

/// History pruning: a quiet move of very low history.
/// <https://www.chessprogramming.org/History_Leaf_Pruning>
fn history_pruning(node: &NodeState, history: i32, reduced_depth: i32) -> bool {
    reduced_depth <= params::history_pruning_max_depth()
        && history < -params::history_pruning_margin() * node.depth
}

/// SEE pruning of captures and of quiet moves that give check: the exchange loses more than a
/// margin. <https://www.chessprogramming.org/Static_Exchange_Evaluation>
fn see_capture_pruning(
    board: &Board,
    node: &NodeState,
    threats: Bitboard,
    m: Move,
    history: i32,
) -> bool {
    let margin =
        params::see_capture_margin() * node.depth + history / params::see_capture_history_divisor();
    !is_safe(threats, m) && !board.see_ge(m, -margin.max(0))
}

/// SEE pruning of other quiet moves.
/// <https://www.chessprogramming.org/Static_Exchange_Evaluation>
fn see_quiet_pruning(board: &Board, threats: Bitboard, m: Move, reduced_depth: i32) -> bool {
    let margin = params::see_quiet_margin() * reduced_depth * reduced_depth;
    !is_safe(threats, m) && !board.see_ge(m, -margin)
}

/// Whether no piece can recapture: the opponent attacks neither the target square nor, for a slider
/// behind the moving piece, the origin. Then the exchange loses nothing.
fn is_safe(threats: Bitboard, m: Move) -> bool {
    !m.is_en_passant() && (threats & (m.from().bitboard() | m.to().bitboard())).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::history::threats;

    #[test]
    fn a_safe_move_does_not_lose_the_exchange() {
        let mut safe = 0;
        for fen in [
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
            // A rook behind the rook that moves.
            "3r2k1/8/8/8/3r4/8/8/3RK3 b - - 0 1",
            "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",
        ] {
            let board = Board::from_fen(fen).expect(fen);
            for board in board.children().map(|(_, child)| child).chain([board]) {
                for m in board.legal_moves() {
                    if is_safe(threats(&board), m) {
                        assert!(board.see_ge(m, 0), "{} {m}", board.to_fen());
                        safe += 1;
                    }
                }
            }
        }
        assert!(safe > 1_000, "{safe}");
    }
}
