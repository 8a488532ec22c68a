//! Plain arrays, for every machine. The compiler vectorises them for the features that the whole
//! program is compiled with.

use super::{Functions, Isa, Kernel};
use crate::nnue::arch::HIDDEN;
use crate::nnue::{accumulator, forward};

/// The kernel for every machine.
pub(super) const KERNEL: Kernel = Kernel { name: "scalar", functions: &FUNCTIONS };

pub(super) static FUNCTIONS: Functions = Functions {
    update: |weights, source, target, changes, perspective| {
        accumulator::update(Scalar, weights, source, target, changes, perspective);
    },
    update_and_forward: |_, _, _, _, _, _| None,
    forward: forward::forward_scalar,
    #[cfg(test)]
    check_operations: || super::tests::check_accumulator_operations(Scalar),
};

/// No instruction set in particular.
#[derive(Clone, Copy)]
struct Scalar;

const LANES: usize = 16;

#[inline(always)]
fn combine(
    mut a: [i16; LANES],
    b: [i16; LANES],
    operation: impl Fn(i16, i16) -> i16,
) -> [i16; LANES] {
    // Not vectorised with iterators: updates then take twice the time.
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
    fn load_weights(self, row: &[i8; HIDDEN], index: usize) -> Self::Vector {
        let from: &[i8; LANES] = &row.as_chunks().0[index];
        from.map(i16::from)
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
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        combine(a, b, i16::wrapping_sub)
    }
}
