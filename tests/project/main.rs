//! The tree: its structure, its documents, its licences, its release.

mod architecture;
#[cfg(all(feature = "cli", not(feature = "tune")))]
mod documents;
mod licences;
#[cfg(not(feature = "tune"))]
mod readme;
mod release;
