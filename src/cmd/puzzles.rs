//! `saavedra puzzles`: makes exercises from games.

use super::documents::InputDocuments;
use super::files::{self, Output};
use super::interrupt::Guarded;
use super::{CommandError, CommandResult};
use crate::analysis::{DEFAULT_PROOF_NODES, PUZZLE_HASH, Puzzle, PuzzleFinder, Solver, json};
use crate::chess::Color;
use crate::engine::{self, EngineError, Searcher, StopFlag, spawn_search_thread};
use crate::formats::{Document, NodeId, Ply, Tree, pgn};
use crate::mutex::lock;
use clap::builder::PossibleValuesParser;
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Mutex, mpsc};

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Files of games (also .gz, .bz2, .zst), folders, patterns, or `-` for standard input.
    #[arg(value_name = "GAMES", required = true)]
    input: Vec<OsString>,
    /// The side that solves.
    #[arg(long, default_value = "both", value_parser = PossibleValuesParser::new(["white", "black", "both"]))]
    side: String,
    /// Only positions in which this player is to move; a part of the name is enough.
    #[arg(long, value_name = "NAME")]
    player: Option<String>,
    /// Nodes of the proof of each move.
    #[arg(long, value_name = "N", default_value_t = DEFAULT_PROOF_NODES, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Number of threads [default: all cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// The output format: JSON Lines, the table of lichess, or games [default: by the extension of
    /// the output file, else json].
    #[arg(long, value_parser = PossibleValuesParser::new(["json", "csv", "pgn"]))]
    format: Option<String>,
    /// Write to this file; it is replaced when the output is complete.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
}

const AFTER_HELP: &str = "\
An exercise is a position of a game with one good move: all others give up a win or a draw, as a search of
two lines shows. A mistake came before it, or is played in it. The same games give the same exercises with
any number of threads; a position occurs once.

In json, the solver is to move and the solution begins with the solver's move. In csv, as in the table of
lichess, the position is the one before, and the moves begin with the one that led to the exercise.

Examples:
  saavedra puzzles games.pgn -o exercises.pgn
  saavedra puzzles archive/ --player Carlsen --format csv
  saavedra puzzles game.pgn --side white --nodes 500000";

/// The columns of the puzzle table of lichess.
const CSV_HEAD: &str =
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes,GameUrl,OpeningTags";

/// The formats of the output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PuzzleFormat {
    Json,
    Csv,
    Pgn,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let format = arguments.format()?;
    if let Some(path) = &arguments.output
        && arguments.input.iter().any(|input| files::is_same_file(input.as_ref(), path))
    {
        let reason = format!("{}: the exercises would replace these games", path.display());
        return Err(CommandError::Refused(reason));
    }
    let output = Guarded::new(|| Output::create(arguments.output.as_deref()), drop)?;
    let mut out = &output;
    if format == PuzzleFormat::Csv {
        writeln!(out, "{CSV_HEAD}")?;
    }
    let mut games = InputDocuments::new(&arguments.input);
    let mut known = HashSet::new();
    let mut has_games = false;
    arguments.find(&mut games, &mut |game, puzzles| {
        has_games = true;
        for puzzle in puzzles.iter().filter(|puzzle| known.insert(puzzle.board.key())) {
            out.write_all(format.text(game, puzzle).as_bytes())?;
        }
        Ok(out.flush()?)
    })?;
    let refused = games.errors > 0;
    if has_games || !refused {
        output.finish(Output::finish).unwrap_or(Ok(()))?;
    }
    super::left_out(refused, has_games)
}

/// A game and its exercises.
type Found = (Document, Vec<Puzzle>);

impl Arguments {
    fn format(&self) -> Result<PuzzleFormat, CommandError> {
        let names = ["json", "jsonl", "csv", "pgn"];
        let path = self.output.as_deref();
        let name = files::output_format(self.format.as_deref(), path, &names)?;
        Ok(match name.as_deref() {
            Some("csv") => PuzzleFormat::Csv,
            Some("pgn") => PuzzleFormat::Pgn,
            _ => PuzzleFormat::Json,
        })
    }

    fn solver(&self) -> Solver {
        let side = Color::ALL.into_iter().find(|side| side.name() == self.side);
        Solver { side, player: self.player.clone() }
    }

    /// Finds the exercises of games on several threads, and passes them on in the order of the games.
    fn find(
        &self,
        games: &mut dyn Iterator<Item = Document>,
        take: &mut dyn FnMut(&Document, &[Puzzle]) -> CommandResult,
    ) -> CommandResult {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        let threads = self.threads.map_or_else(cores, |n| n as usize);
        let evaluation = engine::embedded_evaluation()?;
        let (sender, receiver) = mpsc::channel::<(u64, Document)>();
        let (found_sender, found) = mpsc::channel::<(u64, Found)>();
        let (receiver, solver) = (Mutex::new(receiver), &self.solver());
        std::thread::scope(|scope| {
            for _ in 0..threads {
                let searcher = Searcher::new(PUZZLE_HASH, &evaluation)?;
                let mut finder = PuzzleFinder::new(searcher, evaluation.clone(), self.nodes);
                let (receiver, found) = (&receiver, found_sender.clone());
                spawn_search_thread(scope, "puzzles", move || {
                    loop {
                        let next = lock(receiver).recv();
                        let Ok((number, game)) = next else { return };
                        let puzzles = finder.puzzles(&game, solver);
                        if found.send((number, (game, puzzles))).is_err() {
                            return;
                        }
                    }
                })?;
            }
            drop(found_sender);
            let mut numbered = (0..).zip(games);
            let (mut waiting, mut ready, mut next) = (0, BTreeMap::new(), 0);
            loop {
                while waiting < 2 * threads
                    && let Some(game) = numbered.next()
                {
                    // The threads receive as long as the sender lives.
                    let _ = sender.send(game);
                    waiting += 1;
                }
                if waiting == 0 {
                    break;
                }
                let Ok((number, result)) = found.recv() else { break };
                ready.insert(number, result);
                waiting -= 1;
                while let Some((game, puzzles)) = ready.remove(&next) {
                    take(&game, &puzzles)?;
                    next += 1;
                }
            }
            drop(sender);
            Ok(())
        })
    }
}

/// The exercises of one game in the JSON of `saavedra puzzles`; some of them once `stop` is set.
///
/// # Errors
/// A hash table or a thread cannot be created.
pub fn puzzles_as_json(
    game: &Document,
    nodes: u64,
    solver: &Solver,
    stop: StopFlag,
) -> Result<Vec<String>, EngineError> {
    let evaluation = engine::embedded_evaluation()?;
    let searcher = Searcher::new(PUZZLE_HASH, &evaluation)?;
    let mut finder = PuzzleFinder::new(searcher, evaluation, nodes).stopped_by(stop);
    let mut puzzles = Vec::new();
    std::thread::scope(|scope| {
        let (finder, puzzles) = (&mut finder, &mut puzzles);
        spawn_search_thread(scope, "puzzles", move || {
            *puzzles = finder.puzzles(game, solver);
        })
    })?;
    Ok(puzzles.iter().map(|puzzle| json::puzzle(game, puzzle).to_string()).collect())
}

impl PuzzleFormat {
    fn text(self, game: &Document, puzzle: &Puzzle) -> String {
        match self {
            PuzzleFormat::Json => format!("{}\n", json::puzzle(game, puzzle)),
            PuzzleFormat::Csv => as_csv(game, puzzle),
            PuzzleFormat::Pgn => as_pgn(game, puzzle),
        }
    }
}

/// A row of the table of lichess. An exercise without a move before it is left out.
fn as_csv(game: &Document, puzzle: &Puzzle) -> String {
    let Some((board, m)) = puzzle.before else { return String::new() };
    let moves = [vec![board.uci(m, game.chess960)], puzzle.uci(game.chess960)].concat();
    let themes: Vec<String> = puzzle.themes.iter().map(|theme| lichess_theme(theme)).collect();
    let site = game.tag("Site").filter(|site| site.starts_with("http")).unwrap_or_default();
    format!(
        "{},{},{},{},,,,{},{},\n",
        puzzle.id(),
        board.to_fen(),
        moves.join(" "),
        puzzle.difficulty,
        themes.join(" "),
        site.replace([',', '"'], "")
    )
}

/// The name of a theme in the table of lichess: `mateIn2`, `backRankMate`.
fn lichess_theme(theme: &str) -> String {
    match theme {
        "in-between-move" => "intermezzo".to_owned(),
        "removed-defender" => "capturingDefender".to_owned(),
        "underpromotion" => "underPromotion".to_owned(),
        "defence" => "defensiveMove".to_owned(),
        _ => {
            let mut words = theme.split('-');
            let first = words.next().unwrap_or_default().to_owned();
            words.fold(first, |name, word| {
                let (start, rest) = word.split_at(word.len().min(1));
                name + &start.to_uppercase() + rest
            })
        }
    }
}

/// A game that begins with the exercise; its moves are the solution.
fn as_pgn(game: &Document, puzzle: &Puzzle) -> String {
    let mut tree = Tree::new(puzzle.board);
    let mut at = NodeId::ROOT;
    for m in &puzzle.solution {
        at = tree.add(at, Ply::Move(*m));
    }
    let mut document = Document::from_tree(tree);
    document.chess960 = game.chess960;
    document.set_tag("Event", "Exercise");
    for name in ["Site", "Date", "White", "Black"] {
        if let Some(value) = game.tag(name) {
            document.set_tag(name, value);
        }
    }
    let difficulty = puzzle.difficulty.to_string();
    let (id, themes) = (puzzle.id(), puzzle.themes.join(", "));
    for (name, value) in [("PuzzleId", &id), ("Difficulty", &difficulty), ("Themes", &themes)] {
        document.set_tag(name, value);
    }
    format!("{}\n", pgn::write(&document))
}
