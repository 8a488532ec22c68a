//! The forward pass from the two accumulators to centipawns: SCReLU and the output layer.

use super::accumulator::Accumulator;
use super::arch::{HIDDEN, QA, QB, SCALE};
use super::simd::ForwardIsa;

/// The output before its bias, in units of 1/(QA · QA · QB): the dot product of both accumulators
/// after SCReLU (the side to move's first) with the weights of one bucket.
///
/// A network is loaded only if clamped value times weight fits an `i16` and the whole sum an `i32`,
/// in any order. So `screlu(x) · w` is computed as `(clamp(x) · w) · clamp(x)`: one 16-bit
/// multiplication, then one multiply-add of `i16` pairs into `i32` sums (`pmaddwd`, `vpdpwssd`).
#[inline(always)]
pub(super) fn forward<I: ForwardIsa>(
    isa: I,
    us: &Accumulator,
    them: &Accumulator,
    weights: &[[i16; HIDDEN]; 2],
) -> i32 {
    // Several independent sums hide the latency of the multiply-add.
    match HIDDEN / I::LANES {
        n if n % 4 == 0 => dot_product::<I, 4>(isa, us, them, weights),
        n if n % 2 == 0 => dot_product::<I, 2>(isa, us, them, weights),
        _ => dot_product::<I, 1>(isa, us, them, weights),
    }
}

#[inline(always)]
fn dot_product<I: ForwardIsa, const SUMS: usize>(
    isa: I,
    us: &Accumulator,
    them: &Accumulator,
    weights: &[[i16; HIDDEN]; 2],
) -> i32 {
    let [us_weights, them_weights] = weights;
    let add_vector = |sum, clamped, weights, index| {
        let weighted = isa.mul_low(clamped, isa.load(weights, index));
        isa.mul_add(sum, weighted, clamped)
    };
    let mut us_sums = [isa.zero_sums(); SUMS];
    let mut them_sums = [isa.zero_sums(); SUMS];
    for first in (0..HIDDEN / I::LANES).step_by(SUMS) {
        for i in 0..SUMS {
            let index = first + i;
            let (us, them) = isa.clamp(isa.load(&us.0, index), isa.load(&them.0, index));
            us_sums[i] = add_vector(us_sums[i], us, us_weights, index);
            them_sums[i] = add_vector(them_sums[i], them, them_weights, index);
        }
    }
    let mut sums = isa.zero_sums();
    for i in 0..SUMS {
        sums = isa.add_sums(sums, isa.add_sums(us_sums[i], them_sums[i]));
    }
    isa.horizontal_sum(sums)
}

/// The same as a plain loop, which compilers vectorise best.
pub(super) fn forward_scalar(
    us: &Accumulator,
    them: &Accumulator,
    weights: &[[i16; HIDDEN]; 2],
) -> i32 {
    let dot_product = |accumulator: &[i16; HIDDEN], weights: &[i16; HIDDEN]| {
        let mut sum = 0i32;
        for (value, weight) in accumulator.iter().zip(weights) {
            let clamped = (*value).clamp(0, QA as i16);
            let product = i32::from(clamped.wrapping_mul(*weight)) * i32::from(clamped);
            sum = sum.wrapping_add(product);
        }
        sum
    };
    dot_product(&us.0, &weights[0]).wrapping_add(dot_product(&them.0, &weights[1]))
}

/// The evaluation in centipawns from the sum of [`forward`] and the output bias of its bucket.
#[inline(always)]
pub(super) fn centipawns(sum: i32, bias: i32) -> i32 {
    let output = sum / QA + bias;
    (i64::from(output) * i64::from(SCALE) / i64::from(QA * QB)) as i32
}
