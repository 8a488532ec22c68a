//! Requests of JavaScript to the WebAssembly module, as JSON. A position is its FEN, so JavaScript holds nothing that
//! must be freed.

use crate::{
    GameRecord, RequestedGame, SearchedPosition, main_lines, read_games, review, write_games,
};
use saavedra::analysis::{DEFAULT_HASH, GROUP_SIZE, Solver, hash_for_groups};
use saavedra::chess::{Board, Color, Move, perft};
use saavedra::engine::{self, Limits, NAME, Strength};
use saavedra::eval::Evaluation;
use saavedra::eval::wdl::normalised_cp;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;

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
    /// The move to play or to explain.
    #[serde(default, rename = "move")]
    text: String,
    /// The depth of perft, or the maximum depth of a search.
    depth: Option<u32>,
    /// The maximum number of nodes of a search.
    nodes: Option<u64>,
    /// The time of a search in milliseconds.
    movetime: Option<u64>,
    /// UCI options to be set, by name and value.
    #[serde(default)]
    pub(crate) options: Vec<(String, String)>,
    /// The searched positions of a game, the last position first.
    #[serde(default)]
    searched: Vec<SearchedPosition>,
    /// Games in PGN, to be read.
    #[serde(default)]
    pub(crate) pgn: String,
    /// The side that solves exercises: `white`, `black` or `both`.
    side: Option<String>,
    /// A part of the name of the player who solves exercises.
    player: Option<String>,
    /// Games to be written, or whose positions are asked for.
    #[serde(default)]
    games: Vec<GameRecord>,
}

impl Fields {
    /// The move of the request, if it has one.
    pub(crate) fn asked_move(&self, requested: &RequestedGame) -> Result<Option<Move>, Refusal> {
        let board = requested.game.board();
        let parsed = || parse(board, &self.text, || "move".to_owned());
        (!self.text.is_empty()).then(parsed).transpose()
    }

    /// Who solves exercises.
    pub(crate) fn solver(&self) -> Result<Solver, Refusal> {
        let side = match self.side.as_deref() {
            None | Some("both") => None,
            Some("white") => Some(Color::White),
            Some("black") => Some(Color::Black),
            Some(_) => return Err(Refusal::new("side", &"side must be white, black or both")),
        };
        Ok(Solver { side, player: self.player.clone() })
    }

    /// The limits of a search; without one it goes on until it is stopped.
    pub(crate) fn limits(&self) -> Limits {
        let move_time = self.movetime.map(Duration::from_millis);
        Limits { depth: self.depth, nodes: self.nodes, move_time, ..Limits::default() }
    }
}

/// Why a request is refused.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Refusal {
    message: String,
    /// The field that is wrong.
    field: String,
    is_illegal_move: bool,
}

impl Refusal {
    /// A field is wrong.
    pub(crate) fn new(field: impl Into<String>, error: &dyn fmt::Display) -> Refusal {
        Refusal { message: error.to_string(), field: field.into(), is_illegal_move: false }
    }

    /// There is no request of this name.
    pub(crate) fn unknown(name: &str) -> Refusal {
        Refusal::new("request", &format_args!("no request {name:?}"))
    }
}

/// Sets up the game of a request.
pub(crate) fn requested_game(fields: &Fields) -> Result<RequestedGame, Refusal> {
    let start = RequestedGame::from_fen(&fields.fen);
    let mut requested = start.map_err(|error| Refusal::new("start", &error))?;
    for (i, text) in fields.moves.iter().enumerate() {
        let m = parse(requested.game.board(), text, || format!("moves[{i}]"))?;
        requested.game.push(m);
    }
    requested.chess960 |= fields.chess960;
    Ok(requested)
}

/// Answers a request about positions or games: its name, and its fields as JSON. The answer is `{"ok": …}`, or
/// `{"error": …}` with the reason why it is refused.
///
/// ```
/// let answer = saavedra_api::request::answer("perft", r#"{ "fen": "startpos", "depth": 2 }"#);
/// assert_eq!(answer, r#"{"ok":400}"#);
/// ```
pub fn answer(name: &str, fields: &str) -> String {
    answer_json(parse_fields(fields).and_then(|fields| respond(name, &fields))).to_string()
}

pub(crate) fn parse_fields(text: &str) -> Result<Fields, Refusal> {
    serde_json::from_str(text).map_err(|error| Refusal::new("request", &error))
}

pub(crate) fn answer_json(answer: Result<Value, Refusal>) -> Value {
    answer.map_or_else(|error| json!({ "error": error }), |ok| json!({ "ok": ok }))
}

fn respond(name: &str, fields: &Fields) -> Result<Value, Refusal> {
    match name {
        "readGames" => return Ok(json!(read_games(&fields.pgn))),
        "writeGames" => {
            let written = write_games(&fields.games).map(Value::from);
            return written.map_err(|(field, error)| Refusal::new(field, &error));
        }
        "mainLines" => {
            let lines = main_lines(&fields.games).map(|lines| json!(lines));
            return lines.map_err(|(field, error)| Refusal::new(field, &error));
        }
        "about" => return Ok(about(fields)),
        _ => {}
    }
    let mut requested = requested_game(fields)?;
    let board = *requested.game.board();
    Ok(match name {
        "position" => json!(requested.describe(true)),
        "play" => {
            requested.game.push(parse(&board, &fields.text, || "move".to_owned())?);
            json!(requested.describe_with_last_move())
        }
        "perft" => {
            let depth = fields.depth.unwrap_or_default();
            if depth > perft::MAX_DEPTH {
                let error = format_args!("is at most {}", perft::MAX_DEPTH);
                return Err(Refusal::new("depth", &error));
            }
            perft::perft(&board, depth).into()
        }
        "evaluate" => {
            let evaluation = engine::embedded_evaluation();
            let evaluation = evaluation.map_err(|error| Refusal::new("request", &error))?;
            normalised_cp(evaluation.evaluate(&board)).into()
        }
        "review" => {
            let reviewed = review(requested, &fields.searched, &Evaluation::embedded());
            json!(reviewed.map_err(|(field, error)| Refusal::new(field, &error))?)
        }
        _ => return Err(Refusal::unknown(name)),
    })
}

/// The engine: its name, the range of its limited strength, and for a review the positions of a group
/// and the megabytes of hash that it searches them with.
fn about(fields: &Fields) -> Value {
    let elo = json!({ "min": Strength::WEAKEST.elo(), "max": Strength::FULL.elo() });
    let hash = hash_for_groups(DEFAULT_HASH, fields.nodes);
    json!({ "name": NAME, "elo": elo, "group": { "size": GROUP_SIZE, "hash": hash } })
}

/// Parses a legal move in UCI notation or SAN.
fn parse(board: &Board, text: &str, field: impl FnOnce() -> String) -> Result<Move, Refusal> {
    board
        .parse_move(text)
        .map_err(|error| Refusal { is_illegal_move: true, ..Refusal::new(field(), &error) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered() {
        for (name, fields, expected) in [
            (
                "play",
                r#"{"fen":"4k3/8/8/8/8/8/8/R3K3 w Q - 0 1","move":"O-O-O"}"#,
                r#""fen":"4k3/8/8/8/8/8/8/2KR4 b - - 1 1""#,
            ),
            ("perft", r#"{"fen":"startpos","depth":4}"#, "197281"),
            (
                "mainLines",
                r#"{"games":[{"tags":[],"result":"*","nodes":[{},{"san":"e4"}]}]}"#,
                "/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\"]]",
            ),
            (
                "play",
                r#"{"fen":"startpos","moves":["e4"],"move":"Nf6"}"#,
                r#""from":"g8","to":"f6""#,
            ),
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
            ("position", "", "EOF"),
            ("none", start, "no request"),
            ("position", r#"{"fen":"8/8/8/8/8/8/8/8 w - - 0 1"}"#, "king"),
            ("play", r#"{"fen":"startpos","move":"e2e5"}"#, "illegal move e2e5"),
            ("play", r#"{"fen":"startpos","move":"Ke3"}"#, "illegal move"),
            ("position", r#"{"fen":"startpos","moves":["e4","e4"]}"#, "moves[1]"),
            ("perft", r#"{"fen":"startpos","depth":65}"#, "at most 64"),
        ] {
            let answer = answer(name, fields);
            assert!(answer.starts_with(r#"{"error":{"#), "{name} {fields}: {answer}");
            assert!(answer.contains(expected), "{name} {fields}: {answer}");
        }
    }
}
