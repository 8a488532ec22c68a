//! Replaying a recorded game.

use super::{GameRecord, PlyRecord};
use crate::chess::{Board, Game, Move, SetupError};
use std::fmt;

/// A position of a recorded game with its move and score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReplayedPly {
    /// The position before the move.
    pub board: Board,
    /// The move.
    pub played: Move,
    /// The score from White's view, see [`PlyRecord::score`].
    pub score: i16,
    /// Whether the move belongs to the opening, which was not searched.
    pub is_opening: bool,
}

/// Why a recorded game cannot be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The start position is illegal.
    Start(SetupError),
    /// The move at this ply, counted from 0, is illegal.
    IllegalMove(usize),
    /// The principal variation of this ply has an illegal move.
    IllegalPv(usize),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Start(error) => write!(f, "illegal start position: {error}"),
            ReplayError::IllegalMove(ply) => write!(f, "the move at ply {ply} is illegal"),
            ReplayError::IllegalPv(ply) => {
                write!(f, "the principal variation of ply {ply} is illegal")
            }
        }
    }
}

impl std::error::Error for ReplayError {}

/// The plies of a recorded game, up to its last move or the first illegal one.
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    board: Board,
    plies: std::iter::Enumerate<std::slice::Iter<'a, PlyRecord>>,
    opening_plies: usize,
}

impl GameRecord {
    /// The start position.
    ///
    /// # Errors
    /// If it is illegal.
    pub fn start_position(&self) -> Result<Board, ReplayError> {
        match &self.start {
            None => Ok(Board::startpos()),
            Some(packed) => packed.to_board().map_err(ReplayError::Start),
        }
    }

    /// Replays the game ply by ply.
    ///
    /// # Errors
    /// If the start position is illegal. An illegal move is an error of the iterator.
    pub fn replay(&self) -> Result<Replay<'_>, ReplayError> {
        Ok(Replay {
            board: self.start_position()?,
            plies: self.plies.iter().enumerate(),
            opening_plies: usize::from(self.opening_plies),
        })
    }

    /// The leaf of the search at a ply: the position at the end of its principal variation, which
    /// starts from the position `board` before the ply.
    ///
    /// # Errors
    /// If a move of the variation is illegal.
    pub fn leaf(&self, ply: usize, board: &Board) -> Result<Board, ReplayError> {
        self.pvs.get(ply).into_iter().flatten().try_fold(*board, |leaf, &bits| {
            let played = Move::from_bits(bits).filter(|&m| leaf.is_legal(m));
            Ok(leaf.make(played.ok_or(ReplayError::IllegalPv(ply))?))
        })
    }

    /// The whole game.
    ///
    /// # Errors
    /// If the start position or a move is illegal.
    pub fn to_game(&self) -> Result<Game, ReplayError> {
        let mut replay = self.replay()?;
        let mut game = Game::new(*replay.board());
        for ply in &mut replay {
            game.push(ply?.played);
        }
        Ok(game)
    }
}

impl Replay<'_> {
    /// The position after the last ply that was returned.
    pub fn board(&self) -> &Board {
        &self.board
    }
}

impl Iterator for Replay<'_> {
    type Item = Result<ReplayedPly, ReplayError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (number, ply) = self.plies.next()?;
        let board = self.board;
        let Some(played) = Move::from_bits(ply.move_bits).filter(|&m| board.is_legal(m)) else {
            self.plies = [].iter().enumerate();
            return Some(Err(ReplayError::IllegalMove(number)));
        };
        self.board = board.make(played);
        Some(Ok(ReplayedPly {
            board,
            played,
            score: ply.score,
            is_opening: number < self.opening_plies,
        }))
    }
}
