//! Reads the moves of a game, in constant memory.

use super::super::{ErrorKind, FormatError, Location, PgnError, Result};
use super::reader::Start;
use super::scanner::Scanner;
use super::text::Comment;
use super::token::Token;
use super::visitor::{Visit, Visitor};
use saavedra_chess::SanError;
use std::io::Read;

/// Maximum nesting depth of variations.
const MAX_DEPTH: usize = 256;

/// The main line or a variation that is being read.
#[derive(Clone, Copy)]
pub(super) struct Line {
    /// Number of plies before the next, by the move numbers.
    pub(super) plies: u64,
    /// Whether the line has a ply.
    pub(super) has_ply: bool,
}

/// The rest of a line, which is skipped.
pub(super) struct Skipped {
    /// Number of open parentheses in it.
    pub(super) open: usize,
    /// Whether the visitor knows of the variation.
    pub(super) is_visited: bool,
    /// Whether its text is a comment.
    pub(super) is_kept: bool,
}

/// Reports an error after which the game goes on.
pub(super) fn report<V: Visitor>(mut error: FormatError, game: u64, visitor: &mut V) -> Result<()> {
    error.location.game = Some(game);
    visitor.error(error)
}

/// The movetext of a game that is being read.
pub(super) struct Movetext<'a, R, V> {
    pub(super) scanner: &'a mut Scanner<R>,
    pub(super) visitor: &'a mut V,
    pub(super) game: u64,
    pub(super) start: Start,
    pub(super) line: Line,
    /// The lines around the current variation, and where the variation in each of them begins.
    pub(super) outer: Vec<(Line, Location)>,
    pub(super) skipped: Option<Skipped>,
    /// Whether what is refused is kept as comments.
    pub(super) keeps: bool,
    /// Whether a move was read or refused.
    pub(super) has_moves: bool,
    /// Whether the result has been read.
    pub(super) ended: bool,
}

impl<R: Read, V: Visitor> Movetext<'_, R, V> {
    /// Reads a token; `false` if it starts the next game, to which the scanner then returns.
    #[inline]
    pub(super) fn next(&mut self) -> Result<bool> {
        self.scanner.skip_blanks()?;
        if self.scanner.at_comment()
            && self.ended
            && self.outer.is_empty()
            && self.scanner.after_empty_line()
        {
            return Ok(false);
        }
        let Some(token) = self.scanner.token()? else {
            return Ok(true);
        };
        if self.starts_next_game(token) {
            self.scanner.rewind();
            if let Some(skipped) = &mut self.skipped {
                skipped.open = 0;
            }
            let openings: Vec<Location> = self.outer.iter().map(|(_, opening)| *opening).collect();
            for opening in openings {
                self.report(FormatError::new(opening, PgnError::VariationNotClosed))?;
            }
            while !self.outer.is_empty() {
                self.close()?;
            }
            return Ok(false);
        }
        self.keep_skipped(token);
        match token {
            Token::Move => self.ply()?,
            Token::VariationStart => self.open()?,
            Token::VariationEnd => self.close()?,
            Token::Comment => self.comment()?,
            Token::Result(result) if self.in_main_line() => {
                self.visitor.result(result);
                self.ended = true;
                if let (Some(tag), Some(end)) = (self.start.result, result)
                    && tag != end
                {
                    let error = self.scanner.token_error(PgnError::Results(tag, end));
                    self.report(error)?;
                }
            }
            _ if self.skipped.is_some() => {}
            Token::UnknownSign => {
                if self.keeps {
                    self.visitor.comment(self.scanner.token_text());
                }
                let error = self.scanner.sign_error();
                self.report(error)?;
            }
            Token::Nag(nag) => self.visitor.nag(nag),
            // `(1-0)` after a move is the result, too.
            Token::Result(result) if self.outer.len() == 1 && !self.line.has_ply => {
                self.visitor.result(result);
            }
            Token::Result(Some(_)) | Token::Tag => {
                self.visitor.comment(self.scanner.token_text());
            }
            _ => {}
        }
        Ok(true)
    }

    /// Whether the next token stands in no parentheses.
    fn in_main_line(&self) -> bool {
        self.outer.is_empty() && self.skipped.as_ref().is_none_or(|skipped| skipped.open == 0)
    }

    /// Makes a token of a skipped line a comment, if the line is kept.
    fn keep_skipped(&mut self, token: Token) {
        let is_kept = |skipped: &Skipped| match token {
            Token::Comment => false,
            Token::Result(_) => !self.outer.is_empty() || skipped.open > 0,
            Token::VariationEnd => skipped.open > 0,
            _ => true,
        };
        if self.skipped.as_ref().is_some_and(|skipped| skipped.is_kept && is_kept(skipped)) {
            self.visitor.comment(self.scanner.token_text());
        }
    }

    fn comment(&mut self) -> Result<()> {
        let unread = self.scanner.take_unread();
        let comment = self.scanner.comment_text();
        match (&self.skipped, unread) {
            (None, None) => self.visitor.comment(comment),
            (None, Some(error)) => {
                self.visitor.comment(comment);
                return self.report(error);
            }
            (Some(skipped), _) if !skipped.is_kept => {}
            (Some(_), Some(_)) => self.visitor.comment(comment),
            (Some(_), None) => {
                let mut text = vec![b'('];
                text.extend_from_slice(comment.bytes());
                text.push(b')');
                self.visitor.comment(Comment { bytes: &text });
            }
        }
        Ok(())
    }

    /// Whether a token is the end of the text or starts the next game, which may have no tags.
    #[inline]
    fn starts_next_game(&self, token: Token) -> bool {
        let in_line = !self.ended || !self.outer.is_empty();
        // A move number with one dot is White's.
        let continues = |number: u32, dots: u8| {
            u64::from(number) == self.line.plies / 2 + 1
                && (dots != 1 || self.line.plies.is_multiple_of(2))
        };
        match token {
            Token::End => true,
            // `[D30]` or `[White resigns]` is an annotation.
            Token::Tag if in_line && self.has_moves => {
                self.scanner.after_line() || self.scanner.has_quoted_tag()
            }
            Token::Tag => true,
            Token::Number(number, dots) if in_line => {
                let begins = number == 1 && dots < 2 && self.line.has_ply;
                begins && self.scanner.after_empty_line() && !continues(number, dots)
            }
            _ if in_line => false,
            Token::Number(number, dots) => {
                self.scanner.after_empty_line() || !continues(number, dots)
            }
            Token::Move => self.scanner.after_line(),
            _ => false,
        }
    }

    #[inline]
    fn ply(&mut self) -> Result<()> {
        if self.skipped.is_some() {
            if self.outer.is_empty() {
                self.ended = false;
                self.line.plies += 1;
            }
            return Ok(());
        }
        // Databases write this result if both sides lost.
        let may_be_result = !self.has_moves && self.scanner.move_text() == "0-0";
        if may_be_result && (self.ended || !self.start.has_fen) {
            self.ended = true;
            return Ok(());
        }
        self.ended = false;
        match self.visitor.san(self.scanner.move_text()) {
            Ok(()) => {}
            Err(_) if may_be_result => {
                self.ended = true;
                return Ok(());
            }
            Err(kind) if self.keeps && is_no_move(&kind) => {
                self.visitor.comment(self.scanner.token_text());
                let error = self.scanner.token_error(kind);
                return self.report(error);
            }
            Err(kind) => {
                self.refuse(kind, true)?;
                self.line.plies += 1;
                self.keep_skipped(Token::Move);
                return Ok(());
            }
        }
        self.has_moves = true;
        self.line = Line { plies: self.line.plies + 1, has_ply: true };
        Ok(())
    }

    /// An error in the main line ends the game, one in a variation ends that variation.
    fn refuse(&mut self, kind: impl Into<ErrorKind>, is_visited: bool) -> Result<()> {
        let error = self.scanner.token_error(kind);
        if self.outer.is_empty() && !self.keeps {
            return Err(error);
        }
        self.skipped = Some(Skipped { open: 0, is_visited, is_kept: self.keeps });
        self.has_moves = true;
        self.report(error)
    }

    fn report(&mut self, error: FormatError) -> Result<()> {
        report(error, self.game, self.visitor)
    }

    fn open(&mut self) -> Result<()> {
        if let Some(skipped) = &mut self.skipped {
            skipped.open += 1;
            return Ok(());
        }
        if self.outer.len() >= MAX_DEPTH {
            let kind = PgnError::TooDeep(MAX_DEPTH);
            if !self.keeps {
                return Err(self.scanner.token_error(kind));
            }
            self.refuse(kind, true)?;
            self.keep_skipped(Token::VariationStart);
            return self.open();
        }
        let outer = self.line;
        self.outer.push((outer, self.scanner.token_location()));
        if !outer.has_ply {
            return self.refuse(PgnError::VariationWithoutMove, false);
        }
        self.line = Line { plies: outer.plies - 1, has_ply: false };
        if self.visitor.begin_variation() == Visit::Skip {
            self.skipped = Some(Skipped { open: 0, is_visited: false, is_kept: false });
        }
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        if let Some(skipped) = self.skipped.as_mut().filter(|skipped| skipped.open > 0) {
            skipped.open -= 1;
            return Ok(());
        }
        let Some((outer, _)) = self.outer.pop() else {
            let error = self.scanner.token_error(PgnError::CloseWithoutOpen);
            return self.report(error);
        };
        if self.skipped.take().is_none_or(|skipped| skipped.is_visited) {
            self.visitor.end_variation();
        }
        self.line = outer;
        Ok(())
    }
}

/// Whether the text of a refused move is a word such as `resigns`, after which the moves go on.
fn is_no_move(kind: &ErrorKind) -> bool {
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    matches!(kind, ErrorKind::San(SanError::NotAMove(text), _) if !has_digit(text))
}
