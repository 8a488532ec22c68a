//! Sets of squares.

use super::Square;
use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares: bit 0 is a1, bit 63 is h8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Bitboard(pub u64);

#[allow(missing_docs)]
impl Bitboard {
    pub const FILE_A: Bitboard = Bitboard(0x0101_0101_0101_0101);
    pub const FILE_B: Bitboard = Bitboard(0x0202_0202_0202_0202);
    pub const FILE_G: Bitboard = Bitboard(0x4040_4040_4040_4040);
    pub const FILE_H: Bitboard = Bitboard(0x8080_8080_8080_8080);
    pub const RANK_1: Bitboard = Bitboard(0xFF);
    pub const RANK_2: Bitboard = Bitboard(0xFF << 8);
    pub const RANK_3: Bitboard = Bitboard(0xFF << 16);
    pub const RANK_6: Bitboard = Bitboard(0xFF << 40);
    pub const RANK_7: Bitboard = Bitboard(0xFF << 48);
    pub const RANK_8: Bitboard = Bitboard(0xFF << 56);
    pub const LIGHT: Bitboard = Bitboard(0x55AA_55AA_55AA_55AA);
    pub const DARK: Bitboard = Bitboard(0xAA55_AA55_AA55_AA55);
}

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square.
    pub const ALL: Bitboard = Bitboard(!0);

    /// A set of squares written out: `Bitboard::from_squares(&[Square::E4, Square::D4])`.
    pub const fn from_squares(squares: &[Square]) -> Bitboard {
        let mut bits = 0;
        let mut i = 0;
        while i < squares.len() {
            bits |= squares[i].bitboard().0;
            i += 1;
        }
        Bitboard(bits)
    }

    /// A set of squares written as a picture, for tests: eight rows from rank 8 to rank 1, `.`
    /// for a square outside the set, white space ignored, any other character for one inside.
    pub fn from_diagram(picture: &str) -> Bitboard {
        let marks = picture.chars().filter(|c| !c.is_whitespace());
        marks
            .take(64)
            .enumerate()
            .filter(|(_, mark)| *mark != '.')
            .fold(Bitboard::EMPTY, |set, (index, _)| {
                set | Square::from_index(index as u8).flip_rank().bitboard()
            })
    }

    /// Whether no square is in the set.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether any square is in the set.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether two or more squares are in the set.
    #[inline(always)]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// How many squares are in the set.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the square is in the set.
    #[inline(always)]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The square with the lowest index, if there is one.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 {
            None
        } else {
            Some(self.lowest())
        }
    }

    /// The square with the lowest index of a set that is known to have one (a1 of an empty set).
    #[inline(always)]
    pub(crate) const fn lowest(self) -> Square {
        Square::from_index(self.0.trailing_zeros() as u8)
    }

    /// The set mirrored on the line between the fourth and the fifth rank.
    #[inline(always)]
    pub const fn flip_ranks(self) -> Bitboard {
        Bitboard(self.0.swap_bytes())
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $assign:ident $assign_method:ident $operator:tt;)*) => {$(
        impl $trait for Bitboard {
            type Output = Bitboard;
            #[inline(always)]
            fn $method(self, other: Bitboard) -> Bitboard { Bitboard(self.0 $operator other.0) }
        }
        impl $assign for Bitboard {
            #[inline(always)]
            fn $assign_method(&mut self, other: Bitboard) { self.0 = self.0 $operator other.0; }
        }
    )*};
}

operators! {
    BitAnd bitand BitAndAssign bitand_assign &;
    BitOr bitor BitOrAssign bitor_assign |;
    BitXor bitxor BitXorAssign bitxor_assign ^;
}

impl Not for Bitboard {
    type Output = Bitboard;

    #[inline(always)]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

/// The squares of a set, in the order of their indices.
pub struct Squares(u64);

impl Iterator for Squares {
    type Item = Square;

    #[inline(always)]
    fn next(&mut self) -> Option<Square> {
        if self.0 == 0 {
            return None;
        }
        let square = Square::from_index(self.0.trailing_zeros() as u8);
        self.0 &= self.0 - 1;
        Some(square)
    }
}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline(always)]
    fn into_iter(self) -> Squares {
        Squares(self.0)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares
            .into_iter()
            .fold(Bitboard::EMPTY, |set, square| set | square.bitboard())
    }
}

impl fmt::Debug for Bitboard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_can_be_drawn_and_written_out() {
        let drawn = Bitboard::from_diagram(
            "x . . . . . . x
             . . . . . . . .
             . . . . . . . .
             . . . . . . . .
             . . . . x . . .
             . . . . . . . .
             . . . . . . . .
             x . . . . . . .",
        );
        let squares = [Square::A1, Square::E4, Square::A8, Square::H8];
        assert_eq!(drawn, Bitboard::from_squares(&squares));
        assert_eq!(drawn, squares.into_iter().collect());
        assert_eq!(
            drawn.into_iter().collect::<Vec<_>>(),
            squares,
            "in the order of indices"
        );
        assert_eq!(format!("{drawn:?}"), "{a1, e4, a8, h8}");
        assert_eq!(drawn.count(), 4);
        assert!(drawn.more_than_one() && drawn.has(Square::E4) && !drawn.has(Square::E5));
        assert_eq!(drawn.first(), Some(Square::A1));
        assert_eq!(Bitboard::EMPTY.first(), None);
        assert_eq!(drawn.flip_ranks().flip_ranks(), drawn);
        assert_eq!(
            drawn.flip_ranks() & drawn,
            Bitboard::from_squares(&[Square::A1, Square::A8])
        );
    }

    #[test]
    fn named_sets_are_what_they_are_called() {
        for square in Square::ALL {
            let dark = (square.file() + square.rank()) % 2 == 0;
            assert_eq!(Bitboard::DARK.has(square), dark, "{square}");
            assert_eq!(Bitboard::LIGHT.has(square), !dark, "{square}");
            assert_eq!(Bitboard::FILE_A.has(square), square.file() == 0, "{square}");
            assert_eq!(Bitboard::FILE_H.has(square), square.file() == 7, "{square}");
            assert_eq!(Bitboard::RANK_1.has(square), square.rank() == 0, "{square}");
            assert_eq!(Bitboard::RANK_8.has(square), square.rank() == 7, "{square}");
        }
    }
}
