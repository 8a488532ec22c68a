//! The tablebase of a build without the feature `syzygy`.

use super::{RootRanks, TableProblem, WdlScore};
use crate::chess::Board;
use std::path::PathBuf;

/// An empty tablebase: this build is without the feature `syzygy`.
#[derive(Debug, Default)]
pub struct Tablebase {}

impl Tablebase {
    /// A tablebase without tables.
    pub fn empty() -> Tablebase {
        Tablebase {}
    }

    /// A tablebase without tables, whatever the folders hold.
    pub fn open(_paths: &str) -> (Tablebase, Vec<TableProblem>) {
        (Tablebase {}, Vec::new())
    }

    /// A tablebase without tables, whatever the folders hold.
    pub fn open_folders(
        _folders: impl IntoIterator<Item = PathBuf>,
    ) -> (Tablebase, Vec<TableProblem>) {
        (Tablebase {}, Vec::new())
    }

    /// A tablebase without tables, whatever the files hold.
    pub fn from_memory<'a>(
        _files: impl IntoIterator<Item = (&'a str, Vec<u8>)>,
    ) -> (Tablebase, Vec<TableProblem>) {
        (Tablebase {}, Vec::new())
    }

    /// 0.
    pub fn max_pieces(&self) -> u32 {
        0
    }

    /// No files of either kind.
    pub fn files(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Always `None`.
    pub fn probe_wdl(&self, _board: &Board) -> Option<WdlScore> {
        None
    }

    /// Always `None`.
    pub fn probe_dtz(&self, _board: &Board) -> Option<i32> {
        None
    }

    /// Always `None`.
    pub fn rank_root(
        &self,
        _board: &Board,
        _repeated: bool,
        _fifty_move_rule: bool,
    ) -> Option<RootRanks> {
        None
    }

    /// Always empty.
    pub fn take_problems(&self) -> Vec<TableProblem> {
        Vec::new()
    }

    /// Always empty.
    pub fn verify(&self) -> Vec<TableProblem> {
        Vec::new()
    }
}
