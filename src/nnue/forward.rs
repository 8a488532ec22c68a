//! From the two accumulators to centipawns.

use super::accumulator::Accumulator;
use super::arch::{HIDDEN, QA, QB, SCALE};
use super::simd::Products;

/// The output before its bias, in units of 1 / (QA · QA · QB): the squared clipped values of both
/// accumulators (the side to move first) times one bucket's weights.
///
/// Weight times value fits an `i16` and the sum an `i32`, in any order: a network with larger
/// weights is refused when it is loaded. So one multiplication of `i16`, and then one of pairs of
/// `i16` into sums of `i32` (an instruction of its own nearly everywhere), do all the work.
#[inline(always)]
pub(super) fn forward<I: Products>(
    isa: I,
    own: &Accumulator,
    other: &Accumulator,
    weights: &[[i16; HIDDEN]; 2],
) -> i32 {
    // Several sums at a time, because each waits for its last addition.
    match HIDDEN / I::LANES {
        n if n % 4 == 0 => sums::<I, 4>(isa, own, other, weights),
        n if n % 2 == 0 => sums::<I, 2>(isa, own, other, weights),
        _ => sums::<I, 1>(isa, own, other, weights),
    }
}

#[inline(always)]
fn sums<I: Products, const SUMS: usize>(
    isa: I,
    own: &Accumulator,
    other: &Accumulator,
    weights: &[[i16; HIDDEN]; 2],
) -> i32 {
    let [own_weights, other_weights] = weights;
    let product = |sum, values: &Accumulator, weights, index| {
        let values = isa.clip(isa.load(&values.0, index));
        let weighted = isa.multiply(values, isa.load(weights, index));
        isa.add_products(sum, weighted, values)
    };
    let mut own_sums = [isa.zero(); SUMS];
    let mut other_sums = [isa.zero(); SUMS];
    for first in (0..HIDDEN / I::LANES).step_by(SUMS) {
        for i in 0..SUMS {
            own_sums[i] = product(own_sums[i], own, own_weights, first + i);
            other_sums[i] = product(other_sums[i], other, other_weights, first + i);
        }
    }
    let mut sum = isa.zero();
    for i in 0..SUMS {
        sum = isa.add_sums(sum, isa.add_sums(own_sums[i], other_sums[i]));
    }
    isa.total(sum)
}

/// The same as a plain loop: the form of which compilers make most.
pub(super) fn plain_forward(
    own: &Accumulator,
    other: &Accumulator,
    weights: &[[i16; HIDDEN]; 2],
) -> i32 {
    let half = |values: &[i16; HIDDEN], weights: &[i16; HIDDEN]| {
        let mut sum = 0i32;
        for (value, weight) in values.iter().zip(weights) {
            let value = (*value).clamp(0, QA as i16);
            let product = i32::from(value.wrapping_mul(*weight)) * i32::from(value);
            sum = sum.wrapping_add(product);
        }
        sum
    };
    half(&own.0, &weights[0]).wrapping_add(half(&other.0, &weights[1]))
}

/// The evaluation in centipawns of a [`forward`] sum and its bucket's bias.
#[inline(always)]
pub(super) fn centipawns(sum: i32, bias: i32) -> i32 {
    let output = sum / QA + bias;
    (i64::from(output) * i64::from(SCALE) / i64::from(QA * QB)) as i32
}
