//! The forward pass from the two accumulators to centipawns: SCReLU and the output layer.

use super::accumulator::{Accumulator, ChangedPieces, Perspective, add_sub_vector};
use super::arch::{HIDDEN, QA, QB, SCALE};
use super::network::Weights;
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
    let [us_weights, them_weights] = weights;
    let values = |index| [isa.load(&us.0, index), isa.load(&them.0, index)];
    dot_product(isa, [us_weights, them_weights], values)
}

/// The dot product of both accumulators after SCReLU with the weights. `values` returns the vectors
/// of an index; it is called once for each, in order.
#[inline(always)]
fn dot_product<I: ForwardIsa>(
    isa: I,
    weights: [&[i16; HIDDEN]; 2],
    values: impl FnMut(usize) -> [I::Vector; 2],
) -> i32 {
    // Several independent sums hide the latency of the multiply-add.
    match HIDDEN / I::LANES {
        n if n % 4 == 0 => dot_product_in_sums::<I, 4>(isa, weights, values),
        n if n % 2 == 0 => dot_product_in_sums::<I, 2>(isa, weights, values),
        _ => dot_product_in_sums::<I, 1>(isa, weights, values),
    }
}

/// The same in `SUMS` independent sums of each accumulator.
#[inline(always)]
fn dot_product_in_sums<I: ForwardIsa, const SUMS: usize>(
    isa: I,
    weights: [&[i16; HIDDEN]; 2],
    mut values: impl FnMut(usize) -> [I::Vector; 2],
) -> i32 {
    let mut sums = [[isa.zero_sums(); 2]; SUMS];
    for first in (0..HIDDEN / I::LANES).step_by(SUMS) {
        for (i, sums) in sums.iter_mut().enumerate() {
            let index = first + i;
            add_products(isa, sums, values(index), weights, index);
        }
    }
    let all = sums.as_flattened();
    isa.horizontal_sum(all.iter().fold(isa.zero_sums(), |sum, &next| isa.add_sums(sum, next)))
}

/// Adds vector `index` of the dot products of two accumulators, whose `values` are given, to their
/// sums.
#[inline(always)]
fn add_products<I: ForwardIsa>(
    isa: I,
    sums: &mut [I::Sums; 2],
    values: [I::Vector; 2],
    weights: [&[i16; HIDDEN]; 2],
    index: usize,
) {
    let clamped: [I::Vector; 2] = isa.clamp(values[0], values[1]).into();
    for i in 0..2 {
        let weighted = isa.mul_low(clamped[i], isa.load(weights[i], index));
        sums[i] = isa.mul_add(sums[i], weighted, clamped[i]);
    }
}

/// [`update`](super::accumulator::update) of White's and Black's accumulator and [`forward`] in one
/// pass: no value is stored and loaded again. `None`, without an update, unless the changes are
/// those of a quiet move, a capture or a promotion.
#[inline(always)]
pub(super) fn update_and_forward<I: ForwardIsa>(
    isa: I,
    weights: &Weights,
    source: &[Accumulator; 2],
    target: &mut [Accumulator; 2],
    changes: &ChangedPieces,
    perspectives: [Perspective; 2],
    output_weights: [&[i16; HIDDEN]; 2],
) -> Option<i32> {
    let rows = |piece| perspectives.map(|perspective| perspective.weight_row(weights, piece));
    match changes.added_and_removed() {
        (&[a], &[r]) => {
            let removed = [rows(r)];
            Some(add_sub_forward(isa, source, target, rows(a), removed, output_weights))
        }
        (&[a], &[r, s]) => {
            let removed = [rows(r), rows(s)];
            Some(add_sub_forward(isa, source, target, rows(a), removed, output_weights))
        }
        _ => None,
    }
}

/// The same for one added weight row of each perspective, and a fixed number of removed ones.
#[inline(always)]
fn add_sub_forward<I: ForwardIsa, const R: usize>(
    isa: I,
    source: &[Accumulator; 2],
    target: &mut [Accumulator; 2],
    added: [&[i8; HIDDEN]; 2],
    removed: [[&[i8; HIDDEN]; 2]; R],
    output_weights: [&[i16; HIDDEN]; 2],
) -> i32 {
    let mut vector = |color: usize, index| {
        let removed = removed.map(|rows| rows[color]);
        let (source, target) = (&source[color], &mut target[color]);
        add_sub_vector(isa, source, target, [added[color]], removed, index)
    };
    dot_product(isa, output_weights, |index| [vector(0, index), vector(1, index)])
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
