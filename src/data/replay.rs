//! Playing a recorded game again, move by move.

use std::fmt;

use super::record::{GameRecord, Ply};
use crate::chess::{Board, Move, SetupError};

/// A position of a game with what was played in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The position before the move.
    pub board: Board,
    /// The move played.
    pub played: Move,
    /// The score, from White's view, as [`Ply::score`].
    pub score: i16,
    /// Whether the move belongs to the random opening.
    pub opening: bool,
}

/// A game whose checksum is right but which cannot be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The start is no sound position.
    Start(SetupError),
    /// The move of this ply, from 0, is not legal.
    Illegal(usize),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Start(error) => write!(f, "the start of the game: {error}"),
            ReplayError::Illegal(ply) => write!(f, "the move of ply {ply} is not legal"),
        }
    }
}

impl std::error::Error for ReplayError {}

/// The moments of a game, up to its last move or the first illegal one.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    board: Board,
    plies: std::iter::Enumerate<std::slice::Iter<'a, Ply>>,
    opening_plies: usize,
}

impl GameRecord {
    /// The position the game began from.
    pub fn start_board(&self) -> Result<Board, ReplayError> {
        let start = self.start.as_ref();
        start.map_or(Ok(Board::startpos()), |packed| {
            packed.board().map_err(ReplayError::Start)
        })
    }

    /// Plays the game again.
    pub fn replay(&self) -> Result<Replay<'_>, ReplayError> {
        Ok(Replay {
            board: self.start_board()?,
            plies: self.plies.iter().enumerate(),
            opening_plies: usize::from(self.opening_plies),
        })
    }
}

impl Replay<'_> {
    /// The position reached: after the last moment, that at the end of the game.
    pub fn board(&self) -> &Board {
        &self.board
    }
}

impl Iterator for Replay<'_> {
    type Item = Result<Moment, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (number, ply) = self.plies.next()?;
        let board = self.board;
        let Some(played) = Move::from_bits(ply.move_bits).filter(|&m| board.is_legal(m)) else {
            self.plies = [].iter().enumerate();
            return Some(Err(ReplayError::Illegal(number)));
        };
        self.board = board.make(played);
        Some(Ok(Moment {
            board,
            played,
            score: ply.score,
            opening: number < self.opening_plies,
        }))
    }
}
