//! Saavedra, a chess engine.
//!
//! A position, its legal moves, a move that makes a new position, and thinking about it: a stream of
//! what is found, until the limits or a word stop it.
//!
//! ```
//! use saavedra::chess::{Board, Game};
//! use saavedra::engine::{Engine, Limits};
//!
//! let board = Board::from_fen("rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2")?;
//! assert_eq!(board.legal_moves().len(), 19);
//! let after = board.try_make_uci("g2g4")?;
//! let mut engine = Engine::new()?;
//! let search = engine.start(&Game::new(after), Limits::depth(20));
//! for info in search.infos() {
//!     if info.pv.first().is_some_and(|m| after.san(*m) == "Qh4#") {
//!         search.stop();
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Several engines can live in one process; none of them touches anything that is not its own. More is
//! in the folder `examples`.
//!
//! The rooms, bottom-up; each knows only those above it in this list:
//! - [`chess`] – the rules.
//! - [`nnue`] – the network that evaluates positions.
//! - [`eval`] – how good a position is: by the network, or by material and piece-square values.
//! - [`tablebase`] – endgame tables.
//! - [`book`] – opening books.
//! - [`formats`] – positions and games in every form people use.
//! - [`search`] – thinking.
//! - [`engine`] – threads that search, and their settings.
//! - [`data`] – training records of self-play games, and their tools.
//! - [`selfplay`] – games of the engine against itself.
//! - [`analysis`] – reviews of games, solved suites, explanations.
//! - [`uci`] – the protocol.
//! - [`cmd`] – the commands beside UCI.

#![deny(clippy::mem_forget)]

pub mod analysis;
pub mod book;
pub mod chess;
pub mod cmd;
pub mod data;
pub mod engine;
pub mod eval;
pub mod formats;
pub mod nnue;
pub mod search;
pub mod selfplay;
pub mod tablebase;
pub mod uci;

/// The README's example is run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
