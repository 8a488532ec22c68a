//! Opening books in the format of Polyglot (`.bin`).
//!
//! A book is a list of entries of 16 bytes, sorted by key: the key of a position (see [`key`]), a
//! move in it, the weight of the move and four bytes for learning, all with the highest byte first
//! (<http://hgm.nubati.net/book_format.html>). A [`Book`] is read whole; [`Builder`] makes one from
//! games.
//!
//! Books are read as they come: what is no legal move in a position, perhaps because two positions
//! share a key or because the entry was made for another program, is skipped.
//!
//! ```
//! use saavedra::book::{Book, Builder, Pick};
//! use saavedra::chess::{Color, Game};
//!
//! let mut game = Game::default();
//! for text in ["e2e4", "e7e5", "g1f3"] {
//!     game.push_uci(text)?;
//! }
//! let mut builder = Builder::new(20);
//! builder.add(&game, Some(Color::White));
//! let book: Book = builder.build(1);
//! let first = book.choose(&Game::default(), Pick::Best, 8);
//! assert_eq!(first, Some(game.moves()[0]));
//! # Ok::<(), saavedra::chess::IllegalMoveError>(())
//! ```
//!
//! This room knows only [`chess`](crate::chess).

mod builder;
mod key;
mod random;

pub use builder::Builder;
pub use key::{key, passed, passed_by};

use crate::chess::{Board, Game, Move, PieceKind, Square, UciMove};
use std::path::Path;
use std::{fs, io};

/// Bytes of an entry in a file.
const ENTRY: usize = 16;

/// An entry of a book as it stands in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// The position.
    pub key: u64,
    /// The move: three bits each for the file and the rank it goes to and those it comes from, then
    /// three for the promotion.
    pub code: u16,
    /// How good or how popular the move is; 0 for a move that is not to be played.
    pub weight: u16,
    /// For programs that learn; of no meaning here.
    pub learn: u32,
}

impl Entry {
    fn read(bytes: &[u8; ENTRY]) -> Entry {
        let number = u128::from_be_bytes(*bytes);
        Entry {
            key: (number >> 64) as u64,
            code: (number >> 48) as u16,
            weight: (number >> 32) as u16,
            learn: number as u32,
        }
    }

    fn write(&self) -> [u8; ENTRY] {
        let number = u128::from(self.key) << 64
            | u128::from(self.code) << 48
            | u128::from(self.weight) << 32
            | u128::from(self.learn);
        number.to_be_bytes()
    }

    /// The move of the entry, if it is legal in the position.
    ///
    /// Castling is the king's way to the rook. The king's two steps of standard chess, which some
    /// programs write, are understood where king and rook stand as there.
    pub fn legal_move(&self, board: &Board) -> Option<Move> {
        let (from, to) = (square(self.code >> 6), square(self.code));
        let promotion = match self.code >> 12 & 7 {
            0 => None,
            number => Some(*PieceKind::PROMOTIONS.get(usize::from(number) - 1)?),
        };
        let meant = |m: &&Move| {
            m.from() == from
                && m.promotion() == promotion
                && (m.to() == to || UciMove::new(**m, false).to == to)
        };
        board.legal_moves().iter().find(meant).copied()
    }
}

/// The square of six bits: file and rank.
fn square(bits: u16) -> Square {
    Square::from_index((bits & 63) as u8)
}

/// The sixteen bits of a move in a book.
fn code(m: Move) -> u16 {
    let promotion = PieceKind::PROMOTIONS
        .iter()
        .position(|kind| m.promotion() == Some(*kind));
    let promotion = promotion.map_or(0, |number| number as u16 + 1);
    m.to().index() as u16 | (m.from().index() as u16) << 6 | promotion << 12
}

/// A legal move of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BookMove {
    /// The move.
    pub m: Move,
    /// How good or how popular it is; 0 if it is not to be played.
    pub weight: u16,
    /// For programs that learn.
    pub learn: u32,
}

/// How to choose among the moves of a book.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pick {
    /// The move of the greatest weight, the first of several.
    Best,
    /// Any move, as often as its weight says: by a random number of the caller.
    Weighted(u64),
}

/// An opening book.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Book {
    /// Sorted by key; entries of one key as in the file.
    entries: Vec<Entry>,
    surplus: usize,
}

impl Book {
    /// Reads a book.
    ///
    /// # Errors
    /// Those of reading the file.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Book> {
        Ok(Book::from_bytes(&fs::read(path)?))
    }

    /// The book of a file's bytes.
    pub fn from_bytes(bytes: &[u8]) -> Book {
        let (entries, surplus) = bytes.as_chunks();
        let mut entries: Vec<Entry> = entries.iter().map(Entry::read).collect();
        // Sorted files stay as they are.
        entries.sort_by_key(|entry| entry.key);
        Book {
            entries,
            surplus: surplus.len(),
        }
    }

    /// The bytes of a file of this book.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.entries.iter().flat_map(Entry::write).collect()
    }

    /// All entries, sorted by key.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Bytes at the end of the file that make no whole entry: if there are any, the file was cut
    /// short or is no book.
    pub fn surplus(&self) -> usize {
        self.surplus
    }

    /// The entries of a key, in the order of the file.
    pub fn of_key(&self, key: u64) -> &[Entry] {
        let start = self.entries.partition_point(|entry| entry.key < key);
        let rest = &self.entries[start..];
        &rest[..rest.partition_point(|entry| entry.key == key)]
    }

    /// The legal moves that the book has for a position, in the order of the file; `passed` is as
    /// in [`key`].
    pub fn moves(&self, board: &Board, passed: Option<Square>) -> Vec<BookMove> {
        let entries = self.of_key(key(board, passed)).iter();
        let legal = entries.filter_map(|entry| {
            let m = entry.legal_move(board)?;
            let (weight, learn) = (entry.weight, entry.learn);
            Some(BookMove { m, weight, learn })
        });
        legal.collect()
    }

    /// A move of the book for the last position of a game, if the number of the move is no greater
    /// than `depth`.
    pub fn choose(&self, game: &Game, pick: Pick, depth: u32) -> Option<Move> {
        let board = game.board();
        if board.fullmove_number() > depth {
            return None;
        }
        self.pick(board, passed(game), pick)
    }

    /// A move of the book for a position; `passed` is as in [`key`]. Moves of weight 0 are not
    /// played.
    pub fn pick(&self, board: &Board, passed: Option<Square>, pick: Pick) -> Option<Move> {
        let moves = self.moves(board, passed);
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
