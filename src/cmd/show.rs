//! `saavedra show`: shows a position: board, legal moves, status.

use super::documents::InputDocuments;
use super::files::Output;
use super::{CommandResult, terminal};
use crate::chess::{Bitboard, Board, GameStatus};
use crate::formats::Document;
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
    let mut output = Output::create(None)?;
    let mut documents = InputDocuments::new(&arguments.input);
    let startpos = arguments.input.is_empty().then(|| Document::new(Board::startpos()));
    let mut count = 0;
    for document in startpos.into_iter().chain(documents.by_ref()) {
        if arguments.json {
            writeln!(output, "{}", as_json(&document))?;
        } else {
            let separator = if count > 0 { "\n" } else { "" };
            write!(output, "{separator}{}", as_text(&document, arguments.flip))?;
        }
        count += 1;
    }
    output.finish()?;
    super::left_out(documents.errors > 0, count > 0)
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
