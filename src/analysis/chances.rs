//! What a score is worth in results.

use crate::engine;
use crate::search::score::Score;

/// How fast accuracy falls with what is lost.
const STRICTNESS: f64 = 5.0;

/// How likely each result is, in thousandths that add up to 1000.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    /// A win.
    pub win: u32,
    /// A draw.
    pub draw: u32,
    /// A loss.
    pub loss: u32,
}

impl Wdl {
    /// The chances of the side whose score this is.
    pub fn new(score: Score) -> Wdl {
        let (win, draw, loss) = engine::wdl(score);
        Wdl { win, draw, loss }
    }

    /// The same seen from the other side.
    #[must_use]
    pub fn flipped(self) -> Wdl {
        Wdl {
            win: self.loss,
            loss: self.win,
            ..self
        }
    }
}

/// How accurate a move was that lost so much of the expected result: 100 for nothing, 61 for a
/// tenth, 8 for half a point.
pub fn accuracy(lost: f64) -> f64 {
    100.0 * (-STRICTNESS * lost.max(0.0)).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_those_of_the_other_side_turned_round() {
        for score in [-31_990, -900, -130, -20, 0, 1, 77, 250, 3000, 31_995] {
            let wdl = Wdl::new(score);
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "{score}");
            assert_eq!(Wdl::new(-score), wdl.flipped());
        }
    }
}
