//! Loss and gradient of a few hundred positions at a time: where training spends its time.
//!
//! What makes it fast:
//! - inputs are sparse: a position adds about twenty rows per perspective, and only those;
//! - the forward pass reads a 16-bit copy of the weights (unit [`UNIT`]) and adds saturating; sums
//!   saturate at ±8, far outside the activation's range from 0 to 1;
//! - the hidden layer's gradients are kept in 16 bits (bfloat16), two to a word;
//! - the backward pass goes through the inputs, not the positions: a counting sort lists for each
//!   input the positions that have it, so that each gradient row is read and written once.
//!
//! The loops are generic over [`Isa`]; [`Kernel`] compiles them for each instruction set and chooses
//! one when the program runs, so that a portable build is fast too.

use saavedra::nnue::arch::INPUTS;
use saavedra::nnue::features::MAX_ACTIVE_FEATURES;

#[cfg(target_arch = "x86_64")]
use crate::isa::{Avx2, Avx512, Sse2};
use crate::isa::{Isa, Portable};
use crate::model::Shape;
use crate::sample::{Sample, sigmoid};

/// 1.0 in the 16-bit copy of the weights.
pub const UNIT: i16 = 4096;
/// Positions that are worked on together.
pub const MICRO_BATCH: usize = 256;

/// Floats that the plain loops handle in one go.
const LANES: usize = 16;
/// Columns of a block: two lanes' worth, packed into one lane's worth of words.
const BLOCK: usize = 2 * LANES;

/// What the kernels read: borrowed rows.
#[derive(Debug)]
pub struct Weights<'a> {
    /// Sizes; the hidden layer is a multiple of 32.
    pub shape: Shape,
    /// The 16-bit rows of all inputs and of the bias.
    pub inputs: Vec<&'a [i16]>,
    /// The rows of output weights and the row of output biases.
    pub outputs: Vec<&'a [f32]>,
}

/// Everything the kernels need room for, made once per thread.
#[derive(Debug)]
pub struct Scratch {
    positions: Vec<Decoded>,
    activations: Vec<i16>,
    deltas: Vec<u32>,
    starts: Vec<u32>,
    lists: Vec<u16>,
}

/// A position as the kernels read it.
#[derive(Clone, Copy, Debug)]
struct Decoded {
    inputs: [[u16; MAX_ACTIVE_FEATURES]; 2],
    len: usize,
    bucket: usize,
    target: f32,
}

impl Scratch {
    /// Room for a network of this shape.
    pub fn new(shape: Shape) -> Scratch {
        let empty = Decoded {
            inputs: [[0; MAX_ACTIVE_FEATURES]; 2],
            len: 0,
            bucket: 0,
            target: 0.0,
        };
        Scratch {
            positions: vec![empty; MICRO_BATCH],
            activations: vec![0; 2 * shape.hidden],
            deltas: vec![0; MICRO_BATCH * shape.hidden],
            starts: vec![0; INPUTS + 1],
            lists: vec![0; 2 * MICRO_BATCH * MAX_ACTIVE_FEATURES],
        }
    }
}

/// How to label positions and weigh their gradients.
#[derive(Clone, Copy, Debug)]
pub struct Labels {
    /// The result's share of the target; the rest is the score's.
    pub wdl: f32,
    /// What gradients are multiplied by: one over the batch's size.
    pub weight: f32,
}

/// The instruction sets the loops are compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernel {
    /// For every machine.
    Portable(Portable),
    /// x86-64 without more.
    #[cfg(target_arch = "x86_64")]
    Sse2(Sse2),
    /// x86-64 with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// x86-64 with AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Kernel {
    /// All kernels this machine can run, the fastest last.
    pub fn available() -> Vec<Kernel> {
        let mut kernels = vec![Kernel::Portable(Portable)];
        #[cfg(target_arch = "x86_64")]
        {
            kernels.push(Kernel::Sse2(Sse2));
            kernels.extend(Avx2::detect().map(Kernel::Avx2));
            kernels.extend(Avx512::detect().map(Kernel::Avx512));
        }
        kernels
    }

    /// Its name, for the command line and reports.
    pub fn name(self) -> &'static str {
        match self {
            Kernel::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2(_) => "sse2",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx2(_) => "avx2",
            #[cfg(target_arch = "x86_64")]
            Kernel::Avx512(_) => "avx512",
        }
    }

    /// The fastest kernel of this machine.
    pub fn best() -> Kernel {
        Kernel::available()
            .pop()
            .unwrap_or(Kernel::Portable(Portable))
    }

    /// The sum of the positions' losses (squared differences of expected points); their gradient is
    /// added to `gradient`, which has the shape of the model.
    pub fn learn(
        self,
        weights: &Weights<'_>,
        samples: &[Sample],
        labels: Labels,
        scratch: &mut Scratch,
        gradient: &mut [f32],
    ) -> f64 {
        debug_assert_eq!(gradient.len(), weights.shape.len());
        match self {
            Kernel::Portable(isa) => learn(isa, weights, samples, labels, scratch, gradient),
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2(isa) => learn(isa, weights, samples, labels, scratch, gradient),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `isa` proves that the machine has the instructions.
            Kernel::Avx2(isa) => unsafe {
                learn_avx2(isa, weights, samples, labels, scratch, gradient)
            },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx512(isa) => unsafe {
                learn_avx512(isa, weights, samples, labels, scratch, gradient)
            },
        }
    }

    /// The outputs for the positions, each handed to `each` with its sample.
    pub fn evaluate(
        self,
        weights: &Weights<'_>,
        samples: &[Sample],
        scratch: &mut Scratch,
        each: &mut dyn FnMut(&Sample, f32),
    ) {
        match self {
            Kernel::Portable(isa) => evaluate(isa, weights, samples, scratch, each),
            #[cfg(target_arch = "x86_64")]
            Kernel::Sse2(isa) => evaluate(isa, weights, samples, scratch, each),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `isa` proves that the machine has the instructions.
            Kernel::Avx2(isa) => unsafe { evaluate_avx2(isa, weights, samples, scratch, each) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Kernel::Avx512(isa) => unsafe { evaluate_avx512(isa, weights, samples, scratch, each) },
        }
    }
}

/// Compiles the loops for an instruction set.
macro_rules! instantiate {
    ($isa:ty, $learn:ident, $evaluate:ident, $features:literal) => {
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $learn(
            isa: $isa,
            weights: &Weights<'_>,
            samples: &[Sample],
            labels: Labels,
            scratch: &mut Scratch,
            gradient: &mut [f32],
        ) -> f64 {
            learn(isa, weights, samples, labels, scratch, gradient)
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = $features)]
        fn $evaluate(
            isa: $isa,
            weights: &Weights<'_>,
            samples: &[Sample],
            scratch: &mut Scratch,
            each: &mut dyn FnMut(&Sample, f32),
        ) {
            evaluate(isa, weights, samples, scratch, each);
        }
    };
}

instantiate!(
    Avx2,
    learn_avx2,
    evaluate_avx2,
    "avx2,fma,bmi1,bmi2,lzcnt,popcnt"
);
instantiate!(
    Avx512,
    learn_avx512,
    evaluate_avx512,
    "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,bmi1,bmi2,lzcnt,popcnt"
);

#[inline(always)]
fn learn<I: Isa>(
    isa: I,
    weights: &Weights<'_>,
    samples: &[Sample],
    labels: Labels,
    scratch: &mut Scratch,
    gradient: &mut [f32],
) -> f64 {
    let Shape { hidden, buckets } = weights.shape;
    let (input_rows, other_rows) = gradient.split_at_mut(Shape::BIAS_ROW * hidden);
    let (bias_row, output_rows) = other_rows.split_at_mut(hidden);
    let mut loss = 0.0;
    for samples in samples.chunks(MICRO_BATCH) {
        for (decoded, sample) in scratch.positions.iter_mut().zip(samples) {
            decode(decoded, sample, buckets, labels.wdl);
        }
        let positions = &scratch.positions[..samples.len()];
        for (position, deltas) in positions.iter().zip(scratch.deltas.chunks_mut(hidden)) {
            let activations = &mut scratch.activations[..];
            let output = forward(isa, weights, position, activations);
            let points = sigmoid(output);
            let error = points - position.target;
            loss += f64::from(error * error);
            let slope = 2.0 * error * points * (1.0 - points) * labels.weight;
            for side in 0..2 {
                let row = 2 * position.bucket + side;
                let at = side * hidden;
                backward_output(
                    slope,
                    &activations[at..at + hidden],
                    weights.outputs[row],
                    &mut output_rows[row * hidden..][..hidden],
                    bias_row,
                    &mut deltas[at / 2..(at + hidden) / 2],
                );
            }
            output_rows[2 * buckets * hidden + position.bucket] += slope;
        }
        sort(positions, &mut scratch.starts, &mut scratch.lists);
        let mut begin = 0;
        for (input, &end) in scratch.starts[..INPUTS].iter().enumerate() {
            let list = &scratch.lists[begin as usize..end as usize];
            begin = end;
            if !list.is_empty() {
                let row = &mut input_rows[input * hidden..][..hidden];
                backward_input(isa, row, list, &scratch.deltas);
            }
        }
    }
    loss
}

#[inline(always)]
fn evaluate<I: Isa>(
    isa: I,
    weights: &Weights<'_>,
    samples: &[Sample],
    scratch: &mut Scratch,
    each: &mut dyn FnMut(&Sample, f32),
) {
    for sample in samples {
        let position = &mut scratch.positions[0];
        decode(position, sample, weights.shape.buckets, 0.0);
        let output = forward(isa, weights, position, &mut scratch.activations);
        each(sample, output);
    }
}

#[inline(always)]
fn decode(decoded: &mut Decoded, sample: &Sample, buckets: usize, wdl: f32) {
    let [own, other] = &mut decoded.inputs;
    decoded.len = sample.features(own, other);
    decoded.bucket = sample.bucket(buckets);
    decoded.target = sample.target(wdl);
}

/// The output; leaves the clipped hidden layer of both perspectives in `activations`.
#[inline(always)]
fn forward<I: Isa>(
    isa: I,
    weights: &Weights<'_>,
    position: &Decoded,
    activations: &mut [i16],
) -> f32 {
    let hidden = weights.shape.hidden;
    let mut lanes = [0.0f32; LANES];
    for (side, activations) in activations.chunks_exact_mut(hidden).enumerate() {
        let inputs = &position.inputs[side][..position.len];
        let mut column = 0;
        while column < hidden {
            let out = &mut activations[column..];
            column += match (hidden - column) / I::SHORTS {
                8.. => accumulate::<I, 8>(isa, weights, inputs, column, out),
                4.. => accumulate::<I, 4>(isa, weights, inputs, column, out),
                2.. => accumulate::<I, 2>(isa, weights, inputs, column, out),
                _ => accumulate::<I, 1>(isa, weights, inputs, column, out),
            };
        }
        let (clipped, _) = activations.as_chunks::<LANES>();
        let (output, _) = weights.outputs[2 * position.bucket + side].as_chunks::<LANES>();
        for (clipped, output) in clipped.iter().zip(output) {
            for lane in 0..LANES {
                let value = f32::from(clipped[lane]);
                lanes[lane] += value * value * output[lane];
            }
        }
    }
    let bias = weights.outputs[2 * weights.shape.buckets][position.bucket];
    lanes.iter().sum::<f32>() * (1.0 / (UNIT as f32 * UNIT as f32)) + bias
}

/// So many vectors of the hidden layer from `column` on, clipped to 0 to [`UNIT`]; answers how many
/// columns they are.
#[inline(always)]
fn accumulate<I: Isa, const VECTORS: usize>(
    isa: I,
    weights: &Weights<'_>,
    inputs: &[u16],
    column: usize,
    out: &mut [i16],
) -> usize {
    let columns = VECTORS * I::SHORTS;
    let bias = &weights.inputs[Shape::BIAS_ROW][column..column + columns];
    let mut sums = [isa.load_shorts(bias); VECTORS];
    for (vector, sum) in sums.iter_mut().enumerate() {
        *sum = isa.load_shorts(&bias[vector * I::SHORTS..]);
    }
    for &input in inputs {
        let row = &weights.inputs[usize::from(input)][column..column + columns];
        for (vector, sum) in sums.iter_mut().enumerate() {
            *sum = isa.add_shorts(*sum, &row[vector * I::SHORTS..]);
        }
    }
    let out = &mut out[..columns];
    for (vector, sum) in sums.into_iter().enumerate() {
        isa.store_clipped(sum, UNIT, &mut out[vector * I::SHORTS..]);
    }
    columns
}

/// One perspective's share of the gradients that depend on this position alone: those of the
/// output weights and of the bias; those of the hidden layer go to `deltas`, for
/// [`backward_input`].
#[inline(always)]
fn backward_output(
    slope: f32,
    activations: &[i16],
    output: &[f32],
    output_gradient: &mut [f32],
    bias_gradient: &mut [f32],
    deltas: &mut [u32],
) {
    const SCALE: f32 = 1.0 / UNIT as f32;
    let (square_slope, double_slope) = (slope * SCALE * SCALE, 2.0 * slope * SCALE);
    let activations = activations.as_chunks::<BLOCK>().0.iter();
    let output = output.as_chunks::<BLOCK>().0.iter();
    let output_gradient = output_gradient.as_chunks_mut::<BLOCK>().0.iter_mut();
    let bias_gradient = bias_gradient.as_chunks_mut::<BLOCK>().0.iter_mut();
    let deltas = deltas.as_chunks_mut::<LANES>().0.iter_mut();
    let blocks = activations
        .zip(output)
        .zip(output_gradient)
        .zip(bias_gradient)
        .zip(deltas);
    for ((((activations, output), output_gradient), bias_gradient), deltas) in blocks {
        let mut delta = [0.0f32; BLOCK];
        for lane in 0..BLOCK {
            let value = f32::from(activations[lane]);
            output_gradient[lane] += square_slope * value * value;
            let inside = if activations[lane] < UNIT {
                double_slope
            } else {
                0.0
            };
            delta[lane] = inside * value * output[lane];
            bias_gradient[lane] += delta[lane];
        }
        for lane in 0..LANES {
            deltas[lane] = bfloat(delta[lane]) >> 16 | bfloat(delta[lane + LANES]) & 0xffff_0000;
        }
    }
}

/// The bits of a float rounded to a bfloat16, which is their upper half.
#[inline(always)]
fn bfloat(value: f32) -> u32 {
    value.to_bits().wrapping_add(0x8000)
}

/// Lists for each input which halves of `deltas` (position times two plus side) it occurs in: when
/// done, the list of input `i` is `lists[starts[i - 1]..starts[i]]`, that of input 0 begins at 0.
#[inline(always)]
fn sort(positions: &[Decoded], starts: &mut [u32], lists: &mut [u16]) {
    starts.fill(0);
    let (_, counts) = starts.split_at_mut(1);
    for position in positions {
        for inputs in &position.inputs {
            for &input in &inputs[..position.len] {
                counts[usize::from(input)] += 1;
            }
        }
    }
    let mut sum = 0;
    for start in starts.iter_mut() {
        sum += *start;
        *start = sum;
    }
    for (number, position) in positions.iter().enumerate() {
        for (side, inputs) in position.inputs.iter().enumerate() {
            for &input in &inputs[..position.len] {
                let place = &mut starts[usize::from(input)];
                lists[*place as usize] = (2 * number + side) as u16;
                *place += 1;
            }
        }
    }
}

/// Adds the deltas of the listed positions to an input's gradient row.
#[inline(always)]
fn backward_input<I: Isa>(isa: I, row: &mut [f32], list: &[u16], deltas: &[u32]) {
    let words = row.len() / 2;
    let mut word = 0;
    while word < words {
        let row = &mut row[2 * word..];
        let deltas = &deltas[word..];
        word += match (words - word) / I::FLOATS {
            // A vector of words needs two of sums, and there are others.
            8.. if I::REGISTERS >= 32 => gather::<I, 8>(isa, row, list, deltas, words),
            4.. => gather::<I, 4>(isa, row, list, deltas, words),
            2.. => gather::<I, 2>(isa, row, list, deltas, words),
            _ => gather::<I, 1>(isa, row, list, deltas, words),
        };
    }
}

/// The part of [`backward_input`] that stays in registers: so many vectors of words; answers how
/// many words they are.
#[inline(always)]
fn gather<I: Isa, const VECTORS: usize>(
    isa: I,
    row: &mut [f32],
    list: &[u16],
    deltas: &[u32],
    words: usize,
) -> usize {
    // Where the floats of a vector's lower halves are; those of the upper halves follow LANES on.
    let at = |vector: usize| {
        let word = vector * I::FLOATS;
        word / LANES * BLOCK + word % LANES
    };
    let row = &mut row[..at(VECTORS - 1) + LANES + I::FLOATS];
    let mut low = [isa.load_floats(row); VECTORS];
    let mut high = low;
    for vector in 0..VECTORS {
        low[vector] = isa.load_floats(&row[at(vector)..]);
        high[vector] = isa.load_floats(&row[at(vector) + LANES..]);
    }
    for &place in list {
        let delta = &deltas[usize::from(place) * words..][..VECTORS * I::FLOATS];
        for vector in 0..VECTORS {
            let delta = &delta[vector * I::FLOATS..];
            (low[vector], high[vector]) = isa.add_bfloats(low[vector], high[vector], delta);
        }
    }
    for vector in 0..VECTORS {
        isa.store_floats(low[vector], &mut row[at(vector)..]);
        isa.store_floats(high[vector], &mut row[at(vector) + LANES..]);
    }
    VECTORS * I::FLOATS
}
