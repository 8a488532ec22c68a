//! Reads games and checks every move.

use super::super::{
    Document, ErrorKind, FormatError, Location, NodeId, PgnError, Result, parse_result,
};
use super::ply::parse_ply;
use super::scanner::Scanner;
use super::token::{SanToken, Token};
use saavedra_chess::{Board, Color, Setup};
use std::collections::HashSet;
use std::io::Read;

/// Maximum nesting depth of variations.
const MAX_DEPTH: usize = 256;
/// Maximum number of tag pairs of a game.
const MAX_TAGS: usize = 1000;
/// Maximum number of errors of a game that does not end with the first one.
const MAX_ERRORS: usize = 1000;
/// Maximum number of plies of a game, in the main line and all variations.
const MAX_PLIES: usize = 1 << 20;

/// An iterator over the games of a text.
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
    /// The first token of the next game, if it has been read.
    pending: Option<Token>,
    games: u64,
    ended: bool,
    keep_prefixes: bool,
}

impl<R: Read> Reader<R> {
    /// A reader of the games of a text.
    pub fn new(input: R) -> Reader<R> {
        Reader {
            scanner: Scanner::new(input),
            pending: None,
            games: 0,
            ended: false,
            keep_prefixes: false,
        }
    }

    /// Keeps the legal moves before an error in the movetext, instead of refusing the game. The
    /// error is then in the document's errors.
    #[must_use]
    pub fn keep_prefixes(mut self) -> Reader<R> {
        self.keep_prefixes = true;
        self
    }

    fn token(&mut self) -> Result<Token> {
        match self.pending.take() {
            Some(token) => Ok(token),
            None => self.scanner.next(),
        }
    }

    /// The next game; `None` at the end of the text.
    fn game(&mut self) -> Result<Option<Document>> {
        let mut tags = Tags::default();
        let mut token = self.token()?;
        let location = self.scanner.token_location();
        let mut comment = String::new();
        let mut has_comment_after_tags = false;
        loop {
            match token {
                // Two of three signs tell that a tag belongs to the next game, and this game has no
                // moves: it is repeated, it follows an empty line, it follows a comment.
                Token::Tag(name, value)
                    if u8::from(tags.has(&name))
                        + u8::from(self.scanner.after_empty_line())
                        + u8::from(has_comment_after_tags)
                        < 2 =>
                {
                    let location = self.scanner.token_location();
                    tags.add(name, value, location)?;
                }
                Token::Comment(text) => {
                    has_comment_after_tags = !tags.list.is_empty();
                    if !comment.is_empty() {
                        comment.push(' ');
                    }
                    comment += &text;
                }
                Token::End if tags.list.is_empty() => return Ok(None),
                _ => break,
            }
            token = self.scanner.next()?;
        }
        let mut document = match tags.document() {
            Ok(document) => document,
            Err(error) => {
                self.pending = Some(token).filter(|token| matches!(token, Token::Tag(..)));
                return Err(error);
            }
        };
        document.location = location;
        document.tree.node_mut(NodeId::ROOT).comment = comment;
        self.movetext(document, token).map(Some)
    }

    /// Reads the movetext of a game, which starts with this token.
    fn movetext(&mut self, document: Document, first: Token) -> Result<Document> {
        let mut movetext = Movetext::new(document);
        match self.read_movetext(&mut movetext, first) {
            Ok(()) => {}
            Err(error) if self.keep_prefixes => {
                self.skip_after(&error);
                movetext.document.errors.push(error);
            }
            Err(error) => return Err(error),
        }
        Ok(movetext.document)
    }

    fn read_movetext(&mut self, movetext: &mut Movetext, first: Token) -> Result<()> {
        let mut token = first;
        loop {
            if let Flow::GameEnd(token) = movetext.take(token, &mut self.scanner)? {
                self.pending = Some(token);
                return Ok(());
            }
            token = self.scanner.next()?;
        }
    }

    /// Goes on to the next game after an error.
    fn skip_after(&mut self, error: &FormatError) {
        let is_fatal = matches!(error.kind, ErrorKind::Read(_) | ErrorKind::NotText(_));
        self.ended = is_fatal || (self.pending.is_none() && self.scanner.skip_game().is_err());
    }
}

impl<R: Read> Iterator for Reader<R> {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Result<Document>> {
        if self.ended {
            return None;
        }
        self.games += 1;
        let mut read = self.game();
        if let Err(error) = &mut read {
            error.location.game = Some(self.games);
            self.skip_after(error);
        }
        if let Ok(Some(document)) = &mut read {
            document.location.game = Some(self.games);
            for kind in &mut document.errors {
                kind.location.game = Some(self.games);
            }
        }
        self.ended |= matches!(read, Ok(None));
        read.transpose()
    }
}

/// The tag pairs of a game.
#[derive(Default)]
struct Tags {
    list: Vec<(String, String)>,
    names: HashSet<String>,
    /// Locations of the tags whose values may be refused.
    fen: Option<Location>,
    variant: Option<Location>,
}

impl Tags {
    fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let found = self
            .list
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    fn add(&mut self, name: String, value: String, location: Location) -> Result<()> {
        if name.eq_ignore_ascii_case("FEN") {
            self.fen = Some(location);
        } else if name.eq_ignore_ascii_case("Variant") {
            self.variant = Some(location);
        }
        if !self.names.insert(name.clone()) {
            return Ok(());
        }
        if self.list.len() == MAX_TAGS {
            let kind = PgnError::TooManyTags(MAX_TAGS);
            return Err(FormatError::new(location, kind));
        }
        self.list.push((name, value));
        Ok(())
    }

    /// A game without moves, with the tags' start position.
    fn document(self) -> Result<Document> {
        let variant = self.value("Variant").unwrap_or_default();
        let Some(chess960) = is_chess960(variant) else {
            let kind = PgnError::Variant(super::super::truncated(variant));
            return Err(FormatError::new(self.variant.unwrap_or_default(), kind));
        };
        let mut document = match self.value("FEN").filter(|fen| !fen.trim().is_empty()) {
            None => Document::new(Board::startpos()),
            Some(fen) => {
                let location = self.fen.unwrap_or_default();
                let refused = |kind: ErrorKind| FormatError::new(location, kind);
                let setup = Setup::from_fen(fen).map_err(|error| refused(error.into()))?;
                Document::from_setup(&setup).map_err(|error| refused(error.into()))?
            }
        };
        document.chess960 |= chess960;
        document.result = self.value("Result").and_then(parse_result).flatten();
        document.tags = self.list;
        Ok(document)
    }
}

/// Whether a value of the tag `Variant` is Chess960; `None` if it is neither that nor standard
/// chess.
pub(super) fn is_chess960(variant: &str) -> Option<bool> {
    let is_letter = |c: &char| c.is_ascii_alphanumeric();
    let name: String = variant.chars().filter(is_letter).collect();
    match name.to_ascii_lowercase().as_str() {
        "" | "standard" | "normal" | "chess" | "fromposition" | "regular" | "orthodox" | "none" => {
            Some(false)
        }
        "frc" | "dfrc" => Some(true),
        name if ["960", "fische", "freestyle"]
            .iter()
            .any(|part| name.contains(part)) =>
        {
            Some(true)
        }
        _ => None,
    }
}

/// The effect of a token.
enum Flow {
    /// The game continues.
    Continue,
    /// The game ended before this token.
    GameEnd(Token),
}

/// The state of the main line or a variation that is being read.
#[derive(Clone, Copy)]
struct Variation {
    /// The last ply.
    node: NodeId,
    /// The position before it.
    before: Board,
    /// The position after it.
    board: Board,
    /// Whether the line has a ply.
    has_ply: bool,
}

/// The movetext of a game that is being read.
struct Movetext {
    document: Document,
    line: Variation,
    /// The lines around the current variation, and where the variation in each of them begins.
    outer: Vec<(Variation, Location)>,
    /// Depth of a variation whose rest is skipped after an error.
    skipping: Option<usize>,
    /// The comment before the first ply of a variation.
    comment: String,
    /// The NAGs before the first ply of a variation.
    nags: Vec<u8>,
    /// Whether the result has been read.
    ended: bool,
}

impl Movetext {
    fn new(document: Document) -> Movetext {
        let board = *document.tree.start();
        Movetext {
            document,
            line: Variation {
                node: NodeId::ROOT,
                before: board,
                board,
                has_ply: false,
            },
            outer: Vec::new(),
            skipping: None,
            comment: String::new(),
            nags: Vec::new(),
            ended: false,
        }
    }

    #[inline]
    fn take<R: Read>(&mut self, token: Token, scanner: &mut Scanner<R>) -> Result<Flow> {
        if self.starts_next_game(&token, scanner) {
            for (_, opening) in std::mem::take(&mut self.outer) {
                self.add_error(FormatError::new(opening, PgnError::VariationNotClosed))?;
            }
            return Ok(Flow::GameEnd(token));
        }
        match token {
            Token::Move(word) => self.ply(word, scanner)?,
            Token::VariationStart => self.open(scanner)?,
            Token::VariationEnd => self.close(scanner)?,
            Token::Comment(text) => self.comment(&text),
            Token::Nag(nag) if self.skipping.is_none() => {
                if self.line.has_ply || self.outer.is_empty() {
                    self.document.tree.node_mut(self.line.node).nags.push(nag);
                } else {
                    self.nags.push(nag);
                }
            }
            Token::Result(result) if self.outer.is_empty() => {
                // `*` at the end does not overrule the tag `Result`.
                if result.is_some() {
                    self.document.result = result;
                }
                self.ended = true;
            }
            _ => {}
        }
        Ok(Flow::Continue)
    }

    /// Whether a token is the end of the text or starts the next game, which may have no tags.
    fn starts_next_game<R: Read>(&self, token: &Token, scanner: &Scanner<R>) -> bool {
        let in_line = !self.ended || !self.outer.is_empty();
        let board = &self.line.board;
        // A move number with one dot is White's.
        let continues = |number: u32, dots: u8| {
            number == board.fullmove_number() && (dots != 1 || board.turn() == Color::White)
        };
        match token {
            Token::End => true,
            // `[D30]` or `[White resigns]` is an annotation.
            Token::Tag(..) if in_line && !self.document.tree.is_empty() => {
                scanner.after_line() || scanner.has_quoted_tag()
            }
            Token::Tag(..) => true,
            Token::Number(number, dots) if in_line => {
                let begins = *number == 1 && *dots < 2 && self.line.has_ply;
                begins && scanner.after_empty_line() && !continues(*number, *dots)
            }
            _ if in_line => false,
            Token::Number(number, dots) => scanner.after_empty_line() || !continues(*number, *dots),
            Token::Move(_) => scanner.after_line(),
            Token::Comment(_) => scanner.after_empty_line(),
            _ => false,
        }
    }

    #[inline]
    fn ply<R: Read>(&mut self, word: SanToken, scanner: &mut Scanner<R>) -> Result<()> {
        if self.skipping.is_some() {
            return Ok(());
        }
        // Databases write this result if both sides lost.
        let may_be_result = word.bytes() == b"0-0" && self.document.tree.is_empty();
        if may_be_result && self.ended {
            return Ok(());
        }
        self.ended = false;
        let ply = match parse_ply(&self.line.board, word.as_str()) {
            Ok(ply) => ply,
            Err(_) if may_be_result => {
                self.ended = true;
                return Ok(());
            }
            Err(kind) => return self.error(scanner.token_error(kind)),
        };
        if self.document.tree.len() >= MAX_PLIES {
            return Err(scanner.token_error(PgnError::TooLong(MAX_PLIES)));
        }
        let node = self.document.tree.add(self.line.node, ply);
        if !self.comment.is_empty() || !self.nags.is_empty() {
            let node = self.document.tree.node_mut(node);
            node.starting_comment = std::mem::take(&mut self.comment);
            node.starting_nags = std::mem::take(&mut self.nags);
        }
        self.line = Variation {
            node,
            before: self.line.board,
            board: ply.make(&self.line.board),
            has_ply: true,
        };
        Ok(())
    }

    /// An error in the main line ends the game, one in a variation ends that variation.
    fn error(&mut self, error: FormatError) -> Result<()> {
        if self.outer.is_empty() {
            return Err(error);
        }
        self.skipping = Some(self.outer.len());
        self.add_error(error)
    }

    /// Adds an error after which the game goes on.
    fn add_error(&mut self, error: FormatError) -> Result<()> {
        if self.document.errors.len() == MAX_ERRORS {
            let kind = PgnError::TooManyErrors(MAX_ERRORS);
            return Err(FormatError::new(error.location, kind));
        }
        self.document.errors.push(error);
        Ok(())
    }

    fn open<R: Read>(&mut self, scanner: &mut Scanner<R>) -> Result<()> {
        if self.outer.len() >= MAX_DEPTH {
            return Err(scanner.token_error(PgnError::TooDeep(MAX_DEPTH)));
        }
        let outer = self.line;
        self.outer.push((outer, scanner.token_location()));
        if self.skipping.is_some() {
            return Ok(());
        }
        match self
            .document
            .tree
            .parent(outer.node)
            .filter(|_| outer.has_ply)
        {
            None => self.error(scanner.token_error(PgnError::VariationWithoutMove)),
            Some(parent) => {
                self.line = Variation {
                    node: parent,
                    before: outer.before,
                    board: outer.before,
                    has_ply: false,
                };
                Ok(())
            }
        }
    }

    fn close<R: Read>(&mut self, scanner: &mut Scanner<R>) -> Result<()> {
        let Some((outer, _)) = self.outer.pop() else {
            return self.add_error(scanner.token_error(PgnError::CloseWithoutOpen));
        };
        if self.skipping.is_some_and(|depth| depth > self.outer.len()) {
            self.skipping = None;
        } else if !self.comment.is_empty() {
            // The variation has no ply.
            let node = self.document.tree.node_mut(outer.node);
            node.add_comment(&self.comment);
        }
        self.line = outer;
        self.comment.clear();
        self.nags.clear();
        Ok(())
    }

    fn comment(&mut self, text: &str) {
        if self.skipping.is_some() {
            return;
        }
        if self.line.has_ply || self.outer.is_empty() {
            self.document
                .tree
                .node_mut(self.line.node)
                .add_comment(text);
            return;
        }
        if !self.comment.is_empty() {
            self.comment.push(' ');
        }
        self.comment += text;
    }
}
