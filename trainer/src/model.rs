//! The network as the trainer has it: 32-bit floats in rows of one hidden layer's length.

use saavedra::nnue::arch::{INPUTS, QA, QB};
use saavedra::nnue::format::{NetworkError, Parameters};

use crate::order::Random;

/// Sizes of a network. Its parameters are rows of `hidden` numbers: one per input, the hidden
/// layer's bias, two per output bucket (side to move, other side), and a last row that begins with
/// the output biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Hidden neurons per perspective.
    pub hidden: usize,
    /// Output buckets.
    pub buckets: usize,
}

impl Shape {
    /// The row of the hidden layer's bias; the rows before it are the inputs'.
    pub const BIAS_ROW: usize = INPUTS;
    /// The first row of output weights.
    pub const OUTPUT_ROW: usize = INPUTS + 1;

    /// The row of the output biases, the last one.
    pub fn output_bias_row(self) -> usize {
        Shape::OUTPUT_ROW + 2 * self.buckets
    }

    /// Number of rows.
    pub fn rows(self) -> usize {
        self.output_bias_row() + 1
    }

    /// All rows' numbers together.
    pub fn len(self) -> usize {
        self.rows() * self.hidden
    }

    /// Never: a network has rows.
    pub fn is_empty(self) -> bool {
        false
    }
}

/// The parameters of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its sizes.
    pub shape: Shape,
    /// Its rows, one after the other.
    pub values: Vec<f32>,
}

impl Model {
    /// Random weights small enough that neurons start inside their linear range, biases zero.
    pub fn random(shape: Shape, seed: u64) -> Model {
        let mut random = Random::new(seed);
        let mut values = vec![0.0; shape.len()];
        let (inputs, rest) = values.split_at_mut(Shape::BIAS_ROW * shape.hidden);
        // About 32 inputs are active at a time.
        let bound = (1.0f32 / 32.0).sqrt();
        inputs.fill_with(|| bound * random.signed());
        let outputs = &mut rest[shape.hidden..][..2 * shape.buckets * shape.hidden];
        // All buckets start equal: they differ by what they learn.
        let (first, others) = outputs.split_at_mut(2 * shape.hidden);
        let bound = (1.0 / (2 * shape.hidden) as f32).sqrt();
        first.fill_with(|| bound * random.signed());
        for bucket in others.chunks_mut(2 * shape.hidden) {
            bucket.copy_from_slice(first);
        }
        Model { shape, values }
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.shape.hidden..][..self.shape.hidden]
    }

    /// The output (1.0 is one unit of evaluation scale), by obvious loops in 64-bit floats.
    pub fn evaluate(&self, own: &[usize], other: &[usize], bucket: usize) -> f64 {
        let mut output = f64::from(self.row(self.shape.output_bias_row())[bucket]);
        for (side, features) in [own, other].into_iter().enumerate() {
            let weights = self.row(Shape::OUTPUT_ROW + 2 * bucket + side);
            for (neuron, &weight) in weights.iter().enumerate() {
                let inputs = features
                    .iter()
                    .map(|&input| f64::from(self.row(input)[neuron]));
                let sum = f64::from(self.row(Shape::BIAS_ROW)[neuron]) + inputs.sum::<f64>();
                output += sum.clamp(0.0, 1.0).powi(2) * f64::from(weight);
            }
        }
        output
    }

    /// The integers that play: rounded, and checked against overflow.
    pub fn quantise(&self, generation: u32) -> Result<Parameters, NetworkError> {
        let Shape { hidden, buckets } = self.shape;
        let rounded = |values: &[f32], unit: i32| -> Vec<i16> {
            values
                .iter()
                .map(|&value| (value * unit as f32).round() as i16)
                .collect()
        };
        let outputs = &self.values[Shape::OUTPUT_ROW * hidden..][..2 * buckets * hidden];
        let biases = &self.row(self.shape.output_bias_row())[..buckets];
        let parameters = Parameters {
            generation,
            feature_weights: rounded(&self.values[..INPUTS * hidden], QA),
            feature_bias: rounded(self.row(Shape::BIAS_ROW), QA),
            output_weights: rounded(outputs, QB),
            output_bias: biases
                .iter()
                .map(|&b| (b * (QA * QB) as f32).round() as i32)
                .collect(),
        };
        parameters.check()?;
        Ok(parameters)
    }

    /// The floats nearest to a network's integers, to go on training it.
    pub fn from_parameters(parameters: &Parameters) -> Model {
        let shape = Shape {
            hidden: parameters.hidden(),
            buckets: parameters.output_buckets(),
        };
        let mut values = Vec::with_capacity(shape.len());
        let floats = |words: &[i16], unit: i32| -> Vec<f32> {
            words
                .iter()
                .map(|&word| f32::from(word) / unit as f32)
                .collect()
        };
        values.extend(floats(&parameters.feature_weights, QA));
        values.extend(floats(&parameters.feature_bias, QA));
        values.extend(floats(&parameters.output_weights, QB));
        values.extend(
            parameters
                .output_bias
                .iter()
                .map(|&b| b as f32 / (QA * QB) as f32),
        );
        values.resize(shape.len(), 0.0);
        Model { shape, values }
    }
}
