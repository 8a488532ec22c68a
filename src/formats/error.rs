//! What is wrong with a document, and where.

use crate::chess::{FenError, IllegalMoveError, PieceKind, SanError, SetupError, Square};
use std::fmt;

/// Where in an input something is; all counts begin with 1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Place {
    /// The game, in formats of games.
    pub game: Option<u64>,
    /// The line.
    pub line: Option<u64>,
    /// The column, in characters.
    pub column: Option<u64>,
}

impl Place {
    /// A line and a column.
    pub fn at(line: u64, column: u64) -> Place {
        Place {
            game: None,
            line: Some(line),
            column: Some(column),
        }
    }

    /// A line as a whole.
    pub fn line(line: u64) -> Place {
        Place {
            line: Some(line),
            ..Place::default()
        }
    }
}

/// What is wrong with a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Reading failed, for this reason of the operating system.
    Read(String),
    /// It is no text: binary, or of an unknown encoding.
    NotText(&'static str),
    /// There is nothing in it.
    Empty,
    /// There is more than the one position asked for.
    MoreThanOne,
    /// A line, token or page is larger than anything sensible; the limit in bytes.
    TooLong(usize),
    /// The FEN is malformed.
    Fen(FenError),
    /// The position is impossible.
    Position(SetupError),
    /// The text of a move means no legal move; the position as FEN.
    San(SanError, String),
    /// A move in UCI notation is not legal.
    Uci(IllegalMoveError),
    /// The side to move passes while it is in check.
    PassInCheck,
    /// A board drawn in text or given as numbers is malformed.
    Diagram(DiagramFault),
    /// An HTML page shows no sound board.
    Html(HtmlFault),
    /// A PGN file cannot be read further here.
    Pgn(PgnFault),
    /// An EPD operation is malformed: which, and how.
    Operation(String, &'static str),
    /// There is no FEN in an SVG picture's description.
    NoDescription,
    /// This program was built without the means to read the format.
    NotBuilt(&'static str),
}

/// What is wrong with a board drawn in text or given as numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiagramFault {
    /// It has so many rows instead of eight.
    Rows(usize),
    /// This row, counted from the top, has so many squares instead of eight.
    RowLength(usize, usize),
    /// This is no piece.
    Symbol(String),
    /// This number is no piece, on this square.
    Number(Square, i64),
}

/// What is wrong with the board of an HTML page.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HtmlFault {
    /// No element has `data-col` and `data-row`.
    NoBoard,
    /// These squares are missing.
    Missing(Vec<Square>),
    /// This square is there twice.
    Repeated(Square),
    /// These values of `data-col` and `data-row` name no square.
    NotASquare(String, String),
    /// This text is on this square, and no chess symbol.
    Symbol(Square, String),
    /// Several pieces are on this square.
    Several(Square, String),
    /// This attribute has a value it cannot have.
    Attribute(&'static str, String),
}

/// What cannot be taken in a PGN file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PgnFault {
    /// This is no move, number, comment, annotation or result.
    Token(String),
    /// A variation is closed that was not opened.
    CloseWithoutOpen,
    /// A variation begins where no move was made to vary.
    VariationWithoutMove,
    /// Variations are nested deeper than this.
    TooDeep(usize),
    /// A comment runs into the next game.
    CommentNotClosed,
    /// The game is of this variant, whose rules are others.
    Variant(String),
    /// The game has more moves than this.
    TooLong(usize),
}

/// A fault and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub fault: Fault,
}

/// What reading a document gives.
pub type Result<T> = std::result::Result<T, FormatError>;

impl FormatError {
    /// A fault at a place.
    pub fn new(place: Place, fault: impl Into<Fault>) -> FormatError {
        FormatError {
            place,
            fault: fault.into(),
        }
    }

    /// The same fault, in a text that begins `lines` lines further down.
    #[must_use]
    pub fn below(mut self, lines: u64) -> FormatError {
        self.place.line = Some(self.place.line.unwrap_or(1) + lines);
        self
    }

    /// The message with its place, as compilers write it: `FILE:LINE:COLUMN: message`.
    pub fn located(&self, file: &str) -> String {
        locate(file, self.place, &self.fault)
    }
}

/// A message with its place, as compilers write it: `FILE:LINE:COLUMN: game N: message`, as far as
/// known.
pub fn locate(file: &str, place: Place, message: &dyn fmt::Display) -> String {
    let mut text = file.to_owned();
    if let Some(line) = place.line {
        text += &format!(":{line}");
        if let Some(column) = place.column {
            text += &format!(":{column}");
        }
    }
    if let Some(game) = place.game {
        text += &format!(": game {game}");
    }
    format!("{text}: {message}")
}

impl fmt::Display for FormatError {
    /// The message without its place.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fault.fmt(f)
    }
}

impl std::error::Error for FormatError {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Read(reason) => f.write_str(reason),
            Fault::NotText(what) => write!(f, "this is no text: {what}"),
            Fault::Empty => f.write_str("there is no position in it"),
            Fault::MoreThanOne => f.write_str("there is more than one position in it"),
            Fault::TooLong(limit) => write!(f, "longer than the {limit} bytes allowed"),
            Fault::Fen(error) => error.fmt(f),
            Fault::Position(error) => error.fmt(f),
            Fault::San(error, fen) => write!(f, "illegal move: {error} ({fen})"),
            Fault::Uci(error) => error.fmt(f),
            Fault::PassInCheck => f.write_str("illegal move: passing while in check"),
            Fault::Diagram(fault) => fault.fmt(f),
            Fault::Html(fault) => fault.fmt(f),
            Fault::Pgn(fault) => fault.fmt(f),
            Fault::Operation(name, what) => write!(f, "EPD operation {name:?} {what}"),
            Fault::NoDescription => f.write_str("no FEN in the picture's description"),
            Fault::NotBuilt(what) => write!(f, "this program was built without {what}"),
        }
    }
}

impl fmt::Display for DiagramFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiagramFault::Rows(n) => write!(f, "{n} rows instead of 8"),
            DiagramFault::RowLength(row, n) => {
                write!(f, "row {row} has {n} squares instead of 8")
            }
            DiagramFault::Symbol(text) => write!(f, "unknown piece {text:?}"),
            DiagramFault::Number(square, n) => {
                let king = PieceKind::ALL.len();
                write!(f, "{n} on {square} is no piece (-{king} to {king})")
            }
        }
    }
}

impl fmt::Display for HtmlFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HtmlFault::NoBoard => {
                f.write_str("no board: no element has both data-col and data-row")
            }
            HtmlFault::Missing(squares) => {
                f.write_str(match squares.len() {
                    1 => "missing square",
                    _ => "missing squares",
                })?;
                let shown = squares.len().min(8);
                for square in &squares[..shown] {
                    write!(f, " {square}")?;
                }
                match squares.len() - shown {
                    0 => Ok(()),
                    more => write!(f, " and {more} more"),
                }
            }
            HtmlFault::Repeated(square) => write!(f, "square {square} is there twice"),
            HtmlFault::NotASquare(col, row) => {
                write!(f, "data-col={col:?} data-row={row:?} is no square")
            }
            HtmlFault::Symbol(square, text) => {
                write!(f, "unknown text {text:?} on square {square}")
            }
            HtmlFault::Several(square, text) => {
                write!(f, "several pieces {text:?} on square {square}")
            }
            HtmlFault::Attribute(name, value) => write!(f, "{name}={value:?} makes no sense"),
        }
    }
}

impl fmt::Display for PgnFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PgnFault::Token(text) => write!(f, "{text:?} is no move, comment or result"),
            PgnFault::CloseWithoutOpen => f.write_str("\")\" without \"(\""),
            PgnFault::VariationWithoutMove => f.write_str("a variation before any move"),
            PgnFault::TooDeep(limit) => write!(f, "variations nested deeper than {limit}"),
            PgnFault::CommentNotClosed => f.write_str("the comment is not closed"),
            PgnFault::Variant(name) => write!(f, "the rules of variant {name:?} are not known"),
            PgnFault::TooLong(limit) => write!(f, "a game of more than {limit} moves"),
        }
    }
}

macro_rules! faults {
    ($($type:ty => $variant:ident),* $(,)?) => {$(
        impl From<$type> for Fault {
            fn from(fault: $type) -> Fault {
                Fault::$variant(fault)
            }
        }
    )*};
}

faults! {
    FenError => Fen,
    SetupError => Position,
    IllegalMoveError => Uci,
    DiagramFault => Diagram,
    HtmlFault => Html,
    PgnFault => Pgn,
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Fault {
        Fault::Read(error.to_string())
    }
}
