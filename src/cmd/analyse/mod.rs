//! `saavedra analyse`: reviews games, analyses positions, runs test suites.

pub(super) mod json;
mod output;

use super::files::{self, Input, RereadableInput};
use super::{CommandError, CommandResult, progress};
use crate::analysis::{self, Analyser, AnalysisProgress, AnalysisResult, AnalysisTask, Budget};
use crate::engine;
use crate::formats::{Content, Document, ErrorKind, FormatError, Location};
use clap::builder::PossibleValuesParser;
use indicatif::{HumanDuration, ProgressBar};
use output::AnalysisWriter;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Files of games or positions, `-` for standard input, FENs, or `startpos`.
    #[arg(value_name = "FEN|FILE", required = true)]
    input: Vec<String>,
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
    #[arg(long, value_name = "S", group = "budget", value_parser = parse_seconds)]
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
    /// Write to this file; it is replaced when the output is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
Games are judged by what each move loses of the expected result: ?! from 6 hundredths of a point, ?
from 12, ?? from 22. EPD records with bm, am or dm are a suite: the last line is `solved S of T`, and
the status is 1 if some were not. Evaluations are from White's view. With one thread and a budget of
nodes or depth the result is always the same.

Examples:
  saavedra analyse game.pgn --movetime 200 -o annotated.pgn
  saavedra analyse games.pgn --total-time 60 --format html -o report.html
  saavedra analyse suite.epd --movetime 1000
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
    let mut inputs = Vec::new();
    for input in Input::open_all(&arguments.input) {
        match input.and_then(Input::rereadable) {
            Ok(input) => {
                summary.add(&input)?;
                inputs.push(input);
            }
            Err(CommandError::Refused(message)) => {
                eprintln!("saavedra: {message}");
                summary.refused = true;
            }
            Err(error) => return Err(error),
        }
    }
    if summary.positions == 0 {
        return Err(CommandError::Reported);
    }
    let writer = AnalysisWriter::new(
        arguments.format.as_deref(),
        arguments.output.as_deref(),
        &summary,
    )?;
    let analyser = arguments.analyser(&summary)?;
    let work = RefCell::new(PendingAnalysis::new(writer));
    let bar = progress_bar(summary.positions);
    let mut tasks = DocumentTasks::new(&inputs, &work);
    if summary.positions == 1 && tasks.is_position() {
        if let Some(task) = tasks.next() {
            let result = analyser.analyse_one(task)?;
            work.borrow_mut().take(result);
        }
    } else {
        analyser.analyse(&mut tasks, summary.positions, &mut |result, progress| {
            show_progress(&bar, progress);
            work.borrow_mut().take(result);
        })?;
    }
    drop(tasks);
    bar.finish_and_clear();
    let complete = work.into_inner().finish()?;
    match (summary.refused, complete) {
        (true, _) => Err(CommandError::Reported),
        (false, false) => Err(CommandError::CheckFailed),
        (false, true) => Ok(()),
    }
}

impl Arguments {
    fn analyser(&self, summary: &InputSummary) -> Result<Analyser, CommandError> {
        let budget = match (self.movetime, self.nodes, self.depth, self.total_time) {
            (_, Some(nodes), ..) => Budget::Nodes(nodes),
            (_, _, Some(depth), _) => Budget::Depth(depth),
            (_, _, _, Some(time)) => Budget::TotalTime(time, summary.positions),
            (time, ..) => Budget::MoveTime(Duration::from_millis(time.unwrap_or(500))),
        };
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        Ok(Analyser {
            threads: self.threads.map_or_else(cores, |n| n as usize),
            hash: self.hash as usize,
            multipv: self.multipv as usize,
            budget,
            evaluation: engine::embedded_evaluation()?,
        })
    }
}

/// What the inputs contain.
#[derive(Default)]
struct InputSummary {
    /// Number of positions, including those of games.
    positions: u64,
    /// Whether the format of an input is one of games.
    games: bool,
    /// Whether a record has a goal (`bm`, `am` or `dm`).
    suite: bool,
    /// Whether there are errors; they have been printed.
    refused: bool,
}

impl InputSummary {
    /// Reads an input once: counts its positions and prints its errors.
    fn add(&mut self, input: &RereadableInput) -> Result<(), CommandError> {
        let positions = self.positions;
        let mut refused = false;
        let mut refuse = |error: &FormatError| {
            eprintln!("saavedra: {}", files::message(input.name(), error));
            refused = true;
        };
        for document in input.documents()? {
            match document {
                Ok(document) => {
                    self.positions += 1 + document.tree.mainline_nodes().count() as u64;
                    self.suite |= analysis::goals(&document).is_some();
                    document.errors.iter().for_each(&mut refuse);
                }
                Err(error) => refuse(&error),
            }
        }
        if self.positions == positions && !refused {
            eprintln!(
                "saavedra: {}",
                files::message(
                    input.name(),
                    &FormatError::new(Location::default(), ErrorKind::Empty)
                )
            );
            refused = true;
        }
        self.games |= input.format().content() == Content::Game;
        self.refused |= refused;
        Ok(())
    }
}

fn progress_bar(positions: u64) -> ProgressBar {
    progress::bar(positions, "{wide_bar} {pos}/{len} {msg}")
}

fn show_progress(bar: &ProgressBar, progress: AnalysisProgress) {
    bar.set_position(progress.done);
    bar.set_message(format!("{:#} left", HumanDuration(progress.time_left)));
}

/// A document whose positions are being analysed.
struct PendingDocument {
    document: Document,
    results: Vec<Option<AnalysisResult<(u64, usize)>>>,
    open: usize,
}

/// The documents that are being analysed, in the order of the input.
struct PendingAnalysis {
    pending: VecDeque<PendingDocument>,
    /// Number of the first of them.
    first: u64,
    writer: AnalysisWriter,
    failed: Option<CommandError>,
}

impl PendingAnalysis {
    fn new(writer: AnalysisWriter) -> PendingAnalysis {
        PendingAnalysis {
            pending: VecDeque::new(),
            first: 0,
            writer,
            failed: None,
        }
    }

    /// Adds a result and writes the documents that are complete.
    fn take(&mut self, result: AnalysisResult<(u64, usize)>) {
        let (number, ply) = result.tag;
        if let Some(pending) = self.pending.get_mut((number - self.first) as usize) {
            pending.results[ply] = Some(result);
            pending.open -= 1;
        }
        while self
            .pending
            .front()
            .is_some_and(|pending| pending.open == 0)
        {
            let Some(done) = self.pending.pop_front() else {
                return;
            };
            self.first += 1;
            let results: Vec<_> = done.results.into_iter().flatten().collect();
            let written = self.writer.take(done.document, results);
            self.failed = self.failed.take().or(written.err());
        }
    }

    /// Completes the output; whether all goals were met.
    fn finish(self) -> Result<bool, CommandError> {
        match self.failed {
            Some(failure) => Err(failure),
            None => self.writer.finish(),
        }
    }
}

/// Iterator over the positions of all documents.
struct DocumentTasks<'a> {
    documents: crate::formats::Documents<'a>,
    work: &'a RefCell<PendingAnalysis>,
    number: u64,
    ready: VecDeque<AnalysisTask<(u64, usize)>>,
}

impl<'a> DocumentTasks<'a> {
    fn new(inputs: &'a [RereadableInput], work: &'a RefCell<PendingAnalysis>) -> DocumentTasks<'a> {
        // A file that can no longer be opened has no documents; each is opened when it is its turn.
        let documents = inputs.iter().filter_map(|input| input.documents().ok());
        let mut tasks = DocumentTasks {
            documents: Box::new(documents.flatten()),
            work,
            number: 0,
            ready: VecDeque::new(),
        };
        tasks.refill();
        tasks
    }

    /// Whether the next position has no earlier positions.
    fn is_position(&self) -> bool {
        self.ready
            .front()
            .is_some_and(|task| task.previous_keys.is_empty())
    }

    fn refill(&mut self) {
        while self.ready.is_empty() {
            // Errors have been printed by `InputSummary::add`.
            let document = match self.documents.next() {
                None => return,
                Some(Err(_)) => continue,
                Some(Ok(document)) => document,
            };
            let positions = analysis::game_positions(&document.tree);
            let number = self.number;
            self.number += 1;
            self.ready
                .extend(positions.into_iter().map(|task| AnalysisTask {
                    tag: (number, task.tag),
                    board: task.board,
                    previous_keys: task.previous_keys,
                }));
            let open = self.ready.len();
            self.work.borrow_mut().pending.push_back(PendingDocument {
                document,
                results: vec![None; open],
                open,
            });
        }
    }
}

impl Iterator for DocumentTasks<'_> {
    type Item = AnalysisTask<(u64, usize)>;

    fn next(&mut self) -> Option<AnalysisTask<(u64, usize)>> {
        self.refill();
        self.ready.pop_front()
    }
}
