//! A position as JSON.

use crate::RequestedGame;
#[cfg(feature = "openapi")]
use crate::schema;
use saavedra::chess::{Bitboard, Board, Move};
use serde::Serialize;

/// A position with its legal moves and its state.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Position))]
pub struct PositionResponse {
    fen: String,
    /// The start position of the game.
    start: String,
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::color))]
    turn: &'static str,
    chess960: bool,
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::status))]
    status: &'static str,
    check: bool,
    checkers: Vec<String>,
    pinned: Vec<String>,
    legal: Vec<MoveResponse>,
    /// Messages about repairs of the position.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    repairs: Vec<String>,
    /// The moves of the game, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    history: Option<Vec<HistoryEntry>>,
    /// The move just made (`/make`).
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    last_move: Option<MoveResponse>,
}

/// A legal move.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Move))]
pub struct MoveResponse {
    uci: String,
    san: String,
    from: String,
    /// The target square; for castling, the king's target.
    to: String,
    /// The rook's square, for castling only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    rook: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(schema_with = schema::promotion))]
    promotion: Option<char>,
}

/// A move of the game and the position after it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = HistoryMove))]
struct HistoryEntry {
    #[serde(flatten)]
    played: MoveResponse,
    /// The position after the move.
    fen: String,
}

fn square_names(squares: Bitboard) -> Vec<String> {
    squares.into_iter().map(|square| square.to_string()).collect()
}

impl RequestedGame {
    /// Describes the current position.
    pub fn describe(&self, with_history: bool) -> PositionResponse {
        let board = self.game.board();
        PositionResponse {
            fen: board.to_fen(),
            start: self.game.start_position().to_fen(),
            turn: board.turn().name(),
            chess960: self.chess960,
            status: self.game.status().name(),
            check: board.in_check(),
            checkers: square_names(board.checkers()),
            pinned: square_names(board.pinned()),
            legal: board.legal_moves().iter().map(|m| self.describe_move(board, *m)).collect(),
            repairs: self.repairs.clone(),
            history: with_history.then(|| self.history()),
            last_move: None,
        }
    }

    /// Describes the current position and the move that led to it.
    pub fn describe_with_last_move(&self) -> PositionResponse {
        let last_move = self.last_move().map(|(board, m)| self.describe_move(board, m));
        PositionResponse { last_move, ..self.describe(false) }
    }

    fn history(&self) -> Vec<HistoryEntry> {
        let moves = self.game.moves().iter().zip(self.game.boards().windows(2));
        let entry = |(m, pair): (&Move, &[Board])| HistoryEntry {
            played: self.describe_move(&pair[0], *m),
            fen: pair[1].to_fen(),
        };
        moves.map(entry).collect()
    }

    fn describe_move(&self, board: &Board, m: Move) -> MoveResponse {
        MoveResponse {
            uci: self.uci(board, m),
            san: board.san(m),
            from: m.from().to_string(),
            to: m.destination().to_string(),
            rook: m.is_castling().then(|| m.to().to_string()),
            promotion: m.promotion().map(|kind| kind.letter()),
        }
    }
}
