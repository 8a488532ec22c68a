//! `saavedra book analyse`: makes a book from the engine's own analysis.

use super::{CommandResult, Output, files, write};
use crate::book::{Builder, key};
use crate::chess::{Board, Game, GameStatus, Move, Square};
use crate::cmd::progress;
use crate::engine::{self, EngineError, Searcher, search_in_parallel};
use crate::eval::Evaluation;
use crate::search::{Limits, SearchRequest};
use clap::builder::RangedU64ValueParser;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

/// Hash size of each thread in megabytes.
const HASH: usize = 16;

const AFTER_HELP: &str = "\
The weight of a move is its distance in centipawns from the margin. Every position is searched with an
empty hash table, so the book does not depend on the number of threads.

Examples:
  saavedra book analyse --plies 3 --width 2 --nodes 5000 -o book.bin
  saavedra book analyse --threads 8 -o book.bin";

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The book file; it is replaced when the book is complete.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: PathBuf,
    /// The start of the book as FEN, or `startpos` [default: startpos].
    #[arg(long)]
    fen: Option<String>,
    /// Number of plies.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u32).range(1..=60))]
    plies: u32,
    /// Soft node limit: a search starts no new iteration after this number of nodes.
    #[arg(long, value_name = "N", default_value_t = 50_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Maximum number of moves of a position.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = RangedU64ValueParser::<usize>::new().range(1..=218))]
    width: usize,
    /// Maximum loss of a move compared with the best, in centipawns of the evaluation (not
    /// normalised).
    #[arg(long, value_name = "CENTIPAWNS", default_value_t = 25, value_parser = clap::value_parser!(u16))]
    margin: u16,
    /// Number of threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: usize,
}

/// A position and its en passant square, as [`key`] needs it.
type BookPosition = (Board, Option<Square>);

/// Moves with their weights.
type WeightedMoves = Vec<(Move, u64)>;

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let start = match &arguments.fen {
        None => Game::default(),
        Some(fen) => files::parse_game(fen)?,
    };
    let (board, en_passant) = (*start.board(), start.en_passant_square());
    let evaluation = engine::embedded_evaluation()?;
    Output::check(&arguments.output)?;
    let mut builder = Builder::new(0);
    // By key, so that transpositions are searched once, in a fixed order.
    let mut seen = BTreeSet::from([key(&board, en_passant)]);
    let mut positions: Vec<BookPosition> = vec![(board, en_passant)];
    let mut searched = 0;
    for _ in 0..arguments.plies {
        let all_moves = arguments.search_all(&evaluation, &positions)?;
        searched += positions.len();
        let mut next = BTreeMap::new();
        for ((board, en_passant), moves) in positions.iter().zip(all_moves) {
            for (m, weight) in moves {
                builder.add_move(board, *en_passant, m, weight);
                let position = (board.make(m), m.double_push_square());
                let key = key(&position.0, position.1);
                if seen.insert(key) {
                    next.insert(key, position);
                }
            }
        }
        positions = next.into_values().collect();
    }
    let book = builder.build(1);
    let source = format!("{searched} searches");
    write(&book, &source, &arguments.output)
}

impl Arguments {
    /// The moves of each position, in the order of the positions.
    fn search_all(
        &self,
        evaluation: &Evaluation,
        positions: &[BookPosition],
    ) -> Result<Vec<WeightedMoves>, EngineError> {
        let searchers = (0..self.threads.min(positions.len()))
            .map(|_| Searcher::new(HASH, evaluation))
            .collect::<Result<Vec<Searcher>, EngineError>>()?;
        let search = |searcher: &mut Searcher, at: usize| self.search(searcher, &positions[at].0);
        let bar = progress::bar(positions.len() as u64, "{wide_bar} {pos}/{len}");
        let mut results = vec![WeightedMoves::new(); positions.len()];
        search_in_parallel("analyst", searchers, 0..positions.len(), search, |at, moves| {
            results[at] = moves;
            bar.inc(1);
            Ok::<_, EngineError>(())
        })?;
        bar.finish_and_clear();
        Ok(results)
    }

    /// The moves of a position within the margin, with their weights.
    fn search(&self, searcher: &mut Searcher, board: &Board) -> WeightedMoves {
        if board.status() != GameStatus::Ongoing {
            return WeightedMoves::new();
        }
        let lines = self.width.min(board.legal_moves().len());
        let limits = Limits {
            soft_nodes: Some(self.nodes),
            // A hard limit, in case the last iteration takes very long.
            nodes: Some(self.nodes.saturating_mul(20)),
            ..Limits::default()
        };
        let mut request = SearchRequest::new(*board, limits);
        request.multipv = lines;
        searcher.clear();
        let found = searcher.search(&request);
        if found.lines.len() < lines {
            return WeightedMoves::new();
        }
        let scores = found.lines.iter().map(|line| line.score.value());
        let best = scores.max().unwrap_or(0);
        let moves = found.lines.iter().filter_map(|line| {
            let left = line.score.value() - best + i32::from(self.margin);
            Some((*line.pv.first()?, u64::try_from(left).ok()? + 1))
        });
        moves.collect()
    }
}
