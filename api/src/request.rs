//! Requests of JavaScript to the WebAssembly module, as JSON. A position is its FEN, so JavaScript holds nothing that
//! must be freed.

use crate::page;
use crate::{GameRecord, RequestedGame};
use saavedra::chess::{Board, Move, perft};
use saavedra::engine;
use saavedra::eval::wdl::normalised_cp;
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt;

/// The fields of a request.
#[derive(Deserialize)]
pub(crate) struct Fields {
    /// A FEN or `startpos`.
    #[serde(default)]
    fen: String,
    /// Moves that are played from there first, in UCI notation or SAN.
    #[serde(default)]
    moves: Vec<String>,
    /// Whether castling moves are written as king takes rook.
    #[serde(default)]
    chess960: bool,
    /// The move that the request is about.
    #[serde(default, rename = "move")]
    text: String,
    /// The depth of perft.
    #[serde(default)]
    depth: u32,
    /// Moves of a principal variation.
    #[serde(default)]
    pub(crate) pv: Vec<String>,
    /// The searched positions of a game, the last position first.
    #[serde(default)]
    pub(crate) searched: Vec<page::Searched>,
    /// Games in PGN, to be read.
    #[serde(default)]
    pub(crate) pgn: String,
    /// Games to be written.
    #[serde(default)]
    pub(crate) games: Vec<GameRecord>,
}

/// Why a request is refused.
pub(crate) struct Refusal {
    message: String,
    /// The field that is wrong, if it is known.
    field: Option<String>,
    is_illegal_move: bool,
}

impl Refusal {
    /// A field is wrong.
    pub(crate) fn new(field: impl Into<String>, error: &dyn fmt::Display) -> Refusal {
        Refusal { message: error.to_string(), field: Some(field.into()), is_illegal_move: false }
    }
}

/// Sets up the game of a request.
fn requested_game(fields: &Fields) -> Result<RequestedGame, Refusal> {
    let start = RequestedGame::from_fen(&fields.fen);
    let mut requested = start.map_err(|error| Refusal::new("start", &error))?;
    for (i, text) in fields.moves.iter().enumerate() {
        let m = parse(requested.game.board(), text, || format!("moves[{i}]"))?;
        requested.game.push(m);
    }
    requested.chess960 |= fields.chess960;
    Ok(requested)
}

/// The move that the request is about.
pub(crate) fn requested_move(board: &Board, fields: &Fields) -> Result<Move, Refusal> {
    parse(board, &fields.text, || "move".to_owned())
}

/// Answers a request: its name, and its fields as JSON. The answer is `{"ok": …}`, or `{"error":
/// …}` with the reason why it is refused.
///
/// ```
/// let answer = saavedra_api::request::answer("san", r#"{ "fen": "startpos", "move": "g1f3" }"#);
/// assert_eq!(answer, r#"{"ok":"Nf3"}"#);
/// ```
pub fn answer(name: &str, fields: &str) -> String {
    let answer = match respond(name, fields) {
        Ok(value) => json!({ "ok": value }),
        Err(refusal) => json!({ "error": {
            "message": refusal.message,
            "field": refusal.field,
            "isIllegalMove": refusal.is_illegal_move,
        }}),
    };
    answer.to_string()
}

fn respond(name: &str, fields: &str) -> Result<Value, Refusal> {
    let fields: Fields = serde_json::from_str(fields).map_err(|e| Refusal::new("request", &e))?;
    if let Some(answer) = page::respond_with_games(name, &fields) {
        return answer;
    }
    let mut requested = requested_game(&fields)?;
    if name == "make" {
        let m = requested_move(requested.game.board(), &fields)?;
        requested.game.push(m);
    }
    let board = requested.game.board();
    Ok(match name {
        "board" | "make" => describe(&requested, board),
        "uci" => requested.uci(board, requested_move(board, &fields)?).into(),
        "san" => board.san(requested_move(board, &fields)?).into(),
        "perft" if fields.depth > perft::MAX_DEPTH => {
            let error = format_args!("is at most {}", perft::MAX_DEPTH);
            return Err(Refusal::new("depth", &error));
        }
        "perft" => perft::perft(board, fields.depth).into(),
        "evaluate" => {
            let evaluation = engine::embedded_evaluation();
            let evaluation = evaluation.map_err(|error| Refusal::new("request", &error))?;
            normalised_cp(evaluation.evaluate(board)).into()
        }
        _ => return page::respond(name, &fields, requested),
    })
}

/// Parses a legal move in UCI notation or SAN.
fn parse(board: &Board, text: &str, field: impl FnOnce() -> String) -> Result<Move, Refusal> {
    board
        .parse_move(text)
        .map_err(|error| Refusal { is_illegal_move: true, ..Refusal::new(field(), &error) })
}

fn describe(requested: &RequestedGame, board: &Board) -> Value {
    let moves = board.legal_moves();
    let moves: Vec<String> = moves.iter().map(|m| requested.uci(board, *m)).collect();
    json!({
        "fen": board.to_fen(),
        "turn": board.turn().name(),
        "chess960": requested.chess960,
        "status": board.status().name(),
        "check": board.in_check(),
        "moves": moves,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered() {
        for (name, fields, expected) in [
            (
                "make",
                r#"{"fen":"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1","move":"O-O-O"}"#,
                r#""fen":"4k3/8/8/8/8/8/8/2KR4 b - - 1 1""#,
            ),
            ("perft", r#"{"fen":"startpos","depth":4}"#, "197281"),
            ("uci", r#"{"fen":"startpos","moves":["e4"],"move":"Nf6"}"#, "g8f6"),
        ] {
            let answer = answer(name, fields);
            assert!(answer.starts_with(r#"{"ok":"#), "{name} {fields}: {answer}");
            assert!(answer.contains(expected), "{name} {fields}: {answer}");
        }
    }

    #[test]
    fn refusals_say_why() {
        let start = r#"{"fen":"startpos"}"#;
        for (name, fields, expected) in [
            ("board", "", "EOF"),
            ("none", start, "no request"),
            ("board", r#"{"fen":"8/8/8/8/8/8/8/8 w - - 0 1"}"#, "king"),
            ("make", r#"{"fen":"startpos","move":"e2e5"}"#, "illegal move e2e5"),
            ("san", r#"{"fen":"startpos","move":"Ke3"}"#, "illegal move"),
            ("board", r#"{"fen":"startpos","moves":["e4","e4"]}"#, "moves[1]"),
            ("perft", r#"{"fen":"startpos","depth":65}"#, "at most 64"),
        ] {
            let answer = answer(name, fields);
            assert!(answer.starts_with(r#"{"error":{"#), "{name} {fields}: {answer}");
            assert!(answer.contains(expected), "{name} {fields}: {answer}");
        }
    }
}
