//! Draws by agreement between the engine and a person.

use crate::engine::Score;

/// What the engine thinks of a draw.
#[derive(Default)]
pub(super) struct DrawOffers {
    /// The score of its last move, from its view.
    score: Option<Score>,
    /// The number of its moves in a row with a level score.
    level_moves: u32,
    /// Whether it offered a draw with its last move.
    is_offered: bool,
}

impl DrawOffers {
    /// The maximum of a level score, in centipawns.
    const LEVEL: i32 = 10;
    /// The number of moves in a row with a level score before an offer.
    const LEVEL_MOVES: u32 = 8;
    /// The move number of the first offer.
    const FIRST_MOVE: u32 = 30;

    /// Takes the score of a move of the engine, from its view, and the move number. Whether it
    /// offers a draw with this move.
    pub(super) fn take(&mut self, score: Score, move_number: u32) -> bool {
        let is_level = score.centipawns().is_some_and(|cp| cp.abs() <= DrawOffers::LEVEL);
        self.score = Some(score);
        self.level_moves = if is_level { self.level_moves + 1 } else { 0 };
        self.is_offered =
            self.level_moves >= DrawOffers::LEVEL_MOVES && move_number >= DrawOffers::FIRST_MOVE;
        if self.is_offered {
            self.level_moves = 0;
        }
        self.is_offered
    }

    /// Whether the engine agrees to a draw: it has offered one, or does not stand better.
    pub(super) fn agrees(&self) -> bool {
        self.is_offered || self.score.is_some_and(|score| score.value() <= Score::DRAW.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draw_is_offered_after_level_moves_and_taken_unless_the_engine_stands_better() {
        let [level, better, worse] = [10, 11, -300].map(Score::from_centipawns);
        let scores = |score, count| std::iter::repeat_n(score, count);
        let offers = |scores: Vec<Score>, move_number| {
            let mut offers = DrawOffers::default();
            let count = scores.into_iter().filter(|s| offers.take(*s, move_number)).count();
            (count, offers.agrees())
        };
        for (moves, move_number, expected) in [
            (vec![], 40, (0, false)),
            (vec![level], 40, (0, false)),
            (vec![worse], 1, (0, true)),
            (vec![Score::from_mate(-3)], 1, (0, true)),
            (vec![better], 40, (0, false)),
            (scores(level, 8).collect(), 40, (1, true)),
            (scores(level, 8).collect(), 29, (0, false)),
            (scores(level, 15).collect(), 40, (1, false)),
            (scores(level, 16).collect(), 40, (2, true)),
            (scores(level, 7).chain([better, level]).collect(), 40, (0, false)),
            (scores(Score::from_mate(9), 20).collect(), 40, (0, false)),
        ] {
            assert_eq!(offers(moves.clone(), move_number), expected, "{moves:?} {move_number}");
        }
    }
}
