//! From the two accumulators to centipawns.

use super::accumulator::Accumulator;
use super::arch::{HIDDEN, QA, QB, SCALE};

/// The output before its bias, in units of 1 / (QA · QA · QB): the squared clipped values of both
/// accumulators (the side to move first) times one bucket's weights.
#[inline(always)]
pub(super) fn forward(own: &Accumulator, other: &Accumulator, weights: &[[i16; HIDDEN]; 2]) -> i32 {
    half(own, &weights[0]).wrapping_add(half(other, &weights[1]))
}

/// Weight times value fits an `i16` and the sum an `i32`, in any order: a network with larger
/// weights is refused when it is loaded. So one multiplication of `i16`, and then one of pairs of
/// `i16` into sums of `i32` (an instruction of its own nearly everywhere), do all the work.
#[inline(always)]
fn half(values: &Accumulator, weights: &[i16; HIDDEN]) -> i32 {
    let mut sum = 0i32;
    for (value, weight) in values.0.iter().zip(weights) {
        let value = (*value).clamp(0, QA as i16);
        let product = i32::from(value.wrapping_mul(*weight)) * i32::from(value);
        sum = sum.wrapping_add(product);
    }
    sum
}

/// The evaluation in centipawns of a [`forward`] sum and its bucket's bias.
#[inline(always)]
pub(super) fn centipawns(sum: i32, bias: i32) -> i32 {
    let output = sum / QA + bias;
    (i64::from(output) * i64::from(SCALE) / i64::from(QA * QB)) as i32
}
