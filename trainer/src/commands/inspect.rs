//! `inspect`: the contents of a network file.

use super::{CommandError, CommandResult};
use saavedra::nnue::arch::{ARCH_ID, INPUTS, QA, QB, SCALE};
use saavedra::nnue::format::{Header, MAX_OUTPUT_SUM, Parameters};
use std::fs;
use std::path::PathBuf;

/// Show the contents of a network file
#[derive(clap::Args)]
pub(crate) struct Inspect {
    /// The network file
    file: PathBuf,
}

impl Inspect {
    pub(crate) fn run(self) -> CommandResult {
        let bytes = fs::read(&self.file).map_err(CommandError::file(&self.file))?;
        let header = Header::decode(&bytes).map_err(CommandError::file(&self.file))?;
        let network = Parameters::from_bytes(&bytes).map_err(CommandError::file(&self.file))?;
        super::print_to_stdout(card(&header, &network, bytes.len()))
    }
}

/// The part of a network card that follows from the file alone.
pub(crate) fn card(header: &Header, network: &Parameters, bytes: usize) -> String {
    let (hidden, buckets) = (network.hidden(), network.output_buckets());
    let used = network
        .feature_weights
        .chunks(hidden)
        .filter(|row| row.iter().any(|&weight| weight != 0))
        .count();
    let layer = |name: &str, weights: &[i16], one: i32| {
        let sizes = weights.iter().map(|weight| f64::from(weight.unsigned_abs()));
        let max = sizes.clone().fold(0.0, f64::max);
        let mean = sizes.sum::<f64>() / weights.len() as f64;
        let one = f64::from(one);
        format!(
            "{name:16}{:8} values, mean |w| {:.3}, max |w| {:.3}",
            weights.len(),
            mean / one,
            max / one
        )
    };
    let feature_weights: Vec<i16> = network.feature_weights.iter().map(|&w| w.into()).collect();
    [
        format!("architecture    {ARCH_ID}: ({INPUTS} -> {hidden}) x 2 -> 1 x {buckets}"),
        format!("quantisation    QA {QA}, QB {QB}, scale {SCALE}"),
        format!("generation      {}", header.generation),
        format!("checksum        {:016x}", header.checksum),
        format!("file            {bytes} bytes"),
        layer("feature weights", &feature_weights, QA),
        layer("feature bias", &network.feature_bias, QA),
        layer("output weights", &network.output_weights, QB),
        format!("output bias     {:?} (1.0 is {})", network.output_bias, QA * QB),
        format!("features used   {used} of {INPUTS}"),
        format!(
            "output sum      at most {:.1} % of the range of an i32",
            100.0 * f64::from(network.max_output_sum()) / f64::from(MAX_OUTPUT_SUM)
        ),
    ]
    .join("\n")
}
