//! Games the engine has played against itself, as files.
//!
//! * [`record`] – the format: a game as bytes, files of games, damaged files
//! * [`position`] – a position in 34 bytes
//! * [`replay`] – the positions of a recorded game

mod crc;
pub mod position;
pub mod record;
pub mod replay;
