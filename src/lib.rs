//! Saavedra, a chess engine.
//!
//! The rooms, bottom-up; each knows only those above it in this list:
//! - [`chess`] – the rules.
//! - [`eval`] – evaluation by material and piece-square values.
//! - [`nnue`] – the network that evaluates positions.
//! - [`tablebase`] – endgame tables.
//! - [`book`] – opening books.
//! - [`formats`] – positions and games in every form people use.
//! - [`games`] – records of self-played games.
//! - [`search`] – thinking.
//! - [`engine`] – threads that search, and their settings.
//! - [`selfplay`] – games against itself, to learn from.
//! - [`uci`] – the protocol.
//! - [`cmd`] – the commands beside UCI.

#![deny(clippy::mem_forget)]

pub mod book;
pub mod chess;
pub mod cmd;
pub mod engine;
pub mod eval;
pub mod formats;
pub mod games;
pub mod nnue;
pub mod search;
pub mod selfplay;
pub mod tablebase;
pub mod uci;

/// The README's example is run as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
