//! The slow, obvious evaluation, in exact integers: the oracle for the fast ones and for the
//! trainer's export.

use super::arch::{QA, QB, SCALE};
use super::format::Parameters;

/// The evaluation in centipawns for the side to move. `own` and `other` are the active inputs
/// as the side to move and as its opponent see them; `bucket` is the output bucket.
///
/// # Panics
/// When an input or the bucket is out of range.
pub fn evaluate(network: &Parameters, own: &[usize], other: &[usize], bucket: usize) -> i32 {
    let hidden = network.hidden();
    let weights = &network.output_weights[bucket * 2 * hidden..(bucket + 1) * 2 * hidden];
    let mut sum = 0i64;
    for (features, weights) in [own, other].into_iter().zip(weights.chunks(hidden)) {
        for (&value, &weight) in accumulator(network, features).iter().zip(weights) {
            let clipped = i64::from(value).clamp(0, i64::from(QA));
            sum += clipped * clipped * i64::from(weight);
        }
    }
    let output = sum / i64::from(QA) + i64::from(network.output_bias[bucket]);
    (output * i64::from(SCALE) / i64::from(QA * QB)) as i32
}

/// The hidden layer of one perspective before its activation: the bias and the sum of the active
/// inputs' rows.
pub fn accumulator(network: &Parameters, features: &[usize]) -> Vec<i16> {
    let hidden = network.hidden();
    let mut values = network.feature_bias.clone();
    for &feature in features {
        let row = &network.feature_weights[feature * hidden..(feature + 1) * hidden];
        for (value, weight) in values.iter_mut().zip(row) {
            *value += weight;
        }
    }
    values
}
