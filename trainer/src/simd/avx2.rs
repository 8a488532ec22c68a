//! AVX2: vectors of 16 `i16` and of 8 `f32`. x86-64 since 2013.

use std::arch::x86_64::*;

use super::{Isa, intrinsics};

super::kernel!(
    "avx2",
    Avx2(()),
    ["avx2", "fma", "bmi1", "bmi2", "lzcnt", "popcnt"]
);

/// Proof of AVX2: a value is made only in functions compiled for it.
#[derive(Clone, Copy)]
struct Avx2(());

const I16_LANES: usize = 16;
const F32_LANES: usize = 8;
const _: () = assert!(size_of::<__m256i>() == size_of::<[i16; I16_LANES]>());
const _: () = assert!(size_of::<__m256i>() == size_of::<[u32; F32_LANES]>());
const _: () = assert!(size_of::<__m256>() == size_of::<[f32; F32_LANES]>());

impl Isa for Avx2 {
    const I16_LANES: usize = I16_LANES;
    const F32_LANES: usize = F32_LANES;
    const REGISTERS: usize = 16;
    type I16s = __m256i;
    type U32s = __m256i;
    type F32s = __m256;

    #[inline(always)]
    fn load_i16(self, from: &[i16]) -> __m256i {
        let from: &[i16; I16_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves AVX2. 2. At least 32 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[i16; 16]`. 3. `loadu` needs no alignment.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_i16(self, values: __m256i, to: &mut [i16]) {
        let to: &mut [i16; I16_LANES] = &mut to.as_chunks_mut().0[0];
        // SAFETY: 1. `self` proves AVX2. 2. At least 32 bytes are writable from `to.as_mut_ptr()`:
        // it is the start of a mutably borrowed `[i16; 16]`. 3. `storeu` needs no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), values) }
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> __m256i {
        let from: &[u32; F32_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves AVX2. 2. At least 32 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[u32; 8]`. 3. `loadu` needs no alignment.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_f32(self, from: &[f32]) -> __m256 {
        let from: &[f32; F32_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves AVX2. 2. At least 32 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[f32; 8]`. 3. `loadu` needs no alignment.
        unsafe { _mm256_loadu_ps(from.as_ptr()) }
    }

    #[inline(always)]
    fn store_f32(self, values: __m256, to: &mut [f32]) {
        let to: &mut [f32; F32_LANES] = &mut to.as_chunks_mut().0[0];
        // SAFETY: 1. `self` proves AVX2. 2. At least 32 bytes are writable from `to.as_mut_ptr()`:
        // it is the start of a mutably borrowed `[f32; 8]`. 3. `storeu` needs no alignment.
        unsafe { _mm256_storeu_ps(to.as_mut_ptr(), values) }
    }

    #[inline(always)]
    fn add_i16(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(self, _mm256_adds_epi16(a, b))
    }

    #[inline(always)]
    fn clamp_i16(self, values: __m256i, max: i16) -> __m256i {
        intrinsics!(self, {
            let positive = _mm256_max_epi16(values, _mm256_setzero_si256());
            _mm256_min_epi16(positive, _mm256_set1_epi16(max))
        })
    }

    #[inline(always)]
    fn add_bf16_pairs(self, low: __m256, high: __m256, pairs: __m256i) -> (__m256, __m256) {
        intrinsics!(self, {
            let lower = _mm256_slli_epi32::<16>(pairs);
            let upper = _mm256_and_si256(pairs, _mm256_set1_epi32(0xffff_0000_u32 as i32));
            (
                _mm256_add_ps(low, _mm256_castsi256_ps(lower)),
                _mm256_add_ps(high, _mm256_castsi256_ps(upper)),
            )
        })
    }
}
