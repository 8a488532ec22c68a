//! The course of a run as a table (CSV) and as a picture (SVG).

use std::fmt::Write as _;

use crate::train::Report;

/// One line per report. A class of positions of which there are none has no loss.
pub fn csv(reports: &[Report]) -> String {
    let mut text = String::from(
        "step,positions,rate,train_loss,held_out_loss,to_8_men,to_16_men,to_24_men,to_32_men\n",
    );
    for report in reports {
        let Report {
            step,
            seen,
            rate,
            loss,
            held_out,
        } = report;
        let _ = write!(text, "{step},{seen},{rate:.3e}");
        let classes = held_out.sums.iter().zip(held_out.counts);
        let classes = classes.map(|(sum, count)| sum / count as f64);
        for loss in [*loss, held_out.mean()].into_iter().chain(classes) {
            text.push(',');
            if loss.is_finite() {
                let _ = write!(text, "{loss:.7}");
            }
        }
        text.push('\n');
    }
    text
}

const WIDTH: f64 = 800.0;
const HEIGHT: f64 = 450.0;
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 50.0;
const RIGHT: f64 = 20.0;

/// The losses over the positions seen.
pub fn svg(reports: &[Report], title: &str) -> String {
    // The first report stands far above the rest and would flatten it.
    let shown = &reports[usize::from(reports.len() > 3)..];
    let points = |loss: fn(&Report) -> f64| -> Vec<(f64, f64)> {
        let points = shown
            .iter()
            .map(|report| (report.seen as f64, loss(report)));
        points.filter(|point| point.1.is_finite()).collect()
    };
    let train = points(|report| report.loss);
    let held_out = points(|report| report.held_out.mean());
    let axes = Axes::around(
        &train,
        &held_out,
        reports.last().map_or(0, |report| report.seen),
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
