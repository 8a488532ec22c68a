//! AVX2: vectors of 16 `i16`. x86-64 since 2013.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{ForwardIsa, Isa, intrinsics};
use crate::nnue::arch::{HIDDEN, QA};

super::kernel!(kernel, "avx2", Avx2(()), ["avx2"]);

/// Proof of AVX2: a value is made only in functions compiled for it.
#[derive(Clone, Copy)]
struct Avx2(());

const LANES: usize = 16;
const _: () = assert!(size_of::<__m256i>() == size_of::<[i16; LANES]>());
const _: () = assert!(QA == u8::MAX as i32);

impl Isa for Avx2 {
    const LANES: usize = LANES;
    type Vector = __m256i;

    #[inline(always)]
    fn load(self, row: &[i16; HIDDEN], index: usize) -> __m256i {
        let from: &[i16; LANES] = &row.as_chunks().0[index];
        // SAFETY: 1. `self` proves AVX2. 2. At least 32 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[i16; 16]`. 3. `loadu` needs no alignment.
        unsafe { _mm256_loadu_si256(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_weights(self, row: &[i8; HIDDEN], index: usize) -> __m256i {
        let from: &[i8; LANES] = &row.as_chunks().0[index];
        // SAFETY: 1. `self` proves AVX2. 2. At least 16 bytes are readable from `from.as_ptr()`: it
        // is the start of a borrowed `[i8; 16]`. 3. `loadu` needs no alignment.
        unsafe { _mm256_cvtepi8_epi16(_mm_loadu_si128(from.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: __m256i) {
        let to: &mut [i16; LANES] = &mut row.as_chunks_mut().0[index];
        // SAFETY: 1. `self` proves AVX2. 2. At least 32 bytes are writable from `to.as_mut_ptr()`:
        // it is the start of a mutably borrowed `[i16; 16]`. 3. `storeu` needs no alignment.
        unsafe { _mm256_storeu_si256(to.as_mut_ptr().cast(), values) }
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(self, _mm256_add_epi16(a, b))
    }

    #[inline(always)]
    fn sub(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(self, _mm256_sub_epi16(a, b))
    }
}

impl ForwardIsa for Avx2 {
    type Sums = __m256i;

    #[inline(always)]
    fn clamp(self, a: __m256i, b: __m256i) -> (__m256i, __m256i) {
        intrinsics!(self, {
            // Packing to bytes saturates at 0 and 255.
            let bytes = _mm256_packus_epi16(a, b);
            let zero = _mm256_setzero_si256();
            (_mm256_unpacklo_epi8(bytes, zero), _mm256_unpackhi_epi8(bytes, zero))
        })
    }

    #[inline(always)]
    fn mul_low(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(self, _mm256_mullo_epi16(a, b))
    }

    #[inline(always)]
    fn zero_sums(self) -> __m256i {
        intrinsics!(self, _mm256_setzero_si256())
    }

    #[inline(always)]
    fn mul_add(self, sums: __m256i, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(self, _mm256_add_epi32(sums, _mm256_madd_epi16(a, b)))
    }

    #[inline(always)]
    fn add_sums(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(self, _mm256_add_epi32(a, b))
    }

    #[inline(always)]
    fn horizontal_sum(self, sums: __m256i) -> i32 {
        intrinsics!(self, {
            let four =
                _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256::<1>(sums));
            let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
            let one = _mm_add_epi32(two, _mm_shuffle_epi32::<1>(two));
            _mm_cvtsi128_si32(one)
        })
    }
}
