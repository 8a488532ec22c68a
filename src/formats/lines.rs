//! Reading text piece by piece: by lines, by blocks of lines, or as one page.

use super::{Document, Documents, Fault, FormatError, Place, Result};
use std::io::{BufRead, BufReader, Read};

/// The longest line taken, in bytes: a game of some thousands of moves.
const LINE_LIMIT: usize = 1 << 20;
/// The longest block of lines taken, in lines: more than any drawn board.
const BLOCK_LIMIT: usize = 64;
/// The largest page taken, in bytes.
const PAGE_LIMIT: usize = 256 << 20;

/// The lines of a text.
struct Lines<'a> {
    input: BufReader<Box<dyn Read + 'a>>,
    number: u64,
}

impl<'a> Lines<'a> {
    fn new(input: Box<dyn Read + 'a>) -> Lines<'a> {
        Lines {
            input: BufReader::with_capacity(1 << 16, input),
            number: 0,
        }
    }

    /// The next line without its end; `None` at the end of the text.
    fn next(&mut self) -> Option<Result<String>> {
        let mut bytes = Vec::new();
        let limit = LINE_LIMIT as u64 + 1;
        self.number += 1;
        let here = Place::line(self.number);
        match (&mut self.input).take(limit).read_until(b'\n', &mut bytes) {
            Err(error) => return Some(Err(FormatError::new(here, error))),
            Ok(0) => return None,
            Ok(n) if n > LINE_LIMIT => {
                return Some(Err(FormatError::new(here, Fault::TooLong(LINE_LIMIT))));
            }
            Ok(_) => {}
        }
        while matches!(bytes.last(), Some(b'\n' | b'\r')) {
            bytes.pop();
        }
        let mut text = match text_of(bytes) {
            Ok(text) => text,
            Err(error) => return Some(Err(error.below(self.number - 1))),
        };
        if self.number == 1 && text.starts_with('\u{feff}') {
            text.remove(0);
        }
        Some(Ok(text))
    }
}

/// Bytes as text.
///
/// # Errors
/// They are not UTF-8, or have a byte that no text has; the place of the first.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String> {
    let place = |upto: &[u8]| {
        let start = upto
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        let lines = upto.iter().filter(|b| **b == b'\n').count() as u64;
        let column = String::from_utf8_lossy(&upto[start..]).chars().count() as u64;
        Place::at(lines + 1, column + 1)
    };
    if let Some(at) = bytes.iter().position(|b| *b == 0) {
        let fault = Fault::NotText("it has a zero byte");
        return Err(FormatError::new(place(&bytes[..at]), fault));
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let fault = Fault::NotText("it is not in UTF-8");
        FormatError::new(place(&error.as_bytes()[..good]), fault)
    })
}

/// The documents of a text that has one in every line; the first that cannot be read ends them.
/// Lines that are empty or begin with `#` are passed over.
pub(super) fn documents<'a>(
    input: Box<dyn Read + 'a>,
    import: fn(&str) -> Result<Document>,
) -> Documents<'a> {
    let mut lines = Lines::new(input);
    let mut ended = false;
    Box::new(std::iter::from_fn(move || {
        while !ended {
            let line = match lines.next()? {
                Ok(line) => line,
                Err(error) => {
                    ended = true;
                    return Some(Err(error));
                }
            };
            let text = line.trim_start();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let read = import(&line).map(|document| placed(document, lines.number));
            ended = read.is_err();
            return Some(read.map_err(|error| error.below(lines.number - 1)));
        }
        None
    }))
}

fn placed(document: Document, line: u64) -> Document {
    Document {
        place: Place::line(line),
        ..document
    }
}

/// The documents of a text that has one in every block of lines, with empty lines between them; the
/// first that cannot be read ends them. Blocks for which `import` gives `None` are passed over.
pub(super) fn blocks<'a>(
    input: Box<dyn Read + 'a>,
    import: impl Fn(&[String]) -> Option<Result<Document>> + 'a,
) -> Documents<'a> {
    let mut lines = Lines::new(input);
    let mut ended = false;
    Box::new(std::iter::from_fn(move || {
        while !ended {
            let mut block = Vec::new();
            loop {
                match lines.next() {
                    None => ended = true,
                    Some(Err(error)) => {
                        ended = true;
                        return Some(Err(error));
                    }
                    Some(Ok(line)) if line.trim().is_empty() => {}
                    Some(Ok(line)) if block.len() < BLOCK_LIMIT => {
                        block.push(line);
                        continue;
                    }
                    Some(Ok(_)) => {
                        ended = true;
                        let fault = super::DiagramFault::Rows(block.len() + 1);
                        return Some(Err(FormatError::new(Place::line(lines.number), fault)));
                    }
                }
                break;
            }
            // The line after the block has been read too, if only as the end of the text.
            let above = lines.number - 1 - block.len() as u64;
            if block.is_empty() {
                continue;
            }
            if let Some(read) = import(&block) {
                ended |= read.is_err();
                let read = read.map(|document| placed(document, above + 1));
                return Some(read.map_err(|error| error.below(above)));
            }
        }
        None
    }))
}

/// The whole text of a page.
///
/// # Errors
/// It cannot be read, is no text, or is larger than 256 MiB.
pub(super) fn page(input: Box<dyn Read + '_>) -> Result<String> {
    let bytes = bytes(input)?;
    text_of(bytes)
}

/// All bytes of a page.
///
/// # Errors
/// It cannot be read or is larger than 256 MiB.
pub(super) fn bytes(input: Box<dyn Read + '_>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = PAGE_LIMIT as u64 + 1;
    input
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|error| FormatError::new(Place::default(), error))?;
    if bytes.len() > PAGE_LIMIT {
        let fault = Fault::TooLong(PAGE_LIMIT);
        return Err(FormatError::new(Place::default(), fault));
    }
    Ok(bytes)
}
