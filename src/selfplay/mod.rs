//! Games of the engine against itself.
//!
//! * [`opening`] – random openings that are not yet decided
//! * [`play`] – one game of self-play, as a training record
//! * [`run`] – many games on many threads, into files
//! * [`duel`] – matches between two evaluations

pub mod duel;
pub mod opening;
pub mod play;
pub mod run;
