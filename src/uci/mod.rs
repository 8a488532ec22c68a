//! The Universal Chess Interface.
//!
//! [`command`] parses lines, [`format`](mod@format) formats output, [`session`] runs the protocol.
//! This module knows no rules of chess. <https://www.chessprogramming.org/UCI>

mod active_search;
pub mod command;
pub mod format;
mod info_throttle;
mod input;
mod line_session;
mod log;
mod options;
pub mod session;

pub use line_session::{LineSession, Signal};
pub use options::{OPTIONS, OptionError, OptionKind, OptionSpec, Settings};
pub use session::{Next, run};
