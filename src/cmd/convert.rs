//! `saavedra convert`: positions and games from one format to another.

use super::files::{self, Input, Output};
use super::{CommandError, CommandResult};
use crate::chess::Square;
use crate::formats::{
    self, Content, Document, ErrorKind, FORMATS, Format, FormatError, Location, Shape,
};
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

/// What to convert.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// The format of the input; told by its name or content if not given.
    #[arg(long, value_name = "FORMAT", value_parser = names())]
    from: Option<String>,
    /// The format of the result.
    #[arg(long, value_name = "FORMAT", value_parser = names())]
    to: String,
    /// A file, `-` for standard input, or a position itself.
    #[arg(default_value = "-")]
    input: String,
    /// Write to this file, which appears when it is complete.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show the board from Black's side, in pages and pictures.
    #[arg(long)]
    flip: bool,
    /// Draw an arrow: `e2e4`, or with a colour of G, R, Y, B before it.
    #[arg(long, value_name = "ARROW", value_parser = parse_arrow)]
    arrow: Vec<Shape>,
    /// Mark a square: `e4`, or with a colour of G, R, Y, B before it.
    #[arg(long, value_name = "SQUARE", value_parser = parse_mark)]
    mark: Vec<Shape>,
    /// Show this as the last move: `e2e4`.
    #[arg(long, value_name = "MOVE", value_parser = parse_last_move)]
    last_move: Option<(Square, Square)>,
}

const AFTER_HELP: &str = "\
A game becomes the position it ends with where the result is a format of positions; a position
becomes a game without moves. Diagrams (array, ascii, unicode) keep the pieces alone.
What cannot be read is named on standard error and the status is 2; in PGN, reading goes on with the
next game, but a file given with -o is only written if there was nothing to refuse.

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
    let mut told = Told::new(name);
    let mut documents = from.read(reader).filter_map(|document| match document {
        Ok(document) => {
            told.document(&document);
            Some(arguments.drawn(document))
        }
        Err(error) => {
            told.refuse(&error);
            None
        }
    });
    to.write(&mut documents, &mut output)?;
    drop(documents);
    told.end();
    // The good games of a file are a result where they go on in a stream; nothing else is.
    let complete = told.refused == 0 || (from.content() == Content::Game && !output.is_file());
    if complete {
        output.finish()?;
    }
    told.outcome()
}

impl Arguments {
    /// A document with what is to be drawn on its board.
    fn drawn(&self, mut document: Document) -> Document {
        let drawing = &mut document.drawing;
        drawing.flipped |= self.flip;
        drawing.shapes.extend(self.arrow.iter().chain(&self.mark));
        drawing.last_move = self.last_move.or(drawing.last_move);
        document
    }
}

/// What has been said about the input, and what is still to be said.
struct Told {
    name: Option<String>,
    read: u64,
    refused: u64,
    repaired: u64,
}

impl Told {
    fn new(name: Option<String>) -> Told {
        Told {
            name,
            read: 0,
            refused: 0,
            repaired: 0,
        }
    }

    fn refuse(&mut self, error: &FormatError) {
        self.refused += 1;
        eprintln!("saavedra: {}", files::message(self.name.as_deref(), error));
    }

    fn document(&mut self, document: &Document) {
        self.read += 1;
        self.repaired += u64::from(!document.repairs.is_empty());
        for fault in &document.errors {
            self.refuse(fault);
        }
    }

    /// All has been read.
    fn end(&mut self) {
        if self.read + self.refused == 0 {
            self.refuse(&FormatError::new(Location::default(), ErrorKind::Empty));
        }
        if self.repaired > 0 {
            eprintln!(
                "saavedra: {}: positions with castling rights or en passant squares that cannot \
                 be, left out: {}",
                self.name.as_deref().unwrap_or("note"),
                self.repaired
            );
        }
    }

    fn outcome(self) -> CommandResult {
        match self.refused {
            0 => Ok(()),
            _ => Err(CommandError::Reported),
        }
    }
}
