//! A worker: one search thread and everything it owns.

use super::correction::CorrectionHistory;
use super::history::{Histories, NO_MOVE, PieceTo, piece_to};
use super::info::{NullReporter, Reporter, SearchResult};
use super::limits::Limits;
use super::movepick::is_noisy;
use super::reduce::Logarithms;
use super::request::SearchRequest;
use super::root_move::RootMove;
use super::score::MAX_PLY;
use super::shared::SharedState;
use super::stack::StackEntry;
use super::time::{CheckInterval, TimeManager};
use crate::chess::{Board, KeyHistory, Move};
use crate::eval::{Evaluation, Evaluator};
use crate::memory::LargePages;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

/// A search that is stopped or out of time still completes depth one, for a sensible move, unless
/// that takes more nodes than this.
const MAX_NODES_AFTER_STOP: u64 = 10_000;

/// A search thread. It owns everything it changes; [`SharedState`] is all that threads share.
pub struct Worker {
    /// 0 is the main thread, which checks the time and reports.
    pub(super) id: usize,
    pub(super) shared: Arc<SharedState>,
    pub(super) reporter: Box<dyn Reporter>,
    pub(super) request: SearchRequest,
    pub(super) time_manager: TimeManager,
    pub(super) evaluator: Evaluator,
    pub(super) histories: LargePages<Histories>,
    pub(super) correction_history: LargePages<CorrectionHistory>,
    pub(super) logarithms: Logarithms,
    /// One entry per ply.
    pub(super) stack: Vec<StackEntry>,
    /// The positions of the game and of the path before the current node.
    pub(super) previous_keys: KeyHistory,
    pub(super) root_moves: Vec<RootMove>,
    /// Index of the PV line that is searched; the root moves before it belong to earlier lines.
    pub(super) pv_index: usize,
    /// Depth of the iteration.
    pub(super) root_depth: i32,
    pub(super) nodes: u64,
    /// Selective depth: the maximum ply of a PV node.
    pub(super) seldepth: usize,
    /// The search is being aborted; scores are meaningless.
    pub(super) stopped: bool,
    /// The limits are checked at this number of nodes.
    next_check: u64,
    check_interval: CheckInterval,
    /// During a verification search: no null moves before this ply.
    pub(super) null_move_min_ply: usize,
    /// Whether nodes below the root are looked up in tablebases.
    pub(super) probes_tablebases: bool,
    /// The moves of the last completed iteration that [`Variety`](super::Variety) may choose.
    pub(super) variety_candidates: Vec<Move>,
    /// The time is used up while pondering: the search ends with the ponder hit.
    pub(super) stop_on_ponder_hit: bool,
}

impl Worker {
    /// A worker with empty histories and this evaluation.
    pub fn new(id: usize, shared: Arc<SharedState>, evaluation: &Evaluation) -> Worker {
        let request = SearchRequest::new(Board::startpos(), Limits::default());
        Worker {
            id,
            shared,
            reporter: Box::new(NullReporter),
            time_manager: TimeManager::new(&request.limits, request.move_overhead, 0, 1),
            request,
            evaluator: Evaluator::new(evaluation, MAX_PLY + 1),
            histories: Histories::new(),
            correction_history: CorrectionHistory::new(),
            logarithms: Logarithms::new(),
            stack: (0..MAX_PLY + 4).map(|_| StackEntry::new()).collect(),
            previous_keys: KeyHistory::default(),
            root_moves: Vec::new(),
            pv_index: 0,
            root_depth: 0,
            nodes: 0,
            seldepth: 0,
            stopped: false,
            next_check: 0,
            check_interval: CheckInterval::new(Duration::ZERO),
            null_move_min_ply: 0,
            probes_tablebases: false,
            variety_candidates: Vec::new(),
            stop_on_ponder_hit: false,
        }
    }

    /// Clears the histories, for a new game.
    pub fn clear(&mut self) {
        self.histories.clear();
        self.correction_history.clear();
    }

    /// Searches a request. The main thread (id 0) reports.
    pub fn run(&mut self, request: &SearchRequest, reporter: Box<dyn Reporter>) -> SearchResult {
        self.reporter = reporter;
        self.prepare(request);
        let result = if self.root_moves.is_empty() {
            SearchResult::default()
        } else {
            self.iterative_deepening();
            self.search_result()
        };
        self.reporter = Box::new(NullReporter);
        result
    }

    fn prepare(&mut self, request: &SearchRequest) {
        self.request.clone_from(request);
        self.init_root_moves();
        self.previous_keys.clone_from(&request.previous_keys);
        self.nodes = 0;
        self.seldepth = 0;
        self.root_depth = 0;
        self.pv_index = 0;
        self.stopped = false;
        self.check_interval = CheckInterval::new(self.shared.search_time());
        self.next_check = self.nodes_to_next_check();
        self.stop_on_ponder_hit = false;
        self.null_move_min_ply = 0;
        for entry in &mut self.stack {
            entry.excluded_move = None;
            entry.reduction = 0;
        }
        self.stack[0].plies_since_null = usize::MAX / 2;
        self.variety_candidates.clear();
        self.probes_tablebases = request.tablebases.is_some();
        self.rank_root_moves();
        self.time_manager = TimeManager::new(
            &request.limits,
            request.move_overhead,
            self.root_moves.len(),
            request.board.fullmove_number(),
        );
    }

    /// Counts a node that is about to be made. False if the search must stop.
    #[inline]
    pub(super) fn count_node(&mut self) -> bool {
        let max_nodes = self.request.limits.nodes;
        if max_nodes.is_some_and(|max| self.nodes >= max)
            || (self.shared.is_stopped() && self.can_stop())
        {
            self.stopped = true;
        } else if self.nodes >= self.next_check {
            self.check_limits();
        }
        if self.stopped {
            return false;
        }
        self.nodes += 1;
        self.shared.counters[self.id].nodes.store(self.nodes, Relaxed);
        true
    }

    /// Whether a stop or the end of the time may end the search now.
    #[cold]
    fn can_stop(&self) -> bool {
        self.id > 0 || self.root_depth > 1 || self.nodes >= MAX_NODES_AFTER_STOP
    }

    /// Checks the time, the nodes of all threads, and whether another thread completed the
    /// iteration.
    #[cold]
    fn check_limits(&mut self) {
        self.check_interval.update(self.shared.search_time());
        self.next_check = self.nodes + self.nodes_to_next_check();
        if self.id == 0 {
            self.reporter.poll();
            if self.request.stop.is_set() {
                self.shared.stop();
            }
        }
        if self.id == 0 && !self.shared.is_pondering() {
            let time = self.shared.clock_time();
            let is_over = self.stop_on_ponder_hit || self.time_manager.is_hard_limit_reached(time);
            self.stopped = is_over && self.can_stop();
        }
        self.stopped |= self.is_iteration_completed();
        if let Some(max_nodes) = self.request.limits.nodes {
            self.stopped |= self.shared.nodes() >= max_nodes;
        }
    }

    /// The nodes until the next check of the limits; with a node limit, at most this thread's share
    /// of the nodes left.
    fn nodes_to_next_check(&self) -> u64 {
        let interval = self.check_interval.nodes();
        match self.request.limits.nodes {
            Some(max_nodes) => {
                let left = max_nodes.saturating_sub(self.shared.nodes());
                interval.min((left / self.request.threads.max(1) as u64).max(1))
            }
            None => interval,
        }
    }

    /// Makes a move and enters the child.
    #[inline]
    pub(super) fn make_move(&mut self, board: &Board, ply: usize, m: Move) -> Board {
        let child = board.make(m);
        self.enter_child(board, ply, piece_to(board.turn(), m));
        self.stack[ply].quiet_move = (!is_noisy(board, m)).then_some(m);
        child
    }

    /// Enters a child: updates the stack and the path. Prefetches the child's
    /// continuation correction.
    #[inline]
    pub(super) fn enter_child(&mut self, board: &Board, ply: usize, piece_to: PieceTo) {
        self.stack[ply].piece_to = piece_to;
        self.stack[ply].quiet_move = None;
        let [last, ..] = self.stack[ply].previous_moves;
        let fourth = ply.checked_sub(3).map_or(NO_MOVE, |earlier| self.stack[earlier].piece_to);
        let plies_since_null = self.stack[ply].plies_since_null + 1;
        let entry = &mut self.stack[ply + 1];
        entry.plies_since_null = plies_since_null;
        entry.previous_moves = [piece_to, last, fourth];
        self.previous_keys.push(board);
        self.correction_history.prefetch(self.previous_moves(ply + 1));
    }

    /// Leaves a child. Boards are values, so there is no move to undo.
    #[inline]
    pub(super) fn leave_child(&mut self) {
        self.previous_keys.pop();
    }

    /// The moves 1, 2 and 4 plies before a node, as continuation history indices.
    #[inline]
    pub(super) fn previous_moves(&self, ply: usize) -> [PieceTo; 3] {
        self.stack[ply].previous_moves
    }

    /// Sets the PV of a node: a move and the PV of its child.
    pub(super) fn update_pv(&mut self, ply: usize, m: Move) {
        let (above, below) = self.stack.split_at_mut(ply + 1);
        let pv = &mut above[ply].pv;
        pv.clear();
        pv.push(m);
        pv.extend_from_slice(&below[0].pv);
    }
}
