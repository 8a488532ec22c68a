//! The commands beside UCI, one file each.
//!
//! With the feature `cli` there is one for every need of a person at a terminal, parsed by `clap`;
//! adding one is a file here and a row in `Command`. Without it there are `bench`, `genfens`,
//! `--version` and `--help`.
//!
//! Results go to stdout, errors to stderr as `saavedra: FILE:LINE:COLUMN: message` (what is known
//! of it). Status 0: done; 1: it ran and a check failed; 2: usage or input refused.

#[cfg(feature = "cli")]
mod analyse;
#[cfg(feature = "cli")]
mod book;
#[cfg(feature = "cli")]
mod convert;
#[cfg(feature = "cli")]
mod data;
#[cfg(feature = "cli")]
mod datagen;
#[cfg(feature = "cli")]
mod doctor;
#[cfg(feature = "cli")]
mod duel;
#[cfg(feature = "cli")]
mod explain;
#[cfg(feature = "cli")]
mod files;
mod genfens;
#[cfg(feature = "cli")]
mod levels;
#[cfg(feature = "cli")]
mod perft;
#[cfg(feature = "cli")]
mod play;
#[cfg(feature = "cli")]
mod progress;
#[cfg(feature = "cli")]
mod replay;
#[cfg(feature = "cli")]
mod show;
#[cfg(feature = "cli")]
mod terminal;

use crate::engine::{EngineError, OPTIONS, OptionKind};
use std::io::Write;
use std::process::ExitCode;

/// Why a command did not end well.
#[derive(Debug)]
pub enum Failure {
    /// It ran, and a check failed (status 1). What there is to say has been printed.
    Check,
    /// Usage or input was refused (status 2), for this reason.
    Refused(String),
    /// Input was refused (status 2). What there is to say has been printed.
    Told,
    /// Whoever read standard output has had enough (status 0).
    Closed,
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Refused(error.to_string()),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        Failure::Refused(error.to_string())
    }
}

/// How a command ends.
pub type Outcome = Result<(), Failure>;

/// Runs the command that the arguments (without the program's name) ask for, or the UCI session
/// if there are none.
pub fn run(arguments: &[String]) -> ExitCode {
    start_log();
    let outcome = match arguments.first().map(String::as_str) {
        None => crate::uci::run().map_err(Failure::from),
        #[cfg(not(feature = "cli"))]
        Some("bench") if arguments.len() == 1 => bench(),
        // One argument with spaces; the word `quit` may follow.
        Some(command) if command.starts_with("genfens") => genfens::run(command),
        #[cfg(feature = "cli")]
        _ => run_cli(arguments),
        #[cfg(not(feature = "cli"))]
        Some("--version" | "-V") => {
            println!("saavedra {}", env!("CARGO_PKG_VERSION"));
            Ok(())
        }
        #[cfg(not(feature = "cli"))]
        Some("--help" | "-h") => {
            println!("A UCI chess engine. Without an argument it speaks UCI.\n");
            println!(
                "Arguments: bench, genfens, --version, --help\n\n{}",
                options_help()
            );
            Ok(())
        }
        #[cfg(not(feature = "cli"))]
        _ => Err(Failure::Refused("unknown argument".into())),
    };
    match outcome {
        Ok(()) | Err(Failure::Closed) => ExitCode::SUCCESS,
        Err(Failure::Check) => ExitCode::from(1),
        Err(Failure::Told) => ExitCode::from(2),
        Err(Failure::Refused(message)) => {
            eprintln!("saavedra: {message}");
            ExitCode::from(2)
        }
    }
}

/// From now on, what the environment variable `RUST_LOG` asks for goes to stderr; without it nothing.
fn start_log() {
    let environment = env_logger::Env::default().default_filter_or("off");
    // Whoever runs commands from a program with a log of its own keeps that.
    let _ = env_logger::try_init_from_env(environment);
}

/// Searches fixed positions; the last line tells how many nodes that takes, and how fast they were.
fn bench() -> Outcome {
    let text = crate::engine::bench::text()?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}

/// The UCI options as a list for people.
fn options_help() -> String {
    let mut text = String::from("UCI options:\n");
    for option in OPTIONS {
        let values = match option.kind {
            OptionKind::Check { default } => format!("true or false, default {default}"),
            OptionKind::Spin { default, min, max } => format!("{min} to {max}, default {default}"),
            OptionKind::Text { default: "" } => "text".to_owned(),
            OptionKind::Text { default } => format!("text, default {default}"),
            OptionKind::Button => "button".to_owned(),
        };
        text.push_str(&format!(
            "  {} ({values})\n      {}\n",
            option.name, option.help
        ));
    }
    text
}

#[cfg(feature = "cli")]
#[derive(clap::Parser)]
#[command(
    name = "saavedra",
    version,
    about = "A UCI chess engine. Without a command it speaks UCI.",
    after_help = options_help()
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands, a row each.
#[cfg(feature = "cli")]
#[derive(clap::Subcommand)]
enum Command {
    /// Searches fixed positions; ends with `N nodes M nps`. N is the same on every machine.
    Bench,
    /// Makes opening books and shows what is in them.
    Book(book::Arguments),
    /// Looks at recorded games, and makes new files of them.
    Data(data::Arguments),
    /// Plays games against itself and records them for the network to learn from.
    Datagen(datagen::Arguments),
    /// Says what machine this is and what is made of it, and checks that all is well.
    Doctor(doctor::Arguments),
    /// Lets two evaluations play each other, to see which is stronger.
    Duel(duel::Arguments),
    /// Replays a recorded conversation with a GUI and shows where the answers differ.
    Replay(replay::Arguments),
    /// Measures the weaker strengths against each other, and their mistakes.
    Levels(levels::Arguments),
    /// Counts the paths of legal moves to a depth, or checks a suite of such counts.
    Perft(perft::Arguments),
    /// Shows positions: the board, legal moves, checks, pins and status.
    Show(show::Arguments),
    /// Converts positions and games from one format to another.
    Convert(convert::Arguments),
    /// Judges games move by move, looks at positions, scores test suites.
    Analyse(analyse::Arguments),
    /// Tells why a move: the best line, refutation, threat, worth of pieces.
    Explain(explain::Arguments),
    /// Plays a game with you in the terminal.
    Play(play::Arguments),
}

#[cfg(feature = "cli")]
fn run_cli(arguments: &[String]) -> Outcome {
    use clap::Parser;
    let name = std::iter::once("saavedra".to_owned());
    let cli = Cli::try_parse_from(name.chain(arguments.iter().cloned())).map_err(refused_usage)?;
    match cli.command {
        Command::Bench => bench(),
        Command::Data(arguments) => data::run(&arguments),
        Command::Book(arguments) => book::run(&arguments),
        Command::Datagen(arguments) => datagen::run(&arguments),
        Command::Duel(arguments) => duel::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Levels(arguments) => levels::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Analyse(arguments) => analyse::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
    }
}

/// Wrong usage in our words; help and the version, which are no errors, are printed and end it all.
#[cfg(feature = "cli")]
fn refused_usage(error: clap::Error) -> Failure {
    match error.to_string().strip_prefix("error: ") {
        Some(message) => Failure::Refused(message.trim_end().to_owned()),
        None => error.exit(),
    }
}
