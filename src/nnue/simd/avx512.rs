//! AVX-512: vectors of 32 `i16`. With VNNI, multiply-add is one instruction.

#![allow(unsafe_code)]

use std::arch::x86_64::*;

use super::{ForwardIsa, Isa, intrinsics};
use crate::nnue::arch::{HIDDEN, QA};

super::kernel!(kernel, "avx512", Avx512::<false>(()), ["avx512f", "avx512bw"]);
super::kernel!(vnni_kernel, "vnni", Avx512::<true>(()), ["avx512f", "avx512bw", "avx512vnni"]);

/// Proof of AVX-512 F and BW, and of VNNI if so: a value is made only in functions compiled for
/// them.
#[derive(Clone, Copy)]
struct Avx512<const VNNI: bool>(());

const LANES: usize = 32;
const _: () = assert!(size_of::<__m512i>() == size_of::<[i16; LANES]>());
const _: () = assert!(QA == u8::MAX as i32);

impl<const VNNI: bool> Isa for Avx512<VNNI> {
    const LANES: usize = LANES;
    type Vector = __m512i;

    #[inline(always)]
    fn load(self, row: &[i16; HIDDEN], index: usize) -> __m512i {
        let from: &[i16; LANES] = &row.as_chunks().0[index];
        // SAFETY: 1. `self` proves AVX-512. 2. At least 64 bytes are readable from `from.as_ptr()`:
        // it is the start of a borrowed `[i16; 32]`. 3. `loadu` needs no alignment.
        unsafe { _mm512_loadu_si512(from.as_ptr().cast()) }
    }

    #[inline(always)]
    fn load_weights(self, row: &[i8; HIDDEN], index: usize) -> __m512i {
        let from: &[i8; LANES] = &row.as_chunks().0[index];
        // SAFETY: 1. `self` proves AVX-512. 2. At least 32 bytes are readable from `from.as_ptr()`:
        // it is the start of a borrowed `[i8; 32]`. 3. `loadu` needs no alignment.
        unsafe { _mm512_cvtepi8_epi16(_mm256_loadu_si256(from.as_ptr().cast())) }
    }

    #[inline(always)]
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: __m512i) {
        let to: &mut [i16; LANES] = &mut row.as_chunks_mut().0[index];
        // SAFETY: 1. `self` proves AVX-512. 2. At least 64 bytes are writable from
        // `to.as_mut_ptr()`: it is the start of a mutably borrowed `[i16; 32]`. 3. `storeu` needs
        // no alignment.
        unsafe { _mm512_storeu_si512(to.as_mut_ptr().cast(), values) }
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(self, _mm512_add_epi16(a, b))
    }

    #[inline(always)]
    fn sub(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(self, _mm512_sub_epi16(a, b))
    }
}

impl<const VNNI: bool> ForwardIsa for Avx512<VNNI> {
    type Sums = __m512i;

    #[inline(always)]
    fn clamp(self, a: __m512i, b: __m512i) -> (__m512i, __m512i) {
        intrinsics!(self, {
            // Packing to bytes saturates at 0 and 255.
            let bytes = _mm512_packus_epi16(a, b);
            let zero = _mm512_setzero_si512();
            (_mm512_unpacklo_epi8(bytes, zero), _mm512_unpackhi_epi8(bytes, zero))
        })
    }

    #[inline(always)]
    fn mul_low(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(self, _mm512_mullo_epi16(a, b))
    }

    #[inline(always)]
    fn zero_sums(self) -> __m512i {
        intrinsics!(self, _mm512_setzero_si512())
    }

    #[inline(always)]
    fn mul_add(self, sums: __m512i, a: __m512i, b: __m512i) -> __m512i {
        if VNNI {
            intrinsics!(self, _mm512_dpwssd_epi32(sums, a, b))
        } else {
            intrinsics!(self, _mm512_add_epi32(sums, _mm512_madd_epi16(a, b)))
        }
    }

    #[inline(always)]
    fn add_sums(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(self, _mm512_add_epi32(a, b))
    }

    #[inline(always)]
    fn horizontal_sum(self, sums: __m512i) -> i32 {
        intrinsics!(self, _mm512_reduce_add_epi32(sums))
    }
}
