//! Extended position description: one position per line, followed by operations such as
//! `bm Nf3; id "Test 1";`.
//!
//! Reads `startpos` as a position. Reads the move counters also as the fifth and sixth field of a
//! FEN; writes them as the operations `hmvc` and `fmvn`, as the standard says. Source:
//! <https://www.chessprogramming.org/Extended_Position_Description>

use super::pgn::parse_ply;
use super::{
    Content, Document, Documents, ErrorKind, Format, FormatError, FormatInfo, Location, Operation,
    Ply, Result, fen, lines, offset_in,
};
use saavedra_chess::{Board, Move, STARTPOS, SanError, Setup};
use std::io::Read;
use std::iter::Peekable;
use std::str::Chars;

/// Opcodes whose operands are moves.
const MOVE_OPERATIONS: [&str; 4] = ["bm", "am", "pm", "sm"];

/// The format.
pub struct Epd;

impl Format for Epd {
    fn info(&self) -> FormatInfo {
        FormatInfo { name: "epd", extensions: &["epd"], content: Content::Position }
    }

    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        lines::documents(input, import)
    }

    fn export(&self, document: &Document) -> String {
        let board = document.board();
        let mut text = board.to_epd();
        if (board.halfmove_clock(), board.fullmove_number()) != (0, 1) {
            text += &format!(" hmvc {}; fmvn {};", board.halfmove_clock(), board.fullmove_number());
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

/// Whether the standard requires a string operand for this opcode: `id`, `c0` to `c9` …
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
/// The position is malformed or invalid, an operation is malformed, or one of its moves is illegal.
pub fn import(text: &str) -> Result<Document> {
    let head = head(text);
    let mut setup = Setup::from_fen(head).map_err(|error| {
        let column = fen::column(head, &error);
        FormatError::new(Location::at(1, column), error)
    })?;
    let mut operations = operations(text, head.len())?;
    let mut halfmoves = u32::from(setup.halfmove_clock());
    let mut number = setup.fullmove_number();
    for (name, value) in [("hmvc", &mut halfmoves), ("fmvn", &mut number)] {
        if let Some(at) = operations.iter().position(|(o, _)| o.name == name) {
            let (operation, columns) = operations.remove(at);
            *value = counter(&operation).map_err(|kind| {
                FormatError::new(Location::at(1, columns.first().copied().unwrap_or(1)), kind)
            })?;
        }
    }
    let halfmoves = u16::try_from(halfmoves).unwrap_or(u16::MAX);
    setup.set_clocks(halfmoves, number);
    let mut document =
        Document::from_setup(&setup).map_err(|e| FormatError::new(Location::line(1), e))?;
    for (operation, columns) in &mut operations {
        split_at_commas(operation, columns);
        operation.moves = moves(document.tree.start(), operation, columns)?;
    }
    document.operations = operations.into_iter().map(|(o, _)| o).collect();
    Ok(document)
}

/// The FEN of a record: `startpos`, or four fields and the move counters if there are any.
fn head(text: &str) -> &str {
    let mut end = 0;
    for (number, field) in text.split_ascii_whitespace().enumerate() {
        let bare = field.split(';').next().unwrap_or_default();
        let is_counter = !bare.is_empty() && bare.bytes().all(|c| c.is_ascii_digit());
        if number == 6 || (number >= 4 && !is_counter) || bare.is_empty() {
            break;
        }
        end = offset_in(text, bare) + bare.len();
        if bare.len() < field.len() || (number, bare) == (0, STARTPOS) {
            break;
        }
    }
    &text[..end]
}

/// An operation, and the columns of its opcode and operands.
type LocatedOperation = (Operation, Vec<u64>);

/// Reads the operations from this byte on.
fn operations(text: &str, start: usize) -> Result<Vec<LocatedOperation>> {
    let mut found: Vec<LocatedOperation> = Vec::new();
    let mut open = false;
    let mut scanner = OperationScanner {
        rest: text[start..].chars().peekable(),
        column: text[..start].chars().count() as u64 + 1,
    };
    while let Some(sign) = scanner.rest.peek().copied() {
        if sign == ';' || sign.is_whitespace() {
            scanner.next();
            open &= sign != ';';
            continue;
        }
        let column = scanner.column;
        let word = match sign {
            '"' => scanner.string(),
            _ => Some(scanner.word()),
        };
        let Some(word) = word else {
            let name = found.pop().filter(|_| open).map_or(String::new(), |(o, _)| o.name);
            let kind = ErrorKind::Operation(name, "has a string that is not closed");
            return Err(FormatError::new(Location::at(1, column), kind));
        };
        match found.last_mut().filter(|_| open) {
            Some((operation, columns)) => {
                operation.operands.push(word);
                columns.push(column);
            }
            None => {
                let operation = Operation { name: word, operands: Vec::new(), moves: Vec::new() };
                found.push((operation, vec![column]));
                open = true;
            }
        }
    }
    Ok(found)
}

/// Splits the operations into words and strings.
struct OperationScanner<'a> {
    rest: Peekable<Chars<'a>>,
    /// The column of the next character.
    column: u64,
}

impl OperationScanner<'_> {
    fn next(&mut self) -> Option<char> {
        self.column += 1;
        self.rest.next()
    }

    /// A string in quotes; `None` if it is not closed.
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

fn counter(operation: &Operation) -> std::result::Result<u32, ErrorKind> {
    let digits = |text: &&String| !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit());
    match operation.operands.first().filter(digits) {
        Some(text) => Ok(text.parse().unwrap_or(u32::MAX)),
        None => Err(ErrorKind::Operation(operation.name.clone(), "needs a number from 0 up")),
    }
}

/// Splits the operands of an operation of moves at commas.
fn split_at_commas(operation: &mut Operation, columns: &mut Vec<u64>) {
    if !MOVE_OPERATIONS.contains(&operation.name.as_str()) {
        return;
    }
    let located = std::mem::take(&mut operation.operands).into_iter().zip(columns.split_off(1));
    for (text, mut column) in located {
        for operand in text.split(',') {
            if !operand.is_empty() {
                operation.operands.push(operand.to_owned());
                columns.push(column);
            }
            column += operand.chars().count() as u64 + 1;
        }
    }
}

/// The moves of a mate, as some suites have it for a best move: `#3`.
pub fn mate_distance(operand: &str) -> Option<i32> {
    operand.strip_prefix('#')?.parse().ok().filter(|moves| *moves != 0)
}

/// The operands of an operation as moves; empty if it is not an operation of moves.
fn moves(board: &Board, operation: &Operation, columns: &[u64]) -> Result<Vec<Move>> {
    if !MOVE_OPERATIONS.contains(&operation.name.as_str()) {
        return Ok(Vec::new());
    }
    let is_move = |text: &str| operation.name != "bm" || mate_distance(text).is_none();
    let operands = operation.operands.iter().zip(&columns[1..]);
    operands
        .filter(|(text, _)| is_move(text))
        .map(|(text, column)| {
            let kind = match parse_ply(board, text.trim_end_matches(['+', '#', '!', '?'])) {
                Ok(Ply::Move(m)) => return Ok(m),
                Ok(Ply::Null) => ErrorKind::San(SanError::NotAMove(text.clone()), board.to_fen()),
                Err(kind) => kind,
            };
            Err(FormatError::new(Location::at(1, *column), kind))
        })
        .collect()
}
