//! What scores promised: how often positions with a score were won, drawn and lost in the end, and
//! the two numbers of the curves through that.
//!
//! The chance to win at score `s` is `1 / (1 + exp((even - s) / spread))`, that to lose the same at
//! `-s`; what is left is the draw. `engine::wdl` uses these curves.

/// The width of a class of scores, in centipawns.
const WIDTH: usize = 10;
/// So many classes; higher scores say nothing about the curves.
const CLASSES: usize = 100;
/// Earlier plies are left out: many a beginning is drawn at random.
const FIRST_PLY: usize = 32;

/// Positions by the score of the side ahead (classes of 10 centipawns from 0) and by what
/// became of it: lost, drawn, won.
#[derive(Clone, Debug)]
pub struct Chances {
    counts: Vec<[u64; 3]>,
}

impl Default for Chances {
    fn default() -> Chances {
        Chances {
            counts: vec![[0; 3]; CLASSES],
        }
    }
}

/// The two numbers of the curves, in centipawns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curve {
    /// The score at which winning is as likely as not.
    pub even: f64,
    /// How fast the chance changes with the score.
    pub spread: f64,
}

impl Curve {
    /// The chances to lose, draw and win at this score.
    fn at(self, score: f64) -> [f64; 3] {
        let chance = |score: f64| 1.0 / (1.0 + ((self.even - score) / self.spread).exp());
        let (win, loss) = (chance(score), chance(-score));
        [loss, 1.0 - win - loss, win]
    }
}

impl Chances {
    /// Takes note of a position at this ply, by score and result (0 lost, 1 drawn, 2 won) from the
    /// same side's view.
    pub fn note(&mut self, ply: usize, score: i16, result: usize) {
        let class = usize::from(score.unsigned_abs()) / WIDTH;
        if ply >= FIRST_PLY && class < CLASSES {
            self.counts[class][if score < 0 { 2 - result } else { result }] += 1;
        }
    }

    /// The curve that makes what happened most likely; `None` without positions of every kind.
    pub fn fit(&self) -> Option<Curve> {
        let seen = |result: usize| self.counts.iter().any(|class| class[result] > 0);
        if !(0..3).all(seen) {
            return None;
        }
        // Downhill along each number in turn, in ever smaller steps: slow, and cannot go wrong.
        let mut best = Curve {
            even: 150.0,
            spread: 100.0,
        };
        let mut least = self.surprise(best);
        let mut factor: f64 = 2.0;
        while factor > 1.0001 {
            let mut moved = false;
            for (even, spread) in [
                (factor, 1.0),
                (1.0 / factor, 1.0),
                (1.0, factor),
                (1.0, 1.0 / factor),
            ] {
                let other = Curve {
                    even: best.even * even,
                    spread: best.spread * spread,
                };
                let surprise = self.surprise(other);
                if surprise < least {
                    (best, least, moved) = (other, surprise, true);
                }
            }
            if !moved {
                factor = factor.sqrt();
            }
        }
        Some(best)
    }

    /// How unlikely all that happened would be: minus the logarithm of its likelihood.
    fn surprise(&self, curve: Curve) -> f64 {
        let classes = self.counts.iter().enumerate();
        classes
            .map(|(class, counts)| {
                let middle = (class as f64 + 0.5) * WIDTH as f64;
                let chances = curve.at(middle);
                let terms = counts.iter().zip(chances);
                terms
                    .map(|(count, chance)| -(*count as f64) * chance.max(1e-12).ln())
                    .sum::<f64>()
            })
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_that_made_the_counts_is_found_again() {
        for (even, spread) in [(120.0, 60.0), (300.0, 90.0), (80.0, 140.0)] {
            let truth = Curve { even, spread };
            let mut chances = Chances::default();
            for (class, counts) in chances.counts.iter_mut().enumerate() {
                let middle = (class as f64 + 0.5) * WIDTH as f64;
                *counts = truth.at(middle).map(|chance| (chance * 1e6) as u64);
            }
            let found = chances.fit().unwrap();
            assert!((found.even / even - 1.0).abs() < 0.01, "{found:?}");
            assert!((found.spread / spread - 1.0).abs() < 0.01, "{found:?}");
        }
    }

    #[test]
    fn both_sides_count_alike_and_openings_not_at_all() {
        let mut chances = Chances::default();
        chances.note(FIRST_PLY, 55, 2);
        chances.note(FIRST_PLY, -55, 0);
        chances.note(FIRST_PLY, -58, 1);
        chances.note(FIRST_PLY - 1, 55, 2);
        chances.note(FIRST_PLY, i16::MAX, 2);
        assert_eq!(chances.counts[5], [0, 1, 2]);
        assert_eq!(chances.counts.iter().flatten().sum::<u64>(), 3);
        assert_eq!(chances.fit(), None);
    }
}
