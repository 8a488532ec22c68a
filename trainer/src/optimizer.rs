//! AdamW (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019) and the learning
//! rate's schedule.

use saavedra::nnue::arch::QB;
use saavedra::nnue::format::MAX_OUTPUT_WEIGHT;

use crate::kernels::UNIT;

/// The hidden layer's weights stay within ± this, so that an accumulator fits its 16 bits …
pub const CLIP: f32 = 1.98;
/// … and the output layer's within ± this, so that the quantised ones fit their integers.
pub const OUTPUT_CLIP: f32 = MAX_OUTPUT_WEIGHT as f32 / QB as f32;
const BETA1: f32 = 0.9;
const BETA2: f32 = 0.999;
const EPSILON: f32 = 1e-8;
/// How fast all parameters shrink, times the learning rate. It keeps the network from learning its
/// positions by heart; `docs/NNUE.md` has what other values gave.
const WEIGHT_DECAY: f32 = 0.1;

/// Learning rate over a run: a linear warm-up over the first half percent, then half a cosine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Schedule {
    /// The highest rate.
    pub highest: f32,
    /// The rate at the end.
    pub lowest: f32,
    /// Steps of the whole run.
    pub steps: u64,
}

impl Schedule {
    /// The rate of a step, counted from 0.
    pub fn rate(&self, step: u64) -> f32 {
        let warm_up = self.steps.div_ceil(200);
        if step < warm_up {
            return self.highest * (step + 1) as f32 / warm_up as f32;
        }
        let done = (step - warm_up) as f64 / (self.steps - warm_up).max(1) as f64;
        let share = 0.5 + 0.5 * (std::f64::consts::PI * done.min(1.0)).cos();
        self.lowest + (self.highest - self.lowest) * share as f32
    }
}

/// A part of the parameters with what the optimizer knows about them.
#[derive(Clone, Debug, PartialEq)]
pub struct Shard {
    /// The parameters.
    pub values: Vec<f32>,
    /// Their 16-bit copies, for the kernels.
    pub copies: Vec<i16>,
    /// Running means of the gradients.
    pub first: Vec<f32>,
    /// Running means of the squared gradients.
    pub second: Vec<f32>,
    /// Where among the parameters those of the output layer begin.
    outputs: usize,
}

impl Shard {
    /// A shard with these parameters and moments, of equal lengths; from place `outputs` on they
    /// belong to the output layer.
    pub fn new(values: &[f32], first: &[f32], second: &[f32], outputs: usize) -> Shard {
        Shard {
            copies: values.iter().map(|&value| copy(value)).collect(),
            values: values.to_vec(),
            first: first.to_vec(),
            second: second.to_vec(),
            outputs: outputs.min(values.len()),
        }
    }

    /// Takes step number `step` (from 0) against `gradient`.
    pub fn update(&mut self, gradient: &[f32], rate: f32, step: u64) {
        let power = i32::try_from(step + 1).unwrap_or(i32::MAX);
        let unbias1 = 1.0 / (1.0 - BETA1.powi(power));
        let unbias2 = 1.0 / (1.0 - BETA2.powi(power));
        let shrink = 1.0 - rate * WEIGHT_DECAY;
        let moments = self.first.iter_mut().zip(&mut self.second);
        let values = self.values.iter_mut().zip(&mut self.copies);
        for (((value, out), (first, second)), &slope) in values.zip(moments).zip(gradient) {
            *first = BETA1 * *first + (1.0 - BETA1) * slope;
            *second = BETA2 * *second + (1.0 - BETA2) * slope * slope;
            let step = rate * unbias1 * *first / ((unbias2 * *second).sqrt() + EPSILON);
            *value = (*value * shrink - step).clamp(-CLIP, CLIP);
            *out = copy(*value);
        }
        let outputs = self.values[self.outputs..].iter_mut();
        for (value, out) in outputs.zip(&mut self.copies[self.outputs..]) {
            *value = value.clamp(-OUTPUT_CLIP, OUTPUT_CLIP);
            *out = copy(*value);
        }
    }
}

/// The 16-bit copy of a parameter: rounded by adding 1.5 · 2^23, which leaves the integer in the
/// low bits of the float.
#[inline(always)]
fn copy(value: f32) -> i16 {
    (value * f32::from(UNIT) + 12_582_912.0).to_bits() as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_rounded() {
        for value in [0.0, 1.0, -1.0, 1.98, -1.98, 0.3, -0.3, 1e-4, -1e-4, 1e-5] {
            assert_eq!(
                f32::from(copy(value)),
                (value * f32::from(UNIT)).round(),
                "{value}"
            );
        }
    }

    #[test]
    fn rate_warms_up_and_falls_to_the_lowest() {
        let schedule = Schedule {
            highest: 1e-3,
            lowest: 1e-5,
            steps: 2000,
        };
        let rates: Vec<f32> = (0..2000).map(|step| schedule.rate(step)).collect();
        assert!(rates[0] > 0.0 && rates[..10].is_sorted());
        assert_eq!(rates[10], 1e-3);
        assert!(rates[10..].is_sorted_by(|a, b| a >= b));
        assert!((rates[1005] - 5.05e-4).abs() < 2e-6 && rates[1999] < 1.01e-5);
        let tiny = Schedule {
            steps: 1,
            ..schedule
        };
        assert!(tiny.rate(0) > 0.0 && tiny.rate(5).is_finite());
    }

    #[test]
    fn steps_lead_to_the_minimum_and_clip() {
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
        for (value, goal) in shard.values.iter().zip([0.25, 0.75, CLIP, -OUTPUT_CLIP]) {
            assert!((value - goal).abs() < 0.01, "{value} {goal}");
        }
        assert_eq!(f32::from(shard.copies[2]), (CLIP * f32::from(UNIT)).round());
    }
}
