//! Shared by the HTML and SVG boards: positions of squares, arrows, colours.

use super::{Shape, ShapeColor};
use crate::chess::Square;

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
    let square = if flipped {
        square.flip_file()
    } else {
        square.flip_rank()
    };
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
