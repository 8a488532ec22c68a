//! AVX-512: 32 values in a vector; with VNNI also one instruction that multiplies pairs and adds
//! them to a sum.

use std::arch::x86_64::*;

use super::{Isa, Products, here};
use crate::nnue::arch::{HIDDEN, QA};

super::functions!(FUNCTIONS, Avx512::<false>(()), "avx512f,avx512bw");
super::functions!(
    VNNI_FUNCTIONS,
    Avx512::<true>(()),
    "avx512f,avx512bw,avx512vnni"
);

/// A machine with AVX-512 F and BW, perhaps VNNI: a value is made only in functions compiled for
/// one.
#[derive(Clone, Copy)]
struct Avx512<const VNNI: bool>(());

const LANES: usize = 32;

impl<const VNNI: bool> Isa for Avx512<VNNI> {
    const LANES: usize = LANES;
    type Vector = __m512i;

    #[inline(always)]
    fn load(self, row: &[i16; HIDDEN], index: usize) -> __m512i {
        let values: &[i16; LANES] = &row.as_chunks().0[index];
        here!(_mm512_loadu_si512(values.as_ptr().cast()))
    }

    #[inline(always)]
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: __m512i) {
        let place: &mut [i16; LANES] = &mut row.as_chunks_mut().0[index];
        here!(_mm512_storeu_si512(place.as_mut_ptr().cast(), values));
    }

    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        here!(_mm512_add_epi16(a, b))
    }

    #[inline(always)]
    fn subtract(self, a: __m512i, b: __m512i) -> __m512i {
        here!(_mm512_sub_epi16(a, b))
    }
}

impl<const VNNI: bool> Products for Avx512<VNNI> {
    type Sum = __m512i;

    #[inline(always)]
    fn clip(self, values: __m512i) -> __m512i {
        here!({
            let positive = _mm512_max_epi16(values, _mm512_setzero_si512());
            _mm512_min_epi16(positive, _mm512_set1_epi16(QA as i16))
        })
    }

    #[inline(always)]
    fn multiply(self, a: __m512i, b: __m512i) -> __m512i {
        here!(_mm512_mullo_epi16(a, b))
    }

    #[inline(always)]
    fn zero(self) -> __m512i {
        here!(_mm512_setzero_si512())
    }

    #[inline(always)]
    fn add_products(self, sums: __m512i, a: __m512i, b: __m512i) -> __m512i {
        if VNNI {
            here!(_mm512_dpwssd_epi32(sums, a, b))
        } else {
            here!(_mm512_add_epi32(sums, _mm512_madd_epi16(a, b)))
        }
    }

    #[inline(always)]
    fn add_sums(self, a: __m512i, b: __m512i) -> __m512i {
        here!(_mm512_add_epi32(a, b))
    }

    #[inline(always)]
    fn total(self, sums: __m512i) -> i32 {
        here!(_mm512_reduce_add_epi32(sums))
    }
}
