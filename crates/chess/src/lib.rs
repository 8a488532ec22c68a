#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

#[cfg(feature = "arbitrary")]
mod arbitrary;
pub mod attacks;
mod bitboard;
mod board;
mod castling;
mod chess_move;
mod color;
mod fen;
mod file_rank;
mod game;
mod game_result;
mod key_history;
mod legal;
mod make;
mod move_text;
mod movegen;
pub mod perft;
mod piece;
mod random;
mod san;
mod see;
#[cfg(feature = "serde")]
mod serde;
mod setup;
mod side;
mod square;
mod uci_move;
pub mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use chess_move::{Move, MoveKind, MoveList};
pub use color::Color;
pub use fen::{FenError, STARTPOS};
pub use file_rank::{File, ParseFileError, ParseRankError, Rank};
pub use game::{Game, GameStatus};
pub use game_result::GameResult;
pub use key_history::KeyHistory;
pub use legal::{IllegalMoveError, IllegalReason};
pub use move_text::MoveTextError;
pub use movegen::GenType;
pub use piece::{Piece, PieceKind};
pub use random::{Random, splitmix64};
pub use san::SanError;
pub use see::SEE_VALUES;
pub use setup::{
    ArrayError, CastlingRight, CastlingRook, IllegalPosition, PositionError, Repair, Setup,
    SetupError,
};
pub use side::Side;
pub use square::{ParseSquareError, Square};
pub use uci_move::{CastlingNotation, ParseUciMoveError, UciMove};
