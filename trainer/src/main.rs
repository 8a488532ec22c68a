//! Trains the network.
fn main() {}
