//! The engine: search threads and the transposition table they share.
//!
//! ```
//! use saavedra::chess::Game;
//! use saavedra::engine::{Engine, Limits};
//!
//! let mut engine = Engine::new()?;
//! let search = engine.start(&Game::default(), Limits::depth(4));
//! let result = search.wait()?;
//! assert!(result.best.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bench;
mod error;
mod files;
pub mod memory;
mod parallel;
mod search;
mod search_options;
mod searcher;
mod strength;
mod thread_pool;
mod workers;

pub use crate::search::{
    Bound, ClockTime, Info, Limits, PvLine, SearchProgress, SearchResult, StopFlag, score::Score,
};
pub use error::{EngineError, FileError};
pub(crate) use parallel::search_in_parallel;
pub use search::{Event, Search, SearchControl, SearchError};
pub use search_options::SearchOptions;
pub use searcher::Searcher;
pub use strength::Strength;
pub(crate) use thread_pool::PerftEvent;
pub use thread_pool::{STACK_SIZE, spawn_search_thread};
pub use workers::{PendingTask, Platform};

use crate::book::{Book, Pick};
use crate::chess::{Board, Game, Move};
use crate::eval::Evaluation;
use crate::eval::wdl::score_from_elo;
use crate::nnue::simd::{Kernel, KernelError};
use crate::search::{SearchRequest, SharedState, Tablebases, Variety};
use crate::tablebase::Tablebase;
use crossbeam_channel::unbounded;
use log::{debug, info};
use search_options::Scoring;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;
use strength::human_time;
use thread_pool::Task;
use workers::Workers;

/// Name and version of the program.
pub const NAME: &str = concat!("Saavedra ", env!("CARGO_PKG_VERSION"));

/// The default size of the transposition table in megabytes.
pub const DEFAULT_HASH: usize = 16;

/// The network kernel that the environment variable `SAAVEDRA_KERNEL` names, or else the fastest
/// one that this machine can run.
///
/// # Errors
/// If the variable names an unknown kernel or one that this machine cannot run.
pub fn kernel() -> Result<Kernel, KernelError> {
    match std::env::var_os("SAAVEDRA_KERNEL") {
        Some(name) if !name.is_empty() => Kernel::from_name(&name.to_string_lossy()),
        _ => Ok(Kernel::detect()),
    }
}

/// The embedded network on the [`kernel`] selected by the environment; piece-square tables if the
/// program was built without a network.
///
/// # Errors
/// If this machine cannot run the kernel.
pub fn embedded_evaluation() -> Result<Evaluation, EngineError> {
    Ok(Evaluation::embedded_with(kernel()?))
}

/// A chess engine: search threads and the transposition table they share. A process can have
/// several engines; they share nothing. Dropping an engine stops its search.
///
/// ```
/// use saavedra::chess::Game;
/// use saavedra::engine::{Engine, Limits};
///
/// let mut engine = Engine::with_threads_and_hash(2, 32)?;
/// let search = engine.start(&Game::default(), Limits::nodes(10_000));
/// assert!(search.wait()?.best.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Engine {
    platform: Platform,
    shared: Arc<SharedState>,
    workers: Workers,
    kernel: Kernel,
    evaluation: Evaluation,
    tablebase: Option<Arc<Tablebase>>,
    book: Option<Book>,
    threads: usize,
    /// Size of the transposition table in megabytes.
    hash: usize,
    /// What the scores in the transposition table depend on.
    scoring: Scoring,
    /// The random seed of this game, unless the options set one.
    game_seed: u64,
    /// Messages of options, see [`Engine::take_messages`].
    messages: Vec<String>,
}

impl Engine {
    /// An engine with one thread and a transposition table of [`DEFAULT_HASH`] megabytes.
    ///
    /// # Errors
    /// If the transposition table cannot be allocated or no thread can be started.
    pub fn new() -> Result<Engine, EngineError> {
        Engine::with_threads_and_hash(1, DEFAULT_HASH)
    }

    /// An engine with this number of threads and a transposition table of this size in megabytes.
    ///
    /// # Errors
    /// If the table cannot be allocated or the threads cannot be started.
    pub fn with_threads_and_hash(threads: usize, hash: usize) -> Result<Engine, EngineError> {
        Engine::with_evaluation(threads, hash, embedded_evaluation()?)
    }

    /// An engine with this evaluation instead of the embedded network.
    ///
    /// # Errors
    /// If the table cannot be allocated or the threads cannot be started.
    pub fn with_evaluation(
        threads: usize,
        hash: usize,
        evaluation: Evaluation,
    ) -> Result<Engine, EngineError> {
        Engine::with_platform(Platform::default(), threads, hash, evaluation)
    }

    /// An engine on a platform that may have another clock, or no threads.
    ///
    /// Without threads, a search runs on the caller's thread: when the events of [`Search`] are
    /// read, or when the program runs the task it gets from [`take_pending`](Engine::take_pending).
    ///
    /// ```
    /// use saavedra::chess::Game;
    /// use saavedra::engine::{Engine, Limits, Platform};
    /// use saavedra::eval::Evaluation;
    ///
    /// let platform = Platform { has_threads: false, ..Platform::default() };
    /// let mut engine = Engine::with_platform(platform, 1, 16, Evaluation::embedded())?;
    /// let search = engine.start(&Game::default(), Limits::depth(4));
    /// assert!(search.wait()?.best.is_some());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory for the table or the threads cannot be started.
    pub fn with_platform(
        platform: Platform,
        threads: usize,
        hash: usize,
        evaluation: Evaluation,
    ) -> Result<Engine, EngineError> {
        let threads = threads.max(1);
        check_table_memory(hash)?;
        let shared = Arc::new(platform.shared_state(threads, hash)?);
        let kernel = kernel()?;
        let workers = platform.workers(threads, &shared, &evaluation)?;
        info!("{NAME}, kernel {}, {evaluation}", kernel.name());
        let game_seed = random_seed(&platform);
        Ok(Engine {
            platform,
            shared,
            workers,
            kernel,
            evaluation,
            tablebase: None,
            book: None,
            threads,
            hash,
            scoring: SearchOptions::default().scoring(),
            game_seed,
            messages: Vec::new(),
        })
    }

    /// A searcher on this platform with the evaluation of the engine and a table of its own.
    ///
    /// # Errors
    /// If the table cannot be allocated.
    pub fn searcher(&self, hash: usize) -> Result<Searcher, EngineError> {
        Searcher::with_platform(&self.platform, hash, &self.evaluation)
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// The state that the threads share.
    #[cfg(test)]
    pub(crate) fn shared(&self) -> &SharedState {
        &self.shared
    }

    /// The size of the transposition table in megabytes.
    pub fn hash(&self) -> usize {
        self.hash
    }

    /// Takes the messages since the last call: about the tablebases that were opened, and about
    /// tablebase files that turned out to be damaged when they were probed.
    pub fn take_messages(&mut self) -> Vec<String> {
        let mut messages = std::mem::take(&mut self.messages);
        if let Some(tablebase) = &self.tablebase {
            messages.extend(files::problem_messages(&tablebase.take_problems()));
        }
        messages
    }

    /// The current evaluation.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Replaces the evaluation. The transposition table and the histories are cleared.
    ///
    /// # Errors
    /// If the threads cannot be started; the engine keeps its old evaluation then.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) -> Result<(), EngineError> {
        let threads = self.threads;
        let old = std::mem::replace(&mut self.evaluation, evaluation);
        self.restart_workers(threads).inspect_err(|_| {
            self.evaluation = old;
            let _ = self.restart_workers(threads);
        })?;
        self.clear_hash();
        Ok(())
    }

    /// Starts to search the last position of the game. A search that is still running is stopped
    /// first.
    pub fn start(&mut self, game: &Game, options: impl Into<SearchOptions>) -> Search {
        let request = self.request(game, options.into());
        self.start_request(request)
    }

    /// Starts to search the last position of the game, and calls the listener with each event, from
    /// a search thread. The last event is [`Event::Finished`] or [`Event::Failed`]. For a program
    /// with its own channel or event loop; [`start`](Engine::start) returns the events as an
    /// iterator.
    ///
    /// ```
    /// use saavedra::chess::Game;
    /// use saavedra::engine::{Engine, Event, Limits};
    /// use std::sync::mpsc;
    ///
    /// let mut engine = Engine::new()?;
    /// let (sender, events) = mpsc::channel();
    /// let control = engine.start_with(&Game::default(), Limits::depth(6), move |event| {
    ///     let _ = sender.send(event);
    /// });
    /// assert!(matches!(events.iter().last(), Some(Event::Finished(_))));
    /// assert!(control.progress().nodes > 0);
    /// # Ok::<(), saavedra::engine::EngineError>(())
    /// ```
    pub fn start_with(
        &mut self,
        game: &Game,
        options: impl Into<SearchOptions>,
        listener: impl Fn(Event) + Send + Sync + 'static,
    ) -> SearchControl {
        let request = self.request(game, options.into());
        self.start_request_with(request, listener)
    }

    /// Starts a search of this request as it is.
    pub(crate) fn start_request(&mut self, request: SearchRequest) -> Search {
        let (sender, events) = unbounded();
        let control = self.start_request_with(request, move |event| drop(sender.send(event)));
        Search::new(control, events, self.take_pending())
    }

    /// Takes the task that an engine without threads has started last, to run it on this thread.
    /// There is none with threads.
    pub fn take_pending(&mut self) -> Option<PendingTask> {
        self.workers.take_pending()
    }

    fn start_request_with(
        &mut self,
        request: SearchRequest,
        listener: impl Fn(Event) + Send + Sync + 'static,
    ) -> SearchControl {
        self.workers.finish();
        debug!("searching {}: {:?}", request.board.to_fen(), request.limits);
        self.shared.begin(request.limits.ponder);
        let task = Task::Search(Box::new(request), Arc::new(listener));
        self.workers.start(task, &self.shared)
    }

    /// Prepares for searches with these options: clears the transposition table if its scores are of
    /// another kind. Starting a search does the same, but its time runs.
    pub fn prepare(&mut self, options: &SearchOptions) {
        let scoring = options.scoring();
        if self.scoring != scoring {
            self.scoring = scoring;
            self.clear_hash();
        }
    }

    /// The complete request for a game's last position; a book move restricts it to that move.
    fn request(&mut self, game: &Game, options: SearchOptions) -> SearchRequest {
        self.prepare(&options);
        let seed = self.seed(&options);
        let SearchOptions { mut limits, move_overhead, .. } = options;
        if let Some(m) = self.book_move(game, &limits, options.book_depth, seed) {
            // A search of depth one gives the move a score and a principal variation.
            limits.search_moves = vec![m];
            limits.depth = Some(1);
        }
        let board = game.board();
        let handicap = options.strength.weaken(board, seed, &mut limits);
        let is_human = options.human_time && handicap.is_some() && limits.move_time.is_none();
        let min_time = match &limits.clock {
            Some(clock) if is_human => human_time(board, clock, move_overhead, seed),
            _ => Duration::ZERO,
        };
        // With a handicap, tablebases are not used.
        let tablebase = self.tablebase.as_ref().filter(|_| handicap.is_none());
        SearchRequest {
            min_time,
            multipv: options.multipv,
            move_overhead,
            tablebases: tablebase.map(|base| Tablebases {
                base: Arc::clone(base),
                probe_depth: options.syzygy_probe_depth,
                probe_limit: options.syzygy_probe_limit,
                fifty_move_rule: options.syzygy_fifty_moves,
            }),
            // A search with a handicap must be reproducible, so it runs on one thread.
            threads: if handicap.is_some() { 1 } else { self.threads },
            handicap,
            variety: (options.variety > 0).then(|| Variety {
                max_loss: Score::from_centipawns(options.variety).value(),
                seed,
            }),
            draw_score: -score_from_elo(options.contempt),
            ..SearchRequest::for_game(game, limits)
        }
    }

    /// The book move to play, if the limits allow one.
    fn book_move(
        &self,
        game: &Game,
        limits: &Limits,
        depth: Option<u32>,
        seed: u64,
    ) -> Option<Move> {
        let any_move = limits.search_moves.is_empty() && limits.mate.is_none();
        if !any_move || limits.infinite || limits.ponder {
            return None;
        }
        let pick = Pick::Weighted(seed ^ game.board().key());
        self.book.as_ref()?.choose(game, pick, depth?)
    }

    /// The seed of all random choices in this game.
    fn seed(&self, options: &SearchOptions) -> u64 {
        match options.seed {
            0 => self.game_seed,
            seed => seed.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        }
    }

    /// Stops the running search, if any, and waits for its end. Dropping the engine does the same.
    pub fn finish(&mut self) {
        self.workers.finish();
    }

    /// Starts perft with a count for each root move.
    pub(crate) fn start_perft(
        &mut self,
        board: &Board,
        depth: u32,
        listener: impl Fn(PerftEvent) + Send + Sync + 'static,
    ) -> SearchControl {
        self.workers.finish();
        self.shared.begin(false);
        let task = Task::Perft(*board, depth, Arc::new(listener));
        self.workers.start(task, &self.shared)
    }

    /// Clears the transposition table and the histories, as before a new game.
    pub fn new_game(&mut self) {
        self.workers.finish();
        self.shared.tt.clear(self.threads);
        self.workers.clear();
        self.game_seed = random_seed(&self.platform);
    }

    /// Clears the transposition table.
    pub fn clear_hash(&mut self) {
        self.workers.finish();
        self.shared.tt.clear(self.threads);
    }

    /// Resizes the transposition table, in megabytes. Its entries and the histories are lost.
    ///
    /// # Errors
    /// If there is not enough memory. The table keeps its old size then; it is empty if it had to
    /// be freed first, and has the minimum size if the system does not give the memory back.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), EngineError> {
        self.workers.finish();
        let old_megabytes = self.hash;
        if megabytes == old_megabytes {
            return Ok(());
        }
        let (needed_mb, freed_mb) = (megabytes as u64, old_megabytes as u64);
        let free_mb = free_megabytes();
        check_memory(TABLE, needed_mb, freed_mb, free_mb)?;
        if free_mb.is_none_or(|free_mb| needed_mb <= free_mb) {
            return self.resize(megabytes);
        }
        // The new table fits only in the memory of the old one.
        self.resize(1)?;
        self.resize(megabytes).inspect_err(|_| {
            let _ = self.resize(old_megabytes);
        })
    }

    /// Replaces the transposition table by an empty one of this size in megabytes. After an error
    /// the table is the old one; there may be no threads, see [`set_threads`](Engine::set_threads).
    fn resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        let threads = self.threads;
        let shared = Arc::new(self.platform.shared_state(threads, megabytes)?);
        let old = std::mem::replace(&mut self.shared, shared);
        self.restart_workers(threads).inspect_err(|_| {
            self.shared = old;
            let _ = self.restart_workers(threads);
        })?;
        self.hash = megabytes;
        Ok(())
    }

    /// Replaces the workers by this number of new ones. The old ones end first, so that there is
    /// never memory for both.
    ///
    /// # Errors
    /// If the threads cannot be started; the engine has none then.
    fn restart_workers(&mut self, threads: usize) -> Result<(), EngineError> {
        self.workers = Workers::none();
        self.workers = (self.platform).workers(threads, &self.shared, &self.evaluation)?;
        Ok(())
    }

    /// Changes the number of threads. The transposition table keeps its entries; the histories are
    /// lost.
    ///
    /// # Errors
    /// If the threads cannot be started. The engine then has its old number of threads, or none if
    /// those cannot be started again; searches then fail until a smaller number is set.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.workers.finish();
        let (threads, old_threads) = (threads.max(1), self.threads);
        if threads == self.workers.len() {
            return Ok(());
        }
        check_thread_memory(threads.saturating_sub(old_threads))?;
        // The table moves into a new shared state if nothing else holds the old one.
        let placeholder = Arc::new(self.platform.shared_state(1, 1)?);
        self.workers = Workers::none();
        let old = std::mem::replace(&mut self.shared, placeholder);
        let capacity = threads.max(old_threads);
        let moved = match Arc::try_unwrap(old) {
            Ok(shared) => Ok(self.platform.shared_state_with(capacity, shared.into_tt())),
            Err(held) => {
                let shared = self.platform.shared_state(capacity, self.hash);
                shared.map_err(|error| (error, held))
            }
        };
        let restarted = match moved {
            Ok(shared) => {
                self.shared = Arc::new(shared);
                self.restart_workers(threads)
            }
            Err((error, held)) => {
                self.shared = held;
                Err(error.into())
            }
        };
        restarted.inspect_err(|_| {
            let _ = self.restart_workers(old_threads);
        })?;
        self.threads = threads;
        Ok(())
    }
}

/// A different seed on each call. The time is hashed too, for platforms without random numbers.
fn random_seed(platform: &Platform) -> u64 {
    RandomState::new().hash_one(platform.clock.now())
}

/// The maximum memory that a search thread uses, in megabytes: histories and correction history 8
/// (on large pages), accumulators 1, and the part of its stack that a search of the maximum depth
/// touches.
const THREAD_MEGABYTES: u64 = 12;
/// The address space that it reserves: the same, and the rest of its stack.
const THREAD_ADDRESS_MEGABYTES: u64 = 32;

/// Checks that there is memory and address space for this number of additional search threads.
fn check_thread_memory(threads: usize) -> Result<(), EngineError> {
    let needs = [
        (THREAD_MEGABYTES, memory::physical()),
        (THREAD_ADDRESS_MEGABYTES, memory::address_space()),
    ];
    for (megabytes, free) in needs {
        let free_mb = free.map(|bytes| bytes >> 20);
        check_memory("the threads", megabytes * threads as u64, 0, free_mb)?;
    }
    Ok(())
}

/// Checks that there is memory for a transposition table of this size in megabytes; the system may
/// grant more than it has.
fn check_table_memory(megabytes: usize) -> Result<(), EngineError> {
    check_memory(TABLE, megabytes as u64, 0, free_megabytes())
}

/// The transposition table in messages about memory.
const TABLE: &str = "the transposition table";

/// Fails unless `needed_mb` fits in free memory plus `freed_mb`.
fn check_memory(
    what: &'static str,
    needed_mb: u64,
    freed_mb: u64,
    free_mb: Option<u64>,
) -> Result<(), EngineError> {
    match free_mb.filter(|free_mb| needed_mb > free_mb + freed_mb) {
        None => Ok(()),
        Some(free_mb) => Err(EngineError::NotEnoughMemory { what, needed_mb, free_mb }),
    }
}

/// Free memory in MB, if known.
fn free_megabytes() -> Option<u64> {
    memory::available().map(|bytes| bytes >> 20)
}
