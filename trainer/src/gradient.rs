//! Forward and backward pass: loss and gradient of micro-batches.
//!
//! Nearly all of the training time is spent here. It is fast because
//! - features are sparse: a position adds about twenty weight rows per perspective, and only those;
//! - the forward pass reads 16-bit copies of the weights (1.0 is [`UNIT`]) and adds with
//!   saturation, at ±8, far outside the range from 0 to 1 of the activation;
//! - the gradients of the accumulators are stored as bfloat16, two to a `u32`;
//! - the backward pass iterates over features, not positions: a counting sort lists the positions
//!   of each feature, so that each gradient row is read and written once.
//!
//! The functions are generic over `Isa`; [`crate::simd`] compiles them for each instruction set.

use saavedra::nnue::arch::INPUTS;
use saavedra::nnue::features::MAX_ACTIVE_FEATURES;

use crate::model::Shape;
use crate::sample::{SIGMOID_SLOPE, Sample, sigmoid};
use crate::simd::Isa;

/// 1.0 in the 16-bit copies of the weights.
pub const UNIT: i16 = 4096;
/// Positions per forward and backward pass.
pub const MICRO_BATCH: usize = 256;

/// Floats per iteration of the plain loops.
const LANES: usize = 16;
/// Neurons per block, whose gradients are packed as [`LANES`] pairs of bfloat16.
const BLOCK: usize = 2 * LANES;

/// The weights, as borrowed rows.
#[derive(Debug)]
pub struct Weights<'a> {
    /// Layer sizes; the hidden layer size is a multiple of 32.
    pub shape: Shape,
    /// The feature transformer in 16 bits: one row per feature, then the bias.
    pub features: Vec<&'a [i16]>,
    /// The output layer: two rows of weights per bucket, then the row of biases.
    pub outputs: Vec<&'a [f32]>,
}

/// The buffers of one thread.
#[derive(Debug)]
pub struct Workspace {
    positions: Vec<Position>,
    /// The activations of one position: both perspectives, clamped but not squared.
    activations: Vec<i16>,
    /// The accumulator gradients of all positions, as pairs of bfloat16.
    deltas: Vec<u32>,
    /// For each feature the end of its list; see [`group_by_feature`].
    list_ends: Vec<u32>,
    lists: Vec<u16>,
}

/// A decoded sample.
#[derive(Clone, Copy, Debug)]
struct Position {
    /// The active features of both perspectives, the side to move's first.
    features: [[u16; MAX_ACTIVE_FEATURES]; 2],
    feature_count: usize,
    bucket: usize,
    target: f32,
}

impl Workspace {
    /// Buffers for a network of this shape.
    pub fn new(shape: Shape) -> Workspace {
        let empty = Position {
            features: [[0; MAX_ACTIVE_FEATURES]; 2],
            feature_count: 0,
            bucket: 0,
            target: 0.0,
        };
        Workspace {
            positions: vec![empty; MICRO_BATCH],
            activations: vec![0; 2 * shape.hidden],
            deltas: vec![0; MICRO_BATCH * shape.hidden],
            list_ends: vec![0; INPUTS + 1],
            lists: vec![0; 2 * MICRO_BATCH * MAX_ACTIVE_FEATURES],
        }
    }
}

/// The loss: the squared difference between the expected points of the output and the target.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// The WDL lambda: the weight of the game result in the target; the rest is the score's.
    pub wdl: f32,
    /// The factor for gradients: one over the batch size.
    pub gradient_scale: f32,
}

/// Returns the sum of the samples' losses and adds its gradient to `gradient`, which has the shape
/// of the model.
#[inline(always)]
pub(crate) fn add_gradient<I: Isa>(
    isa: I,
    weights: &Weights<'_>,
    samples: &[Sample],
    loss: Loss,
    workspace: &mut Workspace,
    gradient: &mut [f32],
) -> f64 {
    let Shape { hidden, buckets } = weights.shape;
    let (feature_rows, other_rows) = gradient.split_at_mut(Shape::BIAS_ROW * hidden);
    let (bias_row, output_rows) = other_rows.split_at_mut(hidden);
    let mut loss_sum = 0.0;
    for samples in samples.chunks(MICRO_BATCH) {
        for (position, sample) in workspace.positions.iter_mut().zip(samples) {
            decode(position, sample, buckets, loss.wdl);
        }
        let positions = &workspace.positions[..samples.len()];
        for (position, deltas) in positions.iter().zip(workspace.deltas.chunks_mut(hidden)) {
            let activations = &mut workspace.activations[..];
            let output = forward(isa, weights, position, activations);
            let expected = sigmoid(output);
            let error = expected - position.target;
            loss_sum += f64::from(error * error);
            let slope = SIGMOID_SLOPE * expected * (1.0 - expected);
            let delta = 2.0 * error * slope * loss.gradient_scale;
            for perspective in 0..2 {
                let row = 2 * position.bucket + perspective;
                let start = perspective * hidden;
                backward_output(
                    delta,
                    &activations[start..start + hidden],
                    weights.outputs[row],
                    &mut output_rows[row * hidden..][..hidden],
                    bias_row,
                    &mut deltas[start / 2..(start + hidden) / 2],
                );
            }
            output_rows[2 * buckets * hidden + position.bucket] += delta;
        }
        group_by_feature(positions, &mut workspace.list_ends, &mut workspace.lists);
        let mut start = 0;
        for (feature, &end) in workspace.list_ends[..INPUTS].iter().enumerate() {
            let list = &workspace.lists[start as usize..end as usize];
            start = end;
            if !list.is_empty() {
                let row = &mut feature_rows[feature * hidden..][..hidden];
                backward_feature(isa, row, list, &workspace.deltas);
            }
        }
    }
    loss_sum
}

/// Calls `each` with every sample and the network's output for it.
#[inline(always)]
pub(crate) fn evaluate<I: Isa>(
    isa: I,
    weights: &Weights<'_>,
    samples: &[Sample],
    workspace: &mut Workspace,
    each: &mut dyn FnMut(&Sample, f32),
) {
    for sample in samples {
        let position = &mut workspace.positions[0];
        decode(position, sample, weights.shape.buckets, 0.0);
        let output = forward(isa, weights, position, &mut workspace.activations);
        each(sample, output);
    }
}

#[inline(always)]
fn decode(position: &mut Position, sample: &Sample, buckets: usize, wdl: f32) {
    let [us, them] = &mut position.features;
    position.feature_count = sample.features(us, them);
    position.bucket = sample.bucket(buckets);
    position.target = sample.target(wdl);
}

/// The forward pass of one position. Returns the output and writes the clamped accumulators of both
/// perspectives into `activations`.
#[inline(always)]
fn forward<I: Isa>(
    isa: I,
    weights: &Weights<'_>,
    position: &Position,
    activations: &mut [i16],
) -> f32 {
    let hidden = weights.shape.hidden;
    let mut lanes = [0.0f32; LANES];
    for (perspective, activations) in activations.chunks_exact_mut(hidden).enumerate() {
        let features = &position.features[perspective][..position.feature_count];
        let mut neuron = 0;
        while neuron < hidden {
            let out = &mut activations[neuron..];
            neuron += match (hidden - neuron) / I::I16_LANES {
                8.. => accumulate::<I, 8>(isa, weights, features, neuron, out),
                4.. => accumulate::<I, 4>(isa, weights, features, neuron, out),
                2.. => accumulate::<I, 2>(isa, weights, features, neuron, out),
                _ => accumulate::<I, 1>(isa, weights, features, neuron, out),
            };
        }
        let (clamped, _) = activations.as_chunks::<LANES>();
        let (output, _) = weights.outputs[2 * position.bucket + perspective].as_chunks::<LANES>();
        for (clamped, output) in clamped.iter().zip(output) {
            for lane in 0..LANES {
                let value = f32::from(clamped[lane]);
                lanes[lane] += value * value * output[lane];
            }
        }
    }
    let bias = weights.outputs[2 * weights.shape.buckets][position.bucket];
    lanes.iter().sum::<f32>() * (1.0 / (UNIT as f32 * UNIT as f32)) + bias
}

/// Computes `VECTORS` vectors of an accumulator from `neuron` on, clamped to 0 ..= [`UNIT`].
/// Returns their number of neurons.
#[inline(always)]
fn accumulate<I: Isa, const VECTORS: usize>(
    isa: I,
    weights: &Weights<'_>,
    features: &[u16],
    neuron: usize,
    out: &mut [i16],
) -> usize {
    let neurons = VECTORS * I::I16_LANES;
    let bias = &weights.features[Shape::BIAS_ROW][neuron..neuron + neurons];
    let mut sums = [isa.load_i16(bias); VECTORS];
    for (vector, sum) in sums.iter_mut().enumerate() {
        *sum = isa.load_i16(&bias[vector * I::I16_LANES..]);
    }
    for &feature in features {
        let row = &weights.features[usize::from(feature)][neuron..neuron + neurons];
        for (vector, sum) in sums.iter_mut().enumerate() {
            *sum = isa.add_i16(*sum, isa.load_i16(&row[vector * I::I16_LANES..]));
        }
    }
    let out = &mut out[..neurons];
    for (vector, sum) in sums.into_iter().enumerate() {
        let clamped = isa.clamp_i16(sum, UNIT);
        isa.store_i16(clamped, &mut out[vector * I::I16_LANES..]);
    }
    neurons
}

/// The backward pass of one position and perspective through the output layer and SCReLU, given
/// `delta`, the gradient of the output. Adds to the gradients of the output weights and of the
/// feature bias, and writes the gradient of the accumulator into `deltas` for [`backward_feature`].
#[inline(always)]
fn backward_output(
    delta: f32,
    activations: &[i16],
    output: &[f32],
    output_gradient: &mut [f32],
    bias_gradient: &mut [f32],
    deltas: &mut [u32],
) {
    const SCALE: f32 = 1.0 / UNIT as f32;
    let (square_factor, linear_factor) = (delta * SCALE * SCALE, 2.0 * delta * SCALE);
    let activations = activations.as_chunks::<BLOCK>().0.iter();
    let output = output.as_chunks::<BLOCK>().0.iter();
    let output_gradient = output_gradient.as_chunks_mut::<BLOCK>().0.iter_mut();
    let bias_gradient = bias_gradient.as_chunks_mut::<BLOCK>().0.iter_mut();
    let deltas = deltas.as_chunks_mut::<LANES>().0.iter_mut();
    let blocks = activations.zip(output).zip(output_gradient).zip(bias_gradient).zip(deltas);
    for ((((activations, output), output_gradient), bias_gradient), deltas) in blocks {
        let mut gradient = [0.0f32; BLOCK];
        for lane in 0..BLOCK {
            let value = f32::from(activations[lane]);
            output_gradient[lane] += square_factor * value * value;
            // Clamped values have no gradient; at 0 the factor `value` is 0.
            let factor = if activations[lane] < UNIT { linear_factor } else { 0.0 };
            gradient[lane] = factor * value * output[lane];
            bias_gradient[lane] += gradient[lane];
        }
        for lane in 0..LANES {
            deltas[lane] =
                bf16_bits(gradient[lane]) >> 16 | bf16_bits(gradient[lane + LANES]) & 0xffff_0000;
        }
    }
}

/// The bits of `value` rounded to bfloat16, in the upper half.
#[inline(always)]
fn bf16_bits(value: f32) -> u32 {
    value.to_bits().wrapping_add(0x8000)
}

/// Counting sort: lists for each feature the accumulators (position index times two plus
/// perspective) in which it is active. The list of feature `f` is `lists[ends[f - 1]..ends[f]]`,
/// of feature 0 `lists[..ends[0]]`.
#[inline(always)]
fn group_by_feature(positions: &[Position], ends: &mut [u32], lists: &mut [u16]) {
    ends.fill(0);
    let (_, counts) = ends.split_at_mut(1);
    for position in positions {
        for features in &position.features {
            for &feature in &features[..position.feature_count] {
                counts[usize::from(feature)] += 1;
            }
        }
    }
    let mut sum = 0;
    for end in ends.iter_mut() {
        sum += *end;
        *end = sum;
    }
    // Each entry is the start of its list now, and its end after the list is filled.
    for (index, position) in positions.iter().enumerate() {
        for (perspective, features) in position.features.iter().enumerate() {
            for &feature in &features[..position.feature_count] {
                let next = &mut ends[usize::from(feature)];
                lists[*next as usize] = (2 * index + perspective) as u16;
                *next += 1;
            }
        }
    }
}

/// Adds the deltas of the listed accumulators to the gradient row of a feature.
#[inline(always)]
fn backward_feature<I: Isa>(isa: I, row: &mut [f32], list: &[u16], deltas: &[u32]) {
    let pairs = row.len() / 2;
    let mut pair = 0;
    while pair < pairs {
        let row = &mut row[2 * pair..];
        let deltas = &deltas[pair..];
        pair += match (pairs - pair) / I::F32_LANES {
            // Each vector of pairs needs two registers for sums.
            8.. if I::REGISTERS >= 32 => add_deltas::<I, 8>(isa, row, list, deltas, pairs),
            4.. => add_deltas::<I, 4>(isa, row, list, deltas, pairs),
            2.. => add_deltas::<I, 2>(isa, row, list, deltas, pairs),
            _ => add_deltas::<I, 1>(isa, row, list, deltas, pairs),
        };
    }
}

/// The part of [`backward_feature`] that stays in registers: `VECTORS` vectors of pairs, at the
/// start of `row` and of `deltas`, where an accumulator has `stride` pairs. Returns their number of
/// pairs.
#[inline(always)]
fn add_deltas<I: Isa, const VECTORS: usize>(
    isa: I,
    row: &mut [f32],
    list: &[u16],
    deltas: &[u32],
    stride: usize,
) -> usize {
    // The first neuron of the lower half of a vector; the upper half is LANES further.
    let neuron = |vector: usize| {
        let pair = vector * I::F32_LANES;
        pair / LANES * BLOCK + pair % LANES
    };
    let row = &mut row[..neuron(VECTORS - 1) + LANES + I::F32_LANES];
    let mut low = [isa.load_f32(row); VECTORS];
    let mut high = low;
    for vector in 0..VECTORS {
        low[vector] = isa.load_f32(&row[neuron(vector)..]);
        high[vector] = isa.load_f32(&row[neuron(vector) + LANES..]);
    }
    for &accumulator in list {
        let deltas = &deltas[usize::from(accumulator) * stride..][..VECTORS * I::F32_LANES];
        for vector in 0..VECTORS {
            let pairs = isa.load_u32(&deltas[vector * I::F32_LANES..]);
            (low[vector], high[vector]) = isa.add_bf16_pairs(low[vector], high[vector], pairs);
        }
    }
    for vector in 0..VECTORS {
        isa.store_f32(low[vector], &mut row[neuron(vector)..]);
        isa.store_f32(high[vector], &mut row[neuron(vector) + LANES..]);
    }
    VECTORS * I::F32_LANES
}
