//! The engine plays against itself, for its network to learn from.
//!
//! * [`random`] – reproducible chance: every game has its own seed
//! * [`opening`] – random beginnings that are not yet decided
//! * [`adjudicate`] – ending games whose result is clear
//! * [`play`] – one game
//! * [`run`] – many games on many threads, into files
//! * [`duel`] – two evaluations against each other, to see which is stronger
//! * [`store`] – files of games: finding, tidying, splitting, reading, writing
//! * [`mod@check`] – whether a recorded game can be played and ends as it says
//! * [`chances`] – what scores promised, and the curves of win, draw and loss through that
//! * [`statistics`] – what a heap of games looks like
//! * [`relabel`](mod@relabel) – new scores for old games

pub mod adjudicate;
pub mod chances;
pub mod check;
pub mod duel;
pub mod opening;
pub mod play;
pub mod random;
pub mod relabel;
pub mod run;
pub mod statistics;
pub mod store;
