//! Why an engine cannot be created or changed.

use crate::nnue::simd::KernelError;
use crate::search::AllocationError;
use std::error::Error;
use std::fmt;

/// What is wrong with a file.
pub type FileError = Box<dyn Error + Send + Sync>;

/// Why an engine cannot be created or changed.
#[derive(Debug)]
#[non_exhaustive]
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
    /// A file cannot be read, or is of another kind.
    File {
        /// The file.
        path: String,
        /// Why.
        source: FileError,
    },
    /// No tablebase was found.
    NoTablebases,
    /// The network kernel named by the environment cannot run on this machine.
    Kernel(KernelError),
}

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EngineError::Allocation(error) => error.fmt(f),
            EngineError::NotEnoughMemory { what, needed_mb, free_mb } => {
                write!(f, "not enough memory for {what}: {needed_mb} MB needed, {free_mb} MB free")
            }
            EngineError::Threads(error) => write!(f, "cannot start a search thread: {error}"),
            EngineError::File { path, source } => write!(f, "{path}: {source}"),
            EngineError::NoTablebases => f.write_str("no tablebases found"),
            EngineError::Kernel(error) => error.fmt(f),
        }
    }
}

impl Error for EngineError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            EngineError::Allocation(error) => Some(error),
            EngineError::Threads(error) => Some(error),
            EngineError::File { source, .. } => Some(&**source),
            EngineError::Kernel(error) => Some(error),
            EngineError::NotEnoughMemory { .. } | EngineError::NoTablebases => None,
        }
    }
}

impl EngineError {
    pub(crate) fn file(path: &str, source: impl Into<FileError>) -> EngineError {
        EngineError::File { path: path.into(), source: source.into() }
    }
}

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
