//! Mates and their patterns.

use super::course::Course;
use super::{Motif, MotifName};
use crate::chess::{Bitboard, Board, PieceKind, attacks};

/// The mate of a line, and its pattern if the line reaches it.
pub(super) fn motifs(course: &Course) -> Vec<Motif> {
    if !course.mates {
        return Vec::new();
    }
    let last = &course.boards[course.moves.len()];
    let ply = course.moves.len() - 1;
    if last.turn() == course.us || !last.is_checkmate() {
        // The line is cut; its score proves the mate.
        return vec![course.motif(MotifName::Mate, 0, vec![last.king(!course.us)])];
    }
    let squares: Vec<_> = last.checkers().into_iter().chain([last.us().king()]).collect();
    let mut names = vec![MotifName::Mate];
    names.extend(is_back_rank(last).then_some(MotifName::BackRankMate));
    names.extend(is_smothered(last).then_some(MotifName::SmotheredMate));
    names.into_iter().map(|name| course.motif(name, ply, squares.clone())).collect()
}

/// Back-rank mate: a rook or queen gives check along the back rank of the mated side, and its own men
/// occupy all squares in front of the king.
/// (<https://en.wikipedia.org/wiki/Back-rank_checkmate>)
fn is_back_rank(board: &Board) -> bool {
    let (us, king) = (board.us(), board.us().king());
    let home = board.turn().back_rank();
    let Some(checker) = board.checkers().first().filter(|_| !board.checkers().more_than_one())
    else {
        return false;
    };
    let front = attacks::king(king) & !home;
    let is_heavy = board.them().orthogonal_sliders().has(checker);
    home.has(king) && home.has(checker) && is_heavy && (front & !us.occupied()).is_empty()
}

/// Smothered mate: a knight gives check, and the own men of the king occupy all squares around it.
/// (<https://en.wikipedia.org/wiki/Smothered_mate>)
fn is_smothered(board: &Board) -> bool {
    let around: Bitboard = attacks::king(board.us().king()) & !board.us().occupied();
    let checkers = board.checkers();
    around.is_empty()
        && !checkers.more_than_one()
        && (checkers & board.them().pieces(PieceKind::Knight)).any()
}
