//! The graph of the evaluations of a game.

use super::super::{Judgement, Review, ReviewedPosition, Scale};
use crate::chess::Color;
use crate::search::score::Score;
use std::fmt::Write as _;

/// Width and height in the units of the picture, which is stretched to the width of the page.
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 100.0;
/// Distance of the line of a mate from the edge, so that dots on it are inside.
const MARGIN: f64 = 9.0;

/// The labelled lines between the mates, in centipawns.
const LABELS: [(i32, &str); 3] = [(300, "+3"), (0, "0"), (-300, "−3")];

/// The height of White's chances, between the lines of the mates.
fn height(chances: f64) -> f64 {
    MARGIN + (HEIGHT - 2.0 * MARGIN) * (1.0 - chances) / 2.0
}

fn chances(scale: Scale, eval: Score) -> f64 {
    let chances = scale.chances(eval, Color::White);
    // A mate is at the edge of the scale, beyond every number of centipawns.
    eval.mate().map_or(chances, |_| chances.signum())
}

/// The coordinates of a position.
pub(super) fn point(review: &Review, ply: usize) -> (f64, f64) {
    let position: &ReviewedPosition = &review.positions[ply];
    let last = (review.positions.len() - 1).max(1);
    let chances = chances(review.scale, position.eval());
    (ply as f64 * WIDTH / last as f64, height(chances))
}

/// White's chances over the game, with the lines of mates and of equality and a dot for each
/// mistake.
pub(super) fn graph(review: &Review, page: &mut String) {
    *page += "<section class=\"card\">\n<h3>Evaluation</h3>\n<div class=\"plot\">\n\
              <div class=\"levels\" aria-hidden=\"true\">";
    let level = |centipawns| chances(review.scale, Score::from_centipawns(centipawns));
    let labels = LABELS.map(|(centipawns, label)| (height(level(centipawns)), label));
    let mates = [(height(1.0), "#"), (height(-1.0), "−#")];
    for (y, label) in mates.iter().chain(&labels) {
        let _ = write!(page, "<span style=\"top:{y:.1}%\">{label}</span>");
    }
    let _ = write!(
        page,
        "</div>\n<svg class=\"graph\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" \
         role=\"img\" aria-label=\"White's chances over the game\"><path class=\"area\" \
         d=\"M0 {HEIGHT}"
    );
    for ply in 0..review.positions.len() {
        let (x, y) = point(review, ply);
        let _ = write!(page, "L{x:.1} {y:.1}");
    }
    if review.positions.len() == 1 {
        let _ = write!(page, "H{WIDTH}");
    }
    let _ = write!(page, "V{HEIGHT}z\"/>");
    for (y, label) in mates.iter().chain(&labels) {
        let class = match *label {
            "0" => "zero",
            "#" | "−#" => "mate",
            _ => "level",
        };
        let _ = write!(page, "<path class=\"{class}\" d=\"M0 {y:.1}H{WIDTH}\"/>");
    }
    for (ply, judged) in review.moves.iter().enumerate() {
        if judged.judgement >= Judgement::Inaccuracy {
            let (x, y) = point(review, ply + 1);
            // The middle of the dot stays so far from the sides that all of it is seen.
            let x = x.clamp(5.0, WIDTH - 5.0);
            let class = judged.judgement.name();
            let _ = write!(page, "<path class=\"dot {class}\" d=\"M{x:.1} {y:.1}h0\"/>");
        }
    }
    let _ = writeln!(page, "<path class=\"now-line\" d=\"M{WIDTH} 0V{HEIGHT}\"/></svg>\n</div>");
    numbers(review, page);
    *page += "</section>\n";
}

/// The move numbers below the graph, some of them.
fn numbers(review: &Review, page: &mut String) {
    let first = review.positions[0].board.fullmove_number();
    let last = review.positions.last();
    let last = last.map_or(first, |position| position.board.fullmove_number());
    let step = [5, 10, 20, 50, 100, 500]
        .into_iter()
        .find(|step| (last - first) / step <= 8)
        .unwrap_or(2000);
    *page += "<div class=\"numbers\" aria-hidden=\"true\">";
    for (ply, position) in review.positions.iter().enumerate() {
        let number = position.board.fullmove_number();
        if position.board.turn() == Color::White && number.is_multiple_of(step) {
            let percent = 100.0 * point(review, ply).0 / WIDTH;
            let _ = write!(page, "<span style=\"left:{percent:.1}%\">{number}</span>");
        }
    }
    *page += "</div>\n";
}
