//! Iterative deepening: each iteration orders the moves for the next, and says whether one more
//! is worth its time.

use super::info::{Bound, Info, SearchResult};
use super::limits::Limits;
use super::mate;
use super::node::Root;
use super::params;
use super::score::{self, INFINITE, MAX_PLY, Score};
use super::tablebases::extend_line;
use super::time::{Progress, TimePlan};
use super::variety;
use super::worker::{Job, RootMove, Worker};
use crate::chess::{Board, GameStatus, Move};
use std::time::Duration;

/// Root moves and bounds are told one by one after this time; before, they would only flood a GUI.
const TELL_ON_THE_WAY_AFTER: Duration = Duration::from_secs(1);

impl Worker {
    /// Searches deeper and deeper until the limits end it.
    pub(super) fn deepen(&mut self, job: &Job) {
        let limits = &job.limits;
        let plan = TimePlan::new(limits, job.move_overhead);
        self.hard_time = plan.hard;
        let deepest = limits
            .depth
            .map_or(MAX_PLY as u32 - 1, |d| d.clamp(1, MAX_PLY as u32 - 1));
        let shown = self.shown(job);
        let lines = match job.variety {
            None => shown,
            Some(_) => shown.max(variety::LINES).min(self.root_moves.len()),
        };
        let mut progress = Progress::new(self.root_moves.len() == 1);
        self.root_depth = 0;
        while self.root_depth < deepest as i32 {
            self.root_depth += 1;
            for root_move in &mut self.root_moves {
                if root_move.score > -INFINITE {
                    root_move.previous = root_move.score;
                }
            }
            for pv_index in 0..lines {
                self.pv_index = pv_index;
                self.seldepth = 0;
                self.aspire(&job.board);
                if self.stopped {
                    break;
                }
            }
            self.root_moves[..lines].sort_by_key(RootMove::order);
            if self.stopped && self.is_overtaken() {
                self.take_over();
            }
            if self.stopped {
                return;
            }
            self.hand_over();
            if let Some(variety) = &job.variety {
                let rank = self.root_moves[0].rank;
                let equal = self.root_moves[..lines].partition_point(|root| root.rank == rank);
                self.nearly_equal = variety.nearly_equal(&self.root_moves[..equal]);
            }
            if self.id > 0 {
                continue;
            }
            self.report_lines(job);
            let best = &self.root_moves[0];
            // After a takeover the moves' nodes are another thread's: only their own sum fits them.
            let all = self.root_moves.iter().map(|root| root.nodes).sum();
            progress.note(best.m, best.score, best.nodes, all);
            if self.is_enough(limits, &plan, &progress) {
                return;
            }
        }
    }

    /// Whether the iterations done are enough for the limits.
    fn is_enough(&mut self, limits: &Limits, plan: &TimePlan, progress: &Progress) -> bool {
        if limits.soft_nodes.is_some_and(|nodes| self.nodes >= nodes) {
            return true;
        }
        let mate = score::mate_distance(self.root_moves[0].score);
        if let (Some(wanted), Some(found)) = (limits.mate, mate)
            && found.unsigned_abs() <= wanted
        {
            return true;
        }
        if limits.infinite {
            return false;
        }
        if limits.move_time.is_some() {
            return !self.shared.is_pondering() && plan.is_over(self.shared.clock_time(), progress);
        }
        // What was thought in the opponent's time counts: there is no need to think it again.
        let is_over = plan.is_over(self.shared.search_time(), progress);
        self.is_ready = is_over && self.shared.is_pondering();
        is_over && !self.is_ready
    }

    /// Searches the root with a window around the last score, widened until the score is inside.
    fn aspire(&mut self, board: &Board) {
        let depth = self.root_depth;
        let previous = self.root_moves[self.pv_index].previous;
        let mut width =
            params::aspiration_base() + previous.abs().min(2000) / params::aspiration_divisor();
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        if depth >= 4 && !score::is_decisive(previous) {
            (alpha, beta) = (previous - width, previous + width);
        }
        let mut reduction = 0;
        loop {
            let depth = (depth - reduction).max(1);
            let found = self.alphabeta::<Root>(board, depth, 0, alpha, beta, false);
            self.root_moves[self.pv_index..].sort_by_key(RootMove::order);
            if self.stopped {
                return;
            }
            if found <= alpha {
                self.report_bound(board, Bound::Upper);
                beta = (alpha + beta) / 2;
                alpha = (found - width).max(-INFINITE);
                reduction = 0;
            } else if found >= beta {
                self.report_bound(board, Bound::Lower);
                beta = (found + width).min(INFINITE);
                reduction = (reduction + 1).min(3);
            } else {
                return;
            }
            width += width * 2 / 3;
            if width > params::aspiration_limit() || score::is_decisive(found) {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// How many of the best lines are told.
    fn shown(&self, job: &Job) -> usize {
        job.multipv.clamp(1, self.root_moves.len())
    }

    /// Tells the best lines, as far as anything is known of them, with the depth that all have.
    fn report_lines(&mut self, job: &Job) {
        let best = self.root_moves.iter().take(self.shown(job));
        let known = best.take_while(|root| root.is_known());
        let depths: Vec<i32> = known.map(|root| root.depth).collect();
        let (lines, depth) = (depths.len(), depths.iter().min().copied());
        for line in 0..lines {
            let info = Info {
                pv_count: lines,
                depth: depth.unwrap_or(0).max(1) as u32,
                ..self.info(&job.board, line)
            };
            self.reporter.info(&info);
        }
    }

    /// Whether a root move is to be searched for the present line: it is not taken, and the tables
    /// know none better.
    pub(super) fn is_root_candidate(&self, m: Move) -> bool {
        let left = &self.root_moves[self.pv_index..];
        left.iter()
            .any(|root| root.m == m && root.rank == left[0].rank)
    }

    /// Whether an iteration tells of itself before it is over.
    fn tells_on_the_way(&self) -> bool {
        self.id == 0 && self.shared.search_time() > TELL_ON_THE_WAY_AFTER
    }

    /// Tells which root move is being searched.
    pub(super) fn report_current_move(&mut self, depth: i32, m: Move, number: i32) {
        if self.tells_on_the_way() {
            let number = self.pv_index + number as usize;
            self.reporter.current_move(depth.max(1) as u32, m, number);
        }
    }

    /// Tells that the best line's score lies outside the window, before a long search says where.
    fn report_bound(&mut self, board: &Board, bound: Bound) {
        if self.pv_index == 0 && self.tells_on_the_way() {
            let info = Info {
                bound,
                ..self.info(board, 0)
            };
            self.reporter.info(&info);
        }
    }

    /// Keeps what was found of a root move that is the best so far: its score, exact or a bound. One
    /// that is not (`bound` is none) has no score of its own, and its line is not kept.
    pub(super) fn note_root_move(
        &mut self,
        m: Move,
        score: Score,
        bound: Option<Bound>,
        nodes_before: u64,
    ) {
        let (depth, seldepth) = (self.root_depth, self.seldepth);
        let nodes = self.nodes - nodes_before;
        let Some(root) = self.root_moves.iter_mut().find(|root| root.m == m) else {
            return;
        };
        root.nodes += nodes;
        let Some(bound) = bound else {
            root.score = -INFINITE;
            return;
        };
        // A line that shows the same mate to its end is better than one that may not.
        let shown = score == root.score.max(root.previous)
            && mate::plies_to_mate(score) == Some(root.pv.len());
        root.score = score;
        (root.depth, root.seldepth) = (depth, seldepth);
        // Behind a mere bound there may be no line; the old one is still the best guess.
        let has_line = bound == Bound::Exact || !self.frames[1].pv.is_empty();
        if !shown && (has_line || root.pv.len() < 2) {
            root.pv.truncate(1);
            root.pv.extend_from_slice(&self.frames[1].pv);
        }
    }

    /// The state of one of the best lines. A mate is shown to its end, or not called one.
    fn info(&mut self, board: &Board, line: usize) -> Info {
        let root = &self.root_moves[line];
        let mut score = if root.score > -INFINITE {
            root.score
        } else {
            root.previous
        };
        // What is certain is not an estimate; but a mate is more.
        if let Some(certain) = root.table_score.filter(|_| !score::is_mate(score)) {
            score = certain;
        }
        let mut pv = self.sound_line(board, &root.pv);
        if !mate::is_shown(board, &pv, score) {
            let whole = mate::complete(&self.shared.tt, board, &pv, score)
                .filter(|whole| self.sound_line(board, whole).len() == whole.len());
            match whole {
                Some(whole) => {
                    pv = whole;
                    self.root_moves[line].pv.clone_from(&pv);
                }
                None => score = mate::unshown(score),
            }
        }
        let root = &self.root_moves[line];
        Info {
            depth: root.depth.max(1) as u32,
            seldepth: root.seldepth.max(1) as u32,
            multipv: line + 1,
            pv_count: 1,
            score,
            bound: Bound::Exact,
            nodes: self.shared.nodes(),
            tb_hits: self.shared.tb_hits(),
            hashfull: self.shared.tt.hashfull(),
            time: self.shared.search_time(),
            pv,
        }
    }

    /// A line as far as its moves are legal and the game goes on.
    fn sound_line(&self, board: &Board, line: &[Move]) -> Vec<Move> {
        let mut board = *board;
        let mut keys = self.keys.clone();
        let mut sound = Vec::with_capacity(line.len());
        for m in line {
            if !board.is_legal(*m) {
                break;
            }
            board = board.make(*m);
            sound.push(*m);
            let before = keys.iter().filter(|key| **key == board.key()).count();
            keys.push(board.key());
            if before >= 2 || board.status() != GameStatus::Ongoing {
                break;
            }
        }
        sound
    }

    /// The result, as far as the search got.
    pub(super) fn conclude(&mut self, job: &Job) -> SearchResult {
        let told = self.root_moves[0].m;
        if let Some(variety) = &job.variety {
            self.vary(variety, &job.board);
        }
        if !self.root_moves[0].is_known() {
            // Stopped before anything was known: then a helper has no say.
            if self.id > 0 {
                return SearchResult::default();
            }
            let score = match job.board.in_check() {
                true => score::DRAW,
                false => self.evaluate(&job.board, 0),
            };
            self.root_moves[0].score = score;
        }
        let has_changed = self.stopped || self.root_moves[0].m != told;
        if self.id == 0 && self.shown(job) > 1 && has_changed {
            // The best line alone would leave its move among the others, or one of them out.
            self.report_lines(job);
        }
        let mut info = self.info(&job.board, 0);
        if let Some(tables) = job
            .tablebases
            .as_ref()
            .filter(|_| score::is_decisive(info.score))
        {
            info.pv = extend_line(tables, &job.board, &job.previous_keys, info.pv);
        }
        let ponder = info.pv.get(1).copied();
        SearchResult {
            best: Some(self.root_moves[0].m),
            ponder,
            info: Some(info),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::Evaluation;
    use crate::search::{ClockTime, NullReporter, Reporter, SharedState};
    use std::sync::{Arc, Mutex};
    use std::thread::sleep;

    /// So long the opponent thinks in these tests: root moves are told one by one after it.
    const PONDERED: Duration = Duration::from_millis(1100);

    /// Limits of a clock whose share for a move is far less than was pondered.
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

    /// Makes the expected move as soon as an iteration of depth ten has begun, and notes the nodes.
    struct Opponent(Arc<SharedState>, Arc<Mutex<Option<u64>>>);

    impl Reporter for Opponent {
        fn info(&mut self, _: &Info) {}

        fn current_move(&mut self, depth: u32, _: Move, _: usize) {
            let mut hit = self.1.lock().expect("no thread fails");
            if depth == 10 && hit.is_none() {
                *hit = Some(self.0.nodes());
                self.0.ponder_hit();
            }
        }
    }

    /// A worker whose search began so long ago.
    fn pondering() -> (Arc<SharedState>, Worker) {
        let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
        shared.begin(true);
        sleep(PONDERED);
        let worker = Worker::new(0, Arc::clone(&shared), &Evaluation::embedded());
        (shared, worker)
    }

    #[test]
    fn time_pondered_counts_for_a_clock_but_not_for_a_time_given_for_the_move() {
        let run = |limits| {
            let (shared, mut worker) = pondering();
            shared.ponder_hit();
            let job = Job::new(Board::startpos(), limits);
            let info = worker.run(&job, Box::new(NullReporter)).info;
            info.expect("a line")
        };
        let info = run(short_clock());
        assert_eq!(info.depth, 1);
        assert!(info.time >= PONDERED, "time does not run backwards");
        let exact = Limits {
            move_time: Some(PONDERED),
            ..Limits::depth(5)
        };
        assert_eq!(run(exact).depth, 5);
    }

    #[test]
    fn who_has_pondered_long_enough_answers_the_expected_move_at_once() {
        let (shared, mut worker) = pondering();
        let hit = Arc::new(Mutex::new(None));
        let opponent = Opponent(Arc::clone(&shared), Arc::clone(&hit));
        let job = Job::new(Board::startpos(), short_clock());
        worker.run(&job, Box::new(opponent));
        let hit = hit.lock().expect("no thread fails").expect("it came");
        let after = worker.nodes - hit;
        assert!(after <= 1024, "{after} nodes more");
    }
}
