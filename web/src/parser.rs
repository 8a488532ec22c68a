//! Parses requests outside the async threads, so that large ones do not delay others.

use crate::position::requested_game;
use crate::problem::Problem;
use crate::request::RequestFields;
use saavedra_api::RequestedGame;
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

/// Requests up to this size are parsed at once: that takes less time than a change of threads.
const MAX_INLINE_BYTES: usize = 4096;

/// Parses a limited number of large requests at the same time. Cheap to clone.
#[derive(Clone)]
pub struct Parser {
    permits: Arc<Semaphore>,
}

impl Parser {
    /// A parser for this many large requests at the same time.
    pub fn new(threads: usize) -> Parser {
        Parser { permits: Arc::new(Semaphore::new(threads)) }
    }

    /// Sets up the game of a request.
    ///
    /// # Errors
    /// Those of [`requested_game`].
    pub async fn game(&self, fields: RequestFields) -> Result<RequestedGame, Problem> {
        self.run(fields.size(), move || requested_game(&fields)).await
    }

    /// Runs a function whose time is linear in `size` bytes. A request that waits is dropped with
    /// its connection.
    ///
    /// # Errors
    /// Those of the function.
    pub async fn run<T: Send + 'static>(
        &self,
        size: usize,
        parse: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        if size <= MAX_INLINE_BYTES {
            return parse();
        }
        self.run_apart(parse).await
    }

    /// Runs a function that may wait for a file.
    ///
    /// # Errors
    /// Those of the function.
    pub async fn run_apart<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        run_with_permit(&self.permits, work).await
    }
}

/// Runs work outside the async threads once there is a permit. A request that waits is dropped with its
/// connection.
///
/// # Errors
/// Those of the work.
pub async fn run_with_permit<T: Send + 'static>(
    permits: &Arc<Semaphore>,
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let permit = Arc::clone(permits).acquire_owned().await;
    let work = spawn_blocking(move || {
        let _permit = permit;
        work()
    });
    work.await.map_err(|error| {
        tracing::error!(%error, "work outside the async threads failed");
        Problem::internal()
    })?
}
