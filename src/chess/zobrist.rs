//! Keys of positions (Zobrist hashing, <https://www.chessprogramming.org/Zobrist_Hashing>).
//!
//! A key is the exclusive or of one random number for each fact of the position. The numbers are
//! made by the compiler from a fixed seed (SplitMix64), so keys are the same in every build.

use super::{Color, File, PieceKind, Square};

struct Numbers {
    pieces: [[[u64; 64]; 6]; 2],
    castling: [u64; 64],
    en_passant: [u64; 8],
    black: u64,
}

static NUMBERS: Numbers = numbers();

const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn numbers() -> Numbers {
    let mut state = 0x5AA7_EDA0_1895_0001;
    let mut numbers = Numbers {
        pieces: [[[0; 64]; 6]; 2],
        castling: [0; 64],
        en_passant: [0; 8],
        black: 0,
    };
    let mut i = 0;
    while i < 2 * 6 * 64 {
        numbers.pieces[i / 384][i / 64 % 6][i % 64] = split_mix(&mut state);
        i += 1;
    }
    i = 0;
    while i < 64 {
        numbers.castling[i] = split_mix(&mut state);
        i += 1;
    }
    i = 0;
    while i < 8 {
        numbers.en_passant[i] = split_mix(&mut state);
        i += 1;
    }
    numbers.black = split_mix(&mut state);
    numbers
}

/// A piece stands on this square.
#[inline(always)]
pub fn piece(color: Color, kind: PieceKind, square: Square) -> u64 {
    NUMBERS.pieces[color.index()][kind.index()][square.index()]
}

/// Castling with the rook on this square is still allowed.
#[inline(always)]
pub fn castling(rook: Square) -> u64 {
    NUMBERS.castling[rook.index()]
}

/// A pawn can be captured en passant on this file.
#[inline(always)]
pub fn en_passant(file: File) -> u64 {
    NUMBERS.en_passant[file as usize & 7]
}

/// Black is to move.
#[inline(always)]
pub fn black_to_move() -> u64 {
    NUMBERS.black
}
