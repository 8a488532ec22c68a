//! Analyses many positions on several threads.

use crate::chess::{Board, KeyHistory, Move};
use crate::engine::{Engine, Event, Searcher, spawn_search_thread};
use crate::eval::Evaluation;
use crate::mutex::lock;
use crate::search::score::{MATE, MAX_PLY, Score};
use crate::search::{
    Info, Limits, PvLine, Reporter, SearchRequest, SearchResult, StopFlag, Tablebases,
    TranspositionTable,
};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// The minimum time of a position when a total time is divided.
const MIN_MOVE_TIME: Duration = Duration::from_millis(5);

/// The minimum number of nodes of a position, whatever the time: on a loaded machine a search of a
/// few nodes would show a dip that is not in the game.
const MIN_NODES: u64 = 10_000;

/// The number of positions of a [group](Analyser::analyse_groups) of a game. Fewer share less of
/// the transposition table, more keep fewer threads busy.
pub const GROUP_SIZE: usize = 12;

/// The default hash size of each analysis thread, in megabytes.
pub const DEFAULT_HASH: usize = 32;

/// The hash size for the [groups](Analyser::analyse_groups) of a game, in megabytes: at most `hash`,
/// and less where `nodes` a position cannot fill it. Clearing a larger table would take longer than
/// the searches.
pub fn hash_for_groups(hash: usize, nodes: Option<u64>) -> usize {
    let Some(nodes) = nodes else { return hash };
    let entries = nodes.saturating_mul(2 * GROUP_SIZE as u64);
    hash.min(1 + (entries / TranspositionTable::ENTRIES_PER_MEGABYTE) as usize)
}

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
    /// The earlier positions that can be repeated.
    pub previous_keys: KeyHistory,
}

/// The depth that a line needs. A search that has found a mate, or has searched the whole tree, goes
/// through the remaining depths at once; such depths say nothing.
pub fn needed_depth(line: &PvLine) -> u32 {
    if line.score.mate().is_some() {
        let plies_to_mate = (MATE - line.score.value().abs()).unsigned_abs();
        line.depth.min(plies_to_mate.max(1))
    } else if line.depth as usize >= MAX_PLY - 1 {
        line.pv.len() as u32
    } else {
        line.depth
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
    /// The result of a search of this position, which took this time.
    pub fn new(tag: T, board: Board, found: SearchResult, time: Duration) -> AnalysisResult<T> {
        let score = found.line().map(|line| line.score);
        AnalysisResult {
            tag,
            score: score.unwrap_or_else(|| Score::of_game_over(&board)),
            board,
            lines: found.lines,
            nodes: found.progress.nodes,
            time,
            best_moves: Vec::new(),
        }
    }

    /// The best move; `None` if the game is over.
    pub fn best(&self) -> Option<Move> {
        self.lines.first()?.pv.first().copied()
    }

    /// The depth that the best line needs.
    pub fn depth(&self) -> u32 {
        self.lines.first().map_or(0, needed_depth)
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
    /// Tablebases that the searches probe.
    pub tablebases: Option<Tablebases>,
    /// Ends an analysis of many positions, which then fails with [`io::ErrorKind::Interrupted`].
    pub stop: StopFlag,
}

impl Analyser {
    /// An analyser for [`explain`](super::explain). With one thread the same position has the same
    /// explanation.
    pub fn for_explanations(budget: Budget, evaluation: Evaluation) -> Analyser {
        let (threads, nodes) = match budget {
            Budget::MoveTime(_) => (thread::available_parallelism().map_or(1, |n| n.get()), None),
            Budget::Nodes(nodes) => (1, Some(nodes)),
            _ => (1, None),
        };
        let hash = hash_for_groups(DEFAULT_HASH, nodes);
        let stop = StopFlag::default();
        Analyser { threads, hash, multipv: 1, budget, evaluation, tablebases: None, stop }
    }

    /// Analyses independent tasks; results may come in another order. `total` is the number of
    /// tasks: it limits the number of threads and serves to estimate the time left.
    ///
    /// The results are reproducible with one thread and a budget of nodes or depth.
    ///
    /// # Errors
    /// A hash table or a thread cannot be created, or the analysis is stopped.
    pub fn analyse<T: Send>(
        &self,
        tasks: &mut dyn Iterator<Item = AnalysisTask<T>>,
        total: u64,
        on_result: &mut dyn FnMut(AnalysisResult<T>, AnalysisProgress),
    ) -> io::Result<()> {
        let mut groups = tasks.map(|task| TaskGroup { tasks: vec![task], clear: false });
        self.run(&mut groups, self.hash, total, on_result)
    }

    /// Analyses groups of related tasks, such as [`game_groups`]. A group is searched by one thread
    /// in its order, beginning with an empty transposition table; so with a budget of nodes or
    /// depth the results are the same with any number of threads, and whatever was analysed before.
    /// The results of different groups may come in another order.
    ///
    /// # Errors
    /// A hash table or a thread cannot be created, or the analysis is stopped.
    pub fn analyse_groups<T: Send>(
        &self,
        groups: &mut dyn Iterator<Item = Vec<AnalysisTask<T>>>,
        total: u64,
        on_result: &mut dyn FnMut(AnalysisResult<T>, AnalysisProgress),
    ) -> io::Result<()> {
        let mut groups = groups.map(|tasks| TaskGroup { tasks, clear: true });
        let nodes = if let Budget::Nodes(nodes) = self.budget { Some(nodes) } else { None };
        self.run(&mut groups, hash_for_groups(self.hash, nodes), total, on_result)
    }

    fn run<T: Send>(
        &self,
        groups: &mut dyn Iterator<Item = TaskGroup<T>>,
        hash: usize,
        total: u64,
        on_result: &mut dyn FnMut(AnalysisResult<T>, AnalysisProgress),
    ) -> io::Result<()> {
        let max_threads = usize::try_from(total).unwrap_or(usize::MAX).max(1);
        let threads = self.threads.clamp(1, max_threads);
        let allocator = LimitAllocator::new(self.budget, threads);
        let (group_sender, group_receiver) = mpsc::channel::<TaskGroup<T>>();
        let (result_sender, results) = mpsc::channel();
        let group_receiver = Mutex::new(group_receiver);
        thread::scope(|scope| -> io::Result<()> {
            for _ in 0..threads {
                let searcher = Searcher::new(hash, &self.evaluation).map_err(io::Error::other)?;
                let (groups, results) = (&group_receiver, result_sender.clone());
                let allocator = &allocator;
                let (multipv, stop) = (self.multipv, self.stop.clone());
                let tablebases = self.tablebases.clone();
                spawn_search_thread(scope, "analysis", move || {
                    let mut worker = Worker { searcher, multipv, tablebases, stop };
                    loop {
                        let next = lock(groups).recv();
                        let Ok(group) = next else { return };
                        if worker.analyse_group(group, allocator, &results).is_err() {
                            return;
                        }
                    }
                })
                .map_err(io::Error::other)?;
            }
            drop(result_sender);
            let (mut pending, mut done) = (0, 0);
            loop {
                // Enough groups to keep all threads busy, but no more: the input may be large.
                while pending < 2 * threads && !self.stop.is_set() {
                    let Some(group) = groups.next() else {
                        break;
                    };
                    if group_sender.send(group).is_err() {
                        break;
                    }
                    pending += 1;
                }
                if pending == 0 {
                    break;
                }
                let Ok((result, is_last)) = results.recv() else {
                    break;
                };
                pending -= usize::from(is_last);
                done += 1;
                on_result(result, allocator.progress(done, total));
            }
            drop(group_sender);
            Ok(())
        })?;
        if self.stop.is_set() { Err(io::ErrorKind::Interrupted.into()) } else { Ok(()) }
    }

    /// Analyses one position with all threads in one search.
    ///
    /// # Errors
    /// The hash table or a thread cannot be created, or the search fails.
    pub fn analyse_one<T>(&self, task: AnalysisTask<T>) -> io::Result<AnalysisResult<T>> {
        let start = Instant::now();
        let (hash, evaluation) = (self.hash * self.threads, self.evaluation.clone());
        let mut engine =
            Engine::with_evaluation(self.threads, hash, evaluation).map_err(io::Error::other)?;
        let limits = LimitAllocator::new(self.budget, 1).next_limits(1);
        let mut request = SearchRequest {
            previous_keys: task.previous_keys,
            multipv: self.multipv,
            threads: self.threads,
            tablebases: self.tablebases.clone(),
            ..SearchRequest::new(task.board, limits)
        };
        let mut best_moves = BestMoves::default();
        let mut found = search_once(&mut engine, &request, &mut best_moves)?;
        if needs_more_nodes(&request.limits, &found) {
            request.limits = Limits::nodes(MIN_NODES);
            best_moves.earlier = start.elapsed();
            found = search_once(&mut engine, &request, &mut best_moves)?;
        }
        Ok(AnalysisResult {
            best_moves: best_moves.moves,
            ..AnalysisResult::new(task.tag, task.board, found, start.elapsed())
        })
    }
}

/// One search of an engine.
fn search_once(
    engine: &mut Engine,
    request: &SearchRequest,
    best_moves: &mut BestMoves,
) -> io::Result<SearchResult> {
    let search = engine.start_request(request.clone());
    for event in search.events() {
        if let Event::Info(info) = event {
            best_moves.add(&info);
        }
    }
    search.wait().map_err(io::Error::other)
}

/// The tasks of a game, as [`game_positions`](super::game_positions) returns them, in groups. Only
/// the game decides where a group ends, not the number of threads.
pub fn game_groups<T>(tasks: Vec<AnalysisTask<T>>) -> Vec<Vec<AnalysisTask<T>>> {
    let mut tasks = tasks.into_iter();
    let next = || Some(tasks.by_ref().take(GROUP_SIZE).collect::<Vec<_>>());
    std::iter::from_fn(next).take_while(|group| !group.is_empty()).collect()
}

/// The number of groups of a game with this number of positions, by [`game_groups`].
pub fn group_count(positions: usize) -> usize {
    positions.div_ceil(GROUP_SIZE)
}

/// Whether the analysis of a game begins with an empty transposition table at the position that
/// this number of plies comes before its last one: the rule of [`game_groups`].
pub fn begins_group(plies_to_end: usize) -> bool {
    plies_to_end.is_multiple_of(GROUP_SIZE)
}

/// Tasks that one thread searches one after another.
struct TaskGroup<T> {
    tasks: Vec<AnalysisTask<T>>,
    /// Whether to begin with an empty transposition table.
    clear: bool,
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

    /// The limits of the next position of a thread; `group_left` positions of its group are left,
    /// this one included.
    fn next_limits(&self, group_left: u64) -> Limits {
        let started = self.started.fetch_add(1, Ordering::Relaxed);
        match self.budget {
            Budget::MoveTime(time) => Limits::move_time(time),
            Budget::Nodes(nodes) => Limits::nodes(nodes),
            Budget::Depth(depth) => Limits::depth(depth),
            Budget::TotalTime(time, positions) => {
                let time_left = time.saturating_sub(self.start.elapsed());
                let positions_left = positions.saturating_sub(started).max(1);
                // Each thread analyses one position at a time, and a group stays with its thread:
                // at the end the others have nothing to do.
                let rounds = positions_left.div_ceil(self.threads).max(group_left);
                Limits::move_time(time_left.div_f64(rounds as f64).max(MIN_MOVE_TIME))
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
    tablebases: Option<Tablebases>,
    stop: StopFlag,
}

impl Worker {
    /// Sends the results of a group, each with a flag that marks the last one. A stop leaves out the
    /// rest. An error if nobody receives them.
    fn analyse_group<T>(
        &mut self,
        group: TaskGroup<T>,
        allocator: &LimitAllocator,
        results: &mpsc::Sender<(AnalysisResult<T>, bool)>,
    ) -> Result<(), ()> {
        if group.clear && !self.stop.is_set() {
            self.searcher.clear();
        }
        let mut left = group.tasks.len() as u64;
        for task in group.tasks {
            let result = self.analyse(task, allocator.next_limits(left));
            left -= 1;
            let is_last = left == 0 || self.stop.is_set();
            results.send((result, is_last)).map_err(|_| ())?;
            if is_last {
                break;
            }
        }
        Ok(())
    }

    fn analyse<T>(&mut self, task: AnalysisTask<T>, limits: Limits) -> AnalysisResult<T> {
        let start = Instant::now();
        let mut request = SearchRequest {
            previous_keys: task.previous_keys,
            multipv: self.multipv,
            tablebases: self.tablebases.clone(),
            stop: self.stop.clone(),
            ..SearchRequest::new(task.board, limits)
        };
        let best_moves = Arc::new(Mutex::new(BestMoves::default()));
        let mut found = self.search(&request, &best_moves);
        if needs_more_nodes(&request.limits, &found) {
            // The transposition table brings the search to where it was.
            request.limits = Limits::nodes(MIN_NODES);
            lock(&best_moves).earlier = start.elapsed();
            found = self.search(&request, &best_moves);
        }
        let best_moves = std::mem::take(&mut lock(&best_moves).moves);
        AnalysisResult {
            best_moves,
            ..AnalysisResult::new(task.tag, task.board, found, start.elapsed())
        }
    }

    fn search(
        &mut self,
        request: &SearchRequest,
        best_moves: &Arc<Mutex<BestMoves>>,
    ) -> SearchResult {
        let reporter = Box::new(BestMovesReporter(Arc::clone(best_moves)));
        self.searcher.search_with(request, reporter)
    }
}

/// Whether a search by time has ended before the minimum number of nodes and has not searched the
/// whole tree.
fn needs_more_nodes(limits: &Limits, found: &SearchResult) -> bool {
    limits.move_time.is_some()
        && found.progress.nodes < MIN_NODES
        && found.line().is_some_and(|line| (line.depth as usize) < MAX_PLY - 1)
}

/// Notes the successive best moves of a search.
#[derive(Default)]
struct BestMoves {
    moves: Vec<(Duration, Move, Score)>,
    /// The time of earlier searches of the position.
    earlier: Duration,
}

impl BestMoves {
    fn add(&mut self, info: &Info) {
        let Some(line) = info.lines.first() else {
            return;
        };
        let Some(first) = line.pv.first() else { return };
        match self.moves.last_mut() {
            Some((_, m, score)) if m == first && score.mate() == line.score.mate() => {
                *score = line.score;
            }
            _ => {
                let time = self.earlier + info.progress.time;
                self.moves.push((time, *first, line.score));
            }
        }
    }
}

struct BestMovesReporter(Arc<Mutex<BestMoves>>);

impl Reporter for BestMovesReporter {
    fn info(&mut self, info: &Info) {
        lock(&self.0).add(info);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_time_suffices_for_the_rest_of_a_group() {
        // Threads, positions left, positions left in the group; the share of the time.
        let cases = [
            (1, 24, 12, 24),
            (2, 24, 12, 12),
            (8, 24, 12, 12),
            (8, 4, 4, 4),
            (8, 4, 1, 1),
            (8, 0, 1, 1),
        ];
        let total = Duration::from_secs(1_000_000);
        for (threads, positions, in_group, rounds) in cases {
            let allocator = LimitAllocator::new(Budget::TotalTime(total, positions), threads);
            let time = allocator.next_limits(in_group).move_time;
            let share = total.as_secs_f64() / f64::from(rounds);
            let time = time.expect("a time").as_secs_f64();
            assert!((share - time).abs() < 60.0, "{threads} {positions}: {time}");
        }
    }
}
