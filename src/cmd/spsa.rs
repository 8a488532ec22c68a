//! `spsa`: the parameters of the search as OpenBench takes them for a tuning run.

use super::CommandResult;
use crate::search::params::TUNABLES;
use std::fmt::Write;

/// The learning rate at the end of a run, relative to the step.
const RATE: f64 = 0.002;

/// Prints a line for each parameter: name, type, value, minimum, maximum, step, learning rate.
pub(super) fn run() -> CommandResult {
    let mut text = String::new();
    for parameter in TUNABLES {
        let _ = writeln!(
            text,
            "{}, int, {}, {}, {}, {}, {RATE}",
            parameter.name, parameter.default, parameter.min, parameter.max, parameter.step
        );
    }
    super::print(&text)
}
