//! Thinking: finding the best move.
//!
//! Iterative deepening around an alpha-beta search. This room never prints and knows no text: it
//! tells what it finds to a [`Reporter`].

mod alphabeta;
mod correction;
mod extend;
mod history;
mod iterate;
pub mod limits;
mod mate;
mod movepick;
mod node;
pub mod params;
mod prune;
mod quiesce;
mod reduce;
pub mod report;
pub mod score;
mod shared;
mod sight;
mod tables;
mod time;
mod together;
mod tt;
mod variety;
mod worker;

pub use limits::{ClockTime, Limits};
pub use report::{Bound, Info, NullReporter, Outcome, Reporter};
pub use shared::Shared;
pub use sight::Sight;
pub use tables::Tables;
pub use tt::{AllocationError, TranspositionTable};
pub use variety::Variety;
pub use worker::{Job, Worker};
