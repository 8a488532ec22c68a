//! The search threads of an engine.
//!
//! Every thread waits for a task. The main thread (number 0) reports the search; when it has ended,
//! it stops the other threads, collects their results and selects the best one.

use super::EngineError;
use super::search::{Event, SearchControl, SearchError};
use crate::chess::{Board, Move, perft};
use crate::eval::Evaluation;
use crate::search::{
    Info, NullReporter, Reporter, SearchRequest, SearchResult, SharedState, Worker,
};
use crossbeam_channel::{Receiver, Sender, unbounded};
use log::debug;
use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, Builder, JoinHandle, Scope};
use std::time::Duration;

/// The stack size of a search thread, in bytes: the search recurses up to its maximum ply.
pub const STACK_SIZE: usize = 16 << 20;

/// Starts a thread with the stack size that a search needs, for a
/// [`Searcher`](super::Searcher).
///
/// # Errors
/// If the system starts no more threads.
pub fn spawn_search_thread<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) -> Result<(), EngineError> {
    let thread = Builder::new().name(name.to_owned()).stack_size(STACK_SIZE);
    thread.spawn_scoped(scope, work)?;
    Ok(())
}

/// An event of a running perft.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PerftEvent {
    /// The leaf nodes below a root move.
    Move(Move, u64),
    /// Perft has ended. No event follows.
    Finished {
        /// All leaf nodes counted.
        nodes: u64,
        /// Whether all root moves were counted; not if perft was stopped.
        complete: bool,
    },
    /// Perft has ended without a result. No event follows.
    Failed(SearchError),
}

/// Receives the events of a task.
pub(super) type Listener<E> = Arc<dyn Fn(E) + Send + Sync>;

/// A task for the threads.
pub(super) enum Task {
    Search(Box<SearchRequest>, Listener<Event>),
    Perft(Board, u32, Listener<PerftEvent>),
}

impl Task {
    pub(super) fn fail(&self, error: SearchError) {
        match self {
            Task::Search(_, listener) => listener(Event::Failed(error)),
            Task::Perft(.., listener) => listener(PerftEvent::Failed(error)),
        }
    }
}

/// A message to a thread.
enum Message {
    /// Run the task, and send the result to the main thread.
    Run(Arc<Run>),
    /// Clear the histories, then drop the sender.
    Clear(Sender<()>),
}

/// One run of a task.
struct Run {
    task: Task,
    results: Sender<SearchResult>,
    /// The main thread receives the results of the other threads here.
    all_results: Receiver<SearchResult>,
    threads: usize,
    /// Dropped by all threads when they have finished.
    _done: Sender<()>,
}

struct Thread {
    messages: Sender<Message>,
    handle: Option<JoinHandle<()>>,
}

/// A task that the threads run or have finished.
struct RunningTask {
    control: SearchControl,
    /// Closed when every thread has finished the task.
    done: Receiver<()>,
}

/// The threads of one engine. Dropping it stops the running task and waits for its threads.
pub(super) struct ThreadPool {
    threads: Vec<Thread>,
    /// The last task.
    running: Option<RunningTask>,
}

impl ThreadPool {
    /// A pool without threads.
    pub(super) fn empty() -> ThreadPool {
        ThreadPool { threads: Vec::new(), running: None }
    }

    /// Starts this number of threads, and waits until each has its memory: a search that starts
    /// afterwards does not wait for it.
    pub(super) fn new(
        threads: usize,
        shared: &Arc<SharedState>,
        evaluation: &Evaluation,
    ) -> io::Result<ThreadPool> {
        let (ready, all_ready) = unbounded();
        let mut pool = ThreadPool { threads: Vec::with_capacity(threads), running: None };
        for id in 0..threads {
            let (messages, received) = unbounded();
            let (shared, evaluation) = (Arc::clone(shared), evaluation.clone());
            let ready = ready.clone();
            let handle = Builder::new()
                .name(format!("search-{id}"))
                .stack_size(STACK_SIZE)
                .spawn(move || run_thread(id, &shared, &evaluation, &received, ready))?;
            pool.threads.push(Thread { messages, handle: Some(handle) });
        }
        drop(ready);
        wait_for_all(&all_ready);
        Ok(pool)
    }

    /// The number of threads.
    pub(super) fn len(&self) -> usize {
        self.threads.len()
    }

    /// Starts the task on the threads.
    pub(super) fn start(&mut self, task: Task, shared: &Arc<SharedState>) -> SearchControl {
        let (results, all_results) = unbounded();
        let (finished, done) = unbounded();
        let threads = match &task {
            Task::Search(request, _) => request.threads.min(self.threads.len()),
            Task::Perft(..) => 1,
        };
        if self.threads.is_empty() {
            task.fail(SearchError::NoThread);
        }
        let run = Arc::new(Run { task, results, all_results, threads, _done: finished });
        for thread in self.threads.iter().take(threads) {
            // If the thread has ended, its listener is dropped without a last event.
            let _ = thread.messages.send(Message::Run(Arc::clone(&run)));
        }
        let control = SearchControl::new(shared);
        self.running = Some(RunningTask { control: control.clone(), done });
        control
    }

    /// Stops the running task, if any, and waits for its threads.
    pub(super) fn finish(&mut self) {
        if let Some(task) = self.running.take() {
            task.control.stop();
            wait_for_all(&task.done);
        }
    }

    /// Clears the histories of every thread, and waits for it. No task may be running.
    pub(super) fn clear(&self) {
        let (done, all_done) = unbounded();
        for thread in &self.threads {
            let _ = thread.messages.send(Message::Clear(done.clone()));
        }
        drop(done);
        wait_for_all(&all_done);
    }
}

/// Waits until every thread has dropped its sender of this channel; nothing is ever sent.
fn wait_for_all(channel: &Receiver<()>) {
    let _ = channel.recv();
}

impl Drop for ThreadPool {
    fn drop(&mut self) {
        self.finish();
        for mut thread in self.threads.drain(..) {
            drop(thread.messages);
            if let Some(handle) = thread.handle.take() {
                let _ = handle.join();
            }
        }
    }
}

/// The main loop of a thread: runs tasks until the pool is dropped. It drops `ready` when it has
/// its memory.
fn run_thread(
    id: usize,
    shared: &Arc<SharedState>,
    evaluation: &Evaluation,
    messages: &Receiver<Message>,
    ready: Sender<()>,
) {
    let mut worker = Worker::new(id, Arc::clone(shared), evaluation);
    drop(ready);
    for message in messages {
        match message {
            Message::Clear(done) => {
                worker.clear();
                drop(done);
            }
            Message::Run(run) => {
                let result = catch_unwind(AssertUnwindSafe(|| match &run.task {
                    Task::Search(request, listener) => {
                        search(id, &mut worker, shared, request, listener, &run);
                    }
                    Task::Perft(board, depth, listener) => {
                        count_moves(board, *depth, shared, listener, &mut || {});
                    }
                }));
                if result.is_err() {
                    // The panic may have left the worker in an inconsistent state.
                    worker = Worker::new(id, Arc::clone(shared), evaluation);
                    shared.stop();
                    let _ = run.results.send(SearchResult::default());
                    if id == 0 {
                        run.task.fail(SearchError::Panicked);
                    }
                }
            }
        }
    }
}

/// Polling interval while a result is held back.
const HOLD_BACK_STEP: Duration = Duration::from_millis(2);

/// Waits for the minimum time of the request, which begins with the `ponderhit` of a search that
/// ponders, or until a stop.
fn hold_back(request: &SearchRequest, shared: &SharedState) {
    if request.min_time.is_zero() {
        return;
    }
    while !shared.is_stopped() && (shared.is_pondering() || shared.clock_time() < request.min_time)
    {
        thread::sleep(HOLD_BACK_STEP);
    }
}

fn search(
    id: usize,
    worker: &mut Worker,
    shared: &SharedState,
    request: &SearchRequest,
    listener: &Listener<Event>,
    run: &Run,
) {
    if id > 0 {
        let result = worker.run(request, Box::new(NullReporter));
        let _ = run.results.send(result);
        return;
    }
    let mut result = worker.run(request, Box::new(ListenerReporter(Arc::clone(listener))));
    hold_back(request, shared);
    shared.stop();
    if run.threads > 1 {
        let mut results = vec![result];
        results.extend(run.all_results.iter().take(run.threads - 1));
        result = if request.multipv == 1 && request.variety.is_none() {
            best_thread(results)
        } else {
            results.swap_remove(0)
        };
    }
    // Holding back takes time, and the last threads count nodes.
    result.progress = shared.progress();
    report_result(&request.board, result, listener);
}

/// Logs the result of a search and reports it as its last event.
pub(super) fn report_result(board: &Board, result: SearchResult, listener: &Listener<Event>) {
    match (result.best, result.line()) {
        (Some(m), Some(line)) => debug!(
            "best move {}, score {}, depth {}, {} nodes, {:?}",
            board.san(m),
            line.score,
            line.depth,
            result.progress.nodes,
            result.progress.time
        ),
        _ => debug!("no legal move"),
    }
    listener(Event::Finished(result));
}

/// Selects one of the threads' results by vote. Each thread votes for its best move; its vote
/// counts more with its depth and with the margin of its score over the lowest score.
fn best_thread(results: Vec<SearchResult>) -> SearchResult {
    let score_and_depth =
        |result: &SearchResult| result.line().map(|line| (line.score.value(), line.depth));
    let lowest =
        results.iter().filter_map(score_and_depth).map(|(score, _)| score).min().unwrap_or(0);
    let mut votes: HashMap<Option<Move>, i64> = HashMap::new();
    for result in &results {
        if let Some((score, depth)) = score_and_depth(result) {
            *votes.entry(result.best).or_default() +=
                i64::from(score - lowest + 20) * i64::from(depth);
        }
    }
    let mut best = 0;
    for (i, result) in results.iter().enumerate().skip(1) {
        let vote = |result: &SearchResult| votes.get(&result.best).copied().unwrap_or(0);
        let better = match (score_and_depth(result), score_and_depth(&results[best])) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(new), Some(old)) => {
                (vote(result), new.1, new.0) > (vote(&results[best]), old.1, old.0)
            }
        };
        if better {
            best = i;
        }
    }
    results.into_iter().nth(best).unwrap_or_default()
}

/// Passes what the search reports to the listener.
pub(super) struct ListenerReporter(pub(super) Listener<Event>);

impl Reporter for ListenerReporter {
    fn info(&mut self, info: &Info) {
        (self.0)(Event::Info(info.clone()));
    }

    fn current_move(&mut self, depth: u32, m: Move, move_number: usize) {
        (self.0)(Event::CurrentMove { depth, m, move_number });
    }
}

/// Runs perft after each root move, and polls from time to time.
pub(super) fn count_moves(
    board: &Board,
    depth: u32,
    shared: &SharedState,
    listener: &Listener<PerftEvent>,
    poll: &mut dyn FnMut(),
) {
    // No greater depth ends in any reasonable time, and the stack is finite.
    let depth = depth.min(perft::MAX_DEPTH);
    let (mut nodes, mut complete) = (u64::from(depth == 0), true);
    for (m, child) in board.children().take(if depth == 0 { 0 } else { usize::MAX }) {
        let Some(leaf_nodes) = stoppable_perft(&child, depth - 1, shared, poll) else {
            complete = false;
            break;
        };
        nodes += leaf_nodes;
        listener(PerftEvent::Move(m, leaf_nodes));
    }
    listener(PerftEvent::Finished { nodes, complete });
}

/// The leaf nodes; `None` if perft was stopped.
fn stoppable_perft(
    board: &Board,
    depth: u32,
    shared: &SharedState,
    poll: &mut dyn FnMut(),
) -> Option<u64> {
    let mut poll = || {
        poll();
        if shared.is_stopped() { Err(()) } else { Ok(()) }
    };
    perft::perft_polling(board, depth, &mut poll).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Game;
    use crate::engine::{Engine, Platform};
    use crate::search::Limits;
    use std::sync::mpsc::channel;

    /// Small enough for Miri.
    #[test]
    fn threads_search_while_hash_and_threads_change() {
        let mut engine = Engine::with_platform(Platform::default(), 2, 1, Evaluation::PieceSquare)
            .expect("two threads and a megabyte");
        let board = Board::from_fen("8/8/8/8/8/1k6/7r/K7 b - - 0 1").expect("legal");
        let game = Game::new(board);
        let changes: [fn(&mut Engine); 3] = [
            |engine| engine.set_hash(2).expect("memory"),
            |engine| engine.set_threads(3).expect("threads"),
            Engine::clear_hash,
        ];
        for change in changes {
            let search = engine.start(&game, Limits::depth(1));
            change(&mut engine);
            let result = search.wait().expect("a result");
            assert!(result.best.is_some());
        }
    }

    /// Starts a task that does not end by itself.
    type Start = fn(&mut Engine);

    #[test]
    fn dropping_an_engine_stops_its_running_task() {
        let infinite: Start = |engine| {
            let limits = Limits { infinite: true, ..Limits::default() };
            let _ = engine.start(&Game::default(), limits);
        };
        let ponder: Start = |engine| {
            let limits = Limits { ponder: true, ..Limits::move_time(Duration::from_millis(1)) };
            let _ = engine.start(&Game::default(), limits);
        };
        let perft: Start = |engine| {
            let _ = engine.start_perft(&Board::startpos(), 20, |_| {});
        };
        // Far longer than any thread needs to stop.
        let deadline = Duration::from_secs(60);
        for (name, start) in [("infinite", infinite), ("ponder", ponder), ("perft", perft)] {
            let (dropped, ended) = channel();
            thread::spawn(move || {
                let mut engine =
                    Engine::with_platform(Platform::default(), 2, 1, Evaluation::PieceSquare)
                        .expect("two threads and a megabyte");
                start(&mut engine);
                drop(engine);
                let _ = dropped.send(());
            });
            assert_eq!(ended.recv_timeout(deadline), Ok(()), "{name}");
        }
    }

    #[test]
    fn a_new_pool_has_the_memory_of_all_threads() {
        let shared = Arc::new(SharedState::new(6, 1).expect("a megabyte"));
        let _pool = ThreadPool::new(6, &shared, &Evaluation::PieceSquare).expect("threads");
        // Each thread and its worker hold the shared state.
        assert_eq!(Arc::strong_count(&shared), 1 + 2 * 6);
    }

    #[test]
    fn a_limit_of_the_nodes_holds_for_all_threads_together() {
        const THREADS: usize = 8;
        let mut engine =
            Engine::with_platform(Platform::default(), THREADS, 1, Evaluation::PieceSquare)
                .expect("threads and a megabyte");
        for nodes in [50, 1000] {
            let search = engine.start(&Game::default(), Limits::nodes(nodes));
            let result = search.wait().expect("a result");
            // A thread that was interrupted may still search its share.
            let max = 2 * nodes + THREADS as u64;
            assert!(result.progress.nodes <= max, "{nodes}: {result:?}");
        }
    }

    #[test]
    fn without_threads_a_task_fails_at_once() {
        let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
        let mut pool = ThreadPool::empty();
        let request = SearchRequest::new(Board::startpos(), Limits::depth(3));
        let (sender, events) = channel();
        let listener = Arc::new(move |event| drop(sender.send(event)));
        pool.start(Task::Search(Box::new(request), listener), &shared);
        pool.finish();
        let events: Vec<Event> = events.iter().collect();
        assert_eq!(events, [Event::Failed(SearchError::NoThread)]);
        let (sender, events) = channel();
        let listener = Arc::new(move |event| drop(sender.send(event)));
        pool.start(Task::Perft(Board::startpos(), 3, listener), &shared);
        pool.finish();
        let events: Vec<PerftEvent> = events.iter().collect();
        assert_eq!(events, [PerftEvent::Failed(SearchError::NoThread)]);
    }
}
