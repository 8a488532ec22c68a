//! Limited playing strength: which limits and which [`Handicap`] give a strength in Elo.
//!
//! A weaker level searches fewer nodes and plies, adds an error to the evaluation and misses moves.
//! One table has a row for each calibrated level; strengths between two rows are interpolated. The
//! levels are calibrated by games against engines with a rating, see `docs/STRENGTH_LEVELS.md`. The
//! limits are nodes, not time, so a level has the same strength on any machine and with any time
//! control that is long enough.

use crate::chess::{Board, PieceKind, Random};
use crate::search::{ClockTime, Handicap, Limits};
use std::time::Duration;

/// A playing strength in Elo: about the rating on the CCRL Blitz list of an engine that scores half
/// against it. Below 1000 the numbers are not tied to ratings. The maximum is full strength, which
/// is stronger than its number.
///
/// ```
/// use saavedra::engine::Strength;
///
/// assert!(Strength::of_skill(3) < Strength::new(1500));
/// assert_eq!(Strength::new(9999), Strength::FULL);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Strength(u32);

/// The limits and the handicap of a strength.
struct Level {
    elo: u32,
    nodes: u64,
    depth: u32,
    /// In centipawns, see [`Handicap::max_eval_error`].
    max_eval_error: i32,
    /// Per mille, see [`Handicap::miss_rate`].
    miss_rate: u32,
}

const fn level(elo: u32, nodes: u64, depth: u32, max_eval_error: i32, miss_rate: u32) -> Level {
    Level { elo, nodes, depth, max_eval_error, miss_rate }
}

/// No depth limit: greater than the maximum depth of a search.
const NO_DEPTH: u32 = 240;

/// From the weakest level to full strength. Full strength itself is not limited; its row is only
/// the upper end of the interpolation.
const LEVELS: [Level; 10] = [
    level(500, 500, 1, 330, 660),
    level(750, 600, 2, 175, 280),
    level(890, 700, 2, 78, 118),
    level(980, 800, 3, 52, 70),
    level(1300, 1_000, 4, 38, 44),
    level(1680, 1_300, 6, 27, 26),
    level(2240, 2_500, 20, 11, 8),
    level(2560, 5_000, NO_DEPTH, 2, 1),
    level(2940, 18_000, NO_DEPTH, 2, 1),
    level(3000, 3_000_000, NO_DEPTH, 0, 0),
];

/// From this strength in Elo a mate in one is never missed.
const SEES_MATE_IN_ONE: u32 = 750;

/// The minimum node limit against a lone king, so that every level can mate.
const MIN_MATING_NODES: u64 = 10_000;

/// A person uses this part of the remaining time for an average move, and at most
/// [`MAX_TIME_PART`].
const TIME_PART: u32 = 50;
/// See [`TIME_PART`].
const MAX_TIME_PART: u32 = 10;
/// However much time there is, no move takes longer.
const MAX_HUMAN_TIME: Duration = Duration::from_secs(120);
/// The number of legal moves of an average position.
const AVERAGE_MOVES: f64 = 30.0;
/// Opening moves are played faster until this move number.
const OPENING_MOVES: f64 = 8.0;

/// The time that a person takes over a move: a part of the clock's time, more with many legal
/// moves, less in the opening and if there is only one move, and different from move to move. It
/// depends only on the arguments.
pub(super) fn human_time(
    board: &Board,
    clock: &ClockTime,
    overhead: Duration,
    seed: u64,
) -> Duration {
    let clock = clock.bounded();
    let spendable = clock.remaining.saturating_sub(overhead);
    let average = spendable / TIME_PART + clock.increment / 2;
    let choices = match board.legal_moves().len() {
        0 | 1 => 0.1,
        moves => (moves as f64 / AVERAGE_MOVES).min(1.5),
    };
    let opening = (f64::from(board.fullmove_number()) / OPENING_MOVES).min(1.0);
    // Most moves are fast, some take long: from a third of the average to three times as long.
    let spread = 3.0_f64.powf(2.0 * Random::new(seed ^ board.key()).unit() - 1.0);
    average.mul_f64(choices * opening * spread).min(spendable / MAX_TIME_PART).min(MAX_HUMAN_TIME)
}

impl Strength {
    /// The weakest level.
    pub const WEAKEST: Strength = Strength(500);
    /// Full strength.
    pub const FULL: Strength = Strength(3000);
    /// The maximum of the option `Skill Level`; the minimum is 0.
    pub const HIGHEST_SKILL: u32 = 20;

    /// The strength of this Elo, clamped to the supported range.
    pub const fn new(elo: u32) -> Strength {
        let (min, max) = (Strength::WEAKEST.0, Strength::FULL.0);
        Strength(if elo < min {
            min
        } else if elo > max {
            max
        } else {
            elo
        })
    }

    /// The strength of a skill level from 0 to [`HIGHEST_SKILL`](Strength::HIGHEST_SKILL). The
    /// levels are evenly spaced in Elo.
    pub const fn of_skill(level: u32) -> Strength {
        let (min, max) = (Strength::WEAKEST.0, Strength::FULL.0);
        Strength::new(min + (max - min) * level / Strength::HIGHEST_SKILL)
    }

    /// The strength in Elo.
    pub const fn elo(self) -> u32 {
        self.0
    }

    /// Whether this is full strength.
    pub fn is_full(self) -> bool {
        self == Strength::FULL
    }

    /// Lowers the limits of a search of this position to this strength, and returns its handicap.
    /// At full strength the limits do not change and there is no handicap.
    pub fn weaken(self, board: &Board, seed: u64, limits: &mut Limits) -> Option<Handicap> {
        if self.is_full() {
            return None;
        }
        let level = self.level();
        let (nodes, depth) = if has_mating_material_against_lone_king(board) {
            (level.nodes.max(MIN_MATING_NODES), NO_DEPTH)
        } else {
            (level.nodes, level.depth)
        };
        limits.nodes = Some(limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
        if depth < NO_DEPTH {
            limits.depth = Some(limits.depth.map_or(depth, |limit| limit.min(depth)));
        }
        Some(Handicap {
            max_eval_error: level.max_eval_error,
            miss_rate: level.miss_rate,
            sees_mate_in_one: self.0 >= SEES_MATE_IN_ONE,
            seed,
        })
    }

    /// The level of this strength, interpolated between two rows of the table.
    fn level(self) -> Level {
        let above = LEVELS.iter().position(|level| level.elo >= self.0);
        let above = above.unwrap_or(LEVELS.len() - 1).max(1);
        let (low, high) = (&LEVELS[above - 1], &LEVELS[above]);
        let t = f64::from(self.0 - low.elo) / f64::from(high.elo - low.elo);
        let lerp = |low: f64, high: f64| low + (high - low) * t;
        Level {
            elo: self.0,
            // Each doubling of the nodes gains about the same Elo.
            nodes: lerp((low.nodes as f64).ln(), (high.nodes as f64).ln()).exp().round() as u64,
            depth: lerp(low.depth.into(), high.depth.into()).round() as u32,
            max_eval_error: lerp(low.max_eval_error.into(), high.max_eval_error.into()).round()
                as i32,
            miss_rate: lerp(low.miss_rate.into(), high.miss_rate.into()).round() as u32,
        }
    }
}

/// Whether the opponent has only a king, and the side to move a pawn, a queen, a rook or two minor
/// pieces.
fn has_mating_material_against_lone_king(board: &Board) -> bool {
    let pieces = |kind| board.us().pieces(kind);
    let heavy = pieces(PieceKind::Queen) | pieces(PieceKind::Rook);
    let minors = pieces(PieceKind::Bishop) | pieces(PieceKind::Knight);
    board.them().occupied().count() == 1
        && (heavy.any() || minors.more_than_one() || pieces(PieceKind::Pawn).any())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits_and_handicap(elo: u32) -> (Limits, Handicap) {
        let mut limits = Limits::default();
        let handicap = Strength::new(elo).weaken(&Board::startpos(), 0, &mut limits);
        (limits, handicap.expect("not full strength"))
    }

    #[test]
    fn a_person_takes_longer_with_more_choices_and_never_much_of_the_clock() {
        let time = |fen: &str, seconds: u64, seed| {
            let clock = ClockTime {
                remaining: Duration::from_secs(seconds),
                increment: Duration::from_secs(2),
                moves_to_go: None,
            };
            let board = Board::from_fen(fen).expect("legal");
            human_time(&board, &clock, Duration::from_millis(10), seed)
        };
        let only_move = "7k/8/8/p7/8/P7/2q5/K7 w - - 0 30";
        let opening = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
        let middlegame = "r1bq1rk1/ppp2ppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQ1RK1 w - - 0 20";
        for seed in 0..200 {
            assert!(time(middlegame, 600, seed) > Duration::from_secs(3));
            for fen in [only_move, opening, middlegame] {
                for seconds in [0, 1, 10, 600] {
                    let max = Duration::from_secs(seconds) / MAX_TIME_PART;
                    assert!(time(fen, seconds, seed) <= max, "{fen}");
                }
            }
        }
        let sum = |fen| (0..200).map(|seed| time(fen, 600, seed)).sum::<Duration>();
        assert!(sum(only_move) < sum(opening) * 2 && sum(opening) * 4 < sum(middlegame));
        assert_ne!(time(middlegame, 600, 1), time(middlegame, 600, 2));
    }

    #[test]
    fn a_person_with_endless_time_takes_a_limited_time() {
        let endless =
            ClockTime { remaining: Duration::MAX, increment: Duration::MAX, moves_to_go: None };
        for seed in 0..20 {
            let time = human_time(&Board::startpos(), &endless, Duration::ZERO, seed);
            assert!(time <= MAX_HUMAN_TIME);
        }
    }

    #[test]
    fn limits_and_handicap_grow_monotonically_with_elo() {
        let mut last = limits_and_handicap(500);
        for elo in 501..3000 {
            let now = limits_and_handicap(elo);
            assert!(now.0.depth.unwrap_or(NO_DEPTH) >= last.0.depth.unwrap_or(NO_DEPTH), "{elo}");
            assert!(now.0.nodes >= last.0.nodes, "{elo}");
            assert!(now.1.max_eval_error <= last.1.max_eval_error, "{elo}");
            assert!(now.1.miss_rate <= last.1.miss_rate, "{elo}");
            last = now;
        }
    }

    #[test]
    fn full_strength_is_not_limited_and_lower_limits_stay() {
        let mut limits = Limits::nodes(77);
        assert_eq!(Strength::new(9999).weaken(&Board::startpos(), 1, &mut limits), None);
        assert_eq!(limits, Limits::nodes(77));
        Strength::new(1500).weaken(&Board::startpos(), 1, &mut limits);
        assert_eq!(limits.nodes, Some(77));
    }

    #[test]
    fn skill_levels_cover_the_range_from_weakest_to_full() {
        assert_eq!(Strength::of_skill(0), Strength::WEAKEST);
        assert_eq!(Strength::of_skill(20), Strength::FULL);
        assert!((0..20).all(|level| Strength::of_skill(level) < Strength::of_skill(level + 1)));
    }
}
