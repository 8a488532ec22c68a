//! The accumulator of the feature transformer, and its incremental update.

use super::arch::HIDDEN;
use super::features::{MAX_ACTIVE_FEATURES, Orientation};
use super::network::Weights;
use super::simd::Isa;
use crate::chess::{Bitboard, Board, Color, PieceKind};

/// One perspective's hidden layer before the activation: the bias plus the weight rows of the
/// active features, in units of 1/QA.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Accumulator(pub(super) [i16; HIDDEN]);

/// The pieces of a board: White's six bitboards, then Black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PieceBitboards([Bitboard; 12]);

impl PieceBitboards {
    /// No pieces.
    pub(super) const EMPTY: PieceBitboards = PieceBitboards([Bitboard::EMPTY; 12]);

    /// The pieces of `board`.
    #[inline(always)]
    pub(super) fn of(board: &Board) -> PieceBitboards {
        let mut pieces = PieceBitboards::EMPTY;
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                pieces.0[6 * color.index() + kind.index()] = board.side(color).pieces(kind);
            }
        }
        pieces
    }

    /// The number of changed features between the two.
    #[inline]
    pub(super) fn distance(&self, other: &PieceBitboards) -> u32 {
        let bitboards = self.0.iter().zip(&other.0);
        bitboards.map(|(a, b)| (a.0 ^ b.0).count_ones()).sum()
    }
}

/// A piece on a square: `colour << 9 | kind << 6 | square`.
pub(super) type PackedPiece = u16;

/// The pieces that were added and removed between two positions (Stockfish's "dirty pieces").
///
/// It is reused and filled in place: to return it by value costs store-forwarding stalls.
#[derive(Clone, Debug)]
pub(super) struct ChangedPieces {
    added: [PackedPiece; MAX_ACTIVE_FEATURES],
    removed: [PackedPiece; MAX_ACTIVE_FEATURES],
    added_len: usize,
    removed_len: usize,
}

impl ChangedPieces {
    /// No changes.
    pub(super) const NONE: ChangedPieces = ChangedPieces {
        added: [0; MAX_ACTIVE_FEATURES],
        removed: [0; MAX_ACTIVE_FEATURES],
        added_len: 0,
        removed_len: 0,
    };

    /// The added pieces, then the removed ones.
    #[inline(always)]
    pub(super) fn added_and_removed(&self) -> (&[PackedPiece], &[PackedPiece]) {
        (&self.added[..self.added_len], &self.removed[..self.removed_len])
    }

    /// Sets the changes between two positions and returns their number: 2 for a quiet move, 3 for a
    /// capture, 4 for castling.
    ///
    /// They are found by comparing bitboards, so the board needs no record of the moves between.
    #[inline(always)]
    pub(super) fn set(&mut self, from: &PieceBitboards, to: &PieceBitboards) -> usize {
        // A loop over the bitboards that differ, one to three for a move, causes fewer branch
        // mispredictions than twelve comparisons.
        let mut differing = 0u32;
        for index in 0..12 {
            differing |= u32::from(from.0[index] != to.0[index]) << index;
        }
        let (mut added_len, mut removed_len) = (0, 0);
        while differing != 0 {
            let index = (differing.trailing_zeros() % 16) as usize;
            differing &= differing - 1;
            let piece = ((index / 6) << 9 | (index % 6) << 6) as PackedPiece;
            for square in to.0[index] & !from.0[index] {
                self.added[added_len] = piece | square.index() as PackedPiece;
                added_len += 1;
            }
            for square in from.0[index] & !to.0[index] {
                self.removed[removed_len] = piece | square.index() as PackedPiece;
                removed_len += 1;
            }
        }
        (self.added_len, self.removed_len) = (added_len, removed_len);
        added_len + removed_len
    }
}

/// One side's perspective of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Perspective {
    color: Color,
    orientation: Orientation,
}

impl Perspective {
    /// The perspective of `color`, whose king stands on the square number `king`.
    #[inline(always)]
    pub(super) fn new(color: Color, king: usize) -> Perspective {
        Perspective { color, orientation: Orientation::new(color == Color::Black, king as u8) }
    }

    /// White's and Black's perspective of `board`.
    #[inline(always)]
    pub(super) fn both(board: &Board) -> [Perspective; 2] {
        Color::ALL.map(|color| Perspective::new(color, board.king(color).index()))
    }

    /// Whether the files are mirrored.
    #[inline(always)]
    pub(super) fn is_mirrored(self) -> bool {
        self.orientation.is_mirrored()
    }

    /// The weight row of the feature that `piece` is in this perspective.
    #[inline(always)]
    pub(super) fn weight_row(self, weights: &Weights, piece: PackedPiece) -> &[i8; HIDDEN] {
        let is_opponent = usize::from(piece >> 9) != self.color.index();
        let kind = usize::from(piece >> 6 & 7);
        let square = (piece & 63) as u8;
        let feature = self.orientation.feature_index(is_opponent, kind, square);
        &weights.feature_weights[feature]
    }
}

/// Writes `source` with `changes` applied into `target`. Additions wrap, so their order does not
/// matter; weights are bounded so that the result never overflows.
#[inline(always)]
pub(super) fn update<I: Isa>(
    isa: I,
    weights: &Weights,
    source: &Accumulator,
    target: &mut Accumulator,
    changes: &ChangedPieces,
    perspective: Perspective,
) {
    let row = |piece| perspective.weight_row(weights, piece);
    // Quiet moves, captures and castling are unrolled: every value is loaded and stored once, and
    // there is no loop over the changes.
    let (added, removed) = changes.added_and_removed();
    match (added, removed) {
        (&[a], &[r]) => add_sub(isa, source, target, [row(a)], [row(r)]),
        (&[a], &[r, s]) => add_sub(isa, source, target, [row(a)], [row(r), row(s)]),
        (&[a, b], &[r, s]) => add_sub(isa, source, target, [row(a), row(b)], [row(r), row(s)]),
        // As many vectors at a time as fit into registers.
        _ => match HIDDEN / I::LANES {
            n if n % 8 == 0 => add_sub_tiled::<I, 8>(isa, source, target, row, added, removed),
            n if n % 4 == 0 => add_sub_tiled::<I, 4>(isa, source, target, row, added, removed),
            _ => add_sub_tiled::<I, 1>(isa, source, target, row, added, removed),
        },
    }
}

/// Applies a fixed number of added and removed weight rows.
#[inline(always)]
fn add_sub<I: Isa, const A: usize, const R: usize>(
    isa: I,
    source: &Accumulator,
    target: &mut Accumulator,
    added: [&[i8; HIDDEN]; A],
    removed: [&[i8; HIDDEN]; R],
) {
    for i in 0..HIDDEN / I::LANES {
        add_sub_vector(isa, source, target, added, removed, i);
    }
}

/// The same for the vector `index` alone; returns its new values.
#[inline(always)]
pub(super) fn add_sub_vector<I: Isa, const A: usize, const R: usize>(
    isa: I,
    source: &Accumulator,
    target: &mut Accumulator,
    added: [&[i8; HIDDEN]; A],
    removed: [&[i8; HIDDEN]; R],
    index: usize,
) -> I::Vector {
    let mut values = isa.load(&source.0, index);
    for row in added {
        values = isa.add(values, isa.load_weights(row, index));
    }
    for row in removed {
        values = isa.sub(values, isa.load_weights(row, index));
    }
    isa.store(&mut target.0, index, values);
    values
}

/// Applies any number of added and removed pieces to tiles of `TILE` vectors, which stay in
/// registers.
#[inline(always)]
fn add_sub_tiled<'w, I: Isa, const TILE: usize>(
    isa: I,
    source: &Accumulator,
    target: &mut Accumulator,
    row: impl Fn(PackedPiece) -> &'w [i8; HIDDEN],
    added: &[PackedPiece],
    removed: &[PackedPiece],
) {
    for first in (0..HIDDEN / I::LANES).step_by(TILE) {
        let mut tile = [isa.load(&source.0, first); TILE];
        for (i, values) in tile.iter_mut().enumerate() {
            *values = isa.load(&source.0, first + i);
        }
        for &piece in added {
            let row = row(piece);
            for (i, values) in tile.iter_mut().enumerate() {
                *values = isa.add(*values, isa.load_weights(row, first + i));
            }
        }
        for &piece in removed {
            let row = row(piece);
            for (i, values) in tile.iter_mut().enumerate() {
                *values = isa.sub(*values, isa.load_weights(row, first + i));
            }
        }
        for (i, values) in tile.iter().enumerate() {
            isa.store(&mut target.0, first + i, *values);
        }
    }
}
