//! Root results and their reports: PV lines, bounds, the current root move, the final result.

use super::info::{Bound, Info, PvLine, SearchResult};
use super::mate;
use super::score::{self, INFINITE, Score, Value};
use super::worker::Worker;
use crate::chess::{Board, GameStatus, Move};
use std::cmp::Ordering;
use std::time::Duration;

/// Current root moves and bounds are reported after this search time; before, they would flood a
/// GUI.
const REPORT_PROGRESS_AFTER: Duration = Duration::from_secs(1);

/// The length to which a PV is extended that was cut.
const MIN_CUT_PV: usize = 6;

impl Worker {
    /// The number of PV lines to report.
    pub(super) fn multipv(&self) -> usize {
        self.request.multipv.clamp(1, self.root_moves.len())
    }

    /// Reports the PV lines of an iteration.
    pub(super) fn report_pv_lines(&mut self) {
        if !self.reporter.is_silent() {
            let lines = self.pv_lines();
            self.report(lines);
        }
    }

    fn report(&mut self, lines: Vec<PvLine>) {
        let progress = self.shared.progress();
        self.reporter.info(&Info { lines, progress });
    }

    /// The PV lines that have a score, with the minimum of their depths. After a stop, lines may mix
    /// two iterations; scores are capped so that they stay sorted.
    fn pv_lines(&mut self) -> Vec<PvLine> {
        let best = self.root_moves.iter().take(self.multipv());
        let count = best.take_while(|root| root.has_score()).count();
        let mut lines: Vec<PvLine> = (0..count).map(|index| self.pv_line(index)).collect();
        let min_depth = lines.iter().map(|line| line.depth).min();
        let mut max_score = Score::from(INFINITE);
        for (index, line) in lines.iter_mut().enumerate() {
            line.depth = min_depth.unwrap_or(line.depth);
            // Moves are sorted by tablebase rank first.
            if index > 0 && self.root_moves[index - 1].tb_rank == self.root_moves[index].tb_rank {
                line.score = line.score.min(max_score);
            }
            max_score = line.score;
        }
        lines
    }

    /// Whether reports are made within an iteration.
    fn reports_progress(&self) -> bool {
        self.id == 0
            && !self.reporter.is_silent()
            && self.shared.search_time() > REPORT_PROGRESS_AFTER
    }

    /// Reports which root move is being searched.
    pub(super) fn report_current_move(&mut self, depth: i32, m: Move, move_count: i32) {
        if self.reports_progress() {
            let move_count = self.pv_index + move_count as usize;
            self.reporter.current_move(depth.max(1) as u32, m, move_count);
        }
    }

    /// Reports a fail high or fail low of the first PV line, before it is searched again. A
    /// tablebase score is exact, so it is not reported here.
    pub(super) fn report_bound(&mut self, bound: Bound) {
        let root = &self.root_moves[0];
        if self.pv_index == 0 && root.tb_score.is_none() && self.reports_progress() {
            let mut line = self.pv_line_with(0, (root.score, root.depth));
            line.bound = bound;
            self.report(vec![line]);
        }
    }

    /// Records the result of a root move. `bound` is none if it is not the best move: then it has
    /// no score of its own, and keeps its PV.
    pub(super) fn update_root_move(
        &mut self,
        m: Move,
        score: Value,
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
        // A PV that ends with the same mate is kept; the new one may be incomplete.
        let has_mate_pv = score == root.score.max(root.previous_score)
            && mate::plies_to_mate(score) == Some(root.pv.len());
        (root.score, root.bound) = (score, bound);
        (root.depth, root.seldepth) = (depth, seldepth);
        // After a fail high or fail low the PV ends early; the old one is kept where it agrees.
        let pv = &self.stack[1].pv;
        let is_cut = bound != Bound::Exact && root.pv[1..].starts_with(pv);
        if !has_mate_pv && !is_cut {
            root.pv.truncate(1);
            root.pv.extend_from_slice(pv);
        }
    }

    /// A PV line, with an exact score if there is one.
    fn pv_line(&mut self, index: usize) -> PvLine {
        self.pv_line_with(index, self.root_moves[index].result())
    }

    /// A PV line with this score and depth. The PV of a mate score ends with the mate; if it cannot
    /// be completed, the score is reported as a decisive one without mate.
    fn pv_line_with(&mut self, index: usize, (mut score, depth): (Value, i32)) -> PvLine {
        let board = self.request.board;
        let root = &self.root_moves[index];
        // A tablebase score replaces an evaluation, but not a mate.
        if let Some(tb_score) = root.tb_score.filter(|_| !score::is_mate(score)) {
            score = tb_score;
        }
        let mut pv = self.valid_pv(&board, &root.pv);
        if (self.stopped || root.bound != Bound::Exact) && !score::is_decisive(score) {
            pv = self.extend_cut_pv(&board, pv, MIN_CUT_PV.min(depth.max(1) as usize));
        }
        if !mate::is_complete(&board, &pv, score) {
            let completed = mate::complete_pv(&self.shared.tt, &board, &pv, score)
                .filter(|completed| self.valid_pv(&board, completed).len() == completed.len());
            match completed {
                Some(completed) => {
                    pv = completed;
                    self.root_moves[index].pv.clone_from(&pv);
                }
                None => score = mate::unproven_mate_score(score),
            }
        }
        PvLine {
            seldepth: self.root_moves[index].seldepth.max(1) as u32,
            ..PvLine::new(score.into(), depth.max(1) as u32, pv)
        }
    }

    /// Extends a PV that a stop or a bound has cut to `len` moves, by moves of the TT.
    fn extend_cut_pv(&self, board: &Board, mut pv: Vec<Move>, len: usize) -> Vec<Move> {
        let mut last = pv.iter().fold(*board, |board, m| board.make(*m));
        while pv.len() < len
            && let Some(m) = self.tt_move(&last)
        {
            pv.push(m);
            last = last.make(m);
        }
        self.valid_pv(board, &pv)
    }

    /// The best move of a position in the TT. Where all moves failed low, it is the one that was
    /// searched deepest, and of these the one with the best score.
    fn tt_move(&self, board: &Board) -> Option<Move> {
        let entry = |board: &Board| self.shared.tt.probe(board.key(), 0, board.halfmove_clock());
        let best = entry(board).and_then(|entry| entry.best_move).filter(|m| board.is_legal(*m));
        best.or_else(|| {
            let children = board.children().filter_map(|(m, child)| Some((m, entry(&child)?)));
            let searched = children.filter(|(_, entry)| entry.bound.is_some() && entry.depth > 0);
            searched.max_by_key(|(_, entry)| (entry.depth, -entry.score)).map(|(m, _)| m)
        })
    }

    /// The part of a PV whose moves are legal, up to the end of the game or a threefold repetition.
    /// It ends before a move that gives away the result that the tablebases have for the line: the
    /// search that found the move may not have probed them.
    fn valid_pv(&self, board: &Board, pv: &[Move]) -> Vec<Move> {
        let mut board = *board;
        let mut keys = self.request.previous_keys.clone();
        let mut valid = Vec::with_capacity(pv.len());
        // Whether the side to move wins, once a position of the line is in the tablebases.
        let mut result = None;
        for m in pv {
            if !board.is_legal(*m) {
                break;
            }
            keys.push(&board);
            board = board.make(*m);
            let status = board.status();
            let goes_on = matches!(status, GameStatus::Ongoing | GameStatus::Checkmate);
            let is_draw = keys.count(&board) >= 2 || !goes_on;
            let child_result =
                if is_draw { Some(Ordering::Equal) } else { self.tablebase_result(&board) };
            result = result.map(Ordering::reverse);
            if result.is_some_and(|result| child_result.is_some_and(|child| child != result)) {
                break;
            }
            result = child_result.or(result);
            valid.push(*m);
            if is_draw || status != GameStatus::Ongoing {
                break;
            }
        }
        valid
    }

    /// The result of the search.
    pub(super) fn search_result(&mut self) -> SearchResult {
        let reported_move = self.root_moves[0].m;
        self.apply_variety();
        if !self.root_moves[0].has_score() {
            // Stopped before the first score: a helper thread then has no result.
            if self.id > 0 {
                return SearchResult::default();
            }
            let board = self.request.board;
            let score = if board.in_check() { score::DRAW } else { self.evaluate(&board, 0) };
            self.root_moves[0].score = score;
        }
        let has_changed = self.stopped || self.root_moves[0].m != reported_move;
        let mut lines = self.pv_lines();
        if self.id == 0 && self.multipv() > 1 && has_changed && !self.reporter.is_silent() {
            // The first line alone would contradict the lines reported before.
            self.report(lines.clone());
        }
        let (_, depth) = self.root_moves[0].result();
        if let Some(first) = lines.first_mut() {
            first.depth = depth.max(1) as u32;
            if first.score.is_decisive() {
                first.pv = self.extend_tablebase_pv(std::mem::take(&mut first.pv));
            }
        }
        SearchResult {
            best: Some(self.root_moves[0].m),
            ponder: lines.first().and_then(|first| first.pv.get(1).copied()),
            lines,
            progress: self.shared.progress(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::chess::{Board, Move};
    use crate::eval::Evaluation;
    use crate::search::score::Score;
    use crate::search::{
        Bound, Info, Limits, NullReporter, PvLine, Reporter, SearchRequest, SharedState, Worker,
    };
    use std::sync::{Arc, Mutex};

    /// Records the best move and the score of each iteration.
    #[derive(Clone, Default)]
    struct Recorder(Arc<Mutex<Vec<(Move, Score)>>>);

    impl Reporter for Recorder {
        fn info(&mut self, info: &Info) {
            let mut iterations = self.0.lock().expect("no thread panics");
            let line = &info.lines[0];
            assert_eq!(line.depth as usize, iterations.len() + 1);
            iterations.push((line.pv[0], line.score));
        }
    }

    /// Keeps the PV lines that were reported last.
    #[derive(Clone, Default)]
    struct LastLines(Arc<Mutex<Vec<PvLine>>>);

    impl Reporter for LastLines {
        fn info(&mut self, info: &Info) {
            self.0.lock().expect("no thread panics").clone_from(&info.lines);
        }
    }

    #[test]
    fn a_stopped_search_does_not_cut_the_line_of_the_last_iteration() {
        for fen in [
            "8/1p3k2/p1b1p1p1/P2pPp1p/3P1P1P/2N3P1/1P3K2/8 w - - 0 1",
            "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
            // The last iteration finds another move, which fails high.
            "r4rk1/p1p2pp1/bp1p1q1p/n1nPpN2/2P1P2P/2PB4/P2BQPP1/R3K2R w KQ - 0 1",
            "6rk/3nrpbp/p1bq1npB/1p2p1N1/4P1PQ/P2B3R/1PP1N2P/5R1K w - - 0 1",
        ] {
            let board = Board::from_fen(fen).expect("a legal position");
            for nodes in (20_000..80_000).step_by(2_500) {
                let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
                shared.begin(false);
                let mut worker = Worker::new(0, shared, &Evaluation::embedded());
                let request = SearchRequest::new(board, Limits::nodes(nodes));
                let before = LastLines::default();
                let result = worker.run(&request, Box::new(before.clone()));
                let before = before.0.lock().expect("no thread panics")[0].clone();
                let last = result.line().expect("a line");
                // A deeper iteration that has searched the best move has a line of its own.
                let is_deeper = last.bound == Bound::Exact && last.depth > before.depth;
                let (before, last) = (before.pv, &last.pv);
                let agrees = before.starts_with(last) && !is_deeper;
                assert!(!agrees || before.len() == last.len(), "{nodes}: {before:?} {last:?}");
                assert!(before.len() < 6 || last.len() >= 4, "{nodes}: {before:?} {last:?}");
            }
        }
    }

    #[test]
    fn the_pv_lines_of_a_stopped_search_are_in_the_order_of_their_scores() {
        let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
        let board = Board::from_fen(fen).expect("a legal position");
        for nodes in (1_000..20_000).step_by(250) {
            let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
            shared.begin(false);
            let mut worker = Worker::new(0, shared, &Evaluation::embedded());
            let request =
                SearchRequest { multipv: 4, ..SearchRequest::new(board, Limits::nodes(nodes)) };
            let lines = LastLines::default();
            let result = worker.run(&request, Box::new(lines.clone()));
            let lines = lines.0.lock().expect("no thread panics");
            assert!(lines.is_sorted_by_key(|line| -line.score), "{nodes}: {lines:?}");
            assert_eq!(result.best, lines.first().map(|line| line.pv[0]), "{nodes}");
            assert_eq!(result.lines[1..], lines[1..], "{nodes}");
        }
    }

    #[test]
    fn a_search_that_stops_while_a_fail_high_or_fail_low_is_searched_again_has_an_exact_score() {
        let fen = "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10";
        let board = Board::from_fen(fen).expect("a legal position");
        let search = |limits, reporter: Box<dyn Reporter>| {
            let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
            shared.begin(false);
            let mut worker = Worker::new(0, shared, &Evaluation::embedded());
            worker.run(&SearchRequest::new(board, limits), reporter)
        };
        let recorder = Recorder::default();
        search(Limits::depth(12), Box::new(recorder.clone()));
        let iterations = recorder.0.lock().expect("no thread panics").clone();
        let mut compared = 0;
        for nodes in (1_000..40_000).step_by(250) {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let result = search(limits, Box::new(NullReporter));
            let line = result.line().expect("a score");
            // A move that has become the best one may have a bound only.
            let depth = line.depth as usize;
            let was_best = |depth: usize| {
                let iteration = depth.checked_sub(1).and_then(|at| iterations.get(at));
                iteration.is_some_and(|(m, _)| *m == line.pv[0])
            };
            if was_best(depth) && was_best(depth - 1) {
                assert_eq!(line.score, iterations[depth - 1].1, "{nodes}: {line:?}");
                compared += 1;
            }
        }
        assert!(compared > 50, "{compared}");
    }
}
