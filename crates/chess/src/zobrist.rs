//! Zobrist keys (<https://www.chessprogramming.org/Zobrist_Hashing>).
//!
//! A key is the exclusive or of random numbers, one for each piece on its square, each castling
//! right, the en passant file and the side to move. The numbers come from a fixed seed at compile
//! time (SplitMix64), so keys are the same in every build.
//!
//! Black's numbers are White's on the mirrored squares, with their halves exchanged. So
//! the position with colours exchanged and ranks mirrored has the same key with its halves
//! exchanged, and a hash table indexed by [`symmetric`] treats both positions alike. A test relies
//! on this to check that the search does not depend on the colour.

use super::{Color, File, PieceKind, Random, Rank, Square};

struct Numbers {
    /// By piece kind and by square from White's point of view.
    pieces: [[u64; 64]; 6],
    /// By the square of the rook.
    castling: [u64; 64],
    /// By the file, with White to move.
    en_passant: [u64; 8],
    /// White to move.
    turn: u64,
}

static NUMBERS: Numbers = numbers();

const fn numbers() -> Numbers {
    let mut random = Random::new(0x5AA7_EDA0_1895_0001);
    let mut numbers =
        Numbers { pieces: [[0; 64]; 6], castling: [0; 64], en_passant: [0; 8], turn: 0 };
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

/// The number of a colour, derived from White's.
#[inline(always)]
const fn of(color: Color, number: u64) -> u64 {
    match color {
        Color::White => number,
        Color::Black => number.rotate_left(32),
    }
}

/// The number of a piece on a square.
#[inline(always)]
pub fn piece(color: Color, kind: PieceKind, square: Square) -> u64 {
    of(color, NUMBERS.pieces[kind.index()][square.relative_to(color).index()])
}

/// The number of the castling right with the rook on this square of its back rank.
#[inline(always)]
pub fn castling(rook: Square) -> u64 {
    let color = match rook.rank() {
        Rank::First => Color::White,
        _ => Color::Black,
    };
    of(color, NUMBERS.castling[rook.relative_to(color).index()])
}

/// The number of an en passant square on this file, with this side to move.
#[inline(always)]
pub fn en_passant(file: File, turn: Color) -> u64 {
    of(turn, NUMBERS.en_passant[file.index()])
}

/// The number of the side to move.
#[inline(always)]
pub fn turn(color: Color) -> u64 {
    of(color, NUMBERS.turn)
}

/// The change of a key when the side to move changes.
#[inline(always)]
pub fn switch_turn() -> u64 {
    NUMBERS.turn ^ NUMBERS.turn.rotate_left(32)
}

/// A 64-bit hash that is the same for a position and the position with colours exchanged.
#[inline(always)]
pub const fn symmetric(key: u64) -> u64 {
    let swapped = key.rotate_left(32);
    let minimum = if key < swapped { key } else { swapped };
    minimum.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}
