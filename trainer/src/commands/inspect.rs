//! `inspect`: the card of a network.

use super::Failure;
use saavedra::nnue::arch::{ARCH_ID, INPUTS, QA, QB, SCALE};
use saavedra::nnue::format::{Header, MAX_OUTPUT_SUM, Parameters};
use std::fs;
use std::path::PathBuf;

/// Show what a network file holds
#[derive(clap::Args)]
pub(crate) struct Inspect {
    /// The network
    file: PathBuf,
}

impl Inspect {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let bytes = fs::read(&self.file).map_err(Failure::file(&self.file))?;
        let header = Header::decode(&bytes).map_err(Failure::file(&self.file))?;
        let network = Parameters::from_bytes(&bytes).map_err(Failure::file(&self.file))?;
        println!("{}", card(&header, &network, bytes.len()));
        Ok(())
    }
}

/// What there is to know from the file alone.
pub(crate) fn card(header: &Header, network: &Parameters, bytes: usize) -> String {
    let (hidden, buckets) = (network.hidden(), network.output_buckets());
    let sum = |weights: &[i16]| weights.iter().map(|&w| i32::from(w).abs()).sum::<i32>();
    let largest_sum = network
        .output_weights
        .chunks(2 * hidden)
        .map(sum)
        .max()
        .unwrap_or(0);
    let used = network
        .feature_weights
        .chunks(hidden)
        .filter(|row| sum(row) > 0)
        .count();
    let layer = |name: &str, words: &[i16], unit: i32| {
        let largest = words
            .iter()
            .map(|word| word.unsigned_abs())
            .max()
            .unwrap_or(0);
        let mean = f64::from(sum_of(words)) / words.len() as f64;
        let unit = f64::from(unit);
        format!(
            "{name:16}{:8} numbers, mean size {:.3}, largest {:.3}",
            words.len(),
            mean / unit,
            f64::from(largest) / unit
        )
    };
    [
        format!("architecture    {ARCH_ID}: ({INPUTS} -> {hidden}) x 2 -> 1 x {buckets}"),
        format!("quantisation    QA {QA}, QB {QB}, scale {SCALE}"),
        format!("generation      {}", header.generation),
        format!("checksum        {:016x}", header.checksum),
        format!("file            {bytes} bytes"),
        layer("feature weights", &network.feature_weights, QA),
        layer("feature bias", &network.feature_bias, QA),
        layer("output weights", &network.output_weights, QB),
        format!("output bias     {:?} (of {})", network.output_bias, QA * QB),
        format!("inputs used     {used} of {INPUTS}"),
        format!(
            "output sum      at most {:.1} % of what 32 bits allow",
            100.0 * f64::from(largest_sum) / f64::from(MAX_OUTPUT_SUM)
        ),
    ]
    .join("\n")
}

fn sum_of(words: &[i16]) -> u32 {
    words
        .iter()
        .map(|word| u32::from(word.unsigned_abs()))
        .sum()
}
