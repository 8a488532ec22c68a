//! Threads that wait for work, and the searches they do.
//!
//! Every thread is parked on a channel until a task comes. The main thread (number 0) of a search
//! reports; when it has ended it stops the others, collects what they found and lets them vote.

use super::EngineError;
use crate::chess::{Board, Move, perft};
use crate::eval::Evaluation;
use crate::search::{Bound, Info, Job, NullReporter, Reporter, SearchResult, SharedState, Worker};
use crossbeam_channel::{Receiver, Sender, unbounded};
use log::debug;
use std::collections::HashMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{Builder, JoinHandle, Scope};
use std::time::Duration;

/// The stack of a thread that searches: the search recurses deeply, and its frames are large.
pub const STACK: usize = 16 << 20;

/// Starts a thread of this name in which a search of one's own, like [`Solo`](super::Solo)'s, has the
/// stack it needs.
///
/// # Errors
/// If the system gives us no more threads.
pub fn spawn_searcher<'scope>(
    scope: &'scope Scope<'scope, '_>,
    name: &str,
    work: impl FnOnce() + Send + 'scope,
) -> Result<(), EngineError> {
    let thread = Builder::new().name(name.to_owned()).stack_size(STACK);
    thread.spawn_scoped(scope, work)?;
    Ok(())
}

/// What a running search tells.
#[derive(Clone, Debug)]
pub enum Event {
    /// A line of play.
    Info(Info),
    /// A root move being looked at: depth, move, its number from 1.
    CurrentMove(u32, Move, usize),
    /// Perft: so many paths behind the move.
    Divided(Move, u64),
    /// Perft has ended.
    Counted {
        /// So many paths in all,
        paths: u64,
        /// or more, if it was stopped.
        complete: bool,
    },
    /// The search has ended.
    Finished(SearchResult),
    /// The search has ended by a fault of ours; what was known until then.
    Failed(String),
}

/// How far a search has got.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Boards made by all threads.
    pub nodes: u64,
    /// Positions found in endgame tables.
    pub tb_hits: u64,
    /// How full the transposition table is, in thousandths.
    pub hashfull: u32,
    /// Since the search began.
    pub time: Duration,
}

/// A search that runs, or has ended.
pub struct Search {
    events: Receiver<Event>,
    shared: Arc<SharedState>,
}

impl Search {
    /// What the search tells; ends with `Finished`, `Counted` or `Failed`.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }

    /// The lines of play with exact scores that the search tells, until it ends.
    pub fn infos(&self) -> impl Iterator<Item = Info> + '_ {
        self.events.iter().filter_map(|event| match event {
            Event::Info(info) if info.bound == Bound::Exact => Some(info),
            _ => None,
        })
    }

    /// Ends the search as soon as may be; returns at once.
    pub fn stop(&self) {
        self.shared.stop();
    }

    /// The opponent made the move we were thinking about: our clock runs.
    pub fn ponder_hit(&self) {
        self.shared.ponder_hit();
    }

    /// How far it has got.
    pub fn progress(&self) -> Progress {
        Progress {
            nodes: self.shared.nodes(),
            tb_hits: self.shared.tb_hits(),
            hashfull: self.shared.tt.hashfull(),
            time: self.shared.search_time(),
        }
    }

    /// Waits for the end.
    pub fn wait(self) -> SearchResult {
        loop {
            match self.events.recv() {
                Ok(Event::Finished(outcome)) => return outcome,
                Ok(Event::Failed(_)) | Err(_) => return SearchResult::default(),
                Ok(_) => {}
            }
        }
    }
}

/// Something for the threads to do.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Search(Box<Job>),
    Perft(Board, u32),
}

/// What a thread is sent.
enum Order {
    /// Do it, and tell the main thread.
    Work(Arc<Work>),
    Clear,
}

struct Work {
    task: Task,
    events: Sender<Event>,
    found: Sender<SearchResult>,
    /// The main thread takes what the others found from here.
    all_found: Receiver<SearchResult>,
    threads: usize,
    /// Dropped by all threads when they are through.
    _done: Sender<()>,
}

struct Thread {
    orders: Sender<Order>,
    handle: Option<JoinHandle<()>>,
}

/// The threads of one engine.
pub(super) struct Pool {
    threads: Vec<Thread>,
    /// Closed when every thread is through with the last task.
    running: Option<Receiver<()>>,
}

impl Pool {
    /// No threads.
    pub(super) fn empty() -> Pool {
        Pool {
            threads: Vec::new(),
            running: None,
        }
    }

    pub(super) fn new(
        threads: usize,
        shared: &Arc<SharedState>,
        evaluation: &Evaluation,
    ) -> io::Result<Pool> {
        let mut pool = Pool {
            threads: Vec::with_capacity(threads),
            running: None,
        };
        for id in 0..threads {
            let (orders, received) = unbounded();
            let (shared, evaluation) = (Arc::clone(shared), evaluation.clone());
            let handle = Builder::new()
                .name(format!("search-{id}"))
                .stack_size(STACK)
                .spawn(move || serve(id, &shared, &evaluation, &received))?;
            pool.threads.push(Thread {
                orders,
                handle: Some(handle),
            });
        }
        Ok(pool)
    }

    /// How many threads there are.
    pub(super) fn len(&self) -> usize {
        self.threads.len()
    }

    /// Hands the task to the threads.
    pub(super) fn start(&mut self, mut task: Task, shared: &Arc<SharedState>) -> Search {
        let (events, received) = unbounded();
        let (found, all_found) = unbounded();
        let (done, running) = unbounded();
        let threads = match &task {
            // One that errs does so reproducibly.
            Task::Search(job) if job.handicap.is_some() => 1,
            Task::Search(_) => self.threads.len(),
            Task::Perft(..) => 1,
        };
        if let Task::Search(job) = &mut task {
            job.threads = threads;
        }
        let work = Arc::new(Work {
            task,
            events,
            found,
            all_found,
            threads,
            _done: done,
        });
        for thread in self.threads.iter().take(threads) {
            // A thread that is gone is noticed by the missing end of the search.
            let _ = thread.orders.send(Order::Work(Arc::clone(&work)));
        }
        self.running = Some(running);
        Search {
            events: received,
            shared: Arc::clone(shared),
        }
    }

    /// Ends the search that runs, if one does, and waits for its threads.
    pub(super) fn finish(&mut self, shared: &SharedState) {
        if let Some(running) = self.running.take() {
            shared.stop();
            // Nothing is ever sent: the call returns when the last thread has let go.
            let _ = running.recv();
        }
    }

    /// Lets every thread forget.
    pub(super) fn clear(&self) {
        for thread in &self.threads {
            let _ = thread.orders.send(Order::Clear);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for mut thread in self.threads.drain(..) {
            drop(thread.orders);
            if let Some(handle) = thread.handle.take() {
                let _ = handle.join();
            }
        }
    }
}

/// A thread's life: waiting for orders until there is no one left to give them.
fn serve(id: usize, shared: &Arc<SharedState>, evaluation: &Evaluation, orders: &Receiver<Order>) {
    let mut worker = Worker::new(id, Arc::clone(shared), evaluation);
    for order in orders {
        match order {
            Order::Clear => worker.clear(),
            Order::Work(work) => {
                let result = catch_unwind(AssertUnwindSafe(|| match &work.task {
                    Task::Search(job) => search(id, &mut worker, shared, job, &work),
                    Task::Perft(board, depth) => count(board, *depth, shared, &work),
                }));
                if result.is_err() {
                    // Whatever state the worker is in, it is not to be trusted.
                    worker = Worker::new(id, Arc::clone(shared), evaluation);
                    shared.stop();
                    let _ = work.found.send(SearchResult::default());
                    if id == 0 {
                        let text = "a search thread failed; its search has ended";
                        let _ = work.events.send(Event::Failed(text.to_owned()));
                    }
                }
            }
        }
    }
}

fn search(id: usize, worker: &mut Worker, shared: &SharedState, job: &Job, work: &Work) {
    if id > 0 {
        let outcome = worker.run(job, Box::new(NullReporter));
        let _ = work.found.send(outcome);
        return;
    }
    let mut outcome = worker.run(job, Box::new(Sending(work.events.clone())));
    shared.stop();
    if work.threads > 1 {
        let mut outcomes = vec![outcome];
        outcomes.extend(work.all_found.iter().take(work.threads - 1));
        outcome = if job.multipv == 1 && job.variety.is_none() {
            elect(outcomes)
        } else {
            outcomes.swap_remove(0)
        };
    }
    note_end(&job.board, &outcome);
    let _ = work.events.send(Event::Finished(outcome));
}

/// Writes down for the log how a search has ended.
fn note_end(board: &Board, outcome: &SearchResult) {
    match (outcome.best, &outcome.info) {
        (Some(m), Some(info)) => debug!(
            "found {}, score {}, depth {}, {} nodes, {:?}",
            board.san(m),
            info.score,
            info.depth,
            info.nodes,
            info.time
        ),
        _ => debug!("found no move"),
    }
}

/// The outcome that the threads vote for: each votes for its move with the depth it reached and by
/// how much its score is above the worst.
fn elect(outcomes: Vec<SearchResult>) -> SearchResult {
    let known = |outcome: &SearchResult| outcome.info.as_ref().map(|info| (info.score, info.depth));
    let worst = outcomes
        .iter()
        .filter_map(known)
        .map(|(score, _)| score)
        .min()
        .unwrap_or(0);
    let mut votes: HashMap<Option<Move>, i64> = HashMap::new();
    for outcome in &outcomes {
        if let Some((score, depth)) = known(outcome) {
            *votes.entry(outcome.best).or_default() +=
                i64::from(score - worst + 20) * i64::from(depth);
        }
    }
    let mut best = 0;
    for (i, outcome) in outcomes.iter().enumerate().skip(1) {
        let vote = |outcome: &SearchResult| votes.get(&outcome.best).copied().unwrap_or(0);
        let better = match (known(outcome), known(&outcomes[best])) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(new), Some(old)) => {
                (vote(outcome), new.1, new.0) > (vote(&outcomes[best]), old.1, old.0)
            }
        };
        if better {
            best = i;
        }
    }
    outcomes.into_iter().nth(best).unwrap_or_default()
}

/// Sends what the search reports.
struct Sending(Sender<Event>);

impl Reporter for Sending {
    fn info(&mut self, info: &Info) {
        let _ = self.0.send(Event::Info(info.clone()));
    }

    fn current_move(&mut self, depth: u32, m: Move, number: usize) {
        let _ = self.0.send(Event::CurrentMove(depth, m, number));
    }
}

/// Counts paths behind each move, looking up now and then whether to stop.
fn count(board: &Board, depth: u32, shared: &SharedState, work: &Work) {
    // Deeper would take longer than the world has stood, and the stack has an end.
    let depth = depth.min(perft::MAX_DEPTH);
    let (mut paths, mut complete) = (u64::from(depth == 0), true);
    for (m, child) in board
        .children()
        .take(if depth == 0 { 0 } else { usize::MAX })
    {
        let Some(behind) = stoppable_perft(&child, depth - 1, shared) else {
            complete = false;
            break;
        };
        paths += behind;
        let _ = work.events.send(Event::Divided(m, behind));
    }
    let _ = work.events.send(Event::Counted { paths, complete });
}

fn stoppable_perft(board: &Board, depth: u32, shared: &SharedState) -> Option<u64> {
    if shared.is_stopped() {
        return None;
    }
    if depth <= 3 {
        return Some(perft::perft(board, depth));
    }
    board
        .children()
        .map(|(_, child)| stoppable_perft(&child, depth - 1, shared))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Limits;

    #[test]
    fn without_threads_a_search_ends_at_once_and_finds_nothing() {
        let shared = Arc::new(SharedState::new(1, 1).expect("a megabyte"));
        let mut pool = Pool::empty();
        let job = Job::new(Board::startpos(), Limits::depth(3));
        for task in [
            Task::Search(Box::new(job)),
            Task::Perft(Board::startpos(), 3),
        ] {
            assert_eq!(pool.start(task, &shared).wait().best, None);
            pool.finish(&shared);
        }
    }
}
