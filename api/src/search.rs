//! Search results as JSON.

use crate::RequestedGame;
#[cfg(feature = "openapi")]
use crate::schema;
use saavedra::analysis::ReviewedPosition;
use saavedra::chess::Move;
use saavedra::eval::wdl::Wdl;
use saavedra::search::score::{self, DRAW, ShownScore, game_over_score};
use saavedra::search::{Info, SearchResult};
use serde::Serialize;
use std::time::Duration;

/// A score from the side to move's view: centipawns, or mate in moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
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
        match ShownScore::new(score) {
            ShownScore::Centipawns(centipawns) => Score::Cp(centipawns),
            ShownScore::Mate(moves) => Score::Mate(moves),
        }
    }
}

/// Win, draw and loss for the side to move of the requested position, in thousandths.
fn wdl_array(requested: &RequestedGame, score: score::Score) -> [u32; 3] {
    let Wdl { win, draw, loss } = Wdl::of_position(requested.game.board(), score);
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
    /// The response for an info of the search.
    pub fn new(requested: &RequestedGame, info: &Info) -> InfoResponse {
        let (pv, pv_san) = requested.pv_text(&info.pv);
        InfoResponse {
            multipv: info.multipv,
            depth: info.depth,
            seldepth: info.seldepth,
            score: info.score.into(),
            wdl: wdl_array(requested, info.score),
            nodes: info.progress.nodes,
            nps: info.progress.nps(),
            time: milliseconds(info.progress.time),
            hashfull: info.progress.hashfull,
            pv,
            pv_san,
        }
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

    /// The response for a finished search: its result, and the last exact info of each PV line, the
    /// best line first.
    pub fn new(
        requested: &RequestedGame,
        result: &SearchResult,
        lines: &[Info],
        queued: Duration,
        searched: Duration,
    ) -> BestMoveResponse {
        let first = lines.first();
        let score = first.map_or(DRAW, |info| info.score);
        let nodes = lines.iter().map(|info| info.progress.nodes).max();
        let several = match lines {
            [] | [_] => &[],
            lines => lines,
        };
        BestMoveResponse {
            depth: first.map_or(0, |info| info.depth),
            nodes: nodes.unwrap_or(0),
            time: milliseconds(searched),
            queued: milliseconds(queued),
            lines: several
                .iter()
                .map(|info| InfoResponse::new(requested, info))
                .collect(),
            ..BestMoveResponse::with_pv(requested, score, &best_line(result, lines))
        }
    }

    /// The response for a position without legal moves.
    pub fn game_over(requested: &RequestedGame) -> BestMoveResponse {
        let score = game_over_score(requested.game.board());
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
fn best_line(result: &SearchResult, lines: &[Info]) -> Vec<Move> {
    match lines.first().map(|info| &info.pv) {
        Some(pv) if pv.first() == result.best.as_ref() => pv.clone(),
        _ => result.best.into_iter().chain(result.ponder).collect(),
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
