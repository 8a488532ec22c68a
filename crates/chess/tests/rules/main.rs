//! The rules of chess: move generation, FEN, static exchange evaluation.

#[path = "../support/mod.rs"]
mod support;

mod fen;
mod perft;
mod see;
