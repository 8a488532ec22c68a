//! One thread's whole mind: all that a search changes, apart from what threads share.

use super::correction::Corrections;
use super::handicap::Handicap;
use super::history::{Histories, NO_MOVE, PieceTo, piece_to};
use super::info::{NullReporter, Reporter, SearchResult};
use super::limits::Limits;
use super::movepick::is_noisy;
use super::node::Frame;
use super::params;
use super::reduce::Logarithms;
use super::score::{self, DRAW, INFINITE, MAX_PLY, NONE, Score};
use super::shared::SharedState;
use super::tablebases::Tablebases;
use super::variety::Variety;
use crate::chess::{Bitboard, Board, Game, Move, Square, attacks, cuckoo};
use crate::eval::{Evaluation, Evaluator, has_lone_king};
use std::cmp::Reverse;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What to search.
#[derive(Clone, Debug)]
pub struct Job {
    /// The position.
    pub board: Board,
    /// The keys of the positions before it that may come back, the earliest first.
    pub previous_keys: Vec<u64>,
    /// When to end.
    pub limits: Limits,
    /// How many of the best lines are wanted.
    pub multipv: usize,
    /// What is lost of our time on each move.
    pub move_overhead: Duration,
    /// Endgame tables, if there are any.
    pub tablebases: Option<Tablebases>,
    /// How the search errs, if it is to.
    pub handicap: Option<Handicap>,
    /// The move may be any of nearly equal ones, if so.
    pub variety: Option<Variety>,
    /// What a draw is worth to the side to move, in centipawns.
    pub draw_score: Score,
    /// How many threads do it together.
    pub threads: usize,
}

impl Job {
    /// A search of this position without a past.
    pub fn new(board: Board, limits: Limits) -> Job {
        Job {
            board,
            previous_keys: Vec::new(),
            limits,
            multipv: 1,
            move_overhead: Duration::ZERO,
            tablebases: None,
            handicap: None,
            variety: None,
            draw_score: DRAW,
            threads: 1,
        }
    }

    /// A search of a game's last position.
    pub fn for_game(game: &Game, limits: Limits) -> Job {
        let board = game.board();
        let past = &game.boards()[..game.boards().len() - 1];
        // Nothing before the last capture or pawn move can come back.
        let reach = past.len().min(usize::from(board.halfmove_clock()));
        Job {
            previous_keys: past[past.len() - reach..].iter().map(Board::key).collect(),
            ..Job::new(*board, limits)
        }
    }
}

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) m: Move,
    /// Of this iteration; -[`INFINITE`] if it was not best.
    pub(super) score: Score,
    /// Of the last iteration.
    pub(super) previous: Score,
    /// The depth of its last score and line.
    pub(super) depth: i32,
    pub(super) seldepth: usize,
    /// Boards made behind it in this search.
    pub(super) nodes: u64,
    pub(super) pv: Vec<Move>,
    /// What the endgame tables say of it.
    pub(super) table_score: Option<Score>,
    /// The class in which they put it: the greater the better, whatever the search finds.
    pub(super) rank: i32,
}

impl RootMove {
    /// Whether it has ever had a score.
    pub(super) fn is_known(&self) -> bool {
        self.score.max(self.previous) > -INFINITE
    }

    /// Its place among the others: the least is the best.
    pub(super) fn order(&self) -> Reverse<(i32, Score)> {
        Reverse((self.rank, self.score))
    }
}

/// One thread's mind. It owns all that it changes; what it shares is in [`SharedState`].
pub struct Worker {
    /// 0 is the main thread: it minds the clock and reports.
    pub(super) id: usize,
    pub(super) shared: Arc<SharedState>,
    pub(super) reporter: Box<dyn Reporter>,
    evaluator: Evaluator,
    pub(super) histories: Histories,
    pub(super) corrections: Corrections,
    pub(super) logarithms: Logarithms,
    pub(super) frames: Vec<Frame>,
    /// Keys of the positions of the game and then of the path; the present node's last.
    pub(super) keys: Vec<u64>,
    pub(super) root_moves: Vec<RootMove>,
    /// Which of the best lines is being searched: root moves before it are taken.
    pub(super) pv_index: usize,
    pub(super) root_depth: i32,
    pub(super) nodes: u64,
    pub(super) seldepth: usize,
    pub(super) stopped: bool,
    /// It ends an iteration when the first of several threads has.
    pub(super) joins: bool,
    /// A mate is asked for: nothing is pruned that could hide one.
    pub(super) seeks_mate: bool,
    /// While a null move is verified: none before this ply.
    pub(super) null_allowed_from: usize,
    pub(super) tables: Option<Tablebases>,
    /// What a draw is worth to the side to move at the root.
    draw: Score,
    handicap: Option<Handicap>,
    /// The moves that the last iteration found nearly equal, if any may be played.
    pub(super) nearly_equal: Vec<Move>,
    pub(super) node_limit: u64,
    pub(super) hard_time: Option<Duration>,
    /// It has thought for long enough, and only waits for the opponent to make the expected move.
    pub(super) is_ready: bool,
}

impl Worker {
    /// A worker with an empty mind, which evaluates like this.
    pub fn new(id: usize, shared: Arc<SharedState>, evaluation: &Evaluation) -> Worker {
        let frame = Frame {
            pv: Vec::with_capacity(MAX_PLY),
            static_eval: NONE,
            correction: 0,
            moved: NO_MOVE,
            quiet: None,
            threats: Bitboard::EMPTY,
            excluded: None,
            reduction: 0,
            cutoffs: 0,
            since_null: 0,
        };
        Worker {
            id,
            shared,
            reporter: Box::new(NullReporter),
            evaluator: Evaluator::new(evaluation, MAX_PLY + 1),
            histories: Histories::new(),
            corrections: Corrections::new(),
            logarithms: Logarithms::new(),
            frames: vec![frame; MAX_PLY + 4],
            keys: Vec::with_capacity(1024),
            root_moves: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            nodes: 0,
            seldepth: 0,
            stopped: false,
            joins: false,
            seeks_mate: false,
            null_allowed_from: 0,
            tables: None,
            draw: DRAW,
            handicap: None,
            nearly_equal: Vec::new(),
            node_limit: u64::MAX,
            hard_time: None,
            is_ready: false,
        }
    }

    /// Forgets what was learnt from earlier positions.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.corrections.clear();
    }

    /// Searches. The main worker (number 0) reports.
    pub fn run(&mut self, job: &Job, reporter: Box<dyn Reporter>) -> SearchResult {
        self.reporter = reporter;
        self.prepare(job);
        let outcome = if self.root_moves.is_empty() {
            SearchResult::default()
        } else {
            self.deepen(job);
            self.conclude(job)
        };
        self.reporter = Box::new(NullReporter);
        outcome
    }

    fn prepare(&mut self, job: &Job) {
        let limits: &Limits = &job.limits;
        let wanted = |m: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(m);
        let mut moves: Vec<Move> = job
            .board
            .legal_moves()
            .iter()
            .copied()
            .filter(wanted)
            .collect();
        // The order of generation knows colours; this one does not.
        let relative = |square: Square| square.relative_to(job.board.turn()).index();
        moves.sort_by_key(|m| (relative(m.from()), relative(m.to()), m.bits() >> 12));
        if let Some(handicap) = &job.handicap {
            handicap.restrict_root_moves(&job.board, &mut moves);
        }
        let unknown = |m| RootMove {
            m,
            score: -INFINITE,
            previous: -INFINITE,
            depth: 0,
            seldepth: 0,
            nodes: 0,
            pv: vec![m],
            table_score: None,
            rank: 0,
        };
        self.root_moves = moves.into_iter().map(unknown).collect();
        self.keys.clear();
        self.keys.extend(&job.previous_keys);
        self.keys.push(job.board.key());
        self.nodes = 0;
        self.seldepth = 0;
        self.stopped = false;
        self.joins = job.threads > 1 && job.multipv == 1 && job.variety.is_none();
        self.seeks_mate = limits.mate.is_some();
        self.pv_index = 0;
        self.null_allowed_from = 0;
        self.node_limit = limits.nodes.unwrap_or(u64::MAX);
        self.is_ready = false;
        for frame in &mut self.frames {
            frame.excluded = None;
            frame.reduction = 0;
        }
        self.frames[0].since_null = usize::MAX / 2;
        self.tables = job.tablebases.clone();
        self.draw = job.draw_score;
        self.handicap.clone_from(&job.handicap);
        self.nearly_equal.clear();
        self.rank_root_by_tables(job);
    }

    /// What a draw is worth to the side to move at this ply.
    #[inline(always)]
    pub(super) fn draw_at(&self, ply: usize) -> Score {
        match ply % 2 {
            0 => self.draw,
            _ => -self.draw,
        }
    }

    /// Counts a board about to be made, unless the search is to end: then it says so.
    #[inline]
    pub(super) fn may_visit(&mut self) -> bool {
        if self.nodes >= self.node_limit || self.shared.is_stopped() {
            self.stopped = true;
        } else if self.nodes % 1024 == 1023 {
            self.check_limits();
        }
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.shared.counters[self.id]
            .nodes
            .store(self.nodes, Relaxed);
        true
    }

    /// Now and then: the clock, and the nodes of all threads together.
    #[cold]
    fn check_limits(&mut self) {
        if self.id == 0 {
            let is_late = |hard| self.shared.clock_time() >= hard;
            self.stopped = !self.shared.is_pondering()
                && (self.is_ready || self.hard_time.is_some_and(is_late));
        }
        self.stopped |= self.is_overtaken();
        if self.node_limit != u64::MAX {
            self.stopped |= self.shared.nodes() >= self.node_limit;
        }
    }

    /// The child after a move, with all that goes with entering it.
    #[inline]
    pub(super) fn make(&mut self, board: &Board, ply: usize, m: Move) -> Board {
        let child = board.make(m);
        self.enter(ply, piece_to(board.turn(), m), &child);
        self.frames[ply].quiet = (!is_noisy(board, m)).then_some(m);
        child
    }

    /// Notes that the search goes from a node to this child.
    #[inline]
    pub(super) fn enter(&mut self, ply: usize, moved: PieceTo, child: &Board) {
        self.shared.tt.prefetch(child.key());
        self.frames[ply].moved = moved;
        self.frames[ply].quiet = None;
        self.frames[ply + 1].since_null = self.frames[ply].since_null + 1;
        self.keys.push(child.key());
    }

    /// Notes that the search has come back.
    #[inline]
    pub(super) fn leave(&mut self) {
        self.keys.pop();
    }

    /// Whether a move goes where the last one went: if it captures, it takes back. That quiescence
    /// always looks at such captures won 34 ± 6 Elo (one of many switches, 7,000 nodes).
    #[inline]
    pub(super) fn takes_back(&self, ply: usize, m: Move) -> bool {
        let [last, ..] = self.earlier_moves(ply);
        last != NO_MOVE && last % 64 == m.to().index()
    }

    /// The moves one, two and four plies before the node.
    #[inline]
    pub(super) fn earlier_moves(&self, ply: usize) -> [PieceTo; 3] {
        [1, 2, 4].map(|back| match ply.checked_sub(back) {
            Some(earlier) => self.frames[earlier].moved,
            None => NO_MOVE,
        })
    }

    /// Whether the node is drawn by rule: repetition, fifty moves, material.
    #[inline]
    pub(super) fn is_draw(&self, board: &Board, ply: usize) -> bool {
        if board.halfmove_clock() >= 100 && (!board.in_check() || board.has_legal_move()) {
            return true;
        }
        board.has_insufficient_material() || self.is_repetition(board, ply)
    }

    /// Whether the position stood before: once since the root, or twice with the game before it.
    fn is_repetition(&self, board: &Board, ply: usize) -> bool {
        let now = self.keys.len() - 1;
        let reach = usize::from(board.halfmove_clock())
            .min(self.frames[ply].since_null)
            .min(now);
        let mut seen = 0;
        for back in (4..=reach).step_by(2) {
            if self.keys[now - back] == board.key() {
                seen += 1;
                if back < ply || seen == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Whether the side to move can bring back a position of this search with its next move: then
    /// a draw is the least it gets.
    pub(super) fn can_repeat(&self, board: &Board, ply: usize) -> bool {
        let now = self.keys.len() - 1;
        // Further back than the root it would be but the first repetition, which draws nothing.
        let reach = usize::from(board.halfmove_clock())
            .min(self.frames[ply].since_null)
            .min(ply.saturating_sub(1));
        (3..=reach).step_by(2).any(|back| {
            cuckoo::move_between(self.keys[now - back] ^ board.key())
                .is_some_and(|(a, b)| (attacks::between(a, b) & board.occupied()).is_empty())
        })
    }

    /// The evaluation as it goes into the table, kept away from scores that mean a certain result.
    #[inline]
    pub(super) fn raw_evaluation(&mut self, board: &Board, ply: usize) -> Score {
        const MOST: Score = score::TB_WIN_IN_MAX_PLY - 1000;
        let error = self
            .handicap
            .as_ref()
            .map_or(0, |handicap| handicap.eval_error(board));
        (self.evaluator.evaluate(ply, board) + error).clamp(-MOST, MOST)
    }

    /// Whether a move is not seen at a node so far below the root.
    #[inline]
    pub(super) fn misses_move(&self, board: &Board, ply: usize, m: Move) -> bool {
        let is_own = ply.is_multiple_of(2);
        self.handicap
            .as_ref()
            .is_some_and(|handicap| handicap.misses_move(board, m, is_own))
    }

    /// The evaluation corrected by what was learnt, and damped towards the fifty-move rule; and the
    /// correction alone. Against a king alone it is as it was, since its steps are small and lead to
    /// mate.
    #[inline]
    pub(super) fn corrected(&self, board: &Board, ply: usize, raw: Score) -> (Score, Score) {
        const MOST: Score = score::TB_WIN_IN_MAX_PLY - 1;
        if has_lone_king(board) {
            return (raw, 0);
        }
        let correction = self.corrections.of(board, self.earlier_moves(ply));
        let clock = i32::from(board.halfmove_clock().min(100));
        let fifty = params::fifty_move_damping();
        let damped = raw * (fifty - clock) / fifty;
        ((damped + correction).clamp(-MOST, MOST), correction)
    }

    /// The corrected evaluation of a position that is not in check.
    pub(super) fn evaluate(&mut self, board: &Board, ply: usize) -> Score {
        let raw = self.raw_evaluation(board, ply);
        self.corrected(board, ply, raw).0
    }

    /// The evaluation where the search can go no deeper; a check is nothing to evaluate.
    #[cold]
    pub(super) fn evaluate_horizon(&mut self, board: &Board, ply: usize) -> Score {
        match board.in_check() {
            true => self.draw_at(ply),
            false => self.evaluate(board, ply),
        }
    }

    /// The child's line becomes this node's, behind the move.
    pub(super) fn extend_pv(&mut self, ply: usize, m: Move) {
        let (above, below) = self.frames.split_at_mut(ply + 1);
        let pv = &mut above[ply].pv;
        pv.clear();
        pv.push(m);
        pv.extend_from_slice(&below[0].pv);
    }
}
