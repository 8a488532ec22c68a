//! The summary of one side's moves in a review.

use saavedra::analysis::Judgement;
use serde::Serialize;

/// One side's moves.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    moves: u32,
    /// Mean accuracy of the moves; `None` without moves.
    accuracy: Option<f64>,
    inaccuracies: u32,
    mistakes: u32,
    blunders: u32,
}

impl Summary {
    /// Adds a move.
    pub fn add(&mut self, accuracy: f64, judgement: Judgement) {
        let sum = self.accuracy.unwrap_or(0.0) * f64::from(self.moves);
        self.moves += 1;
        self.accuracy = Some((sum + accuracy) / f64::from(self.moves));
        match judgement {
            Judgement::Inaccuracy => self.inaccuracies += 1,
            Judgement::Mistake => self.mistakes += 1,
            Judgement::Blunder => self.blunders += 1,
            Judgement::Best | Judgement::Good => {}
        }
    }
}
