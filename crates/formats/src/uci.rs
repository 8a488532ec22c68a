//! Games as moves in UCI notation, one game per line: `e2e4 e7e5`, or, from other start positions,
//! a UCI `position` command: `position fen … moves e2e4`.

use super::{
    Content, Document, Documents, ErrorKind, Format, FormatError, FormatInfo, Location, Ply,
    Result, Tree,
};
use super::{fen, lines, offset_in, truncated};
use saavedra_chess::{Board, IllegalMoveError, IllegalReason, Setup};
use std::io::Read;

/// The format.
pub(super) struct Uci;

/// The null move in UCI notation.
const NULL_MOVE: &str = "0000";

impl Format for Uci {
    fn info(&self) -> FormatInfo {
        FormatInfo { name: "uci", extensions: &["uci"], content: Content::Game }
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        lines::documents(input, import)
    }

    fn read_prefixes<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        lines::documents(input, import_prefix)
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
        for ply in tree.mainline() {
            words.push(match ply {
                Ply::Move(m) => board.uci(m, document.chess960),
                Ply::Null => NULL_MOVE.into(),
            });
            board = ply.make(&board);
        }
        words.join(" ") + "\n"
    }
}

/// Whether a word looks like a move.
pub(super) fn looks_like_move(word: &str) -> bool {
    let is_square =
        |text: Option<&str>| text.is_some_and(|t| t.parse::<saavedra_chess::Square>().is_ok());
    matches!(word.len(), 4 | 5) && is_square(word.get(..2)) && is_square(word.get(2..4))
}

/// Reads a game.
fn import(text: &str) -> Result<Document> {
    let mut document = import_prefix(text)?;
    match document.errors.pop() {
        None => Ok(document),
        Some(error) => Err(error),
    }
}

/// Reads a game up to the first error in its moves, which is added to the errors of the document.
fn import_prefix(text: &str) -> Result<Document> {
    let column = |word: &str| text[..offset_in(text, word)].chars().count() as u64 + 1;
    let mut words = text.split_whitespace().peekable();
    words.next_if_eq(&"position");
    let mut document = Document::new(Board::startpos());
    if words.next_if_eq(&"fen").is_some() {
        let Some(first) = words.next() else {
            let end = text.chars().count() as u64 + 1;
            let kind = saavedra_chess::FenError::Empty;
            return Err(FormatError::new(Location::at(1, end), kind));
        };
        let mut last = first;
        while let Some(word) = words.next_if(|word| *word != "moves" && !looks_like_move(word)) {
            last = word;
        }
        let fen = &text[offset_in(text, first)..offset_in(text, last) + last.len()];
        let setup = Setup::from_fen(fen).map_err(|error| {
            let column = column(first) + fen::column(fen, &error) - 1;
            FormatError::new(Location::at(1, column), error)
        })?;
        document = Document::from_setup(&setup)
            .map_err(|error| FormatError::new(Location::at(1, column(first)), error))?;
    } else {
        words.next_if_eq(&"startpos");
    }
    words.next_if_eq(&"moves");
    let mut board = *document.tree.start();
    let mut tree = Tree::new(board);
    let mut at = super::NodeId::ROOT;
    for word in words {
        let ply = match parse_ply(&board, word) {
            Ok(ply) => ply,
            Err(kind) => {
                let error = FormatError::new(Location::at(1, column(word)), kind);
                document.errors.push(error);
                break;
            }
        };
        board = ply.make(&board);
        at = tree.add(at, ply);
    }
    document.tree = tree;
    Ok(document)
}

fn parse_ply(board: &Board, word: &str) -> std::result::Result<Ply, ErrorKind> {
    if word == NULL_MOVE {
        return if board.in_check() { Err(ErrorKind::NullMoveInCheck) } else { Ok(Ply::Null) };
    }
    if !looks_like_move(word) {
        return Err(ErrorKind::Uci(IllegalMoveError {
            text: truncated(word),
            fen: board.to_fen(),
            reason: IllegalReason::NotAMove,
        }));
    }
    Ok(Ply::Move(board.parse_uci(word)?))
}
