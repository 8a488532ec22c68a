//! Keys of positions (Zobrist hashing, <https://www.chessprogramming.org/Zobrist_Hashing>).
//!
//! A key is the exclusive or of one random number for each fact of the position. The numbers are
//! made by the compiler from a fixed seed (SplitMix64), so keys are the same in every build.
//!
//! The numbers of Black are those of White on the mirrored squares with their halves exchanged. So
//! a position with colours exchanged and ranks mirrored has the same key with its halves exchanged,
//! and a table that is indexed by [`symmetric`] treats both alike: a search cannot play one colour
//! differently from the other, and a test sees at once if it does.

use super::{Color, PieceKind, Random, Square};

struct Numbers {
    /// By kind and by square from the own side's view.
    pieces: [[u64; 64]; 6],
    /// By the rook's square from the own side's view.
    castling: [u64; 64],
    /// By the file, with White to move.
    en_passant: [u64; 8],
    /// White to move.
    turn: u64,
}

static NUMBERS: Numbers = numbers();

const fn numbers() -> Numbers {
    let mut random = Random::new(0x5AA7_EDA0_1895_0001);
    let mut numbers = Numbers {
        pieces: [[0; 64]; 6],
        castling: [0; 64],
        en_passant: [0; 8],
        turn: 0,
    };
    let mut i = 0;
    while i < 6 * 64 {
        numbers.pieces[i / 64][i % 64] = random.next_u64();
        i += 1;
    }
    i = 0;
    while i < 64 {
        numbers.castling[i] = random.next_u64();
        i += 1;
    }
    i = 0;
    while i < 8 {
        numbers.en_passant[i] = random.next_u64();
        i += 1;
    }
    numbers.turn = random.next_u64();
    numbers
}

/// A number of White's as that of a colour.
#[inline(always)]
const fn of(color: Color, number: u64) -> u64 {
    match color {
        Color::White => number,
        Color::Black => number.rotate_left(32),
    }
}

/// A piece stands on this square.
#[inline(always)]
pub fn piece(color: Color, kind: PieceKind, square: Square) -> u64 {
    of(
        color,
        NUMBERS.pieces[kind.index()][square.relative_to(color).index()],
    )
}

/// Castling with the rook on this square of its back rank is still allowed.
#[inline(always)]
pub fn castling(rook: Square) -> u64 {
    let color = if rook.rank() == 0 {
        Color::White
    } else {
        Color::Black
    };
    of(color, NUMBERS.castling[rook.relative_to(color).index()])
}

/// A pawn can be captured en passant on this square.
#[inline(always)]
pub fn en_passant(square: Square) -> u64 {
    let turn = if square.rank() == 5 {
        Color::White
    } else {
        Color::Black
    };
    of(turn, NUMBERS.en_passant[square.file() as usize & 7])
}

/// This colour is to move.
#[inline(always)]
pub fn turn(color: Color) -> u64 {
    of(color, NUMBERS.turn)
}

/// What passing the turn changes.
#[inline(always)]
pub fn switch_turn() -> u64 {
    NUMBERS.turn ^ NUMBERS.turn.rotate_left(32)
}

/// A number of 64 bits that is the same for a key and that of the colour-flipped position.
#[inline(always)]
pub const fn symmetric(key: u64) -> u64 {
    let swapped = key.rotate_left(32);
    let least = if key < swapped { key } else { swapped };
    least.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
