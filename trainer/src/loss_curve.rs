//! The loss curve of a run as CSV.

use std::fmt::Write as _;

use crate::train::Report;

/// A report as a line of the CSV file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Completed steps.
    pub step: u64,
    /// Positions trained on.
    pub positions: u64,
    /// The learning rate.
    pub learning_rate: f32,
    /// Mean losses: training, validation, and validation by piece count: up to 8, 16, 24 and 32.
    /// NaN if there are no such positions.
    pub losses: [f64; 6],
}

impl From<&Report> for Point {
    fn from(report: &Report) -> Point {
        let Report { step, positions, learning_rate, train_loss, validation } = *report;
        let [to_8, to_16, to_24, to_32] = validation.class_means();
        let losses = [train_loss, validation.mean(), to_8, to_16, to_24, to_32];
        Point { step, positions, learning_rate, losses }
    }
}

const COLUMNS: &str = "step,positions,learning_rate,train_loss,validation_loss,to_8_pieces,to_16_pieces,to_24_pieces,to_32_pieces";

/// The CSV file: a header and one line per point.
pub fn csv(points: &[Point]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for Point { step, positions, learning_rate, losses } in points {
        let _ = write!(text, "{step},{positions},{learning_rate:.3e}");
        for loss in losses {
            text.push(',');
            if loss.is_finite() {
                let _ = write!(text, "{loss:.7}");
            }
        }
        text.push('\n');
    }
    text
}

/// The points of a CSV file; the header and invalid lines are skipped.
pub fn parse(csv: &str) -> Vec<Point> {
    let point = |line: &str| {
        let mut fields = line.split(',');
        let step = fields.next()?.parse().ok()?;
        let positions = fields.next()?.parse().ok()?;
        let learning_rate = fields.next()?.parse().ok()?;
        let mut losses = [f64::NAN; 6];
        for loss in &mut losses {
            let field = fields.next()?;
            if !field.is_empty() {
                *loss = field.parse().ok()?;
            }
        }
        Some(Point { step, positions, learning_rate, losses })
    };
    csv.lines().filter_map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_round_trips() {
        let loss = |n: u64| [0.1 / n as f64, 0.2, f64::NAN, 0.25, 0.125, 0.5];
        let point =
            |n| Point { step: n, positions: n * 16384, learning_rate: 0.5, losses: loss(n) };
        let points: Vec<Point> = (1..6).map(point).collect();
        let text = csv(&points) + "6,cut sho";
        let read = parse(&text);
        assert_eq!(read.len(), 5);
        assert_eq!(csv(&read), csv(&points));
    }
}
