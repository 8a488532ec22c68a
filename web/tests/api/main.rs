//! The API as a client meets it, with a stub for an engine.

#[path = "../support/mod.rs"]
mod support;

mod abuse;
mod analysis;
mod bestmove;
mod document;
mod fuzz;
mod manual;
mod page;
mod program;
mod reviews;
mod rules;
mod vanishing;
