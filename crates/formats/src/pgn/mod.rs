//! Portable game notation: games with tag pairs, variations (RAVs), comments and NAGs.
//!
//! [`Reader`] accepts the common deviations from the standard and reads files of any length with
//! little memory; [`write`](write()) writes the export format of the standard.
//! Source: <https://www.chessprogramming.org/Portable_Game_Notation>

mod byte_class;
mod dash;
mod movetext;
mod ply;
mod reader;
mod scanner;
mod sign;
mod tag;
mod text;
mod token;
mod tree_builder;
mod visitor;
mod window;
mod writer;

pub use ply::parse_ply;
pub use reader::Reader;
pub use text::{Comment, TagValue};
pub use visitor::{Visit, Visitor};
pub use writer::write;

pub(super) use tag::starts_tag;

use super::{Content, Document, Documents, Format, FormatInfo};
use std::io::Read;

/// The format.
pub struct Pgn;

impl Format for Pgn {
    fn info(&self) -> FormatInfo {
        FormatInfo { name: "pgn", extensions: &["pgn"], content: Content::Game }
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        Box::new(Reader::new(input))
    }

    fn read_prefixes<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        Box::new(Reader::new(input).keep_prefixes())
    }

    fn export(&self, document: &Document) -> String {
        write(document)
    }

    fn separator(&self) -> &'static str {
        "\n"
    }
}
