//! NEON: 8 values at a time; every 64-bit ARM.

super::functions!("neon");
