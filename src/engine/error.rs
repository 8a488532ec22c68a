//! Why an engine cannot be created or changed.

use crate::nnue::simd::KernelError;
use crate::search::AllocationError;
use std::fmt;

/// Why an engine cannot be created or changed.
#[derive(Debug)]
pub enum EngineError {
    /// The transposition table could not be allocated.
    Allocation(AllocationError),
    /// There is not enough free memory.
    NotEnoughMemory {
        /// What needs the memory.
        what: &'static str,
        /// How much it needs, in megabytes.
        needed_mb: u64,
        /// How much is free, in megabytes.
        free_mb: u64,
    },
    /// The system starts no more threads.
    Threads(std::io::Error),
    /// The network kernel named by the environment cannot run on this machine.
    Kernel(KernelError),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Allocation(error) => error.fmt(f),
            EngineError::NotEnoughMemory {
                what,
                needed_mb,
                free_mb,
            } => write!(
                f,
                "not enough memory for {what}: {needed_mb} MB needed, {free_mb} MB free"
            ),
            EngineError::Threads(error) => write!(f, "cannot start a search thread: {error}"),
            EngineError::Kernel(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for EngineError {}

impl From<AllocationError> for EngineError {
    fn from(error: AllocationError) -> EngineError {
        EngineError::Allocation(error)
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
