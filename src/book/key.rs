//! Polyglot keys of positions.

use crate::chess::{Board, Color, PieceKind, Square, attacks};

/// The 781 random numbers that define the keys (`Random64` in
/// <http://hgm.nubati.net/book_format.html>), big-endian.
const RANDOM64: &[[u8; 8]] = include_bytes!("random64.bin").as_chunks().0;
/// Offsets in [`RANDOM64`] of the castling rights, the en passant files and the side to move.
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const TURN: usize = 780;

/// The Polyglot key of a position.
///
/// `en_passant` is the square behind a pawn that the last move pushed two squares. It is a
/// parameter because Polyglot hashes it if an enemy pawn attacks it, while [`Board::en_passant`] is
/// only set if the capture is legal.
///
/// Castling rights are hashed by side of the king, as in the Chess960 extension of the format: it
/// makes no difference which of two rooks on one side a right belongs to.
pub fn key(board: &Board, en_passant: Option<Square>) -> u64 {
    let mut key = 0;
    for color in Color::ALL {
        for kind in PieceKind::ALL {
            let number = 2 * kind.index() + usize::from(color == Color::White);
            for square in board.side(color).pieces(kind) {
                key ^= random(64 * number + square.index());
            }
        }
        let king = board.king(color);
        for rook in board.castling_rights() & color.back_rank() {
            let queenside = rook.file() < king.file();
            key ^= random(CASTLING + 2 * color.index() + usize::from(queenside));
        }
    }
    let turn = board.turn();
    if let Some(square) = en_passant {
        let ready = attacks::pawn(!turn, square) & board.us().pieces(PieceKind::Pawn);
        if ready.any() {
            key ^= random(EN_PASSANT + square.file().index());
        }
    }
    if turn == Color::White {
        key ^= random(TURN);
    }
    key
}

fn random(index: usize) -> u64 {
    u64::from_be_bytes(RANDOM64[index])
}
