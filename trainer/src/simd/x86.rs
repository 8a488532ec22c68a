//! The instruction sets of x86-64, which differ in the width of their vectors only: SSE2 (every
//! x86-64), AVX2 (since 2013), AVX-512.

use std::arch::x86_64::*;

use super::{Isa, intrinsics};

/// Defines an instruction set and its kernel: the function that returns the kernel, its name, the
/// features, the number of registers, the vectors of integers and of floats, and the names of the
/// intrinsics.
macro_rules! isa {
    (
        $isa:ident, $kernel:ident, $name:literal, $features:tt, $registers:literal registers,
        $ints:ty = [i16; $i16_lanes:literal], $floats:ty = [f32; $f32_lanes:literal],
        $load:ident, $store:ident, $zero:ident, $and:ident, $to_floats:ident,
        $set_i16:ident, $add_i16:ident, $max_i16:ident, $min_i16:ident,
        $set_i32:ident, $shift_left_i32:ident, $load_f32:ident, $store_f32:ident, $add_f32:ident
    ) => {
        super::kernel!($kernel, $name, $isa(()), $features);

        /// Proof of the instruction set: a value is made only in functions compiled for it.
        #[derive(Clone, Copy)]
        struct $isa(());

        const _: () = assert!(size_of::<$ints>() == size_of::<[i16; $i16_lanes]>());
        const _: () = assert!(size_of::<$ints>() == size_of::<[u32; $f32_lanes]>());
        const _: () = assert!(size_of::<$floats>() == size_of::<[f32; $f32_lanes]>());

        impl Isa for $isa {
            const I16_LANES: usize = $i16_lanes;
            const F32_LANES: usize = $f32_lanes;
            const REGISTERS: usize = $registers;
            type I16s = $ints;
            type U32s = $ints;
            type F32s = $floats;

            #[inline(always)]
            fn load_i16(self, from: &[i16]) -> $ints {
                let from: &[i16; $i16_lanes] = &from.as_chunks().0[0];
                // SAFETY: 1. `self` proves the instruction set. 2. `from.as_ptr()` is the start of
                // a borrowed array with the size of the vector that is read. 3. `loadu` needs no
                // alignment.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            fn store_i16(self, values: $ints, to: &mut [i16]) {
                let to: &mut [i16; $i16_lanes] = &mut to.as_chunks_mut().0[0];
                // SAFETY: 1. `self` proves the instruction set. 2. `to.as_mut_ptr()` is the start of
                // a mutably borrowed array with the size of the vector that is written. 3. `storeu`
                // needs no alignment.
                unsafe { $store(to.as_mut_ptr().cast(), values) }
            }

            #[inline(always)]
            fn load_u32(self, from: &[u32]) -> $ints {
                let from: &[u32; $f32_lanes] = &from.as_chunks().0[0];
                // SAFETY: as in `load_i16`.
                unsafe { $load(from.as_ptr().cast()) }
            }

            #[inline(always)]
            fn load_f32(self, from: &[f32]) -> $floats {
                let from: &[f32; $f32_lanes] = &from.as_chunks().0[0];
                // SAFETY: as in `load_i16`.
                unsafe { $load_f32(from.as_ptr()) }
            }

            #[inline(always)]
            fn store_f32(self, values: $floats, to: &mut [f32]) {
                let to: &mut [f32; $f32_lanes] = &mut to.as_chunks_mut().0[0];
                // SAFETY: as in `store_i16`.
                unsafe { $store_f32(to.as_mut_ptr(), values) }
            }

            #[inline(always)]
            fn add_i16(self, a: $ints, b: $ints) -> $ints {
                intrinsics!(self, $add_i16(a, b))
            }

            #[inline(always)]
            fn clamp_i16(self, values: $ints, max: i16) -> $ints {
                intrinsics!(self, $min_i16($max_i16(values, $zero()), $set_i16(max)))
            }

            #[inline(always)]
            fn add_bf16_pairs(
                self,
                low: $floats,
                high: $floats,
                pairs: $ints,
            ) -> ($floats, $floats) {
                intrinsics!(self, {
                    let lower = $shift_left_i32::<16>(pairs);
                    let upper = $and(pairs, $set_i32(0xffff_0000_u32 as i32));
                    ($add_f32(low, $to_floats(lower)), $add_f32(high, $to_floats(upper)))
                })
            }
        }
    };
}

isa!(
    Sse2, sse2, "sse2", ["sse2"], 16 registers,
    __m128i = [i16; 8], __m128 = [f32; 4],
    _mm_loadu_si128, _mm_storeu_si128, _mm_setzero_si128, _mm_and_si128, _mm_castsi128_ps,
    _mm_set1_epi16, _mm_adds_epi16, _mm_max_epi16, _mm_min_epi16,
    _mm_set1_epi32, _mm_slli_epi32, _mm_loadu_ps, _mm_storeu_ps, _mm_add_ps
);
isa!(
    Avx2, avx2, "avx2", ["avx2", "fma", "bmi1", "bmi2", "lzcnt", "popcnt"], 16 registers,
    __m256i = [i16; 16], __m256 = [f32; 8],
    _mm256_loadu_si256, _mm256_storeu_si256, _mm256_setzero_si256, _mm256_and_si256,
    _mm256_castsi256_ps,
    _mm256_set1_epi16, _mm256_adds_epi16, _mm256_max_epi16, _mm256_min_epi16,
    _mm256_set1_epi32, _mm256_slli_epi32, _mm256_loadu_ps, _mm256_storeu_ps, _mm256_add_ps
);
isa!(
    Avx512, avx512, "avx512",
    [
        "avx512f", "avx512bw", "avx512dq", "avx512vl", "avx2", "fma", "bmi1", "bmi2", "lzcnt",
        "popcnt"
    ],
    32 registers,
    __m512i = [i16; 32], __m512 = [f32; 16],
    _mm512_loadu_si512, _mm512_storeu_si512, _mm512_setzero_si512, _mm512_and_si512,
    _mm512_castsi512_ps,
    _mm512_set1_epi16, _mm512_adds_epi16, _mm512_max_epi16, _mm512_min_epi16,
    _mm512_set1_epi32, _mm512_slli_epi32, _mm512_loadu_ps, _mm512_storeu_ps, _mm512_add_ps
);
