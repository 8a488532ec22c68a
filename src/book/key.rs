//! The keys of positions in Polyglot books.

use super::random::NUMBERS;
use crate::chess::{Board, Color, Game, Move, MoveKind, PieceKind, Rank, Square, attacks};

/// Where the numbers for castling rights, files of en passant and the turn begin.
const CASTLING: usize = 768;
const EN_PASSANT: usize = 772;
const TURN: usize = 780;

/// The key of a position.
///
/// `passed` is the square that a pawn has passed by a double step with the last move, if it did.
/// It is wanted apart from the board, because a book notes en passant as soon as a pawn stands
/// ready to capture, while a board notes it only if the capture is legal.
///
/// Castling rights are told apart by wing alone, as the extension of the format to Chess960 has
/// it: to which of two rooks on one wing a right belongs makes no difference.
pub fn key(board: &Board, passed: Option<Square>) -> u64 {
    let mut key = 0;
    for color in Color::ALL {
        for kind in PieceKind::ALL {
            let number = 2 * kind.index() + usize::from(color == Color::White);
            for square in board.side(color).pieces(kind) {
                key ^= NUMBERS[64 * number + square.index()];
            }
        }
        let king = board.king(color);
        for rook in board.castling_rights() & color.back_rank() {
            let queenside = rook.file() < king.file();
            key ^= NUMBERS[CASTLING + 2 * color.index() + usize::from(queenside)];
        }
    }
    let turn = board.turn();
    if let Some(square) = passed {
        let ready = attacks::pawn(!turn, square) & board.us().pieces(PieceKind::Pawn);
        if ready.any() {
            key ^= NUMBERS[EN_PASSANT + square.file().index()];
        }
    }
    if turn == Color::White {
        key ^= NUMBERS[TURN];
    }
    key
}

/// The square that a pawn has passed with the last move of a game: what [`key`] wants to know.
pub fn passed(game: &Game) -> Option<Square> {
    match game.moves().last() {
        None => game.board().en_passant(),
        Some(m) => passed_by(*m),
    }
}

/// The square that a pawn passes with a move.
pub fn passed_by(m: Move) -> Option<Square> {
    let rank = match m.to().rank() {
        Rank::Fourth => Rank::Third,
        _ => Rank::Sixth,
    };
    (m.kind() == MoveKind::DoublePush).then_some(Square::new(m.from().file(), rank))
}
