//! What a move does on the board.

use super::super::material::{Material, captured, is_prize, value, winning_captures};
use super::super::motif::{MotifName, lasting, motifs};
use super::features::lasting_changes;
use super::statement::{Deed, Line, telling_motif};
use crate::chess::{Bitboard, Board, GameStatus, Move, PieceKind, Square, attacks};

/// What the first move of a line does, the most important first.
pub(super) fn deeds(line: Line<'_>) -> Vec<Deed> {
    const MAX_DEEDS: usize = 3;
    let board = line.board;
    let Some(m) = line.moves.first().copied() else {
        return Vec::new();
    };
    let after = board.make(m);
    let status = after.status();
    if status != GameStatus::Ongoing {
        return vec![Deed::Ends(status)];
    }
    let material = line.material();
    let mut deeds = Vec::new();
    // A promotion that the outcome of the line tells is not told twice.
    let is_told = line.score.mate().is_none()
        && material.as_ref().is_some_and(|material| material.promoted[0] == m.promotion());
    deeds.extend(m.promotion().filter(|_| !is_told).map(Deed::Promotes));
    if let Some((square, kind)) = captured(board, m) {
        let is_retaken =
            m.piece() == kind && line.moves[1..].iter().any(|reply| reply.to() == m.to());
        let trade = material.as_ref().and_then(|material| trade(material, kind, is_retaken));
        deeds.push(trade.map_or(Deed::Takes(kind, square), Deed::Trades));
    }
    deeds.extend(m.is_castling().then_some(Deed::Castles));
    deeds.extend(after.in_check().then_some(Deed::GivesCheck));
    deeds.extend(developed(board, m));
    deeds.extend(takes_centre(board, m).then_some(Deed::TakesCentre));
    if deeds.iter().all(|deed| !matches!(deed, Deed::Trades(_))) {
        deeds.extend(attacked(board, m).filter(|_| !forks(line)));
        // Where a piece is won, a pawn does not matter.
        let is_small = |deed: &Deed| matches!(deed, Deed::Defends(PieceKind::Pawn, _));
        let is_won = line.score.mate().is_some()
            || material.as_ref().is_some_and(|all| all.value() >= value(PieceKind::Knight));
        deeds.extend(defended(board, m).filter(|deed| !(is_won && is_small(deed))));
    }
    deeds.extend(lasting_changes(line, material.as_ref()));
    if deeds.is_empty() {
        deeds.extend(plan(board, m));
    }
    deeds.truncate(MAX_DEEDS);
    deeds
}

/// Whether the first move of a line is told as a fork.
fn forks(line: Line<'_>) -> bool {
    let motifs = motifs(line.board, line.moves, line.score);
    telling_motif(&motifs).is_some_and(|motif| (motif.name, motif.ply) == (MotifName::Fork, 0))
}

/// The exchange that a capture of this kind begins: of different pieces of equal value, or of equal
/// ones, if the piece that takes is of the same kind and `is_retaken`. Equal pieces that are taken in
/// two places are no exchange.
fn trade(material: &Material, kind: PieceKind, is_retaken: bool) -> Option<Material> {
    if material.gained.contains(&kind) {
        return (material.value() == 0).then(|| material.clone());
    }
    let traded = vec![kind];
    let is_even = is_retaken && material.traded.contains(&kind);
    is_even.then(|| Material { traded, ..Material::default() })
}

/// Whether it is an opening: not many moves have been made, and most men are on the board.
fn is_opening(board: &Board) -> bool {
    const LAST_MOVE: u32 = 15;
    const MIN_MEN: u32 = 20;
    board.fullmove_number() <= LAST_MOVE && board.occupied().count() >= MIN_MEN
}

/// A pawn that comes to one of the four central squares in the opening, beyond its own half only if
/// it is safe there.
fn takes_centre(board: &Board, m: Move) -> bool {
    const CENTRE: Bitboard =
        Bitboard::from_squares(&[Square::D4, Square::E4, Square::D5, Square::E5]);
    let is_new = m.piece() == PieceKind::Pawn && CENTRE.has(m.to()) && !board.is_capture(m);
    let is_safe = || winning_captures(&board.make(m)).all(|reply| reply.to() != m.to());
    is_new && is_opening(board) && is_safe()
}

/// A knight or bishop that leaves its back rank in the opening.
fn developed(board: &Board, m: Move) -> Option<Deed> {
    let home = board.turn().back_rank();
    let is_minor = matches!(m.piece(), PieceKind::Knight | PieceKind::Bishop);
    let is_new = is_opening(board) && home.has(m.from()) && !home.has(m.to());
    (is_minor && is_new && !board.is_capture(m)).then_some(Deed::Develops(m.piece()))
}

/// What a quiet move is good for in an endgame: a passed pawn, the rook behind it, the king.
fn plan(board: &Board, m: Move) -> Option<Deed> {
    let passed = |board: &Board| {
        let all = lasting(board).into_iter();
        all.filter(|motif| motif.name == MotifName::PassedPawn)
            .map(|motif| (motif.side, motif.squares[0]))
    };
    let (us, after) = (board.turn(), board.make(m));
    let [has_queens, has_pawns] =
        [PieceKind::Queen, PieceKind::Pawn].map(|kind| board.pieces(kind).any());
    match m.piece() {
        PieceKind::Pawn => {
            let was_passed = || passed(board).any(|pawn| pawn == (us, m.from()));
            let is_step = !m.is_promotion() && m.to().file() == m.from().file();
            (is_step && was_passed()).then_some(Deed::Advances)
        }
        PieceKind::Rook if !has_queens && m.to().file() != m.from().file() => {
            let mut behind = passed(&after).filter(|(side, pawn)| {
                let is_behind = pawn.rank().relative_to(*side) > m.to().rank().relative_to(*side);
                let between = attacks::between(m.to(), *pawn) & after.occupied();
                is_behind && pawn.file() == m.to().file() && between.is_empty()
            });
            behind.next().map(|(side, pawn)| Deed::Behind((side != us).then_some(side), pawn))
        }
        PieceKind::King if !has_queens && has_pawns && !board.in_check() => {
            const CENTRE: [Square; 4] = [Square::D4, Square::E4, Square::D5, Square::E5];
            let distance = |from: Square| {
                let steps = CENTRE.into_iter().map(|square| {
                    let ranks = square.rank().distance(from.rank());
                    square.file().distance(from.file()).max(ranks)
                });
                steps.min()
            };
            (distance(m.to()) < distance(m.from())).then_some(Deed::ActivatesKing)
        }
        _ => None,
    }
}

/// A piece that the moved piece attacks, did not attack before, and could take with profit; unless
/// the moved piece can itself be taken. A check is told by itself.
fn attacked(board: &Board, m: Move) -> Option<Deed> {
    let (after, us) = (board.make(m), board.turn());
    let square = m.destination();
    let kind = after.side(us).piece_at(square)?;
    let of = |board: &Board, kind, square| attacks::of(kind, us, square, board.occupied());
    let new = of(&after, kind, square) & !of(board, m.piece(), m.from());
    let is_safe = winning_captures(&after).all(|reply| reply.to() != square);
    let them = after.side(!us);
    let targets = (new & them.occupied()).into_iter();
    let targets =
        targets.filter(|target| *target != them.king() && is_prize(&after, !us, *target, kind));
    let best = targets.max_by_key(|target| them.piece_at(*target))?;
    is_safe.then_some(Deed::Attacks(them.piece_at(best)?, best))
}

/// A piece that the other side could have taken with profit, and cannot after the move.
fn defended(board: &Board, m: Move) -> Option<Deed> {
    let after = board.make(m);
    if board.in_check() || after.in_check() {
        return None;
    }
    let targets = |board: &Board| -> Vec<Square> {
        winning_captures(board).map(|reply| reply.to()).collect()
    };
    let (before, left) = (targets(&board.make_null()), targets(&after));
    if before.contains(&m.from()) && !left.contains(&m.destination()) {
        // A capture is told as such.
        return (!board.is_capture(m)).then_some(Deed::Saves(m.piece()));
    }
    let saved = before.into_iter().find(|target| !left.contains(target) && *target != m.from())?;
    Some(Deed::Defends(after.side(board.turn()).piece_at(saved)?, saved))
}
