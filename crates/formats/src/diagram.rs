//! Text diagrams, with ASCII letters or Unicode symbols.
//!
//! A diagram has eight rows of eight symbols, with or without spaces between them, borders, rank
//! numbers and file letters. With rank numbers or file letters the board may be seen from either
//! side; without them rank 8 is at the top.

use super::{
    Content, DiagramError, Document, Documents, Format, FormatError, FormatInfo, Location, Result,
    lines, truncated,
};
use saavedra_chess::{Color, File, Piece, PieceKind, Rank, Setup, Square};
use std::io::Read;

/// A format of diagrams. They differ only in what is written; each reads both.
pub(super) struct Diagram {
    name: &'static str,
    extensions: &'static [&'static str],
    symbol: fn(Piece) -> char,
}

/// Upper-case letters for White, lower-case letters for Black, dots for empty squares.
pub(super) static ASCII: Diagram =
    Diagram { name: "ascii", extensions: &["txt"], symbol: Piece::letter };

/// Unicode chess symbols, dots for empty squares.
pub(super) static UNICODE: Diagram = Diagram { name: "unicode", extensions: &[], symbol };

impl Format for Diagram {
    fn info(&self) -> FormatInfo {
        FormatInfo { name: self.name, extensions: self.extensions, content: Content::Pieces }
    }

    /// Diagrams are separated by empty lines.
    fn read<'a>(&self, input: Box<dyn Read + 'a>) -> Documents<'a> {
        lines::blocks(input, |block| {
            let setup = read(block.iter().map(String::as_str)).transpose()?;
            Some(setup.and_then(document_of_pieces))
        })
    }

    fn export(&self, document: &Document) -> String {
        let board = document.board();
        let content = |square| board.piece_at(square).map_or('.', self.symbol);
        let ranks = Rank::ALL.into_iter().rev();
        ranks
            .map(|rank| {
                let row = File::ALL.map(|file| content(Square::new(file, rank)).to_string());
                row.join(" ") + "\n"
            })
            .collect()
    }

    fn separator(&self) -> &'static str {
        "\n"
    }
}

/// The Unicode chess symbols in the order of their code points: king to pawn, White first.
const SYMBOLS: [char; 12] = ['♔', '♕', '♖', '♗', '♘', '♙', '♚', '♛', '♜', '♝', '♞', '♟'];

/// The Unicode symbol of a piece.
pub(super) fn symbol(piece: Piece) -> char {
    SYMBOLS[piece.color.index() * 6 + 5 - piece.kind.index()]
}

/// The piece of a Unicode symbol.
pub(super) fn piece_of_symbol(symbol: char) -> Option<Piece> {
    let at = SYMBOLS.into_iter().position(|s| s == symbol)?;
    Some(Piece::new(Color::ALL[at / 6], PieceKind::ALL[5 - at % 6]))
}

/// Invisible characters: variation selectors, joiners, byte order marks.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// The content of a square: a piece, or `None` if it is empty. The outer `None` is an unknown
/// symbol.
fn square_content(symbol: char) -> Option<Option<Piece>> {
    match symbol {
        '.' | '-' | '·' | '*' | '_' | '⭘' | '□' | '■' | '▢' | '0' | '+' => Some(None),
        _ => Piece::from_letter(symbol).or_else(|| piece_of_symbol(symbol)).map(Some),
    }
}

/// A document from the placement of the pieces: see [`Content::Pieces`](super::Content::Pieces).
///
/// # Errors
/// The position is invalid with either side to move.
pub(super) fn document_of_pieces(setup: Setup) -> Result<Document> {
    let mut setup = setup;
    setup.set_turn(Color::White);
    setup.allow_standard_castling();
    let failed = match Document::from_setup(&setup) {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    // If Black is in check, Black is to move.
    setup.set_turn(Color::Black);
    Document::from_setup(&setup).map_err(|_| FormatError::new(Location::line(1), failed))
}

/// Whether the first row of a text looks like one of a diagram.
pub(super) fn looks_like_diagram(text: &str) -> bool {
    let first = text.lines().map(DiagramLine::parse).find_map(|line| match line {
        DiagramLine::Row { symbols, .. } => Some(symbols),
        _ => None,
    });
    first.is_some_and(|symbols| {
        symbols.len() == 8
            && symbols.iter().all(|(_, symbol)| symbol.is_none_or(|s| square_content(s).is_some()))
    })
}

/// A line of a diagram.
enum DiagramLine {
    /// An empty line or part of a border.
    Border,
    /// File letters; reversed if from h to a.
    Files { reversed: bool },
    /// Squares: column and symbol of each (`None` for an empty cell between bars), and the rank
    /// from 0 if the line has a rank number.
    Row { rank: Option<u8>, symbols: Vec<(usize, Option<char>)> },
}

impl DiagramLine {
    fn parse(text: &str) -> DiagramLine {
        let seen: Vec<(usize, char)> = text
            .chars()
            .enumerate()
            .filter(|(_, c)| !is_invisible(*c))
            .map(|(column, c)| (column + 1, if c == '│' || c == '║' { '|' } else { c }))
            .collect();
        let marks: Vec<(usize, char)> =
            seen.iter().copied().filter(|(_, c)| !c.is_whitespace()).collect();
        let letters: String = marks.iter().map(|(_, c)| c.to_ascii_lowercase()).collect();
        let bars = letters.matches('|').count();
        let is_border_char = |c: char| "+-=_|".contains(c) || ('─'..='╿').contains(&c);
        // Eight dashes are a row of empty squares; so are bars with nothing between them.
        let is_border = letters.chars().all(is_border_char) && letters.chars().count() != 8;
        if letters.is_empty() || (is_border && bars < letters.len().max(9)) {
            return DiagramLine::Border;
        }
        match letters.trim_matches('|') {
            "abcdefgh" => return DiagramLine::Files { reversed: false },
            "hgfedcba" => return DiagramLine::Files { reversed: true },
            _ => {}
        }
        // Eight squares with bars around them have nine.
        match bars {
            9.. => DiagramLine::with_bars(&seen),
            _ => DiagramLine::without_bars(&marks),
        }
    }

    /// A row with bars between the squares.
    fn with_bars(seen: &[(usize, char)]) -> DiagramLine {
        let cells: Vec<&[(usize, char)]> = seen.split(|(_, c)| *c == '|').collect();
        let (inside, outside) = match cells.as_slice() {
            [before, inside @ .., after] => (inside, [*before, *after]),
            _ => (&[][..], [&[][..]; 2]),
        };
        let rank = outside.into_iter().find_map(rank_of);
        let symbols = inside.iter().map(|cell| {
            let mut marks = cell.iter().filter(|(_, c)| !c.is_whitespace());
            let column = cell.first().map_or(0, |(column, _)| *column);
            match (marks.next(), marks.next()) {
                (None, _) => (column, None),
                (Some((column, symbol)), None) => (*column, Some(*symbol)),
                // Two symbols in a square: replaced by one that is not a piece, to be refused.
                (Some(_), Some((column, _))) => (*column, Some('?')),
            }
        });
        DiagramLine::Row { rank, symbols: symbols.collect() }
    }

    /// A row without bars between the squares; there may be one at each end.
    fn without_bars(marks: &[(usize, char)]) -> DiagramLine {
        let mut rest = marks;
        let mut rank = None;
        let is_rank = |c: char| ('1'..='8').contains(&c);
        if let [(_, c), more @ ..] = rest
            && is_rank(*c)
        {
            (rank, rest) = (rank_of(&rest[..1]), more);
        }
        if let [more @ .., (_, c)] = rest
            && is_rank(*c)
        {
            (rank, rest) = (rank.or(rank_of(&rest[rest.len() - 1..])), more);
        }
        let symbols = rest.iter().filter(|(_, c)| *c != '|');
        DiagramLine::Row { rank, symbols: symbols.map(|(column, c)| (*column, Some(*c))).collect() }
    }
}

fn rank_of(label: &[(usize, char)]) -> Option<u8> {
    let digit = label.iter().find_map(|(_, c)| c.to_digit(10))?;
    (1..=8).contains(&digit).then(|| digit as u8 - 1)
}

/// Reads a diagram; `None` if none of the lines is a row.
///
/// # Errors
/// There are not eight rows of eight squares, or a symbol is unknown.
fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Result<Option<Setup>> {
    let mut rows = Vec::new();
    // Whether the labels run from h to a, and from 1 to 8.
    let mut files_reversed = None;
    for (number, text) in (1u64..).zip(lines) {
        match DiagramLine::parse(text) {
            DiagramLine::Border => {}
            DiagramLine::Files { reversed } => files_reversed = Some(reversed),
            DiagramLine::Row { rank, symbols } => rows.push((number, rank, symbols)),
        }
    }
    let Some(first) = rows.first().map(|row| row.0) else {
        return Ok(None);
    };
    let ranks_reversed = match (rows[0].1, rows.get(1).and_then(|row| row.1)) {
        (Some(0), Some(1)) => Some(true),
        (Some(7), Some(6)) => Some(false),
        _ => None,
    };
    // With only one kind of labels, these tell from which side the board is seen.
    let reversed = files_reversed.or(ranks_reversed).unwrap_or(false);
    let upside_down = ranks_reversed.or(files_reversed).unwrap_or(false);
    let mut setup = Setup::empty();
    for (row, (line, _, symbols)) in rows.iter().enumerate() {
        for (file, (column, symbol)) in symbols.iter().enumerate() {
            let piece = match symbol {
                None => None,
                Some(symbol) => square_content(*symbol).ok_or_else(|| {
                    let location = Location::at(*line, *column as u64);
                    FormatError::new(location, DiagramError::Symbol(truncated(&symbol.to_string())))
                })?,
            };
            if let (Some(&rank), Some(&file)) = (Rank::ALL.get(row), File::ALL.get(file)) {
                let file = if reversed { file.flip() } else { file };
                let rank = if upside_down { rank } else { rank.flip() };
                setup.set_piece(Square::new(file, rank), piece);
            }
        }
        if symbols.len() != 8 {
            let kind = DiagramError::RowLength(row + 1, symbols.len());
            return Err(FormatError::new(Location::line(*line), kind));
        }
    }
    match rows.len() {
        8 => Ok(Some(setup)),
        n => Err(FormatError::new(Location::line(first), DiagramError::Rows(n))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_is_a_digit_from_one_to_eight() {
        for (label, rank) in
            [("1", Some(0)), ("8", Some(7)), (" 3)", Some(2)), ("0", None), ("9", None), ("", None)]
        {
            let label: Vec<(usize, char)> = label.chars().enumerate().collect();
            assert_eq!(rank_of(&label), rank, "{label:?}");
        }
    }
}
