//! Game reviews: the searches, the store of reviews that the service drives, and the groups of reviews
//! that a client drives.

mod group;
mod run;
mod slots;
mod store;

pub use group::{GroupEvent, search_group};
pub use run::run;
pub use store::{ReviewCounts, ReviewStore, too_many_reviews};
