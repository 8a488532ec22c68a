//! Reads lines from standard input in a separate thread.

use crossbeam_channel::{Receiver, bounded};
use std::io::{self, BufRead, Read};

/// The maximum length of a line in bytes; a game of a million moves fits.
const MAX_LENGTH: usize = 16 << 20;

/// The number of lines that are read ahead.
const READ_AHEAD: usize = 8;

/// A line of input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Input {
    /// A line; bytes that are not UTF-8 are replaced.
    Line(String),
    /// A line longer than the maximum, which was skipped.
    TooLong,
}

/// Starts to read standard input. The channel closes at the end of input.
///
/// # Errors
/// If the thread cannot be started.
pub(super) fn read_lines() -> io::Result<Receiver<Input>> {
    let (sender, lines) = bounded(READ_AHEAD);
    std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut stdin = io::stdin().lock();
        while let Ok(Some(input)) = read_line(&mut stdin) {
            if sender.send(input).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}

/// Some programs write it before UTF-8 text; it is not part of the line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The next line; `None` at the end of input.
fn read_line(source: &mut impl BufRead) -> io::Result<Option<Input>> {
    let mut line = Vec::new();
    let length = source.take(MAX_LENGTH as u64).read_until(b'\n', &mut line)?;
    if length == 0 {
        return Ok(None);
    }
    if length < MAX_LENGTH || line.ends_with(b"\n") {
        let text = String::from_utf8_lossy(&line);
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&text);
        return Ok(Some(Input::Line(text.to_owned())));
    }
    while !line.ends_with(b"\n") {
        line.clear();
        if source.take(1 << 16).read_until(b'\n', &mut line)? == 0 {
            break;
        }
    }
    Ok(Some(Input::TooLong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let mut source = "\u{feff}uci\n".as_bytes();
        let line = read_line(&mut source).expect("memory can be read");
        assert_eq!(line, Some(Input::Line("uci\n".to_owned())));
    }

    #[test]
    fn a_line_that_is_too_long_is_skipped() {
        let mut text = vec![b'x'; MAX_LENGTH + 100_000];
        text.extend_from_slice(b"\nisready\nlast");
        let mut source = text.as_slice();
        let mut next = || read_line(&mut source).expect("memory can be read");
        assert_eq!(next(), Some(Input::TooLong));
        assert_eq!(next(), Some(Input::Line("isready\n".to_owned())));
        assert_eq!(next(), Some(Input::Line("last".to_owned())));
        assert_eq!(next(), None);
    }
}
