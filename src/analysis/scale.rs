//! Scales of judgements: winning chances of an evaluation, and what a move may lose of them.

use super::Judgement;
use crate::chess::Color;
use crate::eval::wdl::{expected_points, from_normalised_cp};
use crate::search::score::Score;

/// Slope of the curve of lichess, per centipawn.
const LICHESS_SLOPE: f64 = 0.003_682_08;

/// Lichess caps evaluations at this number of centipawns for accuracies; a mate is this much.
const LICHESS_CAP: i32 = 1000;

/// In a position with more centipawns than the first number a missed or allowed mate is an
/// inaccuracy, with more than the second a mistake.
const CLEAR_CENTIPAWNS: [i32; 2] = [999, 700];

/// How winning chances follow from an evaluation, and from what loss on a move is bad. Chances are
/// between -1 (lost) and 1 (won).
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Scale {
    /// The scale of lichess: chances = 2 / (1 + exp(-0.00368208 · centipawns)) - 1; an inaccuracy
    /// loses 0.1, a mistake 0.2, a blunder 0.3 of them. Sources:
    /// <https://lichess.org/page/accuracy>, and `Advice.scala`, `AccuracyPercent.scala` of
    /// <https://github.com/lichess-org/lila> and `eval.scala` of
    /// <https://github.com/lichess-org/scalachess> for the thresholds, mates and the accuracy of
    /// games.
    #[default]
    Lichess,
    /// The win, draw and loss curve of this engine ([`expected_points`]): chances are wins less
    /// losses; an inaccuracy loses 0.12, a mistake 0.24, a blunder 0.44 of them.
    Wdl,
}

impl Scale {
    /// All scales.
    pub const ALL: [Scale; 2] = [Scale::Lichess, Scale::Wdl];

    /// The name.
    pub const fn name(self) -> &'static str {
        match self {
            Scale::Lichess => "lichess",
            Scale::Wdl => "wdl",
        }
    }

    /// The scale of this name.
    pub fn by_name(name: &str) -> Option<Scale> {
        Scale::ALL.into_iter().find(|scale| scale.name() == name)
    }

    /// The minimum loss of chances of an inaccuracy, a mistake and a blunder.
    pub const fn thresholds(self) -> [f64; 3] {
        match self {
            Scale::Lichess => [0.1, 0.2, 0.3],
            Scale::Wdl => [0.12, 0.24, 0.44],
        }
    }

    fn chances_of_centipawns(self, centipawns: i32) -> f64 {
        match self {
            Scale::Lichess => 2.0 / (1.0 + (-LICHESS_SLOPE * f64::from(centipawns)).exp()) - 1.0,
            Scale::Wdl => 2.0 * expected_points(from_normalised_cp(centipawns)) - 1.0,
        }
    }

    /// The winning chances of a side; `eval` is from White's view.
    pub fn chances(self, eval: Score, side: Color) -> f64 {
        let white = match (self, eval.centipawns()) {
            (Scale::Lichess, Some(n)) => {
                self.chances_of_centipawns(n.clamp(-LICHESS_CAP, LICHESS_CAP))
            }
            (Scale::Wdl, Some(n)) => self.chances_of_centipawns(n),
            (Scale::Lichess, None) => {
                f64::from(eval.value().signum()) * self.chances_of_centipawns(LICHESS_CAP)
            }
            (Scale::Wdl, None) => f64::from(eval.value().signum()),
        };
        match side {
            Color::White => white,
            Color::Black => -white,
        }
    }

    /// The judgement of a move by the evaluations before and after it, from White's view.
    pub fn judge(self, before: Score, after: Score, mover: Color) -> Judgement {
        let clear = |centipawns: i32| match centipawns {
            n if n > CLEAR_CENTIPAWNS[0] => Judgement::Inaccuracy,
            n if n > CLEAR_CENTIPAWNS[1] => Judgement::Mistake,
            _ => Judgement::Blunder,
        };
        let [before, after] = [before, after].map(|eval| eval.white_view(mover));
        match (before.centipawns(), after.centipawns()) {
            (Some(before), Some(after)) => {
                // Without the cap: it is for accuracies only.
                let [before, after] = [before, after].map(|n| self.chances_of_centipawns(n));
                self.judgement_of_loss(before - after)
            }
            // The move allows a mate.
            (Some(before), None) if after < Score::DRAW => clear(-before),
            // The move misses a mate.
            (None, Some(after)) if before > Score::DRAW => clear(after),
            (None, None) if before > Score::DRAW && after < Score::DRAW => Judgement::Blunder,
            _ => Judgement::Good,
        }
    }

    fn judgement_of_loss(self, loss: f64) -> Judgement {
        let [inaccuracy, mistake, blunder] = self.thresholds();
        match loss {
            loss if loss >= blunder => Judgement::Blunder,
            loss if loss >= mistake => Judgement::Mistake,
            loss if loss >= inaccuracy => Judgement::Inaccuracy,
            _ => Judgement::Good,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Judgement::{Blunder, Good, Inaccuracy, Mistake};

    fn cp(centipawns: i32) -> Score {
        Score::from_centipawns(centipawns)
    }

    fn mate(moves: i32) -> Score {
        Score::from_mate(moves)
    }

    #[test]
    fn judgements_follow_the_published_thresholds() {
        let cases = [
            (cp(0), cp(-54), Good),
            (cp(0), cp(-55), Inaccuracy),
            (cp(0), cp(-110), Inaccuracy),
            (cp(0), cp(-111), Mistake),
            (cp(0), cp(-169), Blunder),
            // In a won position much more is lost before a move is bad.
            (cp(900), cp(700), Good),
            (cp(3000), cp(1000), Good),
            (cp(-900), cp(-1100), Good),
            // Mates that are allowed or missed.
            (cp(0), mate(-3), Blunder),
            (cp(-701), mate(-3), Mistake),
            (cp(-1000), mate(-3), Inaccuracy),
            (mate(4), cp(700), Blunder),
            (mate(4), cp(701), Mistake),
            (mate(4), cp(1000), Inaccuracy),
            (mate(2), mate(-2), Blunder),
            (mate(2), mate(9), Good),
            (mate(-9), mate(-1), Good),
            (mate(-9), cp(0), Good),
            (mate(1), -mate(0), Good),
        ];
        for (before, after, expected) in cases {
            let white = Scale::Lichess.judge(before, after, Color::White);
            assert_eq!(white, expected, "{before} {after}");
            let black = Scale::Lichess.judge(-before, -after, Color::Black);
            assert_eq!(black, expected, "{before} {after}");
        }
    }

    #[test]
    fn chances_are_those_of_the_side_and_bounded() {
        for scale in Scale::ALL {
            assert_eq!(Scale::by_name(scale.name()), Some(scale));
            let mated = scale.chances(-mate(0), Color::White);
            assert_eq!(mated, scale.chances(mate(5), Color::White));
            assert_eq!(-mated, scale.chances(-mate(0), Color::Black));
            assert!((0.9..=1.0).contains(&mated));
            let chances = |n| scale.chances(cp(n), Color::White);
            assert_eq!(chances(0), 0.0);
            assert!(chances(50) > 0.0 && chances(50) < chances(100));
            assert!(chances(30_000) <= 1.0 && chances(-30_000) >= -1.0);
        }
        let lichess = Scale::Lichess.chances(cp(100), Color::White);
        assert!((lichess - 0.182_052).abs() < 1e-6, "{lichess}");
    }
}
