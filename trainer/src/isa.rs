//! The vector operations of the two hot loops, for each instruction set.
//!
//! A value of a type here is the proof that the machine has the instruction set: it can be had only
//! by asking. That makes the operations safe to call. They are inlined into functions compiled
//! with the instruction set enabled.
//!
//! This is the only module of the trainer with `unsafe` (beside the calls of those functions).

/// Vectors of 16-bit integers and of floats, and what the kernels do with them.
pub trait Isa: Copy {
    /// A vector of [`Isa::SHORTS`] 16-bit integers.
    type Shorts: Copy;
    /// A vector of [`Isa::FLOATS`] floats.
    type Floats: Copy;
    /// Integers of a vector.
    const SHORTS: usize;
    /// Floats of a vector; it divides 16.
    const FLOATS: usize;
    /// Registers for vectors.
    const REGISTERS: usize;

    /// The first integers of a slice, which must be long enough (also below).
    fn load_shorts(self, from: &[i16]) -> Self::Shorts;
    /// Sums, saturating.
    fn add_shorts(self, sums: Self::Shorts, row: &[i16]) -> Self::Shorts;
    /// Stores the integers, each clipped to 0 to `high`.
    fn store_clipped(self, sums: Self::Shorts, high: i16, to: &mut [i16]);
    /// The first floats of a slice.
    fn load_floats(self, from: &[f32]) -> Self::Floats;
    /// Stores the floats.
    fn store_floats(self, floats: Self::Floats, to: &mut [f32]);
    /// Adds pairs of bfloats: the lower halves of the words to `low`, the upper ones to `high`.
    fn add_bfloats(
        self,
        low: Self::Floats,
        high: Self::Floats,
        words: &[u32],
    ) -> (Self::Floats, Self::Floats);
}

/// Plain arrays, for every machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portable;

impl Isa for Portable {
    type Shorts = [i16; 8];
    type Floats = [f32; 4];
    const SHORTS: usize = 8;
    const FLOATS: usize = 4;
    const REGISTERS: usize = 16;

    #[inline(always)]
    fn load_shorts(self, from: &[i16]) -> [i16; 8] {
        let mut shorts = [0; 8];
        shorts.copy_from_slice(&from[..8]);
        shorts
    }

    #[inline(always)]
    fn add_shorts(self, mut sums: [i16; 8], row: &[i16]) -> [i16; 8] {
        let row = &row[..8];
        for lane in 0..8 {
            sums[lane] = sums[lane].saturating_add(row[lane]);
        }
        sums
    }

    #[inline(always)]
    fn store_clipped(self, sums: [i16; 8], high: i16, to: &mut [i16]) {
        let to = &mut to[..8];
        for lane in 0..8 {
            to[lane] = sums[lane].clamp(0, high);
        }
    }

    #[inline(always)]
    fn load_floats(self, from: &[f32]) -> [f32; 4] {
        let mut floats = [0.0; 4];
        floats.copy_from_slice(&from[..4]);
        floats
    }

    #[inline(always)]
    fn store_floats(self, floats: [f32; 4], to: &mut [f32]) {
        to[..4].copy_from_slice(&floats);
    }

    #[inline(always)]
    fn add_bfloats(
        self,
        mut low: [f32; 4],
        mut high: [f32; 4],
        words: &[u32],
    ) -> ([f32; 4], [f32; 4]) {
        let words = &words[..4];
        for lane in 0..4 {
            low[lane] += f32::from_bits(words[lane] << 16);
            high[lane] += f32::from_bits(words[lane] & 0xffff_0000);
        }
        (low, high)
    }
}

#[cfg(target_arch = "x86_64")]
pub use x86::{Avx2, Avx512, Sse2};

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Isa;
    use std::arch::x86_64::*;

    /// What every x86-64 has.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Sse2;

    /// AVX2 and FMA.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Avx2(());

    impl Avx2 {
        /// The proof, on machines that have it.
        pub fn detect() -> Option<Avx2> {
            let found = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            found.then_some(Avx2(()))
        }
    }

    /// AVX-512 (F, BW, DQ, VL) and what [`Avx2`] has.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Avx512(());

    impl Avx512 {
        /// The proof, on machines that have it.
        pub fn detect() -> Option<Avx512> {
            let found = Avx2::detect().is_some()
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            found.then_some(Avx512(()))
        }
    }

    /// Implements [`Isa`] with these intrinsics.
    macro_rules! implement {
        (
            $isa:ident, $integers:ty, $reals:ty, $shorts:literal, $floats:literal,
            $registers:literal,
            $load:ident, $store:ident, $adds:ident, $max:ident, $min:ident, $set:ident, $zero:ident,
            $load_ps:ident, $store_ps:ident, $add_ps:ident, $cast:ident, $shift:ident, $and:ident,
            $set_words:ident
        ) => {
            // SAFETY of every block below: `self` proves that the machine has the instructions, and
            // the slices are as long as the vectors, which need no alignment here.
            impl Isa for $isa {
                type Shorts = $integers;
                type Floats = $reals;
                const SHORTS: usize = $shorts;
                const FLOATS: usize = $floats;
                const REGISTERS: usize = $registers;

                #[inline(always)]
                fn load_shorts(self, from: &[i16]) -> $integers {
                    let from = &from[..$shorts];
                    // SAFETY: see above.
                    unsafe { $load(from.as_ptr().cast()) }
                }

                #[inline(always)]
                fn add_shorts(self, sums: $integers, row: &[i16]) -> $integers {
                    let row = &row[..$shorts];
                    // SAFETY: see above.
                    unsafe { $adds(sums, $load(row.as_ptr().cast())) }
                }

                #[inline(always)]
                fn store_clipped(self, sums: $integers, high: i16, to: &mut [i16]) {
                    let to = &mut to[..$shorts];
                    // SAFETY: see above.
                    unsafe {
                        let clipped = $min($max(sums, $zero()), $set(high));
                        $store(to.as_mut_ptr().cast(), clipped);
                    }
                }

                #[inline(always)]
                fn load_floats(self, from: &[f32]) -> $reals {
                    let from = &from[..$floats];
                    // SAFETY: see above.
                    unsafe { $load_ps(from.as_ptr()) }
                }

                #[inline(always)]
                fn store_floats(self, floats: $reals, to: &mut [f32]) {
                    let to = &mut to[..$floats];
                    // SAFETY: see above.
                    unsafe { $store_ps(to.as_mut_ptr(), floats) }
                }

                #[inline(always)]
                fn add_bfloats(self, low: $reals, high: $reals, words: &[u32]) -> ($reals, $reals) {
                    let words = &words[..$floats];
                    // SAFETY: see above.
                    unsafe {
                        let words = $load(words.as_ptr().cast());
                        let upper = $and(words, $set_words(0xffff_0000u32 as i32));
                        let lower = $shift::<16>(words);
                        ($add_ps(low, $cast(lower)), $add_ps(high, $cast(upper)))
                    }
                }
            }
        };
    }

    implement!(
        Sse2,
        __m128i,
        __m128,
        8,
        4,
        16,
        _mm_loadu_si128,
        _mm_storeu_si128,
        _mm_adds_epi16,
        _mm_max_epi16,
        _mm_min_epi16,
        _mm_set1_epi16,
        _mm_setzero_si128,
        _mm_loadu_ps,
        _mm_storeu_ps,
        _mm_add_ps,
        _mm_castsi128_ps,
        _mm_slli_epi32,
        _mm_and_si128,
        _mm_set1_epi32
    );
    implement!(
        Avx2,
        __m256i,
        __m256,
        16,
        8,
        16,
        _mm256_loadu_si256,
        _mm256_storeu_si256,
        _mm256_adds_epi16,
        _mm256_max_epi16,
        _mm256_min_epi16,
        _mm256_set1_epi16,
        _mm256_setzero_si256,
        _mm256_loadu_ps,
        _mm256_storeu_ps,
        _mm256_add_ps,
        _mm256_castsi256_ps,
        _mm256_slli_epi32,
        _mm256_and_si256,
        _mm256_set1_epi32
    );
    implement!(
        Avx512,
        __m512i,
        __m512,
        32,
        16,
        32,
        _mm512_loadu_si512,
        _mm512_storeu_si512,
        _mm512_adds_epi16,
        _mm512_max_epi16,
        _mm512_min_epi16,
        _mm512_set1_epi16,
        _mm512_setzero_si512,
        _mm512_loadu_ps,
        _mm512_storeu_ps,
        _mm512_add_ps,
        _mm512_castsi512_ps,
        _mm512_slli_epi32,
        _mm512_and_si512,
        _mm512_set1_epi32
    );
}
