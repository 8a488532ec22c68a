//! Properties of random and arbitrary input: against the crate `shakmaty`, and with `proptest`.
//! The optional features of `saavedra-chess`, which need other crates.

#[path = "../../crates/chess/tests/support/mod.rs"]
mod support;

mod differential;
mod fen;
mod formats;
mod interchange;
