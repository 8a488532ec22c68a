//! Saavedra, a chess engine.
//!
//! The rooms, bottom-up; each knows only those above it in this list:
//! - [`chess`]: the rules.

#![forbid(clippy::mem_forget)]

pub mod chess;
