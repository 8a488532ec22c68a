//! Scores as records store them, and the limits of the searches that give these scores.

use super::DECISIVE;
use crate::engine::Limits;
use crate::search::score::{Value, is_decisive};

/// The hard node limit is the soft limit times this.
const HARD_LIMIT_FACTOR: u64 = 8;

/// A soft node limit, after which no new iteration starts, and the hard limit that goes with it.
pub(crate) fn self_play_limits(nodes: u32) -> Limits {
    Limits {
        soft_nodes: Some(u64::from(nodes)),
        nodes: Some(u64::from(nodes) * HARD_LIMIT_FACTOR),
        ..Limits::default()
    }
}

/// A score as records store it: mate and tablebase scores have at least the size [`DECISIVE`].
pub(crate) fn score_to_record(score: Value) -> i16 {
    const MIN_DECISIVE: Value = DECISIVE as Value;
    let score =
        if is_decisive(score) { score.signum() * score.abs().max(MIN_DECISIVE) } else { score };
    score.clamp(-Value::from(i16::MAX), Value::from(i16::MAX)) as i16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::{MATE, TB_WIN, TB_WIN_IN_MAX_PLY};

    #[test]
    fn exactly_the_decisive_scores_are_recorded_as_decisive() {
        for score in [MATE - 3, TB_WIN - 100, TB_WIN_IN_MAX_PLY] {
            assert!(score_to_record(score) >= DECISIVE, "{score}");
            assert_eq!(score_to_record(-score), -score_to_record(score), "{score}");
        }
        for score in [0, 1, -734, TB_WIN_IN_MAX_PLY - 1] {
            assert_eq!(Value::from(score_to_record(score)), score);
            assert!(score_to_record(score).abs() < DECISIVE);
        }
    }

    #[test]
    fn a_search_of_self_play_has_a_soft_and_a_hard_limit_of_nodes() {
        let expected = Limits { soft_nodes: Some(700), nodes: Some(5600), ..Limits::default() };
        assert_eq!(self_play_limits(700), expected);
    }
}
