//! What every format is read into and written from.

use super::{Drawing, FormatError, Place, Step, Tree};
use crate::chess::{Board, GameResult, Move, Repair, Setup, SetupError};

/// The text of a result in PGN: `1-0`, `0-1`, `1/2-1/2`, or `*` without one.
pub const fn result_text(result: Option<GameResult>) -> &'static str {
    match result {
        Some(result) => result.text(),
        None => "*",
    }
}

/// Reads the text of a result, in PGN's spelling or a common variant of it. The outer `None` is text
/// that is no result, the inner one is `*`.
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
}

/// One position or game with all that its document says of it. A position is a game without moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// The start position and the moves.
    pub tree: Tree,
    /// Whether castling is to be written as in Chess960.
    pub chess960: bool,
    /// Name and value of each tag of a game record, in order. The roster's defaults and those that
    /// follow from the rest (`Result`, `FEN`, `SetUp`, `Variant`) need not be there.
    pub tags: Vec<(String, String)>,
    /// The result of the game; `None` if it is unfinished or unknown.
    pub result: Option<GameResult>,
    /// The operations of an EPD record.
    pub operations: Vec<Operation>,
    /// What is drawn beside the pieces.
    pub drawing: Drawing,
    /// What had to be repaired in the start position.
    pub repairs: Vec<Repair>,
    /// What could not be taken and was left out: illegal moves of variations, with what follows
    /// them. Such a document is sound in all that is there.
    pub faults: Vec<FormatError>,
    /// Where in the input it begins.
    pub place: Place,
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
            faults: Vec::new(),
            place: Place::default(),
        }
    }

    /// The position of a set-up.
    ///
    /// # Errors
    /// If it is impossible.
    pub fn from_setup(setup: &Setup) -> Result<Document, SetupError> {
        let (board, repairs) = setup.to_board()?;
        Ok(Document {
            repairs,
            ..Document::new(board)
        })
    }

    /// The position: where the main line ends.
    pub fn board(&self) -> Board {
        self.tree.end_board()
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        let found = self.tags.iter().find(|(tag, _)| tag == name);
        found.map(|(_, value)| value.as_str())
    }

    /// Sets a tag, in its place if it is there already.
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

    /// The moves that an operation names (`bm`, `am` …); none if it is missing or not of moves.
    pub fn operation_moves(&self, name: &str) -> Vec<Move> {
        let board = self.tree.start();
        self.operation(name).map_or_else(Vec::new, |operation| {
            let read = |text: &String| board.parse_san(text).ok();
            operation.operands.iter().filter_map(read).collect()
        })
    }

    /// What to draw: what was asked for, and what the end of the game adds: its last move and the
    /// shapes in its comment.
    pub fn full_drawing(&self) -> Drawing {
        let mut drawing = self.drawing.clone();
        let end = self.tree.node(self.tree.end());
        drawing.add_from_comment(&end.comment);
        if let (None, Some(Step::Move(m))) = (drawing.last_move, end.step()) {
            drawing.last_move = Some((m.from(), m.to()));
        }
        drawing
    }
}
