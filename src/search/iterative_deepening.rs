//! Iterative deepening and aspiration windows.
//! <https://www.chessprogramming.org/Iterative_Deepening>

use super::info::Bound;
use super::node::Root;
use super::params;
use super::root_move::RootMove;
use super::score::{self, INFINITE, MAX_PLY, Score};
use super::variety;
use super::worker::Worker;

impl Worker {
    /// Iterative deepening: searches depth 1, 2, 3 … until a limit is reached.
    /// <https://www.chessprogramming.org/Iterative_Deepening>
    pub(super) fn iterative_deepening(&mut self) {
        let max_depth = self.request.limits.depth.unwrap_or(u32::MAX);
        let max_depth = max_depth.clamp(1, MAX_PLY as u32 - 1) as i32;
        let pv_count = match self.request.variety {
            None => self.multipv(),
            Some(_) => self.multipv().max(variety::MULTIPV).min(self.root_moves.len()),
        };
        while self.root_depth < max_depth {
            self.root_depth += 1;
            for root_move in &mut self.root_moves {
                root_move.begin_iteration();
            }
            for pv_index in 0..pv_count {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.aspiration_window();
                if self.stopped {
                    break;
                }
            }
            self.root_moves[..pv_count].sort_by_key(RootMove::sort_key);
            if self.stopped && self.is_iteration_completed() {
                self.adopt_iteration();
            }
            if self.stopped {
                return;
            }
            self.share_iteration();
            if let Some(variety) = &self.request.variety {
                let rank = self.root_moves[0].tb_rank;
                let best = &self.root_moves[..variety::MULTIPV.min(pv_count)];
                let equal_rank = best.partition_point(|root| root.tb_rank == rank);
                self.variety_candidates = variety.candidates(&best[..equal_rank]);
            }
            if self.id > 0 {
                continue;
            }
            self.report_pv_lines();
            self.update_time_manager();
            if self.is_search_complete() {
                return;
            }
        }
    }

    /// Searches the root with a window around the previous score, and widens it until the score is
    /// inside. <https://www.chessprogramming.org/Aspiration_Windows>
    fn aspiration_window(&mut self) {
        let board = self.request.board;
        let previous_score = self.root_moves[self.pv_index].previous_score;
        let mut width = params::aspiration_base()
            + previous_score.abs().min(params::aspiration_max_score())
                / params::aspiration_score_divisor();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if self.root_depth >= params::aspiration_min_depth() && !score::is_decisive(previous_score)
        {
            (alpha, beta) = (previous_score - width, previous_score + width);
        }
        let mut reduction = 0;
        loop {
            let depth = (self.root_depth - reduction).max(1);
            let score = self.alphabeta::<Root>(&board, depth, 0, alpha, beta, false);
            self.root_moves[self.pv_index..].sort_by_key(RootMove::sort_key);
            if self.stopped {
                return;
            }
            if score <= alpha {
                self.report_bound(Bound::Upper);
                beta = (alpha + beta) / 2;
                alpha = (score - width).max(-INFINITE);
                reduction = 0;
            } else if score >= beta {
                self.report_bound(Bound::Lower);
                beta = (score + width).min(INFINITE);
                reduction = (reduction + 1).min(params::aspiration_max_reduction());
            } else {
                return;
            }
            width += width * params::aspiration_growth() / 12;
            if width > params::aspiration_max_width() || score::is_decisive(score) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    fn update_time_manager(&mut self) {
        // An adopted iteration has another thread's node counts: only their own sum fits them.
        let all_nodes = self.root_moves.iter().map(|root| root.nodes).sum();
        let best = &self.root_moves[0];
        self.time_manager.update(best.m, best.score, best.nodes, all_nodes);
    }

    /// Whether the completed iterations satisfy the limits.
    fn is_search_complete(&mut self) -> bool {
        let limits = &self.request.limits;
        if limits.soft_nodes.is_some_and(|nodes| self.nodes >= nodes) {
            return true;
        }
        if limits.mate == Some(0) {
            return true;
        }
        let mate_distance = Score::from(self.root_moves[0].score).mate();
        if let (Some(max_distance), Some(distance)) = (limits.mate, mate_distance)
            && distance.unsigned_abs() <= max_distance
        {
            return true;
        }
        if limits.move_time.is_some() {
            // The clock starts before pondering ends, see `SharedState::ponder_hit`.
            return !self.shared.is_pondering()
                && (self.time_manager).is_soft_limit_reached(self.shared.clock_time());
        }
        // With a clock, the time spent pondering counts.
        let time = self.shared.search_time();
        let is_over = self.time_manager.is_soft_limit_reached(time);
        self.stop_on_ponder_hit = is_over && self.shared.is_pondering();
        is_over && !self.stop_on_ponder_hit
    }

    /// Whether a root move belongs to the current PV line: it is not the move of an earlier line,
    /// and no move left has a higher tablebase rank.
    pub(super) fn is_root_candidate(&self, m: crate::chess::Move) -> bool {
        let left = &self.root_moves[self.pv_index..];
        left.iter().any(|root| root.m == m && root.tb_rank == left[0].tb_rank)
    }
}

#[cfg(test)]
mod tests {
    use crate::chess::{Board, Move};
    use crate::eval::Evaluation;
    use crate::search::clock::{Clock, ManualClock};
    use crate::search::tt::TranspositionTable;
    use crate::search::{
        ClockTime, Info, Limits, NullReporter, Reporter, SearchRequest, SharedState, Worker,
    };
    use std::sync::{Arc, Mutex, OnceLock, Weak};
    use std::time::Duration;

    /// Time spent pondering: more than a second, so that current moves are reported.
    const PONDER_TIME: Duration = Duration::from_millis(1100);

    /// A clock whose base time is far less than the time spent pondering.
    fn short_clock() -> Limits {
        Limits {
            clock: Some(ClockTime {
                remaining: Duration::from_secs(1),
                increment: Duration::ZERO,
                moves_to_go: None,
            }),
            ..Limits::default()
        }
    }

    /// A worker that has pondered for [`PONDER_TIME`], by a clock that does not advance further.
    fn pondering_worker() -> (Arc<SharedState>, Worker) {
        started_worker(true)
    }

    /// A worker whose search began [`PONDER_TIME`] ago, by a clock that does not advance further.
    fn started_worker(ponder: bool) -> (Arc<SharedState>, Worker) {
        let tt = TranspositionTable::new(1, 1).expect("a megabyte");
        let clock = ManualClock::default();
        let shared = SharedState::with_clock(1, tt, Arc::new(clock.clone()));
        let shared = Arc::new(shared);
        shared.begin(ponder);
        clock.advance(PONDER_TIME);
        let worker = Worker::new(0, Arc::clone(&shared), &Evaluation::embedded());
        (shared, worker)
    }

    #[test]
    fn time_spent_pondering_counts_for_a_clock_but_not_for_a_move_time() {
        let run = |limits| {
            let (shared, mut worker) = pondering_worker();
            shared.ponder_hit(shared.search_number());
            let request = SearchRequest::new(Board::startpos(), limits);
            let result = worker.run(&request, Box::new(NullReporter));
            (result.line().expect("a PV").depth, result.progress.time)
        };
        assert_eq!(run(short_clock()), (1, PONDER_TIME));
        let move_time = Limits { move_time: Some(PONDER_TIME), ..Limits::depth(5) };
        assert_eq!(run(move_time).0, 5);
    }

    #[test]
    fn a_search_whose_time_is_over_before_it_begins_completes_depth_one() {
        let fen = "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 w - - 0 1";
        let search = |limits| {
            let (_, mut worker) = started_worker(false);
            let mut request = SearchRequest::new(Board::from_fen(fen).expect(fen), limits);
            // So many nodes at depth one that the limits are checked there.
            request.multipv = 40;
            let result = worker.run(&request, Box::new(NullReporter));
            (result.best, worker.nodes)
        };
        assert_eq!(search(short_clock()), search(Limits::depth(1)));
    }

    /// Sends the ponder hit when an iteration of depth 10 has begun, and records the nodes.
    struct PonderHit(Arc<SharedState>, Arc<Mutex<Option<u64>>>);

    impl Reporter for PonderHit {
        fn info(&mut self, _: &Info) {}

        fn current_move(&mut self, depth: u32, _: Move, _: usize) {
            let mut nodes = self.1.lock().expect("no thread panics");
            if depth == 10 && nodes.is_none() {
                *nodes = Some(self.0.nodes());
                self.0.ponder_hit(self.0.search_number());
            }
        }
    }

    #[test]
    fn a_search_that_has_used_its_time_while_pondering_stops_at_the_ponder_hit() {
        let (shared, mut worker) = pondering_worker();
        let nodes = Arc::new(Mutex::new(None));
        let reporter = PonderHit(Arc::clone(&shared), Arc::clone(&nodes));
        let request = SearchRequest::new(Board::startpos(), short_clock());
        worker.run(&request, Box::new(reporter));
        let nodes = nodes.lock().expect("no thread panics").expect("a hit");
        let after = worker.nodes - nodes;
        assert!(after <= 1024, "{after} nodes after the ponder hit");
    }

    #[test]
    fn a_search_does_not_end_because_an_earlier_one_would_have_at_its_ponder_hit() {
        let (shared, mut worker) = pondering_worker();
        let mut search = |fen: &str, limits: Limits| {
            let mut request = SearchRequest::new(Board::from_fen(fen).expect(fen), limits);
            // So many nodes at depth one that the limits are checked there.
            request.multipv = 40;
            let result = worker.run(&request, Box::new(NullReporter));
            result.line().expect("a PV").depth
        };
        let pondering = Limits { depth: Some(3), ..short_clock() };
        assert_eq!(search(&Board::startpos().to_fen(), pondering), 3);
        shared.begin(false);
        let tactical = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        assert_eq!(search(tactical, Limits::depth(3)), 3);
    }

    #[test]
    fn a_search_that_is_stopped_at_once_completes_depth_one() {
        let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
        shared.begin(false);
        shared.stop();
        let mut worker = Worker::new(0, shared, &Evaluation::embedded());
        let mate_in_one = Board::from_fen("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1").expect("legal");
        let request = SearchRequest::new(mate_in_one, Limits::default());
        let result = worker.run(&request, Box::new(NullReporter));
        let best = result.best.expect("a move");
        assert_eq!(mate_in_one.uci(best, false), "a1a8");
        assert_eq!(result.line().expect("a PV").depth, 1);
    }

    /// A clock that advances with each node.
    #[derive(Clone)]
    struct NodeClock {
        node_time: Duration,
        shared: Arc<OnceLock<Weak<SharedState>>>,
    }

    impl Clock for NodeClock {
        fn now(&self) -> Duration {
            let shared = self.shared.get().and_then(Weak::upgrade);
            self.node_time * shared.map_or(0, |shared| shared.nodes() as u32)
        }
    }

    #[test]
    fn the_hard_limit_is_kept_at_any_speed() {
        for node_time in [2, 100, 5_000].map(Duration::from_micros) {
            let tt = TranspositionTable::new(1, 1).expect("a megabyte");
            let clock = NodeClock { node_time, shared: Arc::default() };
            let shared = SharedState::with_clock(1, tt, Arc::new(clock.clone()));
            let shared = Arc::new(shared);
            shared.begin(false);
            clock.shared.set(Arc::downgrade(&shared)).expect("not set");
            let mut worker = Worker::new(0, Arc::clone(&shared), &Evaluation::embedded());
            let limit = Duration::from_millis(500);
            let request = SearchRequest::new(Board::startpos(), Limits::move_time(limit));
            worker.run(&request, Box::new(NullReporter));
            let time = shared.search_time();
            let max = limit + Duration::from_millis(5).max(2 * node_time);
            assert!(limit <= time && time <= max, "{node_time:?}: {time:?}");
        }
    }
}
