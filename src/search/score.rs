//! Scores: mates and tablebase wins lie beyond all evaluations, at both ends.
//!
//! The search computes with [`Value`], an integer. What it reports is a [`Score`], which gives the
//! centipawns that every output shows.

use crate::chess::{Board, Color};
use crate::eval::wdl::{from_normalised_cp, normalised_cp};
use std::fmt;
use std::ops::Neg;

/// A score as the search computes with it, from the side to move's view. An evaluation is in
/// centipawns of the evaluation, which are not those that are shown, see
/// [`Score::centipawns`].
pub type Value = i32;

/// Maximum number of plies from the root.
pub const MAX_PLY: usize = 240;

/// A mate in zero plies.
pub const MATE: Value = 32_000;
/// Greater than every score.
pub const INFINITE: Value = 32_001;
/// No score.
pub const NO_SCORE: Value = 32_002;
/// The lowest mate score.
pub const MATE_IN_MAX_PLY: Value = MATE - 2 * MAX_PLY as Value;
/// A tablebase win in zero plies.
pub const TB_WIN: Value = 30_000;
/// The lowest decisive score: a tablebase win or a mate.
pub const TB_WIN_IN_MAX_PLY: Value = TB_WIN - 2 * MAX_PLY as Value;
/// The score of a draw.
pub const DRAW: Value = 0;

/// The score of the side to move that is mated `ply` plies from the root.
#[inline(always)]
pub const fn mated_in(ply: usize) -> Value {
    ply as Value - MATE
}

/// The score of the side to move that mates `ply` plies from the root.
#[inline(always)]
pub const fn mate_in(ply: usize) -> Value {
    MATE - ply as Value
}

/// Whether a score is a mate or a tablebase win or loss, not an evaluation.
#[inline(always)]
pub const fn is_decisive(score: Value) -> bool {
    score >= TB_WIN_IN_MAX_PLY || score <= -TB_WIN_IN_MAX_PLY
}

/// Whether a score is a mate score, for either side.
#[inline(always)]
pub const fn is_mate(score: Value) -> bool {
    score >= MATE_IN_MAX_PLY || score <= -MATE_IN_MAX_PLY
}

/// A score that fails high, moved towards beta: (`score` · `weight` + `beta`) / (`weight` + 1). A
/// zero-window search proves only that the score is at least beta. Decisive scores are not changed.
/// (Stockfish)
#[inline(always)]
pub const fn blend_fail_high(score: Value, beta: Value, weight: i32) -> Value {
    if is_decisive(score) || is_decisive(beta) {
        score
    } else {
        (score * weight + beta) / (weight + 1)
    }
}

/// Converts a decisive score from plies from the root to plies from the node at `ply`, as the
/// transposition table stores it.
#[inline(always)]
pub const fn score_to_tt(score: Value, ply: usize) -> Value {
    if score >= TB_WIN_IN_MAX_PLY {
        score + ply as Value
    } else if score <= -TB_WIN_IN_MAX_PLY {
        score - ply as Value
    } else {
        score
    }
}

/// The inverse of [`score_to_tt`].
#[inline(always)]
pub const fn score_from_tt(score: Value, ply: usize) -> Value {
    if score >= TB_WIN_IN_MAX_PLY {
        score - ply as Value
    } else if score <= -TB_WIN_IN_MAX_PLY {
        score + ply as Value
    } else {
        score
    }
}

/// A score: an evaluation, a mate, or a win or loss by tablebases. A search reports it from the
/// side to move's view.
///
/// ```
/// use saavedra::search::score::{Score, mate_in};
///
/// let score = Score::from(151);
/// assert_eq!((score.centipawns(), score.to_string()), (Some(100), "1.00".to_owned()));
/// let mate = Score::from(mate_in(3));
/// assert_eq!((mate.mate(), mate.to_string()), (Some(2), "#2".to_owned()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Score(Value);

impl From<Value> for Score {
    fn from(value: Value) -> Score {
        Score(value)
    }
}

impl Score {
    /// A draw.
    pub const DRAW: Score = Score(DRAW);

    /// The score of a position without legal moves, or that is drawn by another rule: a mate on the
    /// board or a draw.
    pub fn of_game_over(board: &Board) -> Score {
        Score(if board.is_checkmate() { mated_in(0) } else { DRAW })
    }

    /// The score that is shown as these centipawns.
    pub fn from_centipawns(centipawns: i32) -> Score {
        const MAX: Value = TB_WIN_IN_MAX_PLY - 1;
        Score(if is_decisive(centipawns) {
            centipawns.clamp(1 - MATE_IN_MAX_PLY, MATE_IN_MAX_PLY - 1)
        } else {
            from_normalised_cp(centipawns).clamp(-MAX, MAX)
        })
    }

    /// A mate in this number of moves; negative or zero if the side to move is mated.
    pub fn from_mate(moves: i32) -> Score {
        let plies = 2 * moves.unsigned_abs().min(MAX_PLY as u32) as usize;
        Score(match moves {
            1.. => mate_in(plies - 1),
            _ => mated_in(plies),
        })
    }

    /// The score on the scale of the search.
    pub const fn value(self) -> Value {
        self.0
    }

    /// Normalised centipawns: 100 has a win probability of one half. A tablebase win or loss is
    /// shown as it is, some 300 pawns; `None` for a mate.
    pub fn centipawns(self) -> Option<i32> {
        match self.0 {
            value if is_mate(value) => None,
            value if is_decisive(value) => Some(value),
            value => Some(normalised_cp(value)),
        }
    }

    /// The moves to the mate: negative if the side whose view this is is mated, zero if there is a
    /// mate on the board; `None` if the score is no mate.
    pub fn mate(self) -> Option<i32> {
        let moves = (MATE - self.0.abs() + 1) / 2;
        is_mate(self.0).then_some(self.0.signum() * moves)
    }

    /// The score before a move, if this is the score after it: mates and tablebase wins are one ply
    /// further away.
    #[must_use]
    pub const fn before_move(self) -> Score {
        Score(score_from_tt(-self.0, 1))
    }

    /// Whether the score is a mate or a tablebase win or loss, not an evaluation.
    pub const fn is_decisive(self) -> bool {
        is_decisive(self.0)
    }

    /// Whether this is a win or loss by tablebases.
    pub const fn is_tablebase(self) -> bool {
        is_decisive(self.0) && !is_mate(self.0)
    }

    /// The same from White's view, if this is the view of the side to move, `turn`.
    #[must_use]
    pub fn white_view(self, turn: Color) -> Score {
        match turn {
            Color::White => self,
            Color::Black => -self,
        }
    }
}

/// The same from the other side's view.
impl Neg for Score {
    type Output = Score;

    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl fmt::Display for Score {
    /// `0.31`, `-1.20`, `#3`, `#-2`: as in the PGN command `%eval`. A mate on the board is `#`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match (self.mate(), self.centipawns().unwrap_or_default()) {
            (Some(0), _) => "#".to_owned(),
            (Some(moves), _) => format!("#{moves}"),
            (None, n) => {
                let sign = if n < 0 { "-" } else { "" };
                format!("{sign}{}.{:02}", n.abs() / 100, n.abs() % 100)
            }
        };
        f.pad(&text)
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
        assert_eq!(blend_fail_high(200, 100, 1), 150);
        assert_eq!(blend_fail_high(200, 100, 3), 175);
        assert_eq!(blend_fail_high(mate_in(5), 100, 1), mate_in(5));
        assert_eq!(blend_fail_high(100, mated_in(5), 1), 100);
    }

    #[test]
    fn only_estimates_are_normalised() {
        for (value, centipawns) in
            [(300, Some(normalised_cp(300))), (mate_in(3), None), (-TB_WIN, Some(-TB_WIN))]
        {
            assert_eq!(Score(value).centipawns(), centipawns, "{value}");
        }
    }

    #[test]
    fn a_score_that_is_made_from_what_is_shown_is_shown_so() {
        let max = normalised_cp(TB_WIN_IN_MAX_PLY - 1);
        for centipawns in (-max..=max).chain([TB_WIN - 7, 9 - TB_WIN]) {
            let score = Score::from_centipawns(centipawns);
            assert_eq!(score.centipawns(), Some(centipawns));
            assert_eq!(score.is_tablebase(), centipawns.abs() > max);
        }
        for moves in -(MAX_PLY as i32)..=MAX_PLY as i32 {
            assert_eq!(Score::from_mate(moves).mate(), Some(moves));
            assert_eq!((-Score::from_mate(moves)).mate(), Some(-moves));
        }
        for number in [i32::MIN, i32::MAX] {
            assert!(Score::from_centipawns(number).mate().is_none());
            assert!(Score::from_mate(number).mate().is_some());
        }
    }

    #[test]
    fn a_score_is_written_in_pawns_or_moves_to_mate() {
        for (score, text) in [
            (Score::from_centipawns(31), "0.31"),
            (Score::from_centipawns(-120), "-1.20"),
            (Score::from_centipawns(TB_WIN), "300.00"),
            (Score::from_mate(3), "#3"),
            (Score::from_mate(-2), "#-2"),
            (Score::from_mate(0), "#"),
            (-Score::from_mate(0), "#"),
        ] {
            assert_eq!(score.to_string(), text);
        }
    }

    #[test]
    fn mates_and_tablebase_wins_of_every_distance_are_told_apart() {
        for plies in 0..=2 * MAX_PLY {
            let tablebase_win = TB_WIN - plies as Value;
            for (score, mate) in [
                (mate_in(plies), true),
                (mated_in(plies), true),
                (tablebase_win, false),
                (-tablebase_win, false),
            ] {
                assert_eq!((is_mate(score), is_decisive(score)), (mate, true), "{score}");
            }
        }
        for score in [0, 29_000, -29_000] {
            assert!(!is_decisive(score) && !is_mate(score));
        }
    }

    #[test]
    fn mate_distances_are_in_moves() {
        for (value, moves) in [
            (mate_in(1), Some(1)),
            (mate_in(3), Some(2)),
            (mated_in(0), Some(0)),
            (mated_in(2), Some(-1)),
            (5_000, None),
        ] {
            assert_eq!(Score(value).mate(), moves, "{value}");
        }
    }
}
