//! Scores: centipawns from the side to move's view; mates and tablebase wins at both ends.

use crate::chess::Board;
use crate::eval::wdl::normalised_cp;
use std::fmt;

/// A score in centipawns, from the side to move's view.
pub type Score = i32;

/// Maximum number of plies from the root.
pub const MAX_PLY: usize = 240;

/// A mate in zero plies.
pub const MATE: Score = 32_000;
/// Greater than every score.
pub const INFINITE: Score = 32_001;
/// No score.
pub const NO_SCORE: Score = 32_002;
/// The lowest mate score.
pub const MATE_IN_MAX_PLY: Score = MATE - 2 * MAX_PLY as Score;
/// A tablebase win in zero plies.
pub const TB_WIN: Score = 30_000;
/// The lowest decisive score: a tablebase win or a mate.
pub const TB_WIN_IN_MAX_PLY: Score = TB_WIN - 2 * MAX_PLY as Score;
/// The score of a draw.
pub const DRAW: Score = 0;

/// The score of the side to move that is mated `ply` plies from the root.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Score {
    ply as Score - MATE
}

/// The score of a position without legal moves: checkmate, or the draw by stalemate. It is also
/// that of a position that is drawn by another rule.
pub fn game_over_score(board: &Board) -> Score {
    match board.is_checkmate() {
        true => mated_in(0),
        false => DRAW,
    }
}

/// The score of the side to move that mates `ply` plies from the root.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Score {
    MATE - ply as Score
}

/// Whether a score is a mate or a tablebase win or loss, not an evaluation.
#[inline(always)]
pub const fn is_decisive(score: Score) -> bool {
    score >= TB_WIN_IN_MAX_PLY || score <= -TB_WIN_IN_MAX_PLY
}

/// Whether a score is a mate score, for either side.
#[inline(always)]
pub const fn is_mate(score: Score) -> bool {
    score >= MATE_IN_MAX_PLY || score <= -MATE_IN_MAX_PLY
}

/// A score that fails high, moved towards beta: (`score` · `weight` + `beta`) / (`weight` + 1). A
/// zero-window search proves only that the score is at least beta. Decisive scores are not changed.
/// (Stockfish)
#[inline(always)]
pub const fn adjusted_fail_high(score: Score, beta: Score, weight: i32) -> Score {
    if is_decisive(score) || is_decisive(beta) {
        score
    } else {
        (score * weight + beta) / (weight + 1)
    }
}

/// Converts a decisive score from plies from the root to plies from the node at `ply`, as the
/// transposition table stores it.
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

/// The inverse of [`score_to_tt`].
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

/// The moves to the mate of a mate score: positive if the side to move mates, else negative or
/// zero.
pub const fn mate_distance(score: Score) -> Option<i32> {
    if score >= MATE_IN_MAX_PLY {
        Some((MATE - score + 1) / 2)
    } else if score <= -MATE_IN_MAX_PLY {
        Some(-(MATE + score) / 2)
    } else {
        None
    }
}

/// A score as it is shown, in normalised centipawns: 100 has a win probability of one half. Mate
/// and tablebase scores stay as they are.
pub fn normalised(score: Score) -> i32 {
    match is_decisive(score) {
        true => score,
        false => normalised_cp(score),
    }
}

/// A score as it is shown, from the side to move's view.
///
/// ```
/// use saavedra::search::score::{ShownScore, mate_in};
///
/// assert_eq!(ShownScore::new(mate_in(3)), ShownScore::Mate(2));
/// assert_eq!(ShownScore::new(mate_in(3)).to_string(), "mate 2");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShownScore {
    /// Normalised centipawns, see [`normalised`].
    Centipawns(i32),
    /// Mate in this number of moves; negative if the side to move is mated, 0 on the board.
    Mate(i32),
}

impl ShownScore {
    /// Converts a score of the search.
    pub fn new(score: Score) -> ShownScore {
        match mate_distance(score) {
            Some(moves) => ShownScore::Mate(moves),
            None => ShownScore::Centipawns(normalised(score)),
        }
    }
}

impl fmt::Display for ShownScore {
    /// As in UCI: `cp 31`, `mate -2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ShownScore::Centipawns(centipawns) => write!(f, "cp {centipawns}"),
            ShownScore::Mate(moves) => write!(f, "mate {moves}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tt_mate_scores_count_from_the_node() {
        assert_eq!(score_from_tt(score_to_tt(mate_in(7), 3), 5), mate_in(9));
        assert_eq!(score_from_tt(score_to_tt(mated_in(6), 2), 4), mated_in(8));
        assert_eq!(score_from_tt(score_to_tt(123, 9), 1), 123);
    }

    #[test]
    fn decisive_scores_are_not_moved_towards_beta() {
        assert_eq!(adjusted_fail_high(200, 100, 1), 150);
        assert_eq!(adjusted_fail_high(200, 100, 3), 175);
        assert_eq!(adjusted_fail_high(mate_in(5), 100, 1), mate_in(5));
        assert_eq!(adjusted_fail_high(100, mated_in(5), 1), 100);
    }

    #[test]
    fn only_estimates_are_normalised() {
        assert_eq!(normalised(300), normalised_cp(300));
        assert_eq!(normalised(mate_in(3)), mate_in(3));
        assert_eq!(normalised(-TB_WIN), -TB_WIN);
    }

    #[test]
    fn mates_and_tablebase_wins_of_every_distance_are_told_apart() {
        for plies in 0..=2 * MAX_PLY {
            let tablebase_win = TB_WIN - plies as Score;
            for (score, mate) in [
                (mate_in(plies), true),
                (mated_in(plies), true),
                (tablebase_win, false),
                (-tablebase_win, false),
            ] {
                assert_eq!(
                    (is_mate(score), is_decisive(score)),
                    (mate, true),
                    "{score}"
                );
            }
        }
        for score in [0, 29_000, -29_000] {
            assert!(!is_decisive(score) && !is_mate(score));
        }
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
