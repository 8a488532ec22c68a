//! Extended position description: a position a line, followed by operations such as
//! `bm Nf3; id "Test 1";`.
//!
//! The counters of a FEN are taken too, where other programs write them, and kept in the operations
//! `hmvc` and `fmvn` as the standard has it.
//! Source: <https://www.chessprogramming.org/Extended_Position_Description>

use super::{
    Document, Documents, Fault, Format, FormatError, Keeps, Operation, Place, Result, fen, lines,
};
use crate::chess::{Board, Setup};
use std::io::Read;
use std::iter::Peekable;
use std::str::Chars;

/// Operations whose operands are moves of the position.
const MOVE_OPERATIONS: [&str; 3] = ["bm", "am", "sm"];

/// The format.
pub struct Epd;

impl Format for Epd {
    fn name(&self) -> &'static str {
        "epd"
    }

    fn about(&self) -> &'static str {
        "positions with operations (bm, am, dm, id …), one a line"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["epd"]
    }

    fn keeps(&self) -> Keeps {
        Keeps::Position
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        lines::documents(input, import)
    }

    fn export(&self, document: &Document) -> String {
        let board = document.board();
        let fen = board.to_fen();
        let fields: Vec<&str> = fen.split(' ').take(4).collect();
        let mut text = fields.join(" ");
        if (board.halfmove_clock(), board.fullmove_number()) != (0, 1) {
            text += &format!(
                " hmvc {}; fmvn {};",
                board.halfmove_clock(),
                board.fullmove_number()
            );
        }
        for operation in &document.operations {
            text.push(' ');
            text += &operation.name;
            for operand in &operation.operands {
                text.push(' ');
                push_operand(operand, is_string(&operation.name), &mut text);
            }
            text.push(';');
        }
        text + "\n"
    }
}

/// Whether the operand of this operation is a string by the standard: `id`, `c0` to `c9` …
fn is_string(name: &str) -> bool {
    name == "id" || matches!(name.as_bytes(), [b'c' | b'v', b'0'..=b'9'])
}

fn push_operand(operand: &str, is_string: bool, text: &mut String) {
    let is_plain = |c: char| !c.is_whitespace() && c != ';' && c != '"';
    if !is_string && !operand.is_empty() && operand.chars().all(is_plain) {
        text.push_str(operand);
        return;
    }
    text.push('"');
    for c in operand.chars() {
        if c == '"' || c == '\\' {
            text.push('\\');
        }
        text.push(c);
    }
    text.push('"');
}

/// Reads a record.
///
/// # Errors
/// The position is malformed or impossible, an operation is malformed, or one of its moves is not
/// legal.
pub fn import(text: &str) -> Result<Document> {
    let head = head(text);
    let mut setup = Setup::from_fen(head).map_err(|error| {
        let column = fen::column(head, &error);
        FormatError::new(Place::at(1, column), error)
    })?;
    let mut operations = operations(text, head.len())?;
    let mut counters = head.split_ascii_whitespace().skip(4);
    let mut clock = |default| {
        counters
            .next()
            .and_then(|n| n.parse().ok())
            .unwrap_or(default)
    };
    let (mut halfmoves, mut number) = (clock(0), clock(1));
    for (name, value) in [("hmvc", &mut halfmoves), ("fmvn", &mut number)] {
        if let Some(at) = operations.iter().position(|(o, _)| o.name == name) {
            let (operation, columns) = operations.remove(at);
            *value = counter(&operation).map_err(|fault| {
                FormatError::new(Place::at(1, columns.first().copied().unwrap_or(1)), fault)
            })?;
        }
    }
    let halfmoves = u16::try_from(halfmoves).unwrap_or(u16::MAX);
    setup.set_clocks(halfmoves, number);
    let mut document =
        Document::from_setup(&setup).map_err(|e| FormatError::new(Place::line(1), e))?;
    for (operation, columns) in &operations {
        check_moves(document.tree.start(), operation, columns)?;
    }
    document.operations = operations.into_iter().map(|(o, _)| o).collect();
    Ok(document)
}

/// The part of a record that is a FEN: four fields, and the counters if there are any.
fn head(text: &str) -> &str {
    let mut end = 0;
    for (number, field) in text.split_ascii_whitespace().enumerate() {
        let bare = field.split(';').next().unwrap_or_default();
        let is_counter = !bare.is_empty() && bare.bytes().all(|c| c.is_ascii_digit());
        if number == 6 || (number >= 4 && !is_counter) || bare.is_empty() {
            break;
        }
        // A field is a part of the text: the distance of their addresses is its place.
        end = field.as_ptr() as usize - text.as_ptr() as usize + bare.len();
        if bare.len() < field.len() {
            break;
        }
    }
    &text[..end]
}

/// An operation, and the columns of its name and operands.
type Placed = (Operation, Vec<u64>);

/// Reads the operations that begin at this byte.
fn operations(text: &str, start: usize) -> Result<Vec<Placed>> {
    let mut found: Vec<Placed> = Vec::new();
    let mut open = false;
    let mut cursor = Cursor {
        rest: text[start..].chars().peekable(),
        column: text[..start].chars().count() as u64 + 1,
    };
    while let Some(sign) = cursor.rest.peek().copied() {
        if sign == ';' || sign.is_whitespace() {
            cursor.next();
            open &= sign != ';';
            continue;
        }
        let column = cursor.column;
        let word = match sign {
            '"' => cursor.string(),
            _ => Some(cursor.word()),
        };
        let Some(word) = word else {
            let name = found
                .pop()
                .filter(|_| open)
                .map_or(String::new(), |(o, _)| o.name);
            let fault = Fault::Operation(name, "has a string that is not closed");
            return Err(FormatError::new(Place::at(1, column), fault));
        };
        match found.last_mut().filter(|_| open) {
            Some((operation, columns)) => {
                operation.operands.push(word);
                columns.push(column);
            }
            None => {
                let operation = Operation {
                    name: word,
                    operands: Vec::new(),
                };
                found.push((operation, vec![column]));
                open = true;
            }
        }
    }
    Ok(found)
}

/// A text as it is read.
struct Cursor<'a> {
    rest: Peekable<Chars<'a>>,
    /// The column of the next character.
    column: u64,
}

impl Cursor<'_> {
    fn next(&mut self) -> Option<char> {
        self.column += 1;
        self.rest.next()
    }

    /// What stands between quotes; `None` if the second is missing.
    fn string(&mut self) -> Option<String> {
        let mut text = String::new();
        self.next();
        loop {
            match self.next()? {
                '"' => return Some(text),
                '\\' => text.push(self.next()?),
                c => text.push(c),
            }
        }
    }

    fn word(&mut self) -> String {
        let mut text = String::new();
        while let Some(c) = self.rest.next_if(|c| !c.is_whitespace() && *c != ';') {
            self.column += 1;
            text.push(c);
        }
        text
    }
}

fn counter(operation: &Operation) -> std::result::Result<u32, Fault> {
    let digits = |text: &&String| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    match operation.operands.first().filter(digits) {
        Some(text) => Ok(text.parse().unwrap_or(u32::MAX)),
        None => Err(Fault::Operation(
            operation.name.clone(),
            "needs a number from 0 up",
        )),
    }
}

/// Refuses operations whose moves are not legal.
fn check_moves(board: &Board, operation: &Operation, columns: &[u64]) -> Result<()> {
    if !MOVE_OPERATIONS.contains(&operation.name.as_str()) {
        return Ok(());
    }
    for (text, column) in operation.operands.iter().zip(&columns[1..]) {
        board.parse_san(text).map_err(|error| {
            let fault = Fault::San(error, board.to_fen());
            FormatError::new(Place::at(1, *column), fault)
        })?;
    }
    Ok(())
}
