//! `saavedra data`: looking at recorded games, and making new files of them.

mod info;

use super::datagen::{default_folder, evaluation};
use super::files::is_standard;
use super::{CommandError, CommandResult, progress};
use crate::chess::{Color, GameResult, Random};
use crate::data::check;
use crate::data::record::{self, Fault, FileHeader, GameRecord, Reason, Termination, engine_name};
use crate::data::relabel;
use crate::data::statistics::{Statistics, fingerprint};
use crate::data::store::{self, FileError, Output};
use clap::builder::RangedU64ValueParser;
use std::collections::HashSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What to do. Damage in files is named on standard error and the status is then 2, but what is sound
/// is used; a last game that is cut off, as an interrupted run leaves it, is named and no more.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Counts games, plies, results, lengths, endings and scores, and how well scores and results
    /// agree.
    Info {
        #[command(flatten)]
        input: Input,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Reads everything and plays every game again; status 1 if anything is wrong.
    Check {
        #[command(flatten)]
        input: Input,
    },
    /// Puts the games of many files into one, each only once.
    Merge(Target),
    /// The same in random order.
    Shuffle {
        #[command(flatten)]
        target: Target,
        /// The seed of the order.
        #[arg(long, value_name = "S", default_value_t = 0)]
        seed: u64,
    },
    /// Keeps the games that fulfil all conditions.
    Filter {
        #[command(flatten)]
        target: Target,
        #[command(flatten)]
        wanted: Wanted,
    },
    /// Searches every position again with the present network, for new scores. A run that was
    /// interrupted goes on when it is started again.
    Relabel {
        #[command(flatten)]
        target: Target,
        /// Nodes of a search after which it begins no new iteration.
        #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u32).range(1..))]
        nodes: u32,
        /// How many threads search.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
        threads: usize,
        /// What to evaluate with: `embedded`, `piece-square`, or a network's file.
        #[arg(long, value_name = "WHAT", default_value = "embedded")]
        eval: String,
    },
}

#[derive(clap::Args)]
struct Input {
    /// Files of games, or folders with them. [default: $SAAVEDRA_DATA or ~/.local/share/saavedra]
    #[arg(value_name = "INPUT")]
    paths: Vec<PathBuf>,
}

#[derive(clap::Args)]
struct Target {
    #[command(flatten)]
    input: Input,
    /// The file to write.
    #[arg(short, long = "out", value_name = "OUT")]
    output: PathBuf,
}

#[derive(clap::Args)]
struct Wanted {
    /// At least so many plies.
    #[arg(long, value_name = "N", default_value_t = 0)]
    min_plies: usize,
    /// At most so many plies.
    #[arg(long, value_name = "N", default_value_t = usize::MAX, hide_default_value = true)]
    max_plies: usize,
    /// Only games with this result; may be given several times.
    #[arg(long, value_name = "RESULT")]
    result: Vec<ResultName>,
    /// Only games that ended so; may be given several times.
    #[arg(long, value_name = "END", value_parser = info::end_by_name)]
    end: Vec<Termination>,
    /// Only games from the standard start.
    #[arg(long, conflicts_with = "other_start")]
    standard: bool,
    /// Only games from other starts.
    #[arg(long)]
    other_start: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum ResultName {
    White,
    Draw,
    Black,
}

impl Wanted {
    fn fits(&self, game: &GameRecord) -> bool {
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
    fn files(&self) -> Result<Vec<PathBuf>, CommandError> {
        let paths = match self.paths.is_empty() {
            true => vec![default_folder()?],
            false => self.paths.clone(),
        };
        paths.iter().try_for_each(|path| named(path))?;
        let files = store::files(&paths)?;
        match files.is_empty() {
            true => Err(CommandError::Refused("no files of games there".into())),
            false => Ok(files),
        }
    }
}

/// Refuses standard input and output: files of games are read more than once, and a run that was
/// interrupted goes on with what it wrote.
fn named(path: &Path) -> CommandResult {
    match is_standard(path) {
        true => Err(CommandError::Refused(
            "-: games are kept in files, name one".into(),
        )),
        false => Ok(()),
    }
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.action {
        Action::Info { input, json } => show(&input.files()?, *json),
        Action::Check { input } => check_all(&input.files()?),
        Action::Merge(target) => {
            let mut seen = HashSet::new();
            target.write_those(|game| seen.insert(fingerprint(game)))
        }
        Action::Filter { target, wanted } => target.write_those(|game| wanted.fits(game)),
        Action::Shuffle { target, seed } => shuffle(target, *seed),
        Action::Relabel {
            target,
            nodes,
            threads,
            eval,
        } => relabel(target, *nodes, *threads, eval),
    }
}

/// Hands out the sound games; damage is reported and skipped.
///
/// What is returned is how the command ends when its result is out: refused if there was damage, but
/// not for a last game that an interrupted run has left partial. An error ends it at once.
fn each_game(
    files: &[PathBuf],
    each: &mut dyn FnMut(GameRecord) -> CommandResult,
) -> Result<CommandResult, CommandError> {
    let mut outcome = Ok(());
    store::read(files, |_, game| match game {
        Ok(game) => each(game),
        Err(fault) => {
            report(&fault);
            if fault.reason != Reason::Partial {
                outcome = Err(CommandError::Reported);
            }
            Ok(())
        }
    })?;
    Ok(outcome)
}

fn report(fault: &Fault) {
    eprintln!("saavedra: {fault}");
}

fn show(files: &[PathBuf], json: bool) -> CommandResult {
    let mut statistics = Statistics::default();
    let outcome = each_game(files, &mut |game| {
        statistics.note(&game);
        Ok(())
    })?;
    let text = match json {
        true => info::json(files.len(), &statistics),
        false => info::text(files.len(), &statistics),
    };
    writeln!(io::stdout(), "{text}")?;
    outcome
}

/// From so many games on their scores must agree with their results.
const ENOUGH_GAMES: u64 = 200;
/// The least correlation of scores with results.
const LEAST_CORRELATION: f64 = 0.5;

fn check_all(files: &[PathBuf]) -> CommandResult {
    let mut statistics = Statistics::default();
    let mut faults = 0;
    store::read::<CommandError>(files, |place, game| {
        match game {
            Ok(game) => {
                statistics.note(&game);
                if let Err(error) = check::check(&game) {
                    faults += 1;
                    let store::Place { path, offset } = place;
                    eprintln!("saavedra: {}: offset {offset}: {error}", path.display());
                }
            }
            Err(fault) => {
                faults += 1;
                report(&fault);
            }
        }
        Ok(())
    })?;
    let turns = Color::ALL.map(Color::name);
    for (turn, sums) in turns.iter().zip(&statistics.correlations) {
        let coefficient = sums.coefficient().unwrap_or(1.0);
        if statistics.games >= ENOUGH_GAMES && coefficient < LEAST_CORRELATION {
            faults += 1;
            eprintln!(
                "saavedra: with {turn} to move the correlation of scores and results is only \
                 {coefficient:.3}"
            );
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

impl Target {
    /// The files to read, if there is one to write.
    fn files(&self) -> Result<Vec<PathBuf>, CommandError> {
        named(&self.output)?;
        self.input.files()
    }

    /// Writes the games that are wanted.
    fn write_those(&self, mut wanted: impl FnMut(&GameRecord) -> bool) -> CommandResult {
        let files = self.files()?;
        let mut output = Output::create(&self.output, &store::common_header(&files)?)?;
        let (mut read, mut kept) = (0, 0);
        let outcome = each_game(&files, &mut |game| {
            read += 1;
            if wanted(&game) {
                kept += 1;
                output.write(&game)?;
            }
            Ok(())
        })?;
        output.finish()?;
        writeln!(io::stdout(), "{kept} of {read} games")?;
        outcome
    }

    /// The header for the output, all games, and how the command ends when its result is out.
    fn read(&self) -> Result<(FileHeader, Vec<GameRecord>, CommandResult), CommandError> {
        let files = self.files()?;
        let mut games = Vec::new();
        let outcome = each_game(&files, &mut |game| {
            games.push(game);
            Ok(())
        })?;
        Ok((store::common_header(&files)?, games, outcome))
    }
}

fn shuffle(target: &Target, seed: u64) -> CommandResult {
    let (header, mut games, outcome) = target.read()?;
    let mut random = Random::new(seed);
    for last in (1..games.len()).rev() {
        games.swap(last, random.below(last + 1));
    }
    let mut output = Output::create(&target.output, &header)?;
    for game in &games {
        output.write(game)?;
    }
    output.finish()?;
    writeln!(io::stdout(), "{} games", games.len())?;
    outcome
}

fn relabel(target: &Target, nodes: u32, threads: usize, eval: &str) -> CommandResult {
    let evaluation = evaluation(eval)?;
    let (header, mut games, mut outcome) = target.read()?;
    let all = games.len();
    games.retain(|game| check::replayed(game).is_ok());
    if games.len() < all {
        eprintln!(
            "saavedra: {} games cannot be played and are left out",
            all - games.len()
        );
        outcome = Err(CommandError::Reported);
    }
    let header = FileHeader {
        engine: format!(
            "{}, relabelled by {}",
            header.engine,
            engine_name(&evaluation)
        ),
        nodes,
        generation: record::generation(&evaluation),
        seed: header.seed,
    };
    let bar = progress::bar(games.len() as u64, "{bar:30} {pos}/{len} games, {eta} left");
    let mut first = None;
    relabel::relabel(
        &games,
        &target.output,
        &header,
        &evaluation,
        threads,
        &mut |done| {
            first.get_or_insert(done);
            bar.set_position(done as u64);
        },
    )
    .map_err(|error| CommandError::Refused(error.to_string()))?;
    bar.finish_and_clear();
    let before = first.unwrap_or(0);
    let again = match before {
        0 => String::new(),
        _ => format!(", {before} of them by a run that was interrupted"),
    };
    writeln!(io::stdout(), "{} games{again}", games.len())?;
    outcome
}
