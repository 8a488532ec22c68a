//! The alpha-beta search, a principal variation search (PVS).
//! <https://www.chessprogramming.org/Principal_Variation_Search>
//!
//! [`Worker::alphabeta`] and [`Worker::search_moves`] call all steps in order; the heuristics are
//! in `prune`, `extend`, `reduce`, `quiescence` and `update`. `docs/SEARCH.md` lists them all.

use super::correction::{correction_indices, pawn_index};
use super::extend::Singular;
use super::history::{QuietContext, piece_to, threats};
use super::info::Bound;
use super::movepick::{MovePicker, PickMode, is_noisy};
use super::node::{NodeState, NodeType, NonPv, Pv};
use super::params;
use super::prune::MovePruning;
use super::reduce::{Candidate, PLY};
use super::score::{
    DRAW, INFINITE, MAX_PLY, NO_SCORE, TB_WIN_IN_MAX_PLY, Value, blend_fail_high, is_decisive,
    mate_in, mated_in,
};
use super::static_eval::corrected_static_eval;
use super::tablebases::TbProbe;
use super::update::{SearchedMoves, history_bonus, history_malus};
use super::worker::Worker;
use crate::chess::Board;

impl Worker {
    /// Searches a node and returns its score: exact inside the window, else a bound (fail-soft).
    pub(super) fn alphabeta<N: NodeType>(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
        alpha: Value,
        beta: Value,
        cut_node: bool,
    ) -> Value {
        debug_assert!((-INFINITE..beta).contains(&alpha) && beta <= INFINITE);
        debug_assert!(N::PV || alpha + 1 == beta);
        debug_assert!(!(N::PV && cut_node));
        debug_assert_eq!(N::ROOT, ply == 0);
        debug_assert!(ply <= MAX_PLY && depth <= self.root_depth + 3 * ply as i32);
        // Step 1. Quiescence search at the horizon.
        if depth <= 0 {
            return self.quiescence::<N>(board, ply, alpha, beta);
        }
        let mut node = NodeState::new(depth, ply, alpha, beta, cut_node);
        self.init_node::<N>(&mut node);

        // Step 2. Draws, maximum ply, upcoming repetition, mate distance pruning.
        if !N::ROOT
            && let Some(score) = self.draw_or_mate_distance::<N>(board, &mut node)
        {
            return score;
        }

        // Step 3. Transposition table. The work before the probe gives the prefetch time.
        node.in_check = board.in_check();
        if !node.in_check && node.excluded_move.is_none() {
            let indices = correction_indices(board);
            node.correction_indices = Some(indices);
            node.correction = self.correction(ply, indices);
        }
        node.tt_entry = self.shared.tt.probe(board.key(), ply, board.halfmove_clock());
        if !N::PV
            && let Some(score) = tt_cutoff(board, &node)
        {
            return score;
        }

        if node.cut_node {
            self.shared.tt.prefetch(board.key_after_null());
        }

        // Step 4. Tablebases.
        match self.probe_tablebases::<N>(board, &node) {
            TbProbe::None => {}
            TbProbe::Cutoff(score) => return score,
            TbProbe::MaxScore(score) => node.max_score = score,
            TbProbe::MinScore(score) => {
                node.best_score = score;
                node.alpha = node.alpha.max(score);
            }
        }

        // Step 5. Static evaluation; eval history and hindsight adjustment.
        self.init_tt_move::<N>(board, &mut node);
        self.init_static_eval(board, &mut node);
        if let Some(loss) = self.opponent_eval_loss::<N>(&node) {
            self.update_eval_history(&node, loss);
            self.hindsight_adjustment(&mut node, loss);
        }

        // Step 6. Pruning of the node.
        if !N::PV
            && let Some(score) = self.prune_node(board, &node)
        {
            return score;
        }

        // Step 7. Internal iterative reduction.
        if should_reduce_without_tt_move::<N>(&node) {
            node.depth -= 1;
        }

        // Step 8. The moves. Update the accumulators, so that each child differs by one move.
        self.evaluator.update(ply, board);
        self.search_moves::<N>(board, node)
    }

    /// Searches the moves of a node and updates transposition table and histories.
    #[expect(clippy::too_many_lines, reason = "the move loop, read from top to bottom")]
    #[inline(always)]
    fn search_moves<N: NodeType>(&mut self, board: &Board, mut node: NodeState) -> Value {
        let ply = node.ply;
        if node.excluded_move.is_none() {
            self.stack[ply].threats = threats(board);
        }
        let context = self.quiet_context(board, &node);
        let mut picker = MovePicker::new(PickMode::All, node.tt_move, self.move_filter(ply));
        let mut searched = SearchedMoves::new();
        let (mut best_move, mut move_count) = (None, 0);
        let mut bound = Bound::Upper;
        while let Some(m) = picker.next(board, &self.histories, &context) {
            if Some(m) == node.excluded_move || (N::ROOT && !self.is_root_candidate(m)) {
                continue;
            }
            move_count += 1;
            if Some(m) != node.tt_move {
                self.shared.tt.prefetch(board.key_after(m));
            }
            if N::ROOT {
                self.report_current_move(self.root_depth, m, move_count);
            }
            let is_quiet = !is_noisy(board, m);
            // Neither is used for the first move.
            let is_late = move_count > 1;
            let candidate = Candidate {
                m,
                move_count,
                quiet_history: (is_late && is_quiet).then(|| self.histories.quiet(&context, m)),
                gives_check: is_late && board.gives_check(m),
            };

            // Step 9. Pruning of the move.
            if !N::ROOT && node.best_score > -TB_WIN_IN_MAX_PLY && move_count > 1 {
                match self.prune_move(board, &node, &candidate) {
                    MovePruning::Search => {}
                    MovePruning::Skip => continue,
                    MovePruning::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // Step 10. Extensions.
            let extension = match self.singular_extension::<N>(board, &node, m) {
                Singular::Extension(plies) => plies,
                Singular::MultiCut(score) => return score,
            };

            // Step 11. Make the move and search it, late moves with reductions.
            if !self.count_node() {
                return DRAW;
            }
            let nodes_before = self.nodes;
            let child = self.make_move(board, ply, m);
            let score = self.search_child::<N>(&child, &node, &context, &candidate, extension);
            self.leave_child();
            if self.stopped {
                return DRAW;
            }

            // Step 12. New best move?
            if N::ROOT {
                let root_bound = match score {
                    _ if score >= node.beta => Some(Bound::Lower),
                    _ if score > node.alpha => Some(Bound::Exact),
                    _ => (move_count == 1).then_some(Bound::Upper),
                };
                self.update_root_move(m, score, root_bound, nodes_before);
            }
            if score > node.best_score {
                node.best_score = score;
                if score > node.alpha {
                    best_move = Some(m);
                    bound = Bound::Exact;
                    if N::PV {
                        self.update_pv(ply, m);
                    }
                    if score >= node.beta {
                        bound = Bound::Lower;
                        self.stack[ply].cutoff_count += 1;
                        break;
                    }
                    node.alpha = score;
                    alpha_raised_reduction(&mut node);
                }
            }
            if Some(m) != best_move {
                searched.push(m, is_quiet);
            }
        }

        // Step 13. No moves: checkmate or stalemate, or all were excluded or missed.
        if move_count == 0 {
            return match node.excluded_move {
                Some(_) => node.alpha,
                None if picker.has_missed_moves() => node.static_eval,
                None if node.in_check => mated_in(ply),
                None => self.draw_score(ply),
            };
        }

        // Step 14. Update histories, transposition table and correction history.
        let mut best_score = node.best_score.min(node.max_score);
        self.update_histories(board, &node, &context, best_move, bound, &searched);
        if node.excluded_move.is_none() {
            if best_score >= node.beta {
                best_score = blend_fail_high(best_score, node.beta, node.depth);
            }
            // Later PV lines and `searchmoves` leave out root moves.
            let has_all_moves = self.pv_index == 0 && self.request.limits.search_moves.is_empty();
            if !N::ROOT || has_all_moves {
                self.store_tt(board, &node, best_move, best_score, node.depth, bound);
                self.update_correction_history(board, &node, best_move, best_score, bound);
            }
        }
        best_score
    }

    /// Principal variation search of a child: the first move of a PV node gets the full window, all
    /// others a zero window, which is opened after a fail high.
    /// <https://www.chessprogramming.org/Principal_Variation_Search>
    #[inline(always)]
    fn search_child<N: NodeType>(
        &mut self,
        child: &Board,
        node: &NodeState,
        context: &QuietContext,
        candidate: &Candidate,
        extension: i32,
    ) -> Value {
        let move_count = candidate.move_count;
        let mut new_depth = node.depth - 1 + extension;
        let mut score = INFINITE;
        if node.depth >= params::lmr_min_depth() && move_count > 1 + i32::from(N::ROOT) {
            (score, new_depth) =
                self.search_late_move::<N>(child, node, context, candidate, new_depth);
        } else if !N::PV || move_count > 1 {
            score = self.zero_window_search(child, node, new_depth, !node.cut_node);
        }
        if N::PV && !self.stopped && (move_count == 1 || score > node.alpha) {
            let (alpha, beta) = (-node.beta, -node.alpha);
            score = -self.alphabeta::<Pv>(child, new_depth, node.ply + 1, alpha, beta, false);
        }
        score
    }

    /// LMR re-search: searches a late move with reduced depth, and again if it fails high: one ply
    /// deeper after a large margin, one ply shallower after a small one. Returns the score and the
    /// depth for a search with the full window. At PV and former PV nodes a negative reduction
    /// extends by up to one ply. (Stockfish)
    #[inline]
    fn search_late_move<N: NodeType>(
        &mut self,
        child: &Board,
        node: &NodeState,
        context: &QuietContext,
        candidate: &Candidate,
        mut new_depth: i32,
    ) -> (Value, i32) {
        let NodeState { ply, alpha, .. } = *node;
        let reduction = self.late_move_reduction::<N>(node, candidate);
        let max_depth = new_depth + i32::from(N::PV || node.tt_pv);
        let reduced_depth = (new_depth - reduction / PLY).clamp(new_depth.min(1), max_depth);
        self.stack[ply].reduction = (new_depth - reduced_depth).max(0);
        let mut score = self.zero_window_search(child, node, reduced_depth, true);
        self.stack[ply].reduction = 0;
        if score <= alpha || reduced_depth >= new_depth || self.stopped {
            return (score, new_depth);
        }
        let deeper_margin = params::lmr_deeper_margin() + params::lmr_deeper_slope() * new_depth;
        new_depth += i32::from(score > node.best_score + deeper_margin);
        new_depth -= i32::from(score < node.best_score + params::lmr_shallower_margin());
        if reduced_depth < new_depth {
            score = self.zero_window_search(child, node, new_depth, !node.cut_node);
        }
        let is_decided = score <= alpha || score >= node.beta;
        if candidate.is_quiet() && is_decided && !self.stopped {
            let bonus = if score >= node.beta {
                history_bonus(new_depth)
            } else {
                -history_malus(new_depth)
            };
            let at = piece_to(!child.turn(), candidate.m);
            self.histories.update_continuation(context.previous_moves, at, bonus);
        }
        (score, new_depth)
    }

    /// Searches a child with a zero window. The score is a bound: it only proves whether the
    /// move beats alpha.
    #[inline(always)]
    fn zero_window_search(
        &mut self,
        child: &Board,
        node: &NodeState,
        depth: i32,
        cut_node: bool,
    ) -> Value {
        let alpha = node.alpha;
        -self.alphabeta::<NonPv>(child, depth, node.ply + 1, -alpha - 1, -alpha, cut_node)
    }

    /// Prepares the stack for a node.
    #[inline(always)]
    fn init_node<N: NodeType>(&mut self, node: &mut NodeState) {
        let ply = node.ply;
        node.excluded_move = self.stack[ply].excluded_move;
        self.stack[ply].pv.clear();
        self.stack[ply + 2].cutoff_count = 0;
        if N::ROOT {
            self.stack[1].cutoff_count = 0;
        }
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
        }
    }

    /// Draws, the maximum ply, upcoming repetitions and mate distance pruning: narrows the window, or
    /// returns the score if one of them decides it.
    /// <https://www.chessprogramming.org/Mate_Distance_Pruning>
    #[inline(always)]
    fn draw_or_mate_distance<N: NodeType>(
        &mut self,
        board: &Board,
        node: &mut NodeState,
    ) -> Option<Value> {
        let ply = node.ply;
        let draw_score = self.draw_score(ply);
        if self.is_draw(board, ply) {
            return Some(draw_score);
        }
        if ply >= MAX_PLY {
            return Some(self.evaluate_at_max_ply(board, ply));
        }
        if node.alpha < draw_score && self.has_upcoming_repetition(board, ply) {
            node.alpha = draw_score;
        }
        node.alpha = node.alpha.max(mated_in(ply));
        node.beta = node.beta.min(mate_in(ply + 1));
        (node.alpha >= node.beta).then_some(node.alpha)
    }

    /// Sets the TT move, if it is legal; at the root the best move so far.
    #[inline(always)]
    fn init_tt_move<N: NodeType>(&mut self, board: &Board, node: &mut NodeState) {
        node.tt_move = if N::ROOT {
            Some(self.root_moves[self.pv_index].m)
        } else {
            node.tt_entry.and_then(|entry| entry.best_move).filter(|m| board.is_legal(*m))
        };
        if let Some(m) = node.tt_move {
            self.shared.tt.prefetch(board.key_after(m));
        }
        node.tt_capture = node.tt_move.is_some_and(|m| is_noisy(board, m));
        node.tt_pv = N::PV || node.tt_entry.is_some_and(|entry| entry.tt_pv);
    }

    /// Sets the evaluations of the node, and whether it is improving. A TT score replaces the
    /// static evaluation if its bound allows (Stockfish). A singular extension search takes
    /// the evaluations from the stack.
    #[inline(always)]
    fn init_static_eval(&mut self, board: &Board, node: &mut NodeState) {
        let ply = node.ply;
        if node.excluded_move.is_some() {
            node.static_eval = self.stack[ply].static_eval;
            node.correction = self.stack[ply].correction;
        } else if !node.in_check {
            node.raw_eval = self.raw_eval(board, ply, node.tt_entry);
            (node.static_eval, node.correction) =
                corrected_static_eval(board, node.raw_eval, node.correction);
        }
        self.stack[ply].static_eval = node.static_eval;
        self.stack[ply].correction = node.correction;
        node.eval = match node.tt_entry {
            Some(entry) if node.has_static_eval() && entry.decides(node.static_eval + 1) => {
                entry.score
            }
            _ => node.static_eval,
        };
        node.improving = node.has_static_eval() && self.is_improving(ply, node.static_eval);
    }

    /// Improving: whether the static evaluation is better than two plies ago, or, if that was in
    /// check, four plies ago. (Stockfish)
    fn is_improving(&self, ply: usize, static_eval: Value) -> bool {
        let earlier_eval = |plies: usize| match ply.checked_sub(plies) {
            Some(earlier) => self.stack[earlier].static_eval,
            None => NO_SCORE,
        };
        match (earlier_eval(2), earlier_eval(4)) {
            (NO_SCORE, NO_SCORE) => true,
            (NO_SCORE, eval) | (eval, _) => static_eval > eval,
        }
    }

    /// How much static evaluation the opponent lost by the previous move: the sum of the evaluations
    /// of parent and node. None if one of them is missing.
    fn opponent_eval_loss<N: NodeType>(&self, node: &NodeState) -> Option<Value> {
        if N::ROOT || node.in_check || node.excluded_move.is_some() {
            return None;
        }
        let parent_eval = self.stack[node.ply - 1].static_eval;
        (parent_eval != NO_SCORE).then_some(parent_eval + node.static_eval)
    }

    /// Hindsight adjustment: one ply deeper if the previous move was much reduced and lost nothing;
    /// one ply shallower if it was reduced and lost much. (Stockfish)
    fn hindsight_adjustment(&mut self, node: &mut NodeState, loss: Value) {
        let reduction = std::mem::take(&mut self.stack[node.ply - 1].reduction);
        if reduction >= params::hindsight_min_reduction() && loss < 0 {
            node.depth += 1;
        } else if reduction > 0
            && node.depth >= params::hindsight_min_depth()
            && loss > params::hindsight_margin()
        {
            node.depth -= 1;
        }
    }

    /// The indices of the quiet histories at a node.
    fn quiet_context(&self, board: &Board, node: &NodeState) -> QuietContext {
        let pawn_index = match node.correction_indices {
            Some(indices) => indices.pawn(),
            None => pawn_index(board),
        };
        let threats = self.stack[node.ply].threats;
        QuietContext::new(board.turn(), threats, self.previous_moves(node.ply), pawn_index)
    }
}

/// Transposition table cutoff of a non-PV node. A lower bound may come from a shallower search; an
/// entry whose bound is unexpected must be one ply deeper.
/// <https://www.chessprogramming.org/Transposition_Table>
#[inline(always)]
fn tt_cutoff(board: &Board, node: &NodeState) -> Option<Value> {
    let entry = node.tt_entry.filter(|_| node.excluded_move.is_none())?;
    let fails_high = entry.score >= node.beta;
    let is_unexpected = fails_high != node.cut_node;
    let margin = if fails_high { params::tt_cutoff_lower_margin() } else { 0 };
    let is_cutoff = entry.depth >= node.depth + i32::from(is_unexpected) - margin
        && entry.decides(node.beta)
        && i32::from(board.halfmove_clock()) < params::tt_cutoff_max_halfmove_clock();
    is_cutoff.then_some(entry.score)
}

/// Internal iterative reduction (IIR): a PV or cut node without a TT move is searched one ply
/// shallower. <https://www.chessprogramming.org/Internal_Iterative_Reductions>
#[inline(always)]
fn should_reduce_without_tt_move<N: NodeType>(node: &NodeState) -> bool {
    (N::PV || node.cut_node)
        && node.depth >= params::internal_iterative_reduction_min_depth()
        && node.tt_move.is_none()
        && !node.in_check
}

/// Reduction after raised alpha: the other moves are searched one ply shallower. (Stockfish)
#[inline(always)]
fn alpha_raised_reduction(node: &mut NodeState) {
    if node.depth >= params::alpha_raised_min_depth()
        && node.depth <= params::alpha_raised_max_depth()
        && !is_decisive(node.alpha)
    {
        node.depth -= 1;
    }
}
