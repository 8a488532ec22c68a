//! The alpha-beta search: principal variation search over immutable boards.
//!
//! [`Worker::alphabeta`] is the table of contents; the ideas stand in `prune`, `extend`, `reduce`,
//! `quiesce` and `history`.

use super::extend::Singular;
use super::history::{QuietContext, piece_to, threats};
use super::info::Bound;
use super::movepick::{MovePicker, Purpose, is_noisy};
use super::node::{Facts, Frame, Node, Pv, ZeroWindow};
use super::params;
use super::prune::Verdict;
use super::reduce::{Candidate, PLY};
use super::score::{
    DRAW, INFINITE, MAX_PLY, NONE, Score, TB_WIN_IN_MAX_PLY, is_decisive, mate_in, mated_in,
    towards,
};
use super::tablebases::Known;
use super::worker::Worker;
use crate::chess::{Board, Move};

/// Moves tried at a node before the one that refuted it: their histories suffer for it.
struct Tried {
    quiets: [Option<Move>; 48],
    quiet_count: usize,
    noisies: [Option<Move>; 24],
    noisy_count: usize,
}

impl Tried {
    fn new() -> Tried {
        Tried {
            quiets: [None; 48],
            quiet_count: 0,
            noisies: [None; 24],
            noisy_count: 0,
        }
    }

    fn push(&mut self, m: Move, quiet: bool) {
        if quiet && self.quiet_count < self.quiets.len() {
            self.quiets[self.quiet_count] = Some(m);
            self.quiet_count += 1;
        } else if !quiet && self.noisy_count < self.noisies.len() {
            self.noisies[self.noisy_count] = Some(m);
            self.noisy_count += 1;
        }
    }
}

impl Worker {
    /// The score of the position, exact inside the window, else a bound (fail-soft).
    #[expect(
        clippy::too_many_lines,
        reason = "the recipe of the search, read from top to bottom"
    )]
    pub(super) fn alphabeta<N: Node>(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
        mut alpha: Score,
        mut beta: Score,
        cut_node: bool,
    ) -> Score {
        // At the horizon only captures are followed.
        if depth <= 0 {
            return self.quiesce::<N>(board, ply, alpha, beta);
        }
        self.frames[ply].pv.clear();
        self.frames[ply + 2].cutoffs = 0;
        if N::ROOT {
            self.frames[1].cutoffs = 0;
        }
        if N::PV {
            self.seldepth = self.seldepth.max(ply);
        }

        // Draws, and mates that can no longer be improved on.
        let draw = self.draw_at(ply);
        if !N::ROOT {
            if self.is_draw(board, ply) {
                return draw;
            }
            if ply >= MAX_PLY {
                return self.evaluate_horizon(board, ply);
            }
            if alpha < draw && self.can_repeat(board, ply) {
                alpha = draw;
            }
            alpha = alpha.max(mated_in(ply));
            beta = beta.min(mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }

        // What the table knows may be enough.
        let excluded = self.frames[ply].excluded;
        let entry = self.shared.tt.probe(board.key(), ply);
        if let Some(entry) = entry {
            // A score that is not what the node was expected to have takes more to be believed.
            let deep = entry.depth >= depth + i32::from((entry.score >= beta) != cut_node);
            if !N::PV
                && excluded.is_none()
                && deep
                && entry.bounds(beta)
                && board.halfmove_clock() < 90
            {
                return entry.score;
            }
        }

        // The endgame tables may know more.
        let (mut best, mut most) = (-INFINITE, INFINITE);
        match self.ask_tables::<N>(board, depth, ply, alpha, beta) {
            Known::Nothing => {}
            Known::Score(score) => return score,
            Known::AtMost(score) => most = score,
            Known::AtLeast(score) => {
                best = score;
                alpha = alpha.max(score);
            }
        }

        // The facts of the node, and what they say of the whole.
        let mut facts = self.facts::<N>(board, depth, ply, alpha, beta, cut_node, entry);
        if let Some(loss) = self.loss_by_last_move::<N>(&facts) {
            self.learn_from_evaluation(ply, loss);
            self.adjust_by_hindsight(&mut facts, loss);
        }
        if !N::PV
            && let Some(score) = self.prune_node(board, &facts)
        {
            return score;
        }
        // Without a move to begin with, a little less depth finds one first.
        if (N::PV || cut_node)
            && facts.depth >= params::internal_reduction_min_depth()
            && facts.table_move.is_none()
            && !facts.in_check
        {
            facts.depth -= 1;
        }
        let mut depth = facts.depth;

        // The moves.
        let quiets = self.quiet_context(board, &facts);
        let mut picker = MovePicker::new(Purpose::Search, facts.table_move);
        let mut tried = Tried::new();
        let (mut best_move, mut number, mut overlooked) = (None, 0, false);
        let mut bound = Bound::Upper;
        while let Some(m) = picker.next(board, &self.histories, &quiets) {
            if Some(m) == excluded || (N::ROOT && !self.is_root_candidate(m)) {
                continue;
            }
            if !N::ROOT && self.misses_move(board, ply, m) {
                overlooked = true;
                continue;
            }
            number += 1;
            if N::ROOT {
                self.report_current_move(depth, m, number);
            }
            let quiet = !is_noisy(board, m);
            let candidate = Candidate {
                m,
                number,
                quiet_history: quiet.then(|| self.histories.quiet(&quiets, m)),
                gives_check: board.gives_check(m),
            };

            // Is it worth trying?
            if !N::ROOT && best > -TB_WIN_IN_MAX_PLY && number > 1 {
                match self.prune_move(board, &facts, &candidate) {
                    Verdict::Try => {}
                    Verdict::Skip => continue,
                    Verdict::SkipQuiets => {
                        picker.skip_quiets();
                        continue;
                    }
                }
            }

            // Does it deserve more depth than the others?
            let extension = match self.singular::<N>(board, &facts, m) {
                Singular::Extend(plies) => plies,
                Singular::MultiCut(score) => return score,
            };

            if !self.may_visit() {
                return DRAW;
            }
            let nodes_before = self.nodes;
            let child = self.make(board, ply, m);
            let mut next = depth - 1 + extension;
            let mut score = INFINITE;
            if depth >= 2 && number > 1 + i32::from(N::ROOT) {
                (score, next) =
                    self.search_late::<N>(&child, &facts, &quiets, &candidate, next, best);
            } else if !N::PV || number > 1 {
                score = self.scout(alpha, &child, next, ply, !cut_node);
            }
            if N::PV && (number == 1 || score > alpha) {
                score = -self.alphabeta::<Pv>(&child, next, ply + 1, -beta, -alpha, false);
            }
            self.leave();
            if self.stopped {
                return DRAW;
            }

            if N::ROOT {
                let best_so_far = match score {
                    _ if score >= beta => Some(Bound::Lower),
                    _ if score > alpha => Some(Bound::Exact),
                    _ => (number == 1).then_some(Bound::Upper),
                };
                self.note_root_move(m, score, best_so_far, nodes_before);
            }
            if score > best {
                best = score;
                if score > alpha {
                    best_move = Some(m);
                    bound = Bound::Exact;
                    if N::PV {
                        self.extend_pv(ply, m);
                    }
                    if score >= beta {
                        bound = Bound::Lower;
                        self.frames[ply].cutoffs += 1;
                        break;
                    }
                    alpha = score;
                    facts.alpha = score;
                    // Now that there is a good move, the others get a little less depth.
                    if depth > 2 && depth <= params::raised_alpha_max_depth() && !is_decisive(score)
                    {
                        depth -= 1;
                        facts.depth = depth;
                    }
                }
            }
            if Some(m) != best_move {
                tried.push(m, quiet);
            }
        }

        // No moves: mate or stalemate, or no alternative to the excluded one.
        if number == 0 {
            return match excluded {
                Some(_) => alpha,
                None if overlooked => facts.static_eval,
                None if facts.in_check => mated_in(ply),
                None => draw,
            };
        }
        best = best.min(most);

        self.reward(board, &facts, &quiets, best_move, bound, &tried);
        if excluded.is_none() {
            if best >= beta {
                // Much above beta at little depth is rather a promise than a fact.
                best = towards(beta, best, depth);
            }
            if !N::ROOT || self.pv_index == 0 {
                self.remember(board, &facts, best_move, best, depth, bound);
            }
            self.correct(board, &facts, best_move, best, bound);
        }
        best
    }

    /// A late move is searched less deep, and deeper if it surprises. Its score, and the depth that
    /// it deserves by then.
    #[inline]
    fn search_late<N: Node>(
        &mut self,
        child: &Board,
        facts: &Facts,
        quiets: &QuietContext,
        candidate: &Candidate,
        mut next: i32,
        best: Score,
    ) -> (Score, i32) {
        let Facts {
            ply, alpha, beta, ..
        } = *facts;
        let reduction = self.late_move_reduction::<N>(facts, candidate);
        let deepest = next + i32::from(N::PV || facts.was_pv);
        let reduced = (next - reduction / PLY).clamp(next.min(1), deepest);
        self.frames[ply].reduction = (next - reduced).max(0);
        let mut score = self.scout(alpha, child, reduced, ply, true);
        self.frames[ply].reduction = 0;
        if score <= alpha || reduced >= next {
            return (score, next);
        }
        let surprise = params::deeper_margin() + params::deeper_slope() * next;
        next += i32::from(score > best + surprise);
        next -= i32::from(score < best + params::shallower_margin());
        if reduced < next {
            score = self.scout(alpha, child, next, ply, !facts.cut_node);
        }
        if candidate.quiet_history.is_some() && (score <= alpha || score >= beta) {
            let bonus = match score >= beta {
                true => bonus(next),
                false => -malus(next),
            };
            let at = piece_to(!child.turn(), candidate.m);
            self.histories
                .update_continuation(quiets.earlier, at, bonus);
        }
        (score, next)
    }

    /// Scouts a child of the node with a window of width one: only whether its score is above alpha
    /// is asked.
    /// <https://www.chessprogramming.org/Principal_Variation_Search>
    #[inline(always)]
    fn scout(
        &mut self,
        alpha: Score,
        child: &Board,
        depth: i32,
        ply: usize,
        cut_node: bool,
    ) -> Score {
        -self.alphabeta::<ZeroWindow>(child, depth, ply + 1, -alpha - 1, -alpha, cut_node)
    }

    /// Gathers what is known of the node.
    #[expect(
        clippy::too_many_arguments,
        reason = "the arguments of the search itself"
    )]
    fn facts<N: Node>(
        &mut self,
        board: &Board,
        depth: i32,
        ply: usize,
        alpha: Score,
        beta: Score,
        cut_node: bool,
        entry: Option<super::tt::TtEntry>,
    ) -> Facts {
        let in_check = board.in_check();
        let table_move = match N::ROOT {
            true => Some(self.root_moves[self.pv_index].m),
            false => entry
                .and_then(|entry| entry.best)
                .filter(|m| board.is_legal(*m)),
        };
        let excluded = self.frames[ply].excluded.is_some();
        let (mut raw_eval, mut static_eval, mut correction) = (NONE, NONE, 0);
        if excluded {
            static_eval = self.frames[ply].static_eval;
            correction = self.frames[ply].correction;
        } else if !in_check {
            raw_eval = match entry {
                Some(entry) if entry.eval != NONE => entry.eval,
                _ => self.raw_evaluation(board, ply),
            };
            (static_eval, correction) = self.corrected(board, ply, raw_eval);
        }
        self.frames[ply].static_eval = static_eval;
        self.frames[ply].correction = correction;
        let estimate = match entry {
            Some(entry) if static_eval != NONE && entry.bounds(static_eval + 1) => entry.score,
            _ => static_eval,
        };
        let improving = static_eval != NONE && self.is_improving(ply, static_eval);
        self.frames[ply].threats = threats(board);
        Facts {
            depth,
            ply,
            alpha,
            beta,
            cut_node,
            in_check,
            entry,
            table_move,
            table_noisy: table_move.is_some_and(|m| is_noisy(board, m)),
            was_pv: N::PV || entry.is_some_and(|entry| entry.was_pv),
            raw_eval,
            static_eval,
            correction,
            estimate,
            improving,
        }
    }

    /// Whether the side to move stands better than at its last turn, or the one before.
    fn is_improving(&self, ply: usize, static_eval: Score) -> bool {
        let before = |plies: usize| match ply.checked_sub(plies) {
            Some(earlier) => self.frames[earlier].static_eval,
            None => NONE,
        };
        match (before(2), before(4)) {
            (NONE, NONE) => true,
            (NONE, eval) | (eval, _) => static_eval > eval,
        }
    }

    /// The evaluations of the node and of its parent together, each from its own side's view: by so
    /// much the last move made things worse for its side. None where one is missing.
    fn loss_by_last_move<N: Node>(&self, facts: &Facts) -> Option<Score> {
        if N::ROOT || facts.in_check || self.frames[facts.ply].excluded.is_some() {
            return None;
        }
        let before = self.frames[facts.ply - 1].static_eval;
        (before != NONE).then_some(before + facts.static_eval)
    }

    /// A quiet move after which the evaluation is better for its side than before was good, and one
    /// after which it is worse was not: its histories learn so before anything is searched. It won
    /// 51 ± 23 Elo (600 games at 8,000 nodes).
    fn learn_from_evaluation(&mut self, ply: usize, loss: Score) {
        let bonus = (-params::evaluation_history_factor() * loss).clamp(
            -params::evaluation_history_most_malus(),
            params::evaluation_history_max(),
        );
        self.reward_continuation(ply, bonus);
    }

    /// Hindsight: a move that was much reduced is searched deeper if the evaluation does not bear
    /// out that it is bad, and less deep if it does.
    fn adjust_by_hindsight(&mut self, facts: &mut Facts, loss: Score) {
        let reduction = std::mem::take(&mut self.frames[facts.ply - 1].reduction);
        if reduction >= params::hindsight_min_reduction() && loss < 0 {
            facts.depth += 1;
        } else if reduction > 0 && facts.depth >= 2 && loss > params::hindsight_margin() {
            facts.depth -= 1;
        }
    }

    /// What the worth of quiet moves depends on here.
    pub(super) fn quiet_context(&self, board: &Board, facts: &Facts) -> QuietContext {
        let threats = self.frames[facts.ply].threats;
        QuietContext::new(board, threats, self.earlier_moves(facts.ply))
    }

    /// Histories learn from the move that was best: it gets a bonus, those tried before a malus.
    fn reward(
        &mut self,
        board: &Board,
        facts: &Facts,
        quiets: &QuietContext,
        best: Option<Move>,
        bound: Bound,
        tried: &Tried,
    ) {
        let depth = facts.depth;
        let Some(best) = best.filter(|_| bound == Bound::Lower) else {
            if bound == Bound::Upper && facts.ply > 0 {
                // No move was good here: so the quiet move that led here was.
                self.reward_last_move(board, facts.ply, bonus(depth) / 2);
            }
            return;
        };
        if is_noisy(board, best) {
            self.histories.update_noisy(board, best, bonus(depth));
        } else {
            // A refutation found at once at little depth says little.
            if depth > 3 || tried.quiet_count > 0 {
                self.histories.update_quiet(quiets, best, bonus(depth));
            }
            for m in tried.quiets[..tried.quiet_count].iter().flatten() {
                self.histories.update_quiet(quiets, *m, -malus(depth));
            }
        }
        for m in tried.noisies[..tried.noisy_count].iter().flatten() {
            self.histories.update_noisy(board, *m, -malus(depth));
        }
    }

    /// The quiet move that led to the node was good (bonus) or not (malus) after those before it.
    fn reward_continuation(&mut self, ply: usize, bonus: i32) {
        let Frame { quiet, moved, .. } = self.frames[ply - 1];
        if quiet.is_some() {
            let earlier = self.earlier_moves(ply - 1);
            self.histories.update_continuation(earlier, moved, bonus);
        }
    }

    /// The quiet move that led to the node was good, there and after others.
    fn reward_last_move(&mut self, board: &Board, ply: usize, bonus: i32) {
        self.reward_continuation(ply, bonus);
        let Frame { quiet, threats, .. } = self.frames[ply - 1];
        if let Some(m) = quiet {
            self.histories
                .update_butterfly(!board.turn(), threats, m, bonus);
        }
    }

    /// Keeps the result in the table.
    pub(super) fn remember(
        &self,
        board: &Board,
        facts: &Facts,
        best: Option<Move>,
        score: Score,
        depth: i32,
        bound: Bound,
    ) {
        self.shared.tt.store(
            board.key(),
            facts.ply,
            best,
            score,
            facts.raw_eval,
            depth,
            Some(bound),
            facts.was_pv,
        );
    }

    /// Learns by how much the evaluation was wrong, where the score can tell.
    fn correct(
        &mut self,
        board: &Board,
        facts: &Facts,
        best: Option<Move>,
        score: Score,
        bound: Bound,
    ) {
        let says_nothing = match bound {
            Bound::Exact => false,
            Bound::Lower => score <= facts.static_eval,
            Bound::Upper => score >= facts.static_eval,
        };
        if facts.in_check
            || is_decisive(score)
            || says_nothing
            || best.is_some_and(|m| is_noisy(board, m))
        {
            return;
        }
        let error = score - facts.static_eval;
        let earlier = self.earlier_moves(facts.ply);
        self.corrections.learn(board, earlier, facts.depth, error);
    }
}

/// What a good move's histories gain at this depth.
pub(super) fn bonus(depth: i32) -> i32 {
    (params::history_bonus_factor() * depth - params::history_bonus_offset())
        .clamp(0, params::history_bonus_max())
}

/// What the histories of moves tried in vain lose at this depth.
pub(super) fn malus(depth: i32) -> i32 {
    (params::history_malus_factor() * depth - params::history_malus_offset())
        .clamp(0, params::history_malus_max())
}
