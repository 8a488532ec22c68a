//! `saavedra show`: shows a position: board, legal moves, status.

use super::files::{self, Input, Output};
use super::{CommandError, CommandResult, terminal};
use crate::chess::{Bitboard, Board, GameStatus};
use crate::formats::{Document, ErrorKind, FormatError, Location};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::Write;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Files in any format, `-` for standard input, FENs, or `startpos` [default: startpos].
    #[arg(value_name = "FEN|FILE")]
    input: Vec<OsString>,
    /// Write JSON, one object per line for each position.
    #[arg(long)]
    json: bool,
    /// Show the board from Black's side.
    #[arg(long)]
    flip: bool,
}

const AFTER_HELP: &str = "\
For a game, shows the last position. JSON has fen, turn, chess960, legal (uci and san of each
move), check, checkers, pinned, status (ongoing, checkmate, stalemate, insufficient_material,
fifty_moves or threefold) and repairs.

Examples:
  saavedra show
  saavedra show 'r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3'
  saavedra show --json positions.epd games.pgn";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let mut shown = Shown { arguments, output: Output::create(None)?, count: 0, refused: false };
    if arguments.input.is_empty() {
        shown.document(&Document::new(Board::startpos()))?;
    }
    for input in Input::open_all(&arguments.input) {
        match input {
            Ok(input) => shown.input(input)?,
            Err(CommandError::Refused(message)) => shown.refuse(&message),
            Err(error) => return Err(error),
        }
    }
    shown.output.finish()?;
    super::left_out(shown.refused, shown.count > 0)
}

/// The output and what has been shown.
struct Shown<'a> {
    arguments: &'a Arguments,
    output: Output,
    count: u64,
    /// Whether there was an error, which has been printed.
    refused: bool,
}

impl Shown<'_> {
    fn refuse(&mut self, message: &str) {
        super::report(&message);
        self.refused = true;
    }

    /// Shows the documents of an input.
    fn input(&mut self, input: Input) -> CommandResult {
        let format = input.format();
        let (name, reader) = input.into_parts();
        let name = name.as_deref();
        let mut is_empty = true;
        for document in format.read(reader) {
            is_empty = false;
            match document {
                Err(error) => self.refuse(&files::message(name, &error)),
                Ok(document) => {
                    for error in &document.errors {
                        self.refuse(&files::message(name, error));
                    }
                    self.document(&document)?;
                }
            }
        }
        if is_empty {
            let error = FormatError::new(Location::default(), ErrorKind::Empty);
            self.refuse(&files::message(name, &error));
        }
        Ok(())
    }

    fn document(&mut self, document: &Document) -> CommandResult {
        let text = match self.arguments.json {
            true => format!("{}\n", as_json(document)),
            false if self.count > 0 => format!("\n{}", as_text(document, self.arguments.flip)),
            false => as_text(document, self.arguments.flip),
        };
        self.count += 1;
        Ok(self.output.write_all(text.as_bytes())?)
    }
}

/// The status of the game, with repetitions if the document has moves.
fn status(document: &Document) -> GameStatus {
    document.tree.game().status()
}

fn squares(set: Bitboard) -> Vec<String> {
    set.into_iter().map(|square| square.to_string()).collect()
}

fn as_json(document: &Document) -> Value {
    let board = document.board();
    let chess960 = document.chess960;
    let legal: Vec<Value> = board
        .legal_moves()
        .into_iter()
        .map(|m| json!({ "uci": board.uci(m, chess960), "san": board.san(m) }))
        .collect();
    let repairs: Vec<String> = document.repairs.iter().map(|r| r.to_string()).collect();
    json!({
        "fen": board.to_fen(),
        "turn": board.turn().name(),
        "chess960": chess960,
        "legal": legal,
        "check": board.in_check(),
        "checkers": squares(board.checkers()),
        "pinned": squares(board.pinned()),
        "status": status(document).name(),
        "repairs": repairs,
    })
}

fn as_text(document: &Document, flip: bool) -> String {
    let board = document.board();
    let mut drawing = document.full_drawing();
    drawing.flipped |= flip;
    let mut text = terminal::board(&board, &drawing, terminal::wants_colours());
    let mut line = |name: &str, value: String| text += &format!("{name:<10}{value}\n");
    line("FEN", board.to_fen());
    let chess960 = if document.chess960 { " (Chess960)" } else { "" };
    line("To move", format!("{}{chess960}", board.turn().name()));
    line("Status", status(document).text());
    if board.in_check() {
        line("Check by", squares(board.checkers()).join(" "));
    }
    if board.pinned().any() {
        line("Pinned", squares(board.pinned()).join(" "));
    }
    let mut moves: Vec<String> = board.legal_moves().into_iter().map(|m| board.san(m)).collect();
    moves.sort();
    line(&format!("Moves {}", moves.len()), moves.join(" "));
    for repair in &document.repairs {
        line("Repaired", repair.to_string());
    }
    text
}
