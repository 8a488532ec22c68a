//! Finding boards in a page.

use super::super::{Document, FormatError, HtmlFault, Place, Result, Shape, clipped, diagram};
use super::dom::{self, DOCUMENT, Id, Kind, Node};
use crate::chess::{Bitboard, CastlingRight, Color, Rank, Setup, Square};

/// The attributes that make an element the one around a board.
const AROUND: [&str; 3] = ["data-turn", "data-castling", "data-ep"];

/// Elements whose text is not shown.
const UNSEEN: [&str; 4] = ["script", "style", "noscript", "template"];

/// A square as found: its place in the tree, and the text in it but not in a square within.
struct Cell {
    node: Id,
    /// The element around the board it belongs to.
    around: Id,
    text: String,
}

/// The boards of a page in their order.
///
/// # Errors
/// There is none, or one of them is unsound.
pub(super) fn documents(bytes: &[u8]) -> Result<Vec<Document>> {
    let text = decoded(bytes);
    let mut nodes = dom::parse(&text);
    let mut cells = cells(&nodes);
    if cells.is_empty() {
        nodes = dom::parse_in_table(&text);
        cells = self::cells(&nodes);
    }
    if cells.is_empty() {
        return Err(FormatError::new(Place::default(), HtmlFault::NoBoard));
    }
    let mut boards: Vec<(Id, Vec<&Cell>)> = Vec::new();
    let mut index = std::collections::HashMap::new();
    for cell in &cells {
        let at = *index.entry(cell.around).or_insert(boards.len());
        match boards.get_mut(at) {
            Some((_, cells)) => cells.push(cell),
            None => boards.push((cell.around, vec![cell])),
        }
    }
    let read = |(around, cells): &(Id, Vec<&Cell>)| document(&nodes, *around, cells);
    boards.iter().map(read).collect()
}

/// The text of a page: UTF-8, or UTF-16 if it begins with such a byte order mark.
fn decoded(bytes: &[u8]) -> String {
    let wide = |of: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|b| of([b[0], b[1]]));
        char::decode_utf16(units)
            .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// All squares of the page in their order.
fn cells(nodes: &[Node]) -> Vec<Cell> {
    let mut cells: Vec<Cell> = Vec::new();
    // What is still to be visited, with the square and the board it is in.
    let mut open: Vec<(Id, Option<usize>, Id)> = vec![(DOCUMENT, None, DOCUMENT)];
    while let Some((id, mut square, mut around)) = open.pop() {
        let node = &nodes[id];
        match &node.kind {
            Kind::Text(text) => {
                if let Some(cell) = square {
                    cells[cell].text.push_str(text);
                }
                continue;
            }
            Kind::Element { name, .. } if UNSEEN.contains(&&*name.local) => continue,
            Kind::Element { .. } => {
                if node.attribute("data-col").is_some() && node.attribute("data-row").is_some() {
                    square = Some(cells.len());
                    cells.push(Cell {
                        node: id,
                        around,
                        text: String::new(),
                    });
                } else if AROUND.iter().any(|name| node.attribute(name).is_some()) {
                    around = id;
                }
            }
            Kind::Other => {}
        }
        let children = node.children.iter().rev();
        open.extend(children.map(|child| (*child, square, around)));
    }
    cells
}

fn document(nodes: &[Node], around: Id, cells: &[&Cell]) -> Result<Document> {
    let place = Place::line(nodes[cells[0].node].line);
    let mut setup = Setup::empty();
    let mut seen = Bitboard::EMPTY;
    for cell in cells {
        let node = &nodes[cell.node];
        let here = |fault| FormatError::new(Place::line(node.line), fault);
        let value = |name| node.attribute(name).unwrap_or_default().trim();
        let (col, row) = (value("data-col"), value("data-row"));
        let square: Square = format!("{col}{row}")
            .parse()
            .ok()
            .filter(|_| col.len() == 1)
            .ok_or_else(|| here(HtmlFault::NotASquare(clipped(col), clipped(row))))?;
        if seen.has(square) {
            return Err(here(HtmlFault::Repeated(square)));
        }
        seen |= square.bitboard();
        let is_seen = |c: &char| !c.is_whitespace() && !diagram::is_invisible(*c);
        let text: String = cell.text.chars().filter(is_seen).collect();
        let mut pieces = text.chars().map(diagram::piece_of_symbol);
        let piece = match (pieces.next(), pieces.next()) {
            (None, _) => None,
            (Some(Some(piece)), None) => Some(piece),
            (Some(Some(_)), Some(Some(_))) if pieces.all(|piece| piece.is_some()) => {
                return Err(here(HtmlFault::Several(square, clipped(&text))));
            }
            _ => {
                let text = clipped(cell.text.trim());
                return Err(here(HtmlFault::Symbol(square, text)));
            }
        };
        setup.set_piece(square, piece);
    }
    if seen != Bitboard::ALL {
        let missing = (!seen).into_iter().collect();
        return Err(FormatError::new(place, HtmlFault::Missing(missing)));
    }
    let mut says = Says { nodes, around };
    says.rules(&mut setup)?;
    let mut document =
        Document::from_setup(&setup).map_err(|error| FormatError::new(place, error))?;
    says.drawing(&mut document);
    document.place = place;
    Ok(document)
}

/// What the elements around a board say of it.
struct Says<'a> {
    nodes: &'a [Node],
    around: Id,
}

impl<'a> Says<'a> {
    /// The value of an attribute of the nearest element that has it, without blanks around.
    fn get(&self, name: &str) -> Option<(&'a str, u64)> {
        let mut next = Some(self.around);
        while let Some(id) = next {
            let node = &self.nodes[id];
            if let Some(value) = node.attribute(name) {
                return Some((value.trim(), node.line));
            }
            next = node.parent;
        }
        None
    }

    /// Reads an attribute, if it is there, by a function that gives `None` for what makes no sense.
    fn read<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some((value, line)) = self.get(name) else {
            return Ok(None);
        };
        let refused = || HtmlFault::Attribute(name, clipped(value));
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => Err(FormatError::new(Place::line(line), refused())),
        }
    }

    /// Turn, castling, en passant and counters.
    fn rules(&mut self, setup: &mut Setup) -> Result<()> {
        let turn = |value: &str| match value.to_ascii_lowercase().as_str() {
            "w" | "white" => Some(Color::White),
            "b" | "black" => Some(Color::Black),
            _ => None,
        };
        let turn = self.read("data-turn", turn)?.unwrap_or(Color::White);
        setup.set_turn(turn);
        setup.allow_standard_castling();
        self.read("data-castling", |value| match value {
            "" => Some(setup.set_castling_rights([])),
            field => CastlingRight::parse_fen_field(field)
                .ok()
                .map(|rights| setup.set_castling_rights(rights)),
        })?;
        let rank = Rank::Sixth.relative_to(turn);
        let en_passant = self.read("data-ep", |value| match value {
            "" | "-" => Some(None),
            name => {
                let square = name.parse().ok();
                square.filter(|s: &Square| s.rank() == rank).map(Some)
            }
        })?;
        setup.set_en_passant(en_passant.flatten());
        let digits = |value: &str| !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit());
        let number = |value: &str| digits(value).then(|| value.parse().unwrap_or(u32::MAX));
        let halfmoves = self.read("data-halfmove", number)?.unwrap_or(0);
        let move_number = self.read("data-fullmove", number)?.unwrap_or(1);
        setup.set_clocks(u16::try_from(halfmoves).unwrap_or(u16::MAX), move_number);
        Ok(())
    }

    /// What is drawn; values that make no sense are left out.
    fn drawing(&self, document: &mut Document) {
        document.chess960 |= self.get("data-chess960").is_some();
        document.drawing.flipped = self.get("data-flipped").is_some();
        if let Some(Some(last)) = self.get("data-last").map(|(text, _)| Shape::parse(text)) {
            document.drawing.last_move = Some((last.from, last.to));
        }
        if let Some((list, _)) = self.get("data-shapes") {
            document.drawing.shapes = list.split_whitespace().filter_map(Shape::parse).collect();
        }
    }
}
