//! AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019,
//! <https://arxiv.org/abs/1711.05101>) and the learning rate schedule.

use saavedra::nnue::arch::QB;
use saavedra::nnue::format::MAX_OUTPUT_WEIGHT;

use crate::gradient::UNIT;

/// Feature weights are clipped to ± this, so that a quantised accumulator fits 16 bits.
pub const WEIGHT_CLIP: f32 = 1.98;
/// Output weights are clipped to ± this, the maximum of quantised ones.
pub const OUTPUT_WEIGHT_CLIP: f32 = MAX_OUTPUT_WEIGHT as f32 / QB as f32;
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// Decoupled weight decay, which reduces overfitting. `docs/NNUE.md` has the validation losses of
/// other values.
const WEIGHT_DECAY: f32 = 0.1;

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
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// The parameters.
    pub values: Vec<f32>,
    /// Their 16-bit copies, for the forward pass.
    pub copies: Vec<i16>,
    /// First moments: running means of the gradients.
    pub first_moments: Vec<f32>,
    /// Second moments: running means of the squared gradients.
    pub second_moments: Vec<f32>,
    /// The index of the first parameter of the output layer.
    output_start: usize,
}

impl Shard {
    /// A shard with these parameters and moments, of equal lengths. From index `output_start` on they
    /// belong to the output layer.
    pub fn new(
        values: &[f32],
        first_moments: &[f32],
        second_moments: &[f32],
        output_start: usize,
    ) -> Shard {
        Shard {
            copies: values.iter().map(|&value| to_i16(value)).collect(),
            values: values.to_vec(),
            first_moments: first_moments.to_vec(),
            second_moments: second_moments.to_vec(),
            output_start: output_start.min(values.len()),
        }
    }

    /// Makes step number `step` (from 0) with this gradient.
    pub fn update(&mut self, gradient: &[f32], learning_rate: f32, step: u64) {
        let power = i32::try_from(step + 1).unwrap_or(i32::MAX);
        let bias_correction1 = 1.0 / (1.0 - BETA1.powi(power));
        let bias_correction2 = 1.0 / (1.0 - BETA2.powi(power));
        let decay = 1.0 - learning_rate * WEIGHT_DECAY;
        let moments = self.first_moments.iter_mut().zip(&mut self.second_moments);
        let values = self.values.iter_mut().zip(&mut self.copies);
        for (((value, copy), (first, second)), &slope) in values.zip(moments).zip(gradient) {
            *first = BETA1 * *first + (1.0 - BETA1) * slope;
            *second = BETA2 * *second + (1.0 - BETA2) * slope * slope;
            let step = learning_rate * bias_correction1 * *first
                / ((bias_correction2 * *second).sqrt() + EPSILON);
            *value = (*value * decay - step).clamp(-WEIGHT_CLIP, WEIGHT_CLIP);
            *copy = to_i16(*value);
        }
        let outputs = self.values[self.output_start..].iter_mut();
        for (value, copy) in outputs.zip(&mut self.copies[self.output_start..]) {
            *value = value.clamp(-OUTPUT_WEIGHT_CLIP, OUTPUT_WEIGHT_CLIP);
            *copy = to_i16(*value);
        }
    }
}

/// The 16-bit copy of a parameter. Adding 1.5 · 2^23 rounds and leaves the integer in the low bits of
/// the float.
#[inline(always)]
fn to_i16(value: f32) -> i16 {
    (value * f32::from(UNIT) + 12_582_912.0).to_bits() as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_rounded() {
        for value in [0.0, 1.0, -1.0, 1.98, -1.98, 0.3, -0.3, 1e-4, -1e-4, 1e-5] {
            assert_eq!(
                f32::from(to_i16(value)),
                (value * f32::from(UNIT)).round(),
                "{value}"
            );
        }
    }

    #[test]
    fn learning_rate_warms_up_and_decays_to_the_minimum() {
        let schedule = LearningRateSchedule {
            max: 1e-3,
            min: 1e-5,
            steps: 2000,
        };
        let rates: Vec<f32> = (0..2000).map(|step| schedule.rate(step)).collect();
        assert!(rates[0] > 0.0 && rates[..10].is_sorted());
        assert_eq!(rates[10], 1e-3);
        assert!(rates[10..].is_sorted_by(|a, b| a >= b));
        assert!((rates[1005] - 5.05e-4).abs() < 2e-6 && rates[1999] < 1.01e-5);
        let one_step = LearningRateSchedule {
            steps: 1,
            ..schedule
        };
        assert!(one_step.rate(0) > 0.0 && one_step.rate(5).is_finite());
    }

    #[test]
    fn steps_converge_to_the_minimum_and_clip() {
        let mut shard = Shard::new(&[1.0, -1.0, 0.5, 0.0], &[0.0; 4], &[0.0; 4], 3);
        for step in 0..3000 {
            let slopes: Vec<f32> = shard
                .values
                .iter()
                .zip([0.25, 0.75, 9.0, -9.0])
                .map(|(w, goal)| w - goal)
                .collect();
            shard.update(&slopes, 0.01, step);
        }
        for (value, goal) in shard
            .values
            .iter()
            .zip([0.25, 0.75, WEIGHT_CLIP, -OUTPUT_WEIGHT_CLIP])
        {
            assert!((value - goal).abs() < 0.01, "{value} {goal}");
        }
        assert_eq!(
            f32::from(shard.copies[2]),
            (WEIGHT_CLIP * f32::from(UNIT)).round()
        );
    }
}
