//! Game files on disk: finding, repairing, reading and writing them.

use super::file::{COMPACT_EXTENSION, remove_unfinished};
use super::parts::{PART, for_each_game_of};
use super::{
    DamageError, DamageKind, EXTENSION, FileHeader, GameFile, GameRecord, GameWriter, OutputTarget,
    RecordFormat,
};
use crate::chess::Random;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file or folder that cannot be read or written.
#[derive(Debug)]
pub struct FileError {
    /// The file or folder.
    pub path: PathBuf,
    /// The error of the system.
    pub error: io::Error,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for FileError {}

/// Adds the path to an error.
fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, FileError> {
    result.map_err(|error| FileError { path: path.to_path_buf(), error })
}

/// The entries of a folder, in the order of their names.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, FileError> {
    let paths = fs::read_dir(folder).and_then(|entries| {
        let paths = entries.map(|entry| Ok(entry?.path()));
        paths.collect::<io::Result<Vec<PathBuf>>>()
    });
    let mut paths = at(folder, paths)?;
    paths.sort();
    Ok(paths)
}

/// Whether a file of a folder has games, in either format.
fn is_game_file(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension == EXTENSION || extension == COMPACT_EXTENSION
}

/// The game files under these paths in the order of their names. A path is a game file, or a folder
/// with game files at any depth. Symbolic links in a folder are followed to files, not to folders:
/// a link to a folder above would repeat all games.
///
/// # Errors
/// If a folder cannot be read.
pub fn find_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FileError> {
    let mut found = Vec::new();
    let mut folders = Vec::new();
    for path in paths {
        if path.is_dir() { folders.push(path.clone()) } else { found.push(path.clone()) }
    }
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                if !path.is_symlink() {
                    folders.push(path);
                }
            } else if is_game_file(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    // A folder may be named in several ways, for example by relative and absolute paths.
    let mut seen = HashSet::new();
    found.retain(|path| {
        seen.insert((canonical_folder(path), path.file_name().map(OsStr::to_owned)))
    });
    Ok(found)
}

/// The folder of a file, without links.
fn canonical_folder(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    Some(fs::canonicalize(named).unwrap_or_else(|_| folder.to_owned()))
}

/// A game file to read.
#[derive(Clone, Debug)]
pub struct GameSource {
    /// The path, for messages.
    pub path: PathBuf,
    /// The content, if it can be read only once, for example from standard input.
    pub bytes: Option<Vec<u8>>,
}

impl GameSource {
    /// Opens the file at its start.
    fn open(&self) -> Result<Box<dyn Read + '_>, FileError> {
        Ok(match &self.bytes {
            Some(bytes) => Box::new(bytes.as_slice()),
            None => Box::new(at(&self.path, fs::File::open(&self.path))?),
        })
    }

    /// The header; `None` if it is damaged.
    fn header(&self) -> Result<Option<FileHeader>, FileError> {
        /// No header is longer.
        const MAX_HEADER: u64 = 4096;
        let mut bytes = Vec::new();
        at(&self.path, self.open()?.take(MAX_HEADER).read_to_end(&mut bytes))?;
        let file = GameFile::from_bytes(&self.path, bytes);
        Ok(file.ok().map(|file| file.header().clone()))
    }
}

/// The place of a game.
#[derive(Clone, Copy, Debug)]
pub struct GameLocation<'a> {
    /// The file.
    pub path: &'a Path,
    /// Where the game starts, in bytes from the start of the file.
    pub offset: usize,
}

impl fmt::Display for GameLocation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: offset {}", self.path.display(), self.offset)
    }
}

/// Calls `each` for the games of these files, unchecked, and for the damaged places between them.
/// Files on disk are read in constant memory.
///
/// # Errors
/// If a file cannot be read, or an error of `each`.
pub fn for_each_game<E: From<FileError>>(
    files: &[GameSource],
    mut each: impl FnMut(GameLocation<'_>, Result<GameRecord, DamageError>) -> Result<(), E>,
) -> Result<(), E> {
    for source in files {
        let path = source.path.as_path();
        let mut each = |offset, game| each(GameLocation { path, offset }, game);
        at(path, for_each_game_of(path, source.open()?, PART, &mut each))??;
    }
    Ok(())
}

/// A header for the games of several files: a field that differs between them is 0, or `several`;
/// the generation is the highest. Files with a damaged header are skipped.
///
/// # Errors
/// If a file cannot be read.
pub fn merged_header(files: &[GameSource]) -> Result<FileHeader, FileError> {
    let mut merged: Option<FileHeader> = None;
    for source in files {
        let Some(header) = source.header()? else {
            continue;
        };
        merged = Some(match merged {
            None => header,
            Some(other) => merge(other, header),
        });
    }
    Ok(merged.unwrap_or(FileHeader { engine: "unknown".into(), nodes: 0, generation: 0, seed: 0 }))
}

fn merge(a: FileHeader, b: FileHeader) -> FileHeader {
    FileHeader {
        engine: if a.engine == b.engine { a.engine } else { "several".into() },
        nodes: if a.nodes == b.nodes { a.nodes } else { 0 },
        generation: a.generation.max(b.generation),
        seed: if a.seed == b.seed { a.seed } else { 0 },
    }
}

/// What [`prepare_folder`] found in a folder.
#[derive(Debug, Default)]
pub struct FolderContent {
    /// The seeds of the runs that have games there.
    pub seeds: HashSet<u64>,
    /// Partial games of interrupted runs, which were cut off, and files with a damaged header,
    /// which were not changed. Files without a whole header have no games; they were removed and
    /// are not here.
    pub damage: Vec<DamageError>,
}

/// Creates the folder if it does not exist. Reads the game files in it, not in its subfolders, and
/// cuts off the partial games of interrupted runs. Files that another process has locked are not
/// changed.
///
/// # Errors
/// If the folder or a file in it cannot be created, read or written.
pub fn prepare_folder(folder: &Path) -> Result<FolderContent, FileError> {
    at(folder, fs::create_dir_all(folder))?;
    let mut content = FolderContent::default();
    for path in entries(folder)? {
        if !is_game_file(&path) || path.is_dir() || at(&path, remove_unfinished(&path))? {
            continue;
        }
        let file = match at(&path, GameFile::open(&path))? {
            Ok(file) => file,
            Err(damage) => {
                content.damage.push(damage);
                continue;
            }
        };
        content.seeds.insert(file.header().seed);
        let is_partial = |game: Result<GameRecord, DamageError>| {
            game.is_err_and(|damage| damage.kind == DamageKind::Truncated)
        };
        if file.format() == RecordFormat::Games && file.games().any(is_partial) {
            match GameWriter::resume(&path) {
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
                resumed => content.damage.extend(at(&path, resumed)?.2),
            }
        }
    }
    Ok(content)
}

/// This seed, or the first unused one of a sequence that starts with it.
pub fn unused_seed(first: u64, used: &HashSet<u64>) -> u64 {
    let mut seed = first;
    while used.contains(&seed) {
        seed = Random::new(seed).next_u64();
    }
    seed
}

/// Writes games into a folder, to a new file whenever one has reached its maximum size.
#[derive(Debug)]
pub struct ShardWriter {
    folder: PathBuf,
    header: FileHeader,
    max_size: u64,
    part: u32,
    file: PathBuf,
    writer: Option<GameWriter>,
}

impl ShardWriter {
    /// A writer of files of at most `max_size` bytes, unless a single game is larger. A file is
    /// created with its first game.
    pub fn new(folder: &Path, header: FileHeader, max_size: u64) -> ShardWriter {
        ShardWriter {
            folder: folder.to_path_buf(),
            header,
            max_size,
            part: 0,
            file: folder.to_path_buf(),
            writer: None,
        }
    }

    /// Appends a game and flushes it to the system.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, game: &GameRecord) -> Result<(), FileError> {
        let size = max_frame_size(game);
        let has_space = |writer: &GameWriter| writer.bytes_written() + size <= self.max_size;
        let writer = match self.writer.take().filter(has_space) {
            Some(writer) => writer,
            None => self.next_file()?,
        };
        at(&self.file, self.writer.insert(writer).write(game))
    }

    fn next_file(&mut self) -> Result<GameWriter, FileError> {
        let FileHeader { generation, seed, .. } = self.header;
        loop {
            self.part += 1;
            let name = format!("g{generation}-{seed:016x}-{:03}.{EXTENSION}", self.part);
            self.file = self.folder.join(name);
            match GameWriter::create(&self.file, &self.header) {
                // For example one whose header is damaged.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                created => return at(&self.file, created),
            }
        }
    }
}

/// The maximum size of a game in a file, in bytes.
fn max_frame_size(game: &GameRecord) -> u64 {
    52 + 4 * game.plies.len() as u64
}

/// The output of a run that can be interrupted and continued. It appears under its name only when
/// it is complete; until then `.partial` is appended to the name. Symbolic links are kept; a device
/// or pipe is written to directly and cannot be continued.
#[derive(Debug)]
pub struct ResumableOutput {
    /// What is written.
    file: PathBuf,
    /// The path to which the partial file is renamed; `None` for a device or pipe.
    target: Option<PathBuf>,
    writer: GameWriter,
}

impl ResumableOutput {
    /// Continues the partial file of an interrupted run with the same header, and returns its
    /// games; creates the file if it does not exist.
    ///
    /// # Errors
    /// If it cannot be read or written, or the partial file has another header.
    pub fn open(
        path: &Path,
        header: &FileHeader,
    ) -> Result<(ResumableOutput, Vec<GameRecord>), FileError> {
        let target = match OutputTarget::of(path) {
            OutputTarget::File(target) => target,
            OutputTarget::Device(device) => {
                let output = ResumableOutput {
                    file: path.to_path_buf(),
                    target: None,
                    writer: at(path, GameWriter::device(&device, header))?,
                };
                return Ok((output, Vec::new()));
            }
        };
        let mut partial = target.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let (writer, games) = at(&partial, ResumableOutput::open_partial(&partial, header))?;
        let output = ResumableOutput { file: partial, target: Some(target), writer };
        Ok((output, games))
    }

    fn open_partial(path: &Path, header: &FileHeader) -> io::Result<(GameWriter, Vec<GameRecord>)> {
        let is_new = match remove_unfinished(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            removed => removed?,
        };
        if is_new {
            return Ok((GameWriter::create(path, header)?, Vec::new()));
        }
        let file = GameFile::open(path)?.ok();
        // The bytes, since a file has only the start of a long name.
        let file = file.filter(|file| file.header().to_bytes() == header.to_bytes());
        let file = file.ok_or_else(other_run)?;
        let games = file.games().filter_map(Result::ok).collect();
        let (writer, _, _) = GameWriter::resume(path)?;
        Ok((writer, games))
    }

    /// The error for a partial file with games of another run.
    pub fn other_run_error(&self) -> FileError {
        FileError { path: self.file.clone(), error: other_run() }
    }

    /// Appends a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, game: &GameRecord) -> Result<(), FileError> {
        at(&self.file, self.writer.write(game))
    }

    /// Gives the complete file its name. Replaces an existing file.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn finish(self) -> Result<(), FileError> {
        drop(self.writer);
        match &self.target {
            Some(target) => at(target, fs::rename(&self.file, target)),
            None => Ok(()),
        }
    }
}

fn other_run() -> io::Error {
    io::Error::other("this partial file is of a run with other games or settings; remove it first")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(engine: &str, nodes: u32, generation: u32, seed: u64) -> FileHeader {
        FileHeader { engine: engine.into(), nodes, generation, seed }
    }

    #[test]
    fn a_merged_header_has_the_fields_on_which_the_files_agree_and_the_highest_generation() {
        for (a, b, merged) in [
            (("x", 5, 2, 7), ("x", 5, 2, 7), ("x", 5, 2, 7)),
            (("x", 5, 2, 7), ("y", 5, 2, 7), ("several", 5, 2, 7)),
            (("x", 5, 2, 7), ("x", 6, 2, 7), ("x", 0, 2, 7)),
            (("x", 5, 2, 7), ("x", 5, 3, 7), ("x", 5, 3, 7)),
            (("x", 5, 3, 7), ("x", 5, 2, 7), ("x", 5, 3, 7)),
            (("x", 5, 2, 7), ("x", 5, 2, 8), ("x", 5, 2, 0)),
        ] {
            let of = |(engine, nodes, generation, seed)| header(engine, nodes, generation, seed);
            assert_eq!(merge(of(a), of(b)), of(merged), "{a:?} {b:?}");
        }
        let none = merged_header(&[]).expect("there is nothing to read");
        assert_eq!(none, header("unknown", 0, 0, 0));
    }

    #[test]
    fn a_seed_is_replaced_only_if_it_is_used() {
        let mut used = HashSet::from([1, 2, 3]);
        assert_eq!(unused_seed(4, &used), 4);
        let second = unused_seed(1, &used);
        assert!(!used.contains(&second));
        used.insert(second);
        let third = unused_seed(1, &used);
        assert!(!used.contains(&third));
        assert_eq!(unused_seed(1, &used), third, "it depends on nothing else");
    }
}
