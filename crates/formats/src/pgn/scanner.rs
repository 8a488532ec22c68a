//! Splits PGN text into tokens.

mod annotation;
mod comment;
mod skip;

use super::super::lines::{UTF16, is_utf16};
use super::super::{
    ErrorKind, FormatError, Location, PgnError, Result, find, parse_result, truncated,
};
use super::byte_class::{ByteClass, continues_move, wide_blank, wide_word_length};
use super::dash::{dashed_word, spaced_result};
use super::sign;
use super::tag::{LINE_ENDS, TagPair, ends_line, read_broken_tag, read_tag, read_usual_tag};
use super::text::{Comment, Quotes, TagValue, decoded};
use super::token::Token;
use super::window::Window;
use std::io::Read;

/// Maximum length in bytes of a token other than comments and tags.
const MAX_TOKEN: usize = 256;
/// Maximum length in bytes of a move.
const MAX_MOVE: usize = 15;
/// Maximum length in bytes of a sign with a NAG.
const MAX_SIGN: usize = 8;
/// Maximum length in bytes of a tag pair.
const MAX_TAG: usize = 1 << 16;
/// Maximum length in bytes of a comment.
const MAX_COMMENT: usize = 1 << 20;

/// Splits a text into tokens.
pub(super) struct Scanner<R> {
    window: Window<R>,
    /// Number of line ends since the last token.
    lines: u32,
    /// Whether there are only blanks between the start of the line and the next byte.
    at_line_start: bool,
    /// Whether there is an empty line before the last token.
    after_empty_line: bool,
    /// Whether there is a line end before the last token.
    after_line: bool,
    /// The last tag pair, from the marked byte on.
    tag: TagPair,
    /// The length of the last move or unknown sign, from the marked byte on.
    word_length: usize,
    /// The last move, if it is not written so in the text.
    word: Vec<u8>,
    /// The position after the last move.
    word_end: u64,
    /// The last comment.
    comment: Vec<u8>,
    /// The position of a line end that was found ahead, so that a line is searched once.
    line_end: u64,
    /// Whether text that is no token is a comment, with the error in `unread`.
    keeps_unread: bool,
    /// Why the last comment is not one in the text.
    unread: Option<FormatError>,
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(input: R) -> Scanner<R> {
        Scanner {
            window: Window::new(input),
            lines: 0,
            at_line_start: true,
            after_empty_line: false,
            after_line: true,
            tag: TagPair::default(),
            word_length: 0,
            word: Vec::new(),
            word_end: 0,
            comment: Vec::new(),
            line_end: 0,
            keeps_unread: false,
            unread: None,
        }
    }

    /// Makes text that is no token a comment, instead of an error.
    pub(super) fn keep_unread(&mut self) {
        self.keeps_unread = true;
    }

    /// The error of the last comment if it is text that is no token.
    pub(super) fn take_unread(&mut self) -> Option<FormatError> {
        self.unread.take()
    }

    /// Whether there is an empty line before the last token.
    pub(super) fn after_empty_line(&self) -> bool {
        self.after_empty_line
    }

    /// Whether the last token is the first of its line.
    pub(super) fn after_line(&self) -> bool {
        self.after_line
    }

    /// Whether the value of the last tag pair is in quotation marks.
    pub(super) fn has_quoted_tag(&self) -> bool {
        self.tag.quotes != Quotes::None
    }

    /// Name and value of the last token, which must be a tag pair.
    pub(super) fn tag_pair(&self) -> (&str, TagValue<'_>) {
        let line = self.window.marked();
        let name = std::str::from_utf8(&line[self.tag.name.clone()]);
        let value = TagValue { bytes: &line[self.tag.value.clone()], quotes: self.tag.quotes };
        (name.unwrap_or_default(), value)
    }

    /// The last token, which must be a move, without check marks and annotation glyphs.
    #[inline]
    pub(super) fn move_text(&self) -> &str {
        let bytes = if self.word.is_empty() {
            &self.window.marked()[..self.word_length]
        } else {
            &self.word
        };
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    /// The error of the last token, which must be an unknown sign.
    pub(super) fn sign_error(&mut self) -> FormatError {
        let sign = decoded(&self.window.marked()[..self.word_length]);
        let kind = PgnError::Token(truncated(&sign));
        self.token_error(kind)
    }

    /// The last comment.
    pub(super) fn comment_text(&self) -> Comment<'_> {
        Comment { bytes: &self.comment }
    }

    /// The last token, which must not be a comment, as a comment.
    pub(super) fn token_text(&self) -> Comment<'_> {
        Comment { bytes: self.window.since_mark() }
    }

    /// Returns to the start of the last token, which must not be a comment.
    pub(super) fn rewind(&mut self) {
        self.window.rewind();
    }

    /// Whether the next token is a comment.
    pub(super) fn at_comment(&self) -> bool {
        matches!(self.window.peek(), Some(b'{' | b';'))
    }

    /// An error at the location of the next byte.
    fn error(&mut self, kind: impl Into<ErrorKind>) -> FormatError {
        FormatError::new(self.window.location(), kind)
    }

    /// The location of the last token.
    pub(super) fn token_location(&mut self) -> Location {
        self.window.marked_location()
    }

    /// An error at the location of the last token.
    pub(super) fn token_error(&mut self, kind: impl Into<ErrorKind>) -> FormatError {
        FormatError::new(self.window.marked_location(), kind)
    }

    fn need(&mut self, bytes: usize) -> Result<()> {
        match self.window.need(bytes) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.error(error)),
        }
    }

    /// Advances to the next token.
    pub(super) fn skip_blanks(&mut self) -> Result<()> {
        loop {
            self.need(MAX_TOKEN)?;
            let Some(byte) = self.window.peek() else {
                break;
            };
            match byte {
                b'\n' | b'\r' if ends_line(self.window.rest()) => {
                    self.window.newline();
                    self.lines += 1;
                    self.at_line_start = true;
                }
                _ if ByteClass::of(byte) == ByteClass::Blank => self.window.advance(1),
                b'%' if self.at_line_start => self.skip_line()?,
                0x80.. => match wide_blank(self.window.rest()) {
                    Some(length) => self.window.advance(length),
                    None => break,
                },
                _ => break,
            }
        }
        self.after_empty_line = self.lines > 1;
        self.after_line = self.lines > 0;
        Ok(())
    }

    /// Reads the token after the blanks; `None` for text without meaning.
    #[inline]
    pub(super) fn token(&mut self) -> Result<Option<Token>> {
        match self.read_token() {
            Err(error) if self.keeps_unread => self.unread_token(error),
            read => read,
        }
    }

    #[inline]
    fn read_token(&mut self) -> Result<Option<Token>> {
        self.window.mark();
        let Some(byte) = self.window.peek() else {
            return Ok(Some(Token::End));
        };
        (self.lines, self.at_line_start) = (0, false);
        match ByteClass::of(byte) {
            ByteClass::Letter => self.word(),
            ByteClass::Digit => self.number(),
            ByteClass::Blank => Ok(None),
            ByteClass::Other => self.sign(byte),
        }
    }

    /// A token that starts with a letter: a move, or nothing.
    #[inline]
    fn word(&mut self) -> Result<Option<Token>> {
        let rest = self.window.rest();
        let mut length = 1;
        while rest.get(length).copied().is_some_and(continues_move) {
            length += 1;
        }
        // `e8(Q)`: the parentheses belong to the move.
        let mut skipped = length;
        if let [b'(', piece, b')', ..] = &rest[length..]
            && b"QRBNqrbn".contains(piece)
            && matches!(rest[length - 1], b'1' | b'8')
        {
            let word: Vec<u8> = rest[..length].iter().copied().chain([*piece]).collect();
            self.window.advance(length + 3);
            return self.finish_word(&word);
        }
        if rest.get(length) == Some(&0xe2)
            && let Some((length, word)) = dashed_word(rest)
        {
            self.window.advance(length);
            return self.finish_word(word.as_bytes());
        }
        // `exd6e.p.` and `e.p.`
        let mut end = length;
        if rest[..length].ends_with(b"e") && rest[length..].starts_with(b".p") {
            end -= 1;
            skipped += 2 + usize::from(rest.get(length + 2) == Some(&b'.'));
        }
        if end == 0 {
            self.window.advance(skipped);
            return Ok(None);
        }
        if skipped == length {
            end = sign::move_length(&rest[..length]);
            skipped = end;
        }
        let word = &rest[..end];
        if end > MAX_MOVE {
            let kind = PgnError::Token(truncated(&String::from_utf8_lossy(word)));
            return Err(self.error(kind));
        }
        let token = match word {
            b"ep" => None,
            b"N" => Some(Token::Nag(146)),
            b"D" => Some(Token::Nag(220)),
            b"O-1" => parse_result("O-1").map(Token::Result),
            _ => Some(Token::Move),
        };
        self.word.clear();
        self.word_length = end;
        self.window.advance(skipped);
        self.skip_check_marks();
        self.word_end = self.window.position();
        Ok(token)
    }

    /// A move that is not written so in the text.
    fn finish_word(&mut self, text: &[u8]) -> Result<Option<Token>> {
        self.skip_check_marks();
        self.word_end = self.window.position();
        if text.len() > MAX_MOVE {
            let kind = PgnError::Token(truncated(&String::from_utf8_lossy(text)));
            return Err(self.error(kind));
        }
        self.word.clear();
        self.word.extend_from_slice(text);
        Ok(Some(Token::Move))
    }

    #[inline(always)]
    fn skip_check_marks(&mut self) {
        while let Some(b'+' | b'#') = self.window.peek() {
            // `+-`, `+/-` and `+=` after a move are NAGs.
            let rest = self.window.rest();
            let rest = &rest[..rest.len().min(MAX_SIGN)];
            if sign::nag(&decoded(&rest[..sign::length(rest)])).is_some() {
                break;
            }
            self.window.advance(1);
        }
    }

    /// A token that starts with a digit: a move number, a result, or castling with zeros.
    #[inline]
    fn number(&mut self) -> Result<Option<Token>> {
        let rest = self.window.rest();
        if let Some((length, result)) = spaced_result(rest) {
            self.window.advance(length);
            return Ok(Some(Token::Result(Some(result))));
        }
        let mut number: u32 = 0;
        let mut length = 0;
        while let Some(digit @ b'0'..=b'9') = rest.get(length) {
            number = number.saturating_mul(10).saturating_add(u32::from(digit - b'0'));
            length += 1;
        }
        match rest.get(length) {
            Some(b'.') => {}
            Some(0xe2) if rest[length..].starts_with("…".as_bytes()) => {}
            Some(0x80..) if wide_blank(&rest[length..]).is_some() => {}
            Some(b'-' | b'/' | b':' | 0x80..) => return self.result(),
            _ if matches!(&rest[..length], b"00" | b"000" | b"0000") => {
                let word = rest[..length].to_vec();
                self.window.advance(length);
                return self.finish_word(&word);
            }
            _ => {}
        }
        self.window.advance(length);
        let mut dots: u8 = 0;
        loop {
            match self.window.peek() {
                Some(b'.') => {
                    dots = dots.saturating_add(1);
                    self.window.advance(1);
                }
                // `1. ... e5`
                Some(b' ') if dots == 1 && self.window.peek_at(1) == Some(b'.') => {
                    self.window.advance(1);
                }
                Some(0xe2) if self.window.rest().starts_with("…".as_bytes()) => {
                    dots = dots.saturating_add(3);
                    self.window.advance("…".len());
                }
                _ => return Ok(Some(Token::Number(number, dots))),
            }
        }
    }

    /// A token that starts with digits and a dash, slash, colon or non-ASCII character.
    fn result(&mut self) -> Result<Option<Token>> {
        let rest = self.window.rest();
        let length = wide_word_length(rest);
        let text = decoded(&rest[..length.min(MAX_TOKEN)]).into_owned();
        if let Some(result) = parse_result(&text) {
            self.window.advance(length);
            return Ok(Some(Token::Result(result)));
        }
        if let Some((length, word)) = dashed_word(rest)
            && word.starts_with("0-")
        {
            self.window.advance(length);
            return self.finish_word(word.as_bytes());
        }
        if text.starts_with("0-0") || text.starts_with("0-O") {
            let ascii = rest[..length].iter().take_while(|byte| byte.is_ascii()).count();
            let length = sign::move_length(&rest[..ascii]);
            let castling = rest[..length].to_vec();
            self.window.advance(length);
            return self.finish_word(&castling);
        }
        Err(self.error(PgnError::Token(truncated(&text))))
    }

    /// A token that starts with neither letter nor digit.
    fn sign(&mut self, byte: u8) -> Result<Option<Token>> {
        match byte {
            b'{' => self.comment(),
            b'(' => self.single(Token::VariationStart),
            b')' => self.single(Token::VariationEnd),
            b'*' => self.single(Token::Result(None)),
            b'$' => Ok(Some(self.dollar())),
            b'!' | b'?' => Ok(self.glyph_suffix()),
            b';' => {
                self.window.advance(1);
                let end = self.line_end(MAX_COMMENT)?;
                self.comment.clear();
                self.comment.extend_from_slice(&self.window.rest()[..end]);
                self.window.advance(end);
                Ok(Some(Token::Comment))
            }
            b'[' => self.tag(),
            b'.' | b'#' | b',' => {
                self.window.advance(1);
                Ok(None)
            }
            b'<' => self.reserved(),
            _ if self.window.position() == 0 && is_utf16(self.window.rest()) => {
                Err(self.error(UTF16))
            }
            0 => Err(self.error(ErrorKind::NotText("zero byte"))),
            _ => self.glyph(),
        }
    }

    fn single(&mut self, token: Token) -> Result<Option<Token>> {
        self.window.advance(1);
        Ok(Some(token))
    }

    /// `[Name "value"]` and its common misspellings.
    fn tag(&mut self) -> Result<Option<Token>> {
        if let Some(tag) = read_usual_tag(self.window.rest())
            && tag.length <= MAX_TAG
        {
            return Ok(Some(self.take_tag(tag)));
        }
        let end = self.line_end(MAX_TAG)?;
        self.need(end + MAX_TOKEN)?;
        if let Some(tag) = read_broken_tag(self.window.rest(), end) {
            return Ok(Some(self.take_tag(tag)));
        }
        let line = &self.window.rest()[..end];
        if let Some(tag) = read_tag(line) {
            return Ok(Some(self.take_tag(tag)));
        }
        // `[%clk 0:01:00]` without braces around it.
        if let (Some(b'%'), Some(close)) = (line.get(1), find(line, b"]")) {
            self.comment.clear();
            self.comment.extend_from_slice(&line[..=close]);
            self.window.advance(close + 1);
            return Ok(Some(Token::Comment));
        }
        let text = String::from_utf8_lossy(line).into_owned();
        Err(self.error(PgnError::Token(truncated(&text))))
    }

    fn take_tag(&mut self, tag: TagPair) -> Token {
        self.window.advance_lines(tag.length);
        self.tag = tag;
        Token::Tag
    }

    /// Number of bytes to the end of the line, or to the end of the input.
    fn line_end(&mut self, limit: usize) -> Result<usize> {
        if let Some(length) = self.line_end.checked_sub(self.window.position()).filter(|n| *n > 0) {
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            if length > limit {
                return Err(self.error(ErrorKind::TooLong(limit)));
            }
            self.need(length)?;
            return Ok(length);
        }
        let mut needed = MAX_TOKEN;
        loop {
            self.need(needed)?;
            let rest = self.window.rest();
            let length = match find(rest, LINE_ENDS) {
                Some(end) => end,
                None if rest.len() < needed => rest.len(),
                None if rest.len() > limit => {
                    return Err(self.error(ErrorKind::TooLong(limit)));
                }
                None => {
                    needed = 2 * rest.len();
                    continue;
                }
            };
            self.line_end = self.window.position() + length as u64;
            return Ok(length);
        }
    }

    /// Skips the rest of the line.
    fn skip_line(&mut self) -> Result<()> {
        loop {
            let rest = self.window.rest();
            match find(rest, LINE_ENDS) {
                Some(end) => {
                    self.window.advance(end);
                    return Ok(());
                }
                None => {
                    let length = rest.len();
                    self.window.advance(length);
                    self.need(1)?;
                    if self.window.rest().is_empty() {
                        return Ok(());
                    }
                }
            }
        }
    }
}
