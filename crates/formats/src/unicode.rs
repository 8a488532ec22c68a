//! Diagrams with Unicode chess symbols, dots for empty squares.

use super::{Content, Document, Documents, Format, diagram};
use std::io::Read;

/// The format.
pub(super) struct Unicode;

impl Format for Unicode {
    fn name(&self) -> &'static str {
        "unicode"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    fn content(&self) -> Content {
        Content::Pieces
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        diagram::documents(input)
    }

    fn export(&self, document: &Document) -> String {
        let board = document.board();
        diagram::draw(|square| board.piece_at(square), diagram::symbol)
    }

    fn separator(&self) -> &'static str {
        "\n"
    }
}
