//! `saavedra book`: makes Polyglot opening books from games or by analysis, and shows their moves.

mod analyse;

use super::documents::InputDocuments;
use super::files::{self, Output};
use super::{CommandError, CommandResult};
use crate::book::{Book, BookMove, Builder, key};
use crate::chess::{Board, Repair, Square};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Arguments of the command.
#[derive(clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Make a book from games.
    Build(Build),
    /// Make a book by analysing the positions that the best moves lead to.
    Analyse(analyse::Arguments),
    /// Show the moves of a book for a position; the status is 2 if the book is damaged.
    Show(Show),
}

const BUILD_AFTER_HELP: &str = "\
The weight of a move is the sum of its results: two for a win, one for a draw or an unknown result.
Moves that only lost are left out. The order of the games makes no difference. Games that cannot be
read are reported on standard error and skipped; the status is then 3.

Examples:
  saavedra book build --from games.pgn -o book.bin
  saavedra book build --from archive/ --plies 30 --min-games 2 -o book.bin";

#[derive(clap::Args)]
#[command(after_help = BUILD_AFTER_HELP)]
struct Build {
    /// Files of games in PGN or UCI notation (also .gz, .bz2, .zst), folders, patterns, or `-` for standard
    /// input.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    from: Vec<OsString>,
    /// The book file; it is replaced when the book is complete.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: PathBuf,
    /// Number of plies from the start of each game.
    #[arg(long, value_name = "N", default_value_t = 20)]
    plies: usize,
    /// Leave out moves that were played in fewer games.
    #[arg(long, value_name = "N", default_value_t = 1)]
    min_games: u64,
}

const SHOW_AFTER_HELP: &str = "\
Examples:
  saavedra book show book.bin
  saavedra book show book.bin --json 'rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1'";

#[derive(clap::Args)]
#[command(after_help = SHOW_AFTER_HELP)]
struct Show {
    /// The book file, or `-` for standard input.
    book: PathBuf,
    /// The position as FEN, or `startpos` [default: startpos].
    fen: Vec<String>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    match &arguments.command {
        Command::Build(build) => build.run(),
        Command::Analyse(arguments) => analyse::run(arguments),
        Command::Show(show) => show.run(),
    }
}

impl Build {
    fn run(&self) -> CommandResult {
        let mut builder = Builder::new(self.plies);
        Output::check(&self.output)?;
        let mut games = 0u64;
        let mut documents = InputDocuments::new(&self.from);
        for document in documents.by_ref() {
            let game = document.tree.game_before_null_move();
            builder.add(&game.with_repairs(&document.repairs), document.result);
            games += 1;
        }
        if games == 0 {
            return Err(CommandError::Refused("no game to make a book from".into()));
        }
        let book = builder.build(self.min_games);
        write(&book, &format!("{games} games"), &self.output)?;
        super::left_out(documents.errors > 0, true)
    }
}

/// Writes a book, unless it is empty, and prints its size: to standard error if the book itself went
/// to standard output.
fn write(book: &Book, source: &str, path: &Path) -> CommandResult {
    let entries = book.entries();
    if entries.is_empty() {
        return Err(CommandError::refused("no move is left for the book"));
    }
    Output::put(Some(path), book.to_bytes())?;
    let positions = entries.chunk_by(|a, b| a.key == b.key).count();
    let moves = entries.len();
    let text = format!("{moves} moves in {positions} positions, from {source}");
    if files::is_standard(path) {
        super::print_to_stderr(&text);
        return Ok(());
    }
    Output::put(None, text + "\n")
}

impl Show {
    fn run(&self) -> CommandResult {
        let book = Book::from_bytes(&files::read_all(&self.book)?);
        let (board, en_passant) = self.position()?;
        let moves = book.moves(&board, en_passant);
        let text = if self.json {
            format!("{}\n", as_json(&board, en_passant, &moves))
        } else {
            as_text(&board, &moves)
        };
        Output::put(None, text)?;
        match book.trailing_bytes() {
            0 => Ok(()),
            count => Err(CommandError::Refused(format!(
                "{}: {count} bytes at the end are not a book entry",
                self.book.display()
            ))),
        }
    }

    /// The position and its en passant square, as [`key`] needs it. Repairs are reported.
    fn position(&self) -> Result<(Board, Option<Square>), CommandError> {
        let setup = files::parse_setup(&self.fen)?;
        let board = setup.to_board();
        let (board, repairs) = board.map_err(CommandError::refused)?;
        for repair in repairs {
            // The key has the square of an en passant capture that is not legal.
            if !matches!(repair, Repair::EnPassantDropped(_)) {
                super::report(&repair);
            }
        }
        Ok((board, setup.en_passant()))
    }
}

fn as_text(board: &Board, moves: &[BookMove]) -> String {
    let total: u64 = moves.iter().map(|entry| u64::from(entry.weight)).sum();
    let line = |entry: &BookMove| {
        let share = 100.0 * f64::from(entry.weight) / total.max(1) as f64;
        let (san, weight) = (board.san(entry.m), entry.weight);
        format!("{san:<8}{weight:>6}{share:>7.1} %\n")
    };
    moves.iter().map(line).collect()
}

fn as_json(board: &Board, en_passant: Option<Square>, moves: &[BookMove]) -> Value {
    let chess960 = board.is_chess960();
    let moves = moves.iter().map(|entry| {
        json!({
            "uci": board.uci(entry.m, chess960),
            "san": board.san(entry.m),
            "weight": entry.weight,
            "learn": entry.learn,
        })
    });
    json!({
        "fen": board.to_fen(),
        "turn": board.turn().name(),
        "key": format!("{:016x}", key(board, en_passant)),
        "moves": moves.collect::<Vec<Value>>(),
    })
}
