//! Games the engine has played against itself, as files.
//!
//! * [`record`] – the format: a game as bytes, files of games, damaged files

mod crc;
pub mod position;
pub mod record;
