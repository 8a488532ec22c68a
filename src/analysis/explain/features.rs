//! Lasting features that are worth a word: new ones that a move brings about, and those that the
//! evaluation bears out.

use super::super::material::{Material, balance, value, winning_captures};
use super::super::motif::{Motif, MotifName, lasting};
use super::statement::{Deed, Line};
use crate::chess::{Board, PieceKind, Rank, Square};
use crate::eval::{PieceValue, piece_values};

/// Lasting features that the move, or the exchange that it begins, brings about. Pawns and a pair of
/// bishops must still be there a few moves later. Where a side is a piece up, or the line mates, they
/// do not matter.
pub(super) fn lasting_changes(course: Line<'_>, material: Option<&Material>) -> Vec<Deed> {
    const MAX_PLIES: usize = 4;
    const LASTING_PLIES: usize = 6;
    const DECIDED_CP: i32 = 300;
    let (board, line) = (course.board, course.moves);
    let us = board.turn();
    let plies = match material {
        Some(material) if board.is_capture(line[0]) && material.value() == 0 => material.plies,
        _ => 1,
    };
    let is_decided = course.score.mate().is_some()
        || material.is_some_and(|material| {
            (balance(board) + material.value()).abs() >= value(PieceKind::Knight)
        });
    if plies > MAX_PLIES || is_decided {
        return Vec::new();
    }
    let at = |plies: usize| line[..plies].iter().fold(*board, |at, m| at.make(*m));
    let after = at(plies);
    let (before, later) = (lasting(board), lasting(&at(LASTING_PLIES.min(line.len()))));
    let is_in = |all: &[Motif], motif: &Motif| {
        // A pawn is known by its file; a pair of bishops has two of them.
        let file = |motif: &Motif| motif.squares.first().map(|square| square.file());
        let is_same =
            |other: &Motif| motif.name == MotifName::BishopPair || file(other) == file(motif);
        let mut of_side = all.iter().filter(|other| other.side == motif.side);
        of_side.any(|other| other.name == motif.name && is_same(other))
    };
    let is_new = |motif: &&Motif| {
        let is_place = matches!(motif.name, MotifName::Outpost | MotifName::OpenFile);
        let lasts = || is_place || is_in(&later, motif);
        !is_in(&before, motif) && lasts() && is_telling(&after, motif)
    };
    let features = lasting(&after);
    let mut new: Vec<&Motif> = features.iter().filter(is_new).collect();
    if !new.is_empty() {
        let values = piece_values(&after, course.evaluation);
        new.retain(|motif| is_felt(&values, motif));
    }
    let gets = new.iter().filter(|motif| motif.side == us).filter_map(|motif| {
        let square = *motif.squares.first()?;
        let is_moved = square == line[0].destination();
        let is_good = match motif.name {
            MotifName::PassedPawn | MotifName::BishopPair => true,
            MotifName::Outpost | MotifName::OpenFile => is_moved,
            _ => false,
        };
        is_good.then_some(Deed::Gets(motif.name, square))
    });
    let weak = [MotifName::DoubledPawn, MotifName::IsolatedPawn].into_iter();
    let leaves =
        weak.flat_map(|name| [!us, us].map(|side| (side, name))).filter_map(|(side, name)| {
            let all = new.iter().filter(|motif| (motif.side, motif.name) == (side, name));
            let squares: Vec<Square> =
                all.filter_map(|motif| motif.squares.first().copied()).collect();
            (!squares.is_empty()).then_some(Deed::Leaves(side, name, squares))
        });
    // In a game that is decided nobody counts weak pawns.
    let is_open = course.score.centipawns().is_some_and(|score| score.abs() < DECIDED_CP);
    gets.chain(leaves.take(usize::from(is_open))).collect()
}

/// Whether the evaluation bears a lasting feature out: without its piece it falls more than without
/// most others of the kind, or less if the feature is a weakness. Bishops compare with knights too. A
/// king is weak if the other side's queen is worth more than its own.
pub(super) fn is_felt(values: &[PieceValue], motif: &Motif) -> bool {
    let median = |is_counted: &dyn Fn(&PieceValue) -> bool| {
        let counted = values.iter().filter(|value| is_counted(value));
        let mut counted: Vec<i32> = counted.filter_map(|value| value.value).collect();
        counted.sort_unstable();
        counted.get(counted.len() / 2).copied()
    };
    let is_own = |value: &PieceValue| motif.squares.contains(&value.square);
    let of_kinds = |kinds: &[PieceKind]| {
        (median(&is_own), median(&|value| !is_own(value) && kinds.contains(&value.piece.kind)))
    };
    let queen = |side| {
        let queen = move |value: &PieceValue| {
            (value.piece.kind, value.piece.color) == (PieceKind::Queen, side)
        };
        median(&queen)
    };
    let minors = &[PieceKind::Knight, PieceKind::Bishop];
    let (higher, lower) = match motif.name {
        MotifName::PassedPawn => of_kinds(&[PieceKind::Pawn]),
        MotifName::OpenFile => of_kinds(&[PieceKind::Rook]),
        MotifName::Outpost | MotifName::BishopPair => of_kinds(minors),
        MotifName::IsolatedPawn | MotifName::DoubledPawn | MotifName::BackwardPawn => {
            let (own, others) = of_kinds(&[PieceKind::Pawn]);
            (others, own)
        }
        MotifName::BadBishop => {
            let (own, others) = of_kinds(minors);
            (others, own)
        }
        MotifName::WeakKing => (queen(!motif.side), queen(motif.side)),
        _ => return true,
    };
    // Without others of the kind there is nothing to compare with.
    higher.zip(lower).is_none_or(|(higher, lower)| higher > lower)
}

/// Whether a lasting feature of a position is worth a word: not what every pawn of an endgame has,
/// nor an isolated pawn deep in the enemy camp, nor a doubled pawn of an exchange that is about to
/// be retaken.
pub(super) fn is_telling(board: &Board, motif: &Motif) -> bool {
    const FEW_PAWNS: u32 = 2;
    let (own, other) = (board.side(motif.side), board.side(!motif.side));
    let (own_pawns, other_pawns) = (own.pieces(PieceKind::Pawn), other.pieces(PieceKind::Pawn));
    let square = motif.squares.first().copied();
    let is_pawn_ending =
        board.occupied() == board.pieces(PieceKind::Pawn) | board.pieces(PieceKind::King);
    let takes = |board: &Board| winning_captures(board).any(|m| Some(m.to()) == square);
    let is_taken = || {
        if board.turn() == motif.side {
            !board.in_check() && takes(&board.make_null())
        } else {
            takes(board)
        }
    };
    match motif.name {
        MotifName::PassedPawn => !is_pawn_ending && other_pawns.any(),
        MotifName::Outpost => other_pawns.any(),
        MotifName::DoubledPawn => own_pawns.count() > FEW_PAWNS && !is_taken(),
        MotifName::IsolatedPawn => {
            let rank = square.map(|square| square.rank().relative_to(motif.side));
            own_pawns.count() > FEW_PAWNS && rank < Some(Rank::Sixth)
        }
        MotifName::BackwardPawn => own_pawns.count() > FEW_PAWNS,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::{Color, Piece};

    /// A word is dropped where the values of the pieces contradict it.
    #[test]
    fn lasting_words_need_values_that_bear_them_out() {
        use MotifName::{BadBishop, IsolatedPawn, OpenFile, OppositeBishops, Outpost, PassedPawn};
        let named = |letter: char| {
            let all = PieceKind::ALL
                .into_iter()
                .flat_map(|kind| Color::ALL.map(|color| Piece { color, kind }));
            all.into_iter().find(|piece| piece.letter() == letter).expect("a piece")
        };
        for (name, own, others, expected) in [
            (PassedPawn, ('P', 180), &[('P', 90), ('p', 110)][..], true),
            (PassedPawn, ('P', 80), &[('P', 90), ('p', 110)], false),
            (PassedPawn, ('P', 80), &[('n', 300)], true),
            (IsolatedPawn, ('P', 80), &[('P', 90), ('p', 110)], true),
            (IsolatedPawn, ('P', 180), &[('P', 90), ('p', 110)], false),
            (Outpost, ('N', 350), &[('B', 300), ('n', 320)], true),
            (Outpost, ('N', 250), &[('B', 300), ('n', 320)], false),
            (BadBishop, ('B', 250), &[('N', 300)], true),
            (BadBishop, ('B', 350), &[('N', 300)], false),
            (OpenFile, ('R', 450), &[('r', 500), ('R', 430)], false),
            (OppositeBishops, ('B', 300), &[('b', 300)], true),
        ] {
            let value = |square, (letter, value): (char, i32)| PieceValue {
                square,
                piece: named(letter),
                value: Some(value),
            };
            let motif = Motif { name, side: Color::White, squares: vec![Square::D4], ply: 0 };
            let others = Square::ALL.into_iter().zip(others);
            let mut values: Vec<PieceValue> =
                others.map(|(square, other)| value(square, *other)).collect();
            values.push(value(Square::D4, own));
            assert_eq!(is_felt(&values, &motif), expected, "{name:?} {own:?}");
        }
    }
}
