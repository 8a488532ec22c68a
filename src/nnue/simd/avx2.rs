//! AVX2: 16 values in a vector. x86-64 since 2013.

use std::arch::x86_64::*;

use super::{Isa, Products, here};
use crate::nnue::arch::{HIDDEN, QA};

super::functions!(FUNCTIONS, Avx2(()), "avx2");

/// A machine with AVX2: a value is made only in functions compiled for one.
#[derive(Clone, Copy)]
struct Avx2(());

const LANES: usize = 16;

impl Isa for Avx2 {
    const LANES: usize = LANES;
    type Vector = __m256i;

    #[inline(always)]
    fn load(self, row: &[i16; HIDDEN], index: usize) -> __m256i {
        let values: &[i16; LANES] = &row.as_chunks().0[index];
        here!(_mm256_loadu_si256(values.as_ptr().cast()))
    }

    #[inline(always)]
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: __m256i) {
        let place: &mut [i16; LANES] = &mut row.as_chunks_mut().0[index];
        here!(_mm256_storeu_si256(place.as_mut_ptr().cast(), values));
    }

    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        here!(_mm256_add_epi16(a, b))
    }

    #[inline(always)]
    fn subtract(self, a: __m256i, b: __m256i) -> __m256i {
        here!(_mm256_sub_epi16(a, b))
    }
}

impl Products for Avx2 {
    type Sum = __m256i;

    #[inline(always)]
    fn clip(self, values: __m256i) -> __m256i {
        here!({
            let positive = _mm256_max_epi16(values, _mm256_setzero_si256());
            _mm256_min_epi16(positive, _mm256_set1_epi16(QA as i16))
        })
    }

    #[inline(always)]
    fn multiply(self, a: __m256i, b: __m256i) -> __m256i {
        here!(_mm256_mullo_epi16(a, b))
    }

    #[inline(always)]
    fn zero(self) -> __m256i {
        here!(_mm256_setzero_si256())
    }

    #[inline(always)]
    fn add_products(self, sums: __m256i, a: __m256i, b: __m256i) -> __m256i {
        here!(_mm256_add_epi32(sums, _mm256_madd_epi16(a, b)))
    }

    #[inline(always)]
    fn add_sums(self, a: __m256i, b: __m256i) -> __m256i {
        here!(_mm256_add_epi32(a, b))
    }

    #[inline(always)]
    fn total(self, sums: __m256i) -> i32 {
        here!({
            let four = _mm_add_epi32(
                _mm256_castsi256_si128(sums),
                _mm256_extracti128_si256::<1>(sums),
            );
            let two = _mm_add_epi32(four, _mm_unpackhi_epi64(four, four));
            let one = _mm_add_epi32(two, _mm_shuffle_epi32::<1>(two));
            _mm_cvtsi128_si32(one)
        })
    }
}
