//! Tokens that start with neither letter nor digit: glyphs, signs, null moves, figurines.

use super::super::super::diagram::{is_invisible, piece_of_symbol};
use super::super::super::{PgnError, Result, parse_result, truncated};
use super::super::byte_class::wide_word_length;
use super::super::sign;
use super::super::text::decoded;
use super::super::token::Token;
use super::{MAX_TOKEN, Scanner};
use std::io::Read;

impl<R: Read> Scanner<R> {
    /// `$14`
    pub(super) fn dollar(&mut self) -> Token {
        let digits = self.window.rest()[1..].iter().take_while(|b| b.is_ascii_digit()).count();
        let number = decoded(&self.window.rest()[1..=digits]).parse();
        self.window.advance(1 + digits);
        self.word_length = 1 + digits;
        number.map_or(Token::UnknownSign, Token::Nag)
    }

    /// `!`, `??` …
    pub(super) fn glyph_suffix(&mut self) -> Option<Token> {
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

    /// Annotation glyphs, null moves, figurines, results with a half sign.
    pub(super) fn glyph(&mut self) -> Result<Option<Token>> {
        let rest = self.window.rest();
        let length = sign::length(rest).clamp(1, MAX_TOKEN.min(rest.len()));
        let text = decoded(&rest[..length]).into_owned();
        let is_glued = self.window.position() == self.word_end;
        let token = match sign::nag(&text) {
            Some(nag) => Some(Token::Nag(nag)),
            None if sign::is_check_mark(&text) => None,
            None if sign::is_null_move(&text) && !is_glued => {
                self.window.advance(length);
                return self.finish_word(b"--");
            }
            None => return self.unusual(&text),
        };
        self.window.advance(length);
        Ok(token)
    }

    /// A move with a figurine, or a result with a half sign.
    fn unusual(&mut self, text: &str) -> Result<Option<Token>> {
        let rest = self.window.rest();
        let length = wide_word_length(rest);
        let word = decoded(&rest[..length.min(MAX_TOKEN)]).into_owned();
        if word == "@@@@" {
            self.window.advance(length);
            return self.finish_word(b"--");
        }
        if let Some(result) = parse_result(&word) {
            self.window.advance(length);
            return Ok(Some(Token::Result(result)));
        }
        let mut characters = word.chars();
        let first = characters.find(|c| !is_invisible(*c));
        let tail = characters.as_str().trim_start_matches(is_invisible);
        let letters = &tail[..tail.find(|c: char| !c.is_ascii()).unwrap_or(tail.len())];
        let letters = &letters[..sign::move_length(letters.as_bytes())];
        if let Some(piece) = first.and_then(piece_of_symbol)
            && !letters.is_empty()
        {
            let letter = piece.kind.letter().to_ascii_uppercase();
            self.window.advance(word.len() - tail.len() + letters.len());
            return self.finish_word(format!("{letter}{letters}").as_bytes());
        }
        let sign = sign::length(rest);
        if sign >= length.max(1) && !text.contains(char::is_alphanumeric) {
            self.word_length = sign.min(MAX_TOKEN);
            self.window.advance(self.word_length);
            return Ok(Some(Token::UnknownSign));
        }
        let shown = if word.is_empty() { text } else { &word };
        let kind = PgnError::Token(truncated(shown));
        Err(self.error(kind))
    }
}
