//! The tables found in folders or in memory. A file is opened at its first probe. A table that proves
//! to be broken is not used again.

use crate::bytes::TableBytes;
use crate::material::Material;
use crate::table::{Table, TableKind};
use crate::{RootRanks, TableError, TableProblem, WdlScore, folder};
use saavedra_chess::{Board, Color};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

/// Separates folders in a list of folders.
const SEPARATOR: char = if cfg!(windows) { ';' } else { ':' };

/// A table file that was found. `table` is set by the first probe, to `None` if the file cannot be
/// read.
pub(super) struct TableFile {
    pub(super) path: PathBuf,
    /// Whether the bytes were given, so that `path` is only a name.
    in_memory: bool,
    pub(super) kind: TableKind,
    pub(super) material: Material,
    table: OnceLock<Option<Table>>,
    is_broken: AtomicBool,
}

impl TableFile {
    /// A table on disk, which is read when it is first probed.
    pub(super) fn on_disk(path: PathBuf, kind: TableKind, material: Material) -> TableFile {
        TableFile {
            path,
            in_memory: false,
            kind,
            material,
            table: OnceLock::new(),
            is_broken: AtomicBool::new(false),
        }
    }

    /// A table in memory with the name of its file.
    fn from_memory(name: &str, bytes: Vec<u8>) -> Result<TableFile, TableError> {
        let path = PathBuf::from(name);
        let (kind, material) =
            folder::parse_name(&path).ok_or(TableError::Corrupt("no table has this name"))?;
        let table = Table::read(TableBytes::from_memory(bytes)?, kind, material)?;
        Ok(TableFile {
            path,
            in_memory: true,
            kind,
            material,
            table: Some(table).into(),
            is_broken: AtomicBool::new(false),
        })
    }
}

/// The WDL and the DTZ file of one material signature.
#[derive(Default)]
struct TablePair {
    wdl: Option<TableFile>,
    dtz: Option<TableFile>,
}

/// The Syzygy tables found in a list of folders.
///
/// Probing takes `&self`. Threads share no lock but for the cached pages of files larger than
/// 1 MiB.
#[derive(Default)]
pub struct Tablebase {
    pairs: Vec<TablePair>,
    /// Index in `pairs` of each material signature, for both colour assignments.
    index: HashMap<Material, usize>,
    max_pieces: u32,
    /// Tables that failed while probing, until [`take_problems`](Tablebase::take_problems).
    problems: Mutex<Vec<TableProblem>>,
    /// Number of large files opened so far.
    large_files: AtomicUsize,
}

/// The number of large files that stay open; others are opened for each read. There are hundreds of
/// tables of six pieces, and macOS allows a process 256 open files.
const MAX_OPEN_FILES: usize = 128;

impl Tablebase {
    /// A tablebase without tables.
    pub fn empty() -> Tablebase {
        Tablebase::default()
    }

    /// Opens the folders of a list separated as `PATH` is: by `:`, on Windows by `;`. See
    /// [`open_folders`](Tablebase::open_folders).
    pub fn open(paths: &str) -> (Tablebase, Vec<TableProblem>) {
        let names = paths.split(SEPARATOR).filter(|path| !path.is_empty());
        Tablebase::open_folders(names.map(PathBuf::from))
    }

    /// Opens these folders and lists missing and broken files. If several folders have the same
    /// table, the first valid file is used.
    ///
    /// The checksum of small files (up to 1 MiB, which includes all tables of up to four pieces) is
    /// verified; of larger files only the size and the magic bytes. A file is listed as missing if
    /// at least half of the tables of its kind and number of pieces are there.
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

    /// Opens tables in memory, each with the name of its file, such as `KQvK.rtbw`; lists broken
    /// ones and those with other names.
    pub fn from_memory<'a>(
        files: impl IntoIterator<Item = (&'a str, Vec<u8>)>,
    ) -> (Tablebase, Vec<TableProblem>) {
        let mut tablebase = Tablebase::default();
        let mut problems = Vec::new();
        for (name, bytes) in files {
            match TableFile::from_memory(name, bytes) {
                Ok(file) => tablebase.add(file),
                Err(error) => problems.push(TableProblem { path: name.into(), error }),
            }
        }
        (tablebase, problems)
    }

    fn add(&mut self, file: TableFile) {
        let (material, kind) = (file.material, file.kind);
        let index = *self.index.entry(material).or_insert(self.pairs.len());
        self.index.insert(material.exchanged(), index);
        if index == self.pairs.len() {
            self.pairs.push(TablePair::default());
        }
        let pair = &mut self.pairs[index];
        match kind {
            TableKind::Wdl => {
                pair.wdl = Some(file);
                self.max_pieces = self.max_pieces.max(material.piece_count() as u32);
            }
            TableKind::Dtz => pair.dtz = Some(file),
        }
    }

    /// Number of pieces, kings included, of the largest WDL table; 0 without tables.
    pub fn max_pieces(&self) -> u32 {
        self.max_pieces
    }

    /// Number of WDL files and of DTZ files.
    pub fn files(&self) -> (usize, usize) {
        let count =
            |is_there: fn(&TablePair) -> bool| self.pairs.iter().filter(|p| is_there(p)).count();
        (count(|p| p.wdl.is_some()), count(|p| p.dtz.is_some()))
    }

    /// The WDL value of a position for the side to move. The halfmove clock is taken as zero.
    ///
    /// `None` if there are castling rights or more pieces than
    /// [`max_pieces`](Tablebase::max_pieces), or if a table that is needed is missing or broken.
    pub fn probe_wdl(&self, board: &Board) -> Option<WdlScore> {
        if !self.may_probe(board) {
            return None;
        }
        self.wdl(board)
    }

    /// The DTZ of a position: plies to the next capture, pawn move or mate with correct play,
    /// positive if the side to move wins, 0 for a draw. It may be one ply too small where the
    /// fifty-move rule does not depend on it. Beyond ±100 it is a cursed win or a blessed loss.
    ///
    /// `None` as in [`probe_wdl`](Tablebase::probe_wdl).
    pub fn probe_dtz(&self, board: &Board) -> Option<i32> {
        if !self.may_probe(board) {
            return None;
        }
        self.dtz(board).map(|dtz| dtz.plies)
    }

    /// Ranks all legal moves by DTZ or, if a DTZ table is missing, by WDL.
    ///
    /// `repeated`: whether a position since the last capture or pawn move has occurred twice; then
    /// winning moves are ranked by DTZ, so that the win makes progress. `fifty_move_rule`: whether
    /// the fifty-move rule applies. `None` if the probe of any move fails, as in
    /// [`probe_wdl`](Tablebase::probe_wdl).
    pub fn rank_root(
        &self,
        board: &Board,
        repeated: bool,
        fifty_move_rule: bool,
    ) -> Option<RootRanks> {
        if !self.may_probe(board) {
            return None;
        }
        self.rank_by_dtz(board, repeated, fifty_move_rule)
            .or_else(|| self.rank_by_wdl(board, fifty_move_rule))
    }

    /// The files found to be broken since the last call, each once.
    pub fn take_problems(&self) -> Vec<TableProblem> {
        let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut problems)
    }

    /// Reads all files completely and verifies their checksums.
    pub fn verify(&self) -> Vec<TableProblem> {
        let files = self.pairs.iter().flat_map(|pair| [&pair.wdl, &pair.dtz]);
        let on_disk = files.flatten().filter(|file| !file.in_memory);
        let problems = on_disk.filter_map(|file| {
            let path = file.path.clone();
            let error = folder::verify(file).err()?;
            Some(TableProblem { path, error })
        });
        problems.collect()
    }

    /// Whether a table for the position can exist: few enough pieces, no castling rights.
    #[inline]
    fn may_probe(&self, board: &Board) -> bool {
        board.occupied().count() <= self.max_pieces && board.castling_rights().is_empty()
    }

    /// Probes the table of this kind for the material on the board; opens it at the first probe.
    pub(super) fn probe_table<R>(
        &self,
        board: &Board,
        kind: TableKind,
        probe: impl FnOnce(&Table) -> Result<R, TableError>,
    ) -> Option<R> {
        let material = Material::of(board.side(Color::White), board.side(Color::Black));
        let pair = &self.pairs[*self.index.get(&material)?];
        let file = match kind {
            TableKind::Wdl => pair.wdl.as_ref()?,
            TableKind::Dtz => pair.dtz.as_ref()?,
        };
        if file.is_broken.load(Ordering::Relaxed) {
            return None;
        }
        let opened = file.table.get_or_init(|| {
            let table = self.open_file(&file.path);
            let table = table.and_then(|bytes| Table::read(bytes, file.kind, file.material));
            table.map_err(|error| self.mark_broken(file, error)).ok()
        });
        probe(opened.as_ref()?).map_err(|error| self.mark_broken(file, error)).ok()
    }

    /// Opens a table file, which stays open unless there are too many.
    fn open_file(&self, path: &Path) -> Result<TableBytes, TableError> {
        let mut bytes = TableBytes::open(path)?;
        if let TableBytes::Paged(file) = &mut bytes
            && self.large_files.fetch_add(1, Ordering::Relaxed) >= MAX_OPEN_FILES
        {
            file.close();
        }
        Ok(bytes)
    }

    /// Excludes a table from further probes and records the error once.
    fn mark_broken(&self, file: &TableFile, error: TableError) {
        if !file.is_broken.swap(true, Ordering::Relaxed) {
            let path = file.path.clone();
            let mut problems = self.problems.lock().unwrap_or_else(PoisonError::into_inner);
            problems.push(TableProblem { path, error });
        }
    }
}

impl std::fmt::Debug for Tablebase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (wdl, dtz) = self.files();
        write!(f, "Tablebase({wdl} WDL and {dtz} DTZ files)")
    }
}
