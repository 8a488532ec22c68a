//! Cutting the text of games into tokens.

use super::super::{Fault, FormatError, PgnFault, Place, Result, clipped, parse_result};
use super::class::{Class, continues_move};
use super::source::Source;
use super::tag::{decoded, next_game, one_line, read_tag, starts_tag};
use crate::chess::GameResult;
use std::io::Read;

/// No token but a comment is longer, in bytes.
const LOOK_AHEAD: usize = 256;
/// The longest tag, in bytes.
const TAG_LIMIT: usize = 1 << 16;
/// The longest comment, in bytes.
const COMMENT_LIMIT: usize = 1 << 20;

/// The text of a move: at most so many bytes.
#[derive(Clone, Copy)]
pub(super) struct Word {
    bytes: [u8; Word::ROOM],
    length: u8,
}

impl Word {
    const ROOM: usize = 15;

    fn new(text: &[u8]) -> Option<Word> {
        let mut bytes = [0; Word::ROOM];
        bytes.get_mut(..text.len())?.copy_from_slice(text);
        Some(Word {
            bytes,
            length: text.len() as u8,
        })
    }

    /// Its bytes, all ASCII.
    #[inline(always)]
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// What a text of games consists of.
pub(super) enum Token {
    Tag(String, String),
    /// A move number and how many dots follow it.
    Number(u32, u8),
    /// A move, without marks for check and quality.
    Move(Word),
    Nag(u8),
    Comment(String),
    Open,
    Close,
    Result(Option<GameResult>),
    End,
}

/// Cuts a text into tokens.
pub(super) struct Scanner<R> {
    source: Source<R>,
    /// Line ends passed since the last token.
    lines: u32,
    /// Whether only blanks have been passed since the line began.
    at_line_start: bool,
    /// Whether there was an empty line before the last token, or any line end.
    after_empty_line: bool,
    after_line: bool,
}

impl<R: Read> Scanner<R> {
    pub(super) fn new(input: R) -> Scanner<R> {
        Scanner {
            source: Source::new(input),
            lines: 0,
            at_line_start: true,
            after_empty_line: false,
            after_line: true,
        }
    }

    /// Whether there was an empty line before the last token.
    pub(super) fn after_empty_line(&self) -> bool {
        self.after_empty_line
    }

    /// Whether the last token is the first of its line.
    pub(super) fn after_line(&self) -> bool {
        self.after_line
    }

    /// A fault at the place of the next byte.
    fn error(&mut self, fault: impl Into<Fault>) -> FormatError {
        FormatError::new(self.source.place(), fault)
    }

    /// The place of the last token.
    pub(super) fn token_place(&mut self) -> Place {
        self.source.marked_place()
    }

    /// A fault at the place of the last token.
    pub(super) fn token_error(&mut self, fault: impl Into<Fault>) -> FormatError {
        FormatError::new(self.source.marked_place(), fault)
    }

    fn need(&mut self, bytes: usize) -> Result<()> {
        match self.source.need(bytes) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.error(error)),
        }
    }

    /// Goes on to the next token.
    fn skip_blanks(&mut self) -> Result<()> {
        loop {
            self.need(LOOK_AHEAD)?;
            let Some(byte) = self.source.peek() else {
                break;
            };
            match byte {
                b'\n' => {
                    self.source.newline();
                    self.lines += 1;
                    self.at_line_start = true;
                }
                // A lone carriage return ends a line too, as old files have it.
                b'\r' if !matches!(self.source.peek_at(1), Some(b'\n')) => {
                    self.source.newline();
                    self.lines += 1;
                    self.at_line_start = true;
                }
                _ if Class::of(byte) == Class::Blank => self.source.advance(1),
                b'%' if self.at_line_start => self.skip_line()?,
                0xef if self.source.rest().starts_with("\u{feff}".as_bytes()) => {
                    self.source.advance(3);
                }
                _ => break,
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
            let Some(byte) = self.source.peek() else {
                return Ok(Token::End);
            };
            (self.lines, self.at_line_start) = (0, false);
            self.source.mark();
            let token = match Class::of(byte) {
                Class::Letter => self.word()?,
                Class::Digit => self.number()?,
                Class::Blank => None,
                Class::Other => self.sign(byte)?,
            };
            if let Some(token) = token {
                return Ok(token);
            }
        }
    }

    /// A word that begins with a letter: a move, or nothing.
    #[inline]
    fn word(&mut self) -> Result<Option<Token>> {
        let rest = self.source.rest();
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
            self.source.advance(length + 3);
            return self.finish_word(&word);
        }
        // `exd6e.p.` and `e.p.`
        let mut end = length;
        if rest[..length].ends_with(b"e") && rest[length..].starts_with(b".p") {
            end -= 1;
            skipped += 2 + usize::from(rest.get(length + 2) == Some(&b'.'));
        }
        if end == 0 {
            self.source.advance(skipped);
            return Ok(None);
        }
        let Some(word) = Word::new(&rest[..end]) else {
            let text = String::from_utf8_lossy(&rest[..end]);
            let fault = PgnFault::Token(clipped(&text));
            return Err(self.error(fault));
        };
        self.source.advance(skipped);
        self.skip_check_marks();
        Ok(match word.bytes() {
            b"ep" => None,
            b"N" => Some(Token::Nag(146)),
            b"D" => Some(Token::Nag(220)),
            _ => Some(Token::Move(word)),
        })
    }

    fn finish_word(&mut self, text: &[u8]) -> Result<Option<Token>> {
        self.skip_check_marks();
        match Word::new(text) {
            Some(word) => Ok(Some(Token::Move(word))),
            None => {
                let text = String::from_utf8_lossy(text).into_owned();
                Err(self.error(PgnFault::Token(clipped(&text))))
            }
        }
    }

    #[inline(always)]
    fn skip_check_marks(&mut self) {
        while let Some(b'+' | b'#') = self.source.peek() {
            // `+-`, `+/-` and `+=` after a move judge the position.
            if matches!(self.source.peek_at(1), Some(b'-' | b'/' | b'=')) {
                break;
            }
            self.source.advance(1);
        }
    }

    /// What begins with a digit: a number, a result, or castling with zeros.
    #[inline]
    fn number(&mut self) -> Result<Option<Token>> {
        let rest = self.source.rest();
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
            Some(b'-' | b'/' | b':' | 0x80..) => return self.result(),
            _ if rest[..length] == *b"0000" => {
                self.source.advance(length);
                return self.finish_word(b"--");
            }
            _ => {}
        }
        self.source.advance(length);
        let mut dots: u8 = 0;
        loop {
            match self.source.peek() {
                Some(b'.') => {
                    dots = dots.saturating_add(1);
                    self.source.advance(1);
                }
                // `1. ... e5`
                Some(b' ') if dots == 1 && self.source.peek_at(1) == Some(b'.') => {
                    self.source.advance(1);
                }
                Some(0xe2) if self.source.rest().starts_with("…".as_bytes()) => {
                    dots = dots.saturating_add(3);
                    self.source.advance("…".len());
                }
                _ => return Ok(Some(Token::Number(number, dots))),
            }
        }
    }

    /// What begins with a digit and goes on with a dash, slash or the like.
    fn result(&mut self) -> Result<Option<Token>> {
        let rest = self.source.rest();
        let belongs = |byte: &u8| continues_move(*byte) || *byte >= 0x80;
        let length = rest.iter().position(|b| !belongs(b)).unwrap_or(rest.len());
        let text = decoded(&rest[..length.min(LOOK_AHEAD)]);
        if let Some(result) = parse_result(&text) {
            self.source.advance(length);
            return Ok(Some(Token::Result(result)));
        }
        if text.starts_with("0-0") || text.starts_with("0-O") {
            self.source.advance(length);
            return self.finish_word(text.as_bytes());
        }
        Err(self.error(PgnFault::Token(clipped(&text))))
    }

    /// What begins with neither letter nor digit.
    fn sign(&mut self, byte: u8) -> Result<Option<Token>> {
        match byte {
            b'{' => self.comment().map(Some),
            b'(' => self.single(Token::Open),
            b')' => self.single(Token::Close),
            b'*' => self.single(Token::Result(None)),
            b'$' => Ok(Some(self.nag())),
            b'!' | b'?' => Ok(self.quality()),
            b';' => {
                self.source.advance(1);
                let end = self.line_end(COMMENT_LIMIT)?;
                let text = decoded(&self.source.rest()[..end]);
                self.source.advance(end);
                Ok(Some(Token::Comment(text.trim().to_owned())))
            }
            b'[' => self.tag(),
            b'.' | b'#' | b',' => {
                self.source.advance(1);
                Ok(None)
            }
            b'<' => self.reserved(),
            0 => Err(self.error(Fault::NotText("it has a zero byte"))),
            _ => self.glyph(),
        }
    }

    fn single(&mut self, token: Token) -> Result<Option<Token>> {
        self.source.advance(1);
        Ok(Some(token))
    }

    /// `$14`
    fn nag(&mut self) -> Token {
        self.source.advance(1);
        let mut number: u8 = 0;
        while let Some(digit @ b'0'..=b'9') = self.source.peek() {
            number = number.saturating_mul(10).saturating_add(digit - b'0');
            self.source.advance(1);
        }
        Token::Nag(number)
    }

    /// `!`, `??` …
    fn quality(&mut self) -> Option<Token> {
        let is_mark = |byte: &u8| matches!(byte, b'!' | b'?');
        let length = self.source.rest().iter().take_while(|b| is_mark(b)).count();
        let nag = match &self.source.rest()[..length] {
            b"!" => Some(1),
            b"?" => Some(2),
            [b'!', b'!', ..] => Some(3),
            [b'?', b'?', ..] => Some(4),
            b"!?" => Some(5),
            b"?!" => Some(6),
            _ => None,
        };
        self.source.advance(length);
        nag.map(Token::Nag)
    }

    /// `<…>`, reserved by the standard: passed over to the end of the line at most.
    fn reserved(&mut self) -> Result<Option<Token>> {
        let end = self.line_end(COMMENT_LIMIT)?;
        let rest = &self.source.rest()[..end];
        let length = rest
            .iter()
            .position(|b| *b == b'>')
            .map_or(end, |at| at + 1);
        self.source.advance(length);
        Ok(None)
    }

    /// Signs of other kinds: judgements of the position, a pass, figurines, one half.
    fn glyph(&mut self) -> Result<Option<Token>> {
        let rest = self.source.rest();
        let is_part = |byte: &u8| b"+-=/~|^#".contains(byte) || *byte >= 0x80;
        let length = rest.iter().position(|b| !is_part(b)).unwrap_or(rest.len());
        let length = length.clamp(1, LOOK_AHEAD.min(rest.len()));
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
                self.source.advance(length);
                return Ok(None);
            }
            "--" | "–" => {
                self.source.advance(length);
                return self.finish_word(b"--");
            }
            _ => return self.unusual(&text),
        };
        self.source.advance(length);
        Ok(Some(Token::Nag(nag)))
    }

    /// A figurine before a move, a half in a result, or nothing known.
    fn unusual(&mut self, text: &str) -> Result<Option<Token>> {
        let rest = self.source.rest();
        let belongs = |byte: &u8| continues_move(*byte) || *byte >= 0x80;
        let length = rest.iter().position(|b| !belongs(b)).unwrap_or(rest.len());
        let word = decoded(&rest[..length.min(LOOK_AHEAD)]);
        if word == "@@@@" {
            self.source.advance(length);
            return self.finish_word(b"--");
        }
        if let Some(result) = parse_result(&word) {
            self.source.advance(length);
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
                self.source.advance(length);
                self.finish_word(format!("{letter}{letters}").as_bytes())
            }
            _ => {
                let shown = if word.is_empty() { text } else { &word };
                let fault = PgnFault::Token(clipped(shown));
                Err(self.error(fault))
            }
        }
    }

    /// `{…}`. A comment that runs into the tags of a game was never closed.
    fn comment(&mut self) -> Result<Token> {
        let opening = self.source.place();
        self.source.advance(1);
        let mut text = Vec::new();
        let mut wanted = LOOK_AHEAD;
        loop {
            self.need(wanted)?;
            let rest = self.source.rest();
            let closing = rest.iter().position(|b| *b == b'}');
            let part = &rest[..closing.unwrap_or(rest.len())];
            if let Some(tag) = next_game(part) {
                self.source.advance_lines(tag);
                (self.lines, self.at_line_start) = (1, true);
                return Err(FormatError::new(opening, PgnFault::CommentNotClosed));
            }
            let ended = closing.is_none() && rest.len() < wanted;
            // An unfinished line is left for the next round, so that tags are seen whole.
            let length = match part.iter().rposition(|b| *b == b'\n') {
                _ if closing.is_some() || ended => part.len(),
                None | Some(0) if part.len() < TAG_LIMIT => {
                    wanted = 2 * rest.len().max(LOOK_AHEAD);
                    continue;
                }
                None | Some(0) => part.len(),
                Some(line_end) => line_end,
            };
            if text.len() + length > COMMENT_LIMIT {
                self.source.advance_lines(length);
                return Err(FormatError::new(opening, Fault::TooLong(COMMENT_LIMIT)));
            }
            text.extend_from_slice(&part[..length]);
            self.source.advance_lines(length);
            if closing.is_some() {
                self.source.advance(1);
            }
            if closing.is_some() || ended {
                return Ok(Token::Comment(one_line(&decoded(&text))));
            }
            wanted = LOOK_AHEAD;
        }
    }

    /// `[Name "value"]`, and what people write for it.
    fn tag(&mut self) -> Result<Option<Token>> {
        let end = self.line_end(TAG_LIMIT)?;
        let line = &self.source.rest()[..end];
        let Some((length, name, value)) = read_tag(line) else {
            // `[%clk 0:01:00]` where a comment should be around it.
            if let (Some(b'%'), Some(close)) = (line.get(1), line.iter().position(|b| *b == b']')) {
                self.source.advance(close + 1);
                return Ok(None);
            }
            let text = String::from_utf8_lossy(line).into_owned();
            return Err(self.error(PgnFault::Token(clipped(&text))));
        };
        self.source.advance(length);
        Ok(Some(Token::Tag(name, value)))
    }

    /// How many bytes there are to the end of the line.
    fn line_end(&mut self, limit: usize) -> Result<usize> {
        let mut wanted = LOOK_AHEAD;
        loop {
            self.need(wanted)?;
            let rest = self.source.rest();
            if let Some(end) = rest.iter().position(|b| matches!(b, b'\n' | b'\r')) {
                return Ok(end);
            }
            if rest.len() < wanted {
                return Ok(rest.len());
            }
            if rest.len() > limit {
                return Err(self.error(Fault::TooLong(limit)));
            }
            wanted = 2 * rest.len();
        }
    }

    /// Passes over the rest of the line.
    fn skip_line(&mut self) -> Result<()> {
        loop {
            let rest = self.source.rest();
            match rest.iter().position(|b| matches!(b, b'\n' | b'\r')) {
                Some(end) => {
                    self.source.advance(end);
                    return Ok(());
                }
                None => {
                    let length = rest.len();
                    self.source.advance(length);
                    self.need(1)?;
                    if self.source.rest().is_empty() {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Passes over the rest of a game: to the line of the next tag, or behind a result at the end of
    /// a line before an empty line or a first move.
    pub(super) fn skip_game(&mut self) -> Result<()> {
        self.need(LOOK_AHEAD)?;
        if self.at_line_start && starts_tag(self.source.rest()) {
            return Ok(());
        }
        loop {
            let mut tail = Vec::new();
            // The rest of the line, of which only the end matters.
            loop {
                self.need(LOOK_AHEAD)?;
                let rest = self.source.rest();
                let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                tail.extend_from_slice(&rest[..end]);
                let cut = tail.len().saturating_sub(16);
                tail.drain(..cut);
                let (empty, whole) = (rest.is_empty(), end < rest.len());
                self.source.advance(end);
                if whole || empty {
                    break;
                }
            }
            if self.source.peek().is_none() {
                return Ok(());
            }
            self.source.newline();
            (self.lines, self.at_line_start) = (1, true);
            self.need(LOOK_AHEAD)?;
            let next = self.source.rest();
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
