//! A move in UCI notation or SAN, as a person types it.

use super::{Board, IllegalMoveError, IllegalReason, Move, SanError};
use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

/// Why a text is not a legal move in either notation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MoveTextError {
    /// A move in UCI notation that is illegal.
    Uci(IllegalMoveError),
    /// Not a move in UCI notation, and not a legal one in SAN.
    San {
        /// The error of the reader of SAN.
        error: SanError,
        /// The FEN of the position.
        fen: String,
    },
}

impl fmt::Display for MoveTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveTextError::Uci(error) => error.fmt(f),
            MoveTextError::San { error, fen } => write!(f, "illegal move: {error} ({fen})"),
        }
    }
}

impl core::error::Error for MoveTextError {}

impl MoveTextError {
    /// The error for those who see the position.
    pub fn without_position(&self) -> String {
        match self {
            MoveTextError::Uci(illegal) => {
                format!("illegal move {}: {}", illegal.text, illegal.reason)
            }
            MoveTextError::San { error, .. } => error.to_string(),
        }
    }
}

impl Board {
    /// Parses a legal move in UCI notation or SAN. Blanks around it are ignored.
    ///
    /// # Errors
    /// The text is not a move, or the move is not legal.
    ///
    /// ```
    /// use saavedra_chess::Board;
    /// let board = Board::startpos();
    /// assert_eq!(board.parse_move("g1f3")?, board.parse_move("Nf3")?);
    /// # Ok::<(), saavedra_chess::MoveTextError>(())
    /// ```
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveTextError> {
        let text = text.trim();
        match self.parse_uci(text) {
            Err(illegal) if illegal.reason == IllegalReason::NotAMove => {
                let fen = illegal.fen;
                let parsed = self.parse_san(text);
                parsed.map_err(|error| MoveTextError::San { error, fen })
            }
            parsed => parsed.map_err(MoveTextError::Uci),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_around_a_move_are_ignored() {
        let board = Board::startpos();
        for text in ["e4", " e4 ", "\te2e4\n", "e4\u{a0}"] {
            assert_eq!(
                board.parse_move(text).map(|m| m.to_string()),
                Ok("e2e4".into()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn the_error_is_that_of_the_notation_of_the_text() {
        let board = Board::startpos();
        for (text, message) in [
            ("e2e5", "illegal move e2e5: "),
            ("Ke2", "illegal move: no legal move matches \"Ke2\" ("),
            ("e2e9", "illegal move: \"e2e9\" is not the text of a move ("),
        ] {
            let error = board.parse_move(text).expect_err(text).to_string();
            assert!(error.starts_with(message), "{error}");
            assert!(error.ends_with(&format!("({})", board.to_fen())), "{error}");
        }
    }
}
