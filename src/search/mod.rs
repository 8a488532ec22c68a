//! Thinking: finding the best move.
//!
//! Iterative deepening around an alpha-beta search. This room never prints and knows no text: it
//! tells what it finds to a [`Reporter`].

mod alphabeta;
mod correction;
mod extend;
mod handicap;
mod history;
pub mod info;
mod iterative_deepening;
mod lazy_smp;
pub mod limits;
mod mate;
mod movepick;
mod node;
pub mod params;
mod prune;
mod quiescence;
mod reduce;
pub mod score;
mod shared;
mod tablebases;
mod time;
mod tt;
mod variety;
mod worker;

pub use handicap::Handicap;
pub use info::{Bound, Info, NullReporter, Reporter, SearchResult};
pub use limits::{ClockTime, Limits};
pub use shared::SharedState;
pub use tablebases::Tablebases;
pub use tt::{AllocationError, TranspositionTable};
pub use variety::Variety;
pub use worker::{Job, Worker};
