//! Plain integers in arrays: runs everywhere, and the compiler makes vectors of what the whole
//! program is compiled for.

use super::Isa;
use crate::nnue::arch::HIDDEN;
use crate::nnue::{accumulator, forward};

pub(super) static FUNCTIONS: super::Functions = super::Functions {
    update: |weights, from, to, changes, view| {
        accumulator::update(Scalar, weights, from, to, changes, view);
    },
    forward: forward::plain_forward,
};

/// Any machine.
#[derive(Clone, Copy)]
struct Scalar;

const LANES: usize = 16;

#[inline(always)]
fn combine(
    mut a: [i16; LANES],
    b: [i16; LANES],
    operation: impl Fn(i16, i16) -> i16,
) -> [i16; LANES] {
    // With iterators the compiler makes no vectors of this: updates took twice the time.
    for i in 0..LANES {
        a[i] = operation(a[i], b[i]);
    }
    a
}

impl Isa for Scalar {
    const LANES: usize = LANES;
    type Vector = [i16; LANES];

    #[inline(always)]
    fn load(self, row: &[i16; HIDDEN], index: usize) -> Self::Vector {
        row.as_chunks().0[index]
    }

    #[inline(always)]
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: Self::Vector) {
        row.as_chunks_mut().0[index] = values;
    }

    #[inline(always)]
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        combine(a, b, i16::wrapping_add)
    }

    #[inline(always)]
    fn subtract(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        combine(a, b, i16::wrapping_sub)
    }
}
