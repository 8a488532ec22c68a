//! What the tablebases have on a position, as JSON.

use crate::RequestedGame;
#[cfg(feature = "openapi")]
use crate::schema;
use saavedra::chess::{Board, Move};
use saavedra::tablebase::{RootRank, Tablebase, WdlScore};
use serde::Serialize;
use std::cmp::Reverse;

/// The outcome of a position with correct play by both sides, and of each of its moves. The fifty-move rule
/// applies, with the clock of the position.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = TablebaseResult))]
pub struct TablebaseResponse {
    /// The position.
    fen: String,
    /// The outcome for the side to move; null if the game is over or the tablebases do not have the position.
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::outcome))]
    wdl: Option<&'static str>,
    /// Plies to the next capture, pawn move or mate; negative for a loss, null if it is not known.
    #[cfg_attr(feature = "openapi", schema(required))]
    dtz: Option<i32>,
    /// The legal moves, the best one first; empty if `wdl` is null.
    moves: Vec<MoveOutcome>,
}

/// The outcome of a move for the side that plays it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
struct MoveOutcome {
    uci: String,
    san: String,
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::move_outcome))]
    wdl: &'static str,
    /// The DTZ of the position before the move if it is played.
    #[cfg_attr(feature = "openapi", schema(required))]
    dtz: Option<i32>,
}

impl RequestedGame {
    /// What the tablebases have on the current position. May read files.
    pub fn tablebase(&self, tablebase: &Tablebase) -> TablebaseResponse {
        let board = self.game.board();
        let mut ranked = tablebase.rank_root(board, false, true).unwrap_or_default();
        ranked.sort_by_key(|(_, rank)| Reverse(*rank));
        let best = ranked.first().map(|(_, rank)| *rank);
        TablebaseResponse {
            fen: board.to_fen(),
            wdl: best.map(|rank| name(rank.wdl)),
            dtz: best.and_then(|rank| rank.dtz),
            moves: ranked.into_iter().map(|(m, rank)| self.outcome(board, m, rank)).collect(),
        }
    }

    fn outcome(&self, board: &Board, m: Move, rank: RootRank) -> MoveOutcome {
        let (uci, san) = (self.uci(board, m), board.san(m));
        MoveOutcome { uci, san, wdl: name(rank.wdl), dtz: rank.dtz }
    }
}

/// The name of an outcome in JSON.
pub(crate) const fn name(wdl: WdlScore) -> &'static str {
    match wdl {
        WdlScore::Loss => "loss",
        WdlScore::BlessedLoss => "blessed_loss",
        WdlScore::Draw => "draw",
        WdlScore::CursedWin => "cursed_win",
        WdlScore::Win => "win",
    }
}
