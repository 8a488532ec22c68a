//! Positions and games out of documents: board pages, PGN, and whatever else people paste.

use crate::problem::Problem;
use saavedra::formats::{Document, Format, FormatError, Keeps, by_content, by_name};

/// The first game of a PGN text.
///
/// # Errors
/// 422, naming the place.
pub fn pgn(text: &str) -> Result<Document, Problem> {
    named("pgn", text)
}

/// The position of a board page.
///
/// # Errors
/// 422, naming the square.
pub fn html(text: &str) -> Result<Document, Problem> {
    named("html", text)
}

/// The position or game of a text in the form it looks like: a FEN, a PGN, a diagram …
///
/// # Errors
/// 422, naming the place.
pub fn text(text: &str) -> Result<Document, Problem> {
    read(by_content(text), text)
}

fn named(name: &str, text: &str) -> Result<Document, Problem> {
    read(by_name(name).ok_or_else(Problem::internal)?, text)
}

/// The document of a text: the only position, or the first game.
fn read(format: &dyn Format, text: &str) -> Result<Document, Problem> {
    let name = format.name();
    let read = match format.keeps() {
        Keeps::Game => format.read(Box::new(text.as_bytes())).next(),
        Keeps::Pieces | Keeps::Position => Some(format.import(text)),
    };
    match read {
        Some(Ok(document)) => Ok(document),
        Some(Err(error)) => Err(Problem::refused(name, placed(&error))),
        None => Err(Problem::refused(name, "there is no game in it")),
    }
}

/// What is wrong and where in the text.
fn placed(error: &FormatError) -> String {
    match (error.place.line, error.place.column) {
        (Some(line), Some(column)) => format!("{error} (line {line}, column {column})"),
        (Some(line), None) => format!("{error} (line {line})"),
        (None, _) => error.to_string(),
    }
}
