//! The architecture: (768 mirrored -> [`HIDDEN`]) x 2 perspectives -> 1 x [`OUTPUT_BUCKETS`].
//!
//! The sizes are those of the network that is built in (`networks/default.nnue`, or the file that
//! `$EVALFILE` names while building): the build script reads its header, so that a network of
//! another size needs no change in the source. Without a network they are 32 and 1.
//!
//! With `c(x) = clamp(x, 0, QA)` and accumulators `own` (the side to move) and `other`:
//!
//! ```text
//! accumulator = bias + sum of the weight rows of the active features     i16, unit QA
//! sum    = Σ c(own[i])² · w[bucket][0][i] + Σ c(other[i])² · w[bucket][1][i]   i32, QA·QA·QB
//! output = sum / QA + output_bias[bucket]                                i32, unit QA·QB
//! centipawns = output · SCALE / (QA · QB)                                i64, then i32
//! ```
//!
//! Divisions truncate towards zero. [`super::format`] refuses weights with which the `i16`
//! accumulator or the `i32` sum could overflow; only the last product needs 64 bits.

pub use super::format::{ARCH_ID, INPUTS, QA, QB, SCALE};

include!(concat!(env!("OUT_DIR"), "/network.rs"));

/// The output bucket for a position with so many men (kings included, 2 to 32), out of `buckets`,
/// a power of two.
#[inline]
pub const fn output_bucket(men: usize, buckets: usize) -> usize {
    men.saturating_sub(2) / (32 / buckets) % buckets
}
