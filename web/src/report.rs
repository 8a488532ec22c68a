//! What a client is told of a search.

use crate::pool::Done;
use crate::position::Asked;
use crate::think::{Info, Outcome, Score};
use saavedra::chess::Move;
use serde::Serialize;
use std::time::Duration;

/// One of the best lines, as the search sees it now.
#[derive(Debug, Serialize)]
pub struct Line {
    multipv: u32,
    depth: u32,
    seldepth: u32,
    score: Score,
    #[serde(skip_serializing_if = "Option::is_none")]
    wdl: Option<[u32; 3]>,
    nodes: u64,
    nps: u64,
    /// Milliseconds.
    time: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    hashfull: Option<u32>,
    pv: Vec<String>,
    pv_san: Vec<String>,
}

impl Line {
    /// The line of an engine's report.
    pub fn new(asked: &Asked, info: &Info) -> Line {
        let (pv, pv_san) = asked.line(&info.pv);
        let per_second = info.nodes as f64 / info.time.as_secs_f64().max(0.001);
        Line {
            multipv: info.multipv,
            depth: info.depth,
            seldepth: info.seldepth,
            score: info.score,
            wdl: info.wdl,
            nodes: info.nodes,
            nps: per_second as u64,
            time: milliseconds(info.time),
            hashfull: info.hashfull,
            pv,
            pv_san,
        }
    }
}

/// The end of a search.
#[derive(Debug, Serialize)]
pub struct BestMove {
    bestmove: Option<String>,
    san: Option<String>,
    ponder: Option<String>,
    score: Score,
    wdl: Option<[u32; 3]>,
    depth: u32,
    nodes: u64,
    /// Milliseconds of search.
    time: u64,
    /// Milliseconds of waiting for an engine.
    queued: u64,
    pv: Vec<String>,
    pv_san: Vec<String>,
    /// The position asked about.
    fen: String,
    status: &'static str,
    /// All lines, if more than one was asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<Line>,
}

impl BestMove {
    /// The answer out of a search that ended.
    pub fn new(asked: &Asked, done: &Done) -> BestMove {
        let Done {
            outcome,
            queued,
            searched,
        } = done;
        let board = asked.game.board();
        let lines: Vec<Line> = outcome
            .lines
            .iter()
            .map(|info| Line::new(asked, info))
            .collect();
        let first = outcome.lines.first();
        let (pv, pv_san) = asked.line(&best_line(outcome));
        BestMove {
            bestmove: outcome.best.map(|m| asked.uci(board, m)),
            san: outcome.best.map(|m| board.san(m)),
            ponder: pv.get(1).cloned(),
            score: first.map_or(Score::Cp(0), |info| info.score),
            wdl: first.and_then(|info| info.wdl),
            depth: first.map_or(0, |info| info.depth),
            nodes: outcome.nodes,
            time: milliseconds(*searched),
            queued: milliseconds(*queued),
            pv,
            pv_san,
            fen: board.to_fen(),
            status: asked.game.status().name(),
            lines: if lines.len() > 1 { lines } else { Vec::new() },
        }
    }

    /// The answer where the game is over and there is no move.
    pub fn none(asked: &Asked) -> BestMove {
        let board = asked.game.board();
        let (score, wdl) = match board.in_check() {
            true => (Score::Mate(0), [0, 0, 1000]),
            false => (Score::Cp(0), [0, 1000, 0]),
        };
        let outcome = Outcome::default();
        let done = Done {
            outcome,
            queued: Duration::ZERO,
            searched: Duration::ZERO,
        };
        BestMove {
            score,
            wdl: Some(wdl),
            ..BestMove::new(asked, &done)
        }
    }

    /// The move, if there is one.
    pub fn bestmove(&self) -> Option<&String> {
        self.bestmove.as_ref()
    }

    /// What the position is worth to the side to move.
    pub fn worth(&self) -> (Score, Option<[u32; 3]>) {
        (self.score, self.wdl)
    }

    /// Times for the header `Server-Timing`.
    pub fn timing(&self) -> String {
        format!("queue;dur={}, search;dur={}", self.queued, self.time)
    }
}

/// The line of the best move; that move and the answer expected to it where the search's own line
/// begins otherwise, as it may at limited strength.
fn best_line(outcome: &Outcome) -> Vec<Move> {
    let first = outcome.lines.first().map(|info| &info.pv);
    match first {
        Some(pv) if pv.first() == outcome.best.as_ref() => pv.clone(),
        _ => outcome.best.into_iter().chain(outcome.ponder).collect(),
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
