//! Plain arrays, for every machine. The compiler vectorises them for the features that the whole
//! program is compiled with.

use super::{Functions, Isa, Kernel};
use crate::gradient;

/// The kernel for every machine.
pub(super) const KERNEL: Kernel = Kernel { name: "scalar", functions: &FUNCTIONS };

static FUNCTIONS: Functions = Functions {
    add_gradient: |weights, samples, loss, workspace, gradient| {
        gradient::add_gradient(Scalar, weights, samples, loss, workspace, gradient)
    },
    evaluate: |weights, samples, workspace, each| {
        gradient::evaluate(Scalar, weights, samples, workspace, each);
    },
    #[cfg(test)]
    check_operations: || super::tests::check_operations(Scalar),
};

/// No instruction set in particular.
#[derive(Clone, Copy)]
struct Scalar;

const I16_LANES: usize = 8;
const F32_LANES: usize = 4;

impl Isa for Scalar {
    const I16_LANES: usize = I16_LANES;
    const F32_LANES: usize = F32_LANES;
    const REGISTERS: usize = 16;
    type I16s = [i16; I16_LANES];
    type U32s = [u32; F32_LANES];
    type F32s = [f32; F32_LANES];

    #[inline(always)]
    fn load_i16(self, from: &[i16]) -> Self::I16s {
        from.as_chunks().0[0]
    }

    #[inline(always)]
    fn store_i16(self, values: Self::I16s, to: &mut [i16]) {
        to.as_chunks_mut().0[0] = values;
    }

    #[inline(always)]
    fn load_u32(self, from: &[u32]) -> Self::U32s {
        from.as_chunks().0[0]
    }

    #[inline(always)]
    fn load_f32(self, from: &[f32]) -> Self::F32s {
        from.as_chunks().0[0]
    }

    #[inline(always)]
    fn store_f32(self, values: Self::F32s, to: &mut [f32]) {
        to.as_chunks_mut().0[0] = values;
    }

    #[inline(always)]
    fn add_i16(self, mut a: Self::I16s, b: Self::I16s) -> Self::I16s {
        for lane in 0..I16_LANES {
            a[lane] = a[lane].saturating_add(b[lane]);
        }
        a
    }

    #[inline(always)]
    fn clamp_i16(self, values: Self::I16s, max: i16) -> Self::I16s {
        values.map(|value| value.clamp(0, max))
    }

    #[inline(always)]
    fn add_bf16_pairs(
        self,
        mut low: Self::F32s,
        mut high: Self::F32s,
        pairs: Self::U32s,
    ) -> (Self::F32s, Self::F32s) {
        for lane in 0..F32_LANES {
            low[lane] += f32::from_bits(pairs[lane] << 16);
            high[lane] += f32::from_bits(pairs[lane] & 0xffff_0000);
        }
        (low, high)
    }
}
