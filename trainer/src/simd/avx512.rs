//! AVX-512: vectors of 32 `i16` and of 16 `f32`.

use std::arch::x86_64::*;

use super::{Isa, intrinsics};

super::kernel!(
    "avx512",
    Avx512(()),
    [
        "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "fma", "bmi1", "bmi2", "lzcnt",
        "popcnt"
    ]
);

/// Proof of AVX-512: a value is made only in functions compiled for it.
#[derive(Clone, Copy)]
struct Avx512(());

const I16_LANES: usize = 32;
const F32_LANES: usize = 16;
const _: () = assert!(size_of::<__m512i>() == size_of::<[i16; I16_LANES]>());
const _: () = assert!(size_of::<__m512i>() == size_of::<[u32; F32_LANES]>());
const _: () = assert!(size_of::<__m512>() == size_of::<[f32; F32_LANES]>());

impl Isa for Avx512 {
    const I16_LANES: usize = I16_LANES;
    const F32_LANES: usize = F32_LANES;
    const REGISTERS: usize = 32;
    type I16s = __m512i;
    type U32s = __m512i;
    type F32s = __m512;

    #[inline(always)]
    fn load_i16(self, from: &[i16]) -> __m512i {
        let from: &[i16; I16_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves AVX-512. 2. At least 64 bytes are readable from `from.as_ptr()`:
        // it is the start of a borrowed `[i16; 32]`. 3. `loadu` needs no alignment.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn store_i16(self, values: __m512i, to: &mut [i16]) {
        let to: &mut [i16; I16_LANES] = &mut to.as_chunks_mut().0[0];
        // SAFETY: 1. `self` proves AVX-512. 2. At least 64 bytes are writable from
        // `to.as_mut_ptr()`: it is the start of a mutably borrowed `[i16; 32]`. 3. `storeu` needs
        // no alignment.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), values) }
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> __m512i {
        let from: &[u32; F32_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves AVX-512. 2. At least 64 bytes are readable from `from.as_ptr()`:
        // it is the start of a borrowed `[u32; 16]`. 3. `loadu` needs no alignment.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_f32(self, from: &[f32]) -> __m512 {
        let from: &[f32; F32_LANES] = &from.as_chunks().0[0];
        // SAFETY: 1. `self` proves AVX-512. 2. At least 64 bytes are readable from `from.as_ptr()`:
        // it is the start of a borrowed `[f32; 16]`. 3. `loadu` needs no alignment.
        unsafe { _mm512_loadu_ps(from.as_ptr()) }
    }

    #[inline(always)]
    fn store_f32(self, values: __m512, to: &mut [f32]) {
        let to: &mut [f32; F32_LANES] = &mut to.as_chunks_mut().0[0];
        // SAFETY: 1. `self` proves AVX-512. 2. At least 64 bytes are writable from
        // `to.as_mut_ptr()`: it is the start of a mutably borrowed `[f32; 16]`. 3. `storeu` needs
        // no alignment.
        unsafe { _mm512_storeu_ps(to.as_mut_ptr(), values) }
    }

    #[inline(always)]
    fn add_i16(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(self, _mm512_adds_epi16(a, b))
    }

    #[inline(always)]
    fn clamp_i16(self, values: __m512i, max: i16) -> __m512i {
        intrinsics!(self, {
            let positive = _mm512_max_epi16(values, _mm512_setzero_si512());
            _mm512_min_epi16(positive, _mm512_set1_epi16(max))
        })
    }

    #[inline(always)]
    fn add_bf16_pairs(self, low: __m512, high: __m512, pairs: __m512i) -> (__m512, __m512) {
        intrinsics!(self, {
            let lower = _mm512_slli_epi32::<16>(pairs);
            let upper = _mm512_and_si512(pairs, _mm512_set1_epi32(0xffff_0000_u32 as i32));
            (
                _mm512_add_ps(low, _mm512_castsi512_ps(lower)),
                _mm512_add_ps(high, _mm512_castsi512_ps(upper)),
            )
        })
    }
}
