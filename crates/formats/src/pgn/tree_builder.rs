//! Builds the tree of a game and checks every move.

use super::super::{
    Document, ErrorKind, FormatError, Location, NodeId, PgnError, parse_result, truncated,
};
use super::ply::parse_ply;
use super::text::{Comment, TagValue};
use super::visitor::{Visit, Visitor};
use saavedra_chess::{Board, GameResult, Setup};

/// Maximum number of errors of a game that does not end with the first one.
const MAX_ERRORS: usize = 1000;
/// Maximum number of plies of a game, in the main line and all variations.
const MAX_PLIES: usize = 1 << 20;

/// The main line or a variation that is being read.
#[derive(Clone, Copy)]
struct Line {
    /// The last ply.
    node: NodeId,
    /// The position before it.
    before: Board,
    /// The position after it.
    board: Board,
    /// Whether the line has a ply.
    has_ply: bool,
}

impl Line {
    /// A line after a node, without a ply.
    fn after(node: NodeId, board: Board) -> Line {
        Line { node, before: board, board, has_ply: false }
    }
}

/// Makes a document of a game.
pub(super) struct TreeBuilder {
    document: Document,
    line: Line,
    /// The lines around the current variation.
    outer: Vec<Line>,
    /// The comment before the first ply of a variation.
    comment: String,
    /// The NAGs before the first ply of a variation.
    nags: Vec<u8>,
    has_tags: bool,
    /// Whether the game is not refused for its errors.
    keeps: bool,
}

impl TreeBuilder {
    /// A builder of a game; `keeps` if it is not to be refused for its number of errors.
    pub(super) fn new(keeps: bool) -> TreeBuilder {
        let board = Board::startpos();
        TreeBuilder {
            document: Document::new(board),
            line: Line::after(NodeId::ROOT, board),
            outer: Vec::new(),
            comment: String::new(),
            nags: Vec::new(),
            has_tags: false,
            keeps,
        }
    }

    /// Whether all tags have been read.
    pub(super) fn has_tags(&self) -> bool {
        self.has_tags
    }

    /// The document as far as it has been read.
    pub(super) fn document(self) -> Document {
        self.document
    }

    /// Whether the next comment or NAG stands before the first ply of a variation.
    fn at_variation_start(&self) -> bool {
        !self.line.has_ply && !self.outer.is_empty()
    }
}

impl Visitor for TreeBuilder {
    fn begin_game(&mut self, location: Location) {
        self.document.location = location;
    }

    fn tag(&mut self, name: &str, value: TagValue<'_>) -> Result<(), ErrorKind> {
        let added = self.document.add_tag(name, value.decode().into_owned());
        self.line = Line::after(NodeId::ROOT, *self.document.tree.start());
        added
    }

    fn end_tags(&mut self) -> Visit {
        self.has_tags = true;
        Visit::Read
    }

    #[inline]
    fn san(&mut self, san: &str) -> Result<(), ErrorKind> {
        let ply = parse_ply(&self.line.board, san)?;
        if self.document.tree.len() >= MAX_PLIES {
            return Err(PgnError::TooLong(MAX_PLIES).into());
        }
        let node = self.document.tree.add(self.line.node, ply);
        if !self.comment.is_empty() || !self.nags.is_empty() {
            let node = self.document.tree.node_mut(node);
            node.starting_comment = std::mem::take(&mut self.comment);
            node.starting_nags = std::mem::take(&mut self.nags);
        }
        self.line = Line {
            node,
            before: self.line.board,
            board: ply.make(&self.line.board),
            has_ply: true,
        };
        Ok(())
    }

    fn nag(&mut self, nag: u8) {
        if self.at_variation_start() {
            self.nags.push(nag);
        } else {
            self.document.tree.node_mut(self.line.node).nags.push(nag);
        }
    }

    fn comment(&mut self, comment: Comment<'_>) {
        let text = comment.decode();
        if !self.at_variation_start() {
            let node = self.document.tree.node_mut(self.line.node);
            return node.add_comment(&text);
        }
        if !self.comment.is_empty() {
            self.comment.push(' ');
        }
        self.comment += &text;
    }

    fn begin_variation(&mut self) -> Visit {
        let parent = self.document.tree.parent(self.line.node);
        self.outer.push(self.line);
        self.line = Line::after(parent.unwrap_or(NodeId::ROOT), self.line.before);
        Visit::Read
    }

    fn end_variation(&mut self) {
        let Some(outer) = self.outer.pop() else {
            return;
        };
        // A comment is left if the variation has no ply.
        let node = self.document.tree.node_mut(outer.node);
        node.add_comment(&self.comment);
        self.line = outer;
        self.comment.clear();
        self.nags.clear();
    }

    fn result(&mut self, result: Option<GameResult>) {
        // `*` at the end does not overrule the tag `Result`.
        self.document.result = result.or(self.document.result);
    }

    fn error(&mut self, error: FormatError) -> Result<(), FormatError> {
        if error.kind == ErrorKind::Pgn(PgnError::TooLong(MAX_PLIES)) {
            return Err(error);
        }
        if self.document.errors.len() == MAX_ERRORS {
            if self.keeps {
                return Ok(());
            }
            let kind = PgnError::TooManyErrors(MAX_ERRORS);
            return Err(FormatError::new(error.location, kind));
        }
        self.document.errors.push(error);
        Ok(())
    }
}

impl Document {
    /// Adds a tag pair of a PGN before any move. Start position, variant and result follow from the
    /// tags.
    ///
    /// # Errors
    /// The start position is invalid or the variant unknown. The tag is kept.
    pub fn add_tag(&mut self, name: &str, value: String) -> Result<(), ErrorKind> {
        let is_first = |known: &str| {
            name.eq_ignore_ascii_case(known)
                && !self.tags.iter().any(|(other, _)| other.eq_ignore_ascii_case(known))
        };
        let added = if is_first("FEN") && !value.trim().is_empty() {
            self.set_start(&value)
        } else if is_first("Variant") {
            let chess960 = is_chess960(&value);
            self.chess960 |= chess960 == Some(true);
            match chess960 {
                Some(_) => Ok(()),
                None => Err(PgnError::Variant(truncated(&value)).into()),
            }
        } else {
            if is_first("Result") {
                self.result = parse_result(&value).flatten();
            }
            Ok(())
        };
        self.tags.push((name.to_owned(), value));
        added
    }

    fn set_start(&mut self, fen: &str) -> Result<(), ErrorKind> {
        let start = Document::from_setup(&Setup::from_fen(fen)?)?;
        let comment = std::mem::take(&mut self.tree.node_mut(NodeId::ROOT).comment);
        self.tree = start.tree;
        self.tree.node_mut(NodeId::ROOT).comment = comment;
        self.chess960 |= start.chess960;
        self.repairs = start.repairs;
        Ok(())
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
        name if ["960", "fische", "freestyle"].iter().any(|part| name.contains(part)) => Some(true),
        _ => None,
    }
}
