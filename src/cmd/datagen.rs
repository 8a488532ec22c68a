//! `saavedra datagen`: self-play games as training data.

use super::{CommandError, CommandResult, print_to_stderr, progress};
use crate::data::{engine_name, network_generation};
use crate::engine::{self, EngineError};
use crate::eval::Evaluation;
use crate::nnue::network::Network;
use crate::selfplay::play::GameConfig;
use crate::selfplay::run::{self, RunConfig, RunCounts, RunEvent};
use clap::builder::RangedU64ValueParser;
use indicatif::{HumanCount, HumanDuration, ProgressBar};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const AFTER_HELP: &str = "\
Without --games, --positions and --time it plays until it is interrupted. It can be interrupted at any
time: each game is written as soon as it ends.

Examples:
  saavedra datagen -o data --games 2 --seed 1
  saavedra datagen -o data --time 3600 --threads 8";

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Folder for the game files; games are added to those already there, and none is repeated
    /// [default: $SAAVEDRA_DATA or ~/.local/share/saavedra].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Number of games.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Start no game after this number of positions.
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Start no game after this time in seconds.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    time: Option<Duration>,
    /// Number of threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,
    /// Random seed [default: a new one for each run].
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
    /// Soft node limit of a search; 1000 is better for continuing the training of a strong network.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Maximum size of a file in megabytes.
    #[arg(long, value_name = "MB", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    max_size: u64,
    /// Fraction of the games that start from a random Chess960 position, from 0 to 1.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = parse_fraction)]
    chess960: f64,
    /// Record the principal variation of each search, for `saavedra-trainer train --leaves`; files
    /// are four times as large.
    #[arg(long)]
    pvs: bool,
    /// Generation in the file headers [default: the network's].
    #[arg(long, value_name = "G")]
    generation: Option<u32>,
    /// Evaluation: `embedded`, `piece-square`, `material`, or a network file.
    #[arg(long, value_name = "WHAT", default_value = "embedded")]
    eval: String,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let evaluation = parse_evaluation(&arguments.eval)?;
    let config = RunConfig {
        folder: match &arguments.out {
            Some(folder) => folder.clone(),
            None => default_folder()?,
        },
        game: GameConfig {
            nodes: arguments.nodes,
            chess960: arguments.chess960,
            records_pvs: arguments.pvs,
        },
        generation: arguments.generation.unwrap_or_else(|| network_generation(&evaluation)),
        threads: arguments.threads,
        seed: arguments.seed.unwrap_or_else(|| RandomState::new().hash_one(std::process::id())),
        max_games: arguments.games,
        max_positions: arguments.positions,
        max_time: arguments.time,
        max_file_size: arguments.max_size * 1_000_000,
    };
    let name = engine_name(&evaluation);
    let folder = config.folder.display();
    print_to_stderr(&format_args!("{name} plays into {folder}"));
    let mut progress = RunProgress::new(&config);
    let counts = run::run(&config, &evaluation, &mut |event| match event {
        RunEvent::Start(seed, folder) => {
            for damage in &folder.damage {
                progress.print_line(&format!("saavedra: {damage}"));
            }
            progress.print_line(&format!("seed {seed}"));
        }
        RunEvent::Progress(counts) => progress.update(counts),
    })
    .map_err(CommandError::refused)?;
    progress.bar.finish_and_clear();
    print_summary(&counts, config.threads)?;
    Ok(())
}

fn print_summary(counts: &RunCounts, threads: usize) -> io::Result<()> {
    let [black, draws, white] = counts.results;
    let mean = counts.plies as f64 / counts.games.max(1) as f64;
    let speed = counts.speed();
    let mut out = io::stdout().lock();
    writeln!(out, "games {}", counts.games)?;
    writeln!(out, "positions {}", counts.positions)?;
    writeln!(out, "white won {white}, drawn {draws}, black won {black}")?;
    writeln!(out, "mean length {mean:.1} plies")?;
    writeln!(
        out,
        "{:.1} s, {speed:.0} positions/s, {:.0} a thread",
        counts.time.as_secs_f64(),
        speed / threads as f64
    )
}

/// The evaluation of an argument: `embedded`, `piece-square`, `material`, or a network file.
pub(super) fn parse_evaluation(what: &str) -> Result<Evaluation, CommandError> {
    match what {
        "embedded" => Ok(engine::embedded_evaluation()?),
        "piece-square" => Ok(Evaluation::PieceSquare),
        "material" => Ok(Evaluation::Material),
        path => {
            let refused =
                |error: &dyn std::fmt::Display| CommandError::Refused(format!("{path}: {error}"));
            let bytes = std::fs::read(path).map_err(|error| refused(&error))?;
            let network = Network::load(&bytes).map_err(|error| refused(&error))?;
            let kernel = engine::kernel().map_err(EngineError::from)?;
            Ok(Evaluation::Network(Arc::new(network), kernel))
        }
    }
}

/// The folder of game files if none is given.
pub(super) fn default_folder() -> Result<PathBuf, CommandError> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = variable("SAAVEDRA_DATA") {
        return Ok(folder.into());
    }
    match variable("HOME").or_else(|| variable("USERPROFILE")) {
        Some(home) => Ok(PathBuf::from(home).join(".local/share/saavedra")),
        None => Err(CommandError::Refused(
            "no folder for the game files: use --out or SAAVEDRA_DATA".into(),
        )),
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

fn parse_fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fraction) if (0.0..=1.0).contains(&fraction) => Ok(fraction),
        _ => Err("expected a number from 0 to 1".into()),
    }
}

/// Progress on standard error: a bar on a terminal, otherwise a line at intervals.
struct RunProgress {
    bar: ProgressBar,
    is_terminal: bool,
    config: RunConfig,
    /// The time of the next line.
    next_line: Duration,
}

/// The interval of the lines without a terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(30);

impl RunProgress {
    fn new(config: &RunConfig) -> RunProgress {
        let is_limited = config.max_games.is_some()
            || config.max_positions.is_some()
            || config.max_time.is_some();
        let template = if is_limited { "{bar:30} {msg}" } else { "{spinner} {msg}" };
        RunProgress {
            bar: progress::bar(1000, template),
            is_terminal: io::stderr().is_terminal(),
            config: config.clone(),
            next_line: LINE_INTERVAL,
        }
    }

    fn print_line(&self, line: &str) {
        if self.is_terminal { self.bar.println(line) } else { print_to_stderr(&line) }
    }

    fn update(&mut self, counts: &RunCounts) {
        let done = self.fraction_done(counts);
        let mut line = format!(
            "{} games, {} positions, {:.0} positions/s",
            HumanCount(counts.games),
            HumanCount(counts.positions),
            counts.speed()
        );
        if done > 0.0 {
            let left = counts.time.mul_f64((1.0 / done - 1.0).clamp(0.0, 1e6));
            line += &format!(", {} left", HumanDuration(left));
        }
        if self.is_terminal {
            self.bar.set_position((done * 1000.0) as u64);
            self.bar.set_message(line);
        } else if counts.time >= self.next_line {
            self.next_line = counts.time + LINE_INTERVAL;
            print_to_stderr(&line);
        }
    }

    /// The fraction of the run that is done, from 0 to 1.
    fn fraction_done(&self, counts: &RunCounts) -> f64 {
        let fraction = |done: f64, all: f64| if all > 0.0 { done / all } else { 1.0 };
        let config = &self.config;
        let fractions = [
            config.max_games.map(|max| fraction(counts.games as f64, max as f64)),
            config.max_positions.map(|max| fraction(counts.positions as f64, max as f64)),
            config.max_time.map(|max| fraction(counts.time.as_secs_f64(), max.as_secs_f64())),
        ];
        fractions.into_iter().flatten().fold(0.0, f64::max).min(1.0)
    }
}
