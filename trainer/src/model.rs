//! The network in training: 32-bit floats, in rows as long as the hidden layer.

use std::ops::Range;

use saavedra::chess::Random;
use saavedra::nnue::arch::{INPUTS, QA, QB};
use saavedra::nnue::format::{NetworkError, Parameters};

use crate::optimizer::quantised;

/// The layer sizes of a network. Its parameters are rows of `hidden` floats: one per feature, the
/// feature bias, two per output bucket (side to move, opponent), and a last row that starts with
/// the output biases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Hidden layer size: neurons per perspective.
    pub hidden: usize,
    /// Number of output buckets.
    pub buckets: usize,
}

impl Shape {
    /// The row of the feature bias; the rows before it are the features'.
    pub const BIAS_ROW: usize = INPUTS;
    /// The first row of output weights.
    pub const OUTPUT_ROW: usize = INPUTS + 1;

    /// The row of the output biases, the last one.
    pub fn output_bias_row(self) -> usize {
        Shape::OUTPUT_ROW + 2 * self.buckets
    }

    /// The indices of the output weights in the parameters: before them are the feature weights and
    /// biases, after them the output biases.
    pub fn output_weights(self) -> Range<usize> {
        Shape::OUTPUT_ROW * self.hidden..self.output_bias_row() * self.hidden
    }

    /// The number of rows.
    pub fn rows(self) -> usize {
        self.output_bias_row() + 1
    }

    /// The number of parameters.
    pub fn len(self) -> usize {
        self.rows() * self.hidden
    }

    /// Always false.
    pub fn is_empty(self) -> bool {
        false
    }

    /// Whether each parameter is new in a network of this shape that has [grown](Model::grow) from
    /// one of the shape `old`. With more output buckets all of their parameters are.
    pub fn new_parameters(self, old: Shape) -> Vec<bool> {
        let is_new = |row: usize| {
            let is_output = row >= Shape::OUTPUT_ROW;
            let inherited = if is_output && self.buckets > old.buckets { 0 } else { old.hidden };
            (0..self.hidden).map(move |index| index >= inherited)
        };
        (0..self.rows()).flat_map(is_new).collect()
    }
}

/// The parameters of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its layer sizes.
    pub shape: Shape,
    /// Its rows, consecutively.
    pub values: Vec<f32>,
}

impl Model {
    /// Random weights, small enough that few neurons start above 1. Biases are zero, so half of the
    /// neurons start below 0.
    pub fn random(shape: Shape, seed: u64) -> Model {
        let mut random = Random::new(seed);
        let mut values = vec![0.0; shape.len()];
        let (features, rest) = values.split_at_mut(Shape::BIAS_ROW * shape.hidden);
        // At most 32 features are active.
        let bound = (1.0f32 / 32.0).sqrt();
        features.fill_with(|| bound * signed_unit(&mut random));
        let outputs = &mut rest[shape.hidden..][..2 * shape.buckets * shape.hidden];
        // All buckets start with equal weights.
        let (first, others) = outputs.split_at_mut(2 * shape.hidden);
        let bound = (1.0 / (2 * shape.hidden) as f32).sqrt();
        first.fill_with(|| bound * signed_unit(&mut random));
        for bucket in others.chunks_mut(2 * shape.hidden) {
            bucket.copy_from_slice(first);
        }
        Model { shape, values }
    }

    /// A row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.shape.hidden..][..self.shape.hidden]
    }

    /// The output for these active features, by plain loops in 64-bit floats. 1.0 is
    /// [`SCALE`](saavedra::nnue::arch::SCALE) centipawns.
    pub fn evaluate(&self, us: &[usize], them: &[usize], bucket: usize) -> f64 {
        let mut output = f64::from(self.row(self.shape.output_bias_row())[bucket]);
        for (perspective, features) in [us, them].into_iter().enumerate() {
            let weights = self.row(Shape::OUTPUT_ROW + 2 * bucket + perspective);
            for (neuron, &weight) in weights.iter().enumerate() {
                let active = features.iter().map(|&feature| f64::from(self.row(feature)[neuron]));
                let sum = f64::from(self.row(Shape::BIAS_ROW)[neuron]) + active.sum::<f64>();
                output += sum.clamp(0.0, 1.0).powi(2) * f64::from(weight);
            }
        }
        output
    }

    /// The model with the weights that the forward pass of the training sees: quantised, but still
    /// floats.
    pub fn quantised(&self) -> Model {
        let output_weights = self.shape.output_weights();
        let mut model = self.clone();
        for value in &mut model.values[..output_weights.start] {
            *value = quantised(*value, QA);
        }
        for value in &mut model.values[output_weights] {
            *value = quantised(*value, QB);
        }
        model
    }

    /// The quantised network: weights rounded to integers.
    ///
    /// # Errors
    /// Weights are so large that the engine's integers could overflow.
    pub fn quantise(&self, generation: u32) -> Result<Parameters, NetworkError> {
        let Shape { hidden, buckets } = self.shape;
        let rounded = |values: &[f32], unit: i32| -> Vec<i16> {
            values.iter().map(|&value| (value * unit as f32).round() as i16).collect()
        };
        let feature_weights = rounded(&self.values[..INPUTS * hidden], QA);
        let outputs = &self.values[Shape::OUTPUT_ROW * hidden..][..2 * buckets * hidden];
        let biases = &self.row(self.shape.output_bias_row())[..buckets];
        let parameters = Parameters {
            generation,
            feature_weights: feature_weights
                .into_iter()
                .map(|weight| {
                    i8::try_from(weight).map_err(|_| NetworkError::Overflow("feature transformer"))
                })
                .collect::<Result<_, _>>()?,
            feature_bias: rounded(self.row(Shape::BIAS_ROW), QA),
            output_weights: rounded(outputs, QB),
            output_bias: biases.iter().map(|&b| (b * (QA * QB) as f32).round() as i32).collect(),
        };
        parameters.check()?;
        Ok(parameters)
    }

    /// The model of a quantised network, to continue its training.
    pub fn from_parameters(parameters: &Parameters) -> Model {
        let shape = Shape { hidden: parameters.hidden(), buckets: parameters.output_buckets() };
        let mut values = Vec::with_capacity(shape.len());
        let float = |weight: i16, unit: i32| f32::from(weight) / unit as f32;
        let feature_weights = parameters.feature_weights.iter();
        values.extend(feature_weights.map(|&weight| float(i16::from(weight), QA)));
        values.extend(parameters.feature_bias.iter().map(|&bias| float(bias, QA)));
        let output_weights = parameters.output_weights.iter();
        values.extend(output_weights.map(|&weight| float(weight, QB)));
        values.extend(parameters.output_bias.iter().map(|&b| b as f32 / (QA * QB) as f32));
        values.resize(shape.len(), 0.0);
        Model { shape, values }
    }

    /// The model with more neurons, more output buckets or both, and the same outputs: a new bucket
    /// has the weights of the one that it divides; new neurons have random feature weights and
    /// output weights of zero. `None` if `shape` is smaller.
    pub fn grow(&self, shape: Shape, seed: u64) -> Option<Model> {
        let Shape { hidden, buckets } = self.shape;
        if shape.hidden < hidden || shape.buckets < buckets {
            return None;
        }
        let old_bucket = |bucket: usize| bucket * buckets / shape.buckets;
        let mut grown = Model::random(shape, seed);
        for (row, target) in grown.values.chunks_exact_mut(shape.hidden).enumerate() {
            if row < Shape::OUTPUT_ROW {
                target[..hidden].copy_from_slice(self.row(row));
            } else if row < shape.output_bias_row() {
                let (bucket, perspective) =
                    ((row - Shape::OUTPUT_ROW) / 2, (row - Shape::OUTPUT_ROW) % 2);
                let old_row = Shape::OUTPUT_ROW + 2 * old_bucket(bucket) + perspective;
                target.fill(0.0);
                target[..hidden].copy_from_slice(self.row(old_row));
            } else {
                let biases = self.row(self.shape.output_bias_row());
                for (bucket, bias) in target[..shape.buckets].iter_mut().enumerate() {
                    *bias = biases[old_bucket(bucket)];
                }
            }
        }
        Some(grown)
    }

    /// The model whose output is the mean of two models' outputs: the neurons of both, with half of
    /// their output weights. `None` if the output buckets differ.
    ///
    /// The half of an odd multiple of 1/QB is rounded down and up in turn: quantisation would round
    /// all of them away from 0.
    pub fn joined(&self, other: &Model) -> Option<Model> {
        let buckets = self.shape.buckets;
        if other.shape.buckets != buckets {
            return None;
        }
        let shape = Shape { hidden: self.shape.hidden + other.shape.hidden, buckets };
        let rows =
            (0..Shape::OUTPUT_ROW + 2 * buckets).flat_map(|row| [self.row(row), other.row(row)]);
        let mut values = rows.collect::<Vec<_>>().concat();
        let (qb, mut rounds_up) = (QB as f32, true);
        for value in &mut values[shape.output_weights()] {
            let mut scaled = *value * qb / 2.0;
            if scaled.fract().abs() == 0.5 {
                rounds_up = !rounds_up;
                scaled = if rounds_up { scaled.ceil() } else { scaled.floor() };
            }
            *value = scaled / qb;
        }
        let biases = |model: &Model| model.row(model.shape.output_bias_row())[..buckets].to_vec();
        let biases = biases(self).into_iter().zip(biases(other));
        values.extend(biases.map(|(a, b)| (a + b) / 2.0));
        values.resize(shape.len(), 0.0);
        Some(Model { shape, values })
    }
}

/// A number from -1 to 1, uniformly distributed.
fn signed_unit(random: &mut Random) -> f32 {
    (random.next_u64() >> 40) as f32 / (1u32 << 23) as f32 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use saavedra::nnue::arch::output_bucket;

    #[test]
    fn a_grown_model_has_the_same_outputs() {
        let shape = |hidden, buckets| Shape { hidden, buckets };
        let mut small = Model::random(shape(32, 2), 1);
        // Different weights in each bucket, and biases.
        let mut random = Random::new(2);
        for value in &mut small.values[Shape::BIAS_ROW * 32..][..6 * 32] {
            *value = signed_unit(&mut random);
        }
        for larger in [shape(32, 2), shape(64, 2), shape(32, 8), shape(96, 4)] {
            let grown = small.grow(larger, 3).expect("a larger shape");
            assert_eq!(grown.values.len(), larger.len());
            for piece_count in 2..=32 {
                let features = |first: usize| -> Vec<usize> {
                    (0..piece_count).map(|i| (first + 23 * i) % INPUTS).collect()
                };
                let (us, them) = (features(5), features(400));
                let output = |model: &Model| {
                    let bucket = output_bucket(piece_count, model.shape.buckets);
                    model.evaluate(&us, &them, bucket)
                };
                assert_eq!(output(&small), output(&grown), "{larger:?}, {piece_count} pieces");
            }
        }
        for smaller in [shape(16, 2), shape(32, 1)] {
            assert_eq!(small.grow(smaller, 3), None);
        }
    }

    #[test]
    fn a_joined_model_has_the_mean_of_the_outputs() {
        let model = |hidden, buckets, seed| {
            let mut model = Model::random(Shape { hidden, buckets }, seed);
            let biases = model.shape.output_bias_row() * hidden;
            for (bucket, bias) in model.values[biases..][..buckets].iter_mut().enumerate() {
                *bias = seed as f32 / 8.0 + bucket as f32;
            }
            model
        };
        let (first, second) = (model(64, 2, 1), model(32, 2, 2));
        let joined = first.joined(&second).expect("equal output buckets");
        assert_eq!(joined.shape, Shape { hidden: 96, buckets: 2 });
        assert_eq!(joined.values.len(), joined.shape.len());
        let (us, them) = (vec![5, 28, 51, 400], vec![7, 300, 301]);
        for bucket in 0..2 {
            let [a, b, mean] = [&first, &second, &joined].map(|m| m.evaluate(&us, &them, bucket));
            assert!((mean - (a + b) / 2.0).abs() < 1e-6, "{a} {b} {mean}");
        }
        assert_eq!(first.joined(&model(64, 1, 3)), None);
    }

    #[test]
    fn halves_of_odd_output_weights_are_not_all_rounded_away_from_zero() {
        let mut model = Model::random(Shape { hidden: 32, buckets: 1 }, 1);
        for (index, value) in model.values[Shape::OUTPUT_ROW * 32..][..64].iter_mut().enumerate() {
            *value = if index < 32 { 3.0 } else { -5.0 } / QB as f32;
        }
        let joined = model.joined(&model).expect("equal output buckets");
        let weights = joined.quantise(1).expect("small weights").output_weights;
        let sum = |weights: &[i16]| weights.iter().map(|&weight| i32::from(weight)).sum::<i32>();
        assert_eq!([sum(&weights[..64]), sum(&weights[64..])], [3 * 32, -5 * 32]);
    }
}
