//! The game of a request.

use saavedra::chess::{Board, Game, Move, PositionError};
use saavedra::formats::Document;

/// The game of a request.
#[derive(Debug)]
#[non_exhaustive]
pub struct RequestedGame {
    /// The game; its last position is the requested one.
    pub game: Game,
    /// Whether castling moves are written as king takes rook.
    pub chess960: bool,
    /// Messages about repairs of the start position.
    pub repairs: Vec<String>,
}

impl From<Game> for RequestedGame {
    fn from(game: Game) -> RequestedGame {
        RequestedGame { chess960: game.start_position().is_chess960(), game, repairs: Vec::new() }
    }
}

impl From<&Document> for RequestedGame {
    fn from(document: &Document) -> RequestedGame {
        let mut requested = RequestedGame::from(document.tree.game());
        requested.chess960 |= document.chess960;
        requested.repairs = document.repairs.iter().map(ToString::to_string).collect();
        requested
    }
}

impl RequestedGame {
    /// The game that begins with the position of a FEN or `startpos`, without moves.
    ///
    /// # Errors
    /// The FEN is malformed or its position is invalid.
    pub fn from_fen(text: &str) -> Result<RequestedGame, PositionError> {
        let (board, repairs) = Board::from_fen_with_repairs(text)?;
        Ok(RequestedGame {
            repairs: repairs.iter().map(ToString::to_string).collect(),
            ..Game::new(board).into()
        })
    }

    /// The last move and the position before it.
    pub(crate) fn last_move(&self) -> Option<(&Board, Move)> {
        let [.., before, _] = self.game.boards() else {
            return None;
        };
        Some((before, *self.game.moves().last()?))
    }

    /// A move as UCI text.
    pub fn uci(&self, board: &Board, m: Move) -> String {
        board.uci(m, self.chess960)
    }

    /// A PV from the current position as UCI and as standard algebraic notation. It ends before the
    /// first move that is not legal.
    pub fn pv_text(&self, moves: &[Move]) -> (Vec<String>, Vec<String>) {
        let mut board = *self.game.board();
        let (mut uci, mut san) = (Vec::new(), Vec::new());
        for m in moves {
            let Ok(child) = board.try_make(*m) else { break };
            uci.push(self.uci(&board, *m));
            san.push(board.san(*m));
            board = child;
        }
        (uci, san)
    }
}
