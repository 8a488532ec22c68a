//! Splits PGN text into tokens.

use super::super::{
    ErrorKind, FormatError, Location, PgnError, Result, count_steps, parse_result, truncated,
};
use super::byte_class::{ByteClass, continues_move};
use super::tag::{
    before_line_ends, decoded, ends_line, is_line_end, next_game, one_line, read_tag, starts_tag,
};
use super::token::{SanToken, Token};
use super::window::Window;
use std::io::Read;

/// Maximum length in bytes of a token other than comments and tags.
const MAX_TOKEN: usize = 256;
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
    /// Whether the value of the last tag pair is in quotation marks.
    has_quoted_tag: bool,
    /// The position of a line end that was found ahead, so that a line is searched once.
    line_end: u64,
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(input: R) -> Scanner<R> {
        Scanner {
            window: Window::new(input),
            lines: 0,
            at_line_start: true,
            after_empty_line: false,
            after_line: true,
            has_quoted_tag: false,
            line_end: 0,
        }
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
        self.has_quoted_tag
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
    fn skip_blanks(&mut self) -> Result<()> {
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
                _ => match wide_blank(self.window.rest()) {
                    Some(length) => self.window.advance(length),
                    None => break,
                },
            }
        }
        self.after_empty_line = self.lines > 1;
        self.after_line = self.lines > 0;
        Ok(())
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token> {
        loop {
            self.skip_blanks()?;
            let Some(byte) = self.window.peek() else {
                return Ok(Token::End);
            };
            (self.lines, self.at_line_start) = (0, false);
            self.window.mark();
            let token = match ByteClass::of(byte) {
                ByteClass::Letter => self.word()?,
                ByteClass::Digit => self.number()?,
                ByteClass::Blank => None,
                ByteClass::Other => self.sign(byte)?,
            };
            if let Some(token) = token {
                return Ok(token);
            }
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
        let Some(word) = SanToken::new(&rest[..end]) else {
            let text = String::from_utf8_lossy(&rest[..end]);
            let kind = PgnError::Token(truncated(&text));
            return Err(self.error(kind));
        };
        self.window.advance(skipped);
        self.skip_check_marks();
        Ok(match word.bytes() {
            b"ep" => None,
            b"N" => Some(Token::Nag(146)),
            b"D" => Some(Token::Nag(220)),
            b"O-1" => parse_result("O-1").map(Token::Result),
            _ => Some(Token::Move(word)),
        })
    }

    fn finish_word(&mut self, text: &[u8]) -> Result<Option<Token>> {
        self.skip_check_marks();
        match SanToken::new(text) {
            Some(word) => Ok(Some(Token::Move(word))),
            None => {
                let text = String::from_utf8_lossy(text).into_owned();
                Err(self.error(PgnError::Token(truncated(&text))))
            }
        }
    }

    #[inline(always)]
    fn skip_check_marks(&mut self) {
        while let Some(b'+' | b'#') = self.window.peek() {
            // `+-`, `+/-` and `+=` after a move are NAGs.
            if matches!(self.window.peek_at(1), Some(b'-' | b'/' | b'=')) {
                break;
            }
            self.window.advance(1);
        }
    }

    /// A token that starts with a digit: a move number, a result, or castling with zeros.
    #[inline]
    fn number(&mut self) -> Result<Option<Token>> {
        let rest = self.window.rest();
        let mut number: u32 = 0;
        let mut length = 0;
        while let Some(digit @ b'0'..=b'9') = rest.get(length) {
            number = number
                .saturating_mul(10)
                .saturating_add(u32::from(digit - b'0'));
            length += 1;
        }
        match rest.get(length) {
            Some(b'.') => {}
            Some(0xe2) if rest[length..].starts_with("…".as_bytes()) => {}
            Some(0x80..) if wide_blank(&rest[length..]).is_some() => {}
            Some(b'-' | b'/' | b':' | 0x80..) => return self.result(),
            _ if rest[..length] == *b"0000" => {
                self.window.advance(length);
                return self.finish_word(b"--");
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
        let text = decoded(&rest[..length.min(MAX_TOKEN)]);
        if let Some(result) = parse_result(&text) {
            self.window.advance(length);
            return Ok(Some(Token::Result(result)));
        }
        if text.starts_with("0-0") || text.starts_with("0-O") {
            self.window.advance(length);
            return self.finish_word(text.as_bytes());
        }
        Err(self.error(PgnError::Token(truncated(&text))))
    }

    /// A token that starts with neither letter nor digit.
    fn sign(&mut self, byte: u8) -> Result<Option<Token>> {
        match byte {
            b'{' => self.comment().map(Some),
            b'(' => self.single(Token::VariationStart),
            b')' => self.single(Token::VariationEnd),
            b'*' => self.single(Token::Result(None)),
            b'$' => Ok(Some(self.nag())),
            b'!' | b'?' => Ok(self.glyph_suffix()),
            b';' => {
                self.window.advance(1);
                let end = self.line_end(MAX_COMMENT)?;
                let text = decoded(&self.window.rest()[..end]);
                self.window.advance(end);
                Ok(Some(Token::Comment(text.trim().to_owned())))
            }
            b'[' => self.tag(),
            b'.' | b'#' | b',' => {
                self.window.advance(1);
                Ok(None)
            }
            b'<' => self.reserved(),
            0 => Err(self.error(ErrorKind::NotText("zero byte"))),
            _ => self.glyph(),
        }
    }

    fn single(&mut self, token: Token) -> Result<Option<Token>> {
        self.window.advance(1);
        Ok(Some(token))
    }

    /// `$14`
    fn nag(&mut self) -> Token {
        self.window.advance(1);
        let mut number: u8 = 0;
        while let Some(digit @ b'0'..=b'9') = self.window.peek() {
            number = number.saturating_mul(10).saturating_add(digit - b'0');
            self.window.advance(1);
        }
        Token::Nag(number)
    }

    /// `!`, `??` …
    fn glyph_suffix(&mut self) -> Option<Token> {
        let is_mark = |byte: &u8| matches!(byte, b'!' | b'?');
        let length = self.window.rest().iter().take_while(|b| is_mark(b)).count();
        let nag = match &self.window.rest()[..length] {
            b"!" => Some(1),
            b"?" => Some(2),
            [b'!', b'!', ..] => Some(3),
            [b'?', b'?', ..] => Some(4),
            b"!?" => Some(5),
            b"?!" => Some(6),
            _ => None,
        };
        self.window.advance(length);
        nag.map(Token::Nag)
    }

    /// `<…>`, reserved by the standard: skipped, at most to the end of the line.
    fn reserved(&mut self) -> Result<Option<Token>> {
        let end = self.line_end(MAX_COMMENT)?;
        let rest = &self.window.rest()[..end];
        let length = rest
            .iter()
            .position(|b| *b == b'>')
            .map_or(end, |at| at + 1);
        count_steps(length);
        self.window.advance(length);
        Ok(None)
    }

    /// Annotation glyphs, null moves, figurines, results with a half sign.
    fn glyph(&mut self) -> Result<Option<Token>> {
        let rest = self.window.rest();
        let is_part = |byte: &u8| b"+-=/~|^#".contains(byte) || *byte >= 0x80;
        let length = rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
        let length = length.clamp(1, MAX_TOKEN.min(rest.len()));
        let text = decoded(&rest[..length]);
        let nag = match text.as_str() {
            "=" => 10,
            "~" | "∞" => 13,
            "+=" | "+/=" | "⩲" => 14,
            "=+" | "=/+" | "⩱" => 15,
            "+/-" | "±" => 16,
            "-/+" | "∓" => 17,
            "+-" | "+−" => 18,
            "-+" | "−+" => 19,
            "□" => 7,
            "↑" => 36,
            "→" => 40,
            "⇆" | "⇄" => 132,
            "⨀" | "⊙" => 22,
            "+" | "++" | "#" | "†" | "‡" | "…" | "∆" | "⌓" => {
                self.window.advance(length);
                return Ok(None);
            }
            "--" | "–" => {
                self.window.advance(length);
                return self.finish_word(b"--");
            }
            _ => return self.unusual(&text),
        };
        self.window.advance(length);
        Ok(Some(Token::Nag(nag)))
    }

    /// A move with a figurine, or a result with a half sign.
    fn unusual(&mut self, text: &str) -> Result<Option<Token>> {
        let rest = self.window.rest();
        let length = wide_word_length(rest);
        let word = decoded(&rest[..length.min(MAX_TOKEN)]);
        if word == "@@@@" {
            self.window.advance(length);
            return self.finish_word(b"--");
        }
        if let Some(result) = parse_result(&word) {
            self.window.advance(length);
            return Ok(Some(Token::Result(result)));
        }
        let mut characters = word
            .chars()
            .filter(|c| !super::super::diagram::is_invisible(*c));
        let first = characters.next();
        let piece = first.and_then(super::super::diagram::piece_of_symbol);
        let letters: String = characters.collect();
        match piece {
            Some(piece) if letters.is_ascii() && !letters.is_empty() => {
                let letter = piece.kind.letter().to_ascii_uppercase();
                self.window.advance(length);
                self.finish_word(format!("{letter}{letters}").as_bytes())
            }
            _ => {
                let shown = if word.is_empty() { text } else { &word };
                let kind = PgnError::Token(truncated(shown));
                Err(self.error(kind))
            }
        }
    }

    /// `{…}`. A comment is not closed if it contains the tags of the next game or the end of the text.
    fn comment(&mut self) -> Result<Token> {
        let opening = self.window.location();
        self.window.advance(1);
        let mut text = Vec::new();
        let mut wanted = MAX_TOKEN;
        loop {
            self.need(wanted)?;
            let rest = self.window.rest();
            let closing = rest.iter().position(|b| *b == b'}');
            count_steps(closing.unwrap_or(rest.len()));
            let part = &rest[..closing.unwrap_or(rest.len())];
            if let Some(tag) = next_game(part) {
                self.window.advance_lines(tag);
                (self.lines, self.at_line_start) = (1, true);
                return Err(FormatError::new(opening, PgnError::CommentNotClosed));
            }
            let ended = closing.is_none() && rest.len() < wanted;
            // An incomplete line is left for the next round, with the line ends before it, so that a tag
            // is not split.
            let last_line = part.iter().rposition(is_line_end);
            let length = match last_line.map(|end| before_line_ends(&part[..end])) {
                _ if closing.is_some() || ended => part.len(),
                None | Some(0) if part.len() < MAX_TAG => {
                    wanted = 2 * rest.len().max(MAX_TOKEN);
                    continue;
                }
                None | Some(0) => part.len(),
                Some(line_end) => line_end,
            };
            if text.len() + length > MAX_COMMENT {
                self.window.advance_lines(length);
                return Err(FormatError::new(opening, ErrorKind::TooLong(MAX_COMMENT)));
            }
            text.extend_from_slice(&part[..length]);
            self.window.advance_lines(length);
            if closing.is_some() {
                self.window.advance(1);
                return Ok(Token::Comment(one_line(&decoded(&text))));
            }
            if ended {
                return Err(FormatError::new(opening, PgnError::CommentNotClosed));
            }
            wanted = MAX_TOKEN;
        }
    }

    /// `[Name "value"]` and its common misspellings.
    fn tag(&mut self) -> Result<Option<Token>> {
        let end = self.line_end(MAX_TAG)?;
        let line = &self.window.rest()[..end];
        let Some((length, name, value)) = read_tag(line) else {
            // `[%clk 0:01:00]` without a comment around it.
            if let (Some(b'%'), Some(close)) = (line.get(1), line.iter().position(|b| *b == b']')) {
                self.window.advance(close + 1);
                return Ok(None);
            }
            let text = String::from_utf8_lossy(line).into_owned();
            return Err(self.error(PgnError::Token(truncated(&text))));
        };
        self.has_quoted_tag = line[..length].contains(&b'"');
        self.window.advance(length);
        Ok(Some(Token::Tag(name, value)))
    }

    /// Number of bytes to the end of the line, or to the end of the input.
    fn line_end(&mut self, limit: usize) -> Result<usize> {
        if let Some(length) = self
            .line_end
            .checked_sub(self.window.position())
            .filter(|n| *n > 0)
        {
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
            let end = rest.iter().position(is_line_end);
            count_steps(end.unwrap_or(rest.len()));
            let length = match end {
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
            match rest.iter().position(is_line_end) {
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

    /// Skips the rest of a game: up to the next line with a tag, or past a result at the end of a
    /// line that an empty line or a first move follows.
    pub(super) fn skip_game(&mut self) -> Result<()> {
        self.need(MAX_TOKEN)?;
        if self.at_line_start && starts_tag(self.window.rest()) {
            return Ok(());
        }
        loop {
            let mut tail = Vec::new();
            // Of the rest of the line only the last bytes are kept.
            loop {
                self.need(MAX_TOKEN)?;
                let rest = self.window.rest();
                let end = rest.iter().position(is_line_end);
                let end = end.unwrap_or(rest.len());
                tail.extend_from_slice(&rest[..end]);
                let cut = tail.len().saturating_sub(16);
                tail.drain(..cut);
                let (empty, whole) = (rest.is_empty(), end < rest.len());
                self.window.advance(end);
                if whole || empty {
                    break;
                }
            }
            self.need(2)?;
            if self.window.peek() == Some(b'\r') && self.window.peek_at(1) == Some(b'\n') {
                self.window.advance(1);
            }
            if self.window.peek().is_none() {
                return Ok(());
            }
            self.window.newline();
            (self.lines, self.at_line_start) = (1, true);
            self.need(MAX_TOKEN)?;
            let next = self.window.rest();
            let ended = ends_in_result(&tail)
                && (matches!(next, [] | [b'\n', ..] | [b'\r', ..]) || next.starts_with(b"1."));
            if ended || starts_tag(next) {
                return Ok(());
            }
        }
    }
}

fn ends_in_result(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let word = text.split_whitespace().last();
    word.is_some_and(|word| parse_result(word).is_some())
}

/// The length of a blank beyond ASCII at the start of a text, as in texts copied from web pages: a
/// no-break, thin or zero-width space, or a byte order mark.
fn wide_blank(rest: &[u8]) -> Option<usize> {
    let start = &rest[..rest.len().min(4)];
    let first = start.utf8_chunks().next()?.valid().chars().next()?;
    let is_zero_width = matches!(first, '\u{200b}' | '\u{2060}' | '\u{feff}');
    (!first.is_ascii() && (first.is_whitespace() || is_zero_width)).then(|| first.len_utf8())
}

/// The length of a word that may have characters beyond ASCII.
fn wide_word_length(rest: &[u8]) -> usize {
    let is_end = |at: &usize| match rest[*at] {
        0x80.. => wide_blank(&rest[*at..]).is_some(),
        byte => !continues_move(byte),
    };
    (0..rest.len()).find(is_end).unwrap_or(rest.len())
}
