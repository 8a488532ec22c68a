//! `saavedra datagen`: games against itself, recorded for the network to learn from.

use super::{CommandError, CommandResult, progress};
use crate::data::record;
use crate::engine::{self, EngineError};
use crate::eval::Evaluation;
use crate::nnue::network::Network;
use crate::selfplay::play::Rules;
use crate::selfplay::run::{self, Event, Plan, Tally};
use clap::builder::RangedU64ValueParser;
use indicatif::{HumanCount, HumanDuration, ProgressBar};
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// How to play. Without --games, --positions and --time it goes on until it is interrupted, which
/// it may be at any time: each game is written as soon as it is over.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// The folder for the files of games. One that has games already gets more of them, never the
    /// same. [default: $SAAVEDRA_DATA or ~/.local/share/saavedra]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// End after so many games.
    #[arg(long, value_name = "N")]
    games: Option<u64>,
    /// Begin no game after so many positions.
    #[arg(long, value_name = "N")]
    positions: Option<u64>,
    /// Begin no game after so many seconds.
    #[arg(long, value_name = "S", value_parser = seconds)]
    time: Option<Duration>,
    /// How many threads play.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,
    /// The seed of the games; each run has its own if none is given.
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Nodes of a search after which it begins no new iteration.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    nodes: u32,
    /// Begin a new file before one grows larger than so many megabytes.
    #[arg(long, value_name = "MB", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    max_size: u64,
    /// The share of the games, from 0 to 1, that begin from a start position of Chess960.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0, value_parser = share)]
    chess960: f64,
    /// The generation to note in the files. [default: that of the network]
    #[arg(long, value_name = "G")]
    generation: Option<u32>,
    /// What to evaluate with: `embedded`, `piece-square`, `material`, or a network's file.
    #[arg(long, value_name = "WHAT", default_value = "embedded")]
    eval: String,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let evaluation = evaluation(&arguments.eval)?;
    let plan = Plan {
        folder: match &arguments.out {
            Some(folder) => folder.clone(),
            None => default_folder()?,
        },
        rules: Rules {
            nodes: arguments.nodes,
            chess960: arguments.chess960,
        },
        generation: arguments
            .generation
            .unwrap_or_else(|| record::generation(&evaluation)),
        threads: arguments.threads,
        seed: arguments
            .seed
            .unwrap_or_else(|| RandomState::new().hash_one(std::process::id())),
        games: arguments.games,
        positions: arguments.positions,
        time: arguments.time,
        max_size: arguments.max_size * 1_000_000,
    };
    let name = record::engine_name(&evaluation);
    eprintln!("{name} plays into {}", plan.folder.display());
    let mut progress = Progress::new(&plan);
    let tally = run::run(&plan, &evaluation, &mut |event| match event {
        Event::Begin(seed, found) => {
            for fault in &found.faults {
                progress.say(&fault.to_string());
            }
            progress.say(&format!("seed {seed}"));
        }
        Event::Progress(tally) => progress.show(tally),
    })
    .map_err(|error| CommandError::Refused(error.to_string()))?;
    progress.bar.finish_and_clear();
    summary(&tally, plan.threads)?;
    Ok(())
}

fn summary(tally: &Tally, threads: usize) -> io::Result<()> {
    let [black, draws, white] = tally.results;
    let mean = tally.plies as f64 / tally.games.max(1) as f64;
    let speed = tally.speed();
    let mut out = io::stdout().lock();
    writeln!(out, "games {}", tally.games)?;
    writeln!(out, "positions {}", tally.positions)?;
    writeln!(out, "white won {white}, drawn {draws}, black won {black}")?;
    writeln!(out, "mean length {mean:.1} plies")?;
    writeln!(
        out,
        "{:.1} s, {speed:.0} positions/s, {:.0} a thread",
        tally.time.as_secs_f64(),
        speed / threads as f64
    )
}

/// The evaluation that `--eval` names.
pub(super) fn evaluation(what: &str) -> Result<Evaluation, CommandError> {
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

/// Where games are kept if nothing else is said.
pub(super) fn default_folder() -> Result<PathBuf, CommandError> {
    let variable = |name| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(folder) = variable("SAAVEDRA_DATA") {
        return Ok(folder.into());
    }
    match variable("HOME").or_else(|| variable("USERPROFILE")) {
        Some(home) => Ok(PathBuf::from(home).join(".local/share/saavedra")),
        None => Err(CommandError::Refused(
            "no folder for the games: give one with --out or in SAAVEDRA_DATA".into(),
        )),
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected seconds".to_owned())?;
    Duration::try_from_secs_f64(number).map_err(|error| error.to_string())
}

fn share(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("expected a share from 0 to 1".into()),
    }
}

/// A bar on a terminal; elsewhere a line now and then.
struct Progress {
    bar: ProgressBar,
    on_terminal: bool,
    limits: Plan,
    /// When the next line is due.
    due: Duration,
}

/// How often there is a line where there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(30);

impl Progress {
    fn new(plan: &Plan) -> Progress {
        let on_terminal = io::stderr().is_terminal();
        let endless = plan.games.is_none() && plan.positions.is_none() && plan.time.is_none();
        let template = match endless {
            true => "{spinner} {msg}",
            false => "{bar:30} {msg}",
        };
        Progress {
            bar: progress::bar(1000, template),
            on_terminal,
            limits: plan.clone(),
            due: LINE_EVERY,
        }
    }

    fn say(&self, line: &str) {
        match self.on_terminal {
            true => self.bar.println(line),
            false => eprintln!("{line}"),
        }
    }

    fn show(&mut self, tally: &Tally) {
        let share = self.done(tally);
        let mut line = format!(
            "{} games, {} positions, {:.0} positions/s",
            HumanCount(tally.games),
            HumanCount(tally.positions),
            tally.speed()
        );
        if share > 0.0 {
            let left = tally.time.mul_f64((1.0 / share - 1.0).clamp(0.0, 1e6));
            line += &format!(", {} left", HumanDuration(left));
        }
        if self.on_terminal {
            self.bar.set_position((share * 1000.0) as u64);
            self.bar.set_message(line);
        } else if tally.time >= self.due {
            self.due = tally.time + LINE_EVERY;
            eprintln!("{line}");
        }
    }

    /// The share of the plan that is done.
    fn done(&self, tally: &Tally) -> f64 {
        let part = |done: f64, all: f64| if all > 0.0 { done / all } else { 1.0 };
        let plan = &self.limits;
        let games = plan.games.map(|all| part(tally.games as f64, all as f64));
        let positions = plan
            .positions
            .map(|all| part(tally.positions as f64, all as f64));
        let time = plan
            .time
            .map(|all| part(tally.time.as_secs_f64(), all.as_secs_f64()));
        let parts = [games, positions, time];
        parts.into_iter().flatten().fold(0.0, f64::max).min(1.0)
    }
}
