//! The error of self-play and of the tools that search recorded games.

use super::store::FileError;
use crate::engine::EngineError;
use std::fmt;

/// Why self-play or relabelling ended early. The games written until then are kept.
#[derive(Debug)]
pub enum DataError {
    /// A searcher cannot be allocated, or a thread not started.
    Engine(EngineError),
    /// A file cannot be read or written.
    File(FileError),
}

impl fmt::Display for DataError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DataError::Engine(error) => error.fmt(f),
            DataError::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DataError {}

impl From<EngineError> for DataError {
    fn from(error: EngineError) -> DataError {
        DataError::Engine(error)
    }
}

impl From<FileError> for DataError {
    fn from(error: FileError) -> DataError {
        DataError::File(error)
    }
}
