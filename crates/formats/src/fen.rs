//! Forsyth-Edwards notation, one position per line; also X-FEN and Shredder-FEN.
//!
//! Empty lines and lines that start with `#` are skipped.

use super::{
    Content, Document, Documents, ErrorKind, Format, FormatError, FormatInfo, Location, Result,
    lines, offset_in,
};
use saavedra_chess::{FenError, Piece, Rank, Setup};
use std::io::Read;

/// The format.
pub struct Fen;

impl Format for Fen {
    fn info(&self) -> FormatInfo {
        FormatInfo { name: "fen", extensions: &["fen"], content: Content::Position }
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        lines::documents(input, import)
    }

    fn export(&self, document: &Document) -> String {
        document.board().to_fen() + "\n"
    }
}

/// Reads a position: a FEN, or `startpos`.
///
/// # Errors
/// The text is malformed or the position invalid.
pub fn import(text: &str) -> Result<Document> {
    let setup = Setup::from_fen(text).map_err(|error| {
        let column = column(text, &error);
        FormatError::new(Location::at(1, column), error)
    })?;
    Document::from_setup(&setup).map_err(|error| FormatError::new(Location::line(1), error))
}

/// The column, from 1, of an error in a FEN.
pub(super) fn column(text: &str, error: &FenError) -> u64 {
    let field = match error {
        FenError::Empty
        | FenError::RankCount(_)
        | FenError::RankLength(..)
        | FenError::UnknownPiece(..)
        | FenError::DigitsInARow(_) => 0,
        FenError::Turn(_) => 1,
        FenError::Castling(_) => 2,
        FenError::EnPassant(_) => 3,
        FenError::Counter(value) if nth_field(text, 4).1 == value => 4,
        FenError::Counter(_) => 5,
        FenError::TooManyFields(_) => 6,
    };
    let (start, text_of_field) = nth_field(text, field);
    let within = match error {
        FenError::RankLength(rank, _) => rank_start(text_of_field, *rank),
        FenError::UnknownPiece(rank, _) | FenError::DigitsInARow(rank) => {
            let start = rank_start(text_of_field, *rank);
            start + bad_piece(&text_of_field[start..])
        }
        _ => 0,
    };
    text[..start + within].chars().count() as u64 + 1
}

/// The offset of a field, from 0, and the field; the end of the text if there is none.
fn nth_field(text: &str, number: usize) -> (usize, &str) {
    let field = text.split_ascii_whitespace().nth(number).unwrap_or_default();
    if field.is_empty() { (text.len(), field) } else { (offset_in(text, field), field) }
}

/// The byte where a rank begins in the first field.
fn rank_start(field: &str, rank: Rank) -> usize {
    let above = Rank::Eighth.distance(rank).into();
    let lengths = field.split('/').take(above).map(|part| part.len() + 1);
    lengths.sum::<usize>().min(field.len())
}

/// The offset of the first character that is neither a piece nor a single digit.
fn bad_piece(ranks: &str) -> usize {
    let mut after_digit = false;
    for (at, c) in ranks.char_indices() {
        let digit = ('1'..='8').contains(&c);
        if (digit && after_digit) || (!digit && Piece::from_letter(c).is_none()) {
            return at;
        }
        after_digit = digit;
    }
    0
}

impl From<saavedra_chess::PositionError> for ErrorKind {
    fn from(error: saavedra_chess::PositionError) -> ErrorKind {
        match error {
            saavedra_chess::PositionError::Fen(error) => ErrorKind::Fen(error),
            saavedra_chess::PositionError::Setup(error) => ErrorKind::Position(error),
        }
    }
}
