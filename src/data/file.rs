//! Files of recorded games: append-only, each game with its own checksum. A ply takes four bytes, and
//! its principal variation about fourteen more.
//!
//! A file is a header and then one frame for each game; all numbers are little-endian.
//!
//! | header | bytes |
//! |---|---|
//! | magic `SAAVEDRA-GAMES` and two zero bytes | 16 |
//! | format version | 4 |
//! | soft node limit of a search | 4 |
//! | generation of the network that played | 4 |
//! | seed of the run | 8 |
//! | length of the engine's name, then the name (UTF-8) | 2 + n |
//! | CRC-32 of everything before | 4 |
//!
//! | frame | bytes |
//! |---|---|
//! | magic `GAME` | 4 |
//! | length of the payload | 4 |
//! | CRC-32 of the payload | 4 |
//! | payload, see [`GameRecord`] | n |
//!
//! This is the format `games`, version 1. In the compact format, version 2, a frame is a block of
//! games; see `docs/RECORDS.md`. A [`GameFile`] is of either format.
//!
//! A reader reports where a frame is damaged, continues at the next intact frame, and never returns
//! a game with a wrong checksum. A writer that was killed leaves at most one partial frame at the
//! end, which the next writer cuts off.

use super::compact::{BLOCK_MAGIC, BlockGames, MAX_BLOCK};
use super::crc::{CrcIndex, crc32};
use super::record::{FRAME_HEADER, FRAME_MAGIC, GameRecord, MAX_PAYLOAD};
use crate::engine::NAME;
use crate::eval::Evaluation;
use std::fmt;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The file name extension of game files, and of those in the compact format.
pub const EXTENSION: &str = "games";
pub(super) const COMPACT_EXTENSION: &str = "compact";

const FILE_MAGIC: &[u8; 16] = b"SAAVEDRA-GAMES\0\0";
/// The length of a file header before the name.
const FIXED_HEADER: usize = 38;
/// The maximum length of the engine's name in a header, in bytes.
const MAX_NAME: usize = 1000;

/// A format of game files.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RecordFormat {
    /// Four bytes a ply, without principal variations; games can be appended.
    Games = 1,
    /// Less than one byte a ply; scores are rounded to 1/64 of a point, and principal variations are
    /// left out.
    Compact = 2,
}

impl RecordFormat {
    /// All of them.
    const ALL: [RecordFormat; 2] = [RecordFormat::Games, RecordFormat::Compact];

    /// The number in the header of a file.
    const fn version(self) -> u32 {
        self as u32
    }

    /// The first bytes of a frame, and the maximum length of its payload.
    const fn frame(self) -> (&'static [u8; 4], usize) {
        match self {
            RecordFormat::Games => (FRAME_MAGIC, MAX_PAYLOAD),
            RecordFormat::Compact => (BLOCK_MAGIC, MAX_BLOCK),
        }
    }
}

/// The name and version of the engine with this evaluation, for file headers and messages.
pub fn engine_name(evaluation: &Evaluation) -> String {
    format!("{NAME}, {evaluation}")
}

/// The generation of the network; 0 without one.
pub fn network_generation(evaluation: &Evaluation) -> u32 {
    match evaluation {
        Evaluation::Material | Evaluation::PieceSquare => 0,
        Evaluation::Network(network, _) => network.generation(),
    }
}

/// The header of a game file: which engine played the games, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// Name and version of the engine, and its evaluation.
    pub engine: String,
    /// The soft node limit of a search; 0 if it is unknown or differs between the games.
    pub nodes: u32,
    /// The generation of the network that played; 0 without a network.
    pub generation: u32,
    /// The seed of the run; 0 if the games are from several runs.
    pub seed: u64,
}

impl FileHeader {
    /// The header at the start of a file. The [frames](GameRecord::frame) of the games follow.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.encode(RecordFormat::Games)
    }

    /// The header at the start of a file of this format.
    pub(super) fn encode(&self, format: RecordFormat) -> Vec<u8> {
        let mut end = self.engine.len().min(MAX_NAME);
        while !self.engine.is_char_boundary(end) {
            end -= 1;
        }
        let name = &self.engine[..end];
        let mut bytes = FILE_MAGIC.to_vec();
        bytes.extend(format.version().to_le_bytes());
        bytes.extend(self.nodes.to_le_bytes());
        bytes.extend(self.generation.to_le_bytes());
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name.as_bytes());
        let crc = crc32(&bytes);
        bytes.extend(crc.to_le_bytes());
        bytes
    }

    /// The header at the start of a file, the format, and the length of the header.
    fn decode(file: &[u8]) -> Result<(FileHeader, RecordFormat, usize), DamageKind> {
        if !file.starts_with(FILE_MAGIC) {
            return Err(DamageKind::NotAGameFile);
        }
        let u32_at = |at: usize| file[at..].first_chunk().map(|&bytes| u32::from_le_bytes(bytes));
        let fixed = file.get(..FIXED_HEADER).ok_or(DamageKind::Header)?;
        let version = u32_at(16).ok_or(DamageKind::Header)?;
        let mut formats = RecordFormat::ALL.into_iter();
        let format = formats.find(|format| format.version() == version);
        let format = format.ok_or(DamageKind::Version(version))?;
        let end = FIXED_HEADER + usize::from(u16::from_le_bytes([fixed[36], fixed[37]]));
        let name = file.get(FIXED_HEADER..end).ok_or(DamageKind::Header)?;
        let checksum = u32_at(end).ok_or(DamageKind::Header)?;
        // A fuzzer hardly finds a checksum.
        if !cfg!(fuzzing) && checksum != crc32(&file[..end]) {
            return Err(DamageKind::Header);
        }
        let header = FileHeader {
            engine: String::from_utf8_lossy(name).into_owned(),
            nodes: u32_at(20).ok_or(DamageKind::Header)?,
            generation: u32_at(24).ok_or(DamageKind::Header)?,
            seed: file[28..].first_chunk().map_or(0, |&bytes| u64::from_le_bytes(bytes)),
        };
        Ok((header, format, end + 4))
    }

    /// Whether a file has only the start of a header, for example because the disk was full.
    fn is_unfinished(file: &[u8]) -> bool {
        let start = [FILE_MAGIC, &RecordFormat::Games.version().to_le_bytes()[..]].concat();
        let known = file.len().min(start.len());
        if file[..known] != start[..known] {
            return false;
        }
        let Some([low, high]) = file.get(FIXED_HEADER - 2..FIXED_HEADER) else {
            return true;
        };
        let name = usize::from(u16::from_le_bytes([*low, *high]));
        let is_short = name <= MAX_NAME && file.len() < FIXED_HEADER + name + 4;
        // The length of the name may be damaged, but a file with a game has a whole header.
        let mut rest = file[FIXED_HEADER..].windows(FRAME_MAGIC.len());
        is_short && !rest.any(|window| window == FRAME_MAGIC)
    }
}

/// What is wrong at a place of a game file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DamageKind {
    /// The file does not start with the magic of game files.
    NotAGameFile,
    /// The version of the format is not supported.
    Version(u32),
    /// The file header is incomplete or has a wrong checksum.
    Header,
    /// There is no frame at this place.
    NotAFrame,
    /// A frame has a wrong checksum.
    Checksum,
    /// A frame has the right checksum, but its payload is invalid.
    Payload,
    /// The file ends within a frame, for example because its writer was killed.
    Truncated,
}

impl fmt::Display for DamageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DamageKind::NotAGameFile => f.write_str("not a game file"),
            DamageKind::Version(version) => {
                let [first, second] = RecordFormat::ALL.map(RecordFormat::version);
                write!(f, "format version {version} is not supported, only {first} and {second}")
            }
            DamageKind::Header => f.write_str("damaged file header"),
            DamageKind::NotAFrame => f.write_str("not a game"),
            DamageKind::Checksum => f.write_str("wrong checksum"),
            DamageKind::Payload => f.write_str("invalid game with a correct checksum"),
            DamageKind::Truncated => f.write_str("the file ends within a game"),
        }
    }
}

/// A damaged place of a game file: the reader skips `length` bytes at `offset`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamageError {
    /// The file.
    pub path: PathBuf,
    /// Where the damage starts, in bytes from the start of the file.
    pub offset: usize,
    /// The number of bytes that are skipped.
    pub length: usize,
    /// What is wrong.
    pub kind: DamageKind,
}

impl fmt::Display for DamageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DamageError { path, offset, length, kind } = self;
        write!(f, "{}: offset {offset}: {kind}; skipped {length} bytes", path.display())
    }
}

impl std::error::Error for DamageError {}

/// A game file in memory. [`GameFile::games`] iterates over its games.
#[derive(Clone, Debug)]
pub struct GameFile {
    path: PathBuf,
    bytes: Vec<u8>,
    header: FileHeader,
    format: RecordFormat,
    first_frame: usize,
}

impl GameFile {
    /// Reads a file. The inner error is damage of its header.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn open(path: &Path) -> io::Result<Result<GameFile, DamageError>> {
        let bytes = std::fs::read(path)?;
        Ok(GameFile::from_bytes(path, bytes))
    }

    /// A game file from its bytes; `path` is only used in errors.
    ///
    /// # Errors
    /// If the header is damaged.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<GameFile, DamageError> {
        let path = path.to_path_buf();
        match FileHeader::decode(&bytes) {
            Ok((header, format, first_frame)) => {
                Ok(GameFile { path, bytes, header, format, first_frame })
            }
            Err(kind) => Err(DamageError { path, offset: 0, length: bytes.len(), kind }),
        }
    }

    /// The same file with other bytes, which start with a frame.
    pub(super) fn with_bytes(self, bytes: Vec<u8>) -> GameFile {
        GameFile { bytes, first_frame: 0, ..self }
    }

    /// The bytes from this place on.
    pub(super) fn bytes_from(&self, offset: usize) -> &[u8] {
        &self.bytes[offset..]
    }

    /// The maximum length of a frame.
    pub(super) fn max_frame(&self) -> usize {
        FRAME_HEADER + self.format.frame().1
    }

    /// The header.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// The format.
    pub fn format(&self) -> RecordFormat {
        self.format
    }

    /// The games and the damaged places between them, in the order of the file.
    pub fn games(&self) -> Games<'_> {
        let next = self.first_frame;
        Games { file: self, frame: next, next, block: None, crc_index: None }
    }

    /// The length of the frame at `offset`, its payload, and the checksum that it should have.
    fn frame(&self, offset: usize) -> Result<(usize, &[u8], u32), DamageKind> {
        let rest = &self.bytes[offset..];
        let (magic, max_payload) = self.format.frame();
        let available = rest.len().min(magic.len());
        if rest[..available] != magic[..available] {
            return Err(DamageKind::NotAFrame);
        }
        let header: &[u8; FRAME_HEADER] = rest.first_chunk().ok_or(DamageKind::Truncated)?;
        let [_, _, _, _, l0, l1, l2, l3, c0, c1, c2, c3] = *header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if length > max_payload {
            return Err(DamageKind::NotAFrame);
        }
        let end = FRAME_HEADER + length;
        let payload = rest.get(FRAME_HEADER..end).ok_or(DamageKind::Truncated)?;
        Ok((end, payload, u32::from_le_bytes([c0, c1, c2, c3])))
    }

    /// The length of the intact frame at `offset`, and its payload. After damage there is an index,
    /// with which many long frames in the same bytes need linear time.
    fn read_frame(
        &self,
        offset: usize,
        index: Option<&CrcIndex>,
    ) -> Result<(usize, &[u8]), DamageKind> {
        let (length, payload, checksum) = self.frame(offset)?;
        let found = match index {
            Some(index) => index.crc32(&self.bytes, offset + FRAME_HEADER..offset + length),
            None => crc32(payload),
        };
        if cfg!(fuzzing) || found == checksum {
            Ok((length, payload))
        } else {
            Err(DamageKind::Checksum)
        }
    }

    /// The first place from `from` on where an intact frame starts. The index makes this linear in
    /// the length of the file, even if every byte could be the start of a long frame.
    fn next_intact_frame(&self, from: usize, index: &CrcIndex) -> Option<usize> {
        let (magic, _) = self.format.frame();
        let candidates = self.bytes[from..].windows(magic.len()).enumerate();
        let starts = candidates.filter(|(_, window)| window == magic);
        starts.map(|(at, _)| from + at).find(|&at| {
            self.frame(at).is_ok_and(|(length, _, checksum)| {
                index.crc32(&self.bytes, at + FRAME_HEADER..at + length) == checksum
            })
        })
    }
}

/// The iterator over the games and damaged places of a [`GameFile`].
#[derive(Clone, Debug)]
pub struct Games<'a> {
    file: &'a GameFile,
    /// Where the last frame starts, and where it ends.
    frame: usize,
    next: usize,
    /// The rest of that frame, if it is a block.
    block: Option<BlockGames<'a>>,
    /// Made at the first damaged place.
    crc_index: Option<CrcIndex>,
}

impl<'a> Games<'a> {
    /// Where the frame with the next game starts, in bytes from the start of the file.
    pub fn offset(&self) -> usize {
        let is_in_block = self.block.as_ref().is_some_and(|block| !block.is_empty());
        if is_in_block { self.frame } else { self.next }
    }

    /// Moves to the next intact frame or the end of the file.
    fn skip_damage(&mut self) {
        let bytes = &self.file.bytes;
        let index = self.crc_index.get_or_insert_with(|| CrcIndex::new(bytes));
        let next = self.file.next_intact_frame(self.next + 1, index);
        self.next = next.unwrap_or(bytes.len());
    }

    /// Moves behind the next frame and returns its payload.
    fn next_payload(&mut self) -> Result<&'a [u8], DamageKind> {
        let file = self.file;
        self.frame = self.next;
        match file.read_frame(self.frame, self.crc_index.as_ref()) {
            Ok((length, payload)) => {
                self.next += length;
                Ok(payload)
            }
            Err(kind) => {
                self.skip_damage();
                // The file does not end within a frame that is followed by intact ones.
                let at_end = self.next == file.bytes.len();
                Err(match kind {
                    DamageKind::Truncated if !at_end => DamageKind::NotAFrame,
                    // After a power failure a file may have its length, but zeros as its last bytes.
                    _ if at_end && file.bytes[self.frame..].ends_with(&[0; 16]) => {
                        DamageKind::Truncated
                    }
                    kind => kind,
                })
            }
        }
    }

    /// The next game of the file; `None` at its end.
    fn next_game(&mut self) -> Option<Result<GameRecord, DamageKind>> {
        loop {
            if let Some(game) = self.block.as_mut().and_then(BlockGames::next) {
                return Some(game.ok_or(DamageKind::Payload));
            }
            if self.next == self.file.bytes.len() {
                return None;
            }
            let payload = match self.next_payload() {
                Ok(payload) => payload,
                Err(kind) => return Some(Err(kind)),
            };
            self.block = match self.file.format {
                RecordFormat::Games => {
                    return Some(GameRecord::decode(payload).ok_or(DamageKind::Payload));
                }
                RecordFormat::Compact => BlockGames::new(payload),
            };
            if self.block.is_none() {
                return Some(Err(DamageKind::Payload));
            }
        }
    }
}

impl Iterator for Games<'_> {
    type Item = Result<GameRecord, DamageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (path, game) = (&self.file.path, self.next_game()?);
        let (offset, length) = (self.frame, self.next - self.frame);
        Some(game.map_err(|kind| DamageError { path: path.clone(), offset, length, kind }))
    }
}

/// Locks a file for its writer until it is closed.
///
/// # Errors
/// [`io::ErrorKind::ResourceBusy`] if another process writes it.
fn lock(file: &File) -> io::Result<()> {
    // Windows would keep others from reading the file, too.
    if cfg!(windows) {
        return Ok(());
    }
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(io::Error::new(io::ErrorKind::ResourceBusy, "another process writes this file"))
        }
        // Not every file system has locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Removes a file without a whole header, which has no games, unless another process writes it.
/// Whether it did so.
///
/// # Errors
/// If the file cannot be read or removed.
pub(super) fn remove_unfinished(path: &Path) -> io::Result<bool> {
    let mut file = File::open(path)?;
    let is_unfinished = |file: &mut File| {
        let mut bytes = Vec::new();
        let max_header = (FIXED_HEADER + MAX_NAME + 4) as u64;
        file.rewind()?;
        file.take(max_header).read_to_end(&mut bytes)?;
        io::Result::Ok(FileHeader::is_unfinished(&bytes))
    };
    // Its writer may have finished it before it was locked.
    if !is_unfinished(&mut file)? || lock(&file).is_err() || !is_unfinished(&mut file)? {
        return Ok(false);
    }
    std::fs::remove_file(path)?;
    Ok(true)
}

/// Appends games to a file, with one write and one flush for each game. The file is locked, where
/// the system has such locks, so that no other process writes it; not on Windows, nor a device.
#[derive(Debug)]
pub struct GameWriter {
    file: File,
    length: u64,
}

impl GameWriter {
    /// Creates a file.
    ///
    /// # Errors
    /// If the file exists or cannot be written.
    pub fn create(path: &Path, header: &FileHeader) -> io::Result<GameWriter> {
        let mut options = OpenOptions::new();
        let file = options.append(true).create_new(true).open(path)?;
        lock(&file)?;
        // Another process may have removed it before it was locked.
        path.metadata()?;
        GameWriter::start(file, header).inspect_err(|_| {
            // A part of the header would be in the way of the next run.
            let _ = std::fs::remove_file(path);
        })
    }

    /// Opens a device or pipe.
    ///
    /// # Errors
    /// If it does not exist or cannot be written.
    pub fn device(path: &Path, header: &FileHeader) -> io::Result<GameWriter> {
        GameWriter::start(OpenOptions::new().append(true).open(path)?, header)
    }

    fn start(mut file: File, header: &FileHeader) -> io::Result<GameWriter> {
        let bytes = header.to_bytes();
        file.write_all(&bytes)?;
        Ok(GameWriter { file, length: bytes.len() as u64 })
    }

    /// Opens an existing file to append games. Cuts off a partial frame at its end and returns that
    /// damage, with the number of games in the file.
    ///
    /// # Errors
    /// If the file cannot be read or written, or its header is damaged;
    /// [`ResourceBusy`](io::ErrorKind::ResourceBusy) if another process writes it.
    pub fn resume(path: &Path) -> io::Result<(GameWriter, usize, Option<DamageError>)> {
        let mut file = OpenOptions::new().append(true).open(path)?;
        lock(&file)?;
        let games = GameFile::open(path)?.map_err(io::Error::other)?;
        if games.format != RecordFormat::Games {
            return Err(io::Error::other("games cannot be appended to a compact file"));
        }
        let mut count = 0;
        let mut truncated = None;
        for game in games.games() {
            match game {
                Ok(_) => count += 1,
                Err(damage) if damage.kind == DamageKind::Truncated => truncated = Some(damage),
                Err(_) => {}
            }
        }
        if let Some(damage) = &truncated {
            file.set_len(damage.offset as u64)?;
        }
        let length = file.seek(SeekFrom::End(0))?;
        Ok((GameWriter { file, length }, count, truncated))
    }

    /// Appends a game.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&mut self, game: &GameRecord) -> io::Result<()> {
        let frame = game.frame();
        self.file.write_all(&frame)?;
        self.length += frame.len() as u64;
        self.file.flush()
    }

    /// The length of the file so far, in bytes.
    pub fn bytes_written(&self) -> u64 {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame with a right checksum but a length beyond the maximum: nothing is allocated or
    /// decoded for it.
    #[test]
    fn a_frame_beyond_the_maximum_length_is_no_frame() {
        let header = FileHeader { engine: "test".to_owned(), nodes: 1, generation: 0, seed: 1 };
        for (length, kind) in
            [(MAX_PAYLOAD, DamageKind::Payload), (MAX_PAYLOAD + 1, DamageKind::NotAFrame)]
        {
            let payload = vec![0xFF; length];
            let mut bytes = header.to_bytes();
            bytes.extend(FRAME_MAGIC);
            bytes.extend((length as u32).to_le_bytes());
            bytes.extend(crc32(&payload).to_le_bytes());
            bytes.extend(payload);
            let file = GameFile::from_bytes(Path::new("x"), bytes).expect("a header");
            let read: Vec<_> = file.games().map(|game| game.map_err(|e| e.kind)).collect();
            assert_eq!(read, [Err(kind)], "{length}");
        }
    }
}
