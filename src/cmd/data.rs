//! `saavedra data`: reads files of recorded games and writes new ones.

mod convert;
mod import;
mod info;

use super::datagen::{default_folder, parse_evaluation};
use super::files::{Output, is_standard, read_all};
use super::{CommandError, CommandResult, progress, report};
use crate::chess::{Color, GameResult, Random};
use crate::data::statistics::{Statistics, fingerprint};
use crate::data::store::{self, FileError, GameSource};
use crate::data::{
    self, DamageKind, FileHeader, GameRecord, Termination, check_game, engine_name,
    network_generation,
};
use clap::builder::RangedU64ValueParser;
use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

const AFTER_HELP: &str = "\
Damaged and illegal games are reported on standard error and left out, and the status is 3, or 2 if no game is
left (of `check`: 1). A partial game at the end of a file, left by an interrupted run, is reported and does not change the status.";

const FILTER_AFTER_HELP: &str = "\
Examples:
  saavedra data filter data/ --result draw --min-plies 40 -o draws.games
  saavedra data filter a.games --standard --end checkmate -o mates.games";

#[derive(clap::Subcommand)]
enum Action {
    /// Print statistics: games, results, lengths, terminations, scores, correlation of scores and
    /// results.
    #[command(
        after_help = "Examples:\n  saavedra data info data/\n  saavedra data info --json a.games"
    )]
    Info {
        #[command(flatten)]
        input: Input,
        /// Write JSON.
        #[arg(long)]
        json: bool,
    },
    /// Check the files and replay every game; the status is 1 if there is an error.
    #[command(after_help = "Examples:\n  saavedra data check data/ a.games")]
    Check {
        #[command(flatten)]
        input: Input,
    },
    /// Write games in the other record format.
    Convert(convert::Arguments),
    /// Convert PGN games with scores in their comments (fastchess, cutechess-cli, OpenBench).
    Import(import::Arguments),
    /// Merge files into one without duplicate games.
    #[command(after_help = "Examples:\n  saavedra data merge a.games b.games -o all.games")]
    Merge(Target),
    /// Merge files into one in random order.
    #[command(after_help = "Examples:\n  saavedra data shuffle data/ --seed 1 -o shuffled.games")]
    Shuffle {
        #[command(flatten)]
        target: Target,
        /// Random seed.
        #[arg(long, value_name = "SEED", default_value_t = 0)]
        seed: u64,
    },
    /// Write the games that match all conditions.
    #[command(after_help = FILTER_AFTER_HELP)]
    Filter {
        #[command(flatten)]
        target: Target,
        #[command(flatten)]
        conditions: Conditions,
    },
    /// Search every position again and write the new scores; continues an interrupted run.
    #[command(
        after_help = "Examples:\n  saavedra data relabel a.games --nodes 100 -o relabelled.games"
    )]
    Relabel {
        #[command(flatten)]
        target: Target,
        /// Soft node limit of a search.
        #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
        nodes: u32,
        /// Number of threads.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
        threads: usize,
        /// Evaluation: `embedded`, `piece-square`, `material`, or a network file.
        #[arg(long, value_name = "WHAT", default_value = "embedded")]
        eval: String,
    },
}

#[derive(clap::Args)]
struct Input {
    /// Game files, folders with game files, or `-` for standard input [default: $SAAVEDRA_DATA or
    /// ~/.local/share/saavedra].
    #[arg(value_name = "INPUT")]
    paths: Vec<PathBuf>,
}

#[derive(clap::Args)]
struct Target {
    #[command(flatten)]
    input: Input,
    /// Output file.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: PathBuf,
}

#[derive(clap::Args)]
struct Conditions {
    /// Minimum number of plies.
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_plies: usize,
    /// Maximum number of plies.
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    max_plies: usize,
    /// Result; may be repeated.
    #[arg(long, value_name = "RESULT")]
    result: Vec<ResultName>,
    /// Termination; may be repeated.
    #[arg(long, value_name = "END", value_parser = parse_termination)]
    end: Vec<Termination>,
    /// Only games from the standard start position.
    #[arg(long, conflicts_with = "other_start")]
    standard: bool,
    /// Only games from other start positions.
    #[arg(long)]
    other_start: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ResultName {
    White,
    Draw,
    Black,
}

fn parse_termination(name: &str) -> Result<Termination, String> {
    let mut all = Termination::ALL.into_iter();
    all.find(|end| end.name() == name).ok_or_else(|| {
        let names = Termination::ALL.map(Termination::name);
        format!("expected one of {}", names.join(", "))
    })
}

impl Conditions {
    fn match_game(&self, game: &GameRecord) -> bool {
        let result = match game.result {
            GameResult::WhiteWins => ResultName::White,
            GameResult::Draw => ResultName::Draw,
            GameResult::BlackWins => ResultName::Black,
        };
        (self.min_plies..=self.max_plies).contains(&game.plies.len())
            && (self.result.is_empty() || self.result.contains(&result))
            && (self.end.is_empty() || self.end.contains(&game.termination))
            && !(self.standard && game.start.is_some())
            && !(self.other_start && game.start.is_none())
    }
}

impl From<FileError> for CommandError {
    fn from(error: FileError) -> CommandError {
        CommandError::Refused(error.to_string())
    }
}

impl Input {
    /// The files. Standard input and pipes, which can be read only once, are in memory.
    fn files(&self) -> Result<Vec<GameSource>, CommandError> {
        let paths =
            if self.paths.is_empty() { vec![default_folder()?] } else { self.paths.clone() };
        let (streams, paths): (Vec<_>, Vec<_>) = paths.into_iter().partition(|p| is_stream(p));
        let found = store::find_files(&paths)?.into_iter();
        let mut files: Vec<_> = found.map(|path| GameSource { path, bytes: None }).collect();
        for path in streams {
            let bytes = Some(read_all(&path)?);
            files.push(GameSource { path, bytes });
        }
        if files.is_empty() {
            Err(CommandError::Refused("no game files found".into()))
        } else {
            Ok(files)
        }
    }
}

/// Whether this is standard input (`-`) or a pipe.
fn is_stream(path: &Path) -> bool {
    let is_pipe = |metadata: fs::Metadata| !metadata.is_file() && !metadata.is_dir();
    is_standard(path) || fs::metadata(path).is_ok_and(is_pipe)
}

/// Refuses `-` as output: standard output has the summary.
fn refuse_standard(path: &Path) -> CommandResult {
    if is_standard(path) {
        Err(CommandError::Refused("-: game files cannot be written to standard output".into()))
    } else {
        Ok(())
    }
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.action {
        Action::Info { input, json } => print_info(&input.files()?, *json),
        Action::Check { input } => check(&input.files()?),
        Action::Convert(arguments) => convert::run(arguments),
        Action::Import(arguments) => import::run(arguments),
        Action::Merge(target) => {
            let mut seen = HashSet::new();
            target.write_matching(|game| seen.insert(fingerprint(game)))
        }
        Action::Filter { target, conditions } => {
            target.write_matching(|game| conditions.match_game(game))
        }
        Action::Shuffle { target, seed } => shuffle(target, *seed),
        Action::Relabel { target, nodes, threads, eval } => relabel(target, *nodes, *threads, eval),
    }
}

/// The number of damaged places and illegal games that were reported and left out. A partial game
/// at the end of a file does not count.
#[derive(Default)]
struct Skipped {
    count: u64,
    /// Whether a game was kept.
    has_games: bool,
}

impl Skipped {
    /// The result of the command, once its output is complete.
    fn result(&self) -> CommandResult {
        if self.count > 0 {
            report(&format_args!("{} games or damaged places left out", self.count));
        }
        super::left_out(self.count > 0, self.has_games)
    }
}

/// Calls `each` for the legal games; reports everything else and leaves it out.
///
/// # Errors
/// If a file cannot be read, or an error of `each`.
fn for_each_legal_game(
    files: &[GameSource],
    each: &mut dyn FnMut(GameRecord) -> CommandResult,
) -> Result<Skipped, CommandError> {
    let mut left_out = Skipped::default();
    store::for_each_game(files, |location, game| match game {
        Ok(game) => match check_game(&game) {
            Ok(()) => {
                left_out.has_games = true;
                each(game)
            }
            Err(error) => {
                report(&format_args!("{location}: {error}"));
                left_out.count += 1;
                Ok(())
            }
        },
        Err(damage) => {
            report(&damage);
            left_out.count += u64::from(damage.kind != DamageKind::Truncated);
            Ok(())
        }
    })?;
    Ok(left_out)
}

fn print_info(files: &[GameSource], json: bool) -> CommandResult {
    let mut statistics = Statistics::default();
    let left_out = for_each_legal_game(files, &mut |game| {
        statistics.add(&game);
        Ok(())
    })?;
    let text = if json {
        info::json(files.len(), &statistics)
    } else {
        info::text(files.len(), &statistics)
    };
    writeln!(io::stdout(), "{text}")?;
    left_out.result()
}

/// The minimum number of games for a meaningful correlation of scores and results.
const MIN_CORRELATED_GAMES: u64 = 200;
/// The minimum correlation of scores and results.
const MIN_CORRELATION: f64 = 0.5;

fn check(files: &[GameSource]) -> CommandResult {
    let mut statistics = Statistics::default();
    let mut faults = 0;
    store::for_each_game::<CommandError>(files, |location, game| {
        match game {
            Ok(game) => {
                statistics.add(&game);
                if let Err(error) = check_game(&game) {
                    faults += 1;
                    report(&format_args!("{location}: {error}"));
                }
            }
            Err(damage) => {
                report(&damage);
                faults += u64::from(damage.kind != DamageKind::Truncated);
            }
        }
        Ok(())
    })?;
    let turns = Color::ALL.map(Color::name);
    for (turn, correlation) in turns.iter().zip(&statistics.correlations) {
        let coefficient = correlation.coefficient().unwrap_or(1.0);
        if statistics.games >= MIN_CORRELATED_GAMES && coefficient < MIN_CORRELATION {
            faults += 1;
            report(&format_args!(
                "with {turn} to move the correlation of scores and results is only \
                 {coefficient:.3}"
            ));
        }
    }
    writeln!(
        io::stdout(),
        "{} files, {} games, {} plies, {faults} faults",
        files.len(),
        statistics.games,
        statistics.plies
    )?;
    match faults {
        0 => Ok(()),
        _ => Err(CommandError::CheckFailed),
    }
}

/// Creates a game file.
///
/// # Errors
/// If it cannot be written.
fn create(path: &Path, header: &FileHeader) -> Result<Output, CommandError> {
    let mut output = Output::create(Some(path))?;
    output.write_all(&header.to_bytes())?;
    Ok(output)
}

impl Target {
    /// The input files; refuses standard output.
    fn files(&self) -> Result<Vec<GameSource>, CommandError> {
        refuse_standard(&self.output)?;
        self.input.files()
    }

    /// Writes the games that match.
    fn write_matching(&self, mut matches: impl FnMut(&GameRecord) -> bool) -> CommandResult {
        let files = self.files()?;
        let mut output = create(&self.output, &store::merged_header(&files)?)?;
        let (mut read, mut written) = (0, 0);
        let left_out = for_each_legal_game(&files, &mut |game| {
            read += 1;
            if matches(&game) {
                written += 1;
                output.write_all(&game.frame())?;
            }
            Ok(())
        })?;
        output.finish()?;
        writeln!(io::stdout(), "{written} of {read} games")?;
        left_out.result()
    }

    /// All games, and the header for the output.
    fn read(&self) -> Result<(FileHeader, Vec<GameRecord>, Skipped), CommandError> {
        let files = self.files()?;
        let mut games = Vec::new();
        let left_out = for_each_legal_game(&files, &mut |game| {
            games.push(game);
            Ok(())
        })?;
        Ok((store::merged_header(&files)?, games, left_out))
    }
}

fn shuffle(target: &Target, seed: u64) -> CommandResult {
    let (header, mut games, left_out) = target.read()?;
    let mut random = Random::new(seed);
    for last in (1..games.len()).rev() {
        games.swap(last, random.below(last + 1));
    }
    let mut output = create(&target.output, &header)?;
    for game in &games {
        output.write_all(&game.frame())?;
    }
    output.finish()?;
    writeln!(io::stdout(), "{} games", games.len())?;
    left_out.result()
}

fn relabel(target: &Target, nodes: u32, threads: usize, eval: &str) -> CommandResult {
    let evaluation = parse_evaluation(eval)?;
    let (header, games, left_out) = target.read()?;
    let header = FileHeader {
        engine: format!("{}, relabelled by {}", header.engine, engine_name(&evaluation)),
        nodes,
        generation: network_generation(&evaluation),
        seed: header.seed,
    };
    let bar = progress::bar(games.len() as u64, "{bar:30} {pos}/{len} games, {eta} left");
    let mut continued_from = None;
    data::relabel(&games, &target.output, &header, &evaluation, threads, &mut |done| {
        continued_from.get_or_insert(done);
        bar.set_position(done as u64);
    })
    .map_err(CommandError::refused)?;
    bar.finish_and_clear();
    let continued = match continued_from.unwrap_or(0) {
        0 => String::new(),
        done => format!(", {done} of them from an interrupted run"),
    };
    writeln!(io::stdout(), "{} games{continued}", games.len())?;
    left_out.result()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_termination_has_its_own_name() {
        for end in Termination::ALL {
            assert_eq!(parse_termination(end.name()), Ok(end));
        }
        assert!(parse_termination("nothing").is_err());
    }
}
