//! Positions and games in every form people use, in and out.
//!
//! Each form is a [`Format`]: one file here and one row in [`FORMATS`]. All read into and write
//! from a [`Document`], a game with variations and comments, of which a position is the one without
//! moves. This room knows the rules of chess and nothing else of this program.
//!
//! ```
//! use saavedra::formats;
//!
//! let fen = formats::by_name("fen").unwrap();
//! let html = formats::by_name("html").unwrap();
//! let position = fen.import("8/8/8/8/8/5k2/4p3/4K3 w - - 0 1")?;
//! let page = html.export(&position);
//! assert!(page.contains("data-col=\"e\" data-row=\"1\""));
//! # Ok::<(), saavedra::formats::FormatError>(())
//! ```

pub mod array;
mod ascii;
mod diagram;
mod document;
mod drawing;
pub mod epd;
mod error;
pub mod fen;
pub mod html;
mod lines;
pub mod pgn;
mod picture;
mod svg;
mod tree;
mod uci;
mod unicode;

pub use document::{Document, Operation, parse_result, result_text};
pub use drawing::{Drawing, Shape, Tint};
pub use error::{DiagramFault, Fault, FormatError, HtmlFault, PgnFault, Place, Result, locate};
pub use tree::{Node, NodeId, Step, Tree};

#[cfg(feature = "cli")]
pub(crate) use lines::text_of;

use crate::chess::Piece;
use std::io::{self, Read, Write};

/// How much of a [`Document`] a format keeps.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Keeps {
    /// The pieces. Reading takes White to be on the move (Black if its king is in check) and
    /// castling to be allowed where king and rook stand at home.
    Pieces,
    /// The position.
    Position,
    /// The game.
    Game,
}

/// The documents of an input, one after another. After an error there are more only if the format
/// can tell where the next one begins.
pub type Documents<'a> = Box<dyn Iterator<Item = Result<Document>> + 'a>;

/// A form in which positions or games are written.
pub trait Format: Sync {
    /// The name people choose it by.
    fn name(&self) -> &'static str;

    /// What it is, in a few words.
    fn about(&self) -> &'static str;

    /// The usual endings of the names of its files.
    fn extensions(&self) -> &'static [&'static str];

    /// How much of a document it keeps.
    fn keeps(&self) -> Keeps;

    /// The external form of a piece.
    fn piece_text(&self, piece: Piece) -> String {
        piece.letter().to_string()
    }

    /// The piece of an external form.
    fn parse_piece(&self, text: &str) -> Option<Piece> {
        let mut characters = text.chars();
        let piece = Piece::from_letter(characters.next()?);
        piece.filter(|_| characters.next().is_none())
    }

    /// Reads documents.
    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a>;

    /// One document as text, to the end of its last line.
    fn export(&self, document: &Document) -> String;

    /// What stands between two documents.
    fn separator(&self) -> &'static str {
        ""
    }

    /// Reads a text that has exactly one document.
    ///
    /// # Errors
    /// What is wrong with it and where.
    fn import(&self, text: &str) -> Result<Document> {
        let mut documents = self.read(Box::new(text.as_bytes()));
        let document = match documents.next() {
            None => return Err(FormatError::new(Place::default(), Fault::Empty)),
            Some(read) => read?,
        };
        match documents.next() {
            None => Ok(document),
            Some(Err(error)) => Err(error),
            Some(Ok(second)) => Err(FormatError::new(second.place, Fault::MoreThanOne)),
        }
    }

    /// Writes documents.
    ///
    /// # Errors
    /// Those of writing.
    fn write(
        &self,
        documents: &mut dyn Iterator<Item = Document>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        for (number, document) in documents.enumerate() {
            if number > 0 {
                out.write_all(self.separator().as_bytes())?;
            }
            out.write_all(self.export(&document).as_bytes())?;
        }
        Ok(())
    }
}

/// The formats, a row each.
pub static FORMATS: [&dyn Format; 9] = [
    &fen::Fen,
    &epd::Epd,
    &html::Html,
    &array::Array,
    &ascii::Ascii,
    &unicode::Unicode,
    &svg::Svg,
    &pgn::Pgn,
    &uci::Uci,
];

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.name() == name)
}

/// The format that a file's name tells by its ending.
pub fn by_file_name(name: &str) -> Option<&'static dyn Format> {
    let (_, ending) = name.rsplit_once('.')?;
    let ending = ending.to_ascii_lowercase();
    let known = |format: &&dyn Format| format.extensions().contains(&ending.as_str());
    FORMATS.into_iter().find(known)
}

/// The format that the beginning of a text looks like: a guess, and FEN if there is nothing to go
/// by.
pub fn by_content(text: &str) -> &'static dyn Format {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let first_line = text.lines().next().unwrap_or_default();
    let first_word = first_line.split_whitespace().next().unwrap_or_default();
    let is_board = first_word.matches('/').count() == 7;
    let is_array = |c: char| c.is_ascii_digit() || "[]{}(),;-".contains(c) || c.is_whitespace();
    if text.starts_with('<') {
        match text.contains("<svg") && !text.contains("<html") {
            true => &svg::Svg,
            false => &html::Html,
        }
    } else if is_board && first_line.contains(';') {
        &epd::Epd
    } else if is_board {
        &fen::Fen
    } else if text.chars().any(|c| ('♔'..='♟').contains(&c)) {
        &unicode::Unicode
    } else if first_line.chars().all(is_array) && first_line.contains(|c| "0123456".contains(c)) {
        &array::Array
    } else if first_word == "position" || uci::looks_like_move(first_word) {
        &uci::Uci
    } else if text.starts_with(['[', '{', '%', '1', '(', ';']) {
        &pgn::Pgn
    } else if diagram::looks_like_diagram(text) {
        &ascii::Ascii
    } else {
        &fen::Fen
    }
}

/// At most the first sixty characters of a text, for messages.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(60) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
