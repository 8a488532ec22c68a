//! The library from the network to self-play: what it computes, and how other programs use it.

mod random_network;
#[path = "../../crates/chess/tests/support/mod.rs"]
mod support;

mod analysis;
mod book;
mod endgames;
mod explain;
mod game_records;
mod library;
mod mates;
mod motif;
mod network_file;
mod nnue;
mod reasons;
mod search;
mod selfplay;
mod strength;
