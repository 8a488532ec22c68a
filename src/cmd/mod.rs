//! The command line: one file for each command.
//!
//! With the feature `cli` the commands are parsed by `clap`; a new command is a new file here and a
//! new variant of `Command`. Without the feature there are only `bench`, `genfens`, `--version`,
//! `--help` and, with the feature `tune`, `spsa`.
//!
//! Results go to stdout. Errors go to stderr as `saavedra: FILE:LINE:COLUMN: message`, with the
//! parts of the position that are known. The exit status is 0 for success, 1 if the command ran and
//! a check failed, 2 if usage or input was refused, 3 if the output is complete but some games or
//! lines of the input were left out, 130 if a signal interrupted it.

#[cfg(feature = "cli")]
mod analyse;
#[cfg(feature = "cli")]
mod book;
#[cfg(feature = "cli")]
mod compressed;
#[cfg(feature = "cli")]
mod convert;
#[cfg(feature = "cli")]
mod data;
#[cfg(feature = "cli")]
mod datagen;
#[cfg(feature = "cli")]
mod doctor;
#[cfg(feature = "cli")]
mod documents;
#[cfg(feature = "cli")]
mod duel;
#[cfg(feature = "cli")]
mod explain;
#[cfg(feature = "cli")]
mod files;
mod genfens;
#[cfg(feature = "cli")]
mod interrupt;
#[cfg(feature = "cli")]
#[cfg(feature = "cli")]
mod perft;
#[cfg(feature = "cli")]
mod play;
#[cfg(feature = "cli")]
mod progress;
#[cfg(feature = "cli")]
mod puzzles;
#[cfg(feature = "cli")]
mod replay;
#[cfg(feature = "cli")]
mod show;
#[cfg(feature = "tune")]
mod spsa;
#[cfg(feature = "cli")]
mod terminal;

#[cfg(feature = "cli")]
pub use analyse::game_as_json;
#[cfg(feature = "cli")]
pub use compressed::open_games;
#[cfg(feature = "cli")]
pub use explain::{asked_in_game, explanation_as_json};
#[cfg(feature = "cli")]
pub use puzzles::puzzles_as_json;

use crate::engine::EngineError;
use crate::uci::{OPTIONS, OptionKind};
use std::ffi::OsStr;
use std::fmt::Display;
use std::io::Write;
use std::path::Path;

/// Why a command failed.
#[derive(Debug)]
pub enum CommandError {
    /// The command ran and a check failed (status 1). The details have been printed.
    CheckFailed,
    /// Usage or input was refused (status 2), with the message to print.
    Refused(String),
    /// Input was refused (status 2). The details have been printed.
    Reported,
    /// The output is complete, but parts of the input were left out (status 3). The details have
    /// been printed.
    Skipped,
    /// The reader of standard output has closed it (status 0).
    BrokenPipe,
}

impl From<std::io::Error> for CommandError {
    fn from(error: std::io::Error) -> CommandError {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => CommandError::BrokenPipe,
            _ => CommandError::refused(error),
        }
    }
}

impl From<EngineError> for CommandError {
    fn from(error: EngineError) -> CommandError {
        CommandError::refused(error)
    }
}

impl CommandError {
    /// Input was refused, for this reason.
    fn refused(reason: impl Display) -> CommandError {
        CommandError::Refused(reason.to_string())
    }

    /// Prints the reason of a refusal, if it has not been printed.
    fn report(&self) {
        if let CommandError::Refused(message) = self {
            report(message);
        }
    }
}

/// The result of a command.
pub type CommandResult = Result<(), CommandError>;

/// Runs the command that the arguments name, or the UCI session if there are no arguments. Returns
/// the exit status. `program` is the path of this program, for the command `replay`.
#[cfg_attr(not(feature = "cli"), expect(unused_variables, reason = "only `replay` uses it"))]
pub fn run(program: &Path, arguments: &[impl AsRef<OsStr>]) -> u8 {
    start_log();
    let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).collect();
    let result = match arguments.first().map(|first| first.to_str().unwrap_or_default()) {
        None => crate::uci::run().map_err(CommandError::from),
        #[cfg(not(feature = "cli"))]
        Some("bench") if arguments.len() == 1 => bench(),
        // OpenBench passes one argument with spaces; `quit` may follow.
        Some(command) if command.starts_with("genfens") => genfens::run(command),
        #[cfg(feature = "tune")]
        Some("spsa") if arguments.len() == 1 => spsa::run(),
        #[cfg(feature = "cli")]
        _ => run_cli(program, &arguments),
        #[cfg(not(feature = "cli"))]
        Some("--version" | "-V") => print(&format!("saavedra {}\n", env!("CARGO_PKG_VERSION"))),
        #[cfg(not(feature = "cli"))]
        Some("--help" | "-h") => print(&format!(
            "A UCI chess engine. Without arguments it runs as a UCI engine.\n\n\
             Arguments: bench, genfens, --version, --help\n\n{}\n",
            options_help()
        )),
        #[cfg(not(feature = "cli"))]
        _ => Err(CommandError::Refused("unknown argument".into())),
    };
    let Err(error) = result else { return 0 };
    error.report();
    match error {
        CommandError::BrokenPipe => 0,
        CommandError::CheckFailed => 1,
        CommandError::Reported | CommandError::Refused(_) => 2,
        CommandError::Skipped => 3,
    }
}

/// The result of a command that has reported whether it refused a part of its input, and has written
/// output or not.
#[cfg(feature = "cli")]
fn left_out(refused: bool, has_output: bool) -> CommandResult {
    match (refused, has_output) {
        (false, _) => Ok(()),
        (true, true) => Err(CommandError::Skipped),
        (true, false) => Err(CommandError::Reported),
    }
}

/// Writes an error or a warning to standard error: `saavedra: message`.
fn report(message: &dyn Display) {
    print_to_stderr(&format_args!("saavedra: {message}"));
}

/// Writes a line to standard error. That nobody reads it must not end the command.
fn print_to_stderr(line: &dyn Display) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Starts logging to stderr at the level of the environment variable `RUST_LOG`, by default off.
fn start_log() {
    let environment = env_logger::Env::default().default_filter_or("off");
    // This fails if the calling program has its own logger, which then stays.
    let _ = env_logger::try_init_from_env(environment);
}

/// Searches fixed positions and prints the number of nodes and the speed on the last line.
fn bench() -> CommandResult {
    let text = crate::engine::bench::text()?;
    writeln!(std::io::stdout(), "{text}")?;
    Ok(())
}

/// The list of UCI options for `--help`.
fn options_help() -> String {
    let mut text = String::from("UCI options:\n");
    for option in OPTIONS.iter().filter(|option| option.is_available) {
        let values = match option.kind {
            OptionKind::Check { default } => format!("true or false, default {default}"),
            OptionKind::Spin { default, min, max } => format!("{min} to {max}, default {default}"),
            OptionKind::Text { default: "" } => "text".to_owned(),
            OptionKind::Text { default } => format!("text, default {default}"),
            OptionKind::Button => "button".to_owned(),
        };
        text.push_str(&format!("  {} ({values})\n      {}\n", option.name, option.help));
    }
    text
}

#[cfg(feature = "cli")]
#[derive(clap::Parser)]
#[command(
    name = "saavedra",
    version,
    about = "A UCI chess engine. Without a command it runs as a UCI engine.",
    after_help = options_help()
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

/// The command line, for manual pages and shell completions.
#[cfg(feature = "cli")]
pub fn command_line() -> clap::Command {
    <Cli as clap::CommandFactory>::command()
}

/// The commands.
#[cfg(feature = "cli")]
#[derive(clap::Subcommand)]
enum Command {
    /// Search fixed positions and end with `N nodes M nps`; N is the same on every machine.
    #[command(after_help = "Examples:\n  saavedra bench")]
    Bench,
    /// Count the leaf nodes of the legal move tree, or check a suite of such counts.
    Perft(perft::Arguments),
    /// Show positions: board, legal moves, checks, pins and status.
    Show(show::Arguments),
    /// Convert positions and games from one format to another.
    Convert(convert::Arguments),
    /// Analyse games and positions, and run test suites.
    Analyse(analyse::Arguments),
    /// Explain a position and its moves in a few sentences.
    Explain(explain::Arguments),
    /// Make exercises from games.
    Puzzles(puzzles::Arguments),
    /// Play a game in the terminal.
    Play(play::Arguments),
    /// Make and inspect opening books.
    Book(book::Arguments),
    /// Play games against itself and record them as training data.
    Datagen(datagen::Arguments),
    /// Inspect, check, import, filter, shuffle, merge and relabel training data.
    Data(data::Arguments),
    /// Play a match between two evaluations.
    Duel(duel::Arguments),
    /// Show the system information and check that the program works correctly.
    Doctor(doctor::Arguments),
    /// Replay the log of a UCI session and show where the answers differ.
    Replay(replay::Arguments),
}

#[cfg(feature = "cli")]
fn run_cli(program: &Path, arguments: &[&OsStr]) -> CommandResult {
    use clap::Parser;
    let name = std::iter::once(OsStr::new("saavedra"));
    let words = name.chain(arguments.iter().copied());
    let cli = match Cli::try_parse_from(words) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let Some(command) = cli.command else {
        return Ok(crate::uci::run()?);
    };
    match command {
        Command::Bench => bench(),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Show(arguments) => show::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Analyse(arguments) => analyse::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments),
        Command::Puzzles(arguments) => puzzles::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Book(arguments) => book::run(&arguments),
        Command::Datagen(arguments) => datagen::run(&arguments),
        Command::Data(arguments) => data::run(&arguments),
        Command::Duel(arguments) => duel::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments, program),
    }
}

/// Turns an error of `clap` into one of ours. `--help` and `--version` are among its errors; a full
/// device then ends the program with status 2.
#[cfg(feature = "cli")]
fn usage(error: &clap::Error) -> CommandResult {
    if let Some(message) = error.to_string().strip_prefix("error: ") {
        return Err(CommandError::Refused(message.trim_end().to_owned()));
    }
    error.print()?;
    std::io::stdout().flush()?;
    if error.use_stderr() { Err(CommandError::Reported) } else { Ok(()) }
}

/// Writes a text to standard output.
#[cfg(any(not(feature = "cli"), feature = "tune"))]
fn print(text: &str) -> CommandResult {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}
