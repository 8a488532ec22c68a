//! Portable game notation: games with tags, variations, comments and marks.
//!
//! [`Reader`] takes what is found in the wild and reads files of any length in little memory;
//! [`write`](write()) writes the standard's export format.
//! Source: <https://www.chessprogramming.org/Portable_Game_Notation>

mod class;
mod reader;
mod san;
mod source;
mod tag;
mod token;
mod writer;

pub use reader::Reader;
pub use writer::write;

use super::{Document, Documents, Format, Keeps};
use std::io::Read;

/// The format.
pub struct Pgn;

impl Format for Pgn {
    fn name(&self) -> &'static str {
        "pgn"
    }

    fn about(&self) -> &'static str {
        "games with tags, variations and comments"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["pgn"]
    }

    fn keeps(&self) -> Keeps {
        Keeps::Game
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        Box::new(Reader::new(input))
    }

    fn export(&self, document: &Document) -> String {
        write(document)
    }

    fn separator(&self) -> &'static str {
        "\n"
    }
}
