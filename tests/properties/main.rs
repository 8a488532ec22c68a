//! Properties of random and arbitrary input: against the crate `shakmaty`, and with `proptest`.

#[path = "../../crates/chess/tests/support/mod.rs"]
mod support;

mod differential;
mod fen;
mod formats;
