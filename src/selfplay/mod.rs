//! The engine plays against itself, for its network to learn from.
//!
//! * [`random`] – reproducible chance: every game has its own seed
//! * [`opening`] – random beginnings that are not yet decided
//! * [`adjudicate`] – ending games whose result is clear
//! * [`play`] – one game
//! * [`run`] – many games on many threads, into files
//! * [`store`] – folders of files of games: finding, tidying, splitting

pub mod adjudicate;
pub mod opening;
pub mod play;
pub mod random;
pub mod run;
pub mod store;
