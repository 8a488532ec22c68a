//! What need not be searched: whole nodes, and single moves.
//!
//! Each idea is a function that says what it is; its numbers are in [`params`].

use super::history::{Histories, NO_MOVE};
use super::info::Bound;
use super::movepick::{MovePicker, Purpose};
use super::node::{Facts, ZeroWindow};
use super::params;
use super::reduce::{Candidate, PLY};
use super::score::{DRAW, Score, TB_WIN_IN_MAX_PLY, is_decisive, towards};
use super::worker::Worker;
use crate::chess::{Board, Move, PieceKind, SEE_VALUES};

/// Whether to try a move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// It is searched.
    Try,
    /// It is not.
    Skip,
    /// It is not, nor are the other quiet moves.
    SkipQuiets,
}

impl Worker {
    /// Ends a node without trying its moves, if one of the following ideas says so.
    #[inline]
    pub(super) fn prune_node(&mut self, board: &Board, facts: &Facts) -> Option<Score> {
        if facts.in_check || self.seeks_mate || self.frames[facts.ply].excluded.is_some() {
            return None;
        }
        self.razor(board, facts)
            .or_else(|| reverse_futility(facts))
            .or_else(|| self.null_move(board, facts))
            .or_else(|| self.probcut(board, facts))
    }

    /// Razoring: so far below alpha that only captures could help, and they do not.
    /// <https://www.chessprogramming.org/Razoring>
    fn razor(&mut self, board: &Board, facts: &Facts) -> Option<Score> {
        let margin = params::razor_base() + params::razor_margin() * facts.depth;
        if facts.depth > params::razor_max_depth()
            || facts.estimate + margin >= facts.alpha
            || is_decisive(facts.alpha)
        {
            return None;
        }
        let score = self.quiesce::<ZeroWindow>(board, facts.ply, facts.alpha, facts.alpha + 1);
        (score <= facts.alpha && !self.stopped).then_some(score)
    }

    /// Null move pruning: if passing is good enough, some move will be. Not where every move may
    /// be worse than passing (only pawns left); verified by a search when much depends on it.
    /// <https://www.chessprogramming.org/Null_Move_Pruning>
    fn null_move(&mut self, board: &Board, facts: &Facts) -> Option<Score> {
        let Facts {
            depth, ply, beta, ..
        } = *facts;
        let us = board.us();
        let pieces = us.occupied() & !us.pieces(PieceKind::Pawn) & !us.pieces(PieceKind::King);
        if !facts.cut_node
            || facts.estimate < beta
            || facts.static_eval
                < beta + params::null_static_margin() - params::null_static_slope() * depth
            || pieces.is_empty()
            || self.frames[ply].since_null == 0
            || ply < self.null_allowed_from
            || is_decisive(beta)
            || facts
                .entry
                .is_some_and(|entry| entry.is_upper() && entry.score < beta)
            || !self.may_visit()
        {
            return None;
        }
        let above =
            ((facts.estimate - beta) / params::null_eval_divisor()).min(params::null_eval_max());
        let reduced = depth - params::null_base() - depth / params::null_depth_divisor() - above;
        let child = board.make_null();
        self.enter(ply, NO_MOVE, &child);
        self.frames[ply + 1].since_null = 0;
        let score = -self.alphabeta::<ZeroWindow>(&child, reduced, ply + 1, -beta, 1 - beta, false);
        self.leave();
        if self.stopped {
            return Some(DRAW);
        }
        if score < beta {
            return None;
        }
        let score = if is_decisive(score) { beta } else { score };
        if depth < params::null_verify_min_depth() || self.null_allowed_from > 0 {
            return Some(score);
        }
        // Zugzwang? Search without passing for a while.
        self.null_allowed_from = ply + reduced.max(0) as usize * 3 / 4;
        let verified = self.alphabeta::<ZeroWindow>(board, reduced, ply, beta - 1, beta, false);
        self.null_allowed_from = 0;
        (verified >= beta || self.stopped).then_some(score)
    }

    /// Probcut: a capture that proves far more than beta at little depth proves beta at this one.
    /// <https://www.chessprogramming.org/ProbCut>
    fn probcut(&mut self, board: &Board, facts: &Facts) -> Option<Score> {
        let Facts { depth, ply, .. } = *facts;
        let target = facts.beta + params::probcut_margin();
        let proof_depth = depth - params::probcut_reduction();
        if !facts.cut_node
            || depth < params::probcut_min_depth()
            || is_decisive(facts.beta)
            || target >= TB_WIN_IN_MAX_PLY
            || facts
                .entry
                .is_some_and(|entry| entry.depth > proof_depth && entry.score < target)
            || facts.table_move.is_some() && !facts.table_noisy
        {
            return None;
        }
        let quiets = self.quiet_context(board, facts);
        let gain = target - facts.static_eval;
        let first = facts.table_move.filter(|m| board.see_ge(*m, gain));
        let mut picker = MovePicker::new(Purpose::Captures(gain), first);
        while let Some(m) = picker.next(board, &self.histories, &quiets) {
            if !self.may_visit() {
                return Some(DRAW);
            }
            let child = self.make(board, ply, m);
            let mut score = -self.quiesce::<ZeroWindow>(&child, ply + 1, -target, 1 - target);
            if score >= target && proof_depth > 0 {
                score = -self.alphabeta::<ZeroWindow>(
                    &child,
                    proof_depth,
                    ply + 1,
                    -target,
                    1 - target,
                    !facts.cut_node,
                );
            }
            self.leave();
            if self.stopped {
                return Some(DRAW);
            }
            if score >= target {
                self.remember(board, facts, Some(m), score, proof_depth + 1, Bound::Lower);
                return Some(if is_decisive(score) {
                    score
                } else {
                    score - target + facts.beta
                });
            }
        }
        None
    }

    /// Whether a move that is not the first is worth searching.
    #[inline]
    pub(super) fn prune_move(
        &self,
        board: &Board,
        facts: &Facts,
        candidate: &Candidate,
    ) -> Verdict {
        let Candidate {
            m,
            number,
            quiet_history,
            gives_check,
        } = *candidate;
        if self.seeks_mate {
            return Verdict::Try;
        }
        let reduction = self.base_reduction(facts.depth, number, quiet_history.is_some());
        let reduced_depth = (facts.depth - reduction / PLY).max(0);
        let Some(history) = quiet_history else {
            let capture_history = self.histories.noisy(board, m);
            if !gives_check && is_futile_capture(board, facts, m, capture_history, reduced_depth) {
                return Verdict::Skip;
            }
            let margin = params::see_noisy_margin() * facts.depth
                + capture_history / params::see_noisy_history_divisor();
            return match board.see_ge(m, -margin.max(0)) {
                true => Verdict::Try,
                false => Verdict::Skip,
            };
        };
        // A check may change everything, but not if it only throws the piece away.
        if gives_check {
            let margin = params::see_noisy_margin() * facts.depth;
            return match board.see_ge(m, -margin) {
                true => Verdict::Try,
                false => Verdict::Skip,
            };
        }
        // Late moves at little depth hardly ever raise alpha.
        let stands_well = facts.has_eval() && facts.static_eval >= facts.beta;
        let late = (params::late_move_base() + facts.depth * facts.depth)
            / (2 - i32::from(facts.improving || stands_well));
        if number > late {
            return Verdict::SkipQuiets;
        }
        // Futility: what a quiet move can gain does not reach alpha.
        let hopeless = facts.static_eval
            + params::futility_base()
            + params::futility_margin() * reduced_depth
            + history / params::futility_history_divisor();
        if facts.has_eval()
            && reduced_depth <= params::futility_max_depth()
            && hopeless <= facts.alpha
        {
            return Verdict::SkipQuiets;
        }
        if reduced_depth <= params::history_pruning_max_depth()
            && history < -params::history_pruning_margin() * facts.depth
        {
            return Verdict::SkipQuiets;
        }
        let margin = params::see_quiet_margin() * reduced_depth * reduced_depth;
        match board.see_ge(m, -margin) {
            true => Verdict::Try,
            false => Verdict::Skip,
        }
    }
}

/// Reverse futility: so far above beta that no quiet reply will bring the score below it.
/// <https://www.chessprogramming.org/Reverse_Futility_Pruning>
fn reverse_futility(facts: &Facts) -> Option<Score> {
    let margin = params::reverse_futility_margin() * facts.depth
        - params::reverse_futility_improving() * i32::from(facts.improving)
        + facts.correction.abs() / 2;
    if facts.depth > params::reverse_futility_max_depth()
        || facts.was_pv
        || facts.estimate - margin < facts.beta
        || facts.estimate >= TB_WIN_IN_MAX_PLY
        || facts.beta <= -TB_WIN_IN_MAX_PLY
        || facts.table_move.is_some() && !facts.table_noisy
    {
        return None;
    }
    Some(towards(facts.beta, facts.estimate, 1))
}

/// Futility of captures: even with what it captures the side to move stays far below alpha. It won
/// 29 ± 22 Elo (600 games at 8,000 nodes).
/// <https://www.chessprogramming.org/Futility_Pruning>
fn is_futile_capture(
    board: &Board,
    facts: &Facts,
    m: Move,
    capture_history: i32,
    reduced_depth: i32,
) -> bool {
    let victim = SEE_VALUES[Histories::victim(board, m)];
    let hopeful = facts.static_eval
        + params::capture_futility_base()
        + params::capture_futility_margin() * reduced_depth
        + victim
        + capture_history / params::capture_futility_history_divisor();
    facts.has_eval()
        && reduced_depth <= params::capture_futility_max_depth()
        && hopeful <= facts.alpha
}
