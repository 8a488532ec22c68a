//! NEON: 8 values in a vector. Every 64-bit ARM.

use std::arch::aarch64::*;

use super::{Isa, Products, here};
use crate::nnue::arch::{HIDDEN, QA};

super::functions!(FUNCTIONS, Neon(()), "neon");

/// A machine with NEON: a value is made only in functions compiled for one.
#[derive(Clone, Copy)]
struct Neon(());

const LANES: usize = 8;

impl Isa for Neon {
    const LANES: usize = LANES;
    type Vector = int16x8_t;

    #[inline(always)]
    fn load(self, row: &[i16; HIDDEN], index: usize) -> int16x8_t {
        let values: &[i16; LANES] = &row.as_chunks().0[index];
        here!(vld1q_s16(values.as_ptr()))
    }

    #[inline(always)]
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: int16x8_t) {
        let place: &mut [i16; LANES] = &mut row.as_chunks_mut().0[index];
        here!(vst1q_s16(place.as_mut_ptr(), values));
    }

    #[inline(always)]
    fn add(self, a: int16x8_t, b: int16x8_t) -> int16x8_t {
        here!(vaddq_s16(a, b))
    }

    #[inline(always)]
    fn subtract(self, a: int16x8_t, b: int16x8_t) -> int16x8_t {
        here!(vsubq_s16(a, b))
    }
}

impl Products for Neon {
    type Sum = int32x4_t;

    #[inline(always)]
    fn clip(self, values: int16x8_t) -> int16x8_t {
        here!({
            let positive = vmaxq_s16(values, vdupq_n_s16(0));
            vminq_s16(positive, vdupq_n_s16(QA as i16))
        })
    }

    #[inline(always)]
    fn multiply(self, a: int16x8_t, b: int16x8_t) -> int16x8_t {
        here!(vmulq_s16(a, b))
    }

    #[inline(always)]
    fn zero(self) -> int32x4_t {
        here!(vdupq_n_s32(0))
    }

    #[inline(always)]
    fn add_products(self, sums: int32x4_t, a: int16x8_t, b: int16x8_t) -> int32x4_t {
        here!({
            let sums = vmlal_s16(sums, vget_low_s16(a), vget_low_s16(b));
            vmlal_high_s16(sums, a, b)
        })
    }

    #[inline(always)]
    fn add_sums(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        here!(vaddq_s32(a, b))
    }

    #[inline(always)]
    fn total(self, sums: int32x4_t) -> i32 {
        here!(vaddvq_s32(sums))
    }
}
