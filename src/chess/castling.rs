//! Castling, by the one rule of Chess960, of which that of standard chess is a case.
//!
//! King and rook go to the same squares wherever they began; no other piece may stand on their ways,
//! and the king may not leave, pass or reach an attacked square.

use super::movegen::danger_of;
use super::{Bitboard, Board, Square, attacks};

/// Where king and rook stand after castling on a back rank: the king's side if the rook stood
/// towards the h-file.
#[inline]
pub(super) const fn castled_squares(king: Square, rook: Square) -> (Square, Square) {
    let rank = king.rank();
    if rook.file() > king.file() {
        (Square::at(6, rank), Square::at(5, rank))
    } else {
        (Square::at(2, rank), Square::at(3, rank))
    }
}

/// The files that must be empty for a king and a rook on two files to castle.
static WAYS: [[u8; 8]; 8] = ways();

const fn ways() -> [[u8; 8]; 8] {
    let mut table = [[0; 8]; 8];
    let mut i = 0;
    while i < 64 {
        let (king, rook) = (Square::at(i / 8, 0), Square::at(i % 8, 0));
        let (king_to, rook_to) = castled_squares(king, rook);
        let passed = files(king, king_to) | files(rook, rook_to);
        let own = 1 << king.file() | 1 << rook.file();
        table[king.file() as usize][rook.file() as usize] = passed & !own;
        i += 1;
    }
    table
}

/// The files from one square to another, with both.
const fn files(a: Square, b: Square) -> u8 {
    let (first, last) = match a.file() < b.file() {
        true => (a.file(), b.file()),
        false => (b.file(), a.file()),
    };
    (0xFF << first) & (0xFF >> (7 - last))
}

/// The squares that must be empty for king and rook to castle.
#[inline(always)]
fn way(king: Square, rook: Square) -> Bitboard {
    let files = WAYS[king.file() as usize][rook.file() as usize];
    Bitboard(u64::from(files) << (8 * rook.rank()))
}

/// Those of the rooks with which castling is allowed that have no piece in the way. (At most one
/// stands on each side of the king.)
#[inline(always)]
pub(super) fn free_rooks(rights: Bitboard, king: Square, occupied: Bitboard) -> Bitboard {
    let west = Bitboard(king.bitboard().0 - 1);
    let mut free = Bitboard::EMPTY;
    for rook in [rights & west, rights & !west] {
        if rook.any() && (way(king, rook.lowest()) & occupied).is_empty() {
            free |= rook;
        }
    }
    free
}

/// The squares that the king leaves, passes and reaches.
#[inline(always)]
pub(super) fn king_path(king: Square, rook: Square) -> Bitboard {
    let to = castled_squares(king, rook).0;
    attacks::between(king, to) | king.bitboard() | to.bitboard()
}

/// Why castling is not possible.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum CastlingFault {
    /// A piece stands on the way of king or rook.
    Blocked,
    /// The king is in check.
    OutOfCheck,
    /// The king would pass an attacked square.
    ThroughCheck,
    /// The king would arrive in check.
    IntoCheck,
}

/// What forbids the side to move to castle with this rook, to which there is a right.
pub(super) fn fault(board: &Board, rook: Square) -> Option<CastlingFault> {
    let (king, occupied) = (board.us().king(), board.occupied());
    if (way(king, rook) & occupied).any() {
        return Some(CastlingFault::Blocked);
    }
    let danger = danger_of(board);
    if danger.has(king) {
        return Some(CastlingFault::OutOfCheck);
    }
    let (king_to, rook_to) = castled_squares(king, rook);
    if (king_path(king, rook) & danger & !king_to.bitboard()).any() {
        return Some(CastlingFault::ThroughCheck);
    }
    // The rook may have shielded the king's new place.
    let gone = king.bitboard() | rook.bitboard();
    let after = (occupied & !gone) | king_to.bitboard() | rook_to.bitboard();
    let exposed = attacks::rook(king_to, after) & board.them().orthogonal_sliders();
    (danger.has(king_to) || exposed.any()).then_some(CastlingFault::IntoCheck)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_the_squares_between_and_the_squares_reached() {
        for king in Square::ALL
            .into_iter()
            .filter(|king| matches!(king.rank(), 0 | 7))
        {
            for file in (0..8).filter(|file| *file != king.file()) {
                let rook = Square::at(file, king.rank());
                let (king_to, rook_to) = castled_squares(king, rook);
                let passed = attacks::between(king, king_to) | attacks::between(rook, rook_to);
                let reached = king_to.bitboard() | rook_to.bitboard();
                let own = king.bitboard() | rook.bitboard();
                assert_eq!(way(king, rook), (passed | reached) & !own, "{king} {rook}");
            }
        }
    }

    #[test]
    fn a_free_rook_has_no_piece_but_its_king_in_the_way() {
        let cases = [
            ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "a1 h1"),
            ("4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "h1"),
            ("4k3/8/8/8/8/8/8/R3KB1R w KQ - 0 1", "a1"),
            ("4k3/8/8/8/8/8/8/R3K1NR w Q - 0 1", "a1"),
            ("7k/8/8/8/8/8/8/1RK1R3 w KQ - 0 1", "b1 e1"),
            ("7k/8/8/8/8/8/8/1RKNR3 w KQ - 0 1", ""),
            ("7k/8/8/8/8/8/8/1RK1RN2 w KQ - 0 1", "b1"),
            ("r3k2r/8/8/8/8/8/8/4K3 b q - 0 1", "a8"),
            ("r3k2r/8/8/8/8/8/8/4K3 b - - 0 1", ""),
        ];
        for (fen, expected) in cases {
            let board = Board::from_fen(fen).unwrap();
            let rights = board.castling & board.turn.back_rank();
            let free = free_rooks(rights, board.us().king(), board.occupied());
            let expected: Bitboard = expected
                .split_whitespace()
                .map(|name| name.parse::<Square>().unwrap())
                .collect();
            assert_eq!(free, expected, "{fen}");
        }
    }
}
