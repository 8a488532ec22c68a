//! Reads text by lines, by blocks of lines, or as a whole.

use super::{Document, Documents, ErrorKind, FormatError, Location, Result};
use std::io::{BufRead, BufReader, Read};

/// Maximum length of a line in bytes; a game of some thousands of moves fits.
const MAX_LINE: usize = 1 << 20;
/// Maximum length of a block of lines; more than any diagram has.
const MAX_BLOCK_LINES: usize = 64;
/// Maximum size in bytes of a text that is read as a whole.
const MAX_TEXT: usize = 256 << 20;

/// The lines of a text.
struct Lines<'a> {
    input: BufReader<Box<dyn Read + 'a>>,
    number: u64,
}

impl<'a> Lines<'a> {
    fn new(input: Box<dyn Read + 'a>) -> Lines<'a> {
        Lines { input: BufReader::with_capacity(1 << 16, input), number: 0 }
    }

    /// The next line without its line end; `None` at the end of the text.
    fn next(&mut self) -> Option<Result<String>> {
        let mut bytes = Vec::new();
        let limit = MAX_LINE as u64 + 1;
        self.number += 1;
        let here = Location::line(self.number);
        match (&mut self.input).take(limit).read_until(b'\n', &mut bytes) {
            Err(error) => return Some(Err(FormatError::new(here, error))),
            Ok(0) => return None,
            Ok(n) if n > MAX_LINE => {
                return Some(Err(FormatError::new(here, ErrorKind::TooLong(MAX_LINE))));
            }
            Ok(_) => {}
        }
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        let mut text = match decode_text(bytes) {
            Ok(text) => text,
            Err(error) => return Some(Err(error.below(self.number - 1))),
        };
        if self.number == 1 && text.starts_with('\u{feff}') {
            text.remove(0);
        }
        Some(Ok(text))
    }
}

/// The error of a text in UTF-16.
pub(super) const UTF16: ErrorKind = ErrorKind::NotText("it is UTF-16; save it as UTF-8");

/// Whether a text starts with the byte order mark of UTF-16.
pub(super) fn is_utf16(text: &[u8]) -> bool {
    text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff])
}

/// Decodes UTF-8.
///
/// # Errors
/// The bytes are not UTF-8 or contain a zero byte; with the location of the first invalid byte.
pub fn decode_text(bytes: Vec<u8>) -> Result<String> {
    let location = |upto: &[u8]| {
        let start = upto.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let lines = upto.iter().filter(|b| **b == b'\n').count() as u64;
        let column = String::from_utf8_lossy(&upto[start..]).chars().count() as u64;
        Location::at(lines + 1, column + 1)
    };
    if is_utf16(&bytes) {
        return Err(FormatError::new(location(&[]), UTF16));
    }
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        let kind = ErrorKind::NotText("zero byte");
        return Err(FormatError::new(location(&bytes[..at]), kind));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let kind = ErrorKind::NotText("invalid UTF-8");
        FormatError::new(location(&error.as_bytes()[..good]), kind)
    })
}

/// The documents of a text with one in each line. A malformed line is an error and the next line is
/// read; a read error or a line that is not text ends them. Empty lines and lines that start with
/// `#` are skipped.
pub(super) fn documents<'a>(
    input: Box<dyn Read + 'a>,
    import: fn(&str) -> Result<Document>,
) -> Documents<'a> {
    read_units(input, false, move |unit| {
        let is_remark = unit[0].trim_start().starts_with('#');
        (!is_remark).then(|| import(&unit[0]))
    })
}

/// The documents of a text with one in each block of lines, separated by empty lines; the first
/// error ends them. Blocks for which `import` returns `None` are skipped.
pub(super) fn blocks<'a>(
    input: Box<dyn Read + 'a>,
    import: impl Fn(&[String]) -> Option<Result<Document>> + 'a,
) -> Documents<'a> {
    read_units(input, true, import)
}

/// The documents of the lines or blocks of lines that are not empty.
fn read_units<'a>(
    input: Box<dyn Read + 'a>,
    in_blocks: bool,
    import: impl Fn(&[String]) -> Option<Result<Document>> + 'a,
) -> Documents<'a> {
    let mut lines = Lines::new(input);
    let mut ended = false;
    Box::new(std::iter::from_fn(move || {
        while !ended {
            let above = lines.number;
            let mut unit = Vec::new();
            while unit.is_empty() || in_blocks {
                match lines.next() {
                    None => ended = true,
                    Some(Err(error)) => {
                        ended = true;
                        return Some(Err(error));
                    }
                    Some(Ok(line)) if line.trim().is_empty() => {}
                    Some(Ok(line)) if unit.len() < MAX_BLOCK_LINES => {
                        unit.push(line);
                        continue;
                    }
                    Some(Ok(_)) => {
                        ended = true;
                        let kind = super::DiagramError::Rows(unit.len() + 1);
                        return Some(Err(FormatError::new(Location::line(lines.number), kind)));
                    }
                }
                break;
            }
            if unit.is_empty() {
                continue;
            }
            if let Some(read) = import(&unit) {
                ended |= in_blocks && read.is_err();
                let read = read.map(|document| located(document, above + 1));
                return Some(read.map_err(|error| error.below(above)));
            }
        }
        None
    }))
}

/// A document that starts at this line, with the locations of its errors.
fn located(document: Document, line: u64) -> Document {
    let errors = document.errors.into_iter();
    Document {
        location: Location::line(line),
        errors: errors.map(|error| error.below(line - 1)).collect(),
        ..document
    }
}

/// The whole text of an input.
///
/// # Errors
/// It cannot be read, is not UTF-8, or is larger than 256 MiB.
pub(super) fn whole_text(input: Box<dyn Read + '_>) -> Result<String> {
    decode_text(bytes(input)?)
}

/// All bytes of an input.
///
/// # Errors
/// It cannot be read or is larger than 256 MiB.
pub(super) fn bytes(input: Box<dyn Read + '_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = MAX_TEXT as u64 + 1;
    input
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| FormatError::new(Location::default(), error))?;
    if bytes.len() > MAX_TEXT {
        let kind = ErrorKind::TooLong(MAX_TEXT);
        return Err(FormatError::new(Location::default(), kind));
    }
    Ok(bytes)
}
