//! A plain evaluation in exact integers. Tests compare the optimised evaluations and the trainer's
//! export with it.

use super::arch::{QA, QB, SCALE};
use super::format::Parameters;

/// The evaluation in centipawns from the side to move's view. `us` and `them` are the active
/// features in the perspective of the side to move and of its opponent; `bucket` is the output
/// bucket.
///
/// # Panics
/// If a feature or the bucket is out of range.
pub fn evaluate(network: &Parameters, us: &[usize], them: &[usize], bucket: usize) -> i32 {
    let hidden = network.hidden();
    let weights = &network.output_weights[bucket * 2 * hidden..(bucket + 1) * 2 * hidden];
    let mut sum = 0i64;
    for (features, weights) in [us, them].into_iter().zip(weights.chunks(hidden)) {
        for (&value, &weight) in accumulator(network, features).iter().zip(weights) {
            let clamped = i64::from(value).clamp(0, i64::from(QA));
            sum += clamped * clamped * i64::from(weight);
        }
    }
    let output = sum / i64::from(QA) + i64::from(network.output_bias[bucket]);
    (output * i64::from(SCALE) / i64::from(QA * QB)) as i32
}

/// One perspective's accumulator: the bias plus the weight rows of the active features.
pub fn accumulator(network: &Parameters, features: &[usize]) -> Vec<i16> {
    let hidden = network.hidden();
    let mut values = network.feature_bias.clone();
    for &feature in features {
        let row = &network.feature_weights[feature * hidden..(feature + 1) * hidden];
        for (value, weight) in values.iter_mut().zip(row) {
            *value += i16::from(*weight);
        }
    }
    values
}
