//! The difference between a network file and the floats of its training.

use saavedra::data::statistics::sigmoid;
use saavedra::nnue::arch::SCALE;
use saavedra::nnue::format::Parameters;
use saavedra::nnue::reference;

use crate::model::Model;
use crate::sample::Sample;

/// The difference between the evaluation of a network file and of the training, in centipawns
/// over some positions. The training sees quantised weights: the rest comes from integer
/// arithmetic.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QuantisationError {
    /// Positions compared.
    pub positions: usize,
    /// The mean absolute difference.
    pub mean: f64,
    /// The maximum absolute difference.
    pub max: f64,
    /// The mean absolute evaluation.
    pub mean_evaluation: f64,
    /// The mean squared difference in expected points: about what quantisation adds to the loss.
    pub loss: f64,
}

impl QuantisationError {
    /// Whether the mean is at most 2 centipawns plus 0.5 % of the mean evaluation.
    pub fn is_small(&self) -> bool {
        self.mean <= 2.0 + 0.005 * self.mean_evaluation
    }
}

/// Compares the quantised network, evaluated by the engine's reference, with the forward pass of
/// the training.
pub fn measure(model: &Model, quantised: &Parameters, samples: &[Sample]) -> QuantisationError {
    let mut error = QuantisationError { positions: samples.len(), ..QuantisationError::default() };
    let model = model.quantised();
    for sample in samples {
        let [us, them] = sample.feature_lists();
        let bucket = sample.bucket(model.shape.buckets);
        let float = model.evaluate(&us, &them, bucket) * f64::from(SCALE);
        let integer = f64::from(reference::evaluate(quantised, &us, &them, bucket));
        let difference = (float - integer).abs();
        error.mean += difference / samples.len() as f64;
        error.max = error.max.max(difference);
        error.mean_evaluation += integer.abs() / samples.len() as f64;
        let difference = sigmoid(float) - sigmoid(integer);
        error.loss += difference.powi(2) / samples.len() as f64;
    }
    error
}
