//! Plain integers in arrays: runs everywhere, and the compiler makes vectors of what the whole
//! program is compiled for.

#![expect(
    clippy::needless_range_loop,
    reason = "iterators measured half again as slow"
)]

use super::Isa;
use crate::nnue::arch::{HIDDEN, QA};

super::functions!(FUNCTIONS, Scalar,);

/// Any machine.
#[derive(Clone, Copy)]
struct Scalar;

const LANES: usize = 16;

#[inline(always)]
fn map(a: [i16; LANES], b: [i16; LANES], f: impl Fn(i16, i16) -> i16) -> [i16; LANES] {
    let mut result = [0; LANES];
    for i in 0..LANES {
        result[i] = f(a[i], b[i]);
    }
    result
}

impl Isa for Scalar {
    const LANES: usize = LANES;
    type Vector = [i16; LANES];
    type Sum = [i32; LANES / 2];

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
        map(a, b, i16::wrapping_add)
    }

    #[inline(always)]
    fn subtract(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        map(a, b, i16::wrapping_sub)
    }

    #[inline(always)]
    fn clip(self, values: Self::Vector) -> Self::Vector {
        map(values, values, |value, _| value.clamp(0, QA as i16))
    }

    #[inline(always)]
    fn multiply(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        map(a, b, i16::wrapping_mul)
    }

    #[inline(always)]
    fn zero(self) -> Self::Sum {
        [0; LANES / 2]
    }

    #[inline(always)]
    fn add_products(self, sums: Self::Sum, a: Self::Vector, b: Self::Vector) -> Self::Sum {
        let mut result = sums;
        for i in 0..LANES / 2 {
            let product = |i: usize| i32::from(a[i]) * i32::from(b[i]);
            let pair = product(2 * i).wrapping_add(product(2 * i + 1));
            result[i] = result[i].wrapping_add(pair);
        }
        result
    }

    #[inline(always)]
    fn add_sums(self, a: Self::Sum, b: Self::Sum) -> Self::Sum {
        let mut result = a;
        for i in 0..LANES / 2 {
            result[i] = result[i].wrapping_add(b[i]);
        }
        result
    }

    #[inline(always)]
    fn total(self, sums: Self::Sum) -> i32 {
        sums.into_iter().fold(0, i32::wrapping_add)
    }
}
