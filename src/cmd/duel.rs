//! `saavedra duel`: a match between two evaluations.

use super::datagen::parse_evaluation;
use super::{CommandError, CommandResult, progress};
use crate::data::engine_name;
use crate::selfplay::match_runner::{
    self, MatchConfig, MatchRules, MatchScore, PlayerConfig, PlayerLimit,
};
use clap::builder::RangedU64ValueParser;
use std::io::{self, Write};

const AFTER_HELP: &str = "\
The match is pairs of games from random openings with colours reversed, with the same number of nodes
for every search. An evaluation is `embedded`, `piece-square`, `material`, or a network file.

Examples:
  saavedra duel embedded piece-square --games 2 --nodes 100
  saavedra duel new.nnue embedded --games 1000 --threads 8";

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// First evaluation; the result is from its view.
    first: String,
    /// Second evaluation.
    second: String,
    /// Number of games; an odd number is rounded up.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u64).range(2..=1_000_000))]
    games: u64,
    /// Nodes of a search.
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    nodes: u64,
    /// Number of threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,
    /// Seed of the openings.
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,
}

const RULES: MatchRules = MatchRules { opening_plies: [8, 9], max_plies: 800, adjudicate: true };

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let player = |evaluation: &str| -> Result<PlayerConfig, CommandError> {
        Ok(PlayerConfig {
            evaluation: parse_evaluation(evaluation)?,
            limit: PlayerLimit::Nodes(arguments.nodes),
        })
    };
    let config = MatchConfig {
        players: [player(&arguments.first)?, player(&arguments.second)?],
        rules: RULES,
        pairs: arguments.games.div_ceil(2),
        threads: arguments.threads,
        seed: arguments.seed,
    };
    let [first, second] = [0, 1].map(|i| engine_name(&config.players[i].evaluation));
    super::print_to_stderr(&format_args!("{first} against {second}"));
    let bar = progress::bar(config.pairs, "{bar:30} {pos}/{len} pairs, {msg}, {eta} left");
    let score = match_runner::run(&config, &mut |score| {
        bar.inc(1);
        bar.set_message(text(score));
    })?;
    bar.finish_and_clear();
    let mut out = io::stdout().lock();
    writeln!(out, "pairs with 0, ½, 1, 1½, 2 points: {:?}", score.pairs)?;
    writeln!(out, "{}", text(&score))?;
    Ok(())
}

fn text(score: &MatchScore) -> String {
    let [won, drawn, lost] = score.games;
    let (fraction, width) = score.fraction();
    let [elo, low, high] = score.elo();
    format!(
        "+{won} ={drawn} -{lost}, {:.1} ± {:.1} %, Elo {elo:+.0} [{low:+.0}, {high:+.0}]",
        100.0 * fraction,
        100.0 * width
    )
}
