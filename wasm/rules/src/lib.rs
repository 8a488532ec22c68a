//! The rules of chess for the board page, as a WebAssembly module without an engine.
//!
//! `make rules` builds it as `web/assets/rules.wasm`, which the page loads (`web/assets/rules.js`). So a move
//! stands on the board without a request to the server.

#[cfg(target_family = "wasm")]
mod exports;

use saavedra_api::{PositionResponse, RequestedGame};
use serde::Serialize;

/// The answer, as JSON.
#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Ok(Box<PositionResponse>),
    Error(Refusal),
}

/// Why a game is refused.
#[derive(Serialize)]
struct Refusal {
    /// What is wrong: `start`, or a move, such as `moves[3]`.
    field: String,
    message: String,
}

/// Describes the last position of a game and its moves, as `POST /api/v1/moves` of the web service does:
/// `{"ok": …}`, or `{"error": {"field": …, "message": …}}`.
///
/// The game has a line with `chess960` if castling moves are to be written as king takes rook, else an empty
/// one; the FEN of the first position or `startpos`; then each move on a line, in UCI notation or SAN. (A
/// reader of JSON would be a third of the module.)
///
/// ```
/// let refused = saavedra_rules::position("\nstartpos\ne4\ne7e4");
/// let expected = r#"{"error":{"field":"moves[1]","message":"illegal move e7e4: that piece cannot move there"}}"#;
/// assert_eq!(refused, expected);
/// ```
pub fn position(game: &str) -> String {
    let answer = match describe(game) {
        Ok(described) => Answer::Ok(Box::new(described)),
        Err(refusal) => Answer::Error(refusal),
    };
    // Writing texts as JSON cannot fail.
    serde_json::to_string(&answer).unwrap_or_default()
}

fn describe(game: &str) -> Result<PositionResponse, Refusal> {
    let mut lines = game.split('\n');
    let is_chess960 = lines.next() == Some("chess960");
    let mut requested = RequestedGame::from_fen(lines.next().unwrap_or_default())
        .map_err(|error| Refusal { field: "start".to_owned(), message: error.to_string() })?;
    for (index, text) in lines.enumerate() {
        let m = requested.game.board().parse_move(text).map_err(|error| Refusal {
            field: format!("moves[{index}]"),
            message: error.without_position(),
        })?;
        requested.game.push(m);
    }
    requested.chess960 |= is_chess960;
    Ok(requested.describe(true))
}
