//! Training data: records of self-play games, and the tools that work on files of them.
//!
//! * [`record`] – the file format: a game as bytes, files of games, damaged files
//! * [`position`] – a position in 34 bytes
//! * [`replay`] – the positions of a recorded game
//! * [`score`] – scores as records hold them
//! * [`adjudicate`] – when a game is adjudicated
//! * [`store`] – finding, repairing, splitting, reading and writing files of games
//! * [`mod@check`] – whether a recorded game is legal and ends as recorded
//! * [`statistics`] – counts over games
//! * [`relabel`](mod@relabel) – new scores for recorded games

pub mod adjudicate;
pub mod check;
mod crc;
mod error;
pub mod position;
pub mod record;
pub mod relabel;
pub mod replay;
pub mod score;
pub mod statistics;
pub mod store;

pub use error::RunError;
