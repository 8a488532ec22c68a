//! Files of an engine: networks, opening books, tablebases.

use super::error::FileError;
use super::{Engine, EngineError};
use crate::book::Book;
use crate::eval::Evaluation;
use crate::nnue::network::Network;
use crate::tablebase::{TableProblem, Tablebase};
use std::fs;
use std::sync::Arc;

/// The maximum size of a network file in bytes.
const MAX_NETWORK_SIZE: u64 = 64 << 20;

/// The maximum size of an opening book in bytes.
const MAX_BOOK_SIZE: u64 = 1 << 30;

/// At most this number of missing or damaged tablebase files is listed.
const MAX_PROBLEMS: usize = 5;

impl Engine {
    /// Evaluates by the network in this file.
    ///
    /// # Errors
    /// If it cannot be read or is not a network of this version, or the threads cannot be started;
    /// the engine keeps its old evaluation then.
    pub fn load_network(&mut self, path: &str) -> Result<(), EngineError> {
        let read = || -> Result<Network, FileError> {
            check_file(path, MAX_NETWORK_SIZE, "not a network file")?;
            Ok(Network::load(&fs::read(path)?)?)
        };
        let network = read().map_err(|error| EngineError::file(path, error))?;
        self.set_evaluation(Evaluation::Network(Arc::new(network), self.kernel))
    }

    /// Opens an opening book in Polyglot format, for searches with a
    /// [`book_depth`](super::SearchOptions::book_depth); without a path, closes the book.
    ///
    /// # Errors
    /// If it cannot be read or is no opening book; the engine keeps its old one then.
    pub fn open_book(&mut self, path: &str) -> Result<(), EngineError> {
        let read = || -> Result<Book, FileError> {
            check_file(path, MAX_BOOK_SIZE, "not an opening book")?;
            let book = Book::open(path)?;
            if book.trailing_bytes() > 0 || book.entries().is_empty() {
                return Err("truncated, or not an opening book".into());
            }
            Ok(book)
        };
        self.book = if path.is_empty() {
            None
        } else {
            Some(read().map_err(|error| EngineError::file(path, error))?)
        };
        Ok(())
    }

    /// Opens the tablebases in these folders; without a folder, closes those that are open. The
    /// scores in the transposition table depend on the tablebases, so it is cleared.
    ///
    /// # Errors
    /// If no tablebase is found; those that were open stay open.
    pub fn open_tablebases(&mut self, paths: &str) -> Result<(), EngineError> {
        if paths.is_empty() {
            if self.tablebase.is_some() {
                self.set_tablebase(None);
            }
            return Ok(());
        }
        if cfg!(target_family = "wasm") {
            return Err(EngineError::NoTablebases);
        }
        let (tablebase, problems) = Tablebase::open(paths);
        self.messages.extend(problem_messages(&problems));
        let max_pieces = tablebase.max_pieces();
        if max_pieces == 0 {
            return Err(EngineError::NoTablebases);
        }
        self.messages.push(format!("found tablebases with up to {max_pieces} pieces"));
        self.set_tablebase(Some(Arc::new(tablebase)));
        Ok(())
    }

    /// Uses these tablebases, which several engines may share, or none. The transposition table is
    /// cleared.
    pub fn set_tablebase(&mut self, tablebase: Option<Arc<Tablebase>>) {
        self.tablebase = tablebase;
        self.clear_hash();
    }
}

fn check_file(path: &str, max_size: u64, wrong: &str) -> Result<(), FileError> {
    let file = fs::metadata(path)?;
    if file.is_file() && file.len() <= max_size { Ok(()) } else { Err(wrong.into()) }
}

/// One message for each of the first problems, and one for the number of all others.
pub(super) fn problem_messages(problems: &[TableProblem]) -> Vec<String> {
    let listed = problems.iter().take(MAX_PROBLEMS);
    let mut messages: Vec<String> = listed.map(|problem| format!("error: {problem}")).collect();
    if let Some(more) = problems.len().checked_sub(MAX_PROBLEMS).filter(|n| *n > 0) {
        messages.push(format!("error: {more} more tablebase files are missing or damaged"));
    }
    messages
}
