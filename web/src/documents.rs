//! Imports positions and games from text: board pages, PGN, and formats detected by content.

use crate::problem::{Code, Problem};
use saavedra::formats::{Content, Document, Format, FormatError, by_content, html::Html, pgn::Pgn};

/// The first game of a PGN text.
///
/// # Errors
/// 422 with line and column.
pub fn pgn(text: &str) -> Result<Document, Problem> {
    import(&Pgn, text)
}

/// The position of a board page.
///
/// # Errors
/// 422, naming the square.
pub fn html(text: &str) -> Result<Document, Problem> {
    import(&Html, text)
}

/// The position or game of a text whose format is detected: a FEN, a PGN, a diagram.
///
/// # Errors
/// 422 with line and column.
pub fn text(text: &str) -> Result<Document, Problem> {
    import(by_content(text), text)
}

/// The position or the first game of a text.
fn import(format: &dyn Format, text: &str) -> Result<Document, Problem> {
    let name = format.name();
    let document = match format.content() {
        Content::Game => format.read(Box::new(text.as_bytes())).next(),
        Content::Pieces | Content::Position => Some(format.import(text)),
    };
    match document {
        Some(Ok(document)) => Ok(document),
        Some(Err(error)) => {
            Err(Problem::unprocessable(Code::InvalidPosition, name, with_location(&error)))
        }
        None => Err(Problem::unprocessable(Code::InvalidPosition, name, "contains no game")),
    }
}

/// The error with its line and column.
fn with_location(error: &FormatError) -> String {
    match (error.location.line, error.location.column) {
        (Some(line), Some(column)) => format!("{error} (line {line}, column {column})"),
        (Some(line), None) => format!("{error} (line {line})"),
        (None, _) => error.to_string(),
    }
}
