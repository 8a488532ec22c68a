//! `saavedra convert`: converts positions and games between formats.

use super::files::{self, Input, Output};
use super::{CommandError, CommandResult, report};
use crate::chess::Square;
use crate::formats::{
    self, Content, Document, ErrorKind, FORMATS, Format, FormatError, Location, Shape,
};
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
    /// A file, `-` for standard input, or a position.
    #[arg(default_value = "-")]
    input: OsString,
    /// Write to this file; it is replaced when the output is complete.
    #[arg(short, long, value_name = "FILE")]
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
Errors of the input are printed on standard error and the status is 2. In PGN, reading continues with
the next game, but a file given with -o is only written if there is no error or with --keep-prefix.

Examples:
  saavedra convert --from fen --to html '8/8/8/8/8/5k2/4p3/4K3 w - - 0 1' -o board.html
  saavedra convert --from pgn --to uci games.pgn
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
    let input = Input::open(&arguments.input)?.with_progress();
    let from = match &arguments.from {
        Some(name) => format(name)?,
        None => input.format(),
    };
    let to = format(&arguments.to)?;
    let mut output = Output::create(arguments.output.as_deref())?;
    let (name, reader) = input.into_parts();
    let mut counts = InputCounts::new(name);
    let documents = files::documents(from, reader, arguments.keep_prefix);
    let mut documents = documents.filter_map(|document| match document {
        Ok(document) => {
            counts.document(&document);
            Some(arguments.with_drawing(document))
        }
        Err(error) => {
            counts.error(&error);
            None
        }
    });
    to.write(&mut documents, &mut output)?;
    drop(documents);
    counts.finish();
    // After an error, the valid games go to standard output, but to a file only if asked.
    let may_be_partial = !output.is_file() || (arguments.keep_prefix && counts.documents > 0);
    let complete = counts.errors == 0 || (from.content() == Content::Game && may_be_partial);
    if complete {
        output.finish()?;
    }
    super::left_out(counts.errors > 0, complete && counts.documents > 0)
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

/// Prints the errors of an input and counts its documents.
struct InputCounts {
    name: Option<String>,
    documents: u64,
    errors: u64,
    repaired: u64,
}

impl InputCounts {
    fn new(name: Option<String>) -> InputCounts {
        InputCounts { name, documents: 0, errors: 0, repaired: 0 }
    }

    fn error(&mut self, error: &FormatError) {
        self.errors += 1;
        report(&files::message(self.name.as_deref(), error));
    }

    fn document(&mut self, document: &Document) {
        self.documents += 1;
        self.repaired += u64::from(!document.repairs.is_empty());
        for error in &document.errors {
            self.error(error);
        }
    }

    /// Reports an empty input and the number of repaired positions.
    fn finish(&mut self) {
        if self.documents + self.errors == 0 {
            self.error(&FormatError::new(Location::default(), ErrorKind::Empty));
        }
        if self.repaired > 0 {
            report(&format_args!(
                "{}: positions that were repaired: {}",
                self.name.as_deref().unwrap_or("note"),
                self.repaired
            ));
        }
    }
}
