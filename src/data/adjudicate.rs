//! Adjudication: games whose result is clear are ended, to spend the time on others.
//!
//! The bounds were chosen on games that were played out: 1,000 centipawns for 4 plies agree with the
//! result in 99.8 % of games and save 12.5 % of the plies.

use super::record::Termination;
use crate::chess::GameResult;

/// A side this far ahead, in centipawns …
const WON: i32 = 1000;
/// … for so many plies in a row has won.
const WON_PLIES: u32 = 4;
/// Scores this near zero, in centipawns …
const DRAWN: i32 = 8;
/// … for so many plies in a row …
const DRAWN_PLIES: u32 = 10;
/// … after so many moves are a draw.
const DRAWN_MOVES: u32 = 40;

/// Watches the scores of a game.
#[derive(Clone, Debug, Default)]
pub struct Adjudicator {
    /// Plies in a row for which White (positive) or Black (negative) has been far ahead.
    won: i32,
    /// Plies in a row with a score near zero.
    drawn: u32,
}

impl Adjudicator {
    /// Takes note of the next score, in centipawns from White's view, in the move with this
    /// number; says how the game ends if it is decided.
    pub fn note(&mut self, score: i32, move_number: u32) -> Option<(GameResult, Termination)> {
        self.won = if score >= WON {
            self.won.max(0) + 1
        } else if score <= -WON {
            self.won.min(0) - 1
        } else {
            0
        };
        self.drawn = match score.abs() <= DRAWN && move_number > DRAWN_MOVES {
            true => self.drawn + 1,
            false => 0,
        };
        if self.won.unsigned_abs() >= WON_PLIES {
            let winner = if self.won > 0 {
                GameResult::WhiteWins
            } else {
                GameResult::BlackWins
            };
            Some((winner, Termination::AdjudicatedWin))
        } else if self.drawn >= DRAWN_PLIES {
            Some((GameResult::Draw, Termination::AdjudicatedDraw))
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After how many of these scores the game ends, and how.
    fn end(scores: &[i32], move_number: u32) -> Option<(usize, GameResult)> {
        let mut adjudicator = Adjudicator::default();
        let mut ends = scores.iter().enumerate().filter_map(|(i, score)| {
            let (result, _) = adjudicator.note(*score, move_number)?;
            Some((i + 1, result))
        });
        ends.next()
    }

    #[test]
    fn games_end_when_a_side_stays_far_ahead_or_nobody_is_ahead_for_long() {
        let white = Some((4, GameResult::WhiteWins));
        assert_eq!(end(&[1000; 9], 1), white);
        assert_eq!(end(&[31_990; 9], 1), white);
        assert_eq!(end(&[-1000; 9], 1), Some((4, GameResult::BlackWins)));
        assert_eq!(end(&[999; 99], 99), None);
        assert_eq!(end(&[1000, 1000, 1000, 999, 1000, 1000], 99), None);
        assert_eq!(end(&[1000, -1000, 1000, -1000, 1000, -1000], 99), None);
        assert_eq!(end(&[8; 99], 41), Some((10, GameResult::Draw)));
        assert_eq!(end(&[-8; 99], 41), Some((10, GameResult::Draw)));
        assert_eq!(end(&[8; 99], 40), None);
        assert_eq!(end(&[9; 99], 41), None);
    }
}
