//! Boards drawn in text: what ASCII and Unicode diagrams share.
//!
//! Taken are eight rows of eight signs, with or without blanks between them, frames, ranks before
//! or after the rows and files above or below. If the ranks or files are given, the board may be
//! seen from either side; otherwise rank 8 is on top.

use super::{DiagramFault, Document, Documents, FormatError, Place, Result, clipped, lines};
use crate::chess::{Color, File, Piece, PieceKind, Rank, Setup, Square};
use std::io::Read;

/// The chess symbols in the order of their code points: king to pawn, White first.
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

/// Characters that are there but not seen: variation selectors, joiners, byte order marks.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{fe00}'..='\u{fe0f}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}')
}

/// What a sign of a diagram says: a piece or an empty square. `None` if it says neither.
fn square_of(sign: char) -> Option<Option<Piece>> {
    match sign {
        '.' | '-' | '·' | '*' | '_' | '⭘' | '□' | '■' | '▢' | '0' | '+' => Some(None),
        _ => Piece::from_letter(sign)
            .or_else(|| piece_of_symbol(sign))
            .map(Some),
    }
}

/// A board of pieces alone as a document: see [`Keeps::Pieces`](super::Keeps::Pieces).
///
/// # Errors
/// The position is impossible, whoever is to move.
pub(super) fn document_of_pieces(setup: Setup) -> Result<Document> {
    let mut setup = setup;
    setup.set_turn(Color::White);
    setup.allow_standard_castling();
    let failed = match Document::from_setup(&setup) {
        Ok(document) => return Ok(document),
        Err(error) => error,
    };
    // With Black in check it can only be Black's turn.
    setup.set_turn(Color::Black);
    Document::from_setup(&setup).map_err(|_| FormatError::new(Place::line(1), failed))
}

/// The documents of diagrams with empty lines between them.
pub(super) fn documents<'a>(input: Box<dyn Read + 'a>) -> Documents<'a> {
    lines::blocks(input, |block| {
        let lines = block.iter().map(String::as_str);
        match read(lines) {
            Ok(None) => None,
            Ok(Some(setup)) => Some(document_of_pieces(setup)),
            Err(error) => Some(Err(error)),
        }
    })
}

/// Whether a text seems to be a diagram.
pub(super) fn looks_like_diagram(text: &str) -> bool {
    let first = text.lines().map(Line::of).find_map(|line| match line {
        Line::Row { signs, .. } => Some(signs),
        _ => None,
    });
    first.is_some_and(|signs| {
        signs.len() == 8
            && signs
                .iter()
                .all(|(_, sign)| sign.is_none_or(|s| square_of(s).is_some()))
    })
}

/// A diagram row by row.
pub(super) fn draw(
    setup_piece: impl Fn(Square) -> Option<Piece>,
    sign: fn(Piece) -> char,
) -> String {
    let mut text = String::with_capacity(256);
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            if file != File::A {
                text.push(' ');
            }
            text.push(setup_piece(Square::new(file, rank)).map_or('.', sign));
        }
        text.push('\n');
    }
    text
}

/// A line of a diagram.
enum Line {
    /// Nothing, or part of a frame.
    Frame,
    /// The files, in this order if from h to a.
    Files { reversed: bool },
    /// Squares: column and sign of each (none if empty inside a frame), and the rank if named.
    Row {
        rank: Option<u8>,
        signs: Vec<(usize, Option<char>)>,
    },
}

impl Line {
    fn of(text: &str) -> Line {
        let seen: Vec<(usize, char)> = text
            .chars()
            .enumerate()
            .filter(|(_, c)| !is_invisible(*c))
            .map(|(column, c)| (column + 1, if c == '│' || c == '║' { '|' } else { c }))
            .collect();
        let marks: Vec<(usize, char)> = seen
            .iter()
            .copied()
            .filter(|(_, c)| !c.is_whitespace())
            .collect();
        let letters: String = marks.iter().map(|(_, c)| c.to_ascii_lowercase()).collect();
        let bars = letters.matches('|').count();
        let is_frame = |c: char| "+-=_|".contains(c) || ('─'..='╿').contains(&c);
        // Eight dashes are a row of empty squares, and bars alone may have such between them.
        let framing = letters.chars().all(is_frame) && letters.chars().count() != 8;
        if letters.is_empty() || (framing && bars < letters.len().max(9)) {
            return Line::Frame;
        }
        match letters.trim_matches('|') {
            "abcdefgh" => return Line::Files { reversed: false },
            "hgfedcba" => return Line::Files { reversed: true },
            _ => {}
        }
        // Eight squares with bars around them have nine.
        match bars {
            9.. => Line::framed(&seen),
            _ => Line::loose(&marks),
        }
    }

    /// A row whose squares have bars between them.
    fn framed(seen: &[(usize, char)]) -> Line {
        let cells: Vec<&[(usize, char)]> = seen.split(|(_, c)| *c == '|').collect();
        let (inside, outside) = match cells.as_slice() {
            [before, inside @ .., after] => (inside, [*before, *after]),
            _ => (&[][..], [&[][..]; 2]),
        };
        let rank = outside.into_iter().find_map(rank_of);
        let signs = inside.iter().map(|cell| {
            let mut marks = cell.iter().filter(|(_, c)| !c.is_whitespace());
            let column = cell.first().map_or(0, |(column, _)| *column);
            match (marks.next(), marks.next()) {
                (None, _) => (column, None),
                (Some((column, sign)), None) => (*column, Some(*sign)),
                // Two signs in a square: one that is no piece, so that it is refused.
                (Some(_), Some((column, _))) => (*column, Some('?')),
            }
        });
        Line::Row {
            rank,
            signs: signs.collect(),
        }
    }

    /// A row without bars between its squares, perhaps with one at each end.
    fn loose(marks: &[(usize, char)]) -> Line {
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
        let signs = rest.iter().filter(|(_, c)| *c != '|');
        Line::Row {
            rank,
            signs: signs.map(|(column, c)| (*column, Some(*c))).collect(),
        }
    }
}

fn rank_of(label: &[(usize, char)]) -> Option<u8> {
    let digit = label.iter().find_map(|(_, c)| c.to_digit(10))?;
    (1..=8).contains(&digit).then_some(digit as u8 - 1)
}

/// Reads a diagram; `None` if none of the lines is a row.
///
/// # Errors
/// There are not eight rows of eight squares, or a sign is unknown.
fn read<'a>(lines: impl Iterator<Item = &'a str>) -> Result<Option<Setup>> {
    let mut rows = Vec::new();
    let mut reversed = false;
    for (number, text) in (1u64..).zip(lines) {
        match Line::of(text) {
            Line::Frame => {}
            Line::Files { reversed: r } => reversed = r,
            Line::Row { rank, signs } => rows.push((number, rank, signs)),
        }
    }
    let Some(first) = rows.first().map(|row| row.0) else {
        return Ok(None);
    };
    let upside_down = matches!(rows[0].1, Some(0)) && matches!(rows.get(1), Some((_, Some(1), _)));
    let mut setup = Setup::empty();
    for (row, (line, _, signs)) in rows.iter().enumerate() {
        for (file, (column, sign)) in signs.iter().enumerate() {
            let piece = match sign {
                None => None,
                Some(sign) => square_of(*sign).ok_or_else(|| {
                    let place = Place::at(*line, *column as u64);
                    FormatError::new(place, DiagramFault::Symbol(clipped(&sign.to_string())))
                })?,
            };
            if let (Some(&rank), Some(&file)) = (Rank::ALL.get(row), File::ALL.get(file)) {
                let file = if reversed { file.flip() } else { file };
                let rank = if upside_down { rank } else { rank.flip() };
                setup.set_piece(Square::new(file, rank), piece);
            }
        }
        if signs.len() != 8 {
            let fault = DiagramFault::RowLength(row + 1, signs.len());
            return Err(FormatError::new(Place::line(*line), fault));
        }
    }
    match rows.len() {
        8 => Ok(Some(setup)),
        n => Err(FormatError::new(Place::line(first), DiagramFault::Rows(n))),
    }
}
