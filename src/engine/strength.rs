//! Weaker on purpose: what a strength in Elo means for a search.
//!
//! A weak player is one who sees less: fewer nodes, fewer plies, misjudged positions, overlooked
//! moves ([`Handicap`]). How much less stands in one table; strengths between its rows lie between
//! them. The numbers are calibrated by games between the rows, see `docs/STRENGTH_LEVELS.md`. A
//! budget of nodes does not grow with time, so that a strength means the same on any machine and
//! with any clock that leaves time for it.

use crate::chess::{Board, PieceKind};
use crate::search::{Handicap, Limits};

/// How strong to play, in Elo.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Strength(u32);

/// What a strength sees.
struct Row {
    elo: u32,
    nodes: u64,
    depth: u32,
    /// In centipawns, see [`Handicap`].
    error: i32,
    /// In thousandths, see [`Handicap`].
    miss_rate: u32,
}

const fn row(elo: u32, nodes: u64, depth: u32, error: i32, miss_rate: u32) -> Row {
    Row {
        elo,
        nodes,
        depth,
        error,
        miss_rate,
    }
}

/// Deeper than any search.
const NO_DEPTH: u32 = 240;

/// From the weakest to full strength, whose row nothing reaches: it is not limited at all.
const ROWS: [Row; 11] = [
    row(500, 500, 1, 330, 660),
    row(750, 500, 1, 215, 390),
    row(1000, 600, 2, 175, 280),
    row(1250, 600, 2, 120, 190),
    row(1500, 700, 2, 78, 118),
    row(1750, 800, 3, 52, 70),
    row(2000, 1_000, 4, 38, 44),
    row(2250, 1_300, 6, 27, 26),
    row(2500, 2_500, NO_DEPTH, 11, 8),
    row(2750, 5_000, NO_DEPTH, 2, 1),
    row(3000, 3_000_000, NO_DEPTH, 0, 0),
];

/// From here up a mate in one is always seen.
const SEES_MATES: u32 = 1000;

/// Nodes that even the weakest has to mate a king alone.
const MATING_NODES: u64 = 10_000;

impl Strength {
    /// The weakest.
    pub const WEAKEST: Strength = Strength(500);
    /// As strong as may be.
    pub const FULL: Strength = Strength(3000);
    /// The highest of the levels from 0 of the option `Skill Level`.
    pub const HIGHEST_SKILL: u32 = 20;

    /// The strength of so many Elo, or the nearest there is.
    pub const fn new(elo: u32) -> Strength {
        let (least, most) = (Strength::WEAKEST.0, Strength::FULL.0);
        Strength(if elo < least {
            least
        } else if elo > most {
            most
        } else {
            elo
        })
    }

    /// The strength of a level from 0 to [`HIGHEST_SKILL`](Strength::HIGHEST_SKILL), evenly spread.
    pub const fn of_skill(level: u32) -> Strength {
        let (least, most) = (Strength::WEAKEST.0, Strength::FULL.0);
        Strength::new(least + (most - least) * level / Strength::HIGHEST_SKILL)
    }

    /// In Elo.
    pub const fn elo(self) -> u32 {
        self.0
    }

    /// Whether nothing is held back.
    pub fn is_full(self) -> bool {
        self == Strength::FULL
    }

    /// How a search of this position errs, and its narrower limits; nothing changes at full
    /// strength.
    pub fn weaken(self, board: &Board, seed: u64, limits: &mut Limits) -> Option<Handicap> {
        if self.is_full() {
            return None;
        }
        let seen = self.row();
        let (nodes, depth) = match has_only_to_mate(board) {
            true => (seen.nodes.max(MATING_NODES), NO_DEPTH),
            false => (seen.nodes, seen.depth),
        };
        limits.nodes = Some(limits.nodes.map_or(nodes, |limit| limit.min(nodes)));
        if depth < NO_DEPTH {
            limits.depth = Some(limits.depth.map_or(depth, |limit| limit.min(depth)));
        }
        Some(Handicap {
            max_eval_error: seen.error,
            miss_rate: seen.miss_rate,
            sees_mate_in_one: self.0 >= SEES_MATES,
            seed,
        })
    }

    /// The row of the table, or one between two.
    fn row(self) -> Row {
        let above = ROWS.iter().position(|row| row.elo >= self.0);
        let above = above.unwrap_or(ROWS.len() - 1).max(1);
        let (low, high) = (&ROWS[above - 1], &ROWS[above]);
        let share = f64::from(self.0 - low.elo) / f64::from(high.elo - low.elo);
        let between = |low: f64, high: f64| low + (high - low) * share;
        Row {
            elo: self.0,
            // Each doubling is worth about the same.
            nodes: between((low.nodes as f64).ln(), (high.nodes as f64).ln())
                .exp()
                .round() as u64,
            depth: if share < 1.0 { low.depth } else { high.depth },
            error: between(low.error.into(), high.error.into()).round() as i32,
            miss_rate: between(low.miss_rate.into(), high.miss_rate.into()).round() as u32,
        }
    }
}

/// Whether the side to move has a queen or rook, or pieces that mate together, against a king
/// alone.
fn has_only_to_mate(board: &Board) -> bool {
    let pieces = |kind| board.us().pieces(kind);
    let heavy = pieces(PieceKind::Queen) | pieces(PieceKind::Rook);
    let minors = pieces(PieceKind::Bishop) | pieces(PieceKind::Knight);
    board.them().occupied().count() == 1
        && (heavy.any() || minors.more_than_one() || pieces(PieceKind::Pawn).any())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weakened(elo: u32) -> (Limits, Handicap) {
        let mut limits = Limits::default();
        let handicap = Strength::new(elo).weaken(&Board::startpos(), 0, &mut limits);
        (limits, handicap.expect("not full strength"))
    }

    #[test]
    fn the_stronger_sees_no_less() {
        let mut last = weakened(500);
        for elo in 501..3000 {
            let now = weakened(elo);
            assert!(
                now.0.depth.unwrap_or(NO_DEPTH) >= last.0.depth.unwrap_or(NO_DEPTH),
                "{elo}"
            );
            assert!(now.0.nodes >= last.0.nodes, "{elo}");
            assert!(now.1.max_eval_error <= last.1.max_eval_error, "{elo}");
            assert!(now.1.miss_rate <= last.1.miss_rate, "{elo}");
            last = now;
        }
    }

    #[test]
    fn full_strength_is_not_limited_and_limits_given_stay() {
        let mut limits = Limits::nodes(77);
        assert_eq!(
            Strength::new(9999).weaken(&Board::startpos(), 1, &mut limits),
            None
        );
        assert_eq!(limits, Limits::nodes(77));
        Strength::new(1500).weaken(&Board::startpos(), 1, &mut limits);
        assert_eq!(limits.nodes, Some(77));
    }

    #[test]
    fn skills_go_from_the_weakest_to_full_strength() {
        assert_eq!(Strength::of_skill(0), Strength::WEAKEST);
        assert_eq!(Strength::of_skill(20), Strength::FULL);
        assert!((0..20).all(|level| Strength::of_skill(level) < Strength::of_skill(level + 1)));
    }
}
