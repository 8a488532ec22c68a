//! `saavedra analyse`: games judged move by move, positions looked at, test suites scored.

pub(super) mod json;
mod output;

use super::files::{self, Again, Input};
use super::{CommandError, CommandResult, progress};
use crate::analysis::{self, Analyser, AnalysisProgress, AnalysisResult, AnalysisTask, Budget};
use crate::engine;
use crate::formats::{Content, Document, ErrorKind, FormatError, Location};
use clap::builder::PossibleValuesParser;
use indicatif::{HumanDuration, ProgressBar};
use output::Sink;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::time::Duration;

/// What to analyse.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A file of games or positions, a FEN, or `-` for standard input.
    #[arg(value_name = "FEN|FILE", required = true)]
    input: Vec<String>,
    /// Think so many milliseconds about each position [default: 500].
    #[arg(long, value_name = "MS", group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,
    /// Make so many nodes for each position.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search each position to this depth.
    #[arg(long, value_name = "N", group = "budget", value_parser = clap::value_parser!(u32).range(1..=240))]
    depth: Option<u32>,
    /// Think so many seconds about all positions together.
    #[arg(long, value_name = "S", group = "budget", value_parser = parse_seconds)]
    total_time: Option<Duration>,
    /// How many threads [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Show so many of the best lines of positions.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=218))]
    multipv: u32,
    /// Megabytes of hash table for each thread.
    #[arg(long, value_name = "MB", default_value_t = analysis::DEFAULT_HASH as u32, value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,
    /// What to write: annotated games, machine-readable objects, a page, or lines of text [default:
    /// by the ending of the output's name, else pgn for games and text for positions].
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(["pgn", "json", "html", "text"]))]
    format: Option<String>,
    /// Write to this file, which appears when it is complete.
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
    let input = Input::open(&arguments.input.join(" "))?.again()?;
    let survey = survey(&input)?;
    let sink = Sink::new(
        arguments.format.as_deref(),
        arguments.output.as_deref(),
        &survey,
    )?;
    let analyser = arguments.analyser(&survey)?;
    let work = RefCell::new(Work::new(sink));
    let bar = progress_bar(survey.positions);
    let mut questions = Questions::new(&input, &work)?;
    if survey.positions == 1 && questions.is_position() {
        if let Some(question) = questions.next() {
            let answer = analyser.analyse_one(question)?;
            work.borrow_mut().take(answer);
        }
    } else {
        analyser.analyse(&mut questions, survey.positions, &mut |answer, progress| {
            show_progress(&bar, progress);
            work.borrow_mut().take(answer);
        })?;
    }
    drop(questions);
    bar.finish_and_clear();
    let complete = work.into_inner().finish()?;
    match (survey.refused, complete) {
        (true, _) => Err(CommandError::Reported),
        (false, false) => Err(CommandError::CheckFailed),
        (false, true) => Ok(()),
    }
}

impl Arguments {
    fn analyser(&self, survey: &Survey) -> Result<Analyser, CommandError> {
        let budget = match (self.movetime, self.nodes, self.depth, self.total_time) {
            (_, Some(nodes), ..) => Budget::Nodes(nodes),
            (_, _, Some(depth), _) => Budget::Depth(depth),
            (_, _, _, Some(time)) => Budget::TotalTime(time, survey.positions),
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

/// What there is to do.
struct Survey {
    /// How many positions in all.
    positions: u64,
    /// Whether there are games with moves.
    games: bool,
    /// Whether there are goals to be met.
    suite: bool,
    /// Whether something cannot be read; it has been named.
    refused: bool,
}

/// Looks through the input and names what cannot be read.
fn survey(input: &Again) -> Result<Survey, CommandError> {
    let mut survey = Survey {
        positions: 0,
        games: input.format().content() == Content::Game,
        suite: false,
        refused: false,
    };
    let mut refuse = |error: &FormatError| {
        eprintln!("saavedra: {}", files::message(input.name(), error));
    };
    for document in input.documents()? {
        match document {
            Ok(document) => {
                survey.positions += 1 + document.tree.mainline_nodes().count() as u64;
                survey.suite |= analysis::goals(&document).is_some();
                survey.refused |= !document.errors.is_empty();
                document.errors.iter().for_each(&mut refuse);
            }
            Err(error) => {
                survey.refused = true;
                refuse(&error);
            }
        }
    }
    if survey.positions == 0 && !survey.refused {
        refuse(&FormatError::new(Location::default(), ErrorKind::Empty));
    }
    // Games stand for themselves; of a list of positions all are wanted.
    match survey.positions == 0 || (survey.refused && !survey.games) {
        true => Err(CommandError::Reported),
        false => Ok(survey),
    }
}

fn progress_bar(positions: u64) -> ProgressBar {
    progress::bar(positions, "{wide_bar} {pos}/{len} {msg}")
}

fn show_progress(bar: &ProgressBar, progress: AnalysisProgress) {
    bar.set_position(progress.done);
    bar.set_message(format!("{:#} left", HumanDuration(progress.time_left)));
}

/// A document whose positions are being looked at.
struct Pending {
    document: Document,
    answers: Vec<Option<AnalysisResult<(u64, usize)>>>,
    open: usize,
}

/// What is being worked on, in the order of the input.
struct Work {
    pending: VecDeque<Pending>,
    /// The number of the first of them.
    first: u64,
    sink: Sink,
    failed: Option<CommandError>,
}

impl Work {
    fn new(sink: Sink) -> Work {
        Work {
            pending: VecDeque::new(),
            first: 0,
            sink,
            failed: None,
        }
    }

    /// Takes in an answer, and hands on what is complete.
    fn take(&mut self, answer: AnalysisResult<(u64, usize)>) {
        let (number, ply) = answer.tag;
        if let Some(pending) = self.pending.get_mut((number - self.first) as usize) {
            pending.answers[ply] = Some(answer);
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
            let answers: Vec<_> = done.answers.into_iter().flatten().collect();
            let written = self.sink.take(done.document, answers);
            self.failed = self.failed.take().or(written.err());
        }
    }

    /// Ends the result; whether all goals were met.
    fn finish(self) -> Result<bool, CommandError> {
        match self.failed {
            Some(failure) => Err(failure),
            None => self.sink.finish(),
        }
    }
}

/// The positions of all documents, one after another.
struct Questions<'a> {
    documents: crate::formats::Documents<'a>,
    work: &'a RefCell<Work>,
    number: u64,
    ready: VecDeque<AnalysisTask<(u64, usize)>>,
}

impl<'a> Questions<'a> {
    fn new(input: &'a Again, work: &'a RefCell<Work>) -> Result<Questions<'a>, CommandError> {
        let mut questions = Questions {
            documents: input.documents()?,
            work,
            number: 0,
            ready: VecDeque::new(),
        };
        questions.refill();
        Ok(questions)
    }

    /// Whether what comes next has no game behind it.
    fn is_position(&self) -> bool {
        self.ready
            .front()
            .is_some_and(|question| question.previous_keys.is_empty())
    }

    fn refill(&mut self) {
        while self.ready.is_empty() {
            // What cannot be read has been named.
            let document = match self.documents.next() {
                None => return,
                Some(Err(_)) => continue,
                Some(Ok(document)) => document,
            };
            let positions = analysis::game_positions(&document.tree);
            let number = self.number;
            self.number += 1;
            self.ready
                .extend(positions.into_iter().map(|question| AnalysisTask {
                    tag: (number, question.tag),
                    board: question.board,
                    previous_keys: question.previous_keys,
                }));
            let open = self.ready.len();
            self.work.borrow_mut().pending.push_back(Pending {
                document,
                answers: vec![None; open],
                open,
            });
        }
    }
}

impl Iterator for Questions<'_> {
    type Item = AnalysisTask<(u64, usize)>;

    fn next(&mut self) -> Option<AnalysisTask<(u64, usize)>> {
        self.refill();
        self.ready.pop_front()
    }
}
