//! Errors of reading documents, and their locations.

use saavedra_chess::{
    FenError, GameResult, IllegalMoveError, PieceKind, SanError, SetupError, Square,
};
use std::fmt;

/// A location in an input. All numbers start at 1.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Location {
    /// Number of the game, in formats of games.
    pub game: Option<u64>,
    /// Line.
    pub line: Option<u64>,
    /// Column in characters.
    pub column: Option<u64>,
}

impl Location {
    /// A line and a column.
    pub fn at(line: u64, column: u64) -> Location {
        Location { game: None, line: Some(line), column: Some(column) }
    }

    /// A whole line.
    pub fn line(line: u64) -> Location {
        Location { line: Some(line), ..Location::default() }
    }
}

/// The kind of an error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ErrorKind {
    /// Reading failed, with this message of the operating system.
    Read(String),
    /// The input is not UTF-8 text, for this reason.
    NotText(&'static str),
    /// The input has no document.
    Empty,
    /// The input has more than one position.
    MoreThanOne,
    /// A line, token or input is longer than this limit in bytes.
    TooLong(usize),
    /// The FEN is malformed.
    Fen(FenError),
    /// The position is invalid.
    Position(SetupError),
    /// A move in SAN is malformed, illegal or ambiguous; with the position as FEN.
    San(SanError, String),
    /// A move in UCI notation is malformed or illegal.
    Uci(IllegalMoveError),
    /// A null move while the side to move is in check.
    NullMoveInCheck,
    /// A diagram or array of a board is malformed.
    Diagram(DiagramError),
    /// An HTML page has no valid board.
    Html(HtmlError),
    /// A PGN game is malformed.
    Pgn(PgnError),
    /// An EPD operation is malformed: its opcode and the reason.
    Operation(String, &'static str),
    /// An SVG picture has no FEN in a `desc` element.
    NoDescription,
    /// The program was built without this feature.
    Unsupported(&'static str),
}

/// Why a diagram or array of a board is malformed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DiagramError {
    /// The number of rows is not eight.
    Rows(usize),
    /// The number of squares in a row is not eight: the row, from 1 at the top, and its length.
    RowLength(usize, usize),
    /// A symbol that is not a piece.
    Symbol(String),
    /// A number that is not a piece, and its square.
    Number(Square, i64),
}

/// Why the board of an HTML page is invalid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HtmlError {
    /// No element has `data-col` and `data-row`.
    NoBoard,
    /// These squares are missing.
    Missing(Vec<Square>),
    /// Two elements have the same square.
    Repeated(Square),
    /// The values of `data-col` and `data-row` are not a square.
    NotASquare(String, String),
    /// A square has this text, which is not a chess symbol.
    Symbol(Square, String),
    /// A square has several pieces.
    Several(Square, String),
    /// An attribute has an invalid value.
    Attribute(&'static str, String),
    /// Elements are nested deeper than this limit.
    TooDeep(usize),
}

/// Why a PGN game is malformed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PgnError {
    /// A token that is not a move, move number, NAG, comment or result.
    Token(String),
    /// A `)` without a `(`.
    CloseWithoutOpen,
    /// A variation before the first move.
    VariationWithoutMove,
    /// Variations are nested deeper than this limit.
    TooDeep(usize),
    /// A brace comment that is not closed before the tags of the next game or the end of the text.
    CommentNotClosed,
    /// A variation is not closed.
    VariationNotClosed,
    /// A game has more errors than this number.
    TooManyErrors(usize),
    /// The game is of a variant with other rules.
    Variant(String),
    /// The game has more moves than this limit.
    TooLong(usize),
    /// The game has more tag pairs than this limit.
    TooManyTags(usize),
    /// The tag `Result` and the result after the moves differ; the latter counts.
    Results(GameResult, GameResult),
}

/// An error and its location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FormatError {
    /// Where it is.
    pub location: Location,
    /// What it is.
    pub kind: ErrorKind,
}

/// The result of reading a document.
pub type Result<T> = std::result::Result<T, FormatError>;

impl FormatError {
    /// An error at a location.
    pub fn new(location: Location, kind: impl Into<ErrorKind>) -> FormatError {
        FormatError { location, kind: kind.into() }
    }

    /// The same error in a text that starts `lines` lines further down.
    #[must_use]
    pub fn below(mut self, lines: u64) -> FormatError {
        self.location.line = Some(self.location.line.unwrap_or(1) + lines);
        self
    }

    /// Whether nothing can be read after the error.
    pub(super) fn is_fatal(&self) -> bool {
        matches!(self.kind, ErrorKind::Read(_) | ErrorKind::NotText(_))
    }

    /// The message with its location: `FILE:LINE:COLUMN: message`.
    pub fn located(&self, file: &str) -> String {
        locate(file, self.location, &self.kind)
    }
}

/// A message with its location: `FILE:LINE:COLUMN: game N: message`, without the parts that are
/// `None`.
pub fn locate(file: &str, location: Location, message: &dyn fmt::Display) -> String {
    let mut text = file.to_owned();
    if let Some(line) = location.line {
        text += &format!(":{line}");
        if let Some(column) = location.column {
            text += &format!(":{column}");
        }
    }
    if let Some(game) = location.game {
        text += &format!(": game {game}");
    }
    format!("{text}: {message}")
}

impl fmt::Display for FormatError {
    /// The message without its location.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for FormatError {}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ErrorKind::Read(reason) => f.write_str(reason),
            ErrorKind::NotText(why) => write!(f, "not a text: {why}"),
            ErrorKind::Empty => f.write_str("no position found"),
            ErrorKind::MoreThanOne => f.write_str("more than one position"),
            ErrorKind::TooLong(limit) => write!(f, "longer than {limit} bytes"),
            ErrorKind::Fen(error) => error.fmt(f),
            ErrorKind::Position(error) => error.fmt(f),
            ErrorKind::San(error, fen) => write!(f, "illegal move: {error} ({fen})"),
            ErrorKind::Uci(error) => error.fmt(f),
            ErrorKind::NullMoveInCheck => f.write_str("illegal move: null move while in check"),
            ErrorKind::Diagram(kind) => kind.fmt(f),
            ErrorKind::Html(kind) => kind.fmt(f),
            ErrorKind::Pgn(kind) => kind.fmt(f),
            ErrorKind::Operation(opcode, why) => write!(f, "EPD operation {opcode:?} {why}"),
            ErrorKind::NoDescription => f.write_str("no desc element with a FEN"),
            ErrorKind::Unsupported(what) => write!(f, "this program was built without {what}"),
        }
    }
}

impl fmt::Display for DiagramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiagramError::Rows(n) => write!(f, "{n} rows instead of 8"),
            DiagramError::RowLength(row, n) => {
                write!(f, "row {row} has {n} squares instead of 8")
            }
            DiagramError::Symbol(text) => write!(f, "unknown piece {text:?}"),
            DiagramError::Number(square, n) => {
                let king = PieceKind::ALL.len();
                write!(f, "{n} on {square} is not a piece (-{king} to {king})")
            }
        }
    }
}

impl fmt::Display for HtmlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HtmlError::NoBoard => {
                f.write_str("no board: no element has both data-col and data-row")
            }
            HtmlError::Missing(squares) => {
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
            HtmlError::Repeated(square) => write!(f, "duplicate square {square}"),
            HtmlError::NotASquare(col, row) => {
                write!(f, "data-col={col:?} data-row={row:?} is not a square")
            }
            HtmlError::Symbol(square, text) => {
                write!(f, "unknown text {text:?} on square {square}")
            }
            HtmlError::Several(square, text) => {
                write!(f, "several pieces {text:?} on square {square}")
            }
            HtmlError::Attribute(name, value) => write!(f, "invalid attribute {name}={value:?}"),
            HtmlError::TooDeep(limit) => write!(f, "elements nested deeper than {limit}"),
        }
    }
}

impl fmt::Display for PgnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PgnError::Token(text) => write!(f, "{text:?} is not a move, comment or result"),
            PgnError::CloseWithoutOpen => f.write_str("\")\" without \"(\""),
            PgnError::VariationWithoutMove => f.write_str("a variation before any move"),
            PgnError::TooDeep(limit) => write!(f, "variations nested deeper than {limit}"),
            PgnError::CommentNotClosed => f.write_str("comment is not closed"),
            PgnError::VariationNotClosed => f.write_str("variation is not closed"),
            PgnError::TooManyErrors(limit) => write!(f, "more than {limit} errors in a game"),
            PgnError::Variant(name) => write!(f, "unsupported variant {name:?}"),
            PgnError::Results(tag, end) => {
                write!(f, "the tag Result is {tag}, but the moves end with {end}")
            }
            PgnError::TooManyTags(limit) => write!(f, "more than {limit} tag pairs in a game"),
            PgnError::TooLong(limit) => write!(f, "more than {limit} moves in a game"),
        }
    }
}

macro_rules! errors {
    ($($type:ty => $variant:ident),* $(,)?) => {$(
        impl From<$type> for ErrorKind {
            fn from(kind: $type) -> ErrorKind {
                ErrorKind::$variant(kind)
            }
        }
    )*};
}

errors! {
    FenError => Fen,
    SetupError => Position,
    IllegalMoveError => Uci,
    DiagramError => Diagram,
    HtmlError => Html,
    PgnError => Pgn,
}

impl From<std::io::Error> for ErrorKind {
    fn from(error: std::io::Error) -> ErrorKind {
        ErrorKind::Read(error.to_string())
    }
}
