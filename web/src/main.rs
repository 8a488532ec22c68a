//! The best-move service.
fn main() {}
