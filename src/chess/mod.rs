//! The rules of chess, and nothing else.
//!
//! This room has never heard of scores, networks, threads or protocols; it uses `std` alone. Its
//! central value is [`Board`], an immutable position made of two [`Side`]s: [`Board::make`] returns
//! a new board and leaves its parent as it was, so that taking a move back is keeping the parent.
//!
//! ```
//! use saavedra::chess::Board;
//!
//! let start = Board::startpos();
//! let after = start.try_make_uci("e2e4")?;
//! assert_eq!(start.legal_moves().len(), 20);
//! assert_eq!(after.to_fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
//! # Ok::<(), saavedra::chess::IllegalMoveError>(())
//! ```

pub mod attacks;
mod bitboard;
mod board;
mod castling;
mod chess_move;
mod color;
pub mod cuckoo;
mod fen;
mod game;
mod game_result;
mod legal;
mod make;
mod movegen;
mod notation;
pub mod perft;
mod piece;
mod random;
mod san;
mod see;
mod setup;
mod side;
mod square;
pub mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use chess_move::{Move, MoveKind, MoveList};
pub use color::Color;
pub use fen::{FenError, parse_fen};
pub use game::{Game, GameStatus};
pub use game_result::GameResult;
pub use legal::{IllegalMoveError, IllegalReason};
pub use movegen::GenType;
pub use piece::{Piece, PieceKind};
pub use random::Random;
pub use san::SanError;
pub use see::SEE_VALUES;
pub use setup::{IllegalPosition, PositionError, Repair, Setup, SetupError};
pub use side::Side;
pub use square::{File, Rank, Square};
