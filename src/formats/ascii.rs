//! Diagrams of letters: White upper case, Black lower case, dots for empty squares.

use super::{Document, Documents, Format, Keeps, diagram};
use crate::chess::Piece;
use std::io::Read;

/// The format.
pub(super) struct Ascii;

impl Format for Ascii {
    fn name(&self) -> &'static str {
        "ascii"
    }

    fn about(&self) -> &'static str {
        "a diagram of letters, White in upper case"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["txt"]
    }

    fn keeps(&self) -> Keeps {
        Keeps::Pieces
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        diagram::documents(input)
    }

    fn export(&self, document: &Document) -> String {
        let board = document.board();
        diagram::draw(|square| board.piece_at(square), Piece::letter)
    }

    fn separator(&self) -> &'static str {
        "\n"
    }
}
