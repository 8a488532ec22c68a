//! `saavedra data import`: games of match runners to records.

use super::{LeftOut, create, refuse_standard};
use crate::cmd::files::{Input, Output, located, message};
use crate::cmd::{CommandError, CommandResult, report};
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

#[derive(Default)]
struct ImportCounts {
    games: u64,
    positions: u64,
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
    let (mut counts, mut left_out) = (ImportCounts::default(), LeftOut::default());
    for input in Input::open_all(&arguments.inputs) {
        let input = input?.with_progress();
        import_file(input, arguments.scale, &mut output, &mut counts, &mut left_out)?;
    }
    if counts.games == 0 {
        left_out.result()?;
        return Err(CommandError::Refused("no games found".into()));
    }
    output.finish()?;
    let ImportCounts { games, positions } = counts;
    writeln!(io::stdout(), "{games} games, {positions} positions")?;
    left_out.result()
}

fn import_file(
    input: Input,
    scale: f64,
    output: &mut Output,
    counts: &mut ImportCounts,
    left_out: &mut LeftOut,
) -> CommandResult {
    let (name, reader) = input.into_parts();
    let name = name.as_deref();
    for document in pgn::Reader::new(reader) {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                report(&message(name, &error));
                left_out.count += 1;
                continue;
            }
        };
        for error in &document.errors {
            report(&message(name, error));
            left_out.count += 1;
        }
        match import_game(&document, scale) {
            Ok(game) => {
                counts.games += 1;
                left_out.has_games = true;
                let has_score = |score| score != NO_SCORE;
                let scores = game.plies.iter().filter(|ply| has_score(ply.score));
                counts.positions += scores.count() as u64;
                output.write_all(&game.frame())?;
            }
            Err(error) => {
                report(&located(name, document.location, &error));
                left_out.count += 1;
            }
        }
    }
    Ok(())
}
