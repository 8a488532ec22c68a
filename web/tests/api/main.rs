//! Tests of the API, most of them with a stub as the engine.

#[path = "../support/mod.rs"]
mod support;

mod abuse;
mod analysis;
mod bestmove;
mod disconnects;
mod driven;
mod explain;
mod fairness;
mod fuzz;
mod load;
mod openapi;
mod openings;
mod page;
mod pgn;
mod program;
mod reviews;
mod rules;
