//! The pieces of one colour.

use super::color::{Black, Player, White};
use super::{Bitboard, Color, PieceKind, Square, attacks};

/// The pieces of one colour as an immutable value: a bitboard for each kind and their union.
///
/// The six bitboards are disjoint. Every change returns a new `Side`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Side {
    pub(super) pieces: [Bitboard; 6],
    pub(super) all: Bitboard,
}

impl Side {
    /// A side without pieces.
    pub const EMPTY: Side = Side { pieces: [Bitboard::EMPTY; 6], all: Bitboard::EMPTY };

    /// All squares with a piece of this side.
    #[inline(always)]
    pub const fn occupied(&self) -> Bitboard {
        self.all
    }

    /// The squares with a piece of this kind.
    #[inline(always)]
    pub const fn pieces(&self, kind: PieceKind) -> Bitboard {
        self.pieces[kind.index()]
    }

    /// The kind of the piece on the square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<PieceKind> {
        if !self.all.has(square) {
            return None;
        }
        // The bitboards are disjoint, so a sum finds the kind without a branch.
        let index =
            (1..6).map(|index| index * usize::from(self.pieces[index].has(square))).sum::<usize>();
        Some(PieceKind::ALL[index])
    }

    /// This side with a piece put on the square, in place of any piece of its own there.
    #[must_use]
    pub fn with(&self, kind: PieceKind, square: Square) -> Side {
        let mut side = self.without(square);
        side.pieces[kind.index()] |= square.bitboard();
        side.all |= square.bitboard();
        side
    }

    /// This side without the piece on the square.
    #[must_use]
    pub fn without(&self, square: Square) -> Side {
        let mut side = *self;
        let kept = !square.bitboard();
        for set in &mut side.pieces {
            *set &= kept;
        }
        side.all &= kept;
        side
    }

    /// This side with the piece on `from` moved to `to`; unchanged if `from` is empty.
    #[must_use]
    pub fn moved(&self, from: Square, to: Square) -> Side {
        match self.piece_at(from) {
            Some(kind) => self.without(from).with(kind, to),
            None => *self,
        }
    }

    /// This side with the ranks mirrored, as the other colour would have it.
    #[must_use]
    pub fn flipped(&self) -> Side {
        Side { pieces: self.pieces.map(Bitboard::flip_ranks), all: self.all.flip_ranks() }
    }

    /// The square of the king. A side of a [`Board`](super::Board) has exactly one.
    #[inline(always)]
    pub const fn king(&self) -> Square {
        self.pieces[PieceKind::King.index()].lowest()
    }

    /// Bishops and queens.
    #[inline(always)]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.pieces(PieceKind::Bishop) | self.pieces(PieceKind::Queen)
    }

    /// Rooks and queens.
    #[inline(always)]
    pub fn orthogonal_sliders(&self) -> Bitboard {
        self.pieces(PieceKind::Rook) | self.pieces(PieceKind::Queen)
    }

    /// All squares that this side attacks, as the given colour and with this occupancy. Squares of
    /// its own defended pieces are included.
    #[inline]
    pub fn attacks(&self, color: Color, occupied: Bitboard) -> Bitboard {
        let pawns = self.pieces(PieceKind::Pawn);
        let mut set = match color {
            Color::White => White::forward_west(pawns) | White::forward_east(pawns),
            Color::Black => Black::forward_west(pawns) | Black::forward_east(pawns),
        };
        for square in self.pieces(PieceKind::King) {
            set |= attacks::king(square);
        }
        for square in self.pieces(PieceKind::Knight) {
            set |= attacks::knight(square);
        }
        for square in self.diagonal_sliders() {
            set |= attacks::bishop(square, occupied);
        }
        for square in self.orthogonal_sliders() {
            set |= attacks::rook(square, occupied);
        }
        set
    }

    /// The pieces of this side, as the given colour and with this occupancy, that attack the
    /// square.
    #[inline]
    pub fn attackers_to(&self, color: Color, square: Square, occupied: Bitboard) -> Bitboard {
        (attacks::pawn(!color, square) & self.pieces(PieceKind::Pawn))
            | (attacks::knight(square) & self.pieces(PieceKind::Knight))
            | (attacks::king(square) & self.pieces(PieceKind::King))
            | (attacks::bishop(square, occupied) & self.diagonal_sliders())
            | (attacks::rook(square, occupied) & self.orthogonal_sliders())
    }
}
