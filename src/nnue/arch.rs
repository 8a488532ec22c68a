//! The architecture: (768 -> [`HIDDEN`]) x 2 -> 1 x [`OUTPUT_BUCKETS`], horizontally mirrored, with
//! the activation SCReLU.
//!
//! The build script reads the sizes from the header of the embedded network
//! (`networks/default.nnue`, or `$EVALFILE` at build time), so a network of another size needs no
//! change to the source. Without a network they are 32 and 1.
//!
//! With `screlu(x) = clamp(x, 0, QA)²`, and the accumulators `us` (the side to move's perspective)
//! and `them` (its opponent's):
//!
//! ```text
//! accumulator = feature_bias + Σ feature_weights[active feature]                  i16, unit 1/QA
//! sum    = Σ screlu(us[i]) · w[bucket][0][i] + Σ screlu(them[i]) · w[bucket][1][i]
//!                                                                   i32, unit 1/(QA · QA · QB)
//! output = sum / QA + output_bias[bucket]                                i32, unit 1/(QA · QB)
//! centipawns = output · SCALE / (QA · QB)                                        i64, then i32
//! ```
//!
//! Divisions truncate towards zero. [`super::format`] rejects weights that could overflow the `i16`
//! accumulator or the `i32` sum; only the last product needs 64 bits.

pub use super::format::{ARCH_ID, INPUTS, QA, QB, SCALE};

include!(concat!(env!("OUT_DIR"), "/network.rs"));

/// The output bucket of a position with `piece_count` pieces (kings included, 2 to 32), out of
/// `buckets`, a power of two.
#[inline]
pub const fn output_bucket(piece_count: usize, buckets: usize) -> usize {
    piece_count.saturating_sub(2) / (32 / buckets) % buckets
}
