//! `saavedra analyse`: reviews games, analyses positions, runs test suites.

mod earlier_output;
pub(super) mod json;
mod one_game;
mod output;
mod selection;
mod settings;
mod text;
mod work;

use super::files::{self, Input, Output, RereadableInput};
use super::interrupt::Guarded;
use super::{CommandError, CommandResult, left_out, print_to_stderr, progress, report};
use crate::analysis::{self, Analyser, AnalysisProgress, Budget, Scale};
use crate::engine::{self, StopFlag};
use crate::formats::{Content, ErrorKind, FormatError, Location};
use clap::builder::PossibleValuesParser;
use indicatif::{HumanDuration, ProgressBar};
pub use one_game::game_as_json;
use output::AnalysisWriter;
use selection::Selection;
use std::cell::RefCell;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use work::{DocumentGroups, PendingAnalysis};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Files of games or positions (also .gz, .bz2, .zst), folders, patterns, `-` for standard input, FENs,
    /// or `startpos`.
    #[arg(value_name = "FEN|FILE", required = true)]
    input: Vec<OsString>,
    /// Time per position in milliseconds [default: 500].
    #[arg(long, value_name = "MS", group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Nodes per position.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Depth per position.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u32).range(1..=240))]
    depth: Option<u32>,
    /// Time for all positions together in seconds.
    #[arg(long, value_name = "SECONDS", group = "budget", value_parser = parse_seconds)]
    total_time: Option<Duration>,
    /// Number of threads [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Number of PV lines of positions.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=218))]
    multipv: u32,
    /// Hash size per thread in megabytes.
    #[arg(long, value_name = "MB", default_value_t = analysis::DEFAULT_HASH as u32, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// The output format: annotated games, JSON Lines, an HTML page, or text [default: by the
    /// extension of the output file, else pgn for games and text for positions].
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(["pgn", "json", "html", "text"]))]
    format: Option<String>,
    /// Write to this file; it is replaced when the output is complete, or when the command is
    /// interrupted unless the file is also an input. A folder (`DIR/`) gets an HTML page for each
    /// game and an index of them.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// JSON of games without what follows from the moves, about a fifth as long: each move with its
    /// notations, evaluation and judgement, and a better one if there is any.
    #[arg(long)]
    compact: bool,
    /// Continue after the games that an interrupted or killed run with the same settings has written.
    #[arg(long, requires = "output")]
    resume: bool,
    /// Only these games and positions, counted over all inputs in order from 1.
    #[arg(long, value_name = "A-B", value_parser = selection::parse_games)]
    games: Option<(u64, u64)>,
    /// Only part K of N equal parts of the games. The outputs of all parts, one after the other, are
    /// the output of the whole as PGN or JSON. A test suite has no parts.
    #[arg(long, value_name = "K/N", value_parser = selection::parse_shard)]
    shard: Option<(u64, u64)>,
    /// Keep the legal moves of a truncated or partly illegal game instead of skipping it.
    #[arg(long)]
    keep_prefix: bool,
    /// The scale of the judgements: lichess, or the win, draw and loss curve of this
    /// engine.
    #[arg(long, value_name = "SCALE", default_value = Scale::default().name(), value_parser = PossibleValuesParser::new(Scale::ALL.map(Scale::name)))]
    scale: String,
}

/// The default time per position in milliseconds.
const DEFAULT_MOVETIME: u64 = 500;

const AFTER_HELP: &str = "\
Moves are judged as on lichess: winning chances from -1 to 1 follow from the centipawns by its published
curve, and a move that loses 0.1 of them is an inaccuracy (?!), 0.2 a mistake (?), 0.3 a blunder (??).
EPD records with bm, am or dm are a suite: the last line is `solved S of T`, and the status is 1 if some
were not. Evaluations are from White's view. A position gets 10000 nodes at least, whatever the time.
With a budget of nodes or depth the analysis of games is always the same.

Ctrl-C and SIGTERM keep the games that are finished; the status is then 130. The same command with
--resume goes on from there. If the output file is also an input, it stays as it is instead. The games of a
run that was killed are in the file OUTPUT.part, where --resume finds them.

Examples:
  saavedra analyse game.pgn --movetime 200 -o annotated.pgn
  saavedra analyse games.pgn --total-time 60 --format html -o report.html
  saavedra analyse games.pgn --nodes 20000 -o report/
  saavedra analyse suite.epd --movetime 1000
  saavedra analyse archive/ --nodes 50000 --shard 3/64 -o part-03.pgn
  saavedra analyse --multipv 3 --depth 20 'r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3'";

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds")?;
    let sensible = seconds > 0.0 && seconds <= 1e9;
    sensible
        .then(|| Duration::from_secs_f64(seconds))
        .ok_or_else(|| "not a number of seconds".into())
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let mut summary = InputSummary::default();
    let inputs = arguments.inputs(&mut summary.refused)?;
    let Arguments { games, shard, keep_prefix, .. } = *arguments;
    let selection = Selection::new(&inputs, games, shard, keep_prefix)?;
    if selection.whole_is_suite {
        let reason = "--shard: a test suite has one score; use --games for a part of it";
        return Err(CommandError::Refused(reason.into()));
    }
    for input in &inputs {
        summary.add(input, &selection)?;
    }
    if summary.positions == 0 {
        return arguments.nothing_selected(summary.refused);
    }
    let output = Guarded::new(
        || AnalysisWriter::new(arguments, &summary, &inputs, &selection),
        |writer: AnalysisWriter| report(&writer.interrupt()),
    )?;
    let done = output.change(|writer| writer.written()).unwrap_or(0);
    let work = RefCell::new(PendingAnalysis::new(output, done));
    let mut groups = DocumentGroups::new(&inputs, &selection, done, &work);
    let positions = summary.positions - groups.skipped_positions();
    let analyser = arguments.analyser(positions, summary.has_position)?;
    let mut progress = Progress::new(positions, summary.documents);
    // A part of the games has the same results as the whole, which is searched in groups.
    if summary.positions == 1 && groups.is_position() && arguments.shard.is_none() {
        for task in groups.next().into_iter().flatten() {
            let result = analyser.analyse_one(task)?;
            work.borrow_mut().take(result);
        }
    } else {
        // More threads would have nothing to do.
        let threads = analyser.threads.min(summary.groups);
        let analyser = Analyser { threads, ..analyser };
        analyser.analyse_groups(&mut groups, positions, &mut |result, state| {
            work.borrow_mut().take(result);
            progress.show(state, work.borrow().finished());
        })?;
    }
    drop(groups);
    progress.bar.finish_and_clear();
    let complete = work.into_inner().finish()?;
    if progress.lines.any() {
        summary.report_skipped();
    }
    match (summary.refused, complete) {
        (true, _) => Err(CommandError::Skipped),
        (false, false) => Err(CommandError::CheckFailed),
        (false, true) => Ok(()),
    }
}

impl Arguments {
    /// The inputs that can be opened, without an output of an earlier run in a folder of inputs.
    ///
    /// # Errors
    /// An output that would change the games of the other parts; for a part, an input that cannot be
    /// opened: the other parts may have another count of the games.
    fn inputs(&self, refused: &mut bool) -> Result<Vec<RereadableInput>, CommandError> {
        let mut inputs = Vec::new();
        for input in Input::open_all(&self.input) {
            match input.and_then(Input::rereadable) {
                Ok(input) => inputs.push(input),
                Err(error) => {
                    error.report();
                    *refused = true;
                }
            }
        }
        if *refused && self.shard.is_some() {
            return Err(CommandError::Reported);
        }
        let Some(path) = &self.output else { return Ok(inputs) };
        let refuse =
            |reason: &str| Err(CommandError::Refused(format!("{}: {reason}", path.display())));
        let is_input =
            |path: &Path| self.input.iter().any(|input| files::is_same_file(input.as_ref(), path));
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        if self.shard.is_some() && is_input(folder.unwrap_or(Path::new("."))) {
            return refuse("the other parts would read this part; write them to another folder");
        }
        if !is_input(path) {
            inputs.retain(|input| !input.is_at(path));
        } else if self.shard.is_some() || self.games.is_some() {
            return refuse("this is the input, whose other games would be lost");
        }
        Ok(inputs)
    }

    /// The result of a part without games: there are fewer than parts, or none without errors.
    fn nothing_selected(&self, refused: bool) -> CommandResult {
        match (refused, self.shard) {
            (true, None) => Err(CommandError::Reported),
            (false, None) => Err(CommandError::Refused("no game is selected".into())),
            (_, Some(_)) => {
                let output = self.output.as_deref().filter(|path| !output::is_folder(path));
                Output::create(output)?.finish()?;
                left_out(refused, true)
            }
        }
    }

    /// The analyser of a number of positions. Only positions that are not games show more than one
    /// line.
    fn analyser(&self, positions: u64, has_position: bool) -> Result<Analyser, CommandError> {
        let budget = match (self.movetime, self.nodes, self.depth, self.total_time) {
            (_, Some(nodes), ..) => Budget::Nodes(nodes),
            (_, _, Some(depth), _) => Budget::Depth(depth),
            (_, _, _, Some(time)) => Budget::TotalTime(time, positions),
            (time, ..) => Budget::MoveTime(Duration::from_millis(time.unwrap_or(DEFAULT_MOVETIME))),
        };
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        Ok(Analyser {
            threads: self.threads.map_or_else(cores, |n| n as usize),
            hash: self.hash as usize,
            multipv: if has_position { self.multipv as usize } else { 1 },
            budget,
            evaluation: engine::embedded_evaluation()?,
            tablebases: None,
            stop: StopFlag::default(),
        })
    }
}

/// What the inputs contain.
#[derive(Default)]
struct InputSummary {
    /// Number of positions, including positions of games.
    positions: u64,
    /// Number of groups of positions that a thread searches one after another.
    groups: usize,
    /// Number of games and positions without errors.
    documents: u64,
    /// Number of those before the part that is analysed.
    earlier: u64,
    /// Number of all games and positions, in all inputs so far.
    seen: u64,
    /// Whether the format of an input is one of games.
    games: bool,
    /// Whether there is a position that is not a game: without moves.
    has_position: bool,
    /// Whether a record has a goal (`bm`, `am` or `dm`).
    suite: bool,
    /// The messages of the errors that left games out, with their numbers.
    skipped: Vec<String>,
    /// Whether there are errors; they have been printed.
    refused: bool,
}

impl InputSummary {
    /// Reads an input once: counts its positions, prints its errors and the repairs of positions.
    fn add(&mut self, input: &RereadableInput, part: &Selection) -> Result<(), CommandError> {
        let seen = self.seen;
        let mut refused = false;
        let mut refuse = |error: &FormatError| {
            report(&files::message(input.name().as_deref(), error));
            refused = true;
        };
        for document in input.documents(part.keep_prefix)? {
            if part.ends_before(self.seen) {
                break;
            }
            let is_selected = part.contains(self.seen);
            self.seen += 1;
            match document {
                Ok(_) if !is_selected => self.earlier += 1,
                Err(_) if !is_selected => {}
                Ok(document) => {
                    self.documents += 1;
                    let positions = 1 + document.tree.mainline_nodes().count();
                    self.positions += positions as u64;
                    self.groups += analysis::group_count(positions);
                    self.has_position |= document.tree.is_empty();
                    self.suite |= analysis::goals(&document).is_some();
                    for repair in &document.repairs {
                        let name = input.name();
                        report(&files::located(name.as_deref(), document.location, repair));
                    }
                    document.errors.iter().for_each(&mut refuse);
                }
                Err(error) => {
                    let message = files::message(input.name().as_deref(), &error);
                    self.skipped.push(message);
                    refuse(&error);
                }
            }
        }
        if self.seen == seen && !refused && !part.ends_before(seen) {
            let empty = FormatError::new(Location::default(), ErrorKind::Empty);
            report(&files::message(input.name().as_deref(), &empty));
            refused = true;
        }
        self.has_position |= part.whole_has_position;
        self.games |= input.format().content() == Content::Game;
        self.refused |= refused;
        Ok(())
    }

    /// Lists the games that were left out again: lines of progress may have followed.
    fn report_skipped(&self) {
        if !self.skipped.is_empty() {
            let all = self.documents + self.skipped.len() as u64;
            report(&format!("{} of {all} games were left out:", self.skipped.len()));
            self.skipped.iter().for_each(|game| print_to_stderr(game));
        }
    }
}

/// The progress: a bar on a terminal, else a line from time to time.
struct Progress {
    bar: ProgressBar,
    lines: progress::Lines,
    positions: u64,
    games: u64,
}

impl Progress {
    fn new(positions: u64, games: u64) -> Progress {
        let bar = progress::bar(positions, "{wide_bar} {pos}/{len} {msg}");
        Progress { bar, lines: progress::Lines::new(Instant::now()), positions, games }
    }

    fn show(&mut self, AnalysisProgress { done, time_left }: AnalysisProgress, finished: u64) {
        self.bar.set_position(done);
        self.bar.set_message(format!("{:#} left", HumanDuration(time_left)));
        if self.bar.is_hidden() && self.lines.is_due(Instant::now()) {
            let (positions, games) = (self.positions, self.games);
            let left = HumanDuration(time_left);
            report(&format!(
                "{finished} of {games} games, {done} of {positions} positions, {left} left"
            ));
        }
    }
}
