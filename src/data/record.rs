//! Files of games: append-only, about four bytes a ply, every game with its own checksum.
//!
//! **Everything in a record is from White's view**: the result and every score.
//!
//! A file is a header and then one frame per game; all numbers are little-endian.
//!
//! | header | bytes |
//! |---|---|
//! | magic `SAAVEDRA-GAMES` and two zeros | 16 |
//! | format version | 4 |
//! | soft limit of nodes per move | 4 |
//! | generation of the network that played | 4 |
//! | seed of the run | 8 |
//! | length of the engine's name, then the name (UTF-8) | 2 + n |
//! | CRC-32 of all before | 4 |
//!
//! | frame | bytes |
//! |---|---|
//! | magic `GAME` | 4 |
//! | length of the payload | 4 |
//! | CRC-32 of the payload | 4 |
//! | payload: start (0 standard; 1, then 34 bytes [`PackedPosition`]) | 1 or 35 |
//! | result (0 Black won, 1 draw, 2 White won) | 1 |
//! | [`Termination`] | 1 |
//! | plies of the opening, which were not searched | 2 |
//! | per ply: the move's 16 bits, the score | 4 |
//!
//! A reader reports a damaged frame by its place, goes on at the next whole one, and never hands
//! out a game whose checksum is wrong. A writer that was killed leaves at most one partial frame,
//! which the next one cuts off.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::crc::crc32;
use super::position::PACKED_LEN;
pub use super::position::PackedPosition;
use crate::chess::{Color, GameResult};
use crate::eval::Evaluation;

/// What the names of files of games end with.
pub const EXTENSION: &str = "games";

const FILE_MAGIC: &[u8; 16] = b"SAAVEDRA-GAMES\0\0";
const FRAME_MAGIC: &[u8; 4] = b"GAME";
const FORMAT_VERSION: u32 = 1;
/// Bytes of a file's header before the name, and of a frame before its payload.
const FIXED_HEADER: usize = 38;
const FRAME_HEADER: usize = 12;
/// No game is longer than this (a frame that claims more is damaged).
const MAX_PAYLOAD: usize = 1 << 18;

/// The score of a ply that was not searched.
pub const NO_SCORE: i16 = i16::MIN;
/// Scores from here on (both signs) are no centipawns: a forced mate or a tablebase result.
pub const DECISIVE: i16 = 30_000;

/// Why a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// Checkmate.
    Checkmate = 0,
    /// Stalemate.
    Stalemate = 1,
    /// Neither side can mate.
    InsufficientMaterial = 2,
    /// Fifty moves without a capture or a pawn's move.
    FiftyMoves = 3,
    /// The third occurrence of a position.
    Threefold = 4,
    /// Adjudicated: one side was far ahead for long enough.
    AdjudicatedWin = 5,
    /// Adjudicated: the score was near zero for long enough.
    AdjudicatedDraw = 6,
    /// Adjudicated as a draw for its length.
    MaximumPlies = 7,
    /// Adjudicated by endgame tables.
    Tablebase = 8,
}

impl Termination {
    /// All of them, by their number in the file.
    pub const ALL: [Termination; 9] = [
        Termination::Checkmate,
        Termination::Stalemate,
        Termination::InsufficientMaterial,
        Termination::FiftyMoves,
        Termination::Threefold,
        Termination::AdjudicatedWin,
        Termination::AdjudicatedDraw,
        Termination::MaximumPlies,
        Termination::Tablebase,
    ];
}

/// One half-move of a recorded game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move, as `chess::Move::bits` gives it.
    pub move_bits: u16,
    /// The search's score of the position before the move, in centipawns from White's view, or
    /// [`NO_SCORE`]; [`DECISIVE`] and beyond for mates.
    pub score: i16,
}

/// One game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameRecord {
    /// The position the game began from; None is the standard one.
    pub start: Option<PackedPosition>,
    /// How it ended.
    pub result: GameResult,
    /// Why it ended.
    pub termination: Termination,
    /// So many plies at the beginning are the random opening.
    pub opening_plies: u16,
    /// The moves with their scores.
    pub plies: Vec<Ply>,
}

impl GameRecord {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(5 + PACKED_LEN + 4 * self.plies.len());
        bytes.push(u8::from(self.start.is_some()));
        if let Some(position) = &self.start {
            position.encode(&mut bytes);
        }
        bytes.push(self.result.half_points(Color::White));
        bytes.push(self.termination as u8);
        bytes.extend(self.opening_plies.to_le_bytes());
        for ply in &self.plies {
            bytes.extend(ply.move_bits.to_le_bytes());
            bytes.extend(ply.score.to_le_bytes());
        }
        bytes
    }

    fn decode(payload: &[u8]) -> Option<GameRecord> {
        let (&has_start, rest) = payload.split_first()?;
        let (start, rest) = match has_start {
            0 => (None, rest),
            1 => {
                let (packed, rest) = rest.split_first_chunk()?;
                (Some(PackedPosition::decode(packed)?), rest)
            }
            _ => return None,
        };
        let (&[result, termination, low, high], rest) = rest.split_first_chunk()?;
        let (plies, []) = rest.as_chunks() else {
            return None;
        };
        let ply = |&[m0, m1, s0, s1]: &[u8; 4]| Ply {
            move_bits: u16::from_le_bytes([m0, m1]),
            score: i16::from_le_bytes([s0, s1]),
        };
        let game = GameRecord {
            start,
            result: match result {
                0 => GameResult::BlackWins,
                1 => GameResult::Draw,
                2 => GameResult::WhiteWins,
                _ => return None,
            },
            termination: *Termination::ALL.get(usize::from(termination))?,
            opening_plies: u16::from_le_bytes([low, high]),
            plies: plies.iter().map(ply).collect(),
        };
        (usize::from(game.opening_plies) <= game.plies.len()).then_some(game)
    }

    /// The frame for this game, as a file holds it.
    fn frame(&self) -> Vec<u8> {
        let payload = self.encode();
        let mut frame = Vec::with_capacity(FRAME_HEADER + payload.len());
        frame.extend(FRAME_MAGIC);
        frame.extend((payload.len() as u32).to_le_bytes());
        frame.extend(crc32(&payload).to_le_bytes());
        frame.extend(payload);
        frame
    }
}

/// Who played the games of a file, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHeader {
    /// Name and version of the engine, and what else is worth knowing about it.
    pub engine: String,
    /// Soft limit of nodes per move.
    pub nodes: u32,
    /// Generation of the network that played; 0 played without one.
    pub generation: u32,
    /// Seed of the run.
    pub seed: u64,
}

/// Who plays, for the headers of files.
pub fn engine_name(evaluation: &Evaluation) -> String {
    format!("Saavedra {}, {evaluation}", env!("CARGO_PKG_VERSION"))
}

/// The generation of the network; 0 without one.
pub fn generation(evaluation: &Evaluation) -> u32 {
    match evaluation {
        Evaluation::Material | Evaluation::PieceSquare => 0,
        Evaluation::Network(network, _) => network.generation(),
    }
}

impl FileHeader {
    fn encode(&self) -> Vec<u8> {
        let mut end = self.engine.len().min(1000);
        while !self.engine.is_char_boundary(end) {
            end -= 1;
        }
        let name = &self.engine[..end];
        let mut bytes = FILE_MAGIC.to_vec();
        bytes.extend(FORMAT_VERSION.to_le_bytes());
        bytes.extend(self.nodes.to_le_bytes());
        bytes.extend(self.generation.to_le_bytes());
        bytes.extend(self.seed.to_le_bytes());
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend(name.as_bytes());
        let crc = crc32(&bytes);
        bytes.extend(crc.to_le_bytes());
        bytes
    }

    /// The header and its length in the file.
    fn decode(file: &[u8]) -> Result<(FileHeader, usize), Reason> {
        if !file.starts_with(FILE_MAGIC) {
            return Err(Reason::NotGames);
        }
        let u32_at = |at: usize| {
            file[at..]
                .first_chunk()
                .map(|&bytes| u32::from_le_bytes(bytes))
        };
        let fixed = file.get(..FIXED_HEADER).ok_or(Reason::Header)?;
        let version = u32_at(16).ok_or(Reason::Header)?;
        if version != FORMAT_VERSION {
            return Err(Reason::Version(version));
        }
        let end = FIXED_HEADER + usize::from(u16::from_le_bytes([fixed[36], fixed[37]]));
        let name = file.get(FIXED_HEADER..end).ok_or(Reason::Header)?;
        if u32_at(end) != Some(crc32(&file[..end])) {
            return Err(Reason::Header);
        }
        let header = FileHeader {
            engine: String::from_utf8_lossy(name).into_owned(),
            nodes: u32_at(20).ok_or(Reason::Header)?,
            generation: u32_at(24).ok_or(Reason::Header)?,
            seed: file[28..]
                .first_chunk()
                .map_or(0, |&bytes| u64::from_le_bytes(bytes)),
        };
        Ok((header, end + 4))
    }
}

/// What is wrong at a place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The file does not begin as a file of games does.
    NotGames,
    /// An unknown version of the format.
    Version(u32),
    /// The file's header is cut short or its checksum is wrong.
    Header,
    /// Bytes that are no frame.
    Foreign,
    /// A frame with a wrong checksum.
    Checksum,
    /// A frame whose checksum is right but whose content is that of no game.
    Malformed,
    /// The file ends within a frame, as when its writer was killed.
    Partial,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NotGames => f.write_str("not a file of games"),
            Reason::Version(version) => {
                write!(
                    f,
                    "format version {version} (this program reads {FORMAT_VERSION})"
                )
            }
            Reason::Header => f.write_str("the file's header is damaged"),
            Reason::Foreign => f.write_str("not a game"),
            Reason::Checksum => f.write_str("wrong checksum"),
            Reason::Malformed => f.write_str("not a game, though the checksum is right"),
            Reason::Partial => f.write_str("the file ends within a game"),
        }
    }
}

/// A damaged place: `length` bytes from `offset` on are skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub path: PathBuf,
    /// Where the damage begins, in bytes from the beginning of the file.
    pub offset: usize,
    /// How many bytes are skipped.
    pub length: usize,
    /// What is wrong.
    pub reason: Reason,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            path,
            offset,
            length,
            reason,
        } = self;
        write!(
            f,
            "{}: offset {offset}: {reason}; skipped {length} bytes",
            path.display()
        )
    }
}

impl std::error::Error for Fault {}

/// A file of games in memory. Iterating over [`GameFile::games`] gives each game or fault.
#[derive(Clone, Debug)]
pub struct GameFile {
    path: PathBuf,
    bytes: Vec<u8>,
    header: FileHeader,
    first_frame: usize,
}

impl GameFile {
    /// Reads a file. The inner error is what is wrong with its header.
    pub fn open(path: &Path) -> io::Result<Result<GameFile, Fault>> {
        let bytes = std::fs::read(path)?;
        Ok(GameFile::from_bytes(path, bytes))
    }

    /// A file of games from its bytes; `path` is for messages only.
    pub fn from_bytes(path: &Path, bytes: Vec<u8>) -> Result<GameFile, Fault> {
        let path = path.to_path_buf();
        match FileHeader::decode(&bytes) {
            Ok((header, first_frame)) => Ok(GameFile {
                path,
                bytes,
                header,
                first_frame,
            }),
            Err(reason) => Err(Fault {
                path,
                offset: 0,
                length: bytes.len(),
                reason,
            }),
        }
    }

    /// Who played the games.
    pub fn header(&self) -> &FileHeader {
        &self.header
    }

    /// The games and faults in the order of the file.
    pub fn games(&self) -> Games<'_> {
        Games {
            file: self,
            next: self.first_frame,
        }
    }

    /// Reads the frame at `offset`: its length and what it holds.
    fn frame(&self, offset: usize) -> Result<(usize, Option<GameRecord>), Reason> {
        let rest = &self.bytes[offset..];
        let shortest = rest.len().min(FRAME_MAGIC.len());
        if rest[..shortest] != FRAME_MAGIC[..shortest] {
            return Err(Reason::Foreign);
        }
        let header: &[u8; FRAME_HEADER] = rest.first_chunk().ok_or(Reason::Partial)?;
        let [_, _, _, _, l0, l1, l2, l3, c0, c1, c2, c3] = *header;
        let length = u32::from_le_bytes([l0, l1, l2, l3]) as usize;
        if length > MAX_PAYLOAD {
            return Err(Reason::Foreign);
        }
        let end = FRAME_HEADER + length;
        let payload = rest.get(FRAME_HEADER..end).ok_or(Reason::Partial)?;
        if crc32(payload) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Err(Reason::Checksum);
        }
        Ok((end, GameRecord::decode(payload)))
    }

    /// The first place from `from` on at which a whole frame begins.
    fn resynchronise(&self, from: usize) -> Option<usize> {
        let candidates = self.bytes[from..].windows(FRAME_MAGIC.len()).enumerate();
        let starts = candidates.filter(|(_, window)| window == FRAME_MAGIC);
        starts
            .map(|(at, _)| from + at)
            .find(|&at| self.frame(at).is_ok())
    }
}

/// The games and faults of a [`GameFile`].
#[derive(Clone, Debug)]
pub struct Games<'a> {
    file: &'a GameFile,
    next: usize,
}

impl Games<'_> {
    /// Where the next frame begins, in bytes from the beginning of the file.
    pub fn offset(&self) -> usize {
        self.next
    }
}

impl Iterator for Games<'_> {
    type Item = Result<GameRecord, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        let file = self.file;
        let offset = self.next;
        if offset == file.bytes.len() {
            return None;
        }
        let reason = match file.frame(offset) {
            Ok((length, game)) => {
                self.next = offset + length;
                match game {
                    Some(game) => return Some(Ok(game)),
                    None => Reason::Malformed,
                }
            }
            Err(reason) => {
                self.next = file.resynchronise(offset + 1).unwrap_or(file.bytes.len());
                // A frame that claims to reach beyond the end while others follow is just damaged.
                let last = self.next == file.bytes.len();
                if reason == Reason::Partial && !last {
                    Reason::Foreign
                } else {
                    reason
                }
            }
        };
        let path = file.path.clone();
        Some(Err(Fault {
            path,
            offset,
            length: self.next - offset,
            reason,
        }))
    }
}

/// Appends games to a file: one write and one flush per game.
#[derive(Debug)]
pub struct GameWriter {
    file: File,
    length: u64,
}

impl GameWriter {
    /// Begins a new file, which must not exist.
    pub fn create(path: &Path, header: &FileHeader) -> io::Result<GameWriter> {
        let mut file = OpenOptions::new()
            .append(true)
            .create_new(true)
            .open(path)?;
        let bytes = header.encode();
        file.write_all(&bytes)?;
        Ok(GameWriter {
            file,
            length: bytes.len() as u64,
        })
    }

    /// Goes on with an existing file: cuts off a partial game at its end, which is returned as a
    /// fault, and counts its whole games. A file with a damaged header is an error.
    pub fn resume(path: &Path) -> io::Result<(GameWriter, usize, Option<Fault>)> {
        let games = GameFile::open(path)?.map_err(io::Error::other)?;
        let mut whole = 0;
        let mut partial = None;
        for game in games.games() {
            match game {
                Ok(_) => whole += 1,
                Err(fault) if fault.reason == Reason::Partial => partial = Some(fault),
                Err(_) => {}
            }
        }
        let mut file = OpenOptions::new().append(true).open(path)?;
        if let Some(fault) = &partial {
            file.set_len(fault.offset as u64)?;
        }
        let length = file.seek(SeekFrom::End(0))?;
        Ok((GameWriter { file, length }, whole, partial))
    }

    /// Appends a game.
    pub fn write(&mut self, game: &GameRecord) -> io::Result<()> {
        let frame = game.frame();
        self.file.write_all(&frame)?;
        self.length += frame.len() as u64;
        self.file.flush()
    }

    /// Bytes of the file so far.
    pub fn bytes_written(&self) -> u64 {
        self.length
    }
}
