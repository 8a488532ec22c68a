//! `saavedra perft`: counts paths of legal moves, or checks suites of such counts.

use super::{Failure, Outcome};
use crate::chess::{Board, perft};

/// What to count.
#[derive(clap::Args)]
pub struct Arguments {
    /// How many plies.
    depth: u32,
    /// The position to count from; the start position if not given.
    #[arg(long)]
    fen: Option<String>,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let board = match &arguments.fen {
        None => Board::start(),
        Some(fen) => Board::from_fen(fen).map_err(|error| Failure::Refused(error.to_string()))?,
    };
    println!("Nodes searched: {}", perft::perft(&board, arguments.depth));
    Ok(())
}
