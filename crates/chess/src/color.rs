//! The two colours, as values and as types.

use super::{Bitboard, Square};
use core::fmt;
use core::ops::Not;

/// The colour of a piece, or the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// White: moves first, pawns move towards rank 8.
    White = 0,
    /// Black: moves second, pawns move towards rank 1.
    Black = 1,
}

impl Color {
    /// Both colours, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black.
    #[inline(always)]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The letter of this colour in a FEN.
    pub const fn letter(self) -> char {
        match self {
            Color::White => 'w',
            Color::Black => 'b',
        }
    }

    /// The English word: `white`.
    pub const fn name(self) -> &'static str {
        match self {
            Color::White => "white",
            Color::Black => "black",
        }
    }

    /// The first rank from this colour's point of view, as a bitboard.
    #[inline(always)]
    pub const fn back_rank(self) -> Bitboard {
        match self {
            Color::White => Bitboard::RANK_1,
            Color::Black => Bitboard::RANK_8,
        }
    }

    /// The change of a square's index by a single pawn push.
    #[inline(always)]
    pub(super) const fn pawn_push(self) -> i8 {
        match self {
            Color::White => 8,
            Color::Black => -8,
        }
    }

    /// The first square of a set that is not empty, counted from this colour's back rank. So the
    /// choice among several squares does not depend on the colour.
    #[inline(always)]
    pub(super) const fn first(self, squares: Bitboard) -> Square {
        match self {
            Color::White => squares.lowest(),
            Color::Black => squares.flip_ranks().lowest().flip_rank(),
        }
    }
}

impl Not for Color {
    type Output = Color;

    #[inline(always)]
    fn not(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }
}

impl fmt::Display for Color {
    /// The English word: `white`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A colour known at compile time.
///
/// Move generation and making moves are compiled once for each colour. This measured a quarter
/// faster than the colour as a value, because pawn directions and table offsets become constants.
pub(super) trait Player: Copy {
    /// The other colour.
    type Opponent: Player<Opponent = Self>;
    /// The colour as a value.
    const COLOR: Color;
    /// The index of our `Side`.
    const US: usize = Self::COLOR as usize;
    /// The index of the opponent's `Side`.
    const THEM: usize = 1 - Self::US;
    /// The rank of pawns that have made a single step: those that may make it a double push.
    const THIRD_RANK: Bitboard;
    /// The rank on which pawns promote.
    const LAST_RANK: Bitboard;

    /// The squares one step forward.
    fn forward(squares: Bitboard) -> Bitboard;
    /// The squares one step forward and one towards the a-file.
    fn forward_west(squares: Bitboard) -> Bitboard;
    /// The squares one step forward and one towards the h-file.
    fn forward_east(squares: Bitboard) -> Bitboard;
    /// The change of a square's index by a single pawn push.
    const PAWN_PUSH: i8 = Self::COLOR.pawn_push();
}

/// White as a type.
#[derive(Clone, Copy)]
pub(super) struct White;
/// Black as a type.
#[derive(Clone, Copy)]
pub(super) struct Black;

impl Player for White {
    type Opponent = Black;
    const COLOR: Color = Color::White;
    const THIRD_RANK: Bitboard = Bitboard::RANK_3;
    const LAST_RANK: Bitboard = Bitboard::RANK_8;

    #[inline(always)]
    fn forward(squares: Bitboard) -> Bitboard {
        Bitboard(squares.0 << 8)
    }

    #[inline(always)]
    fn forward_west(squares: Bitboard) -> Bitboard {
        Bitboard((squares.0 & !Bitboard::FILE_A.0) << 7)
    }

    #[inline(always)]
    fn forward_east(squares: Bitboard) -> Bitboard {
        Bitboard((squares.0 & !Bitboard::FILE_H.0) << 9)
    }
}

impl Player for Black {
    type Opponent = White;
    const COLOR: Color = Color::Black;
    const THIRD_RANK: Bitboard = Bitboard::RANK_6;
    const LAST_RANK: Bitboard = Bitboard::RANK_1;

    #[inline(always)]
    fn forward(squares: Bitboard) -> Bitboard {
        Bitboard(squares.0 >> 8)
    }

    #[inline(always)]
    fn forward_west(squares: Bitboard) -> Bitboard {
        Bitboard((squares.0 & !Bitboard::FILE_A.0) >> 9)
    }

    #[inline(always)]
    fn forward_east(squares: Bitboard) -> Bitboard {
        Bitboard((squares.0 & !Bitboard::FILE_H.0) >> 7)
    }
}
