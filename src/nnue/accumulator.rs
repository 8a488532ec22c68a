//! The hidden layer of one perspective, and how it follows the men on the board.

use super::arch::HIDDEN;
use super::features::{MAX_ACTIVE, Orientation};
use super::network::Weights;
use super::simd::Isa;
use crate::chess::{Bitboard, Board, Color, PieceKind};

/// One perspective's hidden layer before its activation: the bias and the rows of the active
/// inputs, in units of 1 / QA.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Accumulator(pub(super) [i16; HIDDEN]);

/// The men on a board: White's six sets, then Black's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Men([Bitboard; 12]);

impl Men {
    /// No men.
    pub(super) const NONE: Men = Men([Bitboard::EMPTY; 12]);

    /// The men on the board.
    #[inline(always)]
    pub(super) fn of(board: &Board) -> Men {
        let mut men = Men::NONE;
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                men.0[6 * color.index() + kind.index()] = board.side(color).pieces(kind);
            }
        }
        men
    }

    /// How many men the two do not share.
    #[inline]
    pub(super) fn distance(&self, other: &Men) -> u32 {
        let sets = self.0.iter().zip(&other.0);
        sets.map(|(a, b)| (a.0 ^ b.0).count_ones()).sum()
    }
}

/// A man on a square: `colour << 9 | kind << 6 | square`.
type Man = u16;

/// The men that came onto a board and those that left it. It is kept and filled again, because
/// copying what has just been written in small pieces makes the processor wait.
#[derive(Clone, Debug)]
pub(super) struct Changes {
    added: [Man; MAX_ACTIVE],
    removed: [Man; MAX_ACTIVE],
    added_len: usize,
    removed_len: usize,
}

impl Changes {
    /// No changes.
    pub(super) const NONE: Changes = Changes {
        added: [0; MAX_ACTIVE],
        removed: [0; MAX_ACTIVE],
        added_len: 0,
        removed_len: 0,
    };

    /// Becomes what leads from some men to others, and tells how many came or left: 2 for a quiet
    /// move, 3 for a capture, 4 for castling. Comparing the sets needs no record of the moves
    /// between, so the rules of chess need not know that anybody follows them.
    #[inline(always)]
    pub(super) fn set(&mut self, from: &Men, to: &Men) -> usize {
        // A loop over the sets that differ, one to three for a move, is mispredicted less often
        // than twelve comparisons.
        let mut differ = 0u32;
        for set in 0..12 {
            differ |= u32::from(from.0[set] != to.0[set]) << set;
        }
        let (mut added_len, mut removed_len) = (0, 0);
        while differ != 0 {
            let set = (differ.trailing_zeros() % 16) as usize;
            differ &= differ - 1;
            let man = ((set / 6) << 9 | (set % 6) << 6) as Man;
            for square in to.0[set] & !from.0[set] {
                self.added[added_len] = man | square.index() as Man;
                added_len += 1;
            }
            for square in from.0[set] & !to.0[set] {
                self.removed[removed_len] = man | square.index() as Man;
                removed_len += 1;
            }
        }
        (self.added_len, self.removed_len) = (added_len, removed_len);
        added_len + removed_len
    }
}

/// How one side sees a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct View {
    perspective: Color,
    orientation: Orientation,
}

impl View {
    /// How the side of a colour sees a board with its king on this square number.
    #[inline(always)]
    pub(super) fn new(perspective: Color, king: usize) -> View {
        View {
            perspective,
            orientation: Orientation::new(perspective == Color::Black, king as u8),
        }
    }

    /// Whether the files are mirrored.
    #[inline(always)]
    pub(super) fn is_mirrored(self) -> bool {
        self.orientation.is_mirrored()
    }

    /// The weights of the input that a man is in this view.
    #[inline(always)]
    fn row(self, weights: &Weights, man: Man) -> &[i16; HIDDEN] {
        let other = usize::from(man >> 9) != self.perspective.index();
        let kind = usize::from(man >> 6 & 7);
        let input = self.orientation.feature(other, kind, (man & 63) as u8);
        &weights.feature_weights[input]
    }
}

/// Writes into `to` what `from` becomes by these changes. The additions wrap, so that their order
/// does not matter; the weights are so bounded that the result is exact.
#[inline(always)]
pub(super) fn update<I: Isa>(
    isa: I,
    weights: &Weights,
    from: &Accumulator,
    to: &mut Accumulator,
    changes: &Changes,
    view: View,
) {
    let row = |man| view.row(weights, man);
    // What moves do most is written out, so that every value is loaded and stored but once and no
    // loop over the changes remains.
    let added = &changes.added[..changes.added_len];
    let removed = &changes.removed[..changes.removed_len];
    match (added, removed) {
        (&[a], &[r]) => add_and_remove(isa, from, to, [row(a)], [row(r)]),
        (&[a], &[r, s]) => add_and_remove(isa, from, to, [row(a)], [row(r), row(s)]),
        (&[a, b], &[r, s]) => add_and_remove(isa, from, to, [row(a), row(b)], [row(r), row(s)]),
        // As many vectors at a time as fit the registers.
        _ => match HIDDEN / I::LANES {
            n if n % 8 == 0 => add_and_remove_many::<I, 8>(isa, from, to, row, added, removed),
            n if n % 4 == 0 => add_and_remove_many::<I, 4>(isa, from, to, row, added, removed),
            _ => add_and_remove_many::<I, 1>(isa, from, to, row, added, removed),
        },
    }
}

#[inline(always)]
fn add_and_remove<I: Isa, const A: usize, const R: usize>(
    isa: I,
    from: &Accumulator,
    to: &mut Accumulator,
    added: [&[i16; HIDDEN]; A],
    removed: [&[i16; HIDDEN]; R],
) {
    for i in 0..HIDDEN / I::LANES {
        let mut values = isa.load(&from.0, i);
        for row in added {
            values = isa.add(values, isa.load(row, i));
        }
        for row in removed {
            values = isa.subtract(values, isa.load(row, i));
        }
        isa.store(&mut to.0, i, values);
    }
}

#[inline(always)]
fn add_and_remove_many<'w, I: Isa, const TILE: usize>(
    isa: I,
    from: &Accumulator,
    to: &mut Accumulator,
    row: impl Fn(Man) -> &'w [i16; HIDDEN],
    added: &[Man],
    removed: &[Man],
) {
    for first in (0..HIDDEN / I::LANES).step_by(TILE) {
        let mut tile = [isa.load(&from.0, first); TILE];
        for (i, values) in tile.iter_mut().enumerate() {
            *values = isa.load(&from.0, first + i);
        }
        for &man in added {
            let row = row(man);
            for (i, values) in tile.iter_mut().enumerate() {
                *values = isa.add(*values, isa.load(row, first + i));
            }
        }
        for &man in removed {
            let row = row(man);
            for (i, values) in tile.iter_mut().enumerate() {
                *values = isa.subtract(*values, isa.load(row, first + i));
            }
        }
        for (i, values) in tile.iter().enumerate() {
            isa.store(&mut to.0, first + i, *values);
        }
    }
}
