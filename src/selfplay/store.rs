//! Folders of files of games.

use super::random::Random;
use crate::games::record::{
    EXTENSION, Fault, FileHeader, GameFile, GameRecord, GameWriter, Reason,
};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The files of games under these paths (files themselves, or folders with such files at any
/// depth), in the order of their names.
///
/// # Errors
/// If a path cannot be read.
pub fn files(paths: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut waiting: Vec<(PathBuf, bool)> = paths.iter().map(|p| (p.clone(), true)).collect();
    while let Some((path, named)) = waiting.pop() {
        let is_games = path.extension().is_some_and(|ending| ending == EXTENSION);
        if path.is_dir() {
            for entry in fs::read_dir(&path)? {
                waiting.push((entry?.path(), false));
            }
        } else if named || is_games {
            found.push(path);
        }
    }
    found.sort();
    found.dedup();
    Ok(found)
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

/// Looks through a folder (not those in it), and cuts off what interrupted runs left partial.
///
/// # Errors
/// If it cannot be read or changed.
pub fn tidy(folder: &Path) -> io::Result<Found> {
    let mut found = Found::default();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != EXTENSION) {
            continue;
        }
        let file = match GameFile::open(&path)? {
            Ok(file) => file,
            Err(fault) => {
                found.faults.push(fault);
                continue;
            }
        };
        found.seeds.insert(file.header().seed);
        let is_partial = |game: &Result<GameRecord, Fault>| matches!(game, Err(f) if f.reason == Reason::Partial);
        if file.games().any(|game| is_partial(&game)) {
            let (_, _, cut) = GameWriter::resume(&path)?;
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
            writer: None,
        }
    }

    /// Appends a game; when this returns the system has it.
    ///
    /// # Errors
    /// If it cannot be written, or the file for it exists already.
    pub fn write(&mut self, game: &GameRecord) -> io::Result<()> {
        let room = |writer: &GameWriter| writer.bytes_written() + size(game) <= self.max_size;
        if !self.writer.as_ref().is_some_and(room) {
            self.part += 1;
            let FileHeader {
                generation, seed, ..
            } = self.header;
            let name = format!("g{generation}-{seed:016x}-{:03}.{EXTENSION}", self.part);
            self.writer = Some(GameWriter::create(&self.folder.join(name), &self.header)?);
        }
        match &mut self.writer {
            Some(writer) => writer.write(game),
            None => Ok(()),
        }
    }
}

/// The most bytes a game takes in a file.
fn size(game: &GameRecord) -> u64 {
    52 + 4 * game.plies.len() as u64
}
