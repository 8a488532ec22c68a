//! Squares, files and ranks.

use super::{Bitboard, Color};
use std::fmt;
use std::str::FromStr;

/// A file, 0 for a to 7 for h.
pub type File = u8;
/// A rank, 0 for the first to 7 for the eighth.
pub type Rank = u8;

/// One of the 64 squares: a1 is 0, b1 is 1, h8 is 63.
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
    /// The square with this index; only the lowest six bits count.
    #[inline(always)]
    pub const fn from_index(index: u8) -> Square {
        Square(index & 63)
    }

    /// The square on this file and rank; only the lowest three bits of each count.
    #[inline(always)]
    pub const fn at(file: File, rank: Rank) -> Square {
        Square((rank & 7) * 8 + (file & 7))
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

    /// 0 to 63: for tables by square. (The mask tells the compiler so.)
    #[inline(always)]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The file, 0 for a.
    #[inline(always)]
    pub const fn file(self) -> File {
        self.0 & 7
    }

    /// The rank, 0 for the first.
    #[inline(always)]
    pub const fn rank(self) -> Rank {
        (self.0 >> 3) & 7
    }

    /// The set of this square alone.
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

    /// The square `delta` further by index; the caller knows that it is on the board.
    #[inline(always)]
    pub(super) const fn offset(self, delta: i8) -> Square {
        Square((self.0 as i8 + delta) as u8 & 63)
    }

    /// Steps a king needs from here to there on an empty board.
    pub fn distance(self, other: Square) -> u8 {
        self.file()
            .abs_diff(other.file())
            .max(self.rank().abs_diff(other.rank()))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}",
            (b'a' + self.file()) as char,
            (b'1' + self.rank()) as char
        )
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Square {
    type Err = ();

    /// Reads `e4`; anything else is an error.
    fn from_str(text: &str) -> Result<Square, ()> {
        match *text.as_bytes() {
            [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => Ok(Square::at(file - b'a', rank - b'1')),
            _ => Err(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_have_their_names() {
        assert_eq!(Square::ALL.len(), 64);
        for square in Square::ALL {
            assert_eq!(square.to_string().parse(), Ok(square));
            assert_eq!(Square::at(square.file(), square.rank()), square);
            assert_eq!(square.flip_rank().flip_rank(), square);
            assert_eq!(square.flip_file().flip_file(), square);
        }
        assert_eq!(
            (Square::B1.index(), Square::A2.index(), Square::H8.index()),
            (1, 8, 63)
        );
        assert_eq!(
            (Square::A1.flip_rank(), Square::A1.flip_file()),
            (Square::A8, Square::H1)
        );
        for text in ["", "e", "e44", "i1", "a0", "a9", "E4", "4e", "é4"] {
            assert_eq!(text.parse::<Square>(), Err(()), "{text}");
        }
    }

    #[test]
    fn distance_counts_steps_of_a_king() {
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
