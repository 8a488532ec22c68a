//! Saavedra, a chess engine.
//!
//! The rooms, bottom-up; each knows only those above it in this list:
//! - [`chess`]: the rules.
//! - [`nnue`]: the network that evaluates positions.
//! - [`games`]: records of self-played games.
//! - [`cmd`]: the commands beside UCI.

#![forbid(clippy::mem_forget)]

pub mod chess;
pub mod cmd;
pub mod games;
pub mod nnue;
