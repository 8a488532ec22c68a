//! Positions and games out of documents: board pages and PGN.

use crate::problem::Problem;
use saavedra::chess::{Game, Setup};

/// The game of a PGN text: the first, if there are several.
///
/// # Errors
/// 422, naming the place.
pub fn pgn(_text: &str) -> Result<Game, Problem> {
    Err(Problem::refused("pgn", "not read yet"))
}

/// The set-up of an HTML board page.
///
/// # Errors
/// 422, naming the square.
pub fn html(_text: &str) -> Result<Setup, Problem> {
    Err(Problem::refused("html", "not read yet"))
}
