//! What may be drawn on a board beside its pieces: last move, arrows, marked squares.

use crate::chess::Square;
use std::fmt;

/// The colour of an arrow or mark, with the letters that comments in game records use.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Tint {
    /// `G`
    #[default]
    Green,
    /// `R`
    Red,
    /// `Y`
    Yellow,
    /// `B`
    Blue,
}

impl Tint {
    /// All tints.
    pub const ALL: [Tint; 4] = [Tint::Green, Tint::Red, Tint::Yellow, Tint::Blue];

    /// The letter of the tint.
    pub const fn letter(self) -> char {
        match self {
            Tint::Green => 'G',
            Tint::Red => 'R',
            Tint::Yellow => 'Y',
            Tint::Blue => 'B',
        }
    }

    /// The English word.
    pub const fn name(self) -> &'static str {
        match self {
            Tint::Green => "green",
            Tint::Red => "red",
            Tint::Yellow => "yellow",
            Tint::Blue => "blue",
        }
    }
}

/// An arrow from one square to another, or a mark on one square (`from` and `to` are the same).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Where it begins.
    pub from: Square,
    /// Where its head is.
    pub to: Square,
    /// Its colour.
    pub tint: Tint,
}

impl Shape {
    /// An arrow.
    pub const fn arrow(from: Square, to: Square, tint: Tint) -> Shape {
        Shape { from, to, tint }
    }

    /// A marked square.
    pub const fn mark(square: Square, tint: Tint) -> Shape {
        Shape::arrow(square, square, tint)
    }

    /// Whether it marks a square and is no arrow.
    pub fn is_mark(self) -> bool {
        self.from == self.to
    }

    /// Reads `Ge2e4` or `Ge4`, and without a letter in green.
    pub fn parse(text: &str) -> Option<Shape> {
        let tint = Tint::ALL.into_iter().find(|t| text.starts_with(t.letter()));
        let squares = if tint.is_some() { &text[1..] } else { text };
        let from = squares.get(..2)?.parse().ok()?;
        let to = match squares.get(2..)? {
            "" => from,
            rest => rest.parse().ok()?,
        };
        Some(Shape::arrow(from, to, tint.unwrap_or_default()))
    }
}

impl fmt::Display for Shape {
    /// `Ge2e4`, `Ge4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.tint.letter(), self.from)?;
        match self.is_mark() {
            true => Ok(()),
            false => self.to.fmt(f),
        }
    }
}

/// What is drawn beside the pieces.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Drawing {
    /// The move that led here, from and to.
    pub last_move: Option<(Square, Square)>,
    /// Arrows and marked squares.
    pub shapes: Vec<Shape>,
    /// Whether the board is seen from Black's side.
    pub flipped: bool,
}

impl Drawing {
    /// The marked squares.
    pub fn marks(&self) -> impl Iterator<Item = &Shape> {
        self.shapes.iter().filter(|shape| shape.is_mark())
    }

    /// The arrows.
    pub fn arrows(&self) -> impl Iterator<Item = &Shape> {
        self.shapes.iter().filter(|shape| !shape.is_mark())
    }

    /// Adds the shapes that a comment of a game record asks for: `[%cal Ge2e4,Rd1h5]` (arrows) and
    /// `[%csl Ye4]` (squares), a custom of chess servers.
    pub fn add_from_comment(&mut self, comment: &str) {
        for command in ["[%cal ", "[%csl "] {
            for part in comment.split(command).skip(1) {
                let list = part.split(']').next().unwrap_or_default();
                let shapes = list.split(',').filter_map(|text| Shape::parse(text.trim()));
                self.shapes.extend(shapes);
            }
        }
    }

    /// The shapes as a comment of a game record; empty if there are none.
    pub fn to_comment(&self) -> String {
        let list = |shapes: Vec<&Shape>, command: &str| match shapes.is_empty() {
            true => String::new(),
            false => {
                let texts: Vec<String> = shapes.iter().map(|shape| shape.to_string()).collect();
                format!("[%{command} {}]", texts.join(","))
            }
        };
        list(self.marks().collect(), "csl") + &list(self.arrows().collect(), "cal")
    }
}
