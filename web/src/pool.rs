//! The engines, one thread each, and the queue before them.
//!
//! A caller gets a [`Ticket`]. Dropping it, as happens when a client goes away and its request is
//! dropped, takes the search out of the queue or stops it. Best moves go first, then the steps of
//! reviews, then analyses; of these so few run at once that a best move always finds an engine.

use crate::metrics::Metrics;
use crate::think::{Info, Outcome, Stop, Task, Thinker, ThinkerFactory};
use crossbeam_channel::Sender;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Reports that wait for a slow reader; what comes on top is left out.
const REPORTS_KEPT: usize = 256;

/// Pause before an engine that could not be made is tried again.
const PAUSE: Duration = Duration::from_secs(1);

/// What a search is for, in the order in which the queue serves them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// A best move: somebody waits for the answer.
    Move,
    /// A position of a game review.
    Review,
    /// An open-ended analysis.
    Analysis,
}

const PURPOSES: usize = 3;

/// What a ticket's holder hears before the end.
#[derive(Debug)]
pub enum Progress {
    /// An engine took it up.
    Started,
    /// Something was found.
    Info(Info),
}

/// A search that ended.
#[derive(Debug)]
pub struct Done {
    /// What came out.
    pub outcome: Outcome,
    /// Time in the queue.
    pub queued: Duration,
    /// Time of the search.
    pub searched: Duration,
}

/// Why a search is not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Full {
    /// Seconds after which trying again makes sense.
    pub retry_after: u64,
}

struct Job {
    id: u64,
    task: Task,
    purpose: Purpose,
    expected: Duration,
    since: Instant,
    progress: mpsc::Sender<Progress>,
    done: oneshot::Sender<Done>,
    stop: Stop,
    brake: Arc<Brake>,
}

/// Stops a search once: by its ticket's holder, or by the pool when it closes.
struct Brake(Mutex<Option<Sender<Infallible>>>);

impl Brake {
    fn pull(&self) {
        drop(lock(&self.0).take());
    }
}

struct Running {
    id: u64,
    purpose: Purpose,
    until: Instant,
    brake: Arc<Brake>,
}

#[derive(Default)]
struct State {
    queues: [VecDeque<Job>; PURPOSES],
    running: Vec<Running>,
    next_id: u64,
    closed: bool,
}

struct Shared {
    state: Mutex<State>,
    work: Condvar,
    workers: usize,
    queue: usize,
    max_wait: Duration,
    metrics: Arc<Metrics>,
}

/// The engines and their queue. Cheap to clone.
#[derive(Clone)]
pub struct Pool {
    shared: Arc<Shared>,
    threads: Arc<Mutex<Vec<JoinHandle<()>>>>,
}

/// A search that waits or runs. Dropping it ends that.
pub struct Ticket {
    /// What happens before the end.
    pub progress: mpsc::Receiver<Progress>,
    /// The end; closed without a value if the engine failed.
    pub done: oneshot::Receiver<Done>,
    _guard: Guard,
}

struct Guard {
    id: u64,
    shared: Arc<Shared>,
    brake: Arc<Brake>,
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.brake.pull();
        let mut state = lock(&self.shared.state);
        for queue in &mut state.queues {
            queue.retain(|job| job.id != self.id);
        }
        self.shared.count(&state);
    }
}

/// A new engine in the place of a failed one, however long there is no memory for it.
fn remake(factory: &dyn ThinkerFactory) -> Box<dyn Thinker> {
    loop {
        match factory.make() {
            Ok(thinker) => return thinker,
            Err(error) => tracing::error!(error, "no engine in the place of a failed one"),
        }
        std::thread::sleep(PAUSE);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    /// Starts the engines: `workers` of them, with room for `queue` searches to wait, each at most
    /// `max_wait` as far as can be foreseen.
    ///
    /// # Errors
    /// There is no memory or thread for an engine.
    pub fn start(
        factory: &Arc<dyn ThinkerFactory>,
        workers: usize,
        queue: usize,
        max_wait: Duration,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<Pool> {
        let (state, work) = (Mutex::new(State::default()), Condvar::new());
        let shared = Arc::new(Shared {
            state,
            work,
            workers,
            queue,
            max_wait,
            metrics,
        });
        let mut threads = Vec::new();
        for number in 0..workers {
            let (shared, factory) = (Arc::clone(&shared), Arc::clone(factory));
            let thinker = factory.make().map_err(std::io::Error::other)?;
            let name = format!("engine-{number}");
            let work = move || shared.serve(thinker, factory.as_ref());
            threads.push(std::thread::Builder::new().name(name).spawn(work)?);
        }
        Ok(Pool {
            shared,
            threads: Arc::new(Mutex::new(threads)),
        })
    }

    /// Puts a search into the queue. `expected` is how long it is likely to run.
    ///
    /// # Errors
    /// The queue is full or the wait would be too long.
    pub fn submit(&self, task: Task, purpose: Purpose, expected: Duration) -> Result<Ticket, Full> {
        let shared = &self.shared;
        let (progress, heard) = mpsc::channel(REPORTS_KEPT);
        let (done, end) = oneshot::channel();
        let (sender, receiver) = crossbeam_channel::bounded(0);
        let brake = Arc::new(Brake(Mutex::new(Some(sender))));
        let mut state = lock(&shared.state);
        shared.admit(&state, purpose)?;
        let id = state.next_id;
        state.next_id += 1;
        state.queues[purpose as usize].push_back(Job {
            id,
            task,
            purpose,
            expected,
            since: Instant::now(),
            progress,
            done,
            stop: Stop(receiver),
            brake: Arc::clone(&brake),
        });
        shared.count(&state);
        drop(state);
        // Which of the sleepers may take it depends on its purpose: let them look.
        shared.work.notify_all();
        let guard = Guard {
            id,
            shared: Arc::clone(shared),
            brake,
        };
        Ok(Ticket {
            progress: heard,
            done: end,
            _guard: guard,
        })
    }

    /// How many searches wait and how many run.
    pub fn load(&self) -> (usize, usize) {
        let state = lock(&self.shared.state);
        (state.waiting(), state.running.len())
    }

    /// Stops open-ended searches, so that their streams end; best moves go on.
    pub fn stop_analyses(&self) {
        let state = lock(&self.shared.state);
        let waiting = state.queues[Purpose::Analysis as usize]
            .iter()
            .map(|job| &job.brake);
        let running = state
            .running
            .iter()
            .filter(|run| run.purpose == Purpose::Analysis);
        for brake in waiting.chain(running.map(|run| &run.brake)) {
            brake.pull();
        }
        drop(state);
        self.shared.work.notify_all();
    }

    /// Stops all and waits for the engines' threads to end.
    pub fn close(&self) {
        let mut state = lock(&self.shared.state);
        state.closed = true;
        for queue in &mut state.queues {
            queue.clear();
        }
        for run in &state.running {
            run.brake.pull();
        }
        drop(state);
        self.shared.work.notify_all();
        for thread in lock(&self.threads).drain(..) {
            // The thread catches its searches' panics: nothing is left to report.
            let _ = thread.join();
        }
    }
}

impl State {
    fn waiting(&self) -> usize {
        self.queues.iter().map(VecDeque::len).sum()
    }

    /// The next job an idle engine may take. An analysis is left waiting if it would take the last
    /// engine kept for best moves, unless nobody wants it any more.
    fn take(&mut self, analyses_at_once: usize) -> Option<Job> {
        let analyses = self
            .running
            .iter()
            .filter(|run| run.purpose == Purpose::Analysis)
            .count();
        let [moves, reviews, waiting] = &mut self.queues;
        let analysis = |queue: &mut VecDeque<Job>| match analyses < analyses_at_once {
            true => queue.pop_front(),
            false => queue
                .iter()
                .position(|job| job.stop.requested())
                .and_then(|index| queue.remove(index)),
        };
        moves
            .pop_front()
            .or_else(|| reviews.pop_front())
            .or_else(|| analysis(waiting))
    }
}

impl Shared {
    /// Analyses that may run at once: an engine stays free for best moves.
    fn analyses_at_once(&self) -> usize {
        (self.workers - 1).max(1)
    }

    fn admit(&self, state: &State, purpose: Purpose) -> Result<(), Full> {
        let wait = self.expected_wait(state, purpose);
        let waiting = state.queues[purpose as usize].len();
        if !state.closed && waiting < self.queue && wait <= self.max_wait {
            return Ok(());
        }
        let retry_after = wait.as_secs_f64().ceil().clamp(1.0, 60.0) as u64;
        Err(Full { retry_after })
    }

    /// How long a new search of this purpose is likely to wait: the work before it, shared by the
    /// engines. Not foreseen for an analysis: most are closed long before their end, and who opens
    /// one sees that it waits.
    fn expected_wait(&self, state: &State, purpose: Purpose) -> Duration {
        if purpose == Purpose::Analysis {
            return Duration::ZERO;
        }
        let now = Instant::now();
        let before = &state.queues[..=purpose as usize];
        let waiting: Duration = before.iter().flatten().map(|job| job.expected).sum();
        let short = state
            .running
            .iter()
            .filter(|run| run.purpose != Purpose::Analysis);
        let running: Duration = short
            .map(|run| run.until.saturating_duration_since(now))
            .sum();
        (waiting + running) / self.workers.try_into().unwrap_or(u32::MAX)
    }

    fn count(&self, state: &State) {
        self.metrics.set_load(state.waiting(), state.running.len());
    }

    /// An engine's life.
    fn serve(&self, mut thinker: Box<dyn Thinker>, factory: &dyn ThinkerFactory) {
        while let Some(job) = self.next() {
            let id = job.id;
            if !self.search(thinker.as_mut(), job) {
                thinker = remake(factory);
            }
            let mut state = lock(&self.state);
            state.running.retain(|run| run.id != id);
            self.count(&state);
            drop(state);
            // An analysis that waited for this one's end may be another engine's to take.
            self.work.notify_all();
        }
    }

    fn next(&self) -> Option<Job> {
        let mut state = lock(&self.state);
        loop {
            if state.closed {
                return None;
            }
            if let Some(job) = state.take(self.analyses_at_once()) {
                let until = Instant::now() + job.expected;
                let brake = Arc::clone(&job.brake);
                state.running.push(Running {
                    id: job.id,
                    purpose: job.purpose,
                    until,
                    brake,
                });
                self.count(&state);
                return Some(job);
            }
            state = self
                .work
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Does one search; says whether the engine is still sound.
    fn search(&self, thinker: &mut dyn Thinker, job: Job) -> bool {
        let Job {
            task,
            stop,
            progress,
            done,
            since,
            ..
        } = job;
        let queued = since.elapsed();
        if done.is_closed() {
            return true;
        }
        // A reader that is slow or gone misses reports; the end has a channel of its own.
        let _ = progress.try_send(Progress::Started);
        let start = Instant::now();
        let mut report = |info| drop(progress.try_send(Progress::Info(info)));
        let found = catch_unwind(AssertUnwindSafe(|| {
            thinker.think(&task, &stop, &mut report)
        }));
        let searched = start.elapsed();
        // There is a legal move wherever an engine is asked: one that finds none has failed too.
        let Some(outcome) = found.ok().filter(|outcome| outcome.best.is_some()) else {
            tracing::error!(fen = task.game.board().to_fen(), "the engine failed");
            return false;
        };
        self.metrics
            .searched(outcome.nodes, queued, searched, stop.requested());
        // Nobody to hear it: the client is gone.
        let _ = done.send(Done {
            outcome,
            queued,
            searched,
        });
        true
    }
}
