//! The pawns of a side: passed, isolated, doubled, backward.

use super::{Motif, MotifName};
use crate::chess::{Bitboard, Board, Color, File, PieceKind, Rank, Square, attacks};

/// The motifs of the pawns of a side. (<https://www.chessprogramming.org/Pawn_Structure>)
pub(super) fn motifs(board: &Board, side: Color) -> Vec<Motif> {
    let own = board.side(side).pieces(PieceKind::Pawn);
    let other = board.side(!side).pieces(PieceKind::Pawn);
    let mut found = Vec::new();
    for square in own {
        let mut add = |name| found.push(Motif { name, side, squares: vec![square], ply: 0 });
        let is_isolated = (own & neighbours(square.file())).is_empty();
        let same_file = own & square.file().bitboard();
        let is_foremost = (same_file & ahead(square, side)).is_empty();
        let is_passed = is_foremost && is_passed(square, side, other);
        if is_passed {
            add(MotifName::PassedPawn);
        }
        if is_isolated {
            add(MotifName::IsolatedPawn);
        }
        // Of doubled pawns the foremost is named once.
        if is_foremost && same_file.more_than_one() {
            add(MotifName::DoubledPawn);
        }
        if !is_isolated && !is_passed && is_backward(square, side, own, other) {
            add(MotifName::BackwardPawn);
        }
    }
    found
}

/// The neighbouring files of a file.
pub(super) fn neighbours(file: File) -> Bitboard {
    let near = File::ALL.into_iter().filter(|other| other.distance(file) == 1);
    near.fold(Bitboard::EMPTY, |files, other| files | other.bitboard())
}

/// All squares on the ranks in front of a square, seen by a side.
pub(super) fn ahead(square: Square, side: Color) -> Bitboard {
    let from = square.rank().relative_to(side);
    let ranks = Rank::ALL.into_iter().filter(|rank| rank.relative_to(side) > from);
    ranks.fold(Bitboard::EMPTY, |squares, rank| squares | rank.bitboard())
}

fn is_passed(square: Square, side: Color, other: Bitboard) -> bool {
    let files = neighbours(square.file()) | square.file().bitboard();
    (other & files & ahead(square, side)).is_empty()
}

/// Whether no own pawn beside it or behind can support it, and an enemy pawn guards the square in
/// front of it, on a file without enemy pawns ahead.
fn is_backward(square: Square, side: Color, own: Bitboard, other: Bitboard) -> bool {
    let in_front = ahead(square, side);
    let support = own & neighbours(square.file()) & !in_front;
    let stop = (in_front & square.file().bitboard() & attacks::king(square)).first();
    let is_guarded = stop.is_some_and(|stop| (attacks::pawn(side, stop) & other).any());
    let is_half_open = (other & square.file().bitboard() & in_front).is_empty();
    support.is_empty() && is_guarded && is_half_open
}
