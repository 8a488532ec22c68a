//! One thread's whole mind: all that a search changes, apart from what threads share.

use super::limits::Limits;
use super::report::{Bound, Info, Outcome, Reporter};
use super::score::{self, INFINITE, MAX_PLY, NONE, Score};
use super::shared::Shared;
use super::time::TimePlan;
use crate::chess::{Board, Move};
use crate::eval;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// What to search.
#[derive(Clone, Debug)]
pub struct Job {
    /// The position.
    pub board: Board,
    /// The keys of the positions before it, the start of the game first.
    pub history: Vec<u64>,
    /// When to end.
    pub limits: Limits,
    /// How many of the best lines are wanted.
    pub multipv: usize,
    /// What is lost of our time on each move.
    pub overhead: Duration,
}

impl Job {
    /// A search of this position without a past.
    pub fn new(board: Board, limits: Limits) -> Job {
        Job {
            board,
            history: Vec::new(),
            limits,
            multipv: 1,
            overhead: Duration::ZERO,
        }
    }
}

/// A move of the root and what is known of it.
#[derive(Clone, Debug)]
pub(super) struct RootMove {
    pub(super) m: Move,
    pub(super) score: Score,
    pub(super) previous: Score,
    pub(super) seldepth: usize,
    pub(super) pv: Vec<Move>,
}

/// What a node leaves for its neighbours on the path.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) pv: Vec<Move>,
    pub(super) killers: [Option<Move>; 2],
    /// Plies since the last null move on the path; repetitions do not reach behind it.
    pub(super) since_null: usize,
}

/// One thread's mind. It owns all that it changes; what it shares is in [`Shared`].
pub struct Worker {
    /// 0 is the main thread: it minds the clock and reports.
    pub(super) id: usize,
    pub(super) shared: Arc<Shared>,
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
    node_limit: u64,
    hard_time: Option<Duration>,
}

impl Worker {
    /// A worker with an empty mind.
    pub fn new(id: usize, shared: Arc<Shared>) -> Worker {
        let frame = Frame {
            pv: Vec::with_capacity(MAX_PLY),
            killers: [None; 2],
            since_null: 0,
        };
        Worker {
            id,
            shared,
            frames: vec![frame; MAX_PLY + 4],
            keys: Vec::with_capacity(1024),
            root_moves: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            nodes: 0,
            seldepth: 0,
            stopped: false,
            node_limit: u64::MAX,
            hard_time: None,
        }
    }

    /// Forgets what was learnt from earlier positions.
    pub fn clear(&mut self) {
        for frame in &mut self.frames {
            frame.killers = [None; 2];
        }
    }

    /// Searches. The main worker (number 0) reports.
    pub fn run(&mut self, job: &Job, reporter: &mut dyn Reporter) -> Outcome {
        let plan = TimePlan::new(&job.limits, job.overhead);
        self.prepare(job, plan);
        if self.root_moves.is_empty() {
            return Outcome {
                best: None,
                ponder: None,
                info: None,
            };
        }
        self.deepen(job, plan, reporter);
        self.conclude(job)
    }

    fn prepare(&mut self, job: &Job, plan: TimePlan) {
        let limits = &job.limits;
        let wanted = |m: &Move| limits.search_moves.is_empty() || limits.search_moves.contains(m);
        self.root_moves = job
            .board
            .legal_moves()
            .iter()
            .copied()
            .filter(wanted)
            .map(|m| RootMove {
                m,
                score: -INFINITE,
                previous: -INFINITE,
                seldepth: 0,
                pv: vec![m],
            })
            .collect();
        self.keys.clear();
        self.keys.extend(&job.history);
        self.keys.push(job.board.key());
        self.nodes = 0;
        self.seldepth = 0;
        self.stopped = false;
        self.pv_index = 0;
        self.frames[0].since_null = usize::MAX / 2;
        self.node_limit = limits.nodes.unwrap_or(u64::MAX);
        self.hard_time = plan.hard;
    }

    /// Iterative deepening: each iteration orders the moves for the next.
    fn deepen(&mut self, job: &Job, plan: TimePlan, reporter: &mut dyn Reporter) {
        let limits = &job.limits;
        let deepest = limits
            .depth
            .map_or(MAX_PLY as u32 - 1, |d| d.clamp(1, MAX_PLY as u32 - 1));
        let lines = job.multipv.clamp(1, self.root_moves.len());
        for depth in 1..=deepest as i32 {
            self.root_depth = depth;
            for root_move in &mut self.root_moves {
                root_move.previous = root_move.score;
            }
            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.aspire(&job.board, depth);
                self.root_moves[pv_index..].sort_by_key(|root| -root.score);
                if self.stopped {
                    break;
                }
            }
            self.root_moves[..lines].sort_by_key(|root| -root.score);
            if self.stopped {
                return;
            }
            if self.id == 0 {
                for line in 0..lines {
                    reporter.info(&self.info(line));
                }
                if self.is_enough(limits, plan, depth) {
                    return;
                }
            }
        }
    }

    /// Whether the iterations done are enough for the limits.
    fn is_enough(&self, limits: &Limits, plan: TimePlan, _depth: i32) -> bool {
        if limits.soft_nodes.is_some_and(|nodes| self.nodes >= nodes) {
            return true;
        }
        if let (Some(wanted), Some(found)) =
            (limits.mate, score::mate_distance(self.root_moves[0].score))
        {
            if found.unsigned_abs() <= wanted {
                return true;
            }
        }
        if self.shared.is_pondering() || limits.infinite {
            return false;
        }
        plan.soft.is_some_and(|soft| self.shared.elapsed() >= soft)
    }

    /// Searches the root with a window around the last score, widened until the score is inside.
    fn aspire(&mut self, board: &Board, depth: i32) {
        let previous = self.root_moves[self.pv_index].previous;
        let mut width = 25;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 4 && !score::is_decisive(previous) {
            (alpha, beta) = (previous - width, previous + width);
        }
        loop {
            let found = self.search_root(board, depth, alpha, beta);
            self.root_moves[self.pv_index..].sort_by_key(|root| -root.score);
            if self.stopped {
                return;
            }
            if found <= alpha {
                beta = (alpha + beta) / 2;
                alpha = (found - width).max(-INFINITE);
            } else if found >= beta {
                beta = (found + width).min(INFINITE);
            } else {
                return;
            }
            width += width;
            if width > 600 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    fn info(&self, line: usize) -> Info {
        let root = &self.root_moves[line];
        let known = if root.score > -INFINITE {
            root.score
        } else {
            root.previous
        };
        Info {
            depth: self.root_depth.max(1) as u32,
            seldepth: root.seldepth.max(1) as u32,
            multipv: line + 1,
            score: known,
            bound: Bound::Exact,
            nodes: self.shared.nodes(),
            tb_hits: self.shared.tb_hits(),
            hashfull: self.shared.table.hashfull(),
            time: self.shared.elapsed(),
            pv: root.pv.clone(),
        }
    }

    fn conclude(&mut self, job: &Job) -> Outcome {
        if self.root_moves[0].score == -INFINITE && self.root_moves[0].previous == -INFINITE {
            // Stopped before anything was known.
            self.root_moves[0].score = eval::evaluate(&job.board);
        }
        let info = self.info(0);
        Outcome {
            best: info.pv.first().copied(),
            ponder: info.pv.get(1).copied(),
            info: Some(info),
        }
    }

    /// Counts a board about to be made, unless the search is to end: then it says so.
    #[inline]
    pub(super) fn may_visit(&mut self) -> bool {
        if self.nodes >= self.node_limit || self.shared.is_stopped() {
            self.stopped = true;
        } else if self.id == 0 && self.nodes % 1024 == 1023 {
            let late = self
                .hard_time
                .is_some_and(|hard| self.shared.elapsed() >= hard);
            self.stopped = late && !self.shared.is_pondering();
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

    /// Whether the node is drawn by rule: repetition, fifty moves, material.
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

    /// The static evaluation, kept away from scores that mean a certain result.
    #[inline]
    pub(super) fn evaluate(&self, board: &Board) -> Score {
        const MOST: Score = score::WIN_BOUND - 1;
        eval::evaluate(board).clamp(-MOST, MOST)
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

const _: () = assert!(NONE > INFINITE);
