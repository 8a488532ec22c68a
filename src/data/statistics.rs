//! Statistics of recorded games: counts, and the agreement of scores and results.

use super::{Adjudicator, DECISIVE, GameRecord, NO_SCORE, Termination};
use crate::chess::{Color, GameResult};
use crate::eval::wdl::WdlCounts;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The scale of the sigmoid that turns scores into expected points, in centipawns: the results of
/// self-play games follow 1 / (1 + e^(-score / scale)) with 170 to 210 in every phase with
/// more than eight pieces.
pub const SIGMOID_SCALE: f64 = 190.0;

/// The expected points, from 0 to 1, of the side that has this score in centipawns.
pub fn sigmoid(score: f64) -> f64 {
    1.0 / (1.0 + (-score / SIGMOID_SCALE).exp())
}

/// The upper bounds of the score buckets, in centipawns without the sign. Mate and tablebase scores
/// are one more bucket.
pub const SCORE_BUCKETS: [i16; 8] = [25, 50, 100, 200, 400, 800, 1600, DECISIVE];

/// The correlation of two quantities.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Correlation {
    count: f64,
    x: f64,
    y: f64,
    xx: f64,
    yy: f64,
    xy: f64,
}

impl Correlation {
    /// Adds a pair of values.
    pub fn add(&mut self, x: f64, y: f64) {
        self.count += 1.0;
        self.x += x;
        self.y += y;
        self.xx += x * x;
        self.yy += y * y;
        self.xy += x * y;
    }

    /// Adds the pairs of another correlation.
    pub fn merge(&mut self, other: &Correlation) {
        self.count += other.count;
        self.x += other.x;
        self.y += other.y;
        self.xx += other.xx;
        self.yy += other.yy;
        self.xy += other.xy;
    }

    /// Pearson's coefficient, from -1 to 1; `None` if one of the quantities is
    /// constant.
    pub fn coefficient(&self) -> Option<f64> {
        let covariance = self.count * self.xy - self.x * self.y;
        let spread = |square: f64, sum: f64| self.count * square - sum * sum;
        let product = spread(self.xx, self.x) * spread(self.yy, self.y);
        (product > 0.0).then(|| covariance / product.sqrt())
    }

    /// The slope of the straight line that fits y best at each x; `None` if x is constant.
    pub fn slope(&self) -> Option<f64> {
        let spread = self.count * self.xx - self.x * self.x;
        (spread > 0.0).then(|| (self.count * self.xy - self.x * self.y) / spread)
    }
}

/// The positions with a score in one bucket.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoreBucket {
    /// The number of positions.
    pub positions: u64,
    /// The points of the side that was ahead, summed over the positions.
    pub points: f64,
}

/// Statistics of games.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// The number of games.
    pub games: u64,
    /// Games with the same start and moves as an earlier one.
    pub duplicates: u64,
    /// Games with another start position than the standard one.
    pub other_starts: u64,
    /// The number of plies.
    pub plies: u64,
    /// Positions with a score.
    pub positions: u64,
    /// Positions with a principal variation.
    pub pvs: u64,
    /// Games by the half points of White: Black wins, draws, White wins.
    pub results: [u64; 3],
    /// Games by [`Termination`].
    pub terminations: [u64; Termination::ALL.len()],
    /// Games by length, in buckets of [`LENGTH_BUCKET`] plies.
    pub lengths: Vec<u64>,
    /// The shortest game, in plies.
    pub shortest: Option<usize>,
    /// The longest game, in plies.
    pub longest: Option<usize>,
    /// Positions by score, in the buckets of [`SCORE_BUCKETS`], then mate and tablebase scores.
    pub scores: [ScoreBucket; SCORE_BUCKETS.len() + 1],
    /// The correlation of expected points by score with the result, with White and with Black to
    /// move. Both should be well above 0.5; scores with a wrong sign make them negative.
    pub correlations: [Correlation; 2],
    /// Positions by score and result, from `FIRST_WDL_PLY` on.
    pub wdl: WdlCounts,
    /// Games that reached the point of adjudication and ended in another way, most of them later, and
    /// how many of them had the adjudicated result.
    pub adjudications: (u64, u64),
    fingerprints: HashSet<u64>,
}

/// Earlier plies do not count in [`Statistics::wdl`]: many openings are random.
const FIRST_WDL_PLY: usize = 32;

/// The width of a bucket of [`Statistics::lengths`], in plies.
pub const LENGTH_BUCKET: usize = 20;

impl Statistics {
    /// Adds a game.
    pub fn add(&mut self, game: &GameRecord) {
        let length = game.plies.len();
        self.games += 1;
        self.duplicates += u64::from(!self.fingerprints.insert(fingerprint(game)));
        self.other_starts += u64::from(game.start.is_some());
        self.plies += length as u64;
        self.pvs += game.pvs.iter().filter(|pv| !pv.is_empty()).count() as u64;
        self.results[usize::from(game.result.half_points(Color::White))] += 1;
        self.terminations[game.termination as usize] += 1;
        let bucket = length.saturating_sub(1) / LENGTH_BUCKET;
        if self.lengths.len() <= bucket {
            self.lengths.resize(bucket + 1, 0);
        }
        self.lengths[bucket] += 1;
        self.shortest = Some(self.shortest.map_or(length, |min| min.min(length)));
        self.longest = Some(self.longest.map_or(length, |max| max.max(length)));
        self.add_scores(game);
        self.add_adjudication(game);
    }

    fn add_scores(&mut self, game: &GameRecord) {
        let half_points = game.result.half_points(Color::White);
        let points = f64::from(half_points) / 2.0;
        let black_starts = game.start.is_some_and(|start| start.black_to_move);
        for (number, ply) in game.plies.iter().enumerate() {
            if ply.score == NO_SCORE {
                continue;
            }
            self.positions += 1;
            let size = ply.score.saturating_abs();
            let bucket = SCORE_BUCKETS.partition_point(|bound| *bound <= size);
            self.scores[bucket].positions += 1;
            self.scores[bucket].points += match ply.score.signum() {
                1 => points,
                -1 => 1.0 - points,
                _ => 0.5,
            };
            if number >= FIRST_WDL_PLY {
                self.wdl.add(ply.score, half_points);
            }
            let expected = sigmoid(f64::from(ply.score));
            let black_moves = (number % 2 == 1) != black_starts;
            self.correlations[usize::from(black_moves)].add(expected, points);
        }
    }

    fn add_adjudication(&mut self, game: &GameRecord) {
        let adjudicated = [Termination::AdjudicatedWin, Termination::AdjudicatedDraw];
        if adjudicated.contains(&game.termination) {
            return;
        }
        let first = game.start.map_or(1, |start| u32::from(start.fullmove_number));
        let late = game.start.is_some_and(|start| start.black_to_move);
        let mut adjudicator = Adjudicator::default();
        let mut adjudications = game.plies.iter().enumerate().filter_map(|(number, ply)| {
            let half_moves = number + usize::from(late);
            let move_number = first.saturating_add(half_moves as u32 / 2);
            let scored = (ply.score != NO_SCORE).then_some(i32::from(ply.score))?;
            adjudicator.add(scored, move_number)
        });
        if let Some((result, _)) = adjudications.next() {
            self.adjudications.0 += 1;
            self.adjudications.1 += u64::from(result == game.result);
        }
    }

    /// The number of games with this result.
    pub fn games_with(&self, result: GameResult) -> u64 {
        self.results[usize::from(result.half_points(Color::White))]
    }

    /// The mean length of a game in plies.
    pub fn mean_length(&self) -> f64 {
        self.plies as f64 / self.games.max(1) as f64
    }
}

/// A hash of the start position and the moves, which tells games apart.
pub fn fingerprint(game: &GameRecord) -> u64 {
    let mut hasher = DefaultHasher::new();
    if let Some(start) = &game.start {
        (start.occupied, start.piece_codes, start.black_to_move, start.castling).hash(&mut hasher);
    }
    for ply in &game.plies {
        ply.move_bits.hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{PackedPosition, PlyRecord};

    fn game(result: GameResult, termination: Termination, scores: &[i16]) -> GameRecord {
        let opening = [NO_SCORE; 2];
        let ply = |(number, score): (usize, &i16)| PlyRecord {
            move_bits: number as u16 + 1,
            score: *score,
        };
        GameRecord {
            start: None,
            result,
            termination,
            opening_plies: 2,
            plies: opening.iter().chain(scores).enumerate().map(ply).collect(),
            pvs: Vec::new(),
        }
    }

    fn correlations(games: &[GameRecord]) -> [Option<f64>; 2] {
        let mut statistics = Statistics::default();
        games.iter().for_each(|game| statistics.add(game));
        statistics.correlations.map(|sums| sums.coefficient())
    }

    #[test]
    fn scores_with_a_wrong_sign_for_one_colour_correlate_negatively() {
        use GameResult::{BlackWins, Draw, WhiteWins};
        let games = |w: i16, b: i16| {
            [(WhiteWins, 1), (BlackWins, -1), (Draw, 0)].map(|(result, sign)| {
                let scores = [300 * sign * w, 300 * sign * b, 500 * sign * w, 500 * sign * b];
                game(result, Termination::Checkmate, &scores)
            })
        };
        let [white, black] = correlations(&games(1, 1)).map(Option::unwrap);
        assert!(white > 0.9 && black > 0.9, "{white} {black}");
        let [white, black] = correlations(&games(1, -1)).map(Option::unwrap);
        assert!(white > 0.9 && black < -0.9, "{white} {black}");
        assert_eq!(correlations(&games(0, 0)), [None, None]);
        let black_starts = |mut game: GameRecord| {
            game.start =
                Some(PackedPosition { black_to_move: true, ..PackedPosition::with_pieces([]) });
            game
        };
        let [white, black] = correlations(&games(1, -1).map(black_starts)).map(Option::unwrap);
        assert!(white < -0.9 && black > 0.9, "{white} {black}");
    }

    #[test]
    fn a_slope_is_that_of_the_line_through_points_on_it() {
        let mut correlation = Correlation::default();
        assert_eq!(correlation.slope(), None);
        for x in [0.2, 0.5, 0.9] {
            correlation.add(x, 1.5 * x - 0.25);
        }
        let slope = correlation.slope().expect("x varies");
        assert!((slope - 1.5).abs() < 1e-9, "{slope}");
    }

    #[test]
    fn a_merged_correlation_is_that_of_all_pairs() {
        let pairs = [(1.0, 2.0), (3.0, 1.0), (-2.0, 5.0), (7.0, -3.0), (0.5, 0.25)];
        let correlation = |pairs: &[(f64, f64)]| {
            let mut sums = Correlation::default();
            pairs.iter().for_each(|(x, y)| sums.add(*x, *y));
            sums
        };
        for split in 0..=pairs.len() {
            let mut merged = correlation(&pairs[..split]);
            merged.merge(&correlation(&pairs[split..]));
            assert_eq!(merged, correlation(&pairs), "{split}");
        }
        let coefficient = correlation(&pairs).coefficient().expect("not constant");
        assert!((coefficient + 0.9206).abs() < 1e-4, "{coefficient}");
        let line = [(1.0, 3.0), (2.0, 5.0), (4.0, 9.0)];
        assert_eq!(correlation(&line).coefficient(), Some(1.0));
    }

    #[test]
    fn counts_are_those_of_the_games() {
        let mut statistics = Statistics::default();
        let won = game(GameResult::WhiteWins, Termination::Checkmate, &[10, -60, 30_000]);
        statistics.add(&won);
        statistics.add(&won);
        statistics.add(&game(GameResult::Draw, Termination::Stalemate, &[0; 25]));
        assert_eq!((statistics.games, statistics.duplicates), (3, 1));
        assert_eq!((statistics.plies, statistics.positions), (37, 31));
        assert_eq!(statistics.results, [0, 1, 2]);
        assert_eq!(statistics.lengths, [2, 1]);
        assert_eq!((statistics.shortest, statistics.longest), (Some(5), Some(27)));
        let bucket = |positions, points| ScoreBucket { positions, points };
        assert_eq!(statistics.scores[0], bucket(27, 14.5));
        assert_eq!(statistics.scores[2], bucket(2, 0.0));
        assert_eq!(statistics.scores[SCORE_BUCKETS.len()], bucket(2, 2.0));
    }

    #[test]
    fn games_that_are_played_on_measure_adjudication() {
        let mut statistics = Statistics::default();
        for result in [GameResult::WhiteWins, GameResult::WhiteWins, GameResult::Draw] {
            statistics.add(&game(result, Termination::FiftyMoves, &[2500; 6]));
        }
        statistics.add(&game(GameResult::WhiteWins, Termination::Checkmate, &[2500; 3]));
        statistics.add(&game(GameResult::WhiteWins, Termination::AdjudicatedWin, &[2500; 6]));
        assert_eq!(statistics.adjudications, (3, 2));
    }
}
