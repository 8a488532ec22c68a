//! The Universal Chess Interface: text in, text out.
//!
//! [`command`] turns a line into a value, [`format`](mod@format) values into lines, [`session`] holds the
//! conversation. This room holds no chess knowledge.

pub mod command;
mod feed;
pub mod format;
mod input;
mod log;
pub mod session;

pub use session::run;
