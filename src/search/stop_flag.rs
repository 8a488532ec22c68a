//! A flag that stops searches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Stops searches from another thread: those that run, and those that begin later. Its clones are
/// the same flag.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Stops the searches with this flag as soon as possible.
    pub fn set(&self) {
        self.0.store(true, Relaxed);
    }

    /// Whether the searches are stopped.
    pub fn is_set(&self) -> bool {
        self.0.load(Relaxed)
    }
}
