//! The tree: its structure, its documents, its licences, its release.

mod architecture;
mod licences;
#[cfg(not(feature = "tune"))]
mod readme;
mod release;
