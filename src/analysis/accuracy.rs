//! How accurate a move was.

/// How fast accuracy falls with the loss.
const STRICTNESS: f64 = 5.0;

/// The accuracy of a move that lost this much of the expected points: 100 for nothing, 61 for a
/// tenth, 8 for half a point.
pub fn accuracy(loss: f64) -> f64 {
    100.0 * (-STRICTNESS * loss.max(0.0)).exp()
}
