//! Reading games, one after another, with every move checked.

use super::super::{Document, Fault, FormatError, NodeId, PgnFault, Place, Result, parse_result};
use super::san;
use super::token::{Scanner, Token, Word};
use crate::chess::{Board, Color, Setup};
use std::io::Read;

/// How deep variations may be nested.
const DEPTH_LIMIT: usize = 256;
/// How many steps a game may have in all its lines.
const STEP_LIMIT: usize = 1 << 20;

/// Reads games one after another: an iterator of documents.
///
/// A game that cannot be taken gives an error with its place, and reading goes on with the next. An
/// illegal move in a variation only ends that variation, and is among the document's faults.
///
/// ```
/// use saavedra::formats::pgn::Reader;
///
/// let text = "1. e4 e5 2. Ke3 *\n\n[White \"Ann\"]\n\n1. d4 d5 1-0";
/// let games: Vec<_> = Reader::new(text.as_bytes()).collect();
/// let error = games[0].as_ref().unwrap_err();
/// assert_eq!((error.place.line, error.place.column), (Some(1), Some(13)));
/// assert_eq!(games[1].as_ref().unwrap().tree.len(), 2);
/// ```
pub struct Reader<R> {
    scanner: Scanner<R>,
    /// A token that belongs to the next game.
    pending: Option<Token>,
    games: u64,
    ended: bool,
}

impl<R: Read> Reader<R> {
    /// A reader of the games in a text.
    pub fn new(input: R) -> Reader<R> {
        Reader {
            scanner: Scanner::new(input),
            pending: None,
            games: 0,
            ended: false,
        }
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
        let place = self.scanner.token_place();
        let mut opening = String::new();
        loop {
            match token {
                // A tag that is there already belongs to the next game: this one has no moves.
                Token::Tag(name, value)
                    if !(tags.has(&name) && self.scanner.after_empty_line()) =>
                {
                    let place = self.scanner.token_place();
                    tags.add(name, value, place);
                }
                Token::Comment(text) if tags.list.is_empty() => {
                    if !opening.is_empty() {
                        opening.push(' ');
                    }
                    opening += &text;
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
        document.place = place;
        document.tree.node_mut(NodeId::ROOT).comment = opening;
        self.moves(document, token).map(Some)
    }

    /// Reads the moves of a game, of which this is the first token.
    fn moves(&mut self, document: Document, first: Token) -> Result<Document> {
        let mut movetext = Movetext::new(document);
        let mut token = first;
        loop {
            if let Flow::Ended(token) = movetext.take(token, &mut self.scanner)? {
                self.pending = Some(token);
                return Ok(movetext.document);
            }
            token = self.scanner.next()?;
        }
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
            error.place.game = Some(self.games);
            let lost = matches!(error.fault, Fault::Read(_) | Fault::NotText(_));
            self.ended = lost || (self.pending.is_none() && self.scanner.skip_game().is_err());
        }
        if let Ok(Some(document)) = &mut read {
            document.place.game = Some(self.games);
            for fault in &mut document.faults {
                fault.place.game = Some(self.games);
            }
        }
        self.ended |= matches!(read, Ok(None));
        read.transpose()
    }
}

/// The tags of a game.
#[derive(Default)]
struct Tags {
    list: Vec<(String, String)>,
    /// Where the tags are that may be refused.
    fen: Option<Place>,
    variant: Option<Place>,
}

impl Tags {
    fn has(&self, name: &str) -> bool {
        self.list.iter().any(|(known, _)| known == name)
    }

    fn value(&self, name: &str) -> Option<&str> {
        let found = self
            .list
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    fn add(&mut self, name: String, value: String, place: Place) {
        if name.eq_ignore_ascii_case("FEN") {
            self.fen = Some(place);
        } else if name.eq_ignore_ascii_case("Variant") {
            self.variant = Some(place);
        }
        if !self.has(&name) {
            self.list.push((name, value));
        }
    }

    /// The game that begins as the tags say.
    fn document(self) -> Result<Document> {
        let variant = self.value("Variant").unwrap_or_default();
        let Some(chess960) = is_chess960(variant) else {
            let fault = PgnFault::Variant(super::super::clipped(variant));
            return Err(FormatError::new(self.variant.unwrap_or_default(), fault));
        };
        let mut document = match self.value("FEN").filter(|fen| !fen.trim().is_empty()) {
            None => Document::new(Board::startpos()),
            Some(fen) => {
                let place = self.fen.unwrap_or_default();
                let refused = |fault: Fault| FormatError::new(place, fault);
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

/// Whether a variant is Chess960. `None` if it is neither that nor standard chess.
fn is_chess960(variant: &str) -> Option<bool> {
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

/// What a token does.
enum Flow {
    /// The game goes on.
    On,
    /// The game has ended before this token.
    Ended(Token),
}

/// A line as it is read.
#[derive(Clone, Copy)]
struct Line {
    /// The last step.
    node: NodeId,
    /// The position before it.
    before: Board,
    /// The position after it.
    board: Board,
    /// Whether there is a step in this line that a variation can vary.
    moved: bool,
}

/// The moves of a game as they are read.
struct Movetext {
    document: Document,
    line: Line,
    /// The lines that are interrupted by variations.
    outer: Vec<Line>,
    /// The depth of the variation that is passed over, after a fault in it.
    skipping: Option<usize>,
    /// A comment at the beginning of a variation.
    comment: String,
    /// Whether the result has been read.
    ended: bool,
}

impl Movetext {
    fn new(document: Document) -> Movetext {
        let board = *document.tree.start();
        Movetext {
            document,
            line: Line {
                node: NodeId::ROOT,
                before: board,
                board,
                moved: false,
            },
            outer: Vec::new(),
            skipping: None,
            comment: String::new(),
            ended: false,
        }
    }

    #[inline]
    fn take<R: Read>(&mut self, token: Token, scanner: &mut Scanner<R>) -> Result<Flow> {
        if let Token::End | Token::Tag(..) = token {
            return Ok(Flow::Ended(token));
        }
        if self.outer.is_empty() && self.next_has_begun(&token, scanner) {
            return Ok(Flow::Ended(token));
        }
        match token {
            Token::Move(word) => self.step(word, scanner)?,
            Token::Open => self.open(scanner)?,
            Token::Close => self.close(scanner),
            Token::Comment(text) => self.comment(&text),
            Token::Nag(nag) if self.skipping.is_none() && self.line.moved => {
                self.document.tree.node_mut(self.line.node).nags.push(nag);
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
        Ok(Flow::On)
    }

    /// Whether a token belongs to a game without tags that follows this one.
    fn next_has_begun<R: Read>(&self, token: &Token, scanner: &Scanner<R>) -> bool {
        let board = &self.line.board;
        // A number with one dot is White's.
        let continues = |number: u32, dots: u8| {
            number == board.fullmove_number() && (dots != 1 || board.turn() == Color::White)
        };
        match token {
            Token::Number(number, dots) if !self.ended => {
                let begins = *number == 1 && *dots < 2 && self.line.moved;
                begins && scanner.after_empty_line() && !continues(*number, *dots)
            }
            _ if !self.ended => false,
            Token::Number(number, dots) => scanner.after_empty_line() || !continues(*number, *dots),
            Token::Move(_) => scanner.after_line(),
            Token::Comment(_) => scanner.after_empty_line(),
            _ => false,
        }
    }

    #[inline]
    fn step<R: Read>(&mut self, word: Word, scanner: &mut Scanner<R>) -> Result<()> {
        if self.skipping.is_some() {
            return Ok(());
        }
        self.ended = false;
        let step = match san::step(&self.line.board, word.bytes()) {
            Ok(step) => step,
            // How databases say that both sides lost.
            Err(_) if word.bytes() == b"0-0" && self.document.tree.is_empty() => {
                self.ended = true;
                return Ok(());
            }
            Err(fault) => return self.fault(scanner.token_error(fault)),
        };
        if self.document.tree.len() >= STEP_LIMIT {
            return Err(scanner.token_error(PgnFault::TooLong(STEP_LIMIT)));
        }
        let node = self.document.tree.add(self.line.node, step);
        if !self.comment.is_empty() {
            self.document.tree.node_mut(node).comment_before = std::mem::take(&mut self.comment);
        }
        self.line = Line {
            node,
            before: self.line.board,
            board: step.make(&self.line.board),
            moved: true,
        };
        Ok(())
    }

    /// A fault loses the game if it is in the main line, else the rest of the variation.
    fn fault(&mut self, error: FormatError) -> Result<()> {
        if self.outer.is_empty() {
            return Err(error);
        }
        self.document.faults.push(error);
        self.skipping = Some(self.outer.len());
        Ok(())
    }

    fn open<R: Read>(&mut self, scanner: &mut Scanner<R>) -> Result<()> {
        if self.outer.len() >= DEPTH_LIMIT {
            return Err(scanner.token_error(PgnFault::TooDeep(DEPTH_LIMIT)));
        }
        let outer = self.line;
        self.outer.push(outer);
        if self.skipping.is_some() {
            return Ok(());
        }
        match self
            .document
            .tree
            .parent(outer.node)
            .filter(|_| outer.moved)
        {
            None => self.fault(scanner.token_error(PgnFault::VariationWithoutMove)),
            Some(parent) => {
                self.line = Line {
                    node: parent,
                    before: outer.before,
                    board: outer.before,
                    moved: false,
                };
                self.comment.clear();
                Ok(())
            }
        }
    }

    fn close<R: Read>(&mut self, scanner: &mut Scanner<R>) {
        if self.skipping.is_some_and(|depth| depth >= self.outer.len()) {
            self.skipping = None;
        }
        match self.outer.pop() {
            Some(line) => self.line = line,
            None => {
                let error = scanner.token_error(PgnFault::CloseWithoutOpen);
                self.document.faults.push(error);
            }
        }
        self.comment.clear();
    }

    fn comment(&mut self, text: &str) {
        if self.skipping.is_some() {
            return;
        }
        if self.line.moved || self.outer.is_empty() {
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
