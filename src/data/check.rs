//! Checks recorded games against the rules of chess.

use super::{GameRecord, ReplayError, Termination};
use crate::chess::{Game, GameResult, GameStatus};
use std::fmt;

/// Why a recorded game is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckError {
    /// The start position or a move, also of a principal variation, is illegal.
    Replay(ReplayError),
    /// The recorded termination is not the status of the last position.
    Termination(Termination, GameStatus),
    /// The recorded result contradicts the termination.
    Result(Termination, GameResult),
}

impl fmt::Display for CheckError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckError::Replay(error) => error.fmt(f),
            CheckError::Termination(termination, status) => write!(
                f,
                "recorded as {}, but the last position is {}",
                termination.name(),
                status.name()
            ),
            CheckError::Result(termination, result) => {
                write!(f, "the result {result} contradicts the termination {}", termination.name())
            }
        }
    }
}

impl std::error::Error for CheckError {}

impl From<ReplayError> for CheckError {
    fn from(error: ReplayError) -> CheckError {
        CheckError::Replay(error)
    }
}

/// Replays a game with its principal variations, and compares its end with the recorded termination
/// and result.
///
/// # Errors
/// The first contradiction.
pub fn check_game(record: &GameRecord) -> Result<(), CheckError> {
    let mut game = Game::new(record.start_position()?);
    for (number, ply) in record.replay()?.enumerate() {
        let played = ply?.played;
        record.leaf(number, game.board())?;
        game.push(played);
    }
    let (termination, result) = (record.termination, record.result);
    let status = game.status();
    if status != termination.status() {
        return Err(CheckError::Termination(termination, status));
    }
    let is_consistent = match termination {
        Termination::Checkmate => game.result() == Some(result),
        Termination::AdjudicatedWin => result != GameResult::Draw,
        Termination::Tablebase => true,
        _ => result == GameResult::Draw,
    };
    if is_consistent { Ok(()) } else { Err(CheckError::Result(termination, result)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Move;
    use crate::data::{NO_SCORE, PlyRecord};

    fn record(moves: &str, result: GameResult, termination: Termination) -> GameRecord {
        let mut game = Game::default();
        for text in moves.split(' ') {
            game.push_uci(text).unwrap();
        }
        let ply = |m: &Move| PlyRecord { move_bits: m.bits(), score: NO_SCORE };
        GameRecord {
            start: None,
            result,
            termination,
            opening_plies: 0,
            plies: game.moves().iter().map(ply).collect(),
            pvs: Vec::new(),
        }
    }

    #[test]
    fn games_must_end_as_recorded() {
        use GameResult::{BlackWins, Draw, WhiteWins};
        const MATE: &str = "f2f3 e7e5 g2g4 d8h4";
        const REPETITION: &str = "g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8";
        let cases = [
            (MATE, BlackWins, Termination::Checkmate, true),
            (MATE, WhiteWins, Termination::Checkmate, false),
            (MATE, Draw, Termination::Stalemate, false),
            (MATE, BlackWins, Termination::AdjudicatedWin, false),
            (REPETITION, Draw, Termination::Threefold, true),
            (REPETITION, WhiteWins, Termination::Threefold, false),
            ("e2e4", WhiteWins, Termination::AdjudicatedWin, true),
            ("e2e4", Draw, Termination::AdjudicatedWin, false),
            ("e2e4", Draw, Termination::AdjudicatedDraw, true),
            ("e2e4", Draw, Termination::Threefold, false),
        ];
        for (moves, result, termination, sound) in cases {
            let checked = check_game(&record(moves, result, termination));
            assert_eq!(checked.is_ok(), sound, "{moves} {result:?} {termination:?}");
        }
    }

    #[test]
    fn an_illegal_move_is_found() {
        let mut record = record("e2e4 e7e5", GameResult::Draw, Termination::AdjudicatedDraw);
        record.plies[1] = record.plies[0];
        let illegal = CheckError::Replay(ReplayError::IllegalMove(1));
        assert_eq!(check_game(&record), Err(illegal));
    }

    #[test]
    fn principal_variations_must_be_legal() {
        let mut record = record("e2e4 e7e5", GameResult::Draw, Termination::AdjudicatedDraw);
        let [e4, e5] = [0, 1].map(|ply| record.plies[ply].move_bits);
        for (pvs, expected) in [
            (vec![], Ok(())),
            (vec![vec![e4, e5], vec![]], Ok(())),
            (vec![vec![], vec![e4]], Err(1)),
            (vec![vec![e4, e4], vec![]], Err(0)),
            (vec![vec![0], vec![]], Err(0)),
        ] {
            record.pvs = pvs;
            let expected = expected.map_err(|ply| CheckError::Replay(ReplayError::IllegalPv(ply)));
            assert_eq!(check_game(&record), expected, "{:?}", record.pvs);
        }
    }
}
