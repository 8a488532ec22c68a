//! Games as moves in UCI notation, a game a line: `e2e4 e7e5`, as `position` commands of UCI if they
//! begin elsewhere: `position fen … moves e2e4`.

use super::{Document, Documents, Fault, Format, FormatError, Keeps, Place, Result, Step, Tree};
use super::{clipped, fen, lines};
use crate::chess::{Board, IllegalMoveError, IllegalReason, Setup};
use std::io::Read;

/// The format.
pub(super) struct Uci;

/// How UCI writes that the side to move passes.
const PASS: &str = "0000";

impl Format for Uci {
    fn name(&self) -> &'static str {
        "uci"
    }

    fn about(&self) -> &'static str {
        "moves as e2e4 e7e5, a game a line, or position commands"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["uci"]
    }

    fn keeps(&self) -> Keeps {
        Keeps::Game
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        lines::documents(input, import)
    }

    fn export(&self, document: &Document) -> String {
        let tree = &document.tree;
        let start = tree.start();
        let mut words: Vec<String> = Vec::new();
        if *start != Board::startpos() {
            words.push(format!("position fen {}", start.to_fen()));
        } else if tree.is_empty() {
            words.push("position startpos".into());
        }
        if !words.is_empty() && !tree.is_empty() {
            words.push("moves".into());
        }
        let mut board = *start;
        for step in tree.main_steps() {
            words.push(match step {
                Step::Move(m) => board.uci(m, document.chess960),
                Step::Pass => PASS.into(),
            });
            board = step.make(&board);
        }
        words.join(" ") + "\n"
    }
}

/// Whether a word has the form of a move.
pub(super) fn looks_like_move(word: &str) -> bool {
    let is_square =
        |text: Option<&str>| text.is_some_and(|t| t.parse::<crate::chess::Square>().is_ok());
    matches!(word.len(), 4 | 5) && is_square(word.get(..2)) && is_square(word.get(2..4))
}

/// Reads a game.
fn import(text: &str) -> Result<Document> {
    // A word is a part of the text: the distance of their addresses is its place.
    let column = |word: &str| {
        let at = word.as_ptr() as usize - text.as_ptr() as usize;
        text[..at].chars().count() as u64 + 1
    };
    let mut words = text.split_whitespace().peekable();
    words.next_if_eq(&"position");
    let mut document = Document::new(Board::startpos());
    if words.next_if_eq(&"fen").is_some() {
        let Some(first) = words.next() else {
            let end = text.chars().count() as u64 + 1;
            let fault = crate::chess::FenError::Empty;
            return Err(FormatError::new(Place::at(1, end), fault));
        };
        let mut last = first;
        while let Some(word) = words.next_if(|word| *word != "moves" && !looks_like_move(word)) {
            last = word;
        }
        let from = first.as_ptr() as usize - text.as_ptr() as usize;
        let to = last.as_ptr() as usize - text.as_ptr() as usize + last.len();
        let fen = &text[from..to];
        let setup = Setup::from_fen(fen).map_err(|error| {
            let column = column(first) + fen::column(fen, &error) - 1;
            FormatError::new(Place::at(1, column), error)
        })?;
        document = Document::from_setup(&setup)
            .map_err(|error| FormatError::new(Place::at(1, column(first)), error))?;
    } else {
        words.next_if_eq(&"startpos");
    }
    words.next_if_eq(&"moves");
    let mut board = *document.tree.start();
    let mut tree = Tree::new(board);
    let mut at = super::NodeId::ROOT;
    for word in words {
        let step = step(&board, word)
            .map_err(|fault| FormatError::new(Place::at(1, column(word)), fault))?;
        board = step.make(&board);
        at = tree.add(at, step);
    }
    document.tree = tree;
    Ok(document)
}

fn step(board: &Board, word: &str) -> std::result::Result<Step, Fault> {
    if word == PASS {
        return match board.in_check() {
            true => Err(Fault::PassInCheck),
            false => Ok(Step::Pass),
        };
    }
    if !looks_like_move(word) {
        return Err(Fault::Uci(IllegalMoveError {
            text: clipped(word),
            fen: board.to_fen(),
            reason: IllegalReason::NotAMove,
        }));
    }
    Ok(Step::Move(board.parse_uci(word)?))
}
