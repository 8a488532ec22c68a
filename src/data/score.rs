//! Scores as records hold them, and the limits of the searches that give them.

use super::record::DECISIVE;
use crate::chess::Color;
use crate::engine::Limits;
use crate::search::score::{Score, is_decisive};

/// A search is cut off at so many times its soft limit.
const HARD_FACTOR: u64 = 8;
/// An iteration that began before so many nodes is finished, within reason.
pub(crate) fn soft_limits(nodes: u32) -> Limits {
    Limits {
        soft_nodes: Some(u64::from(nodes)),
        nodes: Some(u64::from(nodes) * HARD_FACTOR),
        ..Limits::default()
    }
}

/// A score of the side to move from White's view.
pub(crate) fn white_view(score: Score, turn: Color) -> Score {
    match turn {
        Color::White => score,
        Color::Black => -score,
    }
}

/// A score as records hold it: what is certain lies beyond [`DECISIVE`].
pub(crate) fn recorded(score: Score) -> i16 {
    const MOST: Score = DECISIVE as Score;
    let bounded = match is_decisive(score) {
        true => score.signum() * score.abs().max(MOST),
        false => score,
    };
    bounded.clamp(-Score::from(i16::MAX), Score::from(i16::MAX)) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{MATE, TB_WIN, TB_WIN_IN_MAX_PLY};

    #[test]
    fn certain_scores_are_recorded_as_such_and_no_others() {
        for score in [MATE - 3, TB_WIN - 100, TB_WIN_IN_MAX_PLY] {
            assert!(recorded(score) >= DECISIVE, "{score}");
            assert_eq!(recorded(-score), -recorded(score), "{score}");
        }
        for score in [0, 1, -734, TB_WIN_IN_MAX_PLY - 1] {
            assert_eq!(Score::from(recorded(score)), score);
            assert!(recorded(score).abs() < DECISIVE);
        }
    }

    #[test]
    fn scores_turn_with_the_side_to_move() {
        assert_eq!(white_view(50, Color::White), 50);
        assert_eq!(white_view(50, Color::Black), -50);
    }
}
