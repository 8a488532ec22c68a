//! `saavedra duel`: two evaluations play each other.

use super::datagen::evaluation;
use super::{CommandError, CommandResult, progress};
use crate::data::record::engine_name;
use crate::selfplay::duel::{self, Duel, Standing};
use clap::builder::RangedU64ValueParser;
use std::io::{self, Write};

/// Pairs of games from random beginnings, colours changed, the same number of nodes for every
/// move. A side is `embedded`, `piece-square`, `material`, or a network's file.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The first side, from whose view the result is told.
    first: String,
    /// The second side.
    second: String,
    /// How many games; an odd number is rounded up.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    games: u64,
    /// Nodes of each search.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// How many threads play.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,
    /// The seed of the beginnings.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let duel = Duel {
        sides: [
            evaluation(&arguments.first)?,
            evaluation(&arguments.second)?,
        ],
        nodes: arguments.nodes,
        pairs: arguments.games.div_ceil(2),
        threads: arguments.threads,
        seed: arguments.seed,
    };
    let [first, second] = &duel.sides;
    eprintln!("{} against {}", engine_name(first), engine_name(second));
    let bar = progress::bar(duel.pairs, "{bar:30} {pos}/{len} pairs, {msg}, {eta} left");
    let standing = duel::run(&duel, &mut |standing| {
        bar.inc(1);
        bar.set_message(text(standing));
    })
    .map_err(|error| CommandError::Refused(error.to_string()))?;
    bar.finish_and_clear();
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "pairs with 0, ½, 1, 1½, 2 points: {:?}",
        standing.pairs
    )?;
    writeln!(out, "{}", text(&standing))?;
    Ok(())
}

fn text(standing: &Standing) -> String {
    let [won, drawn, lost] = standing.games;
    let (share, width) = standing.share();
    let [elo, low, high] = standing.elo();
    format!(
        "+{won} ={drawn} -{lost}, {:.1} ± {:.1} %, Elo {elo:+.0} [{low:+.0}, {high:+.0}]",
        100.0 * share,
        100.0 * width
    )
}
