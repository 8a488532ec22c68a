//! Boards and games for fuzzing: random legal moves from a start position of chess or Chess960.

use super::{Board, Game};
use arbitrary::{Arbitrary, Result, Unstructured};

/// The maximum number of plies of an arbitrary game.
const MAX_PLIES: usize = 512;

impl<'a> Arbitrary<'a> for Game {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Game> {
        let start = if bytes.arbitrary()? {
            Board::startpos()
        } else {
            Board::chess960_startpos(bytes.int_in_range(0..=959)?)
        };
        let mut game = Game::new(start);
        while game.moves().len() < MAX_PLIES && bytes.arbitrary()? {
            let moves = game.board().legal_moves();
            if moves.is_empty() {
                break;
            }
            game.push(*bytes.choose(&moves)?);
        }
        Ok(game)
    }
}

impl<'a> Arbitrary<'a> for Board {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Board> {
        Ok(*Game::arbitrary(bytes)?.board())
    }
}
