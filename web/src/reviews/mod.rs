//! Game reviews: the store and the searches.

mod run;
mod slots;
mod store;

pub use run::run;
pub use store::{ReviewCounts, ReviewStore};
