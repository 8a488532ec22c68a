//! Scales of judgements: winning chances of an evaluation, and what a move may lose of them.

use super::{Eval, Judgement};
use crate::chess::Color;
use crate::eval::wdl::{CURVE, expected_points};

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
            Scale::Wdl => {
                let score = f64::from(centipawns) * CURVE.even / 100.0;
                2.0 * expected_points(score.round() as i32) - 1.0
            }
        }
    }

    /// The winning chances of a side. `turn` is the side to move: if it is mated, the evaluation
    /// `Mate(0)` is its loss.
    pub fn chances(self, eval: Eval, turn: Color, side: Color) -> f64 {
        let white = match eval {
            Eval::Centipawns(n) if self == Scale::Lichess => {
                self.chances_of_centipawns(n.clamp(-LICHESS_CAP, LICHESS_CAP))
            }
            Eval::Centipawns(n) => self.chances_of_centipawns(n),
            Eval::Mate(n) => {
                let wins = n > 0 || (n == 0 && turn == Color::Black);
                let sign = if wins { 1.0 } else { -1.0 };
                match self {
                    Scale::Lichess => sign * self.chances_of_centipawns(LICHESS_CAP),
                    Scale::Wdl => sign,
                }
            }
        };
        match side {
            Color::White => white,
            Color::Black => -white,
        }
    }

    /// The judgement of a move by the evaluations before and after it.
    pub fn judge(self, before: Eval, after: Eval, mover: Color) -> Judgement {
        let sign = match mover {
            Color::White => 1,
            Color::Black => -1,
        };
        let clear = |centipawns: i32| match centipawns {
            n if n > CLEAR_CENTIPAWNS[0] => Judgement::Inaccuracy,
            n if n > CLEAR_CENTIPAWNS[1] => Judgement::Mistake,
            _ => Judgement::Blunder,
        };
        match (before, after) {
            (Eval::Centipawns(before), Eval::Centipawns(after)) => {
                // Without the cap: it is for accuracies only.
                let [before, after] = [before, after].map(|n| self.chances_of_centipawns(sign * n));
                self.judgement_of_loss(before - after)
            }
            // The move allows a mate.
            (Eval::Centipawns(before), Eval::Mate(n)) if sign * n < 0 => clear(-sign * before),
            // The move misses a mate.
            (Eval::Mate(n), Eval::Centipawns(after)) if sign * n > 0 => clear(sign * after),
            (Eval::Mate(before), Eval::Mate(after)) if sign * before > 0 && sign * after < 0 => {
                Judgement::Blunder
            }
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
    use Eval::{Centipawns, Mate};
    use Judgement::{Blunder, Good, Inaccuracy, Mistake};

    #[test]
    fn judgements_follow_the_published_thresholds() {
        let cases = [
            (Centipawns(0), Centipawns(-54), Good),
            (Centipawns(0), Centipawns(-55), Inaccuracy),
            (Centipawns(0), Centipawns(-110), Inaccuracy),
            (Centipawns(0), Centipawns(-111), Mistake),
            (Centipawns(0), Centipawns(-169), Blunder),
            // In a won position much more is lost before a move is bad.
            (Centipawns(900), Centipawns(700), Good),
            (Centipawns(3000), Centipawns(1000), Good),
            (Centipawns(-900), Centipawns(-1100), Good),
            // Mates that are allowed or missed.
            (Centipawns(0), Mate(-3), Blunder),
            (Centipawns(-701), Mate(-3), Mistake),
            (Centipawns(-1000), Mate(-3), Inaccuracy),
            (Mate(4), Centipawns(700), Blunder),
            (Mate(4), Centipawns(701), Mistake),
            (Mate(4), Centipawns(1000), Inaccuracy),
            (Mate(2), Mate(-2), Blunder),
            (Mate(2), Mate(9), Good),
            (Mate(-9), Mate(-1), Good),
            (Mate(-9), Centipawns(0), Good),
            (Mate(1), Mate(0), Good),
        ];
        for (before, after, expected) in cases {
            let white = Scale::Lichess.judge(before, after, Color::White);
            assert_eq!(white, expected, "{before} {after}");
            let [before, after] = [before, after].map(|eval| match eval {
                Centipawns(n) => Centipawns(-n),
                Mate(n) => Mate(-n),
            });
            let black = Scale::Lichess.judge(before, after, Color::Black);
            assert_eq!(black, expected, "{before} {after}");
        }
    }

    #[test]
    fn chances_are_those_of_the_side_and_bounded() {
        for scale in Scale::ALL {
            assert_eq!(Scale::by_name(scale.name()), Some(scale));
            let mated = scale.chances(Mate(0), Color::Black, Color::White);
            assert_eq!(mated, scale.chances(Mate(5), Color::White, Color::White));
            assert_eq!(-mated, scale.chances(Mate(0), Color::Black, Color::Black));
            assert!((0.9..=1.0).contains(&mated));
            let chances = |n| scale.chances(Centipawns(n), Color::White, Color::White);
            assert_eq!(chances(0), 0.0);
            assert!(chances(50) > 0.0 && chances(50) < chances(100));
            assert!(chances(30_000) <= 1.0 && chances(-30_000) >= -1.0);
        }
        let lichess = Scale::Lichess.chances(Centipawns(100), Color::White, Color::White);
        assert!((lichess - 0.182_052).abs() < 1e-6, "{lichess}");
    }
}
