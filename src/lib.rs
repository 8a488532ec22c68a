//! Saavedra, a chess engine, as a library.
//!
//! The rules of chess ([`chess`]), positions and games in many formats ([`formats`]), and an engine
//! that analyses positions ([`engine`]): a search is a stream of principal variations that can be
//! stopped at any time.
//!
//! ```
//! use saavedra::chess::{Board, Game};
//! use saavedra::engine::{Engine, Limits};
//!
//! let board: Board = "rnbqkbnr/pppp1ppp/8/4p3/8/5P2/PPPPP1PP/RNBQKBNR w KQkq - 0 2".parse()?;
//! for m in board.legal_moves() {
//!     println!("{} ({m})", board.san(m));
//! }
//! let after = board.try_make_san("g4")?;
//! let mut engine = Engine::new()?;
//! let search = engine.start(&Game::new(after), Limits::depth(20));
//! for info in search.infos() {
//!     if info.lines[0].pv.first().is_some_and(|m| after.san(*m) == "Qh4#") {
//!         search.stop();
//!     }
//! }
//! assert!(search.wait()?.best.is_some());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A process can have several engines; they share nothing. The folder `examples` has programs to
//! start from: `library_tour.rs` first.
//!
//! # Features
//!
//! Without the default features there are only the commands `bench` and `genfens` beside UCI, and
//! the only foreign dependencies are `crossbeam-channel`, `log` and `env_logger`:
//!
//! ```toml
//! [dependencies]
//! saavedra = { path = "../saavedra", default-features = false }
//! ```
//!
//! | Feature | Default | Contents |
//! |---|---|---|
//! | `cli` | yes | the commands beside UCI, with `html` |
//! | `html` | with `cli` | reading positions from HTML pages |
//! | `json` | with `cli` | explanations as JSON |
//! | `serde` | no | boards as FEN and moves as UCI text for `serde` |
//! | `tune` | no | the parameters of the search as UCI options |
//!
//! # Modules
//!
//! Three crates of their own, which this one re-exports:
//! - [`chess`] – the rules: positions, moves, games, FEN, SAN, perft (`saavedra-chess`).
//! - [`formats`] – positions and games as FEN, EPD, PGN, HTML, diagrams and more
//!   (`saavedra-formats`).
//! - [`tablebase`] – Syzygy tablebases (`saavedra-syzygy`).
//!
//! From the bottom to the top; each uses only modules above it in this list:
//! - [`nnue`] – the neural network that evaluates positions.
//! - [`eval`] – the evaluation of a position: by the network, or by material and piece-square
//!   tables.
//! - [`book`] – opening books.
//! - [`search`] – the search.
//! - [`engine`] – search threads, their settings and options.
//! - [`data`] – training records of self-play games, and their tools.
//! - [`selfplay`] – games of the engine against itself.
//! - [`analysis`] – reviews of games, test suites, explanations.
//! - [`uci`] – the UCI protocol.
//! - [`cmd`] – the commands beside UCI.

#![deny(clippy::mem_forget, clippy::print_stderr, clippy::print_stdout)]

pub use saavedra_chess as chess;
pub use saavedra_formats as formats;
pub use saavedra_syzygy as tablebase;

pub mod analysis;
pub mod book;
#[allow(clippy::print_stderr, clippy::print_stdout)]
pub mod cmd;
pub mod data;
pub mod engine;
pub mod eval;
mod memory;
mod mutex;
pub mod nnue;
pub mod search;
pub mod selfplay;
#[allow(clippy::print_stderr, clippy::print_stdout)]
pub mod uci;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
