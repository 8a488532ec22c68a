//! Castling by the rules of Chess960, which include standard chess.
//!
//! King and rook go to the same squares wherever they stood. The squares that they cross and reach
//! must be empty but for the two, and the king may not leave, cross or reach an attacked square.

use super::movegen::attacked_squares;
use super::{Bitboard, Board, File, IllegalReason, Rank, Square, attacks};

/// The squares of king and rook after castling: on the king side if the rook stood nearer to the
/// h-file than the king, else on the queen side.
#[inline]
pub(super) const fn castled_squares(king: Square, rook: Square) -> (Square, Square) {
    let rank = king.rank();
    let (king_file, rook_file) =
        if is_king_side(king, rook) { (File::G, File::F) } else { (File::C, File::D) };
    (Square::new(king_file, rank), Square::new(rook_file, rank))
}

/// Whether castling with the rook is castling on the king side.
#[inline(always)]
pub(super) const fn is_king_side(king: Square, rook: Square) -> bool {
    rook.file() as u8 > king.file() as u8
}

/// The files, as bits, that must be empty: by the file of the king and the file of the rook.
static EMPTY_FILES: [[u8; 8]; 8] = empty_files();

const fn empty_files() -> [[u8; 8]; 8] {
    let mut table = [[0; 8]; 8];
    let mut i = 0;
    while i < 64 {
        let (king_file, rook_file) = (File::ALL[i / 8], File::ALL[i % 8]);
        let king = Square::new(king_file, Rank::First);
        let rook = Square::new(rook_file, Rank::First);
        let (king_to, rook_to) = castled_squares(king, rook);
        let path =
            files_between(king_file, king_to.file()) | files_between(rook_file, rook_to.file());
        let own = 1 << king_file as u8 | 1 << rook_file as u8;
        table[king_file.index()][rook_file.index()] = path & !own;
        i += 1;
    }
    table
}

/// The files from one to another, both included, as bits.
const fn files_between(a: File, b: File) -> u8 {
    let (a, b) = (a as u8, b as u8);
    let (first, last) = if a < b { (a, b) } else { (b, a) };
    (0xFF << first) & (0xFF >> (7 - last))
}

/// The squares that must be empty for king and rook to castle.
#[inline(always)]
fn empty_squares(king: Square, rook: Square) -> Bitboard {
    let files = EMPTY_FILES[king.file().index()][rook.file().index()];
    Bitboard(u64::from(files) << (8 * rook.rank() as u8))
}

/// The rooks among `rights` with no piece between them and castling. (At most one rook stands on
/// each side of the king.)
#[inline(always)]
pub(super) fn unobstructed_rooks(rights: Bitboard, king: Square, occupied: Bitboard) -> Bitboard {
    let west = Bitboard(king.bitboard().0 - 1);
    let mut unobstructed = Bitboard::EMPTY;
    for rook in [rights & west, rights & !west] {
        if rook.any() && (empty_squares(king, rook.lowest()) & occupied).is_empty() {
            unobstructed |= rook;
        }
    }
    unobstructed
}

/// The squares that the king leaves, crosses and reaches: none may be attacked.
#[inline(always)]
pub(super) fn king_path(king: Square, rook: Square) -> Bitboard {
    let to = castled_squares(king, rook).0;
    attacks::between(king, to) | king.bitboard() | to.bitboard()
}

/// Why the side to move may not castle with this rook, for which it has the castling right; `None`
/// if it may.
pub(super) fn illegal_reason(board: &Board, rook: Square) -> Option<IllegalReason> {
    let (king, occupied) = (board.us().king(), board.occupied());
    if (empty_squares(king, rook) & occupied).any() {
        return Some(IllegalReason::CastlingBlocked);
    }
    let attacked = attacked_squares(board);
    if attacked.has(king) {
        return Some(IllegalReason::CastlingOutOfCheck);
    }
    let (king_to, rook_to) = castled_squares(king, rook);
    if (king_path(king, rook) & attacked & !king_to.bitboard()).any() {
        return Some(IllegalReason::CastlingThroughCheck);
    }
    // In Chess960 the rook may have shielded the square where the king arrives.
    let moved = king.bitboard() | rook.bitboard();
    let after = (occupied & !moved) | king_to.bitboard() | rook_to.bitboard();
    let uncovered = attacks::rook(king_to, after) & board.them().orthogonal_sliders();
    (attacked.has(king_to) || uncovered.any()).then_some(IllegalReason::CastlingIntoCheck)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_that_are_crossed_and_reached_must_be_empty() {
        let back_ranks = Bitboard::RANK_1 | Bitboard::RANK_8;
        for king in back_ranks {
            for rook in king.rank().bitboard() & !king.bitboard() {
                let (king_to, rook_to) = castled_squares(king, rook);
                let crossed = attacks::between(king, king_to) | attacks::between(rook, rook_to);
                let reached = king_to.bitboard() | rook_to.bitboard();
                let own = king.bitboard() | rook.bitboard();
                assert_eq!(empty_squares(king, rook), (crossed | reached) & !own, "{king} {rook}");
            }
        }
    }

    #[test]
    fn rooks_without_a_piece_in_the_way_are_unobstructed() {
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
            let rooks = unobstructed_rooks(rights, board.us().king(), board.occupied());
            let expected: Bitboard =
                expected.split_whitespace().map(|name| name.parse::<Square>().unwrap()).collect();
            assert_eq!(rooks, expected, "{fen}");
        }
    }
}
