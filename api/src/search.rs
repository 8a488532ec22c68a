//! Search results as JSON.

use crate::RequestedGame;
#[cfg(feature = "openapi")]
use crate::schema;
use saavedra::analysis::ReviewedPosition;
use saavedra::chess::Move;
use saavedra::eval::wdl::Wdl;
use saavedra::search::score;
use saavedra::search::{PvLine, SearchProgress, SearchResult};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A score from the side to move's view: centipawns, or mate in moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Score {
    /// Normalised centipawns.
    Cp(i32),
    /// Mate in this many moves; negative if the side to move is mated; 0: checkmate.
    Mate(i32),
}

impl From<score::Score> for Score {
    fn from(score: score::Score) -> Score {
        match score.mate() {
            Some(moves) => Score::Mate(moves),
            None => Score::Cp(score.centipawns().unwrap_or_default()),
        }
    }
}

impl From<Score> for score::Score {
    fn from(score: Score) -> score::Score {
        match score {
            Score::Cp(centipawns) => score::Score::from_centipawns(centipawns),
            Score::Mate(moves) => score::Score::from_mate(moves),
        }
    }
}

/// Win, draw and loss for the side to move of the requested position, in thousandths.
fn wdl_array(requested: &RequestedGame, score: score::Score) -> [u32; 3] {
    let Wdl { win, draw, loss } = Wdl::of_position(requested.game.board(), score.value());
    [win, draw, loss]
}

/// One PV line of a search.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Line))]
pub struct InfoResponse {
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    multipv: usize,
    depth: u32,
    seldepth: u32,
    score: Score,
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::wdl))]
    wdl: [u32; 3],
    nodes: u64,
    nps: u64,
    /// Milliseconds.
    time: u64,
    /// Thousandths.
    #[cfg_attr(feature = "openapi", schema(maximum = 1000))]
    hashfull: u32,
    pv: Vec<String>,
    pv_san: Vec<String>,
}

impl InfoResponse {
    /// The responses for all PV lines of a search, the best line first.
    pub fn of_lines(
        requested: &RequestedGame,
        lines: &[PvLine],
        progress: &SearchProgress,
    ) -> Vec<InfoResponse> {
        let response = |(multipv, line): (usize, &PvLine)| {
            let (pv, pv_san) = requested.pv_text(&line.pv);
            InfoResponse {
                multipv,
                depth: line.depth,
                seldepth: line.seldepth,
                score: line.score.into(),
                wdl: wdl_array(requested, line.score),
                nodes: progress.nodes,
                nps: progress.nps(),
                time: milliseconds(progress.time),
                hashfull: progress.hashfull,
                pv,
                pv_san,
            }
        };
        (1..).zip(lines).map(response).collect()
    }
}

/// The result of a search.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = BestMove))]
pub struct BestMoveResponse {
    /// The best move as UCI; null if there is no legal move.
    #[cfg_attr(feature = "openapi", schema(required))]
    bestmove: Option<String>,
    #[cfg_attr(feature = "openapi", schema(required))]
    san: Option<String>,
    /// The expected reply.
    #[cfg_attr(feature = "openapi", schema(required))]
    ponder: Option<String>,
    score: Score,
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::wdl))]
    wdl: [u32; 3],
    depth: u32,
    nodes: u64,
    /// Milliseconds of search.
    time: u64,
    /// Milliseconds in the queue.
    queued: u64,
    pv: Vec<String>,
    pv_san: Vec<String>,
    /// The searched position.
    fen: String,
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::status))]
    status: &'static str,
    /// All PV lines, if there are several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    lines: Vec<InfoResponse>,
}

impl BestMoveResponse {
    /// The response with a score and a PV, which begins with the best move; without counters.
    fn with_pv(requested: &RequestedGame, score: score::Score, moves: &[Move]) -> BestMoveResponse {
        let (pv, pv_san) = requested.pv_text(moves);
        BestMoveResponse {
            bestmove: pv.first().cloned(),
            san: pv_san.first().cloned(),
            ponder: pv.get(1).cloned(),
            score: score.into(),
            wdl: wdl_array(requested, score),
            depth: 0,
            nodes: 0,
            time: 0,
            queued: 0,
            pv,
            pv_san,
            fen: requested.game.board().to_fen(),
            status: requested.game.status().name(),
            lines: Vec::new(),
        }
    }

    /// The response for a finished search.
    pub fn new(
        requested: &RequestedGame,
        result: &SearchResult,
        queued: Duration,
        searched: Duration,
    ) -> BestMoveResponse {
        let first = result.line();
        let score = first.map_or(score::Score::DRAW, |line| line.score);
        let lines = match &result.lines[..] {
            [_] => &[],
            several => several,
        };
        BestMoveResponse {
            depth: first.map_or(0, |line| line.depth),
            nodes: result.progress.nodes,
            time: milliseconds(searched),
            queued: milliseconds(queued),
            lines: InfoResponse::of_lines(requested, lines, &result.progress),
            ..BestMoveResponse::with_pv(requested, score, &best_line(result))
        }
    }

    /// The response for a position without legal moves.
    pub fn game_over(requested: &RequestedGame) -> BestMoveResponse {
        let score = score::Score::of_game_over(requested.game.board());
        BestMoveResponse::with_pv(requested, score, &[])
    }

    /// The response for a position of a review.
    pub fn reviewed(
        requested: &RequestedGame,
        position: &ReviewedPosition,
        queued: Duration,
        searched: Duration,
    ) -> BestMoveResponse {
        BestMoveResponse {
            depth: position.depth,
            nodes: position.nodes,
            time: milliseconds(searched),
            queued: milliseconds(queued),
            ..BestMoveResponse::with_pv(requested, position.score, &position.pv)
        }
    }

    /// The value of the header `Server-Timing`.
    pub fn server_timing(&self) -> String {
        format!("queue;dur={}, search;dur={}", self.queued, self.time)
    }
}

/// The PV of the best move. At limited strength the move played may not be the first move of the
/// PV; the line is then that move and the ponder move.
fn best_line(result: &SearchResult) -> Vec<Move> {
    match result.line() {
        Some(line) if line.pv.first() == result.best.as_ref() => line.pv.clone(),
        _ => result.best.into_iter().chain(result.ponder).collect(),
    }
}

pub(crate) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
