//! Promotions and draws by force.

use super::super::material::PAWN_VALUE;
use super::course::Course;
use super::{Motif, MotifName};
use crate::chess::{Board, GameStatus, Move, MoveKind, PieceKind};

/// The last ply of a line at which a promotion belongs to its first move.
const MAX_PROMOTION_PLY: usize = 9;

/// The number of checks that make a perpetual.
const CHECKS: usize = 3;

/// The promotions and forced draws of a line.
pub(super) fn motifs(course: &Course) -> Vec<Motif> {
    let mut found = promotions(course);
    found.extend(stalemate(course));
    found.extend(perpetual(course));
    found
}

/// Promotion: a pawn promotes in the forced part of the line, which wins material. Underpromotion:
/// to a knight that gives check, or where a queen would allow stalemate.
/// (<https://www.chessprogramming.org/Promotions>)
fn promotions(course: &Course) -> Vec<Motif> {
    let plies = (0..course.moves.len().min(MAX_PROMOTION_PLY)).step_by(2);
    let promotes = |ply: &usize| course.moves[*ply].is_promotion() && course.gains_from(*ply);
    let Some(ply) = plies.into_iter().find(promotes) else {
        return Vec::new();
    };
    let m = course.moves[ply];
    let squares = vec![m.to()];
    let mut found = vec![course.motif(MotifName::Promotion, ply, squares.clone())];
    let board = &course.boards[ply];
    let queen = Move::new(m.from(), m.to(), MoveKind::Promotion(PieceKind::Queen));
    let needed = match m.promotion() {
        Some(PieceKind::Queen) | None => false,
        Some(PieceKind::Knight) => board.gives_check(m),
        _ => allows_stalemate(&board.make(queen)),
    };
    found.extend(needed.then(|| course.motif(MotifName::Underpromotion, ply, squares)));
    found
}

/// Whether the side to move is stalemated, or gives a check whose capture stalemates it.
fn allows_stalemate(board: &Board) -> bool {
    let is_stalemate = |board: &Board| board.status() == GameStatus::Stalemate;
    let saves = |(m, after): (Move, Board)| {
        let mut captures = after.children().filter(|(reply, _)| reply.to() == m.to());
        after.in_check() && captures.any(|(_, end)| is_stalemate(&end))
    };
    is_stalemate(board) || board.children().any(saves)
}

/// Stalemate trick: the side that has less material ends the line stalemated.
/// (<https://en.wikipedia.org/wiki/Stalemate>)
fn stalemate(course: &Course) -> Option<Motif> {
    let last = &course.boards[course.moves.len()];
    let is_saved = last.turn() == course.us && course.balance[0] <= -PAWN_VALUE;
    let is_end = last.status() == GameStatus::Stalemate;
    (is_saved && is_end).then(|| course.motif(MotifName::StalemateTrick, 0, vec![last.us().king()]))
}

/// Perpetual check: all moves of a drawn line are checks, and a position comes again.
/// (<https://www.chessprogramming.org/Perpetual_Check>)
fn perpetual(course: &Course) -> Option<Motif> {
    let mut own = (0..course.moves.len()).step_by(2);
    let is_check = |ply: usize| course.boards[ply + 1].in_check();
    let repeats = || {
        let keys: Vec<u64> = course.boards.iter().map(|board| board.key()).collect();
        (1..keys.len()).any(|at| keys[..at].contains(&keys[at]))
    };
    let checks = course.moves.len().div_ceil(2);
    let first = course.moves.first()?.to();
    let king = course.boards[0].king(!course.us);
    (course.draws && checks >= CHECKS && own.all(is_check) && repeats())
        .then(|| course.motif(MotifName::PerpetualCheck, 0, vec![first, king]))
}
