//! The hidden layer of one perspective, and how it follows the men on the board.

use super::arch::HIDDEN;
use super::features::{MAX_ACTIVE, Orientation};
use super::network::Weights;
use crate::chess::{Board, Color, PieceKind, Side};

/// One perspective's hidden layer before its activation: the bias and the rows of the active
/// inputs, in units of 1 / QA.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub(super) struct Accumulator(pub(super) [i16; HIDDEN]);

/// The men of both colours, White's first.
pub(super) type Men = [Side; 2];

/// The men on a board.
#[inline(always)]
pub(super) fn men(board: &Board) -> Men {
    [*board.side(Color::White), *board.side(Color::Black)]
}

/// How many men two boards do not share: 2 for a quiet move, 3 for a capture, 4 for castling.
#[inline(always)]
pub(super) fn distance(from: &Men, to: &Men) -> u32 {
    let mut count = 0;
    for color in 0..2 {
        for kind in PieceKind::ALL {
            count += (from[color].pieces(kind).0 ^ to[color].pieces(kind).0).count_ones();
        }
    }
    count
}

/// A list of at most 32 numbers on the stack.
#[derive(Clone, Copy)]
struct List {
    items: [u16; MAX_ACTIVE],
    len: usize,
}

impl List {
    const EMPTY: List = List {
        items: [0; MAX_ACTIVE],
        len: 0,
    };

    #[inline(always)]
    fn push(&mut self, item: u16) {
        self.items[self.len] = item;
        self.len += 1;
    }

    #[inline(always)]
    fn as_slice(&self) -> &[u16] {
        &self.items[..self.len]
    }
}

/// The men that came onto the board and those that left it, each as
/// `colour << 9 | kind << 6 | square`.
pub(super) struct Changes {
    added: List,
    removed: List,
}

impl Changes {
    /// What leads from one set of men to another. Comparing the sets needs no record of the moves
    /// between, so the rules of chess need not know that anybody follows them.
    #[inline(always)]
    pub(super) fn between(from: &Men, to: &Men) -> Changes {
        let mut changes = Changes {
            added: List::EMPTY,
            removed: List::EMPTY,
        };
        for color in 0..2 {
            for kind in PieceKind::ALL {
                let (before, after) = (from[color].pieces(kind), to[color].pieces(kind));
                if before == after {
                    continue;
                }
                let man = (color << 9 | kind.index() << 6) as u16;
                for square in before & !after {
                    changes.removed.push(man | square.index() as u16);
                }
                for square in after & !before {
                    changes.added.push(man | square.index() as u16);
                }
            }
        }
        changes
    }

    /// The inputs that become active and those that cease to be, as this perspective sees them.
    #[inline(always)]
    pub(super) fn inputs(&self, perspective: Color, orientation: Orientation) -> Inputs {
        let turn = |list: &List| {
            let mut turned = *list;
            for man in &mut turned.items[..list.len] {
                let other = (*man >> 9) as usize != perspective.index();
                let kind = (*man >> 6 & 7) as usize;
                *man = orientation.feature(other, kind, (*man & 63) as u8) as u16;
            }
            turned
        };
        Inputs {
            added: turn(&self.added),
            removed: turn(&self.removed),
        }
    }
}

/// The inputs of one perspective that change.
pub(super) struct Inputs {
    added: List,
    removed: List,
}

/// Writes into `to` what `from` becomes by these changes. The additions wrap, so that their order
/// does not matter; the weights are so bounded that the result is exact.
#[inline(always)]
pub(super) fn update(weights: &Weights, from: &Accumulator, to: &mut Accumulator, inputs: &Inputs) {
    // What moves do most is written out, so that every value is loaded and stored but once.
    match (inputs.added.as_slice(), inputs.removed.as_slice()) {
        (&[a], &[r]) => add_and_remove(weights, from, to, [a], [r]),
        (&[a], &[r, s]) => add_and_remove(weights, from, to, [a], [r, s]),
        (&[a, b], &[r, s]) => add_and_remove(weights, from, to, [a, b], [r, s]),
        (added, removed) => add_and_remove_many(weights, from, to, added, removed),
    }
}

#[inline(always)]
fn add_and_remove<const A: usize, const R: usize>(
    weights: &Weights,
    from: &Accumulator,
    to: &mut Accumulator,
    added: [u16; A],
    removed: [u16; R],
) {
    let added = added.map(|input| &weights.feature_weights[input as usize]);
    let removed = removed.map(|input| &weights.feature_weights[input as usize]);
    for i in 0..HIDDEN {
        let mut value = from.0[i];
        for row in added {
            value = value.wrapping_add(row[i]);
        }
        for row in removed {
            value = value.wrapping_sub(row[i]);
        }
        to.0[i] = value;
    }
}

/// As many values as fit the registers of every instruction set beside a row.
const TILE: usize = if HIDDEN.is_multiple_of(128) { 128 } else { 32 };

#[inline(always)]
fn add_and_remove_many(
    weights: &Weights,
    from: &Accumulator,
    to: &mut Accumulator,
    added: &[u16],
    removed: &[u16],
) {
    let (from, _) = from.0.as_chunks::<TILE>();
    let (to, _) = to.0.as_chunks_mut::<TILE>();
    for (place, (from, to)) in from.iter().zip(to).enumerate() {
        let mut tile = *from;
        let row = |input: u16| -> &[i16; TILE] {
            &weights.feature_weights[input as usize].as_chunks().0[place]
        };
        for &input in added {
            for (value, weight) in tile.iter_mut().zip(row(input)) {
                *value = value.wrapping_add(*weight);
            }
        }
        for &input in removed {
            for (value, weight) in tile.iter_mut().zip(row(input)) {
                *value = value.wrapping_sub(*weight);
            }
        }
        *to = tile;
    }
}
