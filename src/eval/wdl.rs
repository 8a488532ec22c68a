//! Win, draw and loss probabilities of a score, and the scale on which scores are shown.
//!
//! The win probability at score `s` is `1 / (1 + exp((even - s) / spread))`. The loss probability is
//! the win probability at `-s`; the rest is the draw ([`WdlCurve`]). The two parameters are fitted to
//! games of the engine ([`WdlCounts`]), see `docs/NNUE.md`.
//! <https://www.chessprogramming.org/Pawn_Advantage,_Win_Percentage,_and_Elo>

use crate::chess::{Board, Color, GameStatus};

/// The curve of the built-in evaluation, fitted to games on a clock.
pub const CURVE: WdlCurve = WdlCurve { even: 151.0, spread: 44.0 };

/// The win and loss probabilities as functions of the score.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WdlCurve {
    /// The score with a win probability of one half, in centipawns.
    pub even: f64,
    /// The width of the transition, in centipawns.
    pub spread: f64,
}

impl WdlCurve {
    /// The win probability of the side that has this score, from 0 to 1.
    fn win(&self, score: f64) -> f64 {
        1.0 / (1.0 + ((self.even - score) / self.spread).exp())
    }

    /// The probabilities of a loss, a draw and a win, by half points.
    fn probabilities(&self, score: f64) -> [f64; 3] {
        let (win, loss) = (self.win(score), self.win(-score));
        [loss, 1.0 - win - loss, win]
    }
}

/// Probabilities of a win, a draw and a loss, in thousandths that add up to 1000.
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
    /// A certain draw.
    pub const DRAW: Wdl = Wdl { win: 0, draw: 1000, loss: 0 };

    /// The probabilities of the side that has this score, in centipawns.
    pub fn from_score(score: i32) -> Wdl {
        let score = f64::from(score);
        let [win, loss] = [score, -score].map(|s| (1000.0 * CURVE.win(s)).round() as u32);
        Wdl { win, draw: 1000 - win - loss, loss }
    }

    /// The probabilities of the side to move in a position with this score. After a mate, a
    /// stalemate, fifty moves without progress or with insufficient material the result is certain,
    /// whatever the score.
    ///
    /// ```
    /// use saavedra::chess::Board;
    /// use saavedra::eval::wdl::Wdl;
    ///
    /// let stalemate = Board::from_fen("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")?;
    /// assert_eq!(Wdl::of_position(&stalemate, 0).draw, 1000);
    /// assert!(Wdl::of_position(&Board::startpos(), 0).draw < 1000);
    /// # Ok::<(), saavedra::chess::PositionError>(())
    /// ```
    pub fn of_position(board: &Board, score: i32) -> Wdl {
        match board.status() {
            GameStatus::Checkmate => Wdl { win: 0, draw: 0, loss: 1000 },
            GameStatus::Ongoing => Wdl::from_score(score),
            _ => Wdl::DRAW,
        }
    }

    /// The same from the other side's view.
    #[must_use]
    pub fn flipped(self) -> Wdl {
        Wdl { win: self.loss, loss: self.win, ..self }
    }

    /// The same from White's view, if this is the view of the side to move, `turn`.
    #[must_use]
    pub fn white_view(self, turn: Color) -> Wdl {
        match turn {
            Color::White => self,
            Color::Black => self.flipped(),
        }
    }
}

/// The expected points of the side that has this score: 1 is a win, 0.5 a draw, 0 a loss.
pub fn expected_points(score: i32) -> f64 {
    let score = f64::from(score);
    0.5 + (CURVE.win(score) - CURVE.win(-score)) / 2.0
}

/// A score in normalised centipawns: 100 has a win probability of one half. Mate and tablebase
/// scores are not normalised, see `search::score::Score`.
pub fn normalised_cp(score: i32) -> i32 {
    (f64::from(score) * 100.0 / CURVE.even).round() as i32
}

/// A score with these normalised centipawns: the inverse of [`normalised_cp`].
pub fn from_normalised_cp(centipawns: i32) -> i32 {
    (f64::from(centipawns) * CURVE.even / 100.0).round() as i32
}

/// The score at which equal players expect as many points as a difference in Elo predicts.
/// <https://www.chessprogramming.org/Elo_Rating_System>
pub fn score_from_elo(elo: i32) -> i32 {
    if elo < 0 {
        return -score_from_elo(-elo);
    }
    let expected = 1.0 / (1.0 + 10_f64.powf(f64::from(-elo) / 400.0));
    (0..).find(|score| expected_points(*score) >= expected).unwrap_or(0)
}

/// The width of a bucket of [`WdlCounts`], in centipawns.
const BUCKET_WIDTH: usize = 10;
/// The number of buckets. Larger scores add nothing to the fit.
const BUCKETS: usize = 100;

/// Positions by score and result, which a [`WdlCurve`] is fitted to.
#[derive(Clone, Debug)]
pub struct WdlCounts {
    /// By the score of the side that is ahead, then losses, draws and wins of that side.
    counts: Vec<[u64; 3]>,
}

impl Default for WdlCounts {
    fn default() -> WdlCounts {
        WdlCounts { counts: vec![[0; 3]; BUCKETS] }
    }
}

impl WdlCounts {
    /// Counts a position: its score and the half points of its game, from the same side's view.
    pub fn add(&mut self, score: i16, half_points: u8) {
        let bucket = usize::from(score.unsigned_abs()) / BUCKET_WIDTH;
        if let Some(counts) = self.counts.get_mut(bucket) {
            let own = usize::from(half_points);
            counts[if score < 0 { 2 - own } else { own }] += 1;
        }
    }

    /// The curve of the maximum likelihood; `None` unless wins, draws and losses all occur.
    pub fn fit(&self) -> Option<WdlCurve> {
        let occurs = |result: usize| self.counts.iter().any(|counts| counts[result] > 0);
        if !(0..3).all(occurs) {
            return None;
        }
        // Coordinate descent with shrinking steps: slow, but it always converges.
        let mut best = WdlCurve { even: 150.0, spread: 100.0 };
        let mut min_loss = self.loss(&best);
        let mut factor: f64 = 2.0;
        while factor > 1.0001 {
            let mut moved = false;
            for (even, spread) in
                [(factor, 1.0), (1.0 / factor, 1.0), (1.0, factor), (1.0, 1.0 / factor)]
            {
                let candidate = WdlCurve { even: best.even * even, spread: best.spread * spread };
                let loss = self.loss(&candidate);
                if loss < min_loss {
                    (best, min_loss, moved) = (candidate, loss, true);
                }
            }
            if !moved {
                factor = factor.sqrt();
            }
        }
        Some(best)
    }

    /// The negative logarithm of the likelihood of the counts under a curve.
    fn loss(&self, curve: &WdlCurve) -> f64 {
        let buckets = self.counts.iter().enumerate();
        let losses = buckets.map(|(bucket, counts)| {
            let middle = (bucket as f64 + 0.5) * BUCKET_WIDTH as f64;
            let terms = counts.iter().zip(curve.probabilities(middle));
            terms.map(|(count, p)| -(*count as f64) * p.max(1e-12).ln()).sum::<f64>()
        });
        losses.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_sum_to_one_mirror_and_grow_with_the_score() {
        let mut last = 0;
        for score in (-32_000..=32_000).step_by(50) {
            let wdl = Wdl::from_score(score);
            assert_eq!(wdl.win + wdl.draw + wdl.loss, 1000, "{score}");
            assert_eq!(Wdl::from_score(-score), wdl.flipped(), "{score}");
            assert!(wdl.win >= last);
            last = wdl.win;
        }
        let certain = Wdl { win: 1000, draw: 0, loss: 0 };
        assert_eq!(Wdl::from_score(32_000), certain);
    }

    #[test]
    fn the_result_of_a_finished_game_is_certain() {
        let cases = [
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", Some([0, 0, 1000])),
            ("7k/6Q1/6K1/8/8/8/8/8 b - - 100 90", Some([0, 0, 1000])),
            ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", Some([0, 1000, 0])),
            ("8/8/8/8/8/2k5/8/4K3 w - - 0 1", Some([0, 1000, 0])),
            ("8/8/8/8/8/2k5/8/4KB2 b - - 0 1", Some([0, 1000, 0])),
            ("8/8/8/8/8/2k5/8/4KR2 b - - 99 90", None),
            ("8/8/8/8/8/2k5/8/4KR2 b - - 100 90", Some([0, 1000, 0])),
            ("8/8/8/8/8/2k5/8/4KR2 b - - 150 90", Some([0, 1000, 0])),
            ("8/8/8/8/8/2k5/8/4KR2 b - - 0 1", None),
        ];
        for (fen, certain) in cases {
            let board = Board::from_fen(fen).expect("legal");
            for score in [-700, 0, 20] {
                let Wdl { win, draw, loss } = Wdl::from_score(score);
                let expected = certain.unwrap_or([win, draw, loss]);
                let Wdl { win, draw, loss } = Wdl::of_position(&board, score);
                assert_eq!([win, draw, loss], expected, "{fen}, {score}");
            }
        }
    }

    #[test]
    fn a_normalised_score_of_100_wins_every_second_game() {
        let score = (0..).find(|score| normalised_cp(*score) == 100);
        let wdl = Wdl::from_score(score.expect("some score"));
        assert!(wdl.win.abs_diff(500) <= 5, "{wdl:?}");
        assert_eq!(normalised_cp(0), 0);
        assert_eq!(normalised_cp(-300), -normalised_cp(300));
    }

    #[test]
    fn expected_points_of_both_sides_add_up_to_one() {
        for score in [-31_990, -900, -130, -20, 0, 1, 77, 250, 3000, 31_995] {
            let sum = expected_points(score) + expected_points(-score);
            assert!((sum - 1.0).abs() < 1e-9, "{score}");
        }
        assert_eq!(expected_points(0), 0.5);
        assert_eq!(expected_points(31_990), 1.0);
        assert!(expected_points(100) > 0.55 && expected_points(100) < 0.8);
    }

    #[test]
    fn scores_from_elo_are_odd_and_grow() {
        assert_eq!(score_from_elo(0), 0);
        assert_eq!(score_from_elo(-100), -score_from_elo(100));
        assert!(0 < score_from_elo(50) && score_from_elo(50) < score_from_elo(100));
        assert!(score_from_elo(500) < 2_000);
    }

    #[test]
    fn the_fit_finds_the_curve_that_made_the_counts() {
        for (even, spread) in [(120.0, 60.0), (300.0, 90.0), (80.0, 140.0)] {
            let truth = WdlCurve { even, spread };
            let mut counts = WdlCounts::default();
            for (bucket, counts) in counts.counts.iter_mut().enumerate() {
                let middle = (bucket as f64 + 0.5) * BUCKET_WIDTH as f64;
                *counts = truth.probabilities(middle).map(|p| (p * 1e6) as u64);
            }
            let found = counts.fit().unwrap();
            assert!((found.even / even - 1.0).abs() < 0.01, "{found:?}");
            assert!((found.spread / spread - 1.0).abs() < 0.01, "{found:?}");
        }
    }

    #[test]
    fn counts_are_those_of_the_side_ahead() {
        let mut counts = WdlCounts::default();
        counts.add(55, 2);
        counts.add(-55, 0);
        counts.add(-58, 1);
        counts.add(i16::MAX, 2);
        assert_eq!(counts.counts[5], [0, 1, 2]);
        assert_eq!(counts.counts.iter().flatten().sum::<u64>(), 3);
        assert_eq!(counts.fit(), None);
    }
}
