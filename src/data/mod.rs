//! Training data: records of games, files of them, and the tools that work on these files.
//!
//! ```
//! use saavedra::data::{GameFile, GameRecord};
//!
//! fn count_plies(bytes: Vec<u8>) -> usize {
//!     let Ok(file) = GameFile::from_bytes("self-play.games".as_ref(), bytes) else {
//!         return 0;
//!     };
//!     let games = file.games().filter_map(Result::ok);
//!     games.map(|game: GameRecord| game.plies.len()).sum()
//! }
//! # assert_eq!(count_plies(Vec::new()), 0);
//! ```

mod adjudication;
mod check;
mod compact;
mod crc;
mod error;
mod file;
mod import;
mod output_target;
mod parts;
mod position;
mod record;
mod record_writer;
mod relabel;
mod replay;
mod score;
pub mod statistics;
pub mod store;

pub use adjudication::Adjudicator;
pub use check::{CheckError, check_game};
pub use error::DataError;
pub use file::{
    DamageError, DamageKind, EXTENSION, FileHeader, GameFile, GameWriter, Games, RecordFormat,
    engine_name, network_generation,
};
pub use import::{ImportError, import_game};
pub use output_target::OutputTarget;
pub use position::PackedPosition;
pub use record::{DECISIVE, GameRecord, NO_SCORE, PlyRecord, Termination};
pub use record_writer::RecordWriter;
pub use relabel::relabel;
pub use replay::{Replay, ReplayError, ReplayedPly};
pub(crate) use score::{score_to_record, self_play_limits};
