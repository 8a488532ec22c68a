//! Skips games without reading their moves.

use super::super::super::{Result, find, parse_result};
use super::super::tag::{LINE_ENDS, starts_tag};
use super::{MAX_TOKEN, Scanner};
use std::io::Read;

/// Maximum length in bytes of a result at the end of a line, with blanks.
const MAX_RESULT: usize = 16;

impl<R: Read> Scanner<R> {
    /// Skips the rest of a game: up to the next line with a tag, or past a result at the end of a
    /// line that an empty line or a first move follows.
    pub(in super::super) fn skip_game(&mut self) -> Result<()> {
        self.skip_lines(b"\n\r{;")
    }

    /// As [`skip_game`](Scanner::skip_game), after an error, where braces need not match.
    pub(in super::super) fn recover(&mut self) -> Result<()> {
        self.skip_lines(LINE_ENDS)
    }

    /// Skips the rest of a game, with a look at nothing but these signs.
    fn skip_lines<const N: usize>(&mut self, signs: &[u8; N]) -> Result<()> {
        // Whether the line ends in a result, but for comments.
        let mut has_result = false;
        loop {
            self.need(MAX_TOKEN)?;
            let rest = self.window.rest();
            if self.at_line_start {
                if starts_tag(rest) || (has_result && may_start_game(rest)) {
                    return Ok(());
                }
                has_result = false;
            }
            self.at_line_start = false;
            let Some(length) = find(rest, signs) else {
                let length = rest.len();
                if length < MAX_TOKEN {
                    self.window.advance(length);
                    return Ok(());
                }
                // A result at the end is not split.
                self.window.advance(length - MAX_RESULT);
                continue;
            };
            let (part, sign) = (rest[..length].trim_ascii_end(), rest[length]);
            if !part.is_empty() {
                has_result = ends_in_result(part);
            }
            self.window.advance(length);
            match sign {
                // A comment that is not closed ends before the next game.
                b'{' => match self.comment() {
                    Err(error) if error.is_fatal() => return Err(error),
                    _ => {}
                },
                b';' => self.skip_line()?,
                _ => self.skip_line_end()?,
            }
        }
    }

    fn skip_line_end(&mut self) -> Result<()> {
        self.need(2)?;
        if self.window.rest().starts_with(b"\r\n") {
            self.window.advance(1);
        }
        self.window.newline();
        (self.lines, self.at_line_start) = (1, true);
        Ok(())
    }
}

/// Whether a line after a result may belong to the next game.
fn may_start_game(line: &[u8]) -> bool {
    matches!(line, [] | [b'\n' | b'\r', ..] | [b'1', b'.', ..])
}

/// Whether a line, without blanks at its end, ends in a result.
#[inline]
fn ends_in_result(line: &[u8]) -> bool {
    match line {
        [.., b'*' | 0x80..] => {}
        [.., b'-' | b':' | b'/' | 0x80.., b'0' | b'1' | b'2' | b'O'] => {}
        _ => return false,
    }
    let line = &line[line.len().saturating_sub(MAX_RESULT)..];
    let text = String::from_utf8_lossy(line);
    let word = text.split_whitespace().last();
    word.is_some_and(|word| parse_result(word).is_some())
}
