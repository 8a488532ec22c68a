//! Games of the engine against itself: self-play for training data, and matches.
//!
//! * [`opening`] – random balanced openings
//! * [`play`] – one game of self-play, as a training record
//! * [`run`] – self-play on several threads, written to files
//! * [`match_runner`] – matches between two players

pub mod match_runner;
pub mod opening;
pub mod play;
pub mod run;
