//! The loss curve of a run, as CSV and as SVG.

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

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const RIGHT: f64 = 20.0;

/// A plot of training and validation loss over positions.
pub fn svg(points: &[Point], title: &str) -> String {
    // Without the first point: its loss is so large that the rest would look flat.
    let shown = &points[usize::from(points.len() > 3)..];
    let line = |loss: usize| -> Vec<(f64, f64)> {
        let line = shown.iter().map(|point| (point.positions as f64, point.losses[loss]));
        line.filter(|(_, loss)| loss.is_finite()).collect()
    };
    let (train, validation) = (line(0), line(1));
    let axes = Axes::around(&train, &validation, points.last().map_or(0, |point| point.positions));
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{}</text>\n",
        title.replace('&', "&amp;").replace('<', "&lt;")
    );
    axes.grid(&mut text);
    for (points, name, color, offset) in
        [(train, "training", "#1f77b4", 0.0), (validation, "validation", "#d62728", 110.0)]
    {
        let line = points
            .iter()
            .map(|&(positions, loss)| format!("{:.1},{:.1}", axes.x(positions), axes.y(loss)));
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{color}\">{name}</text>",
            line.collect::<Vec<_>>().join(" "),
            LEFT + offset,
            HEIGHT - 8.0
        );
    }
    text.push_str("</svg>\n");
    text
}

/// The ranges of the axes.
struct Axes {
    min_loss: f64,
    max_loss: f64,
    max_positions: f64,
}

impl Axes {
    fn around(train: &[(f64, f64)], validation: &[(f64, f64)], positions: u64) -> Axes {
        let losses = || train.iter().chain(validation).map(|point| point.1);
        let min = losses().fold(f64::INFINITY, f64::min);
        let max = losses().fold(f64::NEG_INFINITY, f64::max);
        let (min, max) = if min <= max { (min, max) } else { (0.0, 1.0) };
        let margin = ((max - min) * 0.05).max(1e-6);
        Axes {
            min_loss: min - margin,
            max_loss: max + margin,
            max_positions: positions.max(1) as f64,
        }
    }

    fn x(&self, positions: f64) -> f64 {
        LEFT + positions / self.max_positions * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, loss: f64) -> f64 {
        TOP + (self.max_loss - loss) / (self.max_loss - self.min_loss) * (HEIGHT - TOP - BOTTOM)
    }

    fn grid(&self, text: &mut String) {
        for tick in 0..=5 {
            let fraction = f64::from(tick) / 5.0;
            let loss = self.min_loss + fraction * (self.max_loss - self.min_loss);
            let positions = fraction * self.max_positions;
            let (x, y) = (self.x(positions), self.y(loss));
            let _ = writeln!(
                text,
                "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.5}</text>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{:.0} M</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                HEIGHT - BOTTOM + 20.0,
                positions / 1e6
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_round_trips_and_svg_has_no_nan() {
        let loss = |n: u64| [0.1 / n as f64, 0.2, f64::NAN, 0.25, 0.125, 0.5];
        let point =
            |n| Point { step: n, positions: n * 16384, learning_rate: 0.5, losses: loss(n) };
        let points: Vec<Point> = (1..6).map(point).collect();
        let text = csv(&points) + "6,cut sho";
        let read = parse(&text);
        assert_eq!(read.len(), 5);
        assert_eq!(csv(&read), csv(&points));
        for count in 0..6 {
            let plot = svg(&points[..count], "a < b");
            assert!(plot.ends_with("</svg>\n") && !plot.contains("NaN"));
            assert!(plot.contains("a &lt; b"));
        }
    }
}
