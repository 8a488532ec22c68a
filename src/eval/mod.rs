//! Evaluation by material and piece-square values: what the engine plays with where there is no
//! network, and what its first games were made with.
//!
//! All of it is made of a few formulas of our own; a network learns better ones.

mod piece_square;

pub use piece_square::{PIECE_VALUES, evaluate};
