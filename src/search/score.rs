//! Scores: centipawns from the side to move's view, with mates at both ends.

use crate::eval::wdl::normalised_cp;

/// A score in centipawns, from the side to move's view.
pub type Score = i32;

/// No line of search is longer than this many plies.
pub const MAX_PLY: usize = 240;

/// The side to move is mated in zero plies, with the other sign.
pub const MATE: Score = 32_000;
/// Larger than any score.
pub const INFINITE: Score = 32_001;
/// No score at all.
pub const NONE: Score = 32_002;
/// From here up a score tells of a forced mate.
pub const MATE_IN_MAX_PLY: Score = MATE - 2 * MAX_PLY as Score;
/// A win that the endgame tables know, in zero plies.
pub const TB_WIN: Score = 30_000;
/// From here up a score tells of a win that is certain: by tables or by mate.
pub const TB_WIN_IN_MAX_PLY: Score = TB_WIN - 2 * MAX_PLY as Score;
/// The score of a draw.
pub const DRAW: Score = 0;

/// Being mated after so many plies.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// Mating after so many plies.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// Whether a score is certain: a mate or a table result, not an estimate.
#[inline(always)]
pub const fn is_decisive(score: Score) -> bool {
    score >= TB_WIN_IN_MAX_PLY || score <= -TB_WIN_IN_MAX_PLY
}

/// Whether a score tells of a forced mate.
#[inline(always)]
pub const fn is_mate(score: Score) -> bool {
    score >= MATE_IN_MAX_PLY || score <= -MATE_IN_MAX_PLY
}

/// A score that fails high, moved towards the bound that it passed: `weight` parts of itself to one
/// part of the bound. A search that only asks whether a score is above a bound promises more than it
/// proves. What is certain stays as it is.
#[inline(always)]
pub const fn towards(bound: Score, score: Score, weight: i32) -> Score {
    if is_decisive(score) || is_decisive(bound) {
        score
    } else {
        (score * weight + bound) / (weight + 1)
    }
}

/// A score counted from the root as one counted from the node `ply` plies below it: so it is kept
/// in the table, where a node is met at different plies.
#[inline(always)]
pub const fn score_to_tt(score: Score, ply: usize) -> Score {
    if score >= TB_WIN_IN_MAX_PLY {
        score + ply as Score
    } else if score <= -TB_WIN_IN_MAX_PLY {
        score - ply as Score
    } else {
        score
    }
}

/// The reverse of [`score_to_tt`].
#[inline(always)]
pub const fn score_from_tt(score: Score, ply: usize) -> Score {
    if score >= TB_WIN_IN_MAX_PLY {
        score - ply as Score
    } else if score <= -TB_WIN_IN_MAX_PLY {
        score + ply as Score
    } else {
        score
    }
}

/// In how many moves the score's mate is: positive for the side to move, negative against it.
pub const fn mate_distance(score: Score) -> Option<i32> {
    if score >= MATE_IN_MAX_PLY {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATE_IN_MAX_PLY {
        Some(-(MATE + score) / 2)
    } else {
        None
    }
}

/// A score as it is shown, in normalised centipawns: 100 has a win probability of one half. Mate and
/// tablebase scores stay as they are.
pub fn normalised(score: Score) -> i32 {
    match is_decisive(score) {
        true => score,
        false => normalised_cp(score),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_count_from_the_node_in_the_table() {
        assert_eq!(score_from_tt(score_to_tt(mate_in(7), 3), 5), mate_in(9));
        assert_eq!(score_from_tt(score_to_tt(mated_in(6), 2), 4), mated_in(8));
        assert_eq!(score_from_tt(score_to_tt(123, 9), 1), 123);
    }

    #[test]
    fn only_estimates_move_towards_the_bound() {
        assert_eq!(towards(100, 200, 1), 150);
        assert_eq!(towards(100, 200, 3), 175);
        assert_eq!(towards(100, mate_in(5), 1), mate_in(5));
        assert_eq!(towards(mated_in(5), 100, 1), 100);
    }

    #[test]
    fn only_estimates_are_normalised() {
        assert_eq!(normalised(300), normalised_cp(300));
        assert_eq!(normalised(mate_in(3)), mate_in(3));
        assert_eq!(normalised(-TB_WIN), -TB_WIN);
    }

    #[test]
    fn mate_distances_are_in_moves() {
        assert_eq!(mate_distance(mate_in(1)), Some(1));
        assert_eq!(mate_distance(mate_in(3)), Some(2));
        assert_eq!(mate_distance(mated_in(0)), Some(0));
        assert_eq!(mate_distance(mated_in(2)), Some(-1));
        assert_eq!(mate_distance(5_000), None);
    }
}
