//! `saavedra show`: shows a position: board, legal moves, status.

use super::files::{self, Input, Output};
use super::{CommandError, CommandResult, terminal};
use crate::chess::{Bitboard, Board, GameStatus};
use crate::formats::{Document, Documents, ErrorKind, FormatError, Location};
use serde_json::{Value, json};
use std::io::Write;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// A FEN, a file in any format, or `-` for standard input [default: startpos].
    #[arg(value_name = "FEN|FILE")]
    input: Vec<String>,
    /// Write JSON, one object per line for each position.
    #[arg(long)]
    json: bool,
    /// Show the board from Black's side.
    #[arg(long)]
    flip: bool,
}

const AFTER_HELP: &str = "\
Of a game the last position is shown. JSON has fen, turn, chess960, legal (uci and san of each
move), check, checkers, pinned, status (ongoing, checkmate, stalemate, insufficient_material,
fifty_moves or threefold) and repairs.

Examples:
  saavedra show
  saavedra show 'r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3'
  saavedra show --json positions.epd";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let mut output = Output::create(None)?;
    let mut refused = false;
    let (name, documents): (_, Documents) = match arguments.input.is_empty() {
        true => {
            let document = Document::new(Board::startpos());
            (None, Box::new(std::iter::once(Ok(document))))
        }
        false => {
            let input = Input::open(&arguments.input.join(" "))?;
            let format = input.format();
            let (name, reader) = input.into_parts();
            (name, format.read(reader))
        }
    };
    let mut shown = 0u64;
    for document in documents {
        let document = match document {
            Ok(document) => document,
            Err(error) => {
                eprintln!("saavedra: {}", files::message(name.as_deref(), &error));
                refused = true;
                continue;
            }
        };
        for error in &document.errors {
            eprintln!("saavedra: {}", files::message(name.as_deref(), error));
            refused = true;
        }
        let text = match arguments.json {
            true => format!("{}\n", as_json(&document)),
            false if shown > 0 => format!("\n{}", as_text(&document, arguments.flip)),
            false => as_text(&document, arguments.flip),
        };
        shown += 1;
        output.write_all(text.as_bytes())?;
    }
    if shown == 0 && !refused {
        let empty = FormatError::new(Location::default(), ErrorKind::Empty);
        return Err(CommandError::Refused(files::message(
            name.as_deref(),
            &empty,
        )));
    }
    output.finish()?;
    match refused {
        true => Err(CommandError::Reported),
        false => Ok(()),
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
    line("Status", status(document).name().replace('_', " "));
    if board.in_check() {
        line("Check by", squares(board.checkers()).join(" "));
    }
    if board.pinned().any() {
        line("Pinned", squares(board.pinned()).join(" "));
    }
    let mut moves: Vec<String> = board
        .legal_moves()
        .into_iter()
        .map(|m| board.san(m))
        .collect();
    moves.sort();
    line(&format!("Moves {}", moves.len()), moves.join(" "));
    for repair in &document.repairs {
        line("Repaired", repair.to_string());
    }
    text
}
