//! A buffered view of a text of any length, with line and column.

use super::super::{Location, columns, find};
use super::tag::{LINE_ENDS, ends_line};
use std::io::{self, Read};

/// Number of bytes read at first; each further read doubles it, up to [`MAX_CHUNK`].
const FIRST_CHUNK: usize = 1 << 12;
/// Maximum number of bytes read at once.
const MAX_CHUNK: usize = 1 << 17;

/// The text from the next byte on, as far as it has been read.
pub(super) struct Window<R> {
    input: R,
    window: Vec<u8>,
    /// Number of bytes of the next read.
    chunk: usize,
    /// Index of the next byte.
    at: usize,
    /// Number of bytes before the window.
    dropped: u64,
    /// Whether the input has ended, so that the window holds the rest of it.
    ended: bool,
    /// The current line, from 1.
    line: u64,
    /// The columns of the current line are counted up to this byte.
    counted_to: usize,
    /// Number of those columns.
    columns: u64,
    /// The byte of [`marked_location`](Window::marked_location).
    marked: usize,
}

impl<R: Read> Window<R> {
    pub(super) fn new(input: R) -> Window<R> {
        Window {
            input,
            window: Vec::new(),
            chunk: FIRST_CHUNK,
            at: 0,
            dropped: 0,
            ended: false,
            line: 1,
            counted_to: 0,
            columns: 0,
            marked: 0,
        }
    }

    /// The position of the next byte in the input.
    pub(super) fn position(&self) -> u64 {
        self.dropped + self.at as u64
    }

    /// The bytes in the window from the next byte on.
    #[inline(always)]
    pub(super) fn rest(&self) -> &[u8] {
        &self.window[self.at..]
    }

    /// The next byte.
    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.window.get(self.at).copied()
    }

    /// The byte `offset` bytes after the next.
    #[inline(always)]
    pub(super) fn peek_at(&self, offset: usize) -> Option<u8> {
        self.window.get(self.at + offset).copied()
    }

    /// Reads until this many bytes are in the window, or the rest of the input.
    #[inline(always)]
    pub(super) fn need(&mut self, bytes: usize) -> io::Result<()> {
        if self.window.len() - self.at < bytes && !self.ended {
            self.fill(bytes)?;
        }
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn fill(&mut self, bytes: usize) -> io::Result<()> {
        self.count_to(self.at);
        self.window.drain(..self.at);
        self.dropped += self.at as u64;
        self.marked = self.marked.saturating_sub(self.at);
        (self.at, self.counted_to) = (0, 0);
        while self.window.len() < bytes && !self.ended {
            let filled = self.window.len();
            self.window.resize(filled + self.chunk, 0);
            self.chunk = (2 * self.chunk).min(MAX_CHUNK);
            let got = loop {
                match self.input.read(&mut self.window[filled..]) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    got => break got,
                }
            };
            self.window.truncate(filled + got.as_ref().copied().unwrap_or(0));
            self.ended = matches!(got, Ok(0) | Err(_));
            got?;
        }
        Ok(())
    }

    /// Advances by this many bytes, none of which ends a line.
    #[inline(always)]
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// Advances by one byte, which ends a line.
    #[inline(always)]
    pub(super) fn newline(&mut self) {
        self.at += 1;
        self.line += 1;
        self.counted_to = self.at;
        self.columns = 0;
    }

    /// Advances by this many bytes, which may contain line ends.
    pub(super) fn advance_lines(&mut self, bytes: usize) {
        let end = self.at + bytes;
        while let Some(length) = find(&self.window[self.at..end], LINE_ENDS) {
            self.at += length;
            if ends_line(self.rest()) {
                self.newline();
            } else {
                self.at += 1;
            }
        }
        self.at = end;
    }

    /// Returns to the marked byte, which must be on the current line.
    pub(super) fn rewind(&mut self) {
        self.at = self.marked;
    }

    /// The bytes from the marked byte on.
    pub(super) fn marked(&self) -> &[u8] {
        &self.window[self.marked..]
    }

    /// The bytes from the marked byte to the next one.
    pub(super) fn since_mark(&self) -> &[u8] {
        &self.window[self.marked..self.at]
    }

    /// Marks the next byte.
    #[inline(always)]
    pub(super) fn mark(&mut self) {
        self.marked = self.at;
    }

    /// The location of the marked byte, which must be on the current line.
    pub(super) fn marked_location(&mut self) -> Location {
        self.count_to(self.marked);
        Location::at(self.line, self.columns + 1)
    }

    /// The location of the next byte.
    pub(super) fn location(&mut self) -> Location {
        self.count_to(self.at);
        Location::at(self.line, self.columns + 1)
    }

    fn count_to(&mut self, at: usize) {
        if self.counted_to < at {
            self.columns += columns(&self.window[self.counted_to..at]);
            self.counted_to = at;
        }
    }
}
