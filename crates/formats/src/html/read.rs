//! Finds the boards of an HTML page.

use super::super::{Document, FormatError, HtmlError, Location, Result, Shape, diagram, truncated};
use super::squares::{Attributes, SquareElement, squares};
use saavedra_chess::{Bitboard, CastlingRight, Color, File, Rank, Setup, Square};
use std::collections::BTreeMap;

/// The boards of a page in document order.
///
/// # Errors
/// The page has no board, or one of its boards is invalid.
pub(super) fn documents(bytes: &[u8]) -> Result<Vec<Document>> {
    let squares = squares(&decoded(bytes))?;
    let mut boards: Vec<Vec<&SquareElement>> = Vec::new();
    let mut index = BTreeMap::new();
    for square in &squares {
        let at = *index.entry(square.container.number).or_insert(boards.len());
        match boards.get_mut(at) {
            Some(board) => board.push(square),
            None => boards.push(vec![square]),
        }
    }
    if boards.is_empty() {
        return Err(FormatError::new(Location::default(), HtmlError::NoBoard));
    }
    boards.iter().map(|squares| document(squares)).collect()
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

/// The board of these square elements.
fn document(squares: &[&SquareElement]) -> Result<Document> {
    let [first, ..] = squares else {
        return Err(FormatError::new(Location::default(), HtmlError::NoBoard));
    };
    let location = Location::line(first.attributes.line);
    let mut setup = Setup::empty();
    let mut seen = Bitboard::EMPTY;
    for square_element in squares {
        let attributes = &square_element.attributes;
        let here = |kind| FormatError::new(Location::line(attributes.line), kind);
        let value = |name| attributes.get(name).map_or("", |(value, _)| value);
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
    let attributes = &first.container.attributes;
    rules(attributes, &mut setup)?;
    let mut document =
        Document::from_setup(&setup).map_err(|error| FormatError::new(location, error))?;
    drawing(attributes, &mut document);
    document.location = location;
    Ok(document)
}

/// The only character of a text.
fn single_char(text: &str) -> Option<char> {
    let mut characters = text.chars();
    characters.next().filter(|_| characters.next().is_none())
}

/// Parses an attribute if it is there; `read` returns `None` for an invalid value.
fn attribute<'a, T>(
    attributes: &'a Attributes,
    name: &'static str,
    read: impl FnOnce(&'a str) -> Option<T>,
) -> Result<Option<T>> {
    let Some((value, line)) = attributes.get(name) else {
        return Ok(None);
    };
    let refused = || HtmlError::Attribute(name, truncated(value));
    match read(value) {
        Some(value) => Ok(Some(value)),
        None => Err(FormatError::new(Location::line(line), refused())),
    }
}

/// Reads side to move, castling rights, en passant square and move counters.
fn rules(attributes: &Attributes, setup: &mut Setup) -> Result<()> {
    let turn = |value: &str| match value.to_ascii_lowercase().as_str() {
        "w" | "white" => Some(Color::White),
        "b" | "black" => Some(Color::Black),
        _ => None,
    };
    let turn = attribute(attributes, "data-turn", turn)?.unwrap_or(Color::White);
    setup.set_turn(turn);
    setup.allow_standard_castling();
    attribute(attributes, "data-castling", |value| {
        let rights = match value {
            "" => Vec::new(),
            field => CastlingRight::parse_fen_field(field).ok()?,
        };
        setup.set_castling_rights(rights);
        Some(())
    })?;
    let rank = Rank::Sixth.relative_to(turn);
    let en_passant = attribute(attributes, "data-ep", |value| match value {
        "" | "-" => Some(None),
        name => {
            let square = name.parse().ok();
            square.filter(|s: &Square| s.rank() == rank).map(Some)
        }
    })?;
    setup.set_en_passant(en_passant.flatten());
    let digits = |value: &str| !value.is_empty() && value.bytes().all(|c| c.is_ascii_digit());
    let number = |value: &str| digits(value).then(|| value.parse().unwrap_or(u32::MAX));
    let halfmoves = attribute(attributes, "data-halfmove", number)?.unwrap_or(0);
    let move_number = attribute(attributes, "data-fullmove", number)?.unwrap_or(1);
    setup.set_clocks(u16::try_from(halfmoves).unwrap_or(u16::MAX), move_number);
    Ok(())
}

/// Reads what is drawn beside the pieces; invalid values are ignored.
fn drawing(attributes: &Attributes, document: &mut Document) {
    document.chess960 |= attributes.get("data-chess960").is_some();
    document.drawing.flipped = attributes.get("data-flipped").is_some();
    if let Some(Some(last)) = attributes.get("data-last").map(|(text, _)| Shape::parse(text)) {
        document.drawing.last_move = Some((last.from, last.to));
    }
    if let Some((list, _)) = attributes.get("data-shapes") {
        document.drawing.shapes = list.split_whitespace().filter_map(Shape::parse).collect();
    }
}
