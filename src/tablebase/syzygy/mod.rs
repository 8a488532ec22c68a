//! Syzygy tables, read in safe Rust.
//!
//! The format has no written specification; it is described by the generator that writes it
//! (<https://github.com/syzygy1/tb>). From the outside in:
//! - [`folder`]: finding table files, and saying which are broken or missing
//! - [`material`]: table names
//! - [`source`], [`checksum`]: the bytes of a file
//! - [`table`]: what a file's head says, and its value for a position
//! - [`index`]: the place of a position in a table
//! - [`pairs`]: how values are compressed
//! - [`probe`]: from tables to the truth about a position: tables leave out what a
//!   capture, a pawn move or en passant decides
//! - [`root`]: ranking moves by it
//!
//! Files are opened when they are first needed. A table that turns out broken is not used again.

mod checksum;
mod folder;
mod index;
mod material;
mod pairs;
mod probe;
mod root;
mod source;
mod table;
#[cfg(test)]
mod tests;

use self::material::Material;
use self::source::{Fault, Source};
use self::table::{Table, TableKind};
use super::{RootRanks, TableProblem, WdlScore};
use crate::chess::{Board, Color};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// What stands between folders.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// A table file: found, perhaps opened, perhaps broken.
struct TableFile {
    path: PathBuf,
    kind: TableKind,
    material: Material,
    table: OnceLock<Option<Table>>,
    is_broken: AtomicBool,
}

/// The two files about the same men.
#[derive(Default)]
struct Pair {
    wdl: Option<TableFile>,
    dtz: Option<TableFile>,
}

/// The tables of some folders.
///
/// Probing takes `&self` and no lock that threads share, except for the page of a file larger than
/// 1 MiB that is being read.
#[derive(Default)]
pub struct Tablebase {
    pairs: Vec<Pair>,
    /// The place in `pairs` of each material, White's men first.
    places: HashMap<Material, usize>,
    max_men: u32,
    /// What was found broken while probing and not yet told.
    problems: Mutex<Vec<TableProblem>>,
}

impl Tablebase {
    /// No tables.
    pub fn empty() -> Tablebase {
        Tablebase::default()
    }

    /// The tables of the folders that a text names, separated as in `PATH`: by `:`, on Windows by
    /// `;`. See [`open_folders`](Tablebase::open_folders).
    pub fn open(paths: &str) -> (Tablebase, Vec<TableProblem>) {
        let names = paths.split(SEPARATOR).filter(|path| !path.is_empty());
        Tablebase::open_folders(names.map(PathBuf::from))
    }

    /// The tables of these folders, with what is wrong with them. Of tables that are in several
    /// folders, the first sound one counts.
    ///
    /// Small files (up to 1 MiB, among them all of up to four men) are compared with their checksum;
    /// of larger ones only the size and the first bytes are looked at. A file is called missing if
    /// at least half of its kind and number of men are there.
    pub fn open_folders(
        folders: impl IntoIterator<Item = PathBuf>,
    ) -> (Tablebase, Vec<TableProblem>) {
        let (files, problems) = folder::scan(folders);
        let mut tablebase = Tablebase::default();
        for file in files {
            tablebase.add(file);
        }
        (tablebase, problems)
    }

    fn add(&mut self, file: TableFile) {
        let (material, kind) = (file.material, file.kind);
        let place = *self.places.entry(material).or_insert(self.pairs.len());
        self.places.insert(material.exchanged(), place);
        if place == self.pairs.len() {
            self.pairs.push(Pair::default());
        }
        let pair = &mut self.pairs[place];
        match kind {
            TableKind::Wdl => {
                pair.wdl = Some(file);
                self.max_men = self.max_men.max(material.men() as u32);
            }
            TableKind::Dtz => pair.dtz = Some(file),
        }
    }

    /// The most men of any WDL table; 0 if there are none.
    pub fn max_men(&self) -> u32 {
        self.max_men
    }

    /// How many WDL and how many DTZ files were found.
    pub fn files(&self) -> (usize, usize) {
        let count = |is_there: fn(&Pair) -> bool| self.pairs.iter().filter(|p| is_there(p)).count();
        (count(|p| p.wdl.is_some()), count(|p| p.dtz.is_some()))
    }

    /// The outcome of a position with correct play, the fifty-move count begun anew.
    ///
    /// `None` with castling rights, with more men than any table has, or if a table that is needed
    /// is missing or broken.
    pub fn probe_wdl(&self, board: &Board) -> Option<WdlScore> {
        if !self.covers(board) {
            return None;
        }
        self.wdl(board)
    }

    /// Plies until the next capture, pawn move or mate with correct play; positive if the side to
    /// move wins, 0 for a draw. It may be one less than the truth where the fifty-move rule does
    /// not depend on it. Beyond ±100 the outcome is a cursed win or a blessed loss.
    ///
    /// `None` as in [`probe_wdl`](Tablebase::probe_wdl).
    pub fn probe_dtz(&self, board: &Board) -> Option<i32> {
        if !self.covers(board) {
            return None;
        }
        self.dtz(board).map(|distance| distance.plies)
    }

    /// How good each legal move is, by DTZ, or, without those tables, by WDL.
    ///
    /// `repeated` tells whether any position since the last capture or pawn move has been on the
    /// board twice: then of winning moves only those of least DTZ are best, so that there is
    /// progress. `rule50` tells whether the fifty-move rule counts. `None` as in
    /// [`probe_wdl`](Tablebase::probe_wdl), for any of the moves.
    pub fn rank_root(&self, board: &Board, repeated: bool, rule50: bool) -> Option<RootRanks> {
        if !self.covers(board) {
            return None;
        }
        self.rank_by_dtz(board, repeated, rule50)
            .or_else(|| self.rank_by_wdl(board, rule50))
    }

    /// What was found broken since the last call, each file once.
    pub fn take_problems(&self) -> Vec<TableProblem> {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut problems)
    }

    /// Reads all files whole and compares their checksums: takes as long as reading them does.
    pub fn verify(&self) -> Vec<TableProblem> {
        let files = self.pairs.iter().flat_map(|pair| [&pair.wdl, &pair.dtz]);
        let faults = files.flatten().filter_map(|file| {
            let path = file.path.clone();
            let fault = folder::verify(file).err()?;
            Some(TableProblem { path, fault })
        });
        faults.collect()
    }

    /// Whether tables may know the position.
    #[inline]
    fn covers(&self, board: &Board) -> bool {
        board.occupied().count() <= self.max_men && board.castling_rights().is_empty()
    }

    /// Asks the table of a kind for the board's men.
    fn ask<R>(
        &self,
        board: &Board,
        kind: TableKind,
        question: impl FnOnce(&Table) -> Result<R, Fault>,
    ) -> Option<R> {
        let material = Material::of(board.side(Color::White), board.side(Color::Black));
        let pair = &self.pairs[*self.places.get(&material)?];
        let file = match kind {
            TableKind::Wdl => pair.wdl.as_ref()?,
            TableKind::Dtz => pair.dtz.as_ref()?,
        };
        if file.is_broken.load(Ordering::Relaxed) {
            return None;
        }
        let opened = file.table.get_or_init(|| {
            let table = Source::open(&file.path)
                .and_then(|source| Table::read(source, file.kind, file.material));
            table.map_err(|fault| self.note(file, fault)).ok()
        });
        question(opened.as_ref()?)
            .map_err(|fault| self.note(file, fault))
            .ok()
    }

    /// Gives a table up and notes why, once.
    fn note(&self, file: &TableFile, fault: Fault) {
        if !file.is_broken.swap(true, Ordering::Relaxed) {
            let path = file.path.clone();
            let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
            problems.push(TableProblem { path, fault });
        }
    }
}

impl std::fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (wdl, dtz) = self.files();
        write!(f, "Tablebase({wdl} WDL and {dtz} DTZ files)")
    }
}
