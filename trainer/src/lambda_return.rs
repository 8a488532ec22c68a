//! TD(λ): the score of a position in training is a mean of its own and all later scores of the
//! game.
//!
//! A search of 200 nodes is optimistic for the side to move, and sees only a few plies ahead. The
//! scores of the next positions have the opposite error and see further. The λ-return of a position
//! (Sutton 1988; in chess KnightCap: Baxter, Tridgell and Weaver 1998) is its own score with weight
//! 1 − λ and the λ-return of the next position with weight λ.

use saavedra::data::statistics::{SIGMOID_SCALE, sigmoid};
use saavedra::data::{DECISIVE, NO_SCORE, ReplayedPly};

/// The λ-returns of the scores of a game, in centipawns from White's view. Means are taken in
/// expected points. The last score is its own λ-return, and so is one before a ply that was not
/// searched.
pub fn lambda_returns(plies: &[ReplayedPly], td_lambda: f64) -> Vec<i16> {
    if td_lambda == 0.0 {
        return plies.iter().map(|ply| ply.score).collect();
    }
    let mut next = None;
    let mut returns: Vec<i16> = plies
        .iter()
        .rev()
        .map(|ply| {
            if ply.score == NO_SCORE {
                next = None;
                return NO_SCORE;
            }
            let own = sigmoid(f64::from(ply.score));
            let points = next.map_or(own, |next| (1.0 - td_lambda) * own + td_lambda * next);
            next = Some(points);
            score(points)
        })
        .collect();
    returns.reverse();
    returns
}

/// The score in centipawns with these expected points: the inverse of [`sigmoid`], short of
/// mate scores.
fn score(points: f64) -> i16 {
    let score = SIGMOID_SCALE * (points / (1.0 - points)).ln();
    let max = f64::from(DECISIVE - 1);
    score.round().clamp(-max, max) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use saavedra::chess::{Board, Move};

    fn plies(scores: &[i16]) -> Vec<ReplayedPly> {
        let ply = |&score| ReplayedPly {
            board: Board::startpos(),
            played: Move::from_bits(0x1234).expect("a move"),
            score,
            is_opening: score == NO_SCORE,
        };
        scores.iter().map(ply).collect()
    }

    #[test]
    fn lambda_returns_are_the_weighted_sums_of_their_definition() {
        let scores = [30, -20, 100, 55, -400, 2000];
        let points = scores.map(|score| sigmoid(f64::from(score)));
        for lambda in [0.0, 0.5, 0.85, 1.0] {
            for (number, found) in lambda_returns(&plies(&scores), lambda).into_iter().enumerate() {
                let (last, before) = points[number..].split_last().expect("not empty");
                let weights = (0..).map(|n| lambda.powi(n));
                let sum: f64 =
                    before.iter().zip(weights).map(|(p, w)| (1.0 - lambda) * w * p).sum();
                let expected = sum + lambda.powi(before.len() as i32) * last;
                let found = sigmoid(f64::from(found));
                assert!((found - expected).abs() < 2e-3, "{lambda} {number}: {found} {expected}");
            }
        }
    }

    #[test]
    fn scores_stay_as_they_are_without_lambda_and_mates_count_as_a_whole_point() {
        let scores = [NO_SCORE, NO_SCORE, 10, -3000, 0];
        assert_eq!(lambda_returns(&plies(&scores), 0.0), scores);
        assert_eq!(lambda_returns(&plies(&[0, 31_000]), 0.5), [209, DECISIVE - 1]);
        assert_eq!(lambda_returns(&plies(&[40, NO_SCORE, 70]), 0.9), [40, NO_SCORE, 70]);
    }
}
