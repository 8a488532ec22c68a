//! What a move cost: from the worth of the positions before and after it to a word and a number.

use crate::think::Score;
use serde::Serialize;

pub use saavedra::analysis::{Judgement, accuracy};

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
