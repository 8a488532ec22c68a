//! Squares.

use super::{Bitboard, Color, File, Rank};
use alloc::borrow::ToOwned;
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

/// One of the 64 squares.
///
/// ```
/// use saavedra_chess::{File, Rank, Square};
/// assert_eq!(Square::new(File::E, Rank::Fourth), Square::E4);
/// assert_eq!("e4".parse(), Ok(Square::E4));
/// assert_eq!(Square::E4.to_string(), "e4");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

macro_rules! squares {
    ($($name:ident = $index:expr),* $(,)?) => {
        #[allow(missing_docs)]
        impl Square { $(pub const $name: Square = Square($index);)* }
    };
}

squares! {
    A1 = 0, B1 = 1, C1 = 2, D1 = 3, E1 = 4, F1 = 5, G1 = 6, H1 = 7,
    A2 = 8, B2 = 9, C2 = 10, D2 = 11, E2 = 12, F2 = 13, G2 = 14, H2 = 15,
    A3 = 16, B3 = 17, C3 = 18, D3 = 19, E3 = 20, F3 = 21, G3 = 22, H3 = 23,
    A4 = 24, B4 = 25, C4 = 26, D4 = 27, E4 = 28, F4 = 29, G4 = 30, H4 = 31,
    A5 = 32, B5 = 33, C5 = 34, D5 = 35, E5 = 36, F5 = 37, G5 = 38, H5 = 39,
    A6 = 40, B6 = 41, C6 = 42, D6 = 43, E6 = 44, F6 = 45, G6 = 46, H6 = 47,
    A7 = 48, B7 = 49, C7 = 50, D7 = 51, E7 = 52, F7 = 53, G7 = 54, H7 = 55,
    A8 = 56, B8 = 57, C8 = 58, D8 = 59, E8 = 60, F8 = 61, G8 = 62, H8 = 63,
}

impl Square {
    /// The square on this file and rank.
    #[inline(always)]
    pub const fn new(file: File, rank: Rank) -> Square {
        Square(rank as u8 * 8 + file as u8)
    }

    /// The square with this index (a1 is 0, b1 is 1, h8 is 63); only the lowest six bits count.
    #[inline(always)]
    pub const fn from_index(index: u8) -> Square {
        Square(index & 63)
    }

    /// All squares, from a1 to h8.
    pub const ALL: [Square; 64] = {
        let mut squares = [Square::A1; 64];
        let mut index = 0;
        while index < 64 {
            squares[index] = Square(index as u8);
            index += 1;
        }
        squares
    };

    /// 0 (a1) to 63 (h8). The mask lets the compiler drop bounds checks.
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The file of the square.
    #[inline(always)]
    pub const fn file(self) -> File {
        File::from_index(self.0)
    }

    /// The rank of the square.
    #[inline(always)]
    pub const fn rank(self) -> Rank {
        Rank::from_index(self.0 >> 3)
    }

    /// The bitboard with only this square.
    #[inline(always)]
    pub const fn bitboard(self) -> Bitboard {
        Bitboard(1 << (self.0 & 63))
    }

    /// The square mirrored on the line between the fourth and the fifth rank: a1 ↔ a8.
    #[inline(always)]
    pub const fn flip_rank(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// The square from a colour's point of view: a1 stays a1 for White and becomes a8 for Black.
    #[inline(always)]
    pub const fn relative_to(self, color: Color) -> Square {
        match color {
            Color::White => self,
            Color::Black => self.flip_rank(),
        }
    }

    /// The square mirrored on the line between the d- and the e-file: a1 ↔ h1.
    #[inline(always)]
    pub const fn flip_file(self) -> Square {
        Square(self.0 ^ 7)
    }

    /// The square whose index is larger by `delta`. The result must be on the board.
    #[inline(always)]
    pub(super) const fn offset(self, delta: i8) -> Square {
        Square((self.0 as i8 + delta) as u8 & 63)
    }

    /// The number of moves a king needs between the squares on an empty board (Chebyshev distance).
    pub const fn distance(self, other: Square) -> u8 {
        let files = self.file().distance(other.file());
        let ranks = self.rank().distance(other.rank());
        if files > ranks { files } else { ranks }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is not the name of a square.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParseSquareError {
    /// The text.
    pub text: String,
}

impl fmt::Display for ParseSquareError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} is not a square", self.text)
    }
}

impl core::error::Error for ParseSquareError {}

impl FromStr for Square {
    type Err = ParseSquareError;

    /// Reads `e4`; anything else is an error.
    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Ok(Square::new(File::from_index(file - b'a'), Rank::from_index(rank - b'1')))
            }
            _ => Err(ParseSquareError { text: text.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use alloc::string::ToString;

    #[test]
    fn squares_convert_to_text_and_back() {
        assert_eq!(Square::ALL.len(), 64);
        for square in Square::ALL {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::new(square.file(), square.rank()), square);
            assert_eq!(square.flip_rank().flip_rank(), square);
            assert_eq!(square.flip_file().flip_file(), square);
        }
        assert_eq!((Square::B1.index(), Square::A2.index(), Square::H8.index()), (1, 8, 63));
        assert_eq!((Square::A1.flip_rank(), Square::A1.flip_file()), (Square::A8, Square::H1));
        for text in ["", "e", "e44", "i1", "a0", "a9", "E4", "4e", "é4"] {
            let error = text.parse::<Square>().unwrap_err();
            assert_eq!(error.to_string(), format!("{text:?} is not a square"));
        }
    }

    #[test]
    fn distance_is_the_number_of_king_moves() {
        for (a, b, steps) in [
            (Square::A1, Square::H8, 7),
            (Square::A1, Square::A1, 0),
            (Square::E4, Square::F6, 2),
            (Square::H1, Square::A1, 7),
        ] {
            assert_eq!((a.distance(b), b.distance(a)), (steps, steps));
        }
    }
}
