//! The result of a game.

use super::{Color, Game, GameStatus};
use core::fmt;

/// The result of a finished game. A game without a result (`*` in PGN) is an `Option` of this that
/// is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum GameResult {
    /// White won.
    WhiteWins,
    /// Black won.
    BlackWins,
    /// The game was drawn.
    Draw,
}

impl GameResult {
    /// All of them.
    pub const ALL: [GameResult; 3] =
        [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];

    /// The result of a game that this side has won.
    pub const fn win(winner: Color) -> GameResult {
        match winner {
            Color::White => GameResult::WhiteWins,
            Color::Black => GameResult::BlackWins,
        }
    }

    /// The side that won, `None` for a draw.
    pub const fn winner(self) -> Option<Color> {
        match self {
            GameResult::WhiteWins => Some(Color::White),
            GameResult::BlackWins => Some(Color::Black),
            GameResult::Draw => None,
        }
    }

    /// The half points of a side: 2 for a win, 1 for a draw, 0 for a loss.
    pub fn half_points(self, color: Color) -> u8 {
        match self.winner() {
            None => 1,
            Some(winner) if winner == color => 2,
            Some(_) => 0,
        }
    }

    /// The text in PGN: `1-0`, `0-1` or `1/2-1/2`.
    pub const fn text(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl Game {
    /// The result by the rules of chess, `None` while the game is ongoing.
    pub fn result(&self) -> Option<GameResult> {
        match self.status() {
            GameStatus::Ongoing => None,
            GameStatus::Checkmate => Some(GameResult::win(!self.board().turn())),
            _ => Some(GameResult::Draw),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Board;

    #[test]
    fn half_points_of_both_sides_add_up_to_two() {
        for result in GameResult::ALL {
            let [white, black] = Color::ALL.map(|color| result.half_points(color));
            assert_eq!(white + black, 2, "{result}");
            assert_eq!(
                result.winner(),
                match white {
                    2 => Some(Color::White),
                    0 => Some(Color::Black),
                    _ => None,
                }
            );
        }
        assert_eq!(GameResult::win(Color::Black).half_points(Color::Black), 2);
    }

    #[test]
    fn the_side_that_gave_mate_has_won() {
        let result = |fen| Game::new(Board::from_fen(fen).unwrap()).result();
        let white = result("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
        assert_eq!(white, Some(GameResult::WhiteWins));
        let black = result("7K/6q1/6k1/8/8/8/8/8 w - - 0 1");
        assert_eq!(black, Some(GameResult::BlackWins));
        let stalemate = result("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
        assert_eq!(stalemate, Some(GameResult::Draw));
        assert_eq!(Game::default().result(), None);
    }
}
