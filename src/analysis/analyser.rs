//! Analyses many positions on several threads.

use crate::chess::{Board, Move};
use crate::engine::{Engine, Event, Searcher, spawn_search_thread};
use crate::eval::Evaluation;
use crate::search::score::{DRAW, Score, mate_distance, mated_in};
use crate::search::{Bound, Info, Job, Limits, Reporter};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::time::{Duration, Instant};

/// The minimum time of a position when a total time is divided.
const MIN_MOVE_TIME: Duration = Duration::from_millis(5);

/// The default hash size of each analysis thread, in megabytes.
pub const DEFAULT_HASH: usize = 32;

/// The limit of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Budget {
    /// Time per position.
    MoveTime(Duration),
    /// Nodes per position.
    Nodes(u64),
    /// Depth per position.
    Depth(u32),
    /// Time for all positions together, and their number.
    TotalTime(Duration, u64),
}

/// A position to analyse.
#[derive(Clone, Debug)]
pub struct AnalysisTask<T> {
    /// Identifies the result.
    pub tag: T,
    /// The position.
    pub board: Board,
    /// The keys of the earlier positions that can be repeated, oldest first.
    pub previous_keys: Vec<u64>,
}

/// One PV line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PvLine {
    /// From the side to move's view.
    pub score: Score,
    /// Depth in plies.
    pub depth: u32,
    /// The moves, at least one.
    pub moves: Vec<Move>,
}

impl PvLine {
    fn new(info: &Info) -> PvLine {
        PvLine {
            score: info.score,
            depth: info.depth,
            moves: info.pv.clone(),
        }
    }
}

/// The result for one position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AnalysisResult<T> {
    /// The tag of the task.
    pub tag: T,
    /// The position.
    pub board: Board,
    /// From the side to move's view.
    pub score: Score,
    /// The PV lines, best first; empty if the game is over.
    pub lines: Vec<PvLine>,
    /// Nodes searched.
    pub nodes: u64,
    /// Time of the search.
    pub time: Duration,
    /// The successive best moves: when each was first reported, and its last score.
    pub best_moves: Vec<(Duration, Move, Score)>,
}

impl<T> AnalysisResult<T> {
    /// The result of a search that ended with this info; `None` if the game is over.
    pub fn new(tag: T, board: Board, info: Option<&Info>, time: Duration) -> AnalysisResult<T> {
        let line = info.filter(|info| !info.pv.is_empty()).map(PvLine::new);
        let game_over_score = if board.in_check() { mated_in(0) } else { DRAW };
        AnalysisResult {
            tag,
            board,
            score: line.as_ref().map_or(game_over_score, |line| line.score),
            lines: line.into_iter().collect(),
            nodes: info.map_or(0, |info| info.progress.nodes),
            time,
            best_moves: Vec::new(),
        }
    }

    /// The best move; `None` if the game is over.
    pub fn best(&self) -> Option<Move> {
        self.lines.first().map(|line| line.moves[0])
    }

    /// The depth of the best line.
    pub fn depth(&self) -> u32 {
        self.lines.first().map_or(0, |line| line.depth)
    }
}

/// The progress of an analysis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AnalysisProgress {
    /// Analysed positions.
    pub done: u64,
    /// Estimated time for the rest.
    pub time_left: Duration,
}

/// Analyses positions on several threads, one position per thread, which is more efficient than all
/// threads on one position.
#[derive(Clone, Debug)]
pub struct Analyser {
    /// The number of threads.
    pub threads: usize,
    /// Hash size per thread in megabytes.
    pub hash: usize,
    /// The number of PV lines.
    pub multipv: usize,
    /// The limit of each search.
    pub budget: Budget,
    /// The evaluation.
    pub evaluation: Evaluation,
}

impl Analyser {
    /// Analyses all tasks; results may come in another order. `total` is the number of tasks: it
    /// limits the number of threads and serves to estimate the time left.
    ///
    /// The results are reproducible with one thread and a budget of nodes or depth.
    ///
    /// # Errors
    /// A hash table or a thread cannot be created.
    pub fn analyse<T: Send>(
        &self,
        tasks: &mut dyn Iterator<Item = AnalysisTask<T>>,
        total: u64,
        on_result: &mut dyn FnMut(AnalysisResult<T>, AnalysisProgress),
    ) -> std::io::Result<()> {
        let max_threads = usize::try_from(total).unwrap_or(usize::MAX).max(1);
        let threads = self.threads.clamp(1, max_threads);
        let allocator = LimitAllocator::new(self.budget, threads);
        let (task_sender, task_receiver) = mpsc::channel::<AnalysisTask<T>>();
        let (result_sender, results) = mpsc::channel();
        let task_receiver = Mutex::new(task_receiver);
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let searcher =
                    Searcher::new(self.hash, &self.evaluation).map_err(std::io::Error::other)?;
                let (tasks, results) = (&task_receiver, result_sender.clone());
                let (allocator, multipv) = (&allocator, self.multipv);
                spawn_search_thread(scope, "analysis", move || {
                    let mut worker = Worker { searcher, multipv };
                    loop {
                        let next = tasks.lock().unwrap_or_else(PoisonError::into_inner).recv();
                        let Ok(task) = next else { return };
                        let result = worker.analyse(task, allocator.next_limits());
                        if results.send(result).is_err() {
                            return;
                        }
                    }
                })
                .map_err(std::io::Error::other)?;
            }
            drop(result_sender);
            let (mut pending, mut done) = (0, 0);
            loop {
                // Enough tasks to keep all threads busy, but no more: the input may be large.
                while pending < 2 * threads {
                    let Some(task) = tasks.next() else {
                        break;
                    };
                    if task_sender.send(task).is_err() {
                        break;
                    }
                    pending += 1;
                }
                if pending == 0 {
                    break;
                }
                let Ok(result) = results.recv() else { break };
                pending -= 1;
                done += 1;
                on_result(result, allocator.progress(done, total));
            }
            drop(task_sender);
            Ok(())
        })
    }

    /// Analyses one position with all threads in one search.
    ///
    /// # Errors
    /// The hash table or a thread cannot be created, or the search fails.
    pub fn analyse_one<T>(&self, task: AnalysisTask<T>) -> std::io::Result<AnalysisResult<T>> {
        let start = Instant::now();
        let (hash, evaluation) = (self.hash * self.threads, self.evaluation.clone());
        let mut engine = Engine::with_evaluation(self.threads, hash, evaluation)
            .map_err(std::io::Error::other)?;
        engine
            .set_option("MultiPV", &self.multipv.to_string())
            .map_err(std::io::Error::other)?;
        let limits = LimitAllocator::new(self.budget, 1).next_limits();
        let search = engine.start_job(Job {
            previous_keys: task.previous_keys,
            ..Job::new(task.board, limits)
        });
        let mut collector = LineCollector::default();
        let mut result = None;
        for event in search.events() {
            match event {
                Event::Info(info) => collector.add(&info),
                Event::Finished(finished) => result = Some(finished),
                Event::Failed(error) => return Err(std::io::Error::other(error)),
                _ => {}
            }
        }
        let info = result.and_then(|result| result.info);
        let result = AnalysisResult::new(task.tag, task.board, info.as_ref(), start.elapsed());
        Ok(collector.complete(result, self.multipv))
    }
}

/// Divides the budget among the positions.
struct LimitAllocator {
    budget: Budget,
    threads: u64,
    start: Instant,
    /// Number of started positions.
    started: AtomicU64,
}

impl LimitAllocator {
    fn new(budget: Budget, threads: usize) -> LimitAllocator {
        LimitAllocator {
            budget,
            threads: threads as u64,
            start: Instant::now(),
            started: AtomicU64::new(0),
        }
    }

    /// The limits of the next position.
    fn next_limits(&self) -> Limits {
        let started = self.started.fetch_add(1, Ordering::Relaxed);
        match self.budget {
            Budget::MoveTime(time) => Limits::move_time(time),
            Budget::Nodes(nodes) => Limits::nodes(nodes),
            Budget::Depth(depth) => Limits::depth(depth),
            Budget::TotalTime(time, positions) => {
                let time_left = time.saturating_sub(self.start.elapsed());
                let positions_left = positions.saturating_sub(started).max(1);
                // Each thread analyses one position at a time.
                let rounds = positions_left.div_ceil(self.threads) as f64;
                Limits::move_time(time_left.div_f64(rounds).max(MIN_MOVE_TIME))
            }
        }
    }

    /// The progress, with the time left estimated from the positions so far or from the total time.
    fn progress(&self, done: u64, total: u64) -> AnalysisProgress {
        let elapsed = self.start.elapsed();
        let positions_left = total.saturating_sub(done);
        let time_left = match self.budget {
            Budget::TotalTime(time, _) => time.saturating_sub(elapsed),
            _ => elapsed.mul_f64(positions_left as f64 / done.max(1) as f64),
        };
        AnalysisProgress { done, time_left }
    }
}

struct Worker {
    searcher: Searcher,
    multipv: usize,
}

impl Worker {
    fn analyse<T>(&mut self, task: AnalysisTask<T>, limits: Limits) -> AnalysisResult<T> {
        let start = Instant::now();
        let job = Job {
            previous_keys: task.previous_keys,
            multipv: self.multipv,
            ..Job::new(task.board, limits)
        };
        let collector = Arc::new(Mutex::new(LineCollector::default()));
        let reporter = Box::new(CollectingReporter(Arc::clone(&collector)));
        let info = self.searcher.search_with(&job, reporter).info;
        let collector =
            std::mem::take(&mut *collector.lock().unwrap_or_else(PoisonError::into_inner));
        let result = AnalysisResult::new(task.tag, task.board, info.as_ref(), start.elapsed());
        let result = AnalysisResult {
            nodes: self.searcher.nodes(),
            ..result
        };
        collector.complete(result, self.multipv)
    }
}

/// Collects the infos of a search.
#[derive(Default)]
struct LineCollector {
    /// The last state of each line, identified by its first move.
    lines: Vec<PvLine>,
    best_moves: Vec<(Duration, Move, Score)>,
}

impl LineCollector {
    fn add(&mut self, info: &Info) {
        let Some(first) = info.pv.first() else { return };
        if info.multipv == 1 {
            let mate = mate_distance(info.score);
            match self.best_moves.last_mut() {
                Some((_, last, score)) if last == first && mate_distance(*score) == mate => {
                    *score = info.score;
                }
                _ => self
                    .best_moves
                    .push((info.progress.time, *first, info.score)),
            }
        }
        if info.bound != Bound::Exact {
            return;
        }
        match self.lines.iter_mut().find(|line| line.moves[0] == *first) {
            Some(line) => *line = PvLine::new(info),
            None => self.lines.push(PvLine::new(info)),
        }
    }

    /// Adds the other lines and the successive best moves to the result of the search.
    fn complete<T>(self, mut result: AnalysisResult<T>, multipv: usize) -> AnalysisResult<T> {
        if let Some(best) = result.lines.first() {
            let others = self.other_lines(best, multipv.saturating_sub(1));
            result.lines.extend(others);
        }
        result.best_moves = self.best_moves;
        result
    }

    /// The `count` best lines other than the best.
    fn other_lines(&self, best: &PvLine, count: usize) -> Vec<PvLine> {
        // Older lines are outdated; the last iteration may be incomplete.
        let recent =
            |line: &&PvLine| line.depth + 1 >= best.depth && line.moves[0] != best.moves[0];
        let mut others: Vec<PvLine> = self.lines.iter().filter(recent).cloned().collect();
        others.sort_by_key(|line| (Reverse(line.depth), Reverse(line.score)));
        others.truncate(count);
        others.sort_by_key(|line| Reverse(line.score));
        others
    }
}

struct CollectingReporter(Arc<Mutex<LineCollector>>);

impl Reporter for CollectingReporter {
    fn info(&mut self, info: &Info) {
        let mut collector = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        collector.add(info);
    }
}
