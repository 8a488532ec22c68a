//! NEON: vectors of 8 `i16`. Every 64-bit ARM.

#![allow(unsafe_code)]

use std::arch::aarch64::*;

use super::{ForwardIsa, Isa, intrinsics};
use crate::nnue::arch::{HIDDEN, QA};

super::kernel!(kernel, "neon", Neon(()), ["neon"]);

/// Proof of NEON: a value is made only in functions compiled for it.
#[derive(Clone, Copy)]
struct Neon(());

const LANES: usize = 8;
const _: () = assert!(size_of::<int16x8_t>() == size_of::<[i16; LANES]>());

impl Isa for Neon {
    const LANES: usize = LANES;
    type Vector = int16x8_t;

    #[inline(always)]
    fn load(self, row: &[i16; HIDDEN], index: usize) -> int16x8_t {
        let from: &[i16; LANES] = &row.as_chunks().0[index];
        // SAFETY: 1. `self` proves NEON. 2. At least 16 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[i16; 8]`, which also has the alignment of an `i16`.
        unsafe { vld1q_s16(from.as_ptr()) }
    }

    #[inline(always)]
    fn load_weights(self, row: &[i8; HIDDEN], index: usize) -> int16x8_t {
        let from: &[i8; LANES] = &row.as_chunks().0[index];
        // SAFETY: 1. `self` proves NEON. 2. At least 8 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[i8; 8]`.
        unsafe { vmovl_s8(vld1_s8(from.as_ptr())) }
    }

    #[inline(always)]
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: int16x8_t) {
        let to: &mut [i16; LANES] = &mut row.as_chunks_mut().0[index];
        // SAFETY: 1. `self` proves NEON. 2. At least 16 bytes are writable from `to.as_mut_ptr()`:
        // it is the start of a mutably borrowed `[i16; 8]`, which also has the alignment of an
        // `i16`.
        unsafe { vst1q_s16(to.as_mut_ptr(), values) }
    }

    #[inline(always)]
    fn add(self, a: int16x8_t, b: int16x8_t) -> int16x8_t {
        intrinsics!(self, vaddq_s16(a, b))
    }

    #[inline(always)]
    fn sub(self, a: int16x8_t, b: int16x8_t) -> int16x8_t {
        intrinsics!(self, vsubq_s16(a, b))
    }
}

impl ForwardIsa for Neon {
    type Sums = int32x4_t;

    #[inline(always)]
    fn clamp(self, a: int16x8_t, b: int16x8_t) -> (int16x8_t, int16x8_t) {
        intrinsics!(self, {
            let (zero, one) = (vdupq_n_s16(0), vdupq_n_s16(QA as i16));
            (vminq_s16(vmaxq_s16(a, zero), one), vminq_s16(vmaxq_s16(b, zero), one))
        })
    }

    #[inline(always)]
    fn mul_low(self, a: int16x8_t, b: int16x8_t) -> int16x8_t {
        intrinsics!(self, vmulq_s16(a, b))
    }

    #[inline(always)]
    fn zero_sums(self) -> int32x4_t {
        intrinsics!(self, vdupq_n_s32(0))
    }

    #[inline(always)]
    fn mul_add(self, sums: int32x4_t, a: int16x8_t, b: int16x8_t) -> int32x4_t {
        intrinsics!(self, {
            let sums = vmlal_s16(sums, vget_low_s16(a), vget_low_s16(b));
            vmlal_high_s16(sums, a, b)
        })
    }

    #[inline(always)]
    fn add_sums(self, a: int32x4_t, b: int32x4_t) -> int32x4_t {
        intrinsics!(self, vaddq_s32(a, b))
    }

    #[inline(always)]
    fn horizontal_sum(self, sums: int32x4_t) -> i32 {
        intrinsics!(self, vaddvq_s32(sums))
    }
}
