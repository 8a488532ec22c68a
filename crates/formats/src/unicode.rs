//! Diagrams with Unicode chess symbols, dots for empty squares.

use super::{Content, Document, Documents, Format, diagram};
use saavedra_chess::Piece;
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

    fn piece_text(&self, piece: Piece) -> String {
        diagram::symbol(piece).to_string()
    }

    fn parse_piece(&self, text: &str) -> Option<Piece> {
        let mut seen = text.chars().filter(|c| !diagram::is_invisible(*c));
        let piece = diagram::piece_of_symbol(seen.next()?);
        piece.filter(|_| seen.next().is_none())
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
