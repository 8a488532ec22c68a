//! Lines from stdin, read by a thread of their own.

use crossbeam_channel::{Receiver, bounded};
use std::io::{self, BufRead, Read};

/// No line may be longer, in bytes: a game of a million moves fits.
const LONGEST: usize = 16 << 20;

/// What is read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Input {
    /// A line; bytes that are no UTF-8 are replaced.
    Line(String),
    /// A line too long to be kept.
    TooLong,
}

/// Starts to read stdin. The channel closes at its end.
///
/// # Errors
/// If there is no thread to be had.
pub(super) fn lines() -> io::Result<Receiver<Input>> {
    let (sender, lines) = bounded(1024);
    std::thread::Builder::new()
        .name("input".to_owned())
        .spawn(move || {
            let mut stdin = io::stdin().lock();
            while let Ok(Some(input)) = read(&mut stdin) {
                if sender.send(input).is_err() {
                    return;
                }
            }
        })?;
    Ok(lines)
}

/// What some programs write before UTF-8; no part of the line.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// The next line; none at the end.
fn read(source: &mut impl BufRead) -> io::Result<Option<Input>> {
    let mut line = Vec::new();
    let length = source.take(LONGEST as u64).read_until(b'\n', &mut line)?;
    if length == 0 {
        return Ok(None);
    }
    if length < LONGEST || line.ends_with(b"\n") {
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
        let line = read(&mut source).expect("memory can be read");
        assert_eq!(line, Some(Input::Line("uci\n".to_owned())));
    }

    #[test]
    fn a_line_too_long_is_skipped_and_the_next_is_read() {
        let mut text = vec![b'x'; LONGEST + 100_000];
        text.extend_from_slice(b"\nisready\nlast");
        let mut source = text.as_slice();
        let mut next = || read(&mut source).expect("memory can be read");
        assert_eq!(next(), Some(Input::TooLong));
        assert_eq!(next(), Some(Input::Line("isready\n".to_owned())));
        assert_eq!(next(), Some(Input::Line("last".to_owned())));
        assert_eq!(next(), None);
    }
}
