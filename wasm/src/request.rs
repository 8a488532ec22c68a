//! Requests about positions, as JSON. A position is its FEN, so JavaScript holds nothing that must be
//! freed.

use saavedra::chess::{Board, Move, Square, perft};
use saavedra::engine;
use saavedra::search::score;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A request about a position.
#[derive(Deserialize)]
struct Request {
    request: Kind,
    /// A FEN or `startpos`.
    fen: String,
    /// Whether castling moves are written as king takes rook.
    #[serde(default)]
    chess960: bool,
    /// A move in UCI notation or SAN.
    #[serde(default, rename = "move")]
    text: String,
    /// The depth of perft.
    #[serde(default)]
    depth: u32,
}

/// What is requested.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    /// The description of the position.
    Board,
    /// The description of the position after the move.
    Make,
    /// The notations of the move.
    Move,
    /// The number of leaf nodes.
    Perft,
    /// The static evaluation.
    Evaluate,
}

/// The answer to a request.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Answer {
    /// A position.
    Board {
        fen: String,
        turn: &'static str,
        chess960: bool,
        status: &'static str,
        check: bool,
        moves: Vec<String>,
    },
    /// A move.
    Move { uci: String, san: String },
    /// A number. JavaScript has 53 bits for it.
    Number(i64),
    /// The request is refused.
    Error { message: String, illegal_move: bool },
}

/// Why a request is refused.
enum Refusal {
    Request(String),
    IllegalMove(String),
}

/// Answers a request; both are JSON.
///
/// ```
/// let request = r#"{ "request": "move", "fen": "startpos", "move": "g1f3" }"#;
/// let answer = saavedra_wasm::request::answer(request);
/// assert_eq!(answer, r#"{"move":{"uci":"g1f3","san":"Nf3"}}"#);
/// ```
pub fn answer(request: &str) -> String {
    let request = serde_json::from_str(request);
    let request = request.map_err(|error| Refusal::Request(error.to_string()));
    let answer = request.and_then(respond).unwrap_or_else(|refusal| {
        let (message, illegal_move) = match refusal {
            Refusal::Request(message) => (message, false),
            Refusal::IllegalMove(message) => (message, true),
        };
        Answer::Error {
            message,
            illegal_move,
        }
    });
    serde_json::to_string(&answer).unwrap_or_default()
}

fn respond(request: Request) -> Result<Answer, Refusal> {
    let refused = |error: &dyn fmt::Display| Refusal::Request(error.to_string());
    let board = match request.fen.trim() {
        "startpos" => Board::startpos(),
        fen => Board::from_fen(fen).map_err(|error| refused(&error))?,
    };
    let chess960 = request.chess960 || board.is_chess960();
    Ok(match request.request {
        Kind::Board => describe(&board, chess960),
        Kind::Make => describe(&board.make(parse(&board, &request.text)?), chess960),
        Kind::Move => {
            let m = parse(&board, &request.text)?;
            Answer::Move {
                uci: board.uci(m, chess960),
                san: board.san(m),
            }
        }
        Kind::Perft if request.depth > perft::MAX_DEPTH => {
            return Err(refused(&format_args!(
                "the depth is at most {}",
                perft::MAX_DEPTH
            )));
        }
        Kind::Perft => Answer::Number(perft::perft(&board, request.depth) as i64),
        Kind::Evaluate => {
            let evaluation = engine::embedded_evaluation().map_err(|error| refused(&error))?;
            Answer::Number(score::normalised(evaluation.of(&board)).into())
        }
    })
}

/// Parses a legal move in UCI notation or SAN.
fn parse(board: &Board, text: &str) -> Result<Move, Refusal> {
    let is_square = |part: Option<&str>| part.is_some_and(|part| part.parse::<Square>().is_ok());
    if is_square(text.get(..2)) && is_square(text.get(2..4)) {
        let result = board.parse_uci(text);
        return result.map_err(|error| Refusal::IllegalMove(error.to_string()));
    }
    board.parse_san(text).map_err(|error| {
        let fen = board.to_fen();
        Refusal::IllegalMove(format!("illegal move: {error} ({fen})"))
    })
}

fn describe(board: &Board, chess960: bool) -> Answer {
    let moves = board.legal_moves();
    Answer::Board {
        fen: board.to_fen(),
        turn: board.turn().name(),
        chess960,
        status: board.status().name(),
        check: board.in_check(),
        moves: moves.iter().map(|m| board.uci(*m, chess960)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered() {
        for (request, expected) in [
            (
                r#"{"request":"make","fen":"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1","move":"O-O-O"}"#,
                r#"{"board":{"fen":"4k3/8/8/8/8/8/8/2KR4 b - - 1 1","turn":"black","chess960":false,"#,
            ),
            (
                r#"{"request":"perft","fen":"startpos","depth":4}"#,
                r#"{"number":197281}"#,
            ),
        ] {
            let answer = answer(request);
            assert!(answer.starts_with(expected), "{request}: {answer}");
        }
    }

    #[test]
    fn refusals_say_why() {
        for (request, expected) in [
            ("", "EOF"),
            (r#"{"request":"none"}"#, "unknown variant"),
            (
                r#"{"request":"board","fen":"8/8/8/8/8/8/8/8 w - - 0 1"}"#,
                "king",
            ),
            (
                r#"{"request":"make","fen":"startpos","move":"e2e5"}"#,
                "illegal move e2e5",
            ),
            (
                r#"{"request":"move","fen":"startpos","move":"Ke3"}"#,
                "illegal move",
            ),
            (
                r#"{"request":"perft","fen":"startpos","depth":65}"#,
                "at most 64",
            ),
        ] {
            let answer = answer(request);
            assert!(answer.starts_with(r#"{"error":{"#), "{request}: {answer}");
            assert!(answer.contains(expected), "{request}: {answer}");
        }
    }
}
