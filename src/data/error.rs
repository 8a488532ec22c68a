//! Errors of work on many games.

use super::store::FileError;
use crate::engine::EngineError;
use std::fmt;

/// Why a run ended early. What was written stays.
#[derive(Debug)]
pub enum RunError {
    /// No memory for a player, or no thread.
    Engine(EngineError),
    /// The folder cannot be read, or a file not written.
    File(FileError),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Engine(error) => error.fmt(f),
            RunError::File(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

impl From<EngineError> for RunError {
    fn from(error: EngineError) -> RunError {
        RunError::Engine(error)
    }
}

impl From<FileError> for RunError {
    fn from(error: FileError) -> RunError {
        RunError::File(error)
    }
}
