//! What stands in for the tables in a build without them.

use super::{RootRanks, TableProblem, WdlScore};
use crate::chess::Board;
use std::path::PathBuf;

/// No tables: this build is without the feature `syzygy`.
#[derive(Debug, Default)]
pub struct Tablebase {}

impl Tablebase {
    /// No tables.
    pub fn empty() -> Tablebase {
        Tablebase {}
    }

    /// No tables, whatever the folders hold.
    pub fn open(_paths: &str) -> (Tablebase, Vec<TableProblem>) {
        (Tablebase {}, Vec::new())
    }

    /// No tables, whatever the folders hold.
    pub fn open_folders(
        _folders: impl IntoIterator<Item = PathBuf>,
    ) -> (Tablebase, Vec<TableProblem>) {
        (Tablebase {}, Vec::new())
    }

    /// 0.
    pub fn max_men(&self) -> u32 {
        0
    }

    /// No files of either kind.
    pub fn files(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Nothing is known.
    pub fn probe_wdl(&self, _board: &Board) -> Option<WdlScore> {
        None
    }

    /// Nothing is known.
    pub fn probe_dtz(&self, _board: &Board) -> Option<i32> {
        None
    }

    /// Nothing is known.
    pub fn rank_root(&self, _board: &Board, _repeated: bool, _rule50: bool) -> Option<RootRanks> {
        None
    }

    /// Nothing to tell.
    pub fn take_problems(&self) -> Vec<TableProblem> {
        Vec::new()
    }

    /// Nothing to check.
    pub fn verify(&self) -> Vec<TableProblem> {
        Vec::new()
    }
}
