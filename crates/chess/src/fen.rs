//! Forsyth-Edwards Notation, with the castling rights of X-FEN and Shredder-FEN.
//!
//! <https://www.chessprogramming.org/Forsyth-Edwards_Notation>

use super::castling::is_king_side;
use super::{
    Board, CastlingRight, CastlingRook, Color, File, Piece, PieceKind, PositionError, Rank, Repair,
    Setup, Square,
};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

/// The name of the start position, which is read wherever a FEN is.
pub const STARTPOS: &str = "startpos";

/// Why a text is not a FEN: the field that is malformed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FenError {
    /// The text is empty.
    Empty,
    /// The piece placement has this number of ranks instead of 8.
    RankCount(usize),
    /// This rank has this number of squares instead of 8.
    RankLength(Rank, usize),
    /// This rank has this character, which is neither a piece nor a digit from 1 to 8.
    UnknownPiece(Rank, char),
    /// This rank has two digits in a row.
    DigitsInARow(Rank),
    /// The side to move is this instead of `w` or `b`.
    Turn(String),
    /// The castling field is neither `-` nor letters of `KQkq`, `A` to `H` and `a` to `h`.
    Castling(String),
    /// The en passant field is neither `-` nor a square of the right rank.
    EnPassant(String),
    /// The halfmove clock or move number is not a number from 0 up.
    Counter(String),
    /// There is a seventh field.
    TooManyFields(String),
}

impl fmt::Display for FenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("malformed FEN: ")?;
        match self {
            FenError::Empty => f.write_str("it is empty"),
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

impl core::error::Error for FenError {}

impl Setup {
    /// Reads a FEN of one to six fields. Missing fields mean: White to move, no castling rights, no
    /// en passant square, halfmove clock 0, move number 1. `startpos` is the start position, as in
    /// UCI. A semicolon may end the text, as in EPD.
    ///
    /// # Errors
    /// The first malformed field. Whether the position is legal is checked by [`Setup::to_board`].
    ///
    /// ```
    /// use saavedra_chess::{FenError, Setup};
    /// let setup = Setup::from_fen("8/8/8/8/8/8/8/8 w - - 0 1")?; // well-formed,
    /// assert!(setup.to_board().is_err()); // but without kings
    /// assert_eq!(Setup::from_fen("8/8 w - - 0 1"), Err(FenError::RankCount(2)));
    /// # Ok::<(), FenError>(())
    /// ```
    pub fn from_fen(text: &str) -> Result<Setup, FenError> {
        let text = text.trim_ascii();
        let text = text.strip_suffix(';').unwrap_or(text).trim_ascii_end();
        if text == STARTPOS {
            return Ok(Setup::from(&Board::startpos()));
        }
        let mut fields = text.split_ascii_whitespace();
        let mut setup = Setup::empty();
        parse_piece_placement(fields.next().ok_or(FenError::Empty)?, &mut setup)?;
        setup.turn = match fields.next() {
            None | Some("w") => Color::White,
            Some("b") => Color::Black,
            Some(other) => return Err(FenError::Turn(other.to_owned())),
        };
        setup.castling = CastlingRight::parse_fen_field(fields.next().unwrap_or("-"))?;
        setup.en_passant = match fields.next() {
            None | Some("-") => None,
            Some(field) => {
                let square = field
                    .parse()
                    .ok()
                    .filter(|square: &Square| square.rank() == Rank::Sixth.relative_to(setup.turn));
                Some(square.ok_or_else(|| FenError::EnPassant(field.to_owned()))?)
            }
        };
        let halfmove_clock = parse_counter(fields.next().unwrap_or("0"))?;
        setup.halfmove_clock = u16::try_from(halfmove_clock).unwrap_or(u16::MAX);
        setup.fullmove_number = parse_counter(fields.next().unwrap_or("1"))?;
        match fields.next() {
            None => Ok(setup),
            Some(rest) => Err(FenError::TooManyFields(rest.to_owned())),
        }
    }
}

impl FromStr for Setup {
    type Err = FenError;

    /// Reads a FEN: see [`Setup::from_fen`].
    fn from_str(text: &str) -> Result<Setup, FenError> {
        Setup::from_fen(text)
    }
}

fn parse_piece_placement(field: &str, setup: &mut Setup) -> Result<(), FenError> {
    let ranks: Vec<&str> = field.split('/').collect();
    if ranks.len() != 8 {
        return Err(FenError::RankCount(ranks.len()));
    }
    for (text, rank) in ranks.into_iter().zip(Rank::ALL.into_iter().rev()) {
        let mut file = 0;
        let mut after_digit = false;
        for c in text.chars() {
            let digit = c.to_digit(10).filter(|n| (1..=8).contains(n));
            if let Some(empty) = digit {
                if after_digit {
                    return Err(FenError::DigitsInARow(rank));
                }
                file += empty as usize;
            } else {
                let piece = Piece::from_letter(c).ok_or(FenError::UnknownPiece(rank, c))?;
                if let Some(&file) = File::ALL.get(file) {
                    setup.set_piece(Square::new(file, rank), Some(piece));
                }
                file += 1;
            }
            after_digit = digit.is_some();
        }
        if file != 8 {
            return Err(FenError::RankLength(rank, file));
        }
    }
    Ok(())
}

impl CastlingRight {
    /// Reads the castling field of a FEN: `-`, `KQkq`, `HAha`.
    ///
    /// # Errors
    /// The field has any other letter.
    pub fn parse_fen_field(field: &str) -> Result<Vec<CastlingRight>, FenError> {
        if field == "-" {
            return Ok(Vec::new());
        }
        let rights: Option<Vec<CastlingRight>> =
            field.chars().map(CastlingRight::from_letter).collect();
        rights.ok_or_else(|| FenError::Castling(field.to_owned()))
    }

    fn from_letter(letter: char) -> Option<CastlingRight> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        let rook = match letter.to_ascii_lowercase() {
            'k' => CastlingRook::KingSide,
            'q' => CastlingRook::QueenSide,
            file => CastlingRook::File(File::from_char(file)?),
        };
        Some(CastlingRight { color, rook })
    }
}

/// A number from 0 up; a number that does not fit becomes the largest.
fn parse_counter(field: &str) -> Result<u32, FenError> {
    if field.is_empty() || !field.bytes().all(|c| c.is_ascii_digit()) {
        return Err(FenError::Counter(field.to_owned()));
    }
    Ok(field.parse().unwrap_or(u32::MAX))
}

impl Board {
    /// The position of a FEN, or of `startpos`.
    ///
    /// Castling rights without king or rook and an en passant square without legal capture are
    /// ignored: see [`Board::from_fen_with_repairs`].
    ///
    /// # Errors
    /// The text is malformed or the position illegal.
    ///
    /// ```
    /// use saavedra_chess::{Board, PositionError};
    /// let board = Board::from_fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")?;
    /// assert_eq!(board.legal_moves().len(), 6);
    /// let error = Board::from_fen("4k3/8/8/8/8/8/4P3/8 w - - 0 1").unwrap_err();
    /// assert_eq!(error.to_string(), "impossible position: white has no king");
    /// # Ok::<(), PositionError>(())
    /// ```
    pub fn from_fen(text: &str) -> Result<Board, PositionError> {
        Board::from_fen_with_repairs(text).map(|(board, _)| board)
    }

    /// The position of a FEN and what was ignored or corrected in it.
    ///
    /// # Errors
    /// The text is malformed or the position illegal.
    pub fn from_fen_with_repairs(text: &str) -> Result<(Board, Vec<Repair>), PositionError> {
        Ok(Setup::from_fen(text)?.to_board()?)
    }

    /// The FEN of the position. Castling rights are `KQkq`, or the file of the rook where `KQkq`
    /// would mean another rook (X-FEN).
    pub fn to_fen(&self) -> String {
        self.fen_with(&self.fen_castling())
    }

    /// The FEN with castling rights as the files of the rooks (Shredder-FEN).
    pub fn to_shredder_fen(&self) -> String {
        self.fen_with(&self.castling_with(|_, rook| rook.file().char()))
    }

    /// The first four fields of the FEN, without halfmove clock and move number, as in EPD.
    pub fn to_epd(&self) -> String {
        self.epd_with(&self.fen_castling())
    }

    /// The castling rights as in [`to_fen`](Board::to_fen): the third field of the FEN.
    pub fn fen_castling(&self) -> String {
        self.castling_with(|color, rook| {
            let side = self.side(color);
            let rooks = side.pieces(PieceKind::Rook) & color.back_rank();
            let king_side = is_king_side(side.king(), rook);
            let is_outer = |other: Square| {
                if king_side { other.file() > rook.file() } else { other.file() < rook.file() }
            };
            match (rooks.into_iter().any(is_outer), king_side) {
                (true, _) => rook.file().char(),
                (false, true) => 'k',
                (false, false) => 'q',
            }
        })
    }

    fn castling_with(&self, castling_letter: impl Fn(Color, Square) -> char) -> String {
        if self.castling_rights().is_empty() {
            return "-".to_owned();
        }
        let mut text = String::with_capacity(4);
        for color in Color::ALL {
            // King side first.
            let mut rooks: Vec<Square> =
                (self.castling_rights() & color.back_rank()).into_iter().collect();
            rooks.reverse();
            for rook in rooks {
                let letter = castling_letter(color, rook);
                text.push(match color {
                    Color::White => letter.to_ascii_uppercase(),
                    Color::Black => letter,
                });
            }
        }
        text
    }

    fn fen_with(&self, castling: &str) -> String {
        let (halfmove_clock, fullmove_number) = (self.halfmove_clock(), self.fullmove_number());
        let epd = self.epd_with(castling);
        format!("{epd} {halfmove_clock} {fullmove_number}")
    }

    fn epd_with(&self, castling: &str) -> String {
        let (pieces, turn) = (self.piece_placement(), self.turn().letter());
        match self.en_passant() {
            Some(square) => format!("{pieces} {turn} {castling} {square}"),
            None => format!("{pieces} {turn} {castling} -"),
        }
    }

    /// The piece placement: the first field of the FEN.
    pub fn piece_placement(&self) -> String {
        let mut text = String::with_capacity(80);
        for rank in Rank::ALL.into_iter().rev() {
            let mut empty = 0;
            for file in File::ALL {
                match self.piece_at(Square::new(file, rank)) {
                    None => empty += 1,
                    Some(piece) => {
                        push_empty(empty, &mut text);
                        empty = 0;
                        text.push(piece.letter());
                    }
                }
            }
            push_empty(empty, &mut text);
            if rank != Rank::First {
                text.push('/');
            }
        }
        text
    }
}

/// Adds the digit of a number of empty squares, unless it is 0.
fn push_empty(count: u8, text: &mut String) {
    if count > 0 {
        text.push((b'0' + count) as char);
    }
}
