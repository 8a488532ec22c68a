//! Positions as text: Forsyth-Edwards notation, with X-FEN and Shredder-FEN castling.

use super::setup::{CastlingWish, Wing};
use super::{Board, Color, Piece, PieceKind, PositionError, Repair, Setup, Square};
use std::fmt;

/// A text that cannot be read as a FEN: which field is wrong, and how.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FenError {
    /// There is nothing.
    Empty,
    /// The board is not eight ranks.
    RankCount(usize),
    /// This rank is not eight squares.
    RankLength(u8, usize),
    /// This character is no piece, on this rank.
    UnknownPiece(u8, char),
    /// This rank has a digit after a digit.
    DigitsInARow(u8),
    /// The side to move is neither `w` nor `b`.
    Turn(String),
    /// The castling field has something else than `-` or letters of KQkq, A–H, a–h.
    Castling(String),
    /// The en passant field is neither `-` nor a square of the right rank.
    EnPassant(String),
    /// A counter is no number from 0 up.
    Counter(String),
    /// There are more fields than six.
    TooManyFields(String),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("malformed FEN: ")?;
        match self {
            FenError::Empty => write!(f, "it is empty"),
            FenError::RankCount(n) => write!(f, "{n} ranks instead of 8"),
            FenError::RankLength(rank, n) => write!(f, "rank {rank} has {n} squares"),
            FenError::UnknownPiece(rank, c) => write!(f, "unknown piece {c:?} on rank {rank}"),
            FenError::DigitsInARow(rank) => write!(f, "two digits in a row on rank {rank}"),
            FenError::Turn(text) => write!(f, "the side to move is {text:?}, not w or b"),
            FenError::Castling(text) => write!(f, "castling rights {text:?}"),
            FenError::EnPassant(text) => write!(f, "en passant square {text:?}"),
            FenError::Counter(text) => write!(f, "counter {text:?}"),
            FenError::TooManyFields(text) => write!(f, "unexpected {text:?} after the counters"),
        }
    }
}

impl std::error::Error for FenError {}

/// Reads a FEN of two to six fields (missing ones: no castling, no en passant, counters 0 and 1;
/// a board alone means White to move).
///
/// # Errors
/// The first field that is malformed. Whether the position is possible is
/// [`Setup::to_board`]'s matter.
pub fn parse_fen(text: &str) -> Result<Setup, FenError> {
    let mut fields = text.split_ascii_whitespace();
    let mut setup = Setup::empty();
    parse_pieces(fields.next().ok_or(FenError::Empty)?, &mut setup)?;
    setup.turn = match fields.next() {
        None | Some("w") => Color::White,
        Some("b") => Color::Black,
        Some(other) => return Err(FenError::Turn(other.to_owned())),
    };
    let castling = fields.next().unwrap_or("-");
    setup.castling =
        parse_castling(castling).ok_or_else(|| FenError::Castling(castling.to_owned()))?;
    setup.en_passant = match fields.next() {
        None | Some("-") => None,
        Some(field) => {
            let rank = if setup.turn == Color::White { 5 } else { 2 };
            let square = field
                .parse()
                .ok()
                .filter(|square: &Square| square.rank() == rank);
            Some(square.ok_or_else(|| FenError::EnPassant(field.to_owned()))?)
        }
    };
    setup.halfmove_clock = parse_counter(fields.next().unwrap_or("0"))?.min(u16::MAX.into()) as u16;
    setup.fullmove_number = parse_counter(fields.next().unwrap_or("1"))?;
    match fields.next() {
        None => Ok(setup),
        Some(rest) => Err(FenError::TooManyFields(rest.to_owned())),
    }
}

fn parse_pieces(field: &str, setup: &mut Setup) -> Result<(), FenError> {
    let ranks: Vec<&str> = field.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::RankCount(ranks.len()));
    }
    for (text, rank) in ranks.into_iter().zip((0..8u8).rev()) {
        let mut file = 0usize;
        let mut after_digit = false;
        for c in text.chars() {
            let digit = c.to_digit(10).filter(|n| (1..=8).contains(n));
            if let Some(empty) = digit {
                if after_digit {
                    return Err(FenError::DigitsInARow(rank + 1));
                }
                file += empty as usize;
            } else {
                let piece = Piece::from_letter(c).ok_or(FenError::UnknownPiece(rank + 1, c))?;
                if file < 8 {
                    setup.set_piece(Square::at(file as u8, rank), Some(piece));
                }
                file += 1;
            }
            after_digit = digit.is_some();
        }
        if file != 8 {
            return Err(FenError::RankLength(rank + 1, file));
        }
    }
    Ok(())
}

pub(super) fn parse_castling(field: &str) -> Option<Vec<CastlingWish>> {
    if field == "-" {
        return Some(Vec::new());
    }
    let wish = |letter: char| {
        let color = if letter.is_ascii_uppercase() {
            Color::White
        } else {
            Color::Black
        };
        let wing = match letter.to_ascii_lowercase() {
            'k' => Wing::King,
            'q' => Wing::Queen,
            file @ 'a'..='h' => Wing::File(file as u8 - b'a'),
            _ => return None,
        };
        Some(CastlingWish { color, wing })
    };
    field.chars().map(wish).collect()
}

/// A number from 0 up; one too large for us is as good as the largest.
fn parse_counter(field: &str) -> Result<u32, FenError> {
    if field.is_empty() || !field.bytes().all(|c| c.is_ascii_digit()) {
        return Err(FenError::Counter(field.to_owned()));
    }
    Ok(field.parse().unwrap_or(u32::MAX))
}

impl Setup {
    /// Sets castling rights from a FEN's field: `-`, `KQkq`, `HAha`.
    ///
    /// # Errors
    /// If it has any other letter.
    pub fn set_castling(&mut self, field: &str) -> Result<(), FenError> {
        self.castling =
            parse_castling(field).ok_or_else(|| FenError::Castling(field.to_owned()))?;
        Ok(())
    }
}

impl Board {
    /// The position of a FEN.
    ///
    /// # Errors
    /// The text is malformed, or the position impossible. What could be repaired was: see
    /// [`Board::from_fen_with_repairs`].
    pub fn from_fen(text: &str) -> Result<Board, PositionError> {
        Board::from_fen_with_repairs(text).map(|(board, _)| board)
    }

    /// The position of a FEN and what had to be repaired in it.
    ///
    /// # Errors
    /// The text is malformed, or the position impossible.
    pub fn from_fen_with_repairs(text: &str) -> Result<(Board, Vec<Repair>), PositionError> {
        Ok(parse_fen(text)?.to_board()?)
    }

    /// The FEN of the position; castling as `KQkq`, and as the rook's file where that would be
    /// unclear (X-FEN).
    pub fn to_fen(&self) -> String {
        self.fen_with(|color, rook| {
            let side = self.side(color);
            let rooks = side.pieces(PieceKind::Rook) & color.back_rank();
            let king_side = rook.file() > side.king().file();
            let outer = |r: Square| match king_side {
                true => r.file() > rook.file(),
                false => r.file() < rook.file(),
            };
            match (rooks.into_iter().any(outer), king_side) {
                (true, _) => b'a' + rook.file(),
                (false, true) => b'k',
                (false, false) => b'q',
            }
        })
    }

    /// The FEN with castling always as files of the rooks (Shredder-FEN).
    pub fn to_shredder_fen(&self) -> String {
        self.fen_with(|_, rook| b'a' + rook.file())
    }

    fn fen_with(&self, castling_letter: impl Fn(Color, Square) -> u8) -> String {
        let mut text = self.piece_placement();
        text.push(' ');
        text.push(self.turn().letter());
        text.push(' ');
        if self.castling_rights().is_empty() {
            text.push('-');
        }
        for color in Color::ALL {
            // King's side first.
            let mut rooks: Vec<Square> = (self.castling_rights() & color.back_rank())
                .into_iter()
                .collect();
            rooks.reverse();
            for rook in rooks {
                let letter = castling_letter(color, rook) as char;
                text.push(match color {
                    Color::White => letter.to_ascii_uppercase(),
                    Color::Black => letter,
                });
            }
        }
        let en_passant = self
            .en_passant()
            .map_or_else(|| "-".to_owned(), |s| s.to_string());
        text + &format!(
            " {en_passant} {} {}",
            self.halfmove_clock(),
            self.fullmove_number()
        )
    }

    /// The first field of the FEN.
    pub fn piece_placement(&self) -> String {
        let mut text = String::with_capacity(80);
        for rank in (0..8).rev() {
            let mut empty = 0;
            for file in 0..8 {
                match self.piece_at(Square::at(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        if empty > 0 {
                            text.push((b'0' + empty) as char);
                            empty = 0;
                        }
                        text.push(piece.letter());
                    }
                }
            }
            if empty > 0 {
                text.push((b'0' + empty) as char);
            }
            if rank > 0 {
                text.push('/');
            }
        }
        text
    }
}
