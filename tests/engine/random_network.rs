//! Networks with random weights, of the sizes the program was built for.

use std::sync::Arc;

use saavedra::chess::Random;
use saavedra::nnue::arch::{HIDDEN, OUTPUT_BUCKETS};
use saavedra::nnue::format::{
    MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_OUTPUT_SUM, MAX_OUTPUT_WEIGHT, Parameters,
};
use saavedra::nnue::network::Network;

/// Weights about as large as trained ones: accumulator values fall below 0, between 0 and QA, and
/// above QA.
pub(crate) fn ordinary(seed: u64) -> Arc<Network> {
    let mut random = Random::new(seed);
    network(|limit| within(&mut random, limit.min(90)))
}

/// A number from `-limit` to `limit`.
fn within(random: &mut Random, limit: i16) -> i16 {
    (random.below(2 * limit as usize + 1) as i32 - i32::from(limit)) as i16
}

/// All weights at their maximum absolute value.
#[allow(dead_code, reason = "the benchmarks use a part of this file")]
pub(crate) fn extreme(seed: u64) -> Arc<Network> {
    let mut random = Random::new(seed);
    network(|limit| if random.below(2) == 0 { limit } else { -limit })
}

/// A network with weights from `weight`, which gets the maximum absolute value of each.
fn network(mut weight: impl FnMut(i16) -> i16) -> Arc<Network> {
    let mut parameters = Parameters::zero(HIDDEN, OUTPUT_BUCKETS);
    parameters.generation = 1;
    let output_max = MAX_OUTPUT_WEIGHT.min((MAX_OUTPUT_SUM / (2 * HIDDEN as i32)) as i16);
    parameters.feature_weights.fill_with(|| weight(MAX_FEATURE_WEIGHT.into()) as i8);
    // Every other bias is so small that the weights decide.
    for (neuron, bias) in parameters.feature_bias.iter_mut().enumerate() {
        let max = [MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT.into()][neuron % 2];
        *bias = weight(max);
    }
    parameters.output_weights.fill_with(|| weight(output_max));
    parameters.output_bias.fill_with(|| i32::from(weight(1000)) * 10);
    Arc::new(Network::from_parameters(&parameters).expect("weights within their bounds"))
}
