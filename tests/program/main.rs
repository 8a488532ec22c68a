//! The program `saavedra` as people and GUIs call it.

mod support;

mod uci;

#[cfg(feature = "cli")]
mod analysis;
#[cfg(feature = "cli")]
mod book;
#[cfg(feature = "cli")]
mod common;
#[cfg(feature = "cli")]
mod data_convert;
#[cfg(feature = "cli")]
mod data_import;
#[cfg(feature = "cli")]
mod formats;
#[cfg(feature = "cli")]
mod help;
#[cfg(feature = "cli")]
mod inputs;
#[cfg(all(feature = "cli", unix))]
mod interruption;
#[cfg(feature = "cli")]
mod judgements;
#[cfg(all(feature = "cli", unix))]
mod outputs;
#[cfg(feature = "cli")]
mod parts;
#[cfg(feature = "cli")]
mod play;
#[cfg(feature = "cli")]
mod puzzles;
mod replay;
#[cfg(feature = "cli")]
mod reports;
