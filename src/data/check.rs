//! Whether a recorded game can be played and ends as it says.

use super::record::{GameRecord, Termination};
use super::replay::ReplayError;
use crate::chess::{Game, GameResult, GameStatus, Move};
use std::fmt;

/// What is wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GameError {
    /// It cannot be played.
    Replay(ReplayError),
    /// It says that it ended like this, but the rules do not.
    Ending(Termination, GameStatus),
    /// Its result is not that of its ending.
    Result(Termination, GameResult),
}

impl fmt::Display for GameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameError::Replay(error) => error.fmt(f),
            GameError::Ending(termination, status) => {
                write!(f, "recorded as {termination:?} but is {}", status.name())
            }
            GameError::Result(termination, result) => {
                write!(f, "{termination:?} does not go with {result:?}")
            }
        }
    }
}

impl std::error::Error for GameError {}

/// The game played again, from its start.
///
/// # Errors
/// If the start is not sound or a move not legal.
pub fn replayed(record: &GameRecord) -> Result<Game, GameError> {
    let mut game = Game::new(record.start_board().map_err(GameError::Replay)?);
    for (number, ply) in record.plies.iter().enumerate() {
        match Move::from_bits(ply.move_bits).filter(|m| game.board().is_legal(*m)) {
            Some(m) => game.push(m),
            None => return Err(GameError::Replay(ReplayError::Illegal(number))),
        }
    }
    Ok(game)
}

/// Plays a game again and compares its end with what is recorded.
///
/// # Errors
/// The first thing that is wrong.
pub fn check(record: &GameRecord) -> Result<(), GameError> {
    let game = replayed(record)?;
    let (termination, result) = (record.termination, record.result);
    let status = game.status();
    let expected = match termination {
        Termination::Checkmate => GameStatus::Checkmate,
        Termination::Stalemate => GameStatus::Stalemate,
        Termination::InsufficientMaterial => GameStatus::InsufficientMaterial,
        Termination::FiftyMoves => GameStatus::FiftyMoves,
        Termination::Threefold => GameStatus::Threefold,
        _ => GameStatus::Ongoing,
    };
    if status != expected {
        return Err(GameError::Ending(termination, status));
    }
    let fits = match termination {
        Termination::Checkmate => game.result() == Some(result),
        Termination::AdjudicatedWin => result != GameResult::Draw,
        Termination::Tablebase => true,
        _ => result == GameResult::Draw,
    };
    match fits {
        true => Ok(()),
        false => Err(GameError::Result(termination, result)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::record::{NO_SCORE, Ply};

    fn record(moves: &str, result: GameResult, termination: Termination) -> GameRecord {
        let mut game = Game::default();
        for text in moves.split(' ') {
            game.push_uci(text).unwrap();
        }
        let ply = |m: &Move| Ply {
            move_bits: m.bits(),
            score: NO_SCORE,
        };
        GameRecord {
            start: None,
            result,
            termination,
            opening_plies: 0,
            plies: game.moves().iter().map(ply).collect(),
        }
    }

    #[test]
    fn games_must_end_as_they_say() {
        use GameResult::{BlackWins, Draw, WhiteWins};
        const MATE: &str = "f2f3 e7e5 g2g4 d8h4";
        const SHUFFLE: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        let cases = [
            (MATE, BlackWins, Termination::Checkmate, true),
            (MATE, WhiteWins, Termination::Checkmate, false),
            (MATE, Draw, Termination::Stalemate, false),
            (MATE, BlackWins, Termination::AdjudicatedWin, false),
            (SHUFFLE, Draw, Termination::Threefold, true),
            (SHUFFLE, WhiteWins, Termination::Threefold, false),
            ("e2e4", WhiteWins, Termination::AdjudicatedWin, true),
            ("e2e4", Draw, Termination::AdjudicatedWin, false),
            ("e2e4", Draw, Termination::AdjudicatedDraw, true),
            ("e2e4", Draw, Termination::Threefold, false),
        ];
        for (moves, result, termination, sound) in cases {
            let outcome = check(&record(moves, result, termination));
            assert_eq!(outcome.is_ok(), sound, "{moves} {result:?} {termination:?}");
        }
    }

    #[test]
    fn an_illegal_move_is_found() {
        let mut record = record("e2e4 e7e5", GameResult::Draw, Termination::AdjudicatedDraw);
        record.plies[1] = record.plies[0];
        let illegal = GameError::Replay(ReplayError::Illegal(1));
        assert_eq!(check(&record), Err(illegal));
    }
}
