//! Reads games one by one, in constant memory.

use super::super::{Document, FormatError, Location, PgnError, Result, parse_result};
use super::movetext::{Line, Movetext, Skipped, report};
use super::scanner::Scanner;
use super::token::Token;
use super::tree_builder::TreeBuilder;
use super::visitor::{Visit, Visitor};
use saavedra_chess::{Color, GameResult, Setup};
use std::io::Read;

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
pub(super) struct Start {
    /// Number of plies before the first, by the move number.
    pub(super) plies: u64,
    /// Whether there is a tag with the position.
    pub(super) has_fen: bool,
    /// The result by its tag.
    pub(super) result: Option<GameResult>,
    /// Whether a tag is refused, so that no move can be read.
    pub(super) is_refused: bool,
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
