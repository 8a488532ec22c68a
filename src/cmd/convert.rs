//! `saavedra convert`: converts positions and games between formats.

use super::documents::InputDocuments;
use super::files::Output;
use super::interrupt::Guarded;
use super::{CommandError, CommandResult};
use crate::chess::Square;
use crate::formats::{self, Document, FORMATS, Format, Shape};
use clap::builder::PossibleValuesParser;
use std::ffi::OsString;
use std::path::PathBuf;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The input format [default: by file name or content].
    #[arg(long, value_name = "FORMAT", value_parser = names())]
    from: Option<String>,
    /// The output format.
    #[arg(long, value_name = "FORMAT", value_parser = names())]
    to: String,
    /// Files (also .gz, .bz2, .zst), folders, patterns, `-` for standard input, or a position. The output
    /// holds all of them.
    #[arg(value_name = "FEN|FILE", default_value = "-")]
    input: Vec<OsString>,
    /// Write to this file; it is replaced when the output is complete.
    #[arg(short, long = "out", alias = "output", value_name = "FILE")]
    output: Option<PathBuf>,
    /// Keep the legal moves of a truncated or partly illegal game instead of skipping it.
    #[arg(long)]
    keep_prefix: bool,
    /// Draw the board from Black's side (html, svg).
    #[arg(long)]
    flip: bool,
    /// Draw an arrow: `e2e4`, with a prefix G, R, Y or B for its colour.
    #[arg(long, value_name = "ARROW", value_parser = parse_arrow)]
    arrow: Vec<Shape>,
    /// Mark a square: `e4`, with a prefix G, R, Y or B for its colour.
    #[arg(long, value_name = "SQUARE", value_parser = parse_mark)]
    mark: Vec<Shape>,
    /// Highlight this as the last move: `e2e4`.
    #[arg(long, value_name = "MOVE", value_parser = parse_last_move)]
    last_move: Option<(Square, Square)>,
}

const AFTER_HELP: &str = "\
If the output is a format of positions, a game is written as its last position; in PGN, a position is
a game without moves. array, ascii and unicode hold only the pieces.
Errors of the input are printed on standard error. In PGN, reading continues with the next game and the
status is 3, but a file given with -o is only written if there is no error or with --keep-prefix. If nothing
is written, the status is 2.

Examples:
  saavedra convert --from fen --to html '8/8/8/8/8/5k2/4p3/4K3 w - - 0 1' -o board.html
  saavedra convert --from pgn --to uci games.pgn
  saavedra convert --to pgn archive/ game.pgn -o all.pgn
  saavedra convert --to svg --arrow Re8e1 --mark e1 suite.epd -o suite.svg";

fn names() -> PossibleValuesParser {
    PossibleValuesParser::new(FORMATS.map(|format| format.name()))
}

fn parse_arrow(text: &str) -> Result<Shape, String> {
    let shape = Shape::parse(text).filter(|shape| !shape.is_mark());
    shape.ok_or_else(|| "not two squares, as in e2e4 or Ge2e4".into())
}

fn parse_mark(text: &str) -> Result<Shape, String> {
    let shape = Shape::parse(text).filter(|shape| shape.is_mark());
    shape.ok_or_else(|| "not a square, as in e4 or Re4".into())
}

fn parse_last_move(text: &str) -> Result<(Square, Square), String> {
    parse_arrow(text).map(|shape| (shape.from, shape.to))
}

fn format(name: &str) -> Result<&'static dyn Format, CommandError> {
    formats::by_name(name).ok_or_else(|| CommandError::Refused(format!("unknown format {name}")))
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let from = arguments.from.as_deref().map(format).transpose()?;
    let to = format(&arguments.to)?;
    let output = Guarded::new(|| Output::create(arguments.output.as_deref()), drop)?;
    let mut documents = InputDocuments::new(&arguments.input);
    (documents.format, documents.keep_prefix) = (from, arguments.keep_prefix);
    let mut has_documents = false;
    let mut drawn = documents.by_ref().map(|document| {
        has_documents = true;
        arguments.with_drawing(document)
    });
    to.write(&mut drawn, &mut &output)?;
    // After an error, the valid games go to standard output, but to a file only if asked.
    let is_file = output.change(|output| output.is_file()).unwrap_or(false);
    let may_be_partial = documents.only_games && (!is_file || arguments.keep_prefix);
    let has_errors = documents.errors > 0;
    let is_written = !has_errors || (may_be_partial && has_documents);
    if is_written {
        output.finish(Output::finish).unwrap_or(Ok(()))?;
    }
    super::left_out(has_errors, is_written)
}

impl Arguments {
    /// Adds the arrows, marks and highlights of the arguments to a document.
    fn with_drawing(&self, mut document: Document) -> Document {
        let drawing = &mut document.drawing;
        drawing.flipped |= self.flip;
        drawing.shapes.extend(self.arrow.iter().chain(&self.mark));
        drawing.last_move = self.last_move.or(drawing.last_move);
        document
    }
}
