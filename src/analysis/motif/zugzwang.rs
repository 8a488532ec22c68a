//! Zugzwang.

use super::super::material::{PAWN_VALUE, captured, value};
use super::course::Course;
use super::{Motif, MotifName};
use crate::chess::{Board, Move, PieceKind};
use crate::eval::Evaluation;

/// Zugzwang: in an endgame every legal reply to the move loses material at once, lets a pawn promote or
/// allows mate, and a pass would not. With king and pawn against king the rules of this endgame
/// decide: the pawn wins, but not if the other side could pass.
/// (<https://www.chessprogramming.org/Zugzwang>)
pub(super) fn motif(course: &Course, ply: usize) -> Option<Motif> {
    /// Maximum number of pieces other than kings and pawns.
    const MAX_PIECES: u32 = 4;
    let after = &course.boards[ply + 1];
    let pawns = after.pieces(PieceKind::Pawn);
    let pieces = after.occupied() & !pawns & !after.pieces(PieceKind::King);
    if pieces.count() > MAX_PIECES || after.in_check() {
        return None;
    }
    let passed = after.make_null();
    let is_zugzwang = if pieces.is_empty() && pawns.count() == 1 {
        let is_won = |board: &Board| Evaluation::PieceSquare.evaluate(board) != 0;
        after.side(course.us).pieces(PieceKind::Pawn) == pawns && is_won(after) && !is_won(&passed)
    } else {
        let loses = |m: Move| {
            let taken = captured(after, m).map_or(0, |(_, kind)| value(kind));
            !m.is_promotion() && strikes(&after.make(m), taken)
        };
        course.gains_from(ply)
            && after.has_legal_move()
            && !strikes(&passed, 0)
            && after.legal_moves().into_iter().all(loses)
    };
    is_zugzwang.then(|| course.motif(MotifName::Zugzwang, ply, vec![after.us().king()]))
}

/// Whether a move wins a pawn more than what has just been taken, promotes safely, or mates.
fn strikes(board: &Board, taken: i32) -> bool {
    let is_blow = |m: Move| {
        let gains = captured(board, m).is_some() || m.is_promotion();
        gains && board.see_ge(m, taken + PAWN_VALUE) || board.make(m).is_checkmate()
    };
    board.legal_moves().into_iter().any(is_blow)
}
