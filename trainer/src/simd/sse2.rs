//! SSE2: vectors of 8 `i16` and of 4 `f32`. Every x86-64.

use std::arch::x86_64::*;

use super::{Isa, intrinsics};

super::kernel!("sse2", Sse2(()), ["sse2"]);

/// Proof of SSE2: a value is made only in functions compiled for it.
#[derive(Clone, Copy)]
struct Sse2(());

const I16_LANES: usize = 8;
const F32_LANES: usize = 4;
const _: () = assert!(size_of::<__m128i>() == size_of::<[i16; I16_LANES]>());
const _: () = assert!(size_of::<__m128i>() == size_of::<[u32; F32_LANES]>());
const _: () = assert!(size_of::<__m128>() == size_of::<[f32; F32_LANES]>());

impl Isa for Sse2 {
    const I16_LANES: usize = I16_LANES;
    const F32_LANES: usize = F32_LANES;
    const REGISTERS: usize = 16;
    type I16s = __m128i;
    type U32s = __m128i;
    type F32s = __m128;

    #[inline(always)]
    fn load_i16(self, from: &[i16]) -> __m128i {
        let from: &[i16; I16_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves SSE2. 2. At least 16 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[i16; 8]`. 3. `loadu` needs no alignment.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_i16(self, values: __m128i, to: &mut [i16]) {
        let to: &mut [i16; I16_LANES] = &mut to.as_chunks_mut().0[0];
        // SAFETY: 1. `self` proves SSE2. 2. At least 16 bytes are writable from `to.as_mut_ptr()`:
        // it is the start of a mutably borrowed `[i16; 8]`. 3. `storeu` needs no alignment.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), values) }
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> __m128i {
        let from: &[u32; F32_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves SSE2. 2. At least 16 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[u32; 4]`. 3. `loadu` needs no alignment.
        unsafe { _mm_loadu_si128(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_f32(self, from: &[f32]) -> __m128 {
        let from: &[f32; F32_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves SSE2. 2. At least 16 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[f32; 4]`. 3. `loadu` needs no alignment.
        unsafe { _mm_loadu_ps(from.as_ptr()) }
    }

    #[inline(always)]
    fn store_f32(self, values: __m128, to: &mut [f32]) {
        let to: &mut [f32; F32_LANES] = &mut to.as_chunks_mut().0[0];
        // SAFETY: 1. `self` proves SSE2. 2. At least 16 bytes are writable from `to.as_mut_ptr()`:
        // it is the start of a mutably borrowed `[f32; 4]`. 3. `storeu` needs no alignment.
        unsafe { _mm_storeu_ps(to.as_mut_ptr(), values) }
    }

    #[inline(always)]
    fn add_i16(self, a: __m128i, b: __m128i) -> __m128i {
        intrinsics!(self, _mm_adds_epi16(a, b))
    }

    #[inline(always)]
    fn clamp_i16(self, values: __m128i, max: i16) -> __m128i {
        intrinsics!(self, {
            let positive = _mm_max_epi16(values, _mm_setzero_si128());
            _mm_min_epi16(positive, _mm_set1_epi16(max))
        })
    }

    #[inline(always)]
    fn add_bf16_pairs(self, low: __m128, high: __m128, pairs: __m128i) -> (__m128, __m128) {
        intrinsics!(self, {
            let lower = _mm_slli_epi32::<16>(pairs);
            let upper = _mm_and_si128(pairs, _mm_set1_epi32(0xffff_0000_u32 as i32));
            (
                _mm_add_ps(low, _mm_castsi128_ps(lower)),
                _mm_add_ps(high, _mm_castsi128_ps(upper)),
            )
        })
    }
}
