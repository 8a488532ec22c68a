//! Files of games: finding, tidying, splitting, reading, writing.

use super::record::{EXTENSION, Fault, FileHeader, GameFile, GameRecord, GameWriter, Reason};
use crate::chess::Random;
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// A file or folder that cannot be read or written.
#[derive(Debug)]
pub struct FileError {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub error: io::Error,
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.error)
    }
}

impl std::error::Error for FileError {}

/// Names the path in an error.
fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, FileError> {
    result.map_err(|error| FileError {
        path: path.to_path_buf(),
        error,
    })
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

fn is_named_as_games(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == EXTENSION)
}

/// The files of games under these paths (files themselves, or folders with such files at any
/// depth), in the order of their names.
///
/// # Errors
/// If a folder cannot be read.
pub fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, FileError> {
    let mut found = Vec::new();
    let mut folders = Vec::new();
    for path in paths {
        match path.is_dir() {
            true => folders.push(path.clone()),
            false => found.push(path.clone()),
        }
    }
    while let Some(folder) = folders.pop() {
        for path in entries(&folder)? {
            if path.is_dir() {
                folders.push(path);
            } else if is_named_as_games(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// Where a game is.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The file.
    pub path: &'a Path,
    /// Where the game begins, in bytes from the beginning of the file.
    pub offset: usize,
}

/// Hands out the games of these files one by one, and the faults between them.
///
/// # Errors
/// If a file cannot be read, or what `each` returns.
pub fn read<E: From<FileError>>(
    files: &[PathBuf],
    mut each: impl FnMut(Place<'_>, Result<GameRecord, Fault>) -> Result<(), E>,
) -> Result<(), E> {
    for path in files {
        match at(path, GameFile::open(path))? {
            Err(fault) => each(Place { path, offset: 0 }, Err(fault))?,
            Ok(file) => {
                let mut games = file.games();
                loop {
                    let offset = games.offset();
                    let Some(game) = games.next() else { break };
                    each(Place { path, offset }, game)?;
                }
            }
        }
    }
    Ok(())
}

/// One header for the games of several files: what differs between them is 0, or `several`; the
/// generation is the latest. Files without a sound header are passed over.
///
/// # Errors
/// If a file cannot be read.
pub fn common_header(files: &[PathBuf]) -> Result<FileHeader, FileError> {
    /// More than any header has.
    const MOST: u64 = 4096;
    let mut common: Option<FileHeader> = None;
    for path in files {
        let mut bytes = Vec::new();
        let read = fs::File::open(path).and_then(|file| file.take(MOST).read_to_end(&mut bytes));
        at(path, read)?;
        let Ok(file) = GameFile::from_bytes(path, bytes) else {
            continue;
        };
        let header = file.header().clone();
        common = Some(match common {
            None => header,
            Some(other) => combined(other, header),
        });
    }
    Ok(common.unwrap_or(FileHeader {
        engine: "nobody".into(),
        nodes: 0,
        generation: 0,
        seed: 0,
    }))
}

fn combined(a: FileHeader, b: FileHeader) -> FileHeader {
    FileHeader {
        engine: match a.engine == b.engine {
            true => a.engine,
            false => "several".into(),
        },
        nodes: if a.nodes == b.nodes { a.nodes } else { 0 },
        generation: a.generation.max(b.generation),
        seed: if a.seed == b.seed { a.seed } else { 0 },
    }
}

/// What was found in a folder that games are to be added to.
#[derive(Debug, Default)]
pub struct Found {
    /// The seeds of the runs whose games it holds.
    pub seeds: HashSet<u64>,
    /// Partial games that interrupted runs have left, now cut off, and files that are no files of
    /// games, which are left alone.
    pub faults: Vec<Fault>,
}

/// Makes a folder if it does not exist, looks through it (not those in it), and cuts off what
/// interrupted runs left partial.
///
/// # Errors
/// If it cannot be made, read or changed.
pub fn tidy(folder: &Path) -> Result<Found, FileError> {
    at(folder, fs::create_dir_all(folder))?;
    let mut found = Found::default();
    for path in entries(folder)? {
        if !is_named_as_games(&path) {
            continue;
        }
        let file = match at(&path, GameFile::open(&path))? {
            Ok(file) => file,
            Err(fault) => {
                found.faults.push(fault);
                continue;
            }
        };
        found.seeds.insert(file.header().seed);
        let is_partial = |game: Result<GameRecord, Fault>| {
            game.is_err_and(|fault| fault.reason == Reason::Partial)
        };
        if file.games().any(is_partial) {
            let (_, _, cut) = at(&path, GameWriter::resume(&path))?;
            found.faults.extend(cut);
        }
    }
    Ok(found)
}

/// The seed itself, or if its games are there already, one that follows from it.
pub fn unused_seed(wanted: u64, used: &HashSet<u64>) -> u64 {
    let mut seed = wanted;
    while used.contains(&seed) {
        seed = Random::new(seed).next_u64();
    }
    seed
}

/// Writes games into a folder, one file after the other.
#[derive(Debug)]
pub struct Shards {
    folder: PathBuf,
    header: FileHeader,
    max_size: u64,
    part: u32,
    file: PathBuf,
    writer: Option<GameWriter>,
}

impl Shards {
    /// Files in this folder, none larger than `max_size` bytes as far as single games allow. They
    /// are made when there are games for them.
    pub fn new(folder: &Path, header: FileHeader, max_size: u64) -> Shards {
        Shards {
            folder: folder.to_path_buf(),
            header,
            max_size,
            part: 0,
            file: folder.to_path_buf(),
            writer: None,
        }
    }

    /// Appends a game; when this returns the system has it.
    ///
    /// # Errors
    /// If it cannot be written, or the file for it exists already.
    pub fn write(&mut self, game: &GameRecord) -> Result<(), FileError> {
        let has_room = |writer: &GameWriter| writer.bytes_written() + size(game) <= self.max_size;
        let writer = match self.writer.take().filter(has_room) {
            Some(writer) => writer,
            None => self.next_file()?,
        };
        at(&self.file, self.writer.insert(writer).write(game))
    }

    fn next_file(&mut self) -> Result<GameWriter, FileError> {
        self.part += 1;
        let FileHeader {
            generation, seed, ..
        } = self.header;
        let name = format!("g{generation}-{seed:016x}-{:03}.{EXTENSION}", self.part);
        self.file = self.folder.join(name);
        at(&self.file, GameWriter::create(&self.file, &self.header))
    }
}

/// The most bytes a game takes in a file.
fn size(game: &GameRecord) -> u64 {
    52 + 4 * game.plies.len() as u64
}

/// A file that gets its name when it is whole; until then `.partial` stands behind it.
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    partial: PathBuf,
    writer: GameWriter,
}

impl Output {
    /// Begins the file, instead of what an interrupted run has left of it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn create(path: &Path, header: &FileHeader) -> Result<Output, FileError> {
        let partial = Output::partial(path);
        match fs::remove_file(&partial) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => at(&partial, Err(error))?,
            _ => {}
        }
        let writer = at(&partial, GameWriter::create(&partial, header))?;
        Ok(Output {
            path: path.to_path_buf(),
            partial,
            writer,
        })
    }

    /// Goes on with what an interrupted run with the same header has left, whose games are
    /// returned; begins the file if there is nothing.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub fn resume(
        path: &Path,
        header: &FileHeader,
    ) -> Result<(Output, Vec<GameRecord>), FileError> {
        let partial = Output::partial(path);
        let left = match GameFile::open(&partial) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            read => at(&partial, read)?
                .ok()
                .filter(|file| file.header() == header),
        };
        let Some(file) = left else {
            return Ok((Output::create(path, header)?, Vec::new()));
        };
        let games = file.games().filter_map(Result::ok).collect();
        let (writer, _, _) = at(&partial, GameWriter::resume(&partial))?;
        let output = Output {
            path: path.to_path_buf(),
            partial,
            writer,
        };
        Ok((output, games))
    }

    fn partial(path: &Path) -> PathBuf {
        let mut name = path.as_os_str().to_owned();
        name.push(".partial");
        name.into()
    }

    /// The error that what was left of this file has other games in it.
    pub fn foreign(&self) -> FileError {
        FileError {
            path: self.partial.clone(),
            error: io::Error::other("left of another run, with other games; remove it first"),
        }
    }

    /// Appends a game.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, game: &GameRecord) -> Result<(), FileError> {
        at(&self.partial, self.writer.write(game))
    }

    /// The file is whole: it gets its name, instead of a file that had it.
    ///
    /// # Errors
    /// If it cannot be renamed.
    pub fn finish(self) -> Result<(), FileError> {
        drop(self.writer);
        at(&self.path, fs::rename(&self.partial, &self.path))
    }
}
