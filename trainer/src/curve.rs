//! The course of a run as a table (CSV) and as a picture (SVG).

use std::fmt::Write as _;

use crate::train::Report;

/// A report as a line of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Steps done.
    pub step: u64,
    /// Positions seen.
    pub seen: u64,
    /// Learning rate.
    pub rate: f32,
    /// Mean losses: in training, held out, and held out with up to 8, 16, 24 and 32 men. Not a
    /// number where there are no such positions.
    pub losses: [f64; 6],
}

impl From<&Report> for Point {
    fn from(report: &Report) -> Point {
        let Report {
            step,
            seen,
            rate,
            loss,
            held_out,
        } = *report;
        let class = |class: usize| held_out.sums[class] / held_out.counts[class] as f64;
        let losses = [
            loss,
            held_out.mean(),
            class(0),
            class(1),
            class(2),
            class(3),
        ];
        Point {
            step,
            seen,
            rate,
            losses,
        }
    }
}

const COLUMNS: &str =
    "step,positions,rate,train_loss,held_out_loss,to_8_men,to_16_men,to_24_men,to_32_men";

/// The table, one line per point.
pub fn csv(points: &[Point]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for Point {
        step,
        seen,
        rate,
        losses,
    } in points
    {
        let _ = write!(text, "{step},{seen},{rate:.3e}");
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

/// The points of such a table; lines that are none are left out.
pub fn parse(csv: &str) -> Vec<Point> {
    let point = |line: &str| {
        let mut fields = line.split(',');
        let step = fields.next()?.parse().ok()?;
        let seen = fields.next()?.parse().ok()?;
        let rate = fields.next()?.parse().ok()?;
        let mut losses = [f64::NAN; 6];
        for loss in &mut losses {
            let field = fields.next()?;
            if !field.is_empty() {
                *loss = field.parse().ok()?;
            }
        }
        Some(Point {
            step,
            seen,
            rate,
            losses,
        })
    };
    csv.lines().filter_map(point).collect()
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const RIGHT: f64 = 20.0;

/// The losses over the positions seen.
pub fn svg(points: &[Point], title: &str) -> String {
    // The first point stands far above the rest and would flatten it.
    let shown = &points[usize::from(points.len() > 3)..];
    let line = |loss: usize| -> Vec<(f64, f64)> {
        let line = shown
            .iter()
            .map(|point| (point.seen as f64, point.losses[loss]));
        line.filter(|(_, loss)| loss.is_finite()).collect()
    };
    let (train, held_out) = (line(0), line(1));
    let axes = Axes::around(
        &train,
        &held_out,
        points.last().map_or(0, |point| point.seen),
    );
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"16\">{}</text>\n",
        title.replace('&', "&amp;").replace('<', "&lt;")
    );
    axes.grid(&mut text);
    for (points, name, color, at) in [
        (train, "training", "#1f77b4", 0.0),
        (held_out, "held out", "#d62728", 110.0),
    ] {
        let line = points
            .iter()
            .map(|&(seen, loss)| format!("{:.1},{:.1}", axes.x(seen), axes.y(loss)));
        let _ = writeln!(
            text,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\" fill=\"{color}\">{name}</text>",
            line.collect::<Vec<_>>().join(" "),
            LEFT + at,
            HEIGHT - 8.0
        );
    }
    text.push_str("</svg>\n");
    text
}

/// What the picture's edges mean.
struct Axes {
    low: f64,
    high: f64,
    last: f64,
}

impl Axes {
    fn around(train: &[(f64, f64)], held_out: &[(f64, f64)], seen: u64) -> Axes {
        let losses = || train.iter().chain(held_out).map(|point| point.1);
        let low = losses().fold(f64::INFINITY, f64::min);
        let high = losses().fold(f64::NEG_INFINITY, f64::max);
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let margin = ((high - low) * 0.05).max(1e-6);
        Axes {
            low: low - margin,
            high: high + margin,
            last: seen.max(1) as f64,
        }
    }

    fn x(&self, seen: f64) -> f64 {
        LEFT + seen / self.last * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, loss: f64) -> f64 {
        TOP + (self.high - loss) / (self.high - self.low) * (HEIGHT - TOP - BOTTOM)
    }

    fn grid(&self, text: &mut String) {
        for tick in 0..=5 {
            let share = f64::from(tick) / 5.0;
            let (loss, seen) = (self.low + share * (self.high - self.low), share * self.last);
            let (x, y) = (self.x(seen), self.y(loss));
            let _ = writeln!(
                text,
                "<path d=\"M{LEFT} {y:.1}H{}\" stroke=\"#ddd\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.5}</text>\
                 <text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{:.0} M</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                HEIGHT - BOTTOM + 20.0,
                seen / 1e6
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_back_and_pictures_have_no_holes() {
        let loss = |n: u64| [0.1 / n as f64, 0.2, f64::NAN, 0.25, 0.125, 0.5];
        let point = |n| Point {
            step: n,
            seen: n * 16384,
            rate: 0.5,
            losses: loss(n),
        };
        let points: Vec<Point> = (1..6).map(point).collect();
        let text = csv(&points) + "6,cut sho";
        let read = parse(&text);
        assert_eq!(read.len(), 5);
        assert_eq!(csv(&read), csv(&points));
        for count in 0..6 {
            let picture = svg(&points[..count], "a < b");
            assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN"));
            assert!(picture.contains("a &lt; b"));
        }
    }
}
