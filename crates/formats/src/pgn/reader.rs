//! Reads games one by one, in constant memory.

use super::super::{Document, ErrorKind, FormatError, Location, PgnError, Result, parse_result};
use super::scanner::Scanner;
use super::text::Comment;
use super::token::Token;
use super::tree_builder::TreeBuilder;
use super::visitor::{Visit, Visitor};
use saavedra_chess::{Color, GameResult, SanError, Setup};
use std::io::Read;

/// Maximum nesting depth of variations.
const MAX_DEPTH: usize = 256;
/// Maximum number of tag pairs of a game.
const MAX_TAGS: usize = 1000;

/// Reads the games of a text of any length.
///
/// [`read_game`](Reader::read_game) passes the parts of a game to a [`Visitor`], which may skip
/// variations and whole games. The iterator reads whole games with all their moves checked.
///
/// A malformed game or one with an illegal move is an error with its location; reading continues
/// with the next game. An illegal move in a variation only ends that variation and is added to the
/// document's errors.
///
/// ```
/// use saavedra_formats::pgn::Reader;
///
/// let text = "1. e4 e5 2. Ke3 *\n\n[White \"Ann\"]\n\n1. d4 d5 1-0";
/// let games: Vec<_> = Reader::new(text.as_bytes()).collect();
/// let error = games[0].as_ref().unwrap_err();
/// assert_eq!((error.location.line, error.location.column), (Some(1), Some(13)));
/// assert_eq!(games[1].as_ref().unwrap().tree.len(), 2);
/// ```
pub struct Reader<R> {
    scanner: Scanner<R>,
    /// Whether the scanner has returned to the start of the next game.
    at_game: bool,
    games: u64,
    ended: bool,
    keep_prefixes: bool,
    keep_everything: bool,
    /// Hashes of the names of the tags of the game.
    names: Vec<u64>,
}

impl<R: Read> Reader<R> {
    /// A reader of the games of a text.
    pub fn new(input: R) -> Reader<R> {
        Reader {
            scanner: Scanner::new(input),
            at_game: false,
            games: 0,
            ended: false,
            keep_prefixes: false,
            keep_everything: false,
            names: Vec::new(),
        }
    }

    /// Makes the iterator keep the legal moves before an error in the movetext, instead of refusing
    /// the game. The error is then in the document's errors.
    #[must_use]
    pub fn keep_prefixes(mut self) -> Reader<R> {
        self.keep_prefixes = true;
        self
    }

    /// Makes the reader refuse nothing for what is in it, so that a game can be shown and saved without
    /// loss: text that is not a move is a comment, and so are an illegal move and the rest of its line,
    /// or all moves if the start position is refused. The errors are in the document's errors.
    ///
    /// ```
    /// use saavedra_formats::pgn::{Reader, write};
    ///
    /// let mut games = Reader::new("1. e4 e5 2. Ke3 {oops} Nf6 *".as_bytes()).keep_everything();
    /// let game = games.next().unwrap().unwrap();
    /// assert_eq!(game.errors.len(), 1);
    /// assert!(write(&game).ends_with("1. e4 e5 {Ke3 (oops) Nf6} *\n"));
    /// ```
    #[must_use]
    pub fn keep_everything(mut self) -> Reader<R> {
        self.keep_everything = true;
        self.scanner.keep_unread();
        self
    }

    /// Reads the next game; `false` at the end of the text.
    ///
    /// # Errors
    /// The text cannot be read, the game is malformed, or the visitor refuses it. The next call
    /// reads the next game.
    ///
    /// ```
    /// use saavedra_formats::pgn::{Reader, TagValue, Visit, Visitor};
    /// use saavedra_formats::ErrorKind;
    ///
    /// /// Counts Ann's games, and the moves in them.
    /// #[derive(Default)]
    /// struct Counter { games: u32, is_anns: bool, moves: u32 }
    ///
    /// impl Visitor for Counter {
    ///     fn tag(&mut self, name: &str, value: TagValue<'_>) -> Result<(), ErrorKind> {
    ///         self.is_anns |= name == "White" && value.decode() == "Ann";
    ///         Ok(())
    ///     }
    ///     fn end_tags(&mut self) -> Visit {
    ///         if std::mem::take(&mut self.is_anns) { Visit::Read } else { Visit::Skip }
    ///     }
    ///     fn begin_variation(&mut self) -> Visit {
    ///         Visit::Skip
    ///     }
    ///     fn san(&mut self, _: &str) -> Result<(), ErrorKind> {
    ///         self.moves += 1;
    ///         Ok(())
    ///     }
    ///     fn end_game(&mut self) {
    ///         self.games += 1;
    ///     }
    /// }
    ///
    /// let text = "[White \"Ann\"]\n\n1. d4 (1. c4) d5 *\n\n[White \"Bob\"]\n\n1. e4 *";
    /// let (mut reader, mut counter) = (Reader::new(text.as_bytes()), Counter::default());
    /// while reader.read_game(&mut counter)? {}
    /// assert_eq!((counter.games, counter.moves), (1, 2));
    /// # Ok::<(), saavedra_formats::FormatError>(())
    /// ```
    pub fn read_game<V: Visitor>(&mut self, visitor: &mut V) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        self.games += 1;
        self.at_game = false;
        let mut read = self.game(visitor);
        if let Err(error) = &mut read {
            error.location.game = Some(self.games);
            self.ended = error.is_fatal() || (!self.at_game && self.scanner.recover().is_err());
        }
        self.ended |= matches!(read, Ok(false));
        read
    }

    /// Skips the next game, its tags and its moves; `false` at the end of the text.
    ///
    /// # Errors
    /// The text cannot be read, or the tags are malformed.
    pub fn skip_game(&mut self) -> Result<bool> {
        struct SkipMoves;
        impl Visitor for SkipMoves {
            fn end_tags(&mut self) -> Visit {
                Visit::Skip
            }
        }
        self.read_game(&mut SkipMoves)
    }

    fn game<V: Visitor>(&mut self, visitor: &mut V) -> Result<bool> {
        let Some(start) = self.tags(visitor)? else {
            return Ok(false);
        };
        if visitor.end_tags() == Visit::Skip {
            if !self.at_game {
                self.scanner.skip_game()?;
            }
            return Ok(true);
        }
        self.at_game = false;
        let mut movetext = Movetext {
            scanner: &mut self.scanner,
            visitor,
            game: self.games,
            start,
            line: Line { plies: start.plies, has_ply: false },
            outer: Vec::new(),
            skipped: start.is_refused.then_some(Skipped {
                open: 0,
                is_visited: false,
                is_kept: true,
            }),
            keeps: self.keep_everything,
            has_moves: start.is_refused,
            ended: false,
        };
        while movetext.next()? {}
        self.at_game = true;
        visitor.end_game();
        Ok(true)
    }

    /// Reads the tags of a game and the comments among them, up to the first other token; `None` at
    /// the end of the text.
    fn tags<V: Visitor>(&mut self, visitor: &mut V) -> Result<Option<Start>> {
        self.names.clear();
        let mut tags = Tags {
            names: &mut self.names,
            has_comment_after: false,
            start: Start::default(),
            refused: None,
            keeps: self.keep_everything,
        };
        let mut begun = false;
        loop {
            self.scanner.skip_blanks()?;
            let Some(token) = self.scanner.token()? else {
                continue;
            };
            if !begun && !matches!(token, Token::End) {
                visitor.begin_game(Location {
                    game: Some(self.games),
                    ..self.scanner.token_location()
                });
                begun = true;
            }
            match token {
                Token::Tag if !tags.begin_next_game(&self.scanner) => {
                    tags.add(&mut self.scanner, visitor)?;
                }
                Token::Comment => {
                    tags.has_comment_after = !tags.names.is_empty();
                    visitor.comment(self.scanner.comment_text());
                    if let Some(error) = self.scanner.take_unread() {
                        report(error, self.games, visitor)?;
                    }
                }
                Token::End if tags.names.is_empty() => return Ok(None),
                token => {
                    self.at_game = matches!(token, Token::Tag | Token::End);
                    break;
                }
            }
        }
        self.scanner.rewind();
        match tags.refused {
            Some(error) if self.keep_everything => {
                report(error, self.games, visitor)?;
                Ok(Some(Start { is_refused: true, ..tags.start }))
            }
            Some(error) => Err(error),
            None => Ok(Some(tags.start)),
        }
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Result<Document>> {
        let mut builder = TreeBuilder::new(self.keep_everything);
        match self.read_game(&mut builder) {
            Ok(false) => None,
            Ok(true) => Some(Ok(builder.document())),
            Err(error) if self.keep_everything || (self.keep_prefixes && builder.has_tags()) => {
                let mut document = builder.document();
                document.errors.push(error);
                Some(Ok(document))
            }
            Err(error) => Some(Err(error)),
        }
    }
}

/// Where the moves of a game start.
#[derive(Clone, Copy, Default)]
struct Start {
    /// Number of plies before the first, by the move number.
    plies: u64,
    /// Whether there is a tag with the position.
    has_fen: bool,
    /// The result by its tag.
    result: Option<GameResult>,
    /// Whether a tag is refused, so that no move can be read.
    is_refused: bool,
}

/// The tag pairs of a game that have been read.
struct Tags<'a> {
    /// Hashes of their names.
    names: &'a mut Vec<u64>,
    has_comment_after: bool,
    start: Start,
    /// The error of the first tag that was refused.
    refused: Option<FormatError>,
    /// Whether the tags after it are visited.
    keeps: bool,
}

impl Tags<'_> {
    /// Whether the last tag belongs to the next game, while this one has no moves. Two of three
    /// signs tell: it is repeated, it follows an empty line, it follows a comment.
    fn begin_next_game<R: Read>(&self, scanner: &Scanner<R>) -> bool {
        let signs = u8::from(scanner.after_empty_line()) + u8::from(self.has_comment_after);
        signs == 2 || (signs == 1 && self.names.contains(&hash(scanner.tag_pair().0)))
    }

    /// Adds the last tag.
    fn add<R: Read, V: Visitor>(
        &mut self,
        scanner: &mut Scanner<R>,
        visitor: &mut V,
    ) -> Result<()> {
        let (name, value) = scanner.tag_pair();
        let hash = hash(name);
        if self.names.contains(&hash) {
            return Ok(());
        }
        if self.names.len() == MAX_TAGS {
            return Err(scanner.token_error(PgnError::TooManyTags(MAX_TAGS)));
        }
        self.names.push(hash);
        if name.eq_ignore_ascii_case("FEN")
            && !self.start.has_fen
            && let Ok(setup) = Setup::from_fen(&value.decode())
        {
            let moves = u64::from(setup.fullmove_number().max(1)) - 1;
            self.start.plies = 2 * moves + u64::from(setup.turn() == Color::Black);
            self.start.has_fen = true;
        }
        if name.eq_ignore_ascii_case("Result") && self.start.result.is_none() {
            self.start.result = parse_result(&value.decode()).flatten();
        }
        if (self.keeps || self.refused.is_none())
            && let Err(kind) = visitor.tag(name, value)
        {
            let error = scanner.token_error(kind);
            self.refused.get_or_insert(error);
        }
        Ok(())
    }
}

/// A hash of the name of a tag (FNV-1a).
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The main line or a variation that is being read.
#[derive(Clone, Copy)]
struct Line {
    /// Number of plies before the next, by the move numbers.
    plies: u64,
    /// Whether the line has a ply.
    has_ply: bool,
}

/// The rest of a line, which is skipped.
struct Skipped {
    /// Number of open parentheses in it.
    open: usize,
    /// Whether the visitor knows of the variation.
    is_visited: bool,
    /// Whether its text is a comment.
    is_kept: bool,
}

/// Reports an error after which the game goes on.
fn report<V: Visitor>(mut error: FormatError, game: u64, visitor: &mut V) -> Result<()> {
    error.location.game = Some(game);
    visitor.error(error)
}

/// The movetext of a game that is being read.
struct Movetext<'a, R, V> {
    scanner: &'a mut Scanner<R>,
    visitor: &'a mut V,
    game: u64,
    start: Start,
    line: Line,
    /// The lines around the current variation, and where the variation in each of them begins.
    outer: Vec<(Line, Location)>,
    skipped: Option<Skipped>,
    /// Whether what is refused is kept as comments.
    keeps: bool,
    /// Whether a move was read or refused.
    has_moves: bool,
    /// Whether the result has been read.
    ended: bool,
}

impl<R: Read, V: Visitor> Movetext<'_, R, V> {
    /// Reads a token; `false` if it starts the next game, to which the scanner then returns.
    #[inline]
    fn next(&mut self) -> Result<bool> {
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
