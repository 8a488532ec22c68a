//! What is drawn on a board beside its pieces: last move, arrows, marked squares.

use saavedra_chess::{File, Rank, Square};
use std::fmt;

/// The colour of an arrow or marked square, with its letter in the PGN commands `%cal` and `%csl`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum ShapeColor {
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

impl ShapeColor {
    /// All colours.
    pub const ALL: [ShapeColor; 4] =
        [ShapeColor::Green, ShapeColor::Red, ShapeColor::Yellow, ShapeColor::Blue];

    /// The letter of the colour.
    pub const fn letter(self) -> char {
        match self {
            ShapeColor::Green => 'G',
            ShapeColor::Red => 'R',
            ShapeColor::Yellow => 'Y',
            ShapeColor::Blue => 'B',
        }
    }

    /// The English name.
    pub const fn name(self) -> &'static str {
        match self {
            ShapeColor::Green => "green",
            ShapeColor::Red => "red",
            ShapeColor::Yellow => "yellow",
            ShapeColor::Blue => "blue",
        }
    }
}

/// An arrow, or a marked square (`from` and `to` are equal).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Start of the arrow.
    pub from: Square,
    /// Head of the arrow.
    pub to: Square,
    /// Colour.
    pub color: ShapeColor,
}

impl Shape {
    /// An arrow.
    pub const fn arrow(from: Square, to: Square, color: ShapeColor) -> Shape {
        Shape { from, to, color }
    }

    /// A marked square.
    pub const fn mark(square: Square, color: ShapeColor) -> Shape {
        Shape::arrow(square, square, color)
    }

    /// Whether it is a marked square and not an arrow.
    pub fn is_mark(self) -> bool {
        self.from == self.to
    }

    /// Parses `Ge2e4` or `Ge4`. Without a letter the colour is green.
    pub fn parse(text: &str) -> Option<Shape> {
        let color = ShapeColor::ALL.into_iter().find(|t| text.starts_with(t.letter()));
        let squares = if color.is_some() { &text[1..] } else { text };
        let from = squares.get(..2)?.parse().ok()?;
        let to = match squares.get(2..)? {
            "" => from,
            rest => rest.parse().ok()?,
        };
        Some(Shape::arrow(from, to, color.unwrap_or_default()))
    }
}

impl fmt::Display for Shape {
    /// `Ge2e4`, `Ge4`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.color.letter(), self.from)?;
        if self.is_mark() { Ok(()) } else { self.to.fmt(f) }
    }
}

/// What is drawn beside the pieces.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Drawing {
    /// The last move, from and to.
    pub last_move: Option<(Square, Square)>,
    /// Arrows and marked squares.
    pub shapes: Vec<Shape>,
    /// Whether Black is at the bottom.
    pub flipped: bool,
}

impl Drawing {
    /// The ranks from top to bottom and the files from left to right.
    pub fn ranks_and_files(&self) -> ([Rank; 8], [File; 8]) {
        let (mut ranks, mut files) = (Rank::ALL, File::ALL);
        if self.flipped {
            files.reverse();
        } else {
            ranks.reverse();
        }
        (ranks, files)
    }

    /// The marked squares.
    pub fn marks(&self) -> impl Iterator<Item = &Shape> {
        self.shapes.iter().filter(|shape| shape.is_mark())
    }

    /// The arrows.
    pub fn arrows(&self) -> impl Iterator<Item = &Shape> {
        self.shapes.iter().filter(|shape| !shape.is_mark())
    }

    /// Adds the shapes of a PGN comment: `[%cal Ge2e4,Rd1h5]` (arrows) and `[%csl Ye4]` (squares),
    /// as ChessBase and lichess write them; the blank may be missing.
    pub fn add_from_comment(&mut self, comment: &str) {
        for command in ["[%cal", "[%csl"] {
            for part in comment.split(command).skip(1) {
                let list = part.split(']').next().unwrap_or_default();
                let shapes = list.split(',').filter_map(|text| Shape::parse(text.trim()));
                self.shapes.extend(shapes);
            }
        }
    }

    /// The shapes as a PGN comment; empty if there are none.
    pub fn to_comment(&self) -> String {
        let list = |shapes: Vec<&Shape>, command: &str| {
            if shapes.is_empty() {
                String::new()
            } else {
                let texts: Vec<String> = shapes.iter().map(|shape| shape.to_string()).collect();
                format!("[%{command} {}]", texts.join(","))
            }
        };
        list(self.marks().collect(), "csl") + &list(self.arrows().collect(), "cal")
    }
}
