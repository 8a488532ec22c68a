//! From floats to the file that plays, with a check that little was lost.

use saavedra::nnue::arch::SCALE;
use saavedra::nnue::features::MAX_ACTIVE_FEATURES;
use saavedra::nnue::format::Parameters;
use saavedra::nnue::reference;

use crate::model::Model;
use crate::sample::{Sample, sigmoid};

/// How far the integers are from the floats, in centipawns over some positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Positions compared.
    pub positions: usize,
    /// The mean of the differences' sizes.
    pub mean: f64,
    /// The largest difference.
    pub largest: f64,
    /// The mean size of the evaluation itself.
    pub mean_evaluation: f64,
    /// The mean square of the differences in expected points: about what rounding adds to the loss.
    pub loss: f64,
}

impl Difference {
    /// Whether rounding did no harm: 5 centipawns on average, and 2 % of what the evaluation says
    /// where that is much.
    pub fn is_small(&self) -> bool {
        self.mean <= 5.0 + 0.02 * self.mean_evaluation
    }
}

/// Compares the exported network, by the engine's reference evaluation, with the floats.
pub fn compare(model: &Model, exported: &Parameters, samples: &[Sample]) -> Difference {
    let mut difference = Difference {
        positions: samples.len(),
        ..Difference::default()
    };
    for sample in samples {
        let (mut own, mut other) = ([0; MAX_ACTIVE_FEATURES], [0; MAX_ACTIVE_FEATURES]);
        let count = sample.features(&mut own, &mut other);
        let wide = |inputs: [u16; MAX_ACTIVE_FEATURES]| {
            inputs[..count].iter().map(|&i| i.into()).collect()
        };
        let (own, other): (Vec<usize>, Vec<usize>) = (wide(own), wide(other));
        let bucket = sample.bucket(model.shape.buckets);
        let float = model.evaluate(&own, &other, bucket) * f64::from(SCALE);
        let integer = f64::from(reference::evaluate(exported, &own, &other, bucket));
        let apart = (float - integer).abs();
        difference.mean += apart / samples.len() as f64;
        difference.largest = difference.largest.max(apart);
        difference.mean_evaluation += integer.abs() / samples.len() as f64;
        let expected = |score: f64| f64::from(sigmoid((score / f64::from(SCALE)) as f32));
        difference.loss += (expected(float) - expected(integer)).powi(2) / samples.len() as f64;
    }
    difference
}
