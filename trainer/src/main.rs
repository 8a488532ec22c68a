//! `saavedra-trainer`: trains a network on self-play games, measures its loss, shows a network
//! file, joins two networks.

mod commands;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Trains Saavedra's NNUE network on self-play games
#[derive(Parser)]
#[command(name = "saavedra-trainer", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Train a network
    Train(commands::train::Train),
    /// Measure the loss of a network on games
    Evaluate(commands::evaluate::Evaluate),
    /// Show the contents of a network file
    Inspect(commands::inspect::Inspect),
    /// Join two networks to one, whose evaluation is the mean of theirs
    Join(commands::join::Join),
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let result = match arguments.command {
        Command::Train(train) => train.run(),
        Command::Evaluate(evaluate) => evaluate.run(),
        Command::Inspect(inspect) => inspect.run(),
        Command::Join(join) => join.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            commands::report(error.message);
            ExitCode::from(error.status)
        }
    }
}

/// Prints an error of `clap` in the form of all errors. `--help` and `--version` are among its
/// errors.
fn usage(error: &clap::Error) -> ExitCode {
    match error.to_string().strip_prefix("error: ") {
        Some(message) => {
            commands::report(message.trim_end());
            ExitCode::from(2)
        }
        None => error.exit(),
    }
}
