//! Opening books in the Polyglot format (`.bin`).
//!
//! A book is a list of entries of 16 bytes, sorted by key: the key of a position (see [`key`]), a
//! move, its weight and a learn field, all big-endian
//! (<http://hgm.nubati.net/book_format.html>). A [`Book`] is read as a whole; [`Builder`] makes one
//! from games.
//!
//! Entries whose move is illegal in the position are skipped.
//!
//! ```
//! use saavedra::book::{Book, Builder, Pick};
//! use saavedra::chess::{Game, GameResult};
//!
//! let mut game = Game::default();
//! for text in ["e2e4", "e7e5", "g1f3"] {
//!     game.push_uci(text)?;
//! }
//! let mut builder = Builder::new(20);
//! builder.add(&game, Some(GameResult::WhiteWins));
//! let book: Book = builder.build(1);
//! let first = book.choose(&Game::default(), Pick::Best, 8);
//! assert_eq!(first, Some(game.moves()[0]));
//! # Ok::<(), saavedra::chess::IllegalMoveError>(())
//! ```
//!
//! This module imports only [`chess`](crate::chess).

mod builder;
mod key;

pub use builder::Builder;
pub use key::key;

use crate::chess::{Board, CastlingNotation, Game, Move, PieceKind, Square, UciMove};
use std::path::Path;
use std::{fs, io};

/// Size of an entry in bytes.
const ENTRY_SIZE: usize = 16;

/// An entry of a book file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookEntry {
    /// Key of the position.
    pub key: u64,
    /// The move: three bits each for target file, target rank, origin file and origin rank, then
    /// three for the promotion piece.
    pub encoded_move: u16,
    /// Quality or popularity of the move; 0 for a move that is not played.
    pub weight: u16,
    /// Learn data of other programs; not used.
    pub learn: u32,
}

impl BookEntry {
    fn read(bytes: &[u8; ENTRY_SIZE]) -> BookEntry {
        let number = u128::from_be_bytes(*bytes);
        BookEntry {
            key: (number >> 64) as u64,
            encoded_move: (number >> 48) as u16,
            weight: (number >> 32) as u16,
            learn: number as u32,
        }
    }

    fn write(&self) -> [u8; ENTRY_SIZE] {
        let number = u128::from(self.key) << 64
            | u128::from(self.encoded_move) << 48
            | u128::from(self.weight) << 32
            | u128::from(self.learn);
        number.to_be_bytes()
    }

    /// The move of the entry, if it is legal in the position.
    ///
    /// Castling is encoded as king takes rook. The king's target square of standard chess, which
    /// some programs write, is accepted if king and rook are on their home squares.
    pub fn legal_move(&self, board: &Board) -> Option<Move> {
        let (from, to) = (square(self.encoded_move >> 6), square(self.encoded_move));
        let promotion = match self.encoded_move >> 12 & 7 {
            0 => None,
            number => Some(*PieceKind::PROMOTIONS.get(usize::from(number) - 1)?),
        };
        let matches = |m: &&Move| {
            m.from() == from
                && m.promotion() == promotion
                && (m.to() == to || UciMove::new(**m, CastlingNotation::Standard).to == to)
        };
        board.legal_moves().iter().find(matches).copied()
    }
}

/// Decodes a square from six bits: file and rank.
fn square(bits: u16) -> Square {
    Square::from_index((bits & 63) as u8)
}

/// Encodes a move.
fn encode_move(m: Move) -> u16 {
    let promotion = PieceKind::PROMOTIONS.iter().position(|kind| m.promotion() == Some(*kind));
    let promotion = promotion.map_or(0, |number| number as u16 + 1);
    m.to().index() as u16 | (m.from().index() as u16) << 6 | promotion << 12
}

/// A legal move of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move.
    pub m: Move,
    /// Quality or popularity; 0 if it is not played.
    pub weight: u16,
    /// Learn data of other programs.
    pub learn: u32,
}

/// How to choose among the moves of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// The move of maximum weight; the first of several.
    Best,
    /// A random move with probabilities in proportion to the weights, by this random number.
    Weighted(u64),
}

/// An opening book.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Book {
    /// Sorted by key; entries of one key are in the order of the file.
    entries: Vec<BookEntry>,
    trailing_bytes: usize,
}

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Book> {
        Ok(Book::from_bytes(&fs::read(path)?))
    }

    /// The book in the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Book {
        let (entries, trailing) = bytes.as_chunks();
        let mut entries: Vec<BookEntry> = entries.iter().map(BookEntry::read).collect();
        // A stable sort: a sorted file keeps its order.
        entries.sort_by_key(|entry| entry.key);
        Book { entries, trailing_bytes: trailing.len() }
    }

    /// The bytes of a book file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.entries.iter().flat_map(BookEntry::write).collect()
    }

    /// All entries, sorted by key.
    pub fn entries(&self) -> &[BookEntry] {
        &self.entries
    }

    /// Number of bytes at the end of the file that are not a whole entry. Other than 0 means that
    /// the file was truncated or is not a book.
    pub fn trailing_bytes(&self) -> usize {
        self.trailing_bytes
    }

    /// The entries of a key, in the order of the file.
    pub fn entries_of(&self, key: u64) -> &[BookEntry] {
        let start = self.entries.partition_point(|entry| entry.key < key);
        let rest = &self.entries[start..];
        &rest[..rest.partition_point(|entry| entry.key == key)]
    }

    /// The legal moves of a position in the order of the file; `en_passant` is as in [`key`].
    pub fn moves(&self, board: &Board, en_passant: Option<Square>) -> Vec<BookMove> {
        let entries = self.entries_of(key(board, en_passant)).iter();
        let legal = entries.filter_map(|entry| {
            let m = entry.legal_move(board)?;
            let (weight, learn) = (entry.weight, entry.learn);
            Some(BookMove { m, weight, learn })
        });
        legal.collect()
    }

    /// Chooses a move for the last position of a game, up to the move number `depth`.
    pub fn choose(&self, game: &Game, pick: Pick, depth: u32) -> Option<Move> {
        let board = game.board();
        if board.fullmove_number() > depth {
            return None;
        }
        self.pick(board, game.en_passant_square(), pick)
    }

    /// Chooses a move for a position; `en_passant` is as in [`key`]. Moves of weight 0 are not
    /// chosen.
    pub fn pick(&self, board: &Board, en_passant: Option<Square>, pick: Pick) -> Option<Move> {
        let moves = self.moves(board, en_passant);
        let total: u64 = moves.iter().map(|entry| u64::from(entry.weight)).sum();
        if total == 0 {
            return None;
        }
        match pick {
            Pick::Best => {
                let greatest = moves.iter().map(|entry| entry.weight).max();
                let best = |entry: &&BookMove| Some(entry.weight) == greatest;
                moves.iter().find(best).map(|entry| entry.m)
            }
            Pick::Weighted(random) => {
                let mut left = random % total;
                let chosen = moves.iter().find(|entry| {
                    let weight = u64::from(entry.weight);
                    let is_here = left < weight;
                    left = left.saturating_sub(weight);
                    is_here
                });
                chosen.map(|entry| entry.m)
            }
        }
    }
}
