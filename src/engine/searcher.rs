//! Searches on the calling thread.

use super::{EngineError, Platform, check_table_memory};
use crate::eval::Evaluation;
use crate::search::{NullReporter, Reporter, SearchRequest, SearchResult, SharedState, Worker};
use std::sync::Arc;

/// Searches on the calling thread, without a thread pool: for the bench, self-play and tests.
///
/// The thread needs a large stack, see [`spawn_search_thread`](super::spawn_search_thread).
///
/// ```
/// use saavedra::chess::Board;
/// use saavedra::engine::{Limits, Searcher};
/// use saavedra::eval::Evaluation;
/// use saavedra::search::SearchRequest;
///
/// let mut searcher = Searcher::new(1, &Evaluation::embedded())?;
/// let result = searcher.search(&SearchRequest::new(Board::startpos(), Limits::depth(4)));
/// assert!(result.best.is_some());
/// # Ok::<(), saavedra::engine::EngineError>(())
/// ```
pub struct Searcher {
    shared: Arc<SharedState>,
    worker: Worker,
}

impl Searcher {
    /// A searcher with a transposition table of this size in megabytes and this evaluation.
    ///
    /// # Errors
    /// If the table cannot be allocated.
    pub fn new(hash: usize, evaluation: &Evaluation) -> Result<Searcher, EngineError> {
        Searcher::with_platform(&Platform::default(), hash, evaluation)
    }

    /// The same with the clock of this platform.
    ///
    /// # Errors
    /// If the table cannot be allocated.
    pub fn with_platform(
        platform: &Platform,
        hash: usize,
        evaluation: &Evaluation,
    ) -> Result<Searcher, EngineError> {
        check_table_memory(hash)?;
        let shared = Arc::new(platform.shared_state(1, hash)?);
        let worker = Worker::new(0, Arc::clone(&shared), evaluation);
        Ok(Searcher { shared, worker })
    }

    /// Clears the transposition table and the histories.
    pub fn clear(&mut self) {
        self.shared.tt.clear(1);
        self.worker.clear();
    }

    /// Searches until a limit is reached.
    pub fn search(&mut self, request: &SearchRequest) -> SearchResult {
        self.search_with(request, Box::new(NullReporter))
    }

    /// Searches until a limit is reached, and reports to the reporter.
    pub fn search_with(
        &mut self,
        request: &SearchRequest,
        reporter: Box<dyn Reporter>,
    ) -> SearchResult {
        self.shared.begin(false);
        self.worker.run(request, reporter)
    }

    /// Nodes of the last search.
    pub fn nodes(&self) -> u64 {
        self.shared.nodes()
    }
}
