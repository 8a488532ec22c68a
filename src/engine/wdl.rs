//! What a score promises: chances to win, draw and lose; and scores as they are shown.
//!
//! The chance to win at score `s` is `1 / (1 + exp((EVEN - s) / SPREAD))`, that to lose the same at
//! `-s`; what is left is the draw. The two numbers are fitted on the engine's own games, see
//! `docs/NNUE.md`.

use crate::chess::Board;
use crate::eval::{self, Evaluation, PieceValue};
use crate::search::score::{Score, is_decisive};

/// The score at which winning is as likely as not, in centipawns of the evaluation.
const EVEN: f64 = 165.0;
/// How fast the chances change with the score, in centipawns of the evaluation.
const SPREAD: f64 = 105.0;

/// The chance to win of the side that has this score, from 0 to 1.
fn chance(score: f64) -> f64 {
    1.0 / (1.0 + ((EVEN - score) / SPREAD).exp())
}

/// The chances of winning, drawing and losing of the side that has this score, in thousandths; they
/// sum to 1000.
pub fn wdl(score: Score) -> (u32, u32, u32) {
    let score = f64::from(score);
    let [win, loss] = [score, -score].map(|score| (1000.0 * chance(score)).round() as u32);
    (win, 1000 - win - loss, loss)
}

/// The points that this score promises: 1 is a win, 0.5 a draw, 0 a loss.
pub fn expectation(score: Score) -> f64 {
    let score = f64::from(score);
    0.5 + (chance(score) - chance(-score)) / 2.0
}

/// A score as it is shown, in normalised centipawns: at 100 a win is as likely as not. What is
/// certain, a mate or what endgame tables say, stays as it is.
pub fn normalised(score: Score) -> i32 {
    if is_decisive(score) {
        return score;
    }
    (f64::from(score) * 100.0 / EVEN).round() as i32
}

/// The values of all pieces in normalised centipawns.
pub fn piece_values(board: &Board, evaluation: &Evaluation) -> Vec<PieceValue> {
    let normalise = |value: PieceValue| PieceValue {
        value: value.value.map(normalised),
        ..value
    };
    eval::piece_values(board, evaluation)
        .into_iter()
        .map(normalise)
        .collect()
}

/// What a draw costs who is so many Elo stronger, in centipawns of the evaluation: the score at which
/// equals expect as many points as the difference promises before the first move.
pub(super) fn contempt(elo: i32) -> Score {
    if elo < 0 {
        return -contempt(-elo);
    }
    let promised = 1.0 / (1.0 + 10_f64.powf(f64::from(-elo) / 400.0));
    (0..)
        .find(|score| expectation(*score) >= promised)
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::MATE;

    #[test]
    fn chances_sum_to_one_mirror_and_grow_with_the_score() {
        let mut last = 0;
        for score in (-32_000..=32_000).step_by(50) {
            let (win, draw, loss) = wdl(score);
            assert_eq!(win + draw + loss, 1000, "{score}");
            assert_eq!(wdl(-score), (loss, draw, win), "{score}");
            assert!(win >= last);
            last = win;
        }
        assert_eq!(wdl(32_000), (1000, 0, 0));
    }

    #[test]
    fn at_a_hundred_shown_winning_is_as_likely_as_not() {
        let score = (0..).find(|score| normalised(*score) == 100);
        let (win, ..) = wdl(score.expect("some score"));
        assert!(win.abs_diff(500) <= 5, "{win}");
        assert_eq!(normalised(0), 0);
        assert_eq!(normalised(-300), -normalised(300));
        assert_eq!(normalised(MATE - 3), MATE - 3);
    }

    #[test]
    fn the_points_of_both_sides_add_up_to_one() {
        for score in [-31_990, -900, -130, -20, 0, 1, 77, 250, 3000, 31_995] {
            let sum = expectation(score) + expectation(-score);
            assert!((sum - 1.0).abs() < 1e-9, "{score}");
        }
        assert_eq!(expectation(0), 0.5);
        assert_eq!(expectation(31_990), 1.0);
        assert!(expectation(100) > 0.55 && expectation(100) < 0.8);
    }

    #[test]
    fn a_draw_costs_the_stronger_what_the_weaker_gains() {
        assert_eq!(contempt(0), 0);
        assert_eq!(contempt(-100), -contempt(100));
        assert!(0 < contempt(50) && contempt(50) < contempt(100));
        assert!(contempt(500) < 2_000);
    }
}
