//! The rules of chess, and nothing else.
//!
//! This module has no scores, networks, threads or protocols, and depends on nothing but `std`. Its
//! central type is [`Board`], an immutable position: [`Board::make`] returns a new board and leaves
//! the old one unchanged, so there is no unmake. A [`Game`] contains moves and positions, for the
//! rule of threefold repetition. A [`Setup`] is a position that may be illegal, such as that of a
//! FEN.
//!
//! ```
//! use saavedra::chess::Board;
//!
//! let start = Board::startpos();
//! for m in start.legal_moves() {
//!     println!("{} ({m})", start.san(m));
//! }
//! let after = start.try_make_san("e4")?;
//! assert_eq!(after.to_fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
//! assert_eq!(start.legal_moves().len(), 20);
//! # Ok::<(), saavedra::chess::SanError>(())
//! ```
//!
//! | text | read | write |
//! |---|---|---|
//! | FEN | [`Board::from_fen`], `str::parse` | [`Board::to_fen`], `to_string` |
//! | SAN | [`Board::parse_san`], [`Board::try_make_san`] | [`Board::san`] |
//! | UCI | [`Board::parse_uci`], [`Board::try_make_uci`], [`UciMove`] | [`Board::uci`], `Move::to_string` |

pub mod attacks;
mod bitboard;
mod board;
mod castling;
mod chess_move;
mod color;
pub mod cuckoo;
mod fen;
mod file_rank;
mod game;
mod game_result;
mod legal;
mod make;
mod move_text;
mod movegen;
pub mod perft;
mod piece;
mod random;
mod san;
mod see;
mod setup;
mod side;
mod square;
mod uci_move;
pub mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::Board;
pub use chess_move::{Move, MoveKind, MoveList, Moves};
pub use color::Color;
pub use fen::{FenError, STARTPOS};
pub use file_rank::{File, ParseFileError, ParseRankError, Rank};
pub use game::{Game, GameStatus};
pub use game_result::GameResult;
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
pub use uci_move::{ParseUciMoveError, UciMove};
