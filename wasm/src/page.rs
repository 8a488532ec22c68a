//! Requests of the board page without a server. The answers are the same as those of the web service
//! (`saavedra_api`).

use crate::request::{Fields, Refusal, requested_move};
use saavedra::analysis::{AnalysisResult, ReviewBuilder, ReviewedPosition};
use saavedra::chess::{Board, Move};
use saavedra::engine::{Bound, Info, NAME, SearchProgress, Strength};
use saavedra::formats::Tree;
use saavedra::search::score::{self, Score, is_decisive, mate_in, mated_in};
use saavedra_api::{RequestedGame, ReviewResponse, ReviewStatus};
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

/// The engine: its name, and the range of its limited strength.
fn about() -> Value {
    let elo = json!({ "min": Strength::WEAKEST.elo(), "max": Strength::FULL.elo() });
    json!({ "name": NAME, "elo": elo })
}

/// The moves of a line in UCI notation, up to the first that is not legal.
fn moves(board: &Board, line: &[String]) -> Vec<Move> {
    let mut board = *board;
    let mut moves = Vec::new();
    for text in line {
        let Ok(m) = board.parse_uci(text) else { break };
        moves.push(m);
        board = board.make(m);
    }
    moves
}

/// The review of the positions that are searched so far, which are the last ones of the game.
fn review(mut requested: RequestedGame, searched: &[Searched]) -> ReviewResponse {
    let positions = requested.game.boards().len();
    let mut builder = ReviewBuilder::new(&Tree::from_game(&requested.game));
    let mut response = ReviewResponse::new(None, ReviewStatus::Running, positions);
    for searched in searched.iter().take(positions) {
        let (ply, board) = (requested.game.moves().len(), *requested.game.board());
        let time = Duration::from_millis(searched.time);
        let result = AnalysisResult::new(ply, board, searched.info(&board).as_ref(), time);
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
    fn info(&self, board: &Board) -> Option<Info> {
        board.has_legal_move().then(|| Info {
            depth: self.depth,
            seldepth: self.depth,
            multipv: 1,
            pv_count: 1,
            score: self.score(),
            bound: Bound::Exact,
            progress: SearchProgress {
                nodes: self.nodes,
                time: Duration::from_millis(self.time),
                ..SearchProgress::default()
            },
            pv: moves(board, &self.pv),
        })
    }

    /// The score of the search: the reverse of how it is shown.
    fn score(&self) -> Score {
        match (self.mate, self.cp.unwrap_or_default()) {
            (Some(moves @ 1..), _) => mate_in(2 * moves as usize - 1),
            (Some(moves), _) => mated_in(2 * moves.unsigned_abs() as usize),
            (None, cp) if is_decisive(cp) => cp,
            (None, cp) => {
                let (mut low, mut high) = (-score::TB_WIN_IN_MAX_PLY, score::TB_WIN_IN_MAX_PLY);
                while low + 1 < high {
                    let middle = (low + high) / 2;
                    if score::normalised(middle) < cp {
                        low = middle;
                    } else {
                        high = middle;
                    }
                }
                high
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_shown_as_it_was() {
        for (cp, mate) in [
            (Some(37), None),
            (Some(-1_234), None),
            (None, Some(3)),
            (None, Some(-2)),
        ] {
            let searched = Searched {
                cp,
                mate,
                depth: 1,
                nodes: 1,
                time: 0,
                pv: Vec::new(),
            };
            let score = searched.score();
            assert_eq!(score::mate_distance(score), mate);
            assert!(mate.is_some() || Some(score::normalised(score)) == cp);
        }
    }
}
