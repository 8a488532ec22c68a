#![doc = include_str!("../README.md")]

pub mod array;
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
mod scan;
mod svg;
mod tree;
mod uci;

pub use document::{Document, Operation, parse_result, result_text};
pub use drawing::{Drawing, Shape, ShapeColor};
pub use error::{
    DiagramError, ErrorKind, FormatError, HtmlError, Location, PgnError, Result, locate,
};
pub use tree::{Node, NodeId, Ply, Tree};

pub use lines::decode_text;
#[cfg(all(test, feature = "html"))]
mod tests;
#[cfg(not(all(test, feature = "html")))]
use scan::{columns, find};
#[cfg(all(test, feature = "html"))]
use tests::{columns, find};

use saavedra_chess::STARTPOS;
use std::io::{self, Read, Write};

/// What part of a [`Document`] a format can express.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Content {
    /// The placement of the pieces. When read, White is to move (Black if its king is in check),
    /// and castling rights exist where king and rook are on their home squares.
    Pieces,
    /// The position.
    Position,
    /// The game.
    Game,
}

/// The documents of an input in order. After an error more follow only if the format can find the
/// start of the next document.
pub type Documents<'a> = Box<dyn Iterator<Item = Result<Document>> + 'a>;

/// What a format is called and can express.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FormatInfo {
    /// The name, as used on the command line.
    pub name: &'static str,
    /// The usual extensions of file names.
    pub extensions: &'static [&'static str],
    /// What part of a document it can express.
    pub content: Content,
}

/// A format for positions or games.
pub trait Format: Sync {
    /// Its name, its extensions and its content.
    fn info(&self) -> FormatInfo;

    /// The name, as used on the command line.
    fn name(&self) -> &'static str {
        self.info().name
    }

    /// The usual extensions of file names.
    fn extensions(&self) -> &'static [&'static str] {
        self.info().extensions
    }

    /// What part of a document it can express.
    fn content(&self) -> Content {
        self.info().content
    }

    /// Reads documents.
    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a>;

    /// Reads documents; of a game with an error in its moves the legal moves before the error are
    /// kept, and the error is in [`Document::errors`].
    fn read_prefixes<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        self.read(input)
    }

    /// A document as text, with the end of its last line.
    fn export(&self, document: &Document) -> String;

    /// Separates two documents.
    fn separator(&self) -> &'static str {
        ""
    }

    /// Reads a text with exactly one document.
    ///
    /// # Errors
    /// The text is malformed or has no or several documents.
    fn import(&self, text: &str) -> Result<Document> {
        let mut documents = self.read(Box::new(text.as_bytes()));
        let document = match documents.next() {
            None => return Err(FormatError::new(Location::default(), ErrorKind::Empty)),
            Some(read) => read?,
        };
        match documents.next() {
            None => Ok(document),
            Some(Err(error)) => Err(error),
            Some(Ok(second)) => Err(FormatError::new(second.location, ErrorKind::MoreThanOne)),
        }
    }

    /// Writes documents.
    ///
    /// # Errors
    /// Writing fails.
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

/// The formats.
pub static FORMATS: [&dyn Format; 9] = [
    &fen::Fen,
    &epd::Epd,
    &html::Html,
    &array::Array,
    &diagram::ASCII,
    &diagram::UNICODE,
    &svg::Svg,
    &pgn::Pgn,
    &uci::Uci,
];

/// The format with this name.
pub fn by_name(name: &str) -> Option<&'static dyn Format> {
    FORMATS.into_iter().find(|format| format.name() == name)
}

/// The format with the extension of a file name.
pub fn by_file_name(name: &str) -> Option<&'static dyn Format> {
    let (_, extension) = name.rsplit_once('.')?;
    let extension = extension.to_ascii_lowercase();
    let matches = |format: &&dyn Format| format.extensions().contains(&extension.as_str());
    FORMATS.into_iter().find(matches)
}

/// Guesses the format from the start of a text; FEN if nothing else matches.
pub fn by_content(text: &str) -> &'static dyn Format {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    // EPD files begin with remarks.
    let is_content = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
    let first_line = text.lines().find(is_content).unwrap_or_default();
    let first_word = first_line.split_whitespace().next().unwrap_or_default();
    let is_board = first_word.matches('/').count() == 7;
    if text.starts_with('<') {
        if first_element(text).is_some_and(|name| name.starts_with("svg")) {
            &svg::Svg
        } else {
            &html::Html
        }
    } else if (is_board || first_word == STARTPOS) && has_operations(first_line) {
        &epd::Epd
    } else if is_board {
        &fen::Fen
    } else if text.chars().any(|c| ('♔'..='♟').contains(&c)) && !starts_game(text) {
        &diagram::UNICODE
    } else if starts_array(text) {
        &array::Array
    } else if matches!(first_word, "position" | STARTPOS) || uci::looks_like_move(first_word) {
        &uci::Uci
    } else if diagram::looks_like_diagram(text) {
        &diagram::ASCII
    } else if text.starts_with(['[', '{', '%', '1', '(', ';']) {
        &pgn::Pgn
    } else {
        &fen::Fen
    }
}

/// Whether a record goes on after its position with EPD operations, which a FEN does not have, and no
/// moves.
fn has_operations(record: &str) -> bool {
    let mut words = record.split_whitespace();
    let position = match words.next() {
        Some(STARTPOS) => 0,
        _ => 3,
    };
    let word = words.nth(position).unwrap_or_default();
    let is_opcode = word.starts_with(|c: char| c.is_ascii_alphabetic());
    record.contains(';') || (is_opcode && word != "moves" && !uci::looks_like_move(word))
}

/// The text from the name of the first element on; not a declaration or a comment.
fn first_element(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.split_once('<')?.1;
        if rest.starts_with("!--") {
            rest = rest.split_once("-->")?.1;
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Some(rest);
        }
    }
}

/// Whether a text starts like the tags, the comments or the first move of a game.
fn starts_game(text: &str) -> bool {
    let after_number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    pgn::starts_tag(text.as_bytes())
        || text.starts_with(['{', '%', ';', '('])
        || (after_number.len() < text.len() && after_number.starts_with('.'))
}

/// Whether a text has only what an array has, up to the first line with a number, which has a
/// piece. (The first line of a diagram may have the number of its rank, and minus signs for empty
/// squares.)
fn starts_array(text: &str) -> bool {
    let is_array = |c: char| c.is_ascii_digit() || "[]{}(),;-".contains(c) || c.is_whitespace();
    let mut lines = text.lines().take_while(|line| line.chars().all(is_array));
    let has_digit = |line: &&str| line.contains(|c: char| c.is_ascii_digit());
    lines.find(has_digit).is_some_and(|line| {
        let mut numbers = line.split(|c: char| !c.is_ascii_digit());
        let is_piece = |number: &str| matches!(number.as_bytes(), [b'0'..=b'6']);
        numbers.any(is_piece) && !line.contains("- ") && !line.ends_with('-')
    })
}

/// The byte of `text` where `part`, a slice of it, begins.
fn offset_in(text: &str, part: &str) -> usize {
    part.as_ptr().addr() - text.as_ptr().addr()
}

/// The first sixty characters of a text, for error messages.
fn truncated(text: &str) -> String {
    match text.char_indices().nth(60) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
