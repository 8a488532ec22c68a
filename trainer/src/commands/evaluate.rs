//! `evaluate`: the loss of a network on games, and how it agrees with their results.

use super::{CommandError, CommandResult, Machine};
use saavedra::data::statistics::Correlation;
use saavedra_trainer::load::Filter;
use saavedra_trainer::train::{ValidationLoss, agreement, loss};
use std::path::PathBuf;

/// Measure the loss of a network on games
///
/// The loss is the mean squared error in expected points, once against the scores and once against
/// the game results. Unlike validation losses, these figures compare networks that were trained
/// with different WDL lambdas.
///
/// Then come the correlation of expected points with the points of the result, and the slope of the
/// line that predicts the result from them: above 1 if they are too close to a draw, below 1 if too far
/// from it. Both are given for the network and for the recorded scores.
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
            super::print_to_stdout(loss_line(target, &loss))?;
        }
        let agreement = agreement(&model, &data.train, kernel, threads);
        let figures = [
            ("correlation with results", Correlation::coefficient as Figure),
            ("slope of results", Correlation::slope),
        ];
        for (title, figure) in figures {
            super::print_to_stdout(title)?;
            for (name, classes) in [("network", agreement.network), ("scores", agreement.scores)] {
                let mut all = Correlation::default();
                classes.iter().for_each(|class| all.merge(class));
                super::print_to_stdout(line(name, figure(&all), classes.each_ref().map(figure)))?;
            }
        }
        Ok(())
    }
}

/// A figure of a correlation; none if it is not defined.
type Figure = fn(&Correlation) -> Option<f64>;

fn loss_line(target: &str, loss: &ValidationLoss) -> String {
    let defined = |mean: f64| Some(mean).filter(|mean| !mean.is_nan());
    line(target, defined(loss.mean()), loss.class_means().map(defined))
}

/// A name, a figure for all positions and one for each class of piece counts.
fn line(name: &str, all: Option<f64>, classes: [Option<f64>; 4]) -> String {
    let text = |figure: Option<f64>| match figure {
        Some(figure) => format!("{figure:.6}"),
        None => "       -".to_string(),
    };
    format!("{name:8}{}  {}", text(all), classes.map(text).join(" "))
}
