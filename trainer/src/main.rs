//! `saavedra-trainer`: trains a network on recorded games, shows one, measures speed.

mod commands;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Trains Saavedra's network on its own games
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
    /// Show what a network file holds
    Inspect(commands::inspect::Inspect),
    /// Measure positions per second on random positions
    Speed(commands::speed::Speed),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Train(train) => train.run(),
        Command::Inspect(inspect) => inspect.run(),
        Command::Speed(speed) => speed.run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("saavedra-trainer: {}", failure.message);
            ExitCode::from(failure.status)
        }
    }
}
