//! Sets up positions outside the async threads, so that large requests do not delay others.

use crate::position::RequestedGame;
use crate::problem::Problem;
use crate::request::RequestFields;
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
        Parser {
            permits: Arc::new(Semaphore::new(threads)),
        }
    }

    /// Sets up the game of a request. A request that waits is dropped with its connection.
    ///
    /// # Errors
    /// Those of [`RequestedGame::new`].
    pub async fn parse(
        &self,
        fields: RequestFields,
    ) -> Result<(RequestFields, RequestedGame), Problem> {
        if fields.size() <= MAX_INLINE_BYTES {
            let requested = RequestedGame::new(&fields)?;
            return Ok((fields, requested));
        }
        let permit = Arc::clone(&self.permits).acquire_owned().await;
        let parse = spawn_blocking(move || {
            let _permit = permit;
            let requested = RequestedGame::new(&fields)?;
            Ok((fields, requested))
        });
        parse.await.map_err(|error| {
            tracing::error!(%error, "a parser failed");
            Problem::internal()
        })?
    }
}
