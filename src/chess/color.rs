//! The two colours, as values and as types.

use super::{Bitboard, Square};
use std::ops::Not;

/// The colour of a piece, or the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Color {
    /// Moves first, towards rank 8.
    White = 0,
    /// Moves second, towards rank 1.
    Black = 1,
}

impl Color {
    /// Both colours, White first.
    pub const ALL: [Color; 2] = [Color::White, Color::Black];

    /// 0 for White, 1 for Black: for tables by colour.
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

    /// The rank on which this colour's king and rooks begin.
    #[inline(always)]
    pub const fn back_rank(self) -> Bitboard {
        match self {
            Color::White => Bitboard::RANK_1,
            Color::Black => Bitboard::RANK_8,
        }
    }

    /// The first square of a set that is known to have one, counted from this colour's own side;
    /// so that a choice between equals does not depend on the colour.
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

/// A colour known at compile time.
///
/// Generating and making moves are instantiated once for each colour: measured a quarter faster
/// than with the colour as a value, because pawn directions and table bases become constants.
pub(super) trait Player: Copy {
    /// The other colour.
    type Opponent: Player<Opponent = Self>;
    /// The colour as a value.
    const COLOR: Color;
    /// Which `Side` is ours.
    const US: usize = Self::COLOR as usize;
    /// Which `Side` is theirs.
    const THEM: usize = 1 - Self::US;
    /// The rank pawns arrive on by a first single step.
    const THIRD_RANK: Bitboard;
    /// The rank pawns promote on.
    const LAST_RANK: Bitboard;

    /// All squares one step ahead.
    fn forward(squares: Bitboard) -> Bitboard;
    /// All squares one step ahead and one towards the a-file.
    fn forward_west(squares: Bitboard) -> Bitboard;
    /// All squares one step ahead and one towards the h-file.
    fn forward_east(squares: Bitboard) -> Bitboard;
    /// How much a square's index grows by a step ahead.
    const STEP: i8;
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
    const STEP: i8 = 8;

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
    const STEP: i8 = -8;

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
