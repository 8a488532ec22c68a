//! The machine: threads that search, and the settings they search with.
//!
//! ```
//! use saavedra::chess::Game;
//! use saavedra::engine::Engine;
//! use saavedra::search::Limits;
//!
//! let mut engine = Engine::new()?;
//! let search = engine.start(&Game::default(), Limits::depth(4));
//! let outcome = search.wait();
//! assert!(outcome.best.is_some());
//! # Ok::<(), saavedra::engine::EngineError>(())
//! ```

pub mod bench;
pub mod memory;
mod options;
mod pool;
mod settings;
mod strength;
mod wdl;

pub use crate::search::{Bound, ClockTime, Info, Limits, SearchResult};
pub use options::{OPTIONS, OptionError, OptionKind, OptionRow, set_option};
pub use pool::{Event, Progress, STACK, Search, spawn_searcher};
pub use settings::Settings;
pub use strength::Strength;
use wdl::contempt;
pub use wdl::{expectation, normalised, wdl, worths};

use crate::book::{Book, Pick};
use crate::chess::{Board, Game, Move};
use crate::eval::Evaluation;
use crate::nnue::simd::{Kernel, KernelError};
use crate::search::{
    AllocationError, Job, NullReporter, Reporter, SharedState, Tablebases, Variety, Worker,
};
use crate::tablebase::{TableProblem, Tablebase};
use log::{debug, info};
use pool::{Pool, Task};
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::time::Duration;

/// Why an engine cannot be made or changed.
#[derive(Debug)]
pub enum EngineError {
    /// No memory for the hash table.
    Memory(AllocationError),
    /// More than can be had: what, and how many megabytes it would take and there are.
    TooMuch(&'static str, u64, u64),
    /// The system gives us no more threads.
    Threads(std::io::Error),
    /// The kernel that the environment asks for is not to be had.
    Kernel(KernelError),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Memory(error) => error.fmt(f),
            EngineError::TooMuch(what, wanted, available) => {
                let free = format!("{available} MB of memory are free");
                write!(f, "{what} would take {wanted} MB, {free}")
            }
            EngineError::Threads(error) => write!(f, "cannot start a search thread: {error}"),
            EngineError::Kernel(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EngineError {}

impl From<AllocationError> for EngineError {
    fn from(error: AllocationError) -> EngineError {
        EngineError::Memory(error)
    }
}

impl From<std::io::Error> for EngineError {
    fn from(error: std::io::Error) -> EngineError {
        EngineError::Threads(error)
    }
}

impl From<KernelError> for EngineError {
    fn from(error: KernelError) -> EngineError {
        EngineError::Kernel(error)
    }
}

/// The kernel that the environment variable `SAAVEDRA_KERNEL` names, else the fastest of this
/// machine.
///
/// # Errors
/// If the variable names one that this machine cannot run.
pub fn kernel() -> Result<Kernel, KernelError> {
    match std::env::var("SAAVEDRA_KERNEL") {
        Ok(name) if !name.is_empty() => Kernel::from_name(&name),
        _ => Ok(Kernel::detect()),
    }
}

/// The network that is part of the program, if there is one, on the kernel that the environment asks
/// for.
///
/// # Errors
/// If this machine cannot run that kernel.
pub fn embedded() -> Result<Evaluation, EngineError> {
    Ok(Evaluation::embedded_with(kernel()?))
}

/// A chess engine: parked threads and the table they share. Several can live in one process.
pub struct Engine {
    shared: Arc<SharedState>,
    pool: Pool,
    kernel: Kernel,
    evaluation: Evaluation,
    tables: Option<Arc<Tablebase>>,
    book: Option<Book>,
    settings: Settings,
    /// Decides whatever is left to chance in this game.
    seed: u64,
    /// What the options had to say beside errors.
    remarks: Vec<String>,
}

impl Engine {
    /// An engine with the default settings, so with one thread and a small hash table.
    ///
    /// # Errors
    /// If memory or threads cannot be had.
    pub fn new() -> Result<Engine, EngineError> {
        let Settings { threads, hash, .. } = Settings::default();
        Engine::with(threads, hash)
    }

    /// An engine with so many threads and a hash table of so many megabytes.
    ///
    /// # Errors
    /// If memory or threads cannot be had.
    pub fn with(threads: usize, hash: usize) -> Result<Engine, EngineError> {
        Engine::evaluating(threads, hash, embedded()?)
    }

    /// The same, evaluating with this.
    ///
    /// # Errors
    /// If memory or threads cannot be had.
    pub fn evaluating(
        threads: usize,
        hash: usize,
        evaluation: Evaluation,
    ) -> Result<Engine, EngineError> {
        let threads = threads.max(1);
        let shared = Arc::new(SharedState::new(threads, hash)?);
        let kernel = kernel()?;
        let pool = Pool::new(threads, &shared, &evaluation)?;
        info!(
            "Saavedra {}, kernel {}, {evaluation}",
            env!("CARGO_PKG_VERSION"),
            kernel.name()
        );
        let settings = Settings {
            threads,
            hash,
            ..Settings::default()
        };
        Ok(Engine {
            shared,
            pool,
            kernel,
            evaluation,
            tables: None,
            book: None,
            settings,
            seed: fresh_seed(),
            remarks: Vec::new(),
        })
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What there is to say since the last call of options that were set, beside errors, and of
    /// endgame tables that turned out to be damaged when they were looked into.
    pub fn take_remarks(&mut self) -> Vec<String> {
        let mut remarks = std::mem::take(&mut self.remarks);
        if let Some(tables) = &self.tables {
            remarks.extend(named(&tables.take_problems()));
        }
        remarks
    }

    /// What it evaluates with.
    pub fn evaluation(&self) -> &Evaluation {
        &self.evaluation
    }

    /// Evaluates with this from now on.
    ///
    /// # Errors
    /// If threads cannot be had; the engine is then as before.
    pub fn set_evaluation(&mut self, evaluation: Evaluation) -> Result<(), EngineError> {
        self.pool.finish(&self.shared);
        self.pool = Pool::new(self.settings.threads, &self.shared, &evaluation)?;
        self.evaluation = evaluation;
        self.clear_hash();
        Ok(())
    }

    /// Opens the endgame tables of these folders, and has something to say of them; of no folder,
    /// there are none from now on.
    ///
    /// # Errors
    /// If no tables are found; those in force stay.
    pub(crate) fn open_tables(&mut self, paths: &str) -> Result<(), String> {
        if paths.is_empty() {
            self.tables = None;
            return Ok(());
        }
        let (base, problems) = Tablebase::open(paths);
        self.remarks.extend(named(&problems));
        let men = base.max_men();
        if men == 0 {
            return Err("no endgame tables found".to_owned());
        }
        let found = format!("endgame tables for up to {men} men");
        self.remarks.push(found);
        self.tables = Some(Arc::new(base));
        Ok(())
    }

    /// The endgame tables, to be used as the settings say.
    fn tables(&self) -> Option<Tablebases> {
        Some(Tablebases {
            base: Arc::clone(self.tables.as_ref()?),
            probe_depth: self.settings.syzygy_probe_depth,
            probe_limit: self.settings.syzygy_probe_limit,
            fifty_move_rule: self.settings.syzygy_fifty_moves,
        })
    }

    /// Begins to search the game's last position. A search that still runs is ended first.
    pub fn start(&mut self, game: &Game, mut limits: Limits) -> Search {
        if let Some(m) = self.book_move(game, &limits) {
            // It is searched a little, so that there is a score and a line.
            limits.search_moves = vec![m];
            limits.depth = Some(1);
        }
        self.start_job(Job::for_game(game, limits))
    }

    /// Begins a search of this position, past and limits as the settings say, without the book.
    pub(crate) fn start_job(&mut self, mut job: Job) -> Search {
        self.pool.finish(&self.shared);
        let (settings, seed) = (&self.settings, self.seed());
        let strength = settings.strength();
        let handicap = strength.weaken(&job.board, seed, &mut job.limits);
        let variety = settings.variety();
        job = Job {
            multipv: settings.multipv,
            move_overhead: Duration::from_millis(settings.move_overhead),
            // Who plays weakly has no tables.
            tablebases: self.tables().filter(|_| handicap.is_none()),
            handicap,
            variety: variety.map(|loss| Variety { loss, seed }),
            draw_score: -contempt(settings.contempt()),
            ..job
        };
        debug!("searching {}: {:?}", job.board.to_fen(), job.limits);
        self.shared.begin(job.limits.ponder);
        self.pool.start(Task::Search(Box::new(job)), &self.shared)
    }

    /// The move to be played from the book, if the search is to find one to play.
    fn book_move(&self, game: &Game, limits: &Limits) -> Option<Move> {
        let settings = &self.settings;
        let plays = settings.own_book && !settings.analyse;
        let free = limits.search_moves.is_empty() && limits.mate.is_none();
        if !plays || !free || limits.infinite || limits.ponder {
            return None;
        }
        let pick = Pick::Weighted(self.seed() ^ game.board().key());
        self.book.as_ref()?.choose(game, pick, settings.book_depth)
    }

    /// What decides whatever is left to chance in this game.
    fn seed(&self) -> u64 {
        match self.settings.seed {
            0 => self.seed,
            seed => seed.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        }
    }

    /// Begins to count the paths of legal moves behind each move.
    pub fn start_perft(&mut self, board: &Board, depth: u32) -> Search {
        self.pool.finish(&self.shared);
        self.shared.begin(false);
        self.pool.start(Task::Perft(*board, depth), &self.shared)
    }

    /// Forgets all that was learnt from earlier games.
    pub fn new_game(&mut self) {
        self.pool.finish(&self.shared);
        self.shared.tt.clear(self.settings.threads);
        self.pool.clear();
        self.seed = fresh_seed();
    }

    /// Empties the hash table.
    pub fn clear_hash(&mut self) {
        self.pool.finish(&self.shared);
        self.shared.tt.clear(self.settings.threads);
    }

    /// Changes the size of the hash table in megabytes; what it holds is lost.
    ///
    /// # Errors
    /// If there is not so much memory; the table is then of the size it had, and empty if it had to
    /// make room. It is the smallest if the system does not give that size back.
    pub fn set_hash(&mut self, megabytes: usize) -> Result<(), EngineError> {
        self.pool.finish(&self.shared);
        let present = self.settings.hash;
        if megabytes == present {
            return Ok(());
        }
        let (wanted, given_back) = (megabytes as u64, present as u64);
        let free = free_megabytes();
        if free.is_some_and(|free| wanted > free + given_back) {
            let free = free.unwrap_or_default();
            return Err(EngineError::TooMuch("a table of this size", wanted, free));
        }
        if free.is_none_or(|free| wanted <= free) {
            return self.resize(megabytes);
        }
        // There is room for the new one only where the old one is.
        self.resize(1)?;
        self.resize(megabytes).inspect_err(|_| {
            let _ = self.resize(present);
        })
    }

    /// Puts an empty table of so many megabytes in the place of the old one; after an error all is as
    /// it was.
    fn resize(&mut self, megabytes: usize) -> Result<(), EngineError> {
        let threads = self.settings.threads;
        let shared = Arc::new(SharedState::new(threads, megabytes)?);
        self.pool = Pool::new(threads, &shared, &self.evaluation)?;
        self.shared = shared;
        self.settings.hash = megabytes;
        Ok(())
    }

    /// Changes the number of threads. The hash table stays.
    ///
    /// # Errors
    /// If so many cannot be had; there are then as many as before, or none if the system does not
    /// give those back: searches fail until a number that can be had is set.
    pub fn set_threads(&mut self, threads: usize) -> Result<(), EngineError> {
        self.pool.finish(&self.shared);
        let (threads, present) = (threads.max(1), self.settings.threads);
        if threads == self.pool.len() {
            return Ok(());
        }
        let wanted = THREAD_MEGABYTES * threads.saturating_sub(present) as u64;
        if let Some(free) = free_megabytes().filter(|free| wanted > *free) {
            return Err(EngineError::TooMuch("so many threads", wanted, free));
        }
        // The threads and whoever watches a search share the table; it moves if they let go.
        let placeholder = Arc::new(SharedState::new(1, 1)?);
        self.pool = Pool::empty();
        let old = std::mem::replace(&mut self.shared, placeholder);
        let room = threads.max(present);
        let moved = match Arc::try_unwrap(old) {
            Ok(shared) => Ok(SharedState::with_tt(room, shared.into_tt())),
            Err(watched) => {
                SharedState::new(room, self.settings.hash).map_err(|error| (error, watched))
            }
        };
        let pool = match moved {
            Ok(shared) => {
                self.shared = Arc::new(shared);
                Pool::new(threads, &self.shared, &self.evaluation).map_err(EngineError::from)
            }
            Err((error, watched)) => {
                self.shared = watched;
                Err(error.into())
            }
        };
        match pool {
            Ok(pool) => {
                self.pool = pool;
                self.settings.threads = threads;
                Ok(())
            }
            Err(error) => {
                let pool = Pool::new(present, &self.shared, &self.evaluation);
                self.pool = pool.unwrap_or_else(|_| Pool::empty());
                Err(error)
            }
        }
    }
}

/// Another seed each time.
fn fresh_seed() -> u64 {
    RandomState::new().hash_one(0)
}

/// So many missing or damaged tables are named.
const MOST_PROBLEMS: usize = 5;

/// The problems in words, the first of them one by one.
fn named(problems: &[TableProblem]) -> Vec<String> {
    let told = problems.iter().take(MOST_PROBLEMS);
    let mut text: Vec<String> = told.map(|problem| format!("error: {problem}")).collect();
    if let Some(more) = problems.len().checked_sub(MOST_PROBLEMS).filter(|n| *n > 0) {
        text.push(format!("error: {more} more tables are missing or damaged"));
    }
    text
}

/// What a search thread takes at most, roughly, in megabytes: stack, histories, accumulators.
const THREAD_MEGABYTES: u64 = 32;

fn free_megabytes() -> Option<u64> {
    memory::available().map(|bytes| bytes >> 20)
}

/// Searches on the calling thread, without a pool: for benchmarks, games against oneself and tests.
pub struct Solo {
    shared: Arc<SharedState>,
    worker: Worker,
}

impl Solo {
    /// With a hash table of so many megabytes, evaluating like this.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(hash: usize, evaluation: &Evaluation) -> Result<Solo, EngineError> {
        let shared = Arc::new(SharedState::new(1, hash)?);
        let worker = Worker::new(0, Arc::clone(&shared), evaluation);
        Ok(Solo { shared, worker })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.shared.tt.clear(1);
        self.worker.clear();
    }

    /// Searches to the end of the limits and tells no one on the way.
    pub fn search(&mut self, job: &Job) -> SearchResult {
        self.search_with(job, Box::new(NullReporter))
    }

    /// Searches to the end of the limits.
    pub fn search_with(&mut self, job: &Job, reporter: Box<dyn Reporter>) -> SearchResult {
        self.shared.begin(false);
        self.worker.run(job, reporter)
    }

    /// Boards made in the last search.
    pub fn nodes(&self) -> u64 {
        self.shared.nodes()
    }
}
