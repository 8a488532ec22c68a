//! Finds the boards of an HTML page.

use super::super::{Document, FormatError, HtmlError, Location, Result, Shape, diagram, truncated};
use super::tree::{self, DOCUMENT, Node, NodeData, NodeIndex};
use saavedra_chess::{Bitboard, CastlingRight, Color, File, Rank, Setup, Square};

/// An element with one of these attributes is the container of a board.
const BOARD_ATTRIBUTES: [&str; 3] = ["data-turn", "data-castling", "data-ep"];

/// Elements whose text a browser does not show.
const HIDDEN: [&str; 4] = ["script", "style", "noscript", "template"];

/// An element with `data-col` and `data-row`, and its text without that of nested squares.
struct SquareElement {
    node: NodeIndex,
    /// The container of its board; the document if there is none.
    container: NodeIndex,
    text: String,
}

/// The boards of a page in document order.
///
/// # Errors
/// The page has no board, or one of its boards is invalid.
pub(super) fn documents(bytes: &[u8]) -> Result<Vec<Document>> {
    let text = decoded(bytes);
    let mut nodes = tree::parse(&text)?;
    let mut squares = squares(&nodes);
    if squares.is_empty() {
        nodes = tree::parse_in_table(&text)?;
        squares = self::squares(&nodes);
    }
    if squares.is_empty() {
        return Err(FormatError::new(Location::default(), HtmlError::NoBoard));
    }
    let mut boards: Vec<(NodeIndex, Vec<&SquareElement>)> = Vec::new();
    let mut index = std::collections::HashMap::new();
    for square_element in &squares {
        let at = *index.entry(square_element.container).or_insert(boards.len());
        match boards.get_mut(at) {
            Some((_, squares)) => squares.push(square_element),
            None => boards.push((square_element.container, vec![square_element])),
        }
    }
    let read = |(container, squares): &(NodeIndex, Vec<&SquareElement>)| {
        document(&nodes, *container, squares)
    };
    boards.iter().map(read).collect()
}

/// The text of a page: UTF-16 if it starts with a byte order mark of it, else UTF-8.
fn decoded(bytes: &[u8]) -> String {
    let wide = |of: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|b| of([b[0], b[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    };
    match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// All square elements of the page in document order.
fn squares(nodes: &[Node]) -> Vec<SquareElement> {
    let mut squares: Vec<SquareElement> = Vec::new();
    // Nodes to visit, each with its innermost square and container.
    let mut open: Vec<(NodeIndex, Option<usize>, NodeIndex)> = vec![(DOCUMENT, None, DOCUMENT)];
    while let Some((id, mut square, mut container)) = open.pop() {
        let node = &nodes[id];
        match &node.data {
            NodeData::Text(text) => {
                if let Some(i) = square {
                    squares[i].text.push_str(text);
                }
                continue;
            }
            NodeData::Element { name, .. } if HIDDEN.contains(&&*name.local) => continue,
            NodeData::Element { .. } => {
                if node.attribute("data-col").is_some() && node.attribute("data-row").is_some() {
                    square = Some(squares.len());
                    squares.push(SquareElement { node: id, container, text: String::new() });
                } else if BOARD_ATTRIBUTES.iter().any(|name| node.attribute(name).is_some()) {
                    container = id;
                }
            }
            NodeData::Other => {}
        }
        let children = node.children.iter().rev();
        open.extend(children.map(|child| (*child, square, container)));
    }
    squares
}

/// The board of these square elements.
fn document(nodes: &[Node], container: NodeIndex, squares: &[&SquareElement]) -> Result<Document> {
    let location = Location::line(nodes[squares[0].node].line);
    let mut setup = Setup::empty();
    let mut seen = Bitboard::EMPTY;
    for square_element in squares {
        let node = &nodes[square_element.node];
        let here = |kind| FormatError::new(Location::line(node.line), kind);
        let value = |name| node.attribute(name).unwrap_or_default().trim();
        let (col, row) = (value("data-col"), value("data-row"));
        let file = single_char(col).and_then(File::from_char);
        let rank = single_char(row).and_then(Rank::from_char);
        let square = file
            .zip(rank)
            .map(|(file, rank)| Square::new(file, rank))
            .ok_or_else(|| here(HtmlError::NotASquare(truncated(col), truncated(row))))?;
        if seen.has(square) {
            return Err(here(HtmlError::Repeated(square)));
        }
        seen |= square.bitboard();
        let is_seen = |c: &char| !c.is_whitespace() && !diagram::is_invisible(*c);
        let text: String = square_element.text.chars().filter(is_seen).collect();
        let mut pieces = text.chars().map(diagram::piece_of_symbol);
        let piece = match (pieces.next(), pieces.next()) {
            (None, _) => None,
            (Some(Some(piece)), None) => Some(piece),
            (Some(Some(_)), Some(Some(_))) if pieces.all(|piece| piece.is_some()) => {
                return Err(here(HtmlError::Several(square, truncated(&text))));
            }
            _ => {
                let text = truncated(square_element.text.trim());
                return Err(here(HtmlError::Symbol(square, text)));
            }
        };
        setup.set_piece(square, piece);
    }
    if seen != Bitboard::ALL {
        let missing = (!seen).into_iter().collect();
        return Err(FormatError::new(location, HtmlError::Missing(missing)));
    }
    let mut attributes = BoardAttributes { nodes, container };
    attributes.rules(&mut setup)?;
    let mut document =
        Document::from_setup(&setup).map_err(|error| FormatError::new(location, error))?;
    attributes.drawing(&mut document);
    document.location = location;
    Ok(document)
}

/// The only character of a text.
fn single_char(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// The attributes of a container and the elements around it.
struct BoardAttributes<'a> {
    nodes: &'a [Node],
    container: NodeIndex,
}

impl<'a> BoardAttributes<'a> {
    /// The trimmed value of an attribute, from the nearest element that has it, and its line.
    fn get(&self, name: &str) -> Option<(&'a str, u64)> {
        let mut next = Some(self.container);
        while let Some(id) = next {
            let node = &self.nodes[id];
            if let Some(value) = node.attribute(name) {
                return Some((value.trim(), node.line));
            }
            next = node.parent;
        }
        None
    }

    /// Parses an attribute if it is there; `read` returns `None` for an invalid value.
    fn read<T>(
        &self,
        name: &'static str,
        read: impl FnOnce(&'a str) -> Option<T>,
    ) -> Result<Option<T>> {
        let Some((value, line)) = self.get(name) else {
            return Ok(None);
        };
        let refused = || HtmlError::Attribute(name, truncated(value));
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => Err(FormatError::new(Location::line(line), refused())),
        }
    }

    /// Reads side to move, castling rights, en passant square and move counters.
    fn rules(&mut self, setup: &mut Setup) -> Result<()> {
        let turn = |value: &str| match value.to_ascii_lowercase().as_str() {
            "w" | "white" => Some(Color::White),
            "b" | "black" => Some(Color::Black),
            _ => None,
        };
        let turn = self.read("data-turn", turn)?.unwrap_or(Color::White);
        setup.set_turn(turn);
        setup.allow_standard_castling();
        self.read("data-castling", |value| {
            let rights = match value {
                "" => Vec::new(),
                field => CastlingRight::parse_fen_field(field).ok()?,
            };
            setup.set_castling_rights(rights);
            Some(())
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

    /// Reads what is drawn beside the pieces; invalid values are ignored.
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
