//! Forks, pins, skewers, discovered attacks and checks.

use super::super::material::{captured, guards, is_prize, value};
use super::course::{Course, Ray, attacked_from, rays};
use super::{Motif, MotifName};
use crate::chess::{Board, Move, PieceKind, Square, attacks};

/// Plies within which a target must be lost.
const SOON: usize = 5;

/// The motifs of attack that the move at `ply` of the line begins.
pub(super) fn motifs(course: &Course, ply: usize) -> Vec<Motif> {
    if !course.gains_from(ply) {
        return Vec::new();
    }
    let checks = checks(course, ply);
    let others = [discovered_attack(course, ply), fork(course, ply), skewer(course, ply)];
    let pins = [made_pin(course, ply), used_pin(course, ply)];
    checks.into_iter().chain(others.into_iter().chain(pins).flatten()).collect()
}

/// Double check: two pieces give check. Discovered check: a piece gives check that did not move.
/// (<https://www.chessprogramming.org/Discovered_Check>)
fn checks(course: &Course, ply: usize) -> Vec<Motif> {
    let (m, after) = (course.moves[ply], &course.boards[ply + 1]);
    let checkers = after.checkers();
    // The rook gives check after castling: that is no discovery.
    let hidden = checkers & !m.to().bitboard();
    let mut found = Vec::new();
    let king = after.king(!course.us);
    let squares: Vec<Square> = checkers.into_iter().chain([king]).collect();
    if checkers.more_than_one() {
        found.push(course.motif(MotifName::DoubleCheck, ply, squares.clone()));
    }
    if let Some(slider) = hidden.first()
        && !m.is_castling()
    {
        found.push(course.motif(MotifName::DiscoveredCheck, ply, vec![slider, king]));
    }
    found
}

/// Discovered attack: a slider that did not move attacks a piece through the square that the moved
/// piece has left, and this piece is lost.
/// (<https://www.chessprogramming.org/Discovered_Attack>)
fn discovered_attack(course: &Course, ply: usize) -> Option<Motif> {
    let (m, after) = (course.moves[ply], &course.boards[ply + 1]);
    let own = after.side(course.us);
    let sliders = (own.diagonal_sliders() | own.orthogonal_sliders()) & !m.to().bitboard();
    sliders.into_iter().find_map(|slider| {
        let by = own.piece_at(slider)?;
        let opened = attacked_from(after, slider) & course.them(after).occupied();
        let target = opened.into_iter().find(|target| {
            attacks::between(slider, *target).has(m.from())
                && is_prize(after, !course.us, *target, by)
                && course.is_lost(*target, ply + 1, SOON)
                && !course.is_lost_before(slider, *target, ply + 1)
        })?;
        Some(course.motif(MotifName::DiscoveredAttack, ply, vec![slider, target]))
    })
}

/// Fork, or double attack: the moved piece attacks two or more pieces that it could take with
/// profit, and takes one of them. The king is a target, and so is a threat of mate.
/// (<https://www.chessprogramming.org/Double_Attack>)
fn fork(course: &Course, ply: usize) -> Option<Motif> {
    let (before, m, after) = (&course.boards[ply], course.moves[ply], &course.boards[ply + 1]);
    let forker = m.destination();
    let kind = after.side(course.us).piece_at(forker)?;
    let attacked = attacked_from(after, forker) & course.them(after).occupied();
    let king = after.king(!course.us);
    let mut targets: Vec<Square> = attacked
        .into_iter()
        .filter(|target| *target == king || is_prize(after, !course.us, *target, kind))
        .collect();
    let is_taken = |target: &Square| *target != king && course.is_lost(*target, ply + 1, SOON);
    let old = attacked_from(before, m.from());
    let is_new = targets.iter().any(|target| !old.has(*target));
    if !targets.iter().any(is_taken) {
        return None;
    }
    if targets.len() == 1 && threatens_mate(after, forker) {
        targets.push(king);
    }
    targets.sort_by_key(|target| std::cmp::Reverse(course.them(after).piece_at(*target)));
    let squares: Vec<Square> = std::iter::once(forker).chain(targets).collect();
    let is_sacrifice = course.fate(forker, ply + 1) == Some(ply + 1);
    (squares.len() > 2 && is_new && !is_sacrifice)
        .then(|| course.motif(MotifName::Fork, ply, squares))
}

/// Whether the piece on a square would mate if the side to move passed.
fn threatens_mate(board: &Board, square: Square) -> bool {
    !board.in_check() && {
        let passed = board.make_null();
        let mut own = passed.legal_moves().into_iter().filter(|m| m.from() == square);
        own.any(|m| passed.make(m).is_checkmate())
    }
}

/// Skewer: the moved slider attacks the king, or a piece worth more than itself, which moves; the
/// slider takes what stood behind it. (<https://www.chessprogramming.org/Skewer>)
fn skewer(course: &Course, ply: usize) -> Option<Motif> {
    let (m, after) = (course.moves[ply], &course.boards[ply + 1]);
    let (reply, next) = (course.moves.get(ply + 1)?, course.moves.get(ply + 2)?);
    let by = after.side(course.us).piece_at(m.to())?;
    let them = course.them(after);
    let ray = rays(after, course.us).into_iter().find(|ray| {
        let (front, rear) = (them.piece_at(ray.front), them.piece_at(ray.rear));
        let is_valuable = |kind| kind == PieceKind::King || value(kind) > value(by);
        ray.slider == m.to()
            && front.is_some_and(is_valuable)
            && rear.is_some_and(|kind| kind != PieceKind::Pawn && kind != PieceKind::King)
            && reply.from() == ray.front
            && (next.from(), next.to()) == (ray.slider, ray.rear)
    })?;
    Some(course.motif(MotifName::Skewer, ply, vec![ray.slider, ray.front, ray.rear]))
}

/// Whether the front piece of a ray is pinned: to its king, or to a piece that is worth more than
/// itself and could be taken with profit.
fn is_pin(course: &Course, board: &Board, ray: &Ray) -> bool {
    let them = course.them(board);
    let kinds = [board.side(course.us), them, them].into_iter();
    let kinds: Option<Vec<PieceKind>> = kinds
        .zip([ray.slider, ray.front, ray.rear])
        .map(|(side, square)| side.piece_at(square))
        .collect();
    let Some([slider, front, rear]) = kinds.as_deref() else {
        return false;
    };
    let is_loose = || {
        let beyond = guards(board, !course.us, ray.rear) & !ray.front.bitboard();
        value(*rear) > value(*slider) || beyond.is_empty()
    };
    *front != PieceKind::Pawn
        && (*rear == PieceKind::King || value(*rear) > value(*front) && is_loose())
}

/// Pin, made or attacked: the move pins a piece, or attacks a pinned piece once more, and this piece
/// is lost. (<https://www.chessprogramming.org/Pin>)
fn made_pin(course: &Course, ply: usize) -> Option<Motif> {
    let (before, m, after) = (&course.boards[ply], course.moves[ply], &course.boards[ply + 1]);
    let earlier = rays(before, course.us);
    let ray = rays(after, course.us).into_iter().find(|ray| {
        let attacks_it = attacked_from(after, m.destination()).has(ray.front);
        let is_old = earlier.contains(ray);
        (!is_old || attacks_it && ray.slider != m.to())
            && is_pin(course, after, ray)
            && !trades_pinner(course, ply, ray)
            && course.is_lost(ray.front, ply + 1, SOON)
    })?;
    Some(course.motif(MotifName::Pin, ply, vec![ray.slider, ray.front, ray.rear]))
}

/// Whether the pinned piece takes the piece that pins it and is worth no more: that is an exchange.
fn trades_pinner(course: &Course, ply: usize, ray: &Ray) -> bool {
    let after = &course.boards[ply + 1];
    let kind = |square| after.piece_at(square).map_or(0, |piece| value(piece.kind));
    let reply = course.moves.get(ply + 1);
    reply.is_some_and(|m| (m.from(), m.to()) == (ray.front, ray.slider))
        && kind(ray.front) <= kind(ray.slider)
}

/// Pin, used: the move goes to a square that a piece pinned to its king guards; it may not take
/// there, and no other piece can do so without loss.
fn used_pin(course: &Course, ply: usize) -> Option<Motif> {
    let (before, m, after) = (&course.boards[ply], course.moves[ply], &course.boards[ply + 1]);
    let them = course.them(after);
    let guards = guards(after, !course.us, m.to()) & !them.pieces(PieceKind::King);
    let takes = |reply: &Move| reply.to() == m.to();
    let mut replies = after.legal_moves().into_iter().filter(takes);
    let can_take = replies.any(|reply| after.see_ge(reply, 0));
    let king = after.king(!course.us);
    let all = rays(after, course.us).into_iter();
    let mut pins = all.filter(|ray| ray.rear == king && guards.has(ray.front));
    // A pinned piece may still take the piece that pins it.
    let ray = pins.find(|ray| !attacks::line(ray.slider, king).has(m.to()) && !can_take)?;
    let moved = after.side(course.us).piece_at(m.to())?;
    let would_take = value(moved) > value(them.piece_at(ray.front)?)
        || captured(before, m).is_some()
        || self::guards(after, course.us, m.to()).is_empty();
    would_take.then(|| course.motif(MotifName::Pin, ply, vec![ray.slider, ray.front, ray.rear]))
}
