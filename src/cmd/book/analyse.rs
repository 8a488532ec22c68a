//! `saavedra book analyse`: a book of the engine's own analysis.

use super::{CommandError, CommandResult, Output, summary};
use crate::book::{Builder, key, passed_by};
use crate::chess::{Board, GameStatus, Move, Square};
use crate::cmd::progress;
use crate::engine::{self, EngineError, Searcher, spawn_search_thread};
use crate::eval::Evaluation;
use crate::search::score::Score;
use crate::search::{Bound, Info, Job, Limits, Reporter};
use clap::builder::RangedU64ValueParser;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Megabytes of each thread's hash table.
const HASH: usize = 16;

/// Every position is searched by itself, with nothing remembered of the others, so that the book is
/// the same whenever, wherever and with however many threads it is made. The weight of a move is how
/// many centipawns better it is than the margin allows.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// Where the book is written, when it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// The position to begin with; the start position if none is given.
    #[arg(long)]
    fen: Option<String>,
    /// How deep the book is, in plies.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=60))]
    plies: u32,
    /// Nodes of a search after which it begins no new iteration.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// At most so many moves in a position.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<usize>::new().range(1..=218))]
    width: usize,
    /// Moves that are worse than the best by at most so many centipawns.
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 25, value_parser = clap::value_parser!(u16))]
    margin: u16,
    /// How many threads think.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,
}

/// A position to think about, and the square that a pawn has just passed.
type Place = (Board, Option<Square>);

/// Moves with their weights.
type Weighed = Vec<(Move, u64)>;

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let board = match &arguments.fen {
        None => Board::startpos(),
        Some(fen) => {
            Board::from_fen(fen).map_err(|error| CommandError::Refused(error.to_string()))?
        }
    };
    let evaluation = engine::embedded_evaluation()?;
    let mut output = Output::create(Some(&arguments.output))?;
    let mut builder = Builder::new(0);
    // By key, so that positions that several lines lead to are searched once, and in fixed order.
    let mut seen = BTreeSet::from([key(&board, board.en_passant())]);
    let mut places: Vec<Place> = vec![(board, board.en_passant())];
    let mut searched = 0;
    for _ in 0..arguments.plies {
        let all_moves = arguments.think(&evaluation, &places)?;
        searched += places.len();
        let mut next = BTreeMap::new();
        for ((board, passed), moves) in places.iter().zip(all_moves) {
            for (m, weight) in moves {
                builder.add_move(board, *passed, m, weight);
                let place = (board.make(m), passed_by(m));
                let key = key(&place.0, place.1);
                if seen.insert(key) {
                    next.insert(key, place);
                }
            }
        }
        places = next.into_values().collect();
    }
    let book = builder.build(1);
    output.write_all(&book.to_bytes())?;
    output.finish()?;
    summary(&book, &format!("{searched} searches"))
}

impl Arguments {
    /// The moves of each position, in the order of the positions.
    fn think(
        &self,
        evaluation: &Evaluation,
        places: &[Place],
    ) -> Result<Vec<Weighed>, EngineError> {
        let mut searchers = Vec::new();
        for _ in 0..self.threads.min(places.len()) {
            searchers.push(Searcher::new(HASH, evaluation)?);
        }
        let results = Mutex::new(vec![Weighed::new(); places.len()]);
        let next = AtomicUsize::new(0);
        let bar = progress::bar(places.len() as u64, "{wide_bar} {pos}/{len}");
        let (results_of, next_of, bar_of) = (&results, &next, &bar);
        std::thread::scope(|scope| {
            for searcher in &mut searchers {
                let work = move || {
                    loop {
                        let place = next_of.fetch_add(1, Ordering::Relaxed);
                        let Some((board, _)) = places.get(place) else {
                            return;
                        };
                        let moves = self.weigh(searcher, board);
                        lock(results_of)[place] = moves;
                        bar_of.inc(1);
                    }
                };
                spawn_search_thread(scope, "analyst", work)?;
            }
            Ok::<_, EngineError>(())
        })?;
        bar.finish_and_clear();
        Ok(results.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// The good moves of a position.
    fn weigh(&self, searcher: &mut Searcher, board: &Board) -> Weighed {
        if board.status() != GameStatus::Ongoing {
            return Weighed::new();
        }
        let lines = self.width.min(board.legal_moves().len());
        let limits = Limits {
            soft_nodes: Some(self.nodes),
            // However long the last iteration takes, the search comes to an end.
            nodes: Some(self.nodes.saturating_mul(20)),
            ..Limits::default()
        };
        let mut job = Job::new(*board, limits);
        job.multipv = lines;
        let recorder = Recorder::default();
        searcher.clear();
        searcher.search_with(&job, Box::new(recorder.clone()));
        let depths = lock(&recorder.0);
        // The last iteration that was completed.
        let Some(scores) = depths.values().rev().find(|scores| scores.len() == lines) else {
            return Weighed::new();
        };
        let best = scores.values().map(|(_, score)| *score).max().unwrap_or(0);
        let margin = Score::from(self.margin);
        let weighed = scores.values().filter_map(|(m, score)| {
            let left = score - best + margin;
            Some((*m, u64::try_from(left).ok()? + 1))
        });
        weighed.collect()
    }
}

/// The first move and the score of each line, by depth and by the line's number.
type Lines = BTreeMap<u32, BTreeMap<usize, (Move, Score)>>;

/// Writes down what a search finds.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<Lines>>);

impl Reporter for Recorder {
    fn info(&mut self, info: &Info) {
        if let (Bound::Exact, Some(m)) = (info.bound, info.pv.first()) {
            let mut depths = lock(&self.0);
            let lines = depths.entry(info.depth).or_default();
            lines.insert(info.multipv, (*m, info.score));
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
