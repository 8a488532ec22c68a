//! The document: what every format is read into and written from.

use super::{Drawing, FormatError, Location, Ply, Tree};
use saavedra_chess::{Board, GameResult, Move, Repair, Setup, SetupError};

/// The text of a result in PGN: `1-0`, `0-1`, `1/2-1/2`, or `*` without one.
pub const fn result_text(result: Option<GameResult>) -> &'static str {
    match result {
        Some(result) => result.text(),
        None => "*",
    }
}

/// Parses a result in PGN's spelling or a common variant of it. The outer `None` is text that is no
/// result, the inner one is `*`.
pub fn parse_result(text: &str) -> Option<Option<GameResult>> {
    match text {
        "*" => Some(None),
        "1-0" | "1:0" | "1–0" | "1-O" => Some(Some(GameResult::WhiteWins)),
        "0-1" | "0:1" | "0–1" | "O-1" => Some(Some(GameResult::BlackWins)),
        "1/2-1/2" | "1/2" | "1/2:1/2" | "½-½" | "½" | "½–½" | "1/2–1/2" => {
            Some(Some(GameResult::Draw))
        }
        _ => None,
    }
}

/// An operation of an EPD record: `bm Nf3 e4`, `id "Position 1"`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    /// Its name.
    pub name: String,
    /// Its operands, strings without their quotes.
    pub operands: Vec<String>,
    /// Its operands as legal moves, if it is an operation of moves (`bm`, `am`, `sm`).
    pub moves: Vec<Move>,
}

/// A position or a game with everything that the formats can express about it. A position is a game
/// without moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// The start position and the moves.
    pub tree: Tree,
    /// Whether castling is written as in Chess960.
    pub chess960: bool,
    /// The PGN tag pairs in order. Tags of the seven tag roster and those that follow from other
    /// fields (`Result`, `FEN`, `SetUp`, `Variant`) may be missing.
    pub tags: Vec<(String, String)>,
    /// The result of the game; `None` if it is unfinished or unknown.
    pub result: Option<GameResult>,
    /// The operations of an EPD record.
    pub operations: Vec<Operation>,
    /// What is drawn beside the pieces.
    pub drawing: Drawing,
    /// Repairs of the start position.
    pub repairs: Vec<Repair>,
    /// Errors that lost only a part of the document: illegal moves of variations, with the rest of
    /// the variation. All that is in the document is valid.
    pub errors: Vec<FormatError>,
    /// Where the document starts in the input.
    pub location: Location,
}

impl Document {
    /// A position.
    pub fn new(board: Board) -> Document {
        Document::from_tree(Tree::new(board))
    }

    /// A game.
    pub fn from_tree(tree: Tree) -> Document {
        Document {
            chess960: tree.start().is_chess960(),
            tree,
            tags: Vec::new(),
            result: None,
            operations: Vec::new(),
            drawing: Drawing::default(),
            repairs: Vec::new(),
            errors: Vec::new(),
            location: Location::default(),
        }
    }

    /// The position of a setup.
    ///
    /// # Errors
    /// The position is invalid.
    pub fn from_setup(setup: &Setup) -> Result<Document, SetupError> {
        let (board, repairs) = setup.to_board()?;
        Ok(Document { repairs, ..Document::new(board) })
    }

    /// The position at the end of the main line.
    pub fn board(&self) -> Board {
        self.tree.end_board()
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Sets a tag; a tag that exists keeps its position in the list.
    pub fn set_tag(&mut self, name: &str, value: &str) {
        match self.tags.iter_mut().find(|(tag, _)| tag == name) {
            Some((_, old)) => value.clone_into(old),
            None => self.tags.push((name.to_owned(), value.to_owned())),
        }
    }

    /// The operation of this name.
    pub fn operation(&self, name: &str) -> Option<&Operation> {
        self.operations.iter().find(|o| o.name == name)
    }

    /// The moves of an operation (`bm`, `am` …); empty if it is missing or has no moves.
    pub fn operation_moves(&self, name: &str) -> Vec<Move> {
        self.operation(name).map_or_else(Vec::new, |operation| operation.moves.clone())
    }

    /// The drawing, with the last move of the main line and the shapes in its comment.
    pub fn full_drawing(&self) -> Drawing {
        let mut drawing = self.drawing.clone();
        let end = self.tree.node(self.tree.end());
        drawing.add_from_comment(&end.comment);
        if let (None, Some(Ply::Move(m))) = (drawing.last_move, end.ply()) {
            drawing.last_move = Some((m.from(), m.destination()));
        }
        drawing
    }
}
