//! Shared by the HTML and SVG boards: positions of squares, arrows, colours.

use super::{Drawing, Shape, ShapeColor};
use saavedra_chess::Square;
use std::fmt::Write as _;

/// The CSS colour of a shape.
pub(super) const fn color(color: ShapeColor) -> &'static str {
    match color {
        ShapeColor::Green => "#15781b",
        ShapeColor::Red => "#a01212",
        ShapeColor::Yellow => "#c07a00",
        ShapeColor::Blue => "#003088",
    }
}

/// Column from the left and row from the top, from 0, of a square in the picture.
pub(super) fn position(square: Square, flipped: bool) -> (u8, u8) {
    let square = if flipped { square.flip_file() } else { square.flip_rank() };
    (square.file() as u8, square.rank() as u8)
}

/// An arrow as an SVG path, in units of squares.
pub(super) fn arrow_path(arrow: &Shape, flipped: bool) -> String {
    const SHAFT: f64 = 0.08;
    const HEAD: f64 = 0.22;
    const HEAD_LENGTH: f64 = 0.38;
    let centre = |square| {
        let (x, y) = position(square, flipped);
        (f64::from(x) + 0.5, f64::from(y) + 0.5)
    };
    let ((x, y), (to_x, to_y)) = (centre(arrow.from), centre(arrow.to));
    let length = (to_x - x).hypot(to_y - y);
    let (along_x, along_y) = ((to_x - x) / length, (to_y - y) / length);
    // A corner of the outline, by its distances along the arrow and to its side.
    let corner = |along: f64, aside: f64| {
        format!(
            "{:.2} {:.2}",
            x + along * along_x - aside * along_y,
            y + along * along_y + aside * along_x
        )
    };
    let neck = length - HEAD_LENGTH;
    let corners = [
        corner(0.0, SHAFT),
        corner(neck, SHAFT),
        corner(neck, HEAD),
        corner(length, 0.0),
        corner(neck, -HEAD),
        corner(neck, -SHAFT),
        corner(0.0, -SHAFT),
    ];
    format!("M{}z", corners.join("L"))
}

/// The arrows and marked squares of a drawing as SVG elements, in units of squares.
pub(super) fn shapes(drawing: &Drawing, svg: &mut String) {
    for shape in &drawing.shapes {
        let color = color(shape.color);
        let _ = if shape.is_mark() {
            let (x, y) = position(shape.to, drawing.flipped);
            write!(
                svg,
                "<circle cx=\"{x}.5\" cy=\"{y}.5\" r=\".44\" fill=\"none\" stroke=\"{color}\" \
                 stroke-width=\".08\"/>"
            )
        } else {
            let path = arrow_path(shape, drawing.flipped);
            write!(svg, "<path d=\"{path}\" fill=\"{color}\"/>")
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_has_its_shaft_and_its_head_around_its_line() {
        for (from, to, flipped, path) in [
            (
                Square::A1,
                Square::A3,
                false,
                "M0.58 7.50L0.58 5.88L0.72 5.88L0.50 5.50L0.28 5.88L0.42 5.88L0.42 7.50z",
            ),
            (
                Square::A1,
                Square::C1,
                false,
                "M0.50 7.58L2.12 7.58L2.12 7.72L2.50 7.50L2.12 7.28L2.12 7.42L0.50 7.42z",
            ),
            (
                Square::A1,
                Square::C1,
                true,
                "M7.50 0.42L5.88 0.42L5.88 0.28L5.50 0.50L5.88 0.72L5.88 0.58L7.50 0.58z",
            ),
        ] {
            let arrow = Shape { from, to, color: ShapeColor::Green };
            assert_eq!(arrow_path(&arrow, flipped), path, "{from}{to}");
        }
    }
}
