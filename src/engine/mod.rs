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
mod options;
mod pool;

pub use crate::search::{Bound, ClockTime, Info, Limits, Outcome};
pub use options::{OPTIONS, OptionError, OptionKind, OptionRow, Settings, set_option};
pub use pool::{Event, Progress, Search};

use crate::chess::{Board, Game};
use crate::eval::Evaluation;
use crate::search::{AllocationError, Job, NullReporter, Reporter, Shared, Tables, Worker};
use pool::{Pool, Task};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Why an engine cannot be made or changed.
#[derive(Debug)]
pub enum EngineError {
    /// No memory for the hash table.
    Memory(AllocationError),
    /// The system gives us no more threads.
    Threads(std::io::Error),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Memory(error) => error.fmt(f),
            EngineError::Threads(error) => write!(f, "cannot start a search thread: {error}"),
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

/// A chess engine: parked threads and the table they share. Several can live in one process.
pub struct Engine {
    shared: Arc<Shared>,
    pool: Pool,
    evaluation: Evaluation,
    tables: Option<Tables>,
    settings: Settings,
}

impl Engine {
    /// An engine with the default settings: one thread, a hash table of 16 MB.
    ///
    /// # Errors
    /// If memory or threads cannot be had.
    pub fn new() -> Result<Engine, EngineError> {
        Engine::with(1, 16)
    }

    /// An engine with so many threads and a hash table of so many megabytes.
    ///
    /// # Errors
    /// If memory or threads cannot be had.
    pub fn with(threads: usize, hash: usize) -> Result<Engine, EngineError> {
        let threads = threads.max(1);
        let shared = Arc::new(Shared::new(threads, hash)?);
        let evaluation = Evaluation::embedded();
        let pool = Pool::new(threads, &shared, &evaluation)?;
        let settings = Settings {
            threads,
            hash,
            ..Settings::default()
        };
        Ok(Engine {
            shared,
            pool,
            evaluation,
            tables: None,
            settings,
        })
    }

    /// The settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Gives it endgame tables, or takes them away.
    pub fn set_tables(&mut self, tables: Option<Tables>) {
        self.tables = tables;
    }

    /// Begins to search the game's last position. A search that still runs is ended first.
    pub fn start(&mut self, game: &Game, limits: Limits) -> Search {
        self.pool.finish(&self.shared);
        let pondering = limits.ponder;
        let boards = game.boards();
        let job = Job {
            board: *game.board(),
            history: boards[..boards.len() - 1].iter().map(Board::key).collect(),
            limits,
            multipv: self.settings.multipv,
            overhead: Duration::from_millis(self.settings.move_overhead),
            tables: self.tables.clone(),
        };
        self.shared.begin(pondering);
        self.pool.start(Task::Search(Box::new(job)), &self.shared)
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
        self.shared.table.clear(self.settings.threads);
        self.pool.clear();
    }

    /// Empties the hash table.
    pub fn clear_hash(&mut self) {
        self.pool.finish(&self.shared);
        self.shared.table.clear(self.settings.threads);
    }

    /// Changes the number of threads and the size of the hash table in megabytes; what the table
    /// holds is lost if its size changes.
    ///
    /// # Errors
    /// If memory or threads cannot be had; the engine is then as before.
    pub fn resize(&mut self, threads: usize, hash: usize) -> Result<(), EngineError> {
        self.pool.finish(&self.shared);
        let threads = threads.max(1);
        if threads == self.settings.threads && hash == self.settings.hash {
            return Ok(());
        }
        let shared = Arc::new(Shared::new(threads, hash)?);
        let pool = Pool::new(threads, &shared, &self.evaluation)?;
        self.shared = shared;
        self.pool = pool;
        self.settings.threads = threads;
        self.settings.hash = hash;
        Ok(())
    }
}

/// Searches on the calling thread, without a pool: for benchmarks, games against oneself and tests.
pub struct Solo {
    shared: Arc<Shared>,
    worker: Worker,
}

impl Solo {
    /// With a hash table of so many megabytes, evaluating like this.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn new(hash: usize, evaluation: &Evaluation) -> Result<Solo, AllocationError> {
        let shared = Arc::new(Shared::new(1, hash)?);
        let worker = Worker::new(0, Arc::clone(&shared), evaluation);
        Ok(Solo { shared, worker })
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.shared.table.clear(1);
        self.worker.clear();
    }

    /// Searches to the end of the limits and tells no one on the way.
    pub fn search(&mut self, job: &Job) -> Outcome {
        self.search_with(job, Box::new(NullReporter))
    }

    /// Searches to the end of the limits.
    pub fn search_with(&mut self, job: &Job, reporter: Box<dyn Reporter>) -> Outcome {
        self.shared.begin(false);
        self.worker.run(job, reporter)
    }

    /// Boards made in the last search.
    pub fn nodes(&self) -> u64 {
        self.shared.nodes()
    }
}
