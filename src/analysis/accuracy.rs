//! Accuracies of moves and games by the formulas that lichess has published.
//!
//! Sources: <https://lichess.org/page/accuracy> for a move, `AccuracyPercent.scala` of
//! <https://github.com/lichess-org/lila> for a game.

/// The accuracy of a move that lost this much of the expected points (0 to 1): 100 for nothing, 64
/// for a tenth, 9 for half a point.
///
/// 103.1668 · exp(-0.04354 · loss in percent) - 3.1669, between 0 and 100.
pub fn accuracy(loss: f64) -> f64 {
    if loss <= 0.0 {
        return 100.0;
    }
    (103.1668 * (-4.354 * loss).exp() - 3.1669).clamp(0.0, 100.0)
}

/// A move for [`game_accuracy`]: its accuracy, and how sharp the game was around it.
pub(super) struct WeightedAccuracy {
    pub(super) accuracy: f64,
    pub(super) weight: f64,
}

/// The weight of each move: the standard deviation of White's chances in percent around it, between
/// 0.5 and 12. `chances` has one more element than there are moves.
pub(super) fn weights(chances: &[f64]) -> Vec<f64> {
    let moves = chances.len().saturating_sub(1);
    let width = (moves / 10).clamp(2, 8).min(chances.len());
    let first = chances.get(..width).unwrap_or_default();
    let windows = std::iter::repeat_n(first, width.saturating_sub(2));
    let windows = windows.chain(chances.windows(width.max(1)));
    windows.take(moves).map(|window| standard_deviation(window).clamp(0.5, 12.0)).collect()
}

fn standard_deviation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (squares / count).sqrt()
}

/// The accuracy of a player in a game: the mean of the weighted mean and the harmonic mean of the
/// moves' accuracies; `None` without moves.
pub(super) fn game_accuracy(moves: &[WeightedAccuracy]) -> Option<f64> {
    if moves.is_empty() {
        return None;
    }
    let weight: f64 = moves.iter().map(|m| m.weight).sum();
    let weighted: f64 = moves.iter().map(|m| m.weight * m.accuracy).sum();
    // Accuracies below 1 count as 1.
    let inverse: f64 = moves.iter().map(|m| 1.0 / m.accuracy.max(1.0)).sum();
    Some((weighted / weight + moves.len() as f64 / inverse) / 2.0)
}
