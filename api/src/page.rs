//! Requests of the board page without a server. The answers equal the web service's.

use crate::request::{Fields, Refusal, requested_move};
use crate::{RequestedGame, ReviewResponse, ReviewStatus, read_games, write_games};
use saavedra::analysis::{AnalysisResult, ReviewBuilder, ReviewedPosition};
use saavedra::chess::{Board, Game, Move};
use saavedra::engine::{NAME, PvLine, Score, SearchResult, Strength};
use saavedra::formats::Tree;
use serde::Deserialize;
use serde_json::{Value, json, to_value};
use std::time::Duration;

/// The result of a search of a position, as UCI reports it.
#[derive(Deserialize)]
pub(crate) struct Searched {
    cp: Option<i32>,
    mate: Option<i32>,
    depth: u32,
    nodes: u64,
    /// Milliseconds.
    time: u64,
    pv: Vec<String>,
}

pub(crate) fn respond(
    name: &str,
    fields: &Fields,
    mut requested: RequestedGame,
) -> Result<Value, Refusal> {
    let board = *requested.game.board();
    let answer = match name {
        "about" => Ok(about()),
        "position" => to_value(requested.describe(true)),
        "play" => {
            requested.game.push(requested_move(&board, fields)?);
            to_value(requested.describe_with_last_move())
        }
        "line" => {
            let (pv, pv_san) = requested.pv_text(&moves(&board, &fields.pv));
            let status = requested.game.status().name();
            Ok(json!({ "pv": pv, "pv_san": pv_san, "fen": board.to_fen(), "status": status }))
        }
        "review" => to_value(review(requested, &fields.searched)),
        _ => {
            let error = format_args!("no request {name:?}");
            return Err(Refusal::new("request", &error));
        }
    };
    answer.map_err(|error| Refusal::new("request", &error))
}

/// Answers a request without a position: to read or to write games. `None` for other requests.
pub(crate) fn respond_with_games(name: &str, fields: &Fields) -> Option<Result<Value, Refusal>> {
    Some(match name {
        "readGames" => to_value(read_games(&fields.pgn)).map_err(|e| Refusal::new("request", &e)),
        "writeGames" => match write_games(&fields.games) {
            Ok(pgn) => Ok(pgn.into()),
            Err((field, error)) => Err(Refusal::new(field, &error)),
        },
        _ => return None,
    })
}

/// The engine: its name, and the range of its limited strength.
fn about() -> Value {
    let elo = json!({ "min": Strength::WEAKEST.elo(), "max": Strength::FULL.elo() });
    json!({ "name": NAME, "elo": elo })
}

/// The moves of a line in UCI notation, up to the first that is not legal.
fn moves(board: &Board, line: &[String]) -> Vec<Move> {
    let mut game = Game::new(*board);
    for text in line {
        let Ok(m) = game.board().parse_uci(text) else { break };
        game.push(m);
    }
    game.moves().to_vec()
}

/// The review of the positions that are searched so far, which are the last ones of the game.
fn review(mut requested: RequestedGame, searched: &[Searched]) -> ReviewResponse {
    let positions = requested.game.boards().len();
    let mut builder = ReviewBuilder::new(&Tree::from_game(&requested.game));
    let mut response = ReviewResponse::new(None, ReviewStatus::Running, positions);
    for searched in searched.iter().take(positions) {
        let (ply, board) = (requested.game.moves().len(), *requested.game.board());
        let time = Duration::from_millis(searched.time);
        let result = AnalysisResult::new(ply, board, searched.result(&board), time);
        let reviewed = builder.add(ReviewedPosition::new(&result));
        response.add(&requested, reviewed, Duration::ZERO, time);
        requested.game.pop();
    }
    if searched.len() >= positions {
        response.finish(&builder.finish());
    }
    response
}

impl Searched {
    fn result(&self, board: &Board) -> SearchResult {
        let mut result = SearchResult::default();
        if board.has_legal_move() {
            let cp = Score::from_centipawns(self.cp.unwrap_or_default());
            let score = self.mate.map_or(cp, Score::from_mate);
            result.lines = vec![PvLine::new(score, self.depth, moves(board, &self.pv))];
            result.progress.nodes = self.nodes;
        }
        result
    }
}
