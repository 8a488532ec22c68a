//! SIMD of WebAssembly: vectors of 8 `i16`. Every browser since 2023.
//!
//! A module is compiled as a whole with SIMD or without, so the intrinsics on values are safe to
//! call.

#![allow(unsafe_code)]

use std::arch::wasm32::*;

use super::{ForwardIsa, Isa};
use crate::nnue::arch::{HIDDEN, QA};

super::kernel!(kernel, "simd128", Simd128(()), ["simd128"]);

#[derive(Clone, Copy)]
struct Simd128(());

const LANES: usize = 8;
const _: () = assert!(size_of::<v128>() == size_of::<[i16; LANES]>());

impl Isa for Simd128 {
    const LANES: usize = LANES;
    type Vector = v128;

    #[inline(always)]
    fn load(self, row: &[i16; HIDDEN], index: usize) -> v128 {
        let from: &[i16; LANES] = &row.as_chunks().0[index];
        // SAFETY: 1. The module is compiled with SIMD. 2. At least 16 bytes are readable from
        // `from.as_ptr()`: it is the start of a borrowed `[i16; 8]`. 3. `v128_load` needs no
        // alignment.
        unsafe { v128_load(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_weights(self, row: &[i8; HIDDEN], index: usize) -> v128 {
        let from: &[i8; LANES] = &row.as_chunks().0[index];
        // SAFETY: 1. The module is compiled with SIMD. 2. At least 8 bytes are readable from
        // `from.as_ptr()`: it is the start of a borrowed `[i8; 8]`.
        unsafe { i16x8_load_extend_i8x8(from.as_ptr()) }
    }

    #[inline(always)]
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: v128) {
        let to: &mut [i16; LANES] = &mut row.as_chunks_mut().0[index];
        // SAFETY: 1. The module is compiled with SIMD. 2. At least 16 bytes are writable from
        // `to.as_mut_ptr()`: it is the start of a mutably borrowed `[i16; 8]`. 3. `v128_store`
        // needs no alignment.
        unsafe { v128_store(to.as_mut_ptr().cast(), values) }
    }

    #[inline(always)]
    fn add(self, a: v128, b: v128) -> v128 {
        i16x8_add(a, b)
    }

    #[inline(always)]
    fn sub(self, a: v128, b: v128) -> v128 {
        i16x8_sub(a, b)
    }
}

impl ForwardIsa for Simd128 {
    type Sums = v128;

    #[inline(always)]
    fn clamp(self, a: v128, b: v128) -> (v128, v128) {
        let (zero, one) = (i16x8_splat(0), i16x8_splat(QA as i16));
        (i16x8_min(i16x8_max(a, zero), one), i16x8_min(i16x8_max(b, zero), one))
    }

    #[inline(always)]
    fn mul_low(self, a: v128, b: v128) -> v128 {
        i16x8_mul(a, b)
    }

    #[inline(always)]
    fn zero_sums(self) -> v128 {
        i32x4_splat(0)
    }

    #[inline(always)]
    fn mul_add(self, sums: v128, a: v128, b: v128) -> v128 {
        i32x4_add(sums, i32x4_dot_i16x8(a, b))
    }

    #[inline(always)]
    fn add_sums(self, a: v128, b: v128) -> v128 {
        i32x4_add(a, b)
    }

    #[inline(always)]
    fn horizontal_sum(self, sums: v128) -> i32 {
        let two = i32x4_add(sums, i32x4_shuffle::<2, 3, 0, 1>(sums, sums));
        i32x4_extract_lane::<0>(two).wrapping_add(i32x4_extract_lane::<1>(two))
    }
}
