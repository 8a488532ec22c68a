//! `evaluate`: the loss of a network on games.

use super::{CommandError, CommandResult, Machine};
use saavedra_trainer::load::Filter;
use saavedra_trainer::train::{ValidationLoss, loss};
use std::path::PathBuf;

/// Measure the loss of a network on games
///
/// The loss is the mean squared error in expected points, once against the scores and once against
/// the game results. Unlike validation losses, these figures compare networks that were trained
/// with different WDL lambdas.
#[derive(clap::Args)]
pub(crate) struct Evaluate {
    /// The network file or weights file
    file: PathBuf,
    /// Game files, or folders of them (*.games)
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    #[command(flatten)]
    machine: Machine,
}

impl Evaluate {
    pub(crate) fn run(self) -> CommandResult {
        let (threads, kernel) = (self.machine.threads(), self.machine.kernel()?);
        let model = super::weights(&self.file)?.model;
        let filter = Filter { validation_per_mille: 0, ..Filter::default() };
        let (_, data) = super::load(&self.data, &filter, threads)?;
        if data.train.is_empty() {
            return Err(CommandError::input("no positions"));
        }
        super::print_to_stdout(format_args!(
            "{} positions; pieces: all, to 8, to 16, to 24, to 32",
            data.train.len()
        ))?;
        for (target, wdl) in [("scores", 0.0), ("results", 1.0)] {
            let loss = loss(&model, &data.train, wdl, kernel, threads);
            super::print_to_stdout(line(target, &loss))?;
        }
        Ok(())
    }
}

fn line(target: &str, loss: &ValidationLoss) -> String {
    let classes = loss
        .class_means()
        .map(|mean| if mean.is_nan() { "       -".to_string() } else { format!("{mean:.6}") });
    let classes = classes.join(" ");
    format!("{target:8}{:.6}  {classes}", loss.mean())
}
