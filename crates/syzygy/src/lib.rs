#![doc = include_str!("../README.md")]
//!
//! Terms:
//! - WDL: win, draw or loss for the side to move, with correct play and a halfmove clock of zero.
//!   A win that the fifty-move rule turns into a draw is a *cursed win*, the loss of the other side
//!   a *blessed loss*.
//! - DTZ (distance to zeroing): plies to the next capture, pawn move or mate, positive if the side
//!   to move wins. Tables may store full moves; a probed value may then be one ply too small, but
//!   never where the fifty-move rule depends on it. Values beyond ±100 are cursed wins and blessed
//!   losses.
//!

mod bytes;
mod checksum;
mod encoding;
mod error;
mod folder;
mod material;
mod pairs;
mod probe;
mod root;
mod table;
mod tablebase;
#[cfg(test)]
mod tests;
mod wdl;

pub use error::{TableError, TableProblem};
pub use root::{RootRank, RootRanks};
pub use tablebase::Tablebase;
pub use wdl::WdlScore;
