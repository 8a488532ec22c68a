//! AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019,
//! <https://arxiv.org/abs/1711.05101>) and the learning rate schedule.

use std::ops::Range;

use saavedra::nnue::arch::{QA, QB};
use saavedra::nnue::format::{MAX_FEATURE_WEIGHT, MAX_OUTPUT_WEIGHT};

use crate::gradient::UNIT;

/// Feature weights are clipped to ± this, so that the quantised ones fit 8 bits; feature biases too.
pub const WEIGHT_CLIP: f32 = MAX_FEATURE_WEIGHT as f32 / QA as f32;
/// Output weights are clipped to ± this, the maximum of quantised ones; output biases too.
pub const OUTPUT_WEIGHT_CLIP: f32 = MAX_OUTPUT_WEIGHT as f32 / QB as f32;
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;

/// What the parameters of a run begin with, which its weight decay leads them back to.
///
/// Decoupled weight decay reduces overfitting: each step, the parameters lose a share of their
/// value, times the learning rate; `docs/experiments/evaluation.md` has the losses of several rates.
/// A training that continues from a network decays towards its parameters, so that it keeps what was
/// learned from games that are not in the data (L2-SP; Li, Grandvalet and Davoine,
/// "Explicit Inductive Bias for Transfer Learning with Convolutional Networks", 2018,
/// <https://arxiv.org/abs/1802.01483>). Parameters that this network does not have do not decay.
#[derive(Clone, Copy, Debug)]
pub struct Initial<'a> {
    /// The parameters.
    pub values: &'a [f32],
    /// Whether a parameter is new: it is not one of the network from which the training continues.
    pub is_new: &'a [bool],
}

/// The learning rate schedule: linear warm-up over the first 0.5 % of the steps, then cosine decay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LearningRateSchedule {
    /// The learning rate after warm-up.
    pub max: f32,
    /// The learning rate at the end.
    pub min: f32,
    /// The number of steps (batches) of the run.
    pub steps: u64,
}

impl LearningRateSchedule {
    /// The learning rate of a step, counted from 0.
    pub fn rate(&self, step: u64) -> f32 {
        let warm_up = self.steps.div_ceil(200);
        if step < warm_up {
            return self.max * (step + 1) as f32 / warm_up as f32;
        }
        let done = (step - warm_up) as f64 / (self.steps - warm_up).max(1) as f64;
        let cosine = 0.5 + 0.5 * (std::f64::consts::PI * done.min(1.0)).cos();
        self.min + (self.max - self.min) * cosine as f32
    }
}

/// A part of the parameters with their optimizer state.
///
/// Training is quantisation-aware (Jacob et al., "Quantization and Training of Neural Networks for
/// Efficient Integer-Arithmetic-Only Inference", 2018, <https://arxiv.org/abs/1712.05877>): the
/// forward pass sees the weights as the network file will have them, and the gradients are applied
/// to the exact parameters (straight-through estimator).
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// The parameters.
    pub values: Vec<f32>,
    /// The feature weights and biases, quantised, in 16 bits, for the forward pass.
    pub features: Vec<i16>,
    /// The output weights, quantised, and the output biases, for the forward pass.
    pub outputs: Vec<f32>,
    /// First moments: running means of the gradients.
    pub first_moments: Vec<f32>,
    /// Second moments: running means of the squared gradients.
    pub second_moments: Vec<f32>,
    /// The indices of the output weights: before them are the feature weights and biases, after
    /// them the output biases.
    output_weights: Range<usize>,
    /// What the parameters decay to.
    decay_targets: Vec<f32>,
    /// The factors of the weight decay: 1, and 0 for new parameters.
    decay_factors: Vec<f32>,
}

impl Shard {
    /// A shard with these parameters and moments, of equal lengths. The range covers the output
    /// weights; it may begin or end past the end of the shard.
    pub fn new(
        values: &[f32],
        first_moments: &[f32],
        second_moments: &[f32],
        output_weights: Range<usize>,
    ) -> Shard {
        let [start, end] = [output_weights.start, output_weights.end].map(|i| i.min(values.len()));
        let mut shard = Shard {
            values: values.to_vec(),
            features: vec![0; start],
            outputs: vec![0.0; values.len() - start],
            first_moments: first_moments.to_vec(),
            second_moments: second_moments.to_vec(),
            output_weights: start..end,
            decay_targets: vec![0.0; values.len()],
            decay_factors: vec![1.0; values.len()],
        };
        shard.quantise();
        shard
    }

    /// The shard of a training that continues from a network.
    pub fn continued_from(mut self, initial: Initial<'_>) -> Shard {
        self.decay_targets.copy_from_slice(initial.values);
        for (factor, &is_new) in self.decay_factors.iter_mut().zip(initial.is_new) {
            *factor = if is_new { 0.0 } else { 1.0 };
        }
        self
    }

    /// Quantises the parameters for the forward pass.
    fn quantise(&mut self) {
        let Range { start, end } = self.output_weights;
        for (copy, &value) in self.features.iter_mut().zip(&self.values) {
            *copy = to_i16(quantised(value, QA));
        }
        self.outputs.copy_from_slice(&self.values[start..]);
        for weight in &mut self.outputs[..end - start] {
            *weight = quantised(*weight, QB);
        }
    }

    /// Makes step number `step` (from 0) with this gradient and rate of the weight decay.
    pub fn update(&mut self, gradient: &[f32], weight_decay: f32, learning_rate: f32, step: u64) {
        let power = i32::try_from(step + 1).unwrap_or(i32::MAX);
        let bias_correction1 = 1.0 / (1.0 - BETA1.powi(power));
        let bias_correction2 = 1.0 / (1.0 - BETA2.powi(power));
        let share = learning_rate * weight_decay;
        let moments = self.first_moments.iter_mut().zip(&mut self.second_moments);
        let settings = self.decay_targets.iter().zip(&self.decay_factors);
        let parameters = self.values.iter_mut().zip(moments);
        for (((value, (first, second)), (&target, &factor)), &slope) in
            parameters.zip(settings).zip(gradient)
        {
            *value -= factor * share * (*value - target);
            *first = BETA1 * *first + (1.0 - BETA1) * slope;
            *second = BETA2 * *second + (1.0 - BETA2) * slope * slope;
            let step = learning_rate * bias_correction1 * *first
                / ((bias_correction2 * *second).sqrt() + EPSILON);
            *value -= step;
        }
        let (features, outputs) = self.values.split_at_mut(self.output_weights.start);
        for value in features {
            *value = value.clamp(-WEIGHT_CLIP, WEIGHT_CLIP);
        }
        for value in outputs {
            *value = value.clamp(-OUTPUT_WEIGHT_CLIP, OUTPUT_WEIGHT_CLIP);
        }
        self.quantise();
    }
}

/// 1.5 · 2^23: adding it to a small float rounds that to an integer.
const ROUNDING: f32 = 12_582_912.0;

/// A parameter rounded to a multiple of 1 / `unit`, as the network file has it.
#[inline(always)]
pub fn quantised(value: f32, unit: i32) -> f32 {
    (value * unit as f32 + ROUNDING - ROUNDING) / unit as f32
}

/// The 16-bit copy of a parameter. The integer is in the low bits of the rounded float.
#[inline(always)]
fn to_i16(value: f32) -> i16 {
    (value * f32::from(UNIT) + ROUNDING).to_bits() as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_rounded() {
        for value in [0.0, 1.0, -1.0, 1.98, -1.98, 0.3, -0.3, 1e-4, -1e-4, 1e-5] {
            assert_eq!(f32::from(to_i16(value)), (value * f32::from(UNIT)).round(), "{value}");
        }
    }

    #[test]
    fn learning_rate_warms_up_and_decays_to_the_minimum() {
        let schedule = LearningRateSchedule { max: 1e-3, min: 1e-5, steps: 2000 };
        let rates: Vec<f32> = (0..2000).map(|step| schedule.rate(step)).collect();
        assert!(rates[0] > 0.0 && rates[..10].is_sorted());
        assert_eq!(rates[10], 1e-3);
        assert!(rates[10..].is_sorted_by(|a, b| a >= b));
        assert!((rates[1005] - 5.05e-4).abs() < 2e-6 && rates[1999] < 1.01e-5);
        let one_step = LearningRateSchedule { steps: 1, ..schedule };
        assert!(one_step.rate(0) > 0.0 && one_step.rate(5).is_finite());
    }

    #[test]
    fn steps_converge_to_the_minimum_and_clip() {
        let mut shard = Shard::new(&[1.0, -1.0, 0.5, 0.0], &[0.0; 4], &[0.0; 4], 3..4);
        for step in 0..3000 {
            let slopes: Vec<f32> = shard
                .values
                .iter()
                .zip([0.25, 0.45, 9.0, -9.0])
                .map(|(w, goal)| w - goal)
                .collect();
            shard.update(&slopes, 0.1, 0.01, step);
        }
        for (value, goal) in shard.values.iter().zip([0.25, 0.45, WEIGHT_CLIP, -OUTPUT_WEIGHT_CLIP])
        {
            assert!((value - goal).abs() < 0.01, "{value} {goal}");
        }
        let largest = (WEIGHT_CLIP * QA as f32).round() / QA as f32;
        assert_eq!(f32::from(shard.features[2]), (largest * f32::from(UNIT)).round());
        assert_eq!(shard.outputs, [-OUTPUT_WEIGHT_CLIP]);
    }

    #[test]
    fn parameters_without_a_gradient_decay_to_zero_or_to_those_of_the_initial_network() {
        let shard = || Shard::new(&[1.0, -0.5], &[0.0; 2], &[0.0; 2], 2..2);
        let decayed = |mut shard: Shard| {
            for step in 0..2000 {
                shard.update(&[0.0; 2], 1.0, 0.01, step);
            }
            shard.values
        };
        assert!(decayed(shard()).iter().all(|value| value.abs() < 1e-3));
        let continued = |is_new| {
            let values = &[0.25, 0.45];
            decayed(shard().continued_from(Initial { values, is_new }))
        };
        for (value, target) in continued(&[false; 2]).iter().zip([0.25, 0.45]) {
            assert!((value - target).abs() < 1e-3, "{value} {target}");
        }
        let bounds = [WEIGHT_CLIP, -WEIGHT_CLIP];
        assert_eq!(continued(&[true; 2]), bounds, "a new one stays");
    }

    #[test]
    fn the_forward_pass_sees_quantised_weights_and_exact_output_biases() {
        let values = [0.101, -0.5, 0.101, -0.5, 0.101];
        let shard = |weights| Shard::new(&values, &[0.0; 5], &[0.0; 5], weights);
        let feature = |quanta: i32| to_i16(quanta as f32 / QA as f32);
        assert_eq!(shard(2..4).features, [feature(26), feature(-128)]);
        assert_eq!(shard(2..4).outputs, [13.0 / 128.0, -0.5, 0.101]);
        assert_eq!(shard(7..9).features.len(), 5);
        assert_eq!(shard(0..0).outputs, values);
    }
}
