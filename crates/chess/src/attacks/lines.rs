//! The attacks of rooks by rank and file, and the lines between squares from attacks: five kilobytes of
//! tables instead of two hundred, for a program that is downloaded.
//!
//! The inner six squares of a line are the index of its occupancy; the outer ones never block.

use super::super::{Bitboard, Square};
use super::{bishop, bishop_rays, rook_rays, slow};

/// The attacks along a rank, by the file of the rook and the occupancy of the inner squares.
static RANK: [[u8; 64]; 8] = rank_table();
/// The attacks along the first file, by the rank of the rook.
static FILE: [[u64; 64]; 8] = file_table();

/// The inner squares of the first file.
const INNER_FILE: u64 = 0x0001_0101_0101_0100;
/// Moves the square of rank `r` (0 to 7) of the first file to bit `57 + r`.
const GATHER: u64 = 1 << 50 | 1 << 43 | 1 << 36 | 1 << 29 | 1 << 22 | 1 << 15;

const fn rank_table() -> [[u8; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut file = 0;
    while file < 8 {
        let mut inner = 0;
        while inner < 64 {
            let occupied = (inner as u64) << 1;
            let attacks = slow::ray(file, (1, 0), occupied) | slow::ray(file, (-1, 0), occupied);
            table[file][inner] = attacks as u8;
            inner += 1;
        }
        file += 1;
    }
    table
}

const fn file_table() -> [[u64; 64]; 8] {
    let mut table = [[0; 64]; 8];
    let mut rank = 0;
    while rank < 8 {
        let mut inner = 0;
        while inner < 64 {
            let mut occupied = 0;
            let mut bit = 0;
            while bit < 6 {
                occupied |= (inner as u64 >> bit & 1) << (8 * (bit + 1));
                bit += 1;
            }
            let from = 8 * rank;
            table[rank][inner] =
                slow::ray(from, (0, 1), occupied) | slow::ray(from, (0, -1), occupied);
            inner += 1;
        }
        rank += 1;
    }
    table
}

/// The squares that a rook attacks with this occupancy.
#[inline(always)]
pub(super) fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    let (file, rank) = (square.index() & 7, square.index() >> 3);
    let on_rank = occupied.0 >> (8 * rank + 1) & 63;
    let on_file = ((occupied.0 >> file & INNER_FILE).wrapping_mul(GATHER)) >> 58;
    let along_rank = u64::from(RANK[file][on_rank as usize]) << (8 * rank);
    Bitboard(along_rank | FILE[rank][on_file as usize] << file)
}

/// The squares between two squares of one line, without the two.
#[inline(always)]
pub(super) fn between(a: Square, b: Square) -> Bitboard {
    let [set_a, set_b] = [a, b].map(Square::bitboard);
    if rook_rays(a).has(b) {
        rook(a, set_b) & rook(b, set_a)
    } else if bishop_rays(a).has(b) {
        bishop(a, set_b) & bishop(b, set_a)
    } else {
        Bitboard::EMPTY
    }
}

/// All squares of the line through two squares.
#[inline(always)]
pub(super) fn line(a: Square, b: Square) -> Bitboard {
    let both = a.bitboard() | b.bitboard();
    if rook_rays(a).has(b) {
        rook_rays(a) & rook_rays(b) | both
    } else if bishop_rays(a).has(b) {
        bishop_rays(a) & bishop_rays(b) | both
    } else {
        Bitboard::EMPTY
    }
}
