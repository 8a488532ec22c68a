//! HTML boards. A square is any element with `data-col` "a" to "h" and `data-row` "1" to "8"; its
//! text is a Unicode chess symbol or empty.
//!
//! The container of a board is an element around its squares with `data-turn` (`white`, `black`,
//! `w`, `b`), `data-castling` or `data-ep` (as the fields of a FEN). This program also writes and
//! reads `data-halfmove` and `data-fullmove` (the move counters), `data-chess960`, `data-flipped`,
//! `data-last` (`e2e4`) and `data-shapes` (arrows and marked squares: `Ge2e4 Re5`). Without these
//! attributes White is to move, castling rights exist where king and rook are on their home
//! squares, and there is no en passant square. Each container is a board, so a page may have many.
//!
//! The reader accepts what browsers accept; it needs the feature `html`.

#[cfg(feature = "html")]
mod read;
#[cfg(feature = "html")]
mod squares;
mod write;

pub use write::{STYLE, board, board_with, escape};

/// The Unicode symbol of a piece.
pub fn symbol(piece: Piece) -> char {
    diagram::symbol(piece)
}

use super::{Content, Document, Documents, Format, FormatInfo, diagram};
#[cfg(not(feature = "html"))]
use super::{ErrorKind, FormatError, Location};
use saavedra_chess::Piece;
use std::io::{self, Read, Write};

/// The format.
pub struct Html;

impl Format for Html {
    fn info(&self) -> FormatInfo {
        FormatInfo {
            name: "html",
            extensions: &["html", "htm", "xhtml"],
            content: Content::Position,
        }
    }

    #[cfg(feature = "html")]
    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        match super::lines::bytes(input).and_then(|bytes| read::documents(&bytes)) {
            Ok(documents) => Box::new(documents.into_iter().map(Ok)),
            Err(error) => Box::new(std::iter::once(Err(error))),
        }
    }

    #[cfg(not(feature = "html"))]
    fn read<'a>(&self, _: Box<dyn Read + 'a>) -> Documents<'a> {
        let kind = ErrorKind::Unsupported("the feature html, which reads HTML");
        Box::new(std::iter::once(Err(FormatError::new(Location::default(), kind))))
    }

    fn export(&self, document: &Document) -> String {
        let mut page = write::head(&write::title(document));
        page += &write::board(document);
        page += write::FOOT;
        page
    }

    fn write(
        &self,
        documents: &mut dyn Iterator<Item = Document>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let Some(first) = documents.next() else {
            return Ok(());
        };
        let second = documents.next();
        let title = match second {
            Some(_) => "Chess positions".to_owned(),
            None => write::title(&first),
        };
        out.write_all(write::head(&title).as_bytes())?;
        for document in std::iter::once(first).chain(second).chain(documents) {
            out.write_all(write::board(&document).as_bytes())?;
        }
        out.write_all(write::FOOT.as_bytes())
    }
}
