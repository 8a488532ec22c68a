//! `saavedra data import`: games of match runners to records.

use super::{Skipped, create, refuse_standard};
use crate::cmd::documents::InputDocuments;
use crate::cmd::{CommandError, CommandResult};
use crate::data::{FileHeader, NO_SCORE, import_game, network_generation};
use crate::engine;
use crate::eval::wdl::CURVE;
use crate::formats::pgn;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  saavedra data import match.pgn -o match.games")]
pub(super) struct Arguments {
    /// PGN files, folders, patterns, or `-` for standard input. Unusable games are reported and left out.
    #[arg(value_name = "PGN", required = true)]
    inputs: Vec<OsString>,
    /// Output file.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: PathBuf,
    /// Generation of the network that played [default: the embedded network's].
    #[arg(long, value_name = "G")]
    generation: Option<u32>,
    /// Centipawns of the evaluation for a score of 1.00.
    #[arg(long, value_name = "CP", default_value_t = CURVE.even, value_parser = parse_scale)]
    scale: f64,
}

fn parse_scale(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(scale) if (1.0..=10_000.0).contains(&scale) => Ok(scale),
        _ => Err("expected a number from 1 to 10000".into()),
    }
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    refuse_standard(&arguments.output)?;
    let header = FileHeader {
        engine: "imported from PGN".into(),
        nodes: 0,
        generation: match arguments.generation {
            Some(generation) => generation,
            None => network_generation(&engine::embedded_evaluation()?),
        },
        seed: 0,
    };
    let mut output = create(&arguments.output, &header)?;
    let (mut games, mut positions) = (0u64, 0);
    let mut documents = InputDocuments::new(&arguments.inputs);
    documents.format = Some(&pgn::Pgn);
    while let Some(document) = documents.next() {
        match import_game(&document, arguments.scale) {
            Ok(game) => {
                games += 1;
                positions += game.plies.iter().filter(|ply| ply.score != NO_SCORE).count();
                output.write_all(&game.frame())?;
            }
            Err(error) => documents.refuse(document.location, &error),
        }
    }
    let left_out = Skipped { count: documents.errors, has_games: games > 0 };
    if games == 0 {
        left_out.result()?;
        return Err(CommandError::Refused("no games found".into()));
    }
    output.finish()?;
    writeln!(io::stdout(), "{games} games, {positions} positions")?;
    left_out.result()
}
