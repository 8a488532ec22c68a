//! Requests of the board page without a server. The answers are those of the web service's HTTP API
//! (`web/assets/openapi.json`); a test compares them.

use crate::request::{Fields, Refusal, RequestedGame};
use saavedra::analysis::{
    AnalysisResult, JudgedMove, ReviewBuilder, ReviewedPosition, SideSummary, accuracy,
};
use saavedra::chess::{Bitboard, Board, Color, Move};
use saavedra::engine::{Bound, Info, OPTIONS, OptionKind, SearchProgress};
use saavedra::eval::wdl::Wdl;
use saavedra::formats::Tree;
use saavedra::search::score::{self, Score, is_decisive, mate_distance, mate_in, mated_in};
use serde::Deserialize;
use serde_json::{Map, Value, json};
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
    Ok(match name {
        "about" => about(),
        "position" => {
            let mut answer = position(&requested);
            answer.insert("history".to_owned(), history(&requested));
            answer.into()
        }
        "play" => {
            let board = *requested.game.board();
            let m = requested.parse_move(fields)?;
            requested.game.push(m);
            let mut answer = position(&requested);
            answer.insert("move".to_owned(), describe(&requested, &board, m).into());
            answer.into()
        }
        "line" => {
            let board = *requested.game.board();
            let (pv, pv_san) = line(&requested, &board, &moves(&board, &fields.pv));
            json!({ "pv": pv, "pv_san": pv_san, "fen": board.to_fen(), "status": requested.game.status().name() })
        }
        "review" => review(&requested, &fields.searched),
        _ => {
            return Err(Refusal::new(
                "request",
                &format_args!("no request {name:?}"),
            ));
        }
    })
}

/// The engine: its name, and the range of its limited strength.
fn about() -> Value {
    let elo = OPTIONS.iter().find(|option| option.name == "UCI_Elo");
    let elo = elo.and_then(|option| match option.kind {
        OptionKind::Spin { min, max, .. } => Some(json!({ "min": min, "max": max })),
        _ => None,
    });
    let name = format!("Saavedra {}", env!("CARGO_PKG_VERSION"));
    json!({ "name": name, "elo": elo })
}

fn position(requested: &RequestedGame) -> Map<String, Value> {
    let board = requested.game.board();
    let squares = |squares: Bitboard| -> Vec<String> {
        squares
            .into_iter()
            .map(|square| square.to_string())
            .collect()
    };
    let legal = board.legal_moves();
    let legal = legal.iter().map(|m| describe(requested, board, *m));
    let mut answer = Map::new();
    let mut insert = |name: &str, value: Value| drop(answer.insert(name.to_owned(), value));
    insert("fen", board.to_fen().into());
    insert("start", requested.game.start_position().to_fen().into());
    insert("turn", board.turn().name().into());
    insert("chess960", requested.chess960.into());
    insert("status", requested.game.status().name().into());
    insert("check", board.in_check().into());
    insert("checkers", squares(board.checkers()).into());
    insert("pinned", squares(board.pinned()).into());
    insert("legal", legal.collect::<Vec<_>>().into());
    if !requested.repairs.is_empty() {
        insert("repairs", requested.repairs.clone().into());
    }
    answer
}

fn describe(requested: &RequestedGame, board: &Board, m: Move) -> Map<String, Value> {
    let mut answer = Map::new();
    let mut insert = |name: &str, value: String| drop(answer.insert(name.to_owned(), value.into()));
    insert("uci", requested.uci(board, m));
    insert("san", board.san(m));
    insert("from", m.from().to_string());
    insert("to", m.destination().to_string());
    if m.is_castling() {
        insert("rook", m.to().to_string());
    }
    if let Some(kind) = m.promotion() {
        insert("promotion", kind.letter().to_string());
    }
    answer
}

fn history(requested: &RequestedGame) -> Value {
    let moves = requested.game.moves().iter();
    let entries = moves
        .zip(requested.game.boards().windows(2))
        .map(|(m, boards)| {
            let mut entry = describe(requested, &boards[0], *m);
            entry.insert("fen".to_owned(), boards[1].to_fen().into());
            entry
        });
    entries.collect::<Vec<_>>().into()
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

/// A line in UCI notation and in SAN.
fn line(requested: &RequestedGame, board: &Board, moves: &[Move]) -> (Vec<String>, Vec<String>) {
    let mut board = *board;
    let text = |m: &Move| {
        let text = (requested.uci(&board, *m), board.san(*m));
        board = board.make(*m);
        text
    };
    moves.iter().map(text).unzip()
}

/// The review of the positions that are searched so far, which are the last ones of the game.
fn review(requested: &RequestedGame, searched: &[Searched]) -> Value {
    let boards = requested.game.boards();
    let mut builder = ReviewBuilder::new(&Tree::from_game(&requested.game));
    let mut positions: Vec<Map<String, Value>> = Vec::new();
    for ((ply, board), result) in boards.iter().enumerate().rev().zip(searched) {
        let info = result.info(board);
        let time = Duration::from_millis(result.time);
        let analysis = AnalysisResult::new(ply, *board, info.as_ref(), time);
        let (reviewed, judged) = builder.add(ReviewedPosition::new(&analysis));
        let reviewed = describe_reviewed(requested, ply, reviewed, result.time);
        if let (Some(next), Some(judged)) = (positions.last_mut(), judged) {
            next.extend(describe_judged(requested, board, judged));
        }
        positions.push(reviewed);
    }
    positions.reverse();
    let (done, total) = (positions.len(), boards.len());
    let mut answer = json!({
        "status": if done == total { "done" } else { "running" },
        "progress": { "done": done, "total": total },
        "positions": positions,
    });
    if done == total {
        let sides = builder.finish().sides;
        let side = |color: Color| describe_side(&sides[color.index()]);
        answer["summary"] = json!({ "white": side(Color::White), "black": side(Color::Black) });
    }
    answer
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

fn describe_reviewed(
    requested: &RequestedGame,
    ply: usize,
    reviewed: &ReviewedPosition,
    time: u64,
) -> Map<String, Value> {
    let (pv, pv_san) = line(requested, &reviewed.board, &reviewed.pv);
    let Wdl { win, draw, loss } = Wdl::from_score(reviewed.score);
    let score = match mate_distance(reviewed.score) {
        Some(moves) => json!({ "mate": moves }),
        None => json!({ "cp": score::normalised(reviewed.score) }),
    };
    let answer = json!({
        "ply": ply,
        "bestmove": pv.first(),
        "san": pv_san.first(),
        "ponder": pv.get(1),
        "score": score,
        "wdl": [win, draw, loss],
        "depth": reviewed.depth,
        "nodes": reviewed.nodes,
        "time": time,
        "queued": 0,
        "pv": pv,
        "pv_san": pv_san,
        "fen": reviewed.board.to_fen(),
        "status": reviewed.board.status().name(),
    });
    match answer {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

/// The fields of a judged move, which was made on this board.
fn describe_judged(
    requested: &RequestedGame,
    board: &Board,
    judged: &JudgedMove,
) -> Vec<(String, Value)> {
    let Some(m) = judged.played else {
        return Vec::new();
    };
    let played = json!({ "uci": requested.uci(board, m), "san": board.san(m) });
    vec![
        ("played".to_owned(), played),
        ("judgement".to_owned(), judged.judgement.name().into()),
        ("accuracy".to_owned(), accuracy(judged.loss).into()),
    ]
}

fn describe_side(side: &SideSummary) -> Value {
    json!({
        "moves": side.moves,
        "accuracy": (side.moves > 0).then_some(side.accuracy),
        "inaccuracies": side.inaccuracies,
        "mistakes": side.mistakes,
        "blunders": side.blunders,
    })
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
            assert_eq!(mate_distance(score), mate);
            assert!(mate.is_some() || Some(score::normalised(score)) == cp);
        }
    }
}
