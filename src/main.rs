//! Saavedra.
fn main() {}
