//! Pieces without defence: hanging, trapped, with a defender removed, overloaded or deflected, and
//! moves in between.

use super::super::material::{PAWN_VALUE, captured, guards, value, winning_captures};
use super::course::{Course, attacked_from};
use super::{Motif, MotifName};
use crate::chess::{Board, Move, PieceKind, Square};

/// Plies within which a trapped piece must be taken.
const SOON: usize = 7;

/// The motifs of defence that the move at `ply` of the line begins.
pub(super) fn motifs(course: &Course, ply: usize) -> Vec<Motif> {
    if !course.gains_from(ply) {
        return Vec::new();
    }
    let single = [
        hanging(course, ply),
        trapped(course, ply),
        removed_defender(course, ply),
        in_between(course, ply),
    ];
    single.into_iter().flatten().chain(deflection(course, ply)).collect()
}

/// Hanging piece: the first move takes a piece that nothing defends, and it stays won. A recapture
/// that only restores the balance does not count.
/// (<https://www.chessprogramming.org/Hanging_Piece>)
fn hanging(course: &Course, ply: usize) -> Option<Motif> {
    let (before, m) = (&course.boards[ply], course.moves[ply]);
    let (square, kind) = captured(before, m).filter(|_| ply == 0)?;
    let is_free = guards(before, !course.us, square).is_empty();
    let gain = course.balance[course.end] - course.balance[0];
    let restores = course.balance[0] <= -value(kind) && course.balance[course.end] <= 0;
    (kind != PieceKind::Pawn && is_free && gain >= value(kind) - PAWN_VALUE && !restores)
        .then(|| course.motif(MotifName::HangingPiece, ply, vec![m.to(), square]))
}

/// Trapped piece: after the move a piece is attacked, each of its moves loses material, and it is
/// taken. A pinned piece is not trapped.
/// (<https://en.wikipedia.org/wiki/Glossary_of_chess>, "trapped piece")
fn trapped(course: &Course, ply: usize) -> Option<Motif> {
    let after = &course.boards[ply + 1];
    if after.in_check() {
        return None;
    }
    let was_won: Vec<Square> = winning_captures(&course.boards[ply]).map(|m| m.to()).collect();
    let passed = after.make_null();
    let attack = winning_captures(&passed).find(|m| {
        let kind = passed.them().piece_at(m.to());
        kind.is_some_and(|kind| kind != PieceKind::Pawn)
            && !was_won.contains(&m.to())
            && !after.pinned().has(m.to())
            && is_without_escape(after, m.to())
            && course.is_lost(m.to(), ply + 1, SOON)
    })?;
    Some(course.motif(MotifName::TrappedPiece, ply, vec![attack.from(), attack.to()]))
}

/// Whether each move of the piece on a square, of the side to move, loses a pawn or more on its
/// target square.
fn is_without_escape(board: &Board, square: Square) -> bool {
    let loses = |m: Move| {
        let taken = captured(board, m).map_or(0, |(_, kind)| value(kind));
        let next = board.make(m);
        let mut replies = next.legal_moves().into_iter().filter(|reply| reply.to() == m.to());
        replies.any(|reply| next.see_ge(reply, taken + PAWN_VALUE))
    };
    board.legal_moves().into_iter().filter(|m| m.from() == square).all(loses)
}

/// Whether a move takes a piece with profit on its square, promotes, or mates.
fn is_blow(board: &Board, m: Move) -> bool {
    let takes = captured(board, m).is_some_and(|(_, kind)| kind != PieceKind::Pawn);
    (takes || m.is_promotion()) && board.see_ge(m, PAWN_VALUE) || board.make(m).is_checkmate()
}

/// Whether the move at `ply` of the line is such a blow, or takes a piece and is not answered on its
/// square.
fn strikes(course: &Course, ply: usize) -> bool {
    let (board, m) = (&course.boards[ply], course.moves[ply]);
    let takes = captured(board, m).is_some_and(|(_, kind)| kind != PieceKind::Pawn);
    let is_answered = course.moves.get(ply + 1).is_none_or(|reply| reply.to() == m.to());
    is_blow(board, m) || takes && !is_answered
}

/// Removed defender: the move takes a piece that guards a square, and one of the next two moves
/// strikes there: a capture with profit, a promotion, or mate.
/// (<https://en.wikipedia.org/wiki/Undermining_(chess)>)
fn removed_defender(course: &Course, ply: usize) -> Option<Motif> {
    let (before, m) = (&course.boards[ply], course.moves[ply]);
    let (defender, _) = captured(before, m)?;
    let target = [ply + 2, ply + 4].into_iter().find_map(|at| {
        let (board, next) = (&course.boards.get(at)?, *course.moves.get(at)?);
        let target = next.to();
        let is_guarded = attacked_from(before, defender).has(target) && target != m.to();
        let is_alone = (guards(before, !course.us, target) & !defender.bitboard()).is_empty();
        let is_mate = board.make(next).is_checkmate();
        // A piece that came there later was not guarded before.
        let is_same = is_mate || course.fate(target, ply) == Some(at);
        let is_struck = is_guarded && is_same && (is_alone || is_mate) && strikes(course, at);
        (is_struck && !was_there(before, next)).then_some(target)
    })?;
    // What wins by itself removes no defender.
    let wins = before.see_ge(m, PAWN_VALUE);
    (!wins).then(|| course.motif(MotifName::RemovedDefender, ply, vec![m.to(), defender, target]))
}

/// Whether the same blow was possible before.
fn was_there(before: &Board, blow: Move) -> bool {
    before.is_legal(blow) && is_blow(before, blow)
}

/// Deflection: a piece must take the moved piece, or answer its check, and no longer guards the
/// square where the next move strikes. Overloaded defender: the move takes what the same piece
/// guards as well.
/// (<https://www.chessprogramming.org/Deflection>, <https://www.chessprogramming.org/Overloading>)
fn deflection(course: &Course, ply: usize) -> Vec<Motif> {
    let (before, m, after) = (&course.boards[ply], course.moves[ply], &course.boards[ply + 1]);
    let (Some(reply), Some(next)) = (course.moves.get(ply + 1), course.moves.get(ply + 2)) else {
        return Vec::new();
    };
    let (defender, target) = (reply.from(), next.to());
    let takes = captured(after, *reply).is_some_and(|(square, _)| square == m.to());
    let is_king = reply.piece() == PieceKind::King;
    let is_forced = takes || after.in_check() && !is_king;
    let last = &course.boards[ply + 2];
    let left = attacked_from(after, defender).has(target)
        && !attacked_from(last, reply.destination()).has(target)
        && target != reply.to();
    if !(is_forced && left && strikes(course, ply + 2)) || was_there(before, *next) {
        return Vec::new();
    }
    let squares = vec![m.to(), defender, target];
    let mut found = vec![course.motif(MotifName::Deflection, ply, squares.clone())];
    let taken =
        captured(before, m).filter(|(square, _)| attacked_from(before, defender).has(*square));
    if taken.is_some() && takes {
        found.push(course.motif(MotifName::OverloadedDefender, ply, squares));
    }
    found
}

/// In-between move: the other side has just taken a piece; instead of the recapture, which follows
/// later, comes a check or the capture of the queen. (<https://www.chessprogramming.org/Zwischenzug>)
fn in_between(course: &Course, ply: usize) -> Option<Motif> {
    let last = ply.checked_sub(1)?;
    let (before, m) = (&course.boards[ply], course.moves[ply]);
    let (square, _) = captured(&course.boards[last], course.moves[last])?;
    let takes_queen = captured(before, m).is_some_and(|(_, kind)| kind == PieceKind::Queen);
    let is_forcing = before.gives_check(m) || takes_queen;
    let retaken = course.fate(square, ply).filter(|at| (ply + 1..=ply + 4).contains(at))?;
    let recapture = course.moves[retaken];
    let could_retake = before.is_legal(recapture) && recapture.to() == square;
    (could_retake && is_forcing && m.to() != square)
        .then(|| course.motif(MotifName::InBetweenMove, ply, vec![m.to(), square]))
}
