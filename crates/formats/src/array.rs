//! Boards as eight rows of eight numbers: 1 to 6 for pawn, knight, bishop, rook, queen and king,
//! negative for Black, 0 for an empty square; row 0 is rank 8.
//!
//! Written as JSON. Read as JSON, as an array initialiser of a programming language (any brackets,
//! commas, semicolons), or as plain lines of numbers.

use super::{
    Content, DiagramError, Document, Documents, Format, FormatError, FormatInfo, Location, Result,
    columns, diagram, lines, truncated,
};
use saavedra_chess::{Board, Color, File, Piece, PieceKind, Rank, Setup, Square};
use std::io::Read;

/// The format.
pub struct Array;

impl Format for Array {
    fn info(&self) -> FormatInfo {
        FormatInfo { name: "array", extensions: &["json"], content: Content::Pieces }
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        let text = match lines::whole_text(input) {
            Ok(text) => text,
            Err(error) => return Box::new(std::iter::once(Err(error))),
        };
        let mut scanner = Some(ArrayScanner::new(text));
        Box::new(std::iter::from_fn(move || {
            let read = scanner.as_mut()?.board().transpose();
            // An error ends the boards.
            scanner.take_if(|_| !matches!(read, Some(Ok(_))));
            read
        }))
    }

    fn export(&self, document: &Document) -> String {
        let rows = to_array(&document.board()).map(|row| {
            let numbers = row.map(|n| format!("{n:2}"));
            format!("[{}]", numbers.join(", "))
        });
        format!("[{}]\n", rows.join(",\n "))
    }

    fn separator(&self) -> &'static str {
        "\n"
    }
}

/// The number of a piece.
pub fn number(piece: Piece) -> i8 {
    let number = piece.kind.index() as i8 + 1;
    match piece.color {
        Color::White => number,
        Color::Black => -number,
    }
}

/// The content of a square: a piece, or `None` for 0. The outer `None` is an invalid number.
fn piece(number: i64) -> Option<Option<Piece>> {
    let color = match number {
        0 => return Some(None),
        1.. => Color::White,
        _ => Color::Black,
    };
    let index = usize::try_from(number.unsigned_abs()).ok()?.checked_sub(1)?;
    let kind = PieceKind::ALL.get(index)?;
    Some(Some(Piece::new(color, *kind)))
}

/// A position as an array.
pub fn to_array(board: &Board) -> [[i8; 8]; 8] {
    let mut rows = [[0; 8]; 8];
    for square in Square::ALL {
        if let Some(piece) = board.piece_at(square) {
            rows[7 - square.rank().index()][square.file().index()] = number(piece);
        }
    }
    rows
}

/// Splits a text into numbers and row breaks.
struct ArrayScanner {
    text: String,
    at: usize,
    line: u64,
    /// The columns of the line are counted up to this byte.
    counted_to: usize,
    /// Number of those columns.
    columns: u64,
}

/// A token of an array.
enum ArrayToken {
    /// A number and its location.
    Number(i64, Location),
    /// A line end or bracket, where a row may end.
    Break,
    /// A line end after a comma: an unfinished row goes on.
    LineAfterComma,
    /// The end of the text.
    End,
}

impl ArrayScanner {
    fn new(text: String) -> ArrayScanner {
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        ArrayScanner { text, at, line: 1, counted_to: 0, columns: 0 }
    }

    /// The location of a byte at or after the last one asked for.
    fn location(&mut self, at: usize) -> Location {
        self.columns += columns(&self.text.as_bytes()[self.counted_to..at]);
        self.counted_to = at;
        Location::at(self.line, self.columns + 1)
    }

    fn token(&mut self) -> Result<ArrayToken> {
        let mut after_comma = false;
        loop {
            let start = self.at;
            let Some(c) = self.text[start..].chars().next() else {
                return Ok(ArrayToken::End);
            };
            self.at += c.len_utf8();
            match c {
                '\n' => {
                    (self.line, self.columns) = (self.line + 1, 0);
                    self.counted_to = self.at;
                    return Ok(if after_comma {
                        ArrayToken::LineAfterComma
                    } else {
                        ArrayToken::Break
                    });
                }
                '[' | ']' | '{' | '}' | '(' | ')' => return Ok(ArrayToken::Break),
                ',' => after_comma = true,
                ';' | '|' => {}
                c if c.is_whitespace() => {}
                _ => {
                    let location = self.location(start);
                    let rest = &self.text[start..];
                    let in_number = |c: char| c == '-' || c == '+' || c.is_alphanumeric();
                    let length = rest.find(|c| !in_number(c)).unwrap_or(rest.len());
                    let word = &rest[..length.max(c.len_utf8())];
                    let number = word.parse().map_err(|_| {
                        FormatError::new(location, DiagramError::Symbol(truncated(word)))
                    })?;
                    self.at = start + word.len();
                    return Ok(ArrayToken::Number(number, location));
                }
            }
        }
    }

    /// The next board; `None` at the end of the text.
    fn board(&mut self) -> Result<Option<Document>> {
        let mut setup = Setup::empty();
        let mut first = None;
        for row in 0..8u8 {
            let (mut file, mut row_location) = (0, None);
            loop {
                let (number, location) = match self.token()? {
                    ArrayToken::Number(number, location) => {
                        first = first.or(Some(location));
                        row_location = row_location.or(Some(location));
                        (number, location)
                    }
                    ArrayToken::Break if file == 0 => continue,
                    ArrayToken::LineAfterComma if file < 8 => continue,
                    ArrayToken::End if file == 0 => {
                        return match first {
                            None => Ok(None),
                            Some(location) => {
                                Err(FormatError::new(location, DiagramError::Rows(row.into())))
                            }
                        };
                    }
                    ArrayToken::Break | ArrayToken::LineAfterComma | ArrayToken::End => break,
                };
                if let Some(&file) = File::ALL.get(file) {
                    let square = Square::new(file, Rank::from_index(7 - row));
                    let content = piece(number).ok_or_else(|| {
                        FormatError::new(location, DiagramError::Number(square, number))
                    })?;
                    setup.set_piece(square, content);
                }
                file += 1;
            }
            if file != 8 {
                let kind = DiagramError::RowLength(usize::from(row) + 1, file);
                return Err(FormatError::new(row_location.unwrap_or_default(), kind));
            }
        }
        let location = first.unwrap_or_default();
        let document = diagram::document_of_pieces(setup);
        let document = document.map_err(|error| FormatError { location, ..error })?;
        Ok(Some(Document { location, ..document }))
    }
}
