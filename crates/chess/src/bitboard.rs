//! Sets of squares as 64 bits.

use super::Square;
use core::fmt;
use core::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not};

/// A set of squares: bit 0 is a1, bit 63 is h8.
///
/// ```
/// use saavedra_chess::{Bitboard, Board, Color, PieceKind, Square};
/// let knights = Board::startpos().pieces(PieceKind::Knight);
/// assert_eq!(knights.count(), 4);
/// assert!(knights.has(Square::B1));
/// for square in knights & Color::White.back_rank() {
///     println!("{square}"); // b1, g1
/// }
/// ```
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
    /// The empty set.
    pub const EMPTY: Bitboard = Bitboard(0);
    /// Every square.
    pub const ALL: Bitboard = Bitboard(!0);

    /// The set of the given squares.
    pub const fn from_squares(squares: &[Square]) -> Bitboard {
        let mut bits = 0;
        let mut i = 0;
        while i < squares.len() {
            bits |= squares[i].bitboard().0;
            i += 1;
        }
        Bitboard(bits)
    }

    /// The set drawn in a diagram, for tests: eight rows from rank 8 to rank 1, `.` for a square
    /// outside the set, any other character for a square inside it. White space is ignored.
    pub fn from_diagram(diagram: &str) -> Bitboard {
        let marks = diagram.chars().filter(|c| !c.is_whitespace());
        marks
            .take(64)
            .enumerate()
            .filter(|(_, mark)| *mark != '.')
            .fold(Bitboard::EMPTY, |set, (index, _)| {
                set | Square::from_index(index as u8).flip_rank().bitboard()
            })
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set is not empty.
    #[inline(always)]
    pub const fn any(self) -> bool {
        self.0 != 0
    }

    /// Whether the set has two or more squares.
    #[inline(always)]
    pub const fn more_than_one(self) -> bool {
        self.0 & self.0.wrapping_sub(1) != 0
    }

    /// The number of squares in the set.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether the square is in the set.
    #[inline(always)]
    pub const fn has(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The square with the lowest index; `None` if the set is empty.
    #[inline(always)]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(self.lowest()) }
    }

    /// The square with the lowest index. The set must not be empty (the result is then a1).
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

/// Iterator over the squares of a [`Bitboard`], in the order of their indices.
#[derive(Clone, Debug)]
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

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count_ones() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

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
        squares.into_iter().fold(Bitboard::EMPTY, |set, square| set | square.bitboard())
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
    use crate::{File, Rank};
    use alloc::format;
    use alloc::vec::Vec;

    #[test]
    fn set_operations() {
        let set = Bitboard::from_diagram(
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
        assert_eq!(set, Bitboard::from_squares(&squares));
        assert_eq!(set, squares.into_iter().collect());
        assert_eq!(set.into_iter().collect::<Vec<_>>(), squares, "in the order of indices");
        assert_eq!(format!("{set:?}"), "{a1, e4, a8, h8}");
        assert_eq!(set.count(), 4);
        assert!(set.more_than_one() && set.has(Square::E4) && !set.has(Square::E5));
        assert_eq!(set.first(), Some(Square::A1));
        assert_eq!(Bitboard::EMPTY.first(), None);
        assert_eq!(set.flip_ranks().flip_ranks(), set);
        assert_eq!(set.flip_ranks() & set, Bitboard::from_squares(&[Square::A1, Square::A8]));
    }

    #[test]
    fn constants_match_file_rank_and_colour_of_each_square() {
        for square in Square::ALL {
            let (file, rank) = (square.file(), square.rank());
            let dark = (file.index() + rank.index()).is_multiple_of(2);
            assert_eq!(Bitboard::DARK.has(square), dark, "{square}");
            assert_eq!(Bitboard::LIGHT.has(square), !dark, "{square}");
            for (set, of_set) in [
                (Bitboard::FILE_A, File::A),
                (Bitboard::FILE_B, File::B),
                (Bitboard::FILE_G, File::G),
                (Bitboard::FILE_H, File::H),
            ] {
                assert_eq!((set, set.has(square)), (of_set.bitboard(), file == of_set));
            }
            for (set, of_set) in [
                (Bitboard::RANK_1, Rank::First),
                (Bitboard::RANK_2, Rank::Second),
                (Bitboard::RANK_3, Rank::Third),
                (Bitboard::RANK_6, Rank::Sixth),
                (Bitboard::RANK_7, Rank::Seventh),
                (Bitboard::RANK_8, Rank::Eighth),
            ] {
                assert_eq!((set, set.has(square)), (of_set.bitboard(), rank == of_set));
            }
        }
    }
}
