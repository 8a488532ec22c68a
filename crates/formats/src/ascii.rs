//! ASCII diagrams: upper case for White, lower case for Black, dots for empty squares.

use super::{Content, Document, Documents, Format, diagram};
use saavedra_chess::Piece;
use std::io::Read;

/// The format.
pub(super) struct Ascii;

impl Format for Ascii {
    fn name(&self) -> &'static str {
        "ascii"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["txt"]
    }

    fn content(&self) -> Content {
        Content::Pieces
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
