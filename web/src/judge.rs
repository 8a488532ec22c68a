//! What a move cost: from the worth of the positions before and after it to a word and a number.

use crate::think::Score;
use serde::Serialize;

/// The share of the point given away from which a move is called so.
const INACCURACY: f64 = 0.05;
const MISTAKE: f64 = 0.10;
const BLUNDER: f64 = 0.20;
/// How fast accuracy falls with the share given away: a blunder at the least keeps 45 of 100.
const STEEPNESS: f64 = 4.0;
/// Centipawns at which the side ahead expects 73 of 100 points, where no win/draw/loss is known.
const SCALE: f64 = 200.0;

/// The share of the point the side to move expects, 0 to 1.
pub fn expectation(score: Score, wdl: Option<[u32; 3]>) -> f64 {
    match (wdl, score) {
        (Some([win, draw, _]), _) => (f64::from(win) + f64::from(draw) / 2.0) / 1000.0,
        (None, Score::Mate(moves)) => f64::from(u8::from(moves > 0)),
        (None, Score::Cp(cp)) => 1.0 / (1.0 + (-f64::from(cp) / SCALE).exp()),
    }
}

/// A word for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Judgement {
    /// It is the engine's choice.
    Best,
    /// It gives away little.
    Good,
    /// It gives away a twentieth of the point or more.
    Inaccuracy,
    /// It gives away a tenth of the point or more.
    Mistake,
    /// It gives away a fifth of the point or more.
    Blunder,
}

impl Judgement {
    /// The word for a move that gave away `loss` of the point.
    pub fn of(loss: f64, is_best: bool) -> Judgement {
        match loss {
            _ if is_best => Judgement::Best,
            BLUNDER.. => Judgement::Blunder,
            MISTAKE.. => Judgement::Mistake,
            INACCURACY.. => Judgement::Inaccuracy,
            _ => Judgement::Good,
        }
    }
}

/// The accuracy of a move that gave away `loss` of the point, 0 to 100.
pub fn accuracy(loss: f64) -> f64 {
    100.0 * (-STEEPNESS * loss.max(0.0)).exp()
}

/// One side's moves in sum.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    moves: u32,
    /// Mean accuracy of the moves; none without moves.
    accuracy: Option<f64>,
    inaccuracies: u32,
    mistakes: u32,
    blunders: u32,
}

impl Summary {
    /// Counts one more move.
    pub fn add(&mut self, accuracy: f64, judgement: Judgement) {
        let before = self.accuracy.unwrap_or(0.0) * f64::from(self.moves);
        self.moves += 1;
        self.accuracy = Some((before + accuracy) / f64::from(self.moves));
        match judgement {
            Judgement::Inaccuracy => self.inaccuracies += 1,
            Judgement::Mistake => self.mistakes += 1,
            Judgement::Blunder => self.blunders += 1,
            Judgement::Best | Judgement::Good => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_more_a_move_gives_away_the_worse_its_word_and_number() {
        let words = [0.0, 0.06, 0.12, 0.5].map(|loss| Judgement::of(loss, false));
        let expected = [
            Judgement::Good,
            Judgement::Inaccuracy,
            Judgement::Mistake,
            Judgement::Blunder,
        ];
        assert_eq!(words, expected);
        assert_eq!(Judgement::of(0.12, true), Judgement::Best);
        assert_eq!(accuracy(0.0), 100.0);
        assert_eq!(accuracy(-0.1), 100.0);
        assert!(accuracy(0.1) > accuracy(0.2));
    }

    #[test]
    fn expectations_of_both_sides_make_one_point() {
        for (score, mirrored) in [
            (Score::Cp(80), Score::Cp(-80)),
            (Score::Mate(2), Score::Mate(-2)),
        ] {
            let sum = expectation(score, None) + expectation(mirrored, None);
            assert!((sum - 1.0).abs() < 1e-12, "{score:?}");
        }
        assert_eq!(expectation(Score::Cp(0), Some([300, 500, 200])), 0.55);
        assert_eq!(expectation(Score::Mate(0), None), 0.0);
    }
}
