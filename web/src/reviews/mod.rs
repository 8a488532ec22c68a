//! Game reviews: the store, the searches, and the response.

mod response;
mod run;
mod slots;
mod store;

pub use response::ReviewResponse;
pub use run::run;
pub use store::{ReviewCounts, ReviewJob, ReviewStore};
