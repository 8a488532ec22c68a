//! Reads comments, and other text as comments.

use super::super::super::{ErrorKind, FormatError, PgnError, Result, find};
use super::super::tag::{LINE_ENDS, before_line_ends, next_game};
use super::super::token::Token;
use super::{MAX_COMMENT, MAX_TAG, MAX_TOKEN, Scanner};
use std::io::Read;

impl<R: Read> Scanner<R> {
    /// `{…}`. A comment is not closed if it contains the tags of the next game or the end of the text.
    pub(super) fn comment(&mut self) -> Result<Option<Token>> {
        self.comment.clear();
        let rest = &self.window.rest()[1..];
        if let Some(length) = find(rest, b"}\n\r")
            && rest[length] == b'}'
            && length <= MAX_COMMENT
        {
            self.comment.extend_from_slice(&rest[..length]);
            self.window.advance(length + 2);
            return Ok(Some(Token::Comment));
        }
        self.long_comment()
    }

    /// A comment of several lines.
    fn long_comment(&mut self) -> Result<Option<Token>> {
        let opening = self.window.location();
        self.window.advance(1);
        let mut wanted = MAX_TOKEN;
        loop {
            self.need(wanted)?;
            let rest = self.window.rest();
            let closing = find(rest, b"}");
            let part = &rest[..closing.unwrap_or(rest.len())];
            if let Some(tag) = next_game(part) {
                self.comment.extend_from_slice(&part[..tag]);
                self.window.advance_lines(tag);
                (self.lines, self.at_line_start) = (1, true);
                return Err(FormatError::new(opening, PgnError::CommentNotClosed));
            }
            let ended = closing.is_none() && rest.len() < wanted;
            let length = if closing.is_some() || ended {
                part.len()
            } else {
                // An incomplete line is left for the next round, with the line ends before it, so
                // that a tag is not split.
                let last_line = part.iter().rposition(|b| LINE_ENDS.contains(b));
                match last_line.map(|end| before_line_ends(&part[..end])) {
                    None | Some(0) if part.len() < MAX_TAG => {
                        wanted = 2 * rest.len().max(MAX_TOKEN);
                        continue;
                    }
                    None | Some(0) => part.len(),
                    Some(line_end) => line_end,
                }
            };
            if self.comment.len() + length > MAX_COMMENT {
                self.window.advance_lines(length);
                return Err(FormatError::new(opening, ErrorKind::TooLong(MAX_COMMENT)));
            }
            self.comment.extend_from_slice(&part[..length]);
            self.window.advance_lines(length);
            if closing.is_some() {
                self.window.advance(1);
                return Ok(Some(Token::Comment));
            }
            if ended {
                return Err(FormatError::new(opening, PgnError::CommentNotClosed));
            }
            wanted = MAX_TOKEN;
        }
    }

    /// `<…>`, reserved by the standard: a comment, at most to the end of the line.
    pub(super) fn reserved(&mut self) -> Result<Option<Token>> {
        let end = self.line_end(MAX_COMMENT)?;
        let line = &self.window.rest()[..end];
        let length = find(line, b">").map_or(end, |at| at + 1);
        self.comment.clear();
        self.comment.extend_from_slice(&line[..length]);
        self.window.advance(length);
        Ok(Some(Token::Comment))
    }

    /// A comment for text that is no token, up to a blank or a bracket.
    #[cold]
    pub(super) fn unread_token(&mut self, error: FormatError) -> Result<Option<Token>> {
        match error.kind {
            ErrorKind::Pgn(PgnError::Token(_)) => {
                self.window.rewind();
                let rest = self.window.rest();
                let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"{}();".contains(byte);
                let length = rest.iter().position(is_end).unwrap_or(rest.len());
                let length = length.clamp(1, MAX_TOKEN.min(rest.len()));
                self.comment.clear();
                self.comment.extend_from_slice(&rest[..length]);
                self.window.advance(length);
            }
            // Its text has been read.
            ErrorKind::Pgn(PgnError::CommentNotClosed) => {}
            _ => return Err(error),
        }
        self.unread = Some(error);
        Ok(Some(Token::Comment))
    }
}
