//! The search: iterative deepening around a principal variation search.
//!
//! `docs/SEARCH.md` describes its course and lists its heuristics. The module prints nothing and
//! reads or writes no text; it reports to a [`Reporter`].

mod alphabeta;
pub mod clock;
mod correction;
mod cuckoo;
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
mod repetition;
mod reporting;
mod request;
mod root_move;
pub mod score;
mod shared;
mod stack;
mod static_eval;
mod stop_flag;
mod tablebases;
mod time;
mod tt;
mod update;
mod variety;
mod worker;

pub use handicap::Handicap;
pub use info::{Bound, Info, NullReporter, PvLine, Reporter, SearchProgress, SearchResult};
pub use limits::{ClockTime, Limits};
pub use request::SearchRequest;
pub use shared::SharedState;
pub use stop_flag::StopFlag;
pub use tablebases::Tablebases;
pub use tt::{AllocationError, TranspositionTable};
pub use variety::Variety;
pub use worker::Worker;
