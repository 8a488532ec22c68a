//! SIMD kernels: forward and backward pass for each instruction set, chosen at run time.
//!
//! `gradient.rs` is generic over the few operations of `Isa`; each file here implements them for
//! one instruction set. It follows the engine's `nnue/simd`.
//!
//! `unsafe` is needed for two reasons:
//!
//! 1. *Instructions that the CPU may lack.* A value of a type that implements `Isa` is made only in
//!    functions compiled for its features (`kernel!`), and a [`Kernel`] with these functions only if
//!    the CPU was detected to have the same features. So having the value proves that the
//!    instructions may be executed.
//! 2. *Pointers.* Only loads and stores use them. Each takes a slice, borrows from it an array of
//!    exactly one vector, and states how many bytes it accesses there.

#![allow(unsafe_code)]

mod scalar;
#[cfg(target_arch = "x86_64")]
mod x86;

#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as is_feature_detected;

use crate::gradient::{Loss, Weights, Workspace};
use crate::sample::Sample;

/// The operations of an instruction set that the forward and backward pass need.
///
/// Loads and stores access the start of a slice and panic if it is shorter than a vector.
pub(crate) trait Isa: Copy {
    /// The number of `i16` in a vector.
    const I16_LANES: usize;
    /// The number of `f32`, or of `u32`, in a vector; divides 16.
    const F32_LANES: usize;
    /// The number of vector registers.
    const REGISTERS: usize;
    /// A vector of `i16`.
    type I16s: Copy;
    /// A vector of `u32`.
    type U32s: Copy;
    /// A vector of `f32`.
    type F32s: Copy;

    /// Loads a vector of `i16`.
    fn load_i16(self, from: &[i16]) -> Self::I16s;
    /// Stores a vector of `i16`.
    fn store_i16(self, values: Self::I16s, to: &mut [i16]);
    /// Loads a vector of `u32`.
    fn load_u32(self, from: &[u32]) -> Self::U32s;
    /// Loads a vector of `f32`.
    fn load_f32(self, from: &[f32]) -> Self::F32s;
    /// Stores a vector of `f32`.
    fn store_f32(self, values: Self::F32s, to: &mut [f32]);
    /// a + b, saturating.
    fn add_i16(self, a: Self::I16s, b: Self::I16s) -> Self::I16s;
    /// Every value clamped to 0 ..= `max`.
    fn clamp_i16(self, values: Self::I16s, max: i16) -> Self::I16s;
    /// Adds pairs of bfloat16: the lower halves of `pairs` to `low`, the upper halves to `high`.
    fn add_bf16_pairs(
        self,
        low: Self::F32s,
        high: Self::F32s,
        pairs: Self::U32s,
    ) -> (Self::F32s, Self::F32s);
}

type AddGradient = unsafe fn(&Weights<'_>, &[Sample], Loss, &mut Workspace, &mut [f32]) -> f64;
type Evaluate = unsafe fn(&Weights<'_>, &[Sample], &mut Workspace, &mut dyn FnMut(&Sample, f32));

/// The functions of training for one instruction set.
///
/// Calling one is unsafe, because of `#[target_feature]`: the CPU must have the features it was
/// compiled with. They have no other requirement.
#[derive(Debug)]
struct Functions {
    add_gradient: AddGradient,
    evaluate: Evaluate,
    /// Compares the operations of the [`Isa`] with plain arithmetic.
    #[cfg(test)]
    check_operations: unsafe fn(),
}

/// Defines a function that returns the [`Kernel`] of an instruction set if the CPU has its
/// features: the name of the function, the name of the kernel, the value that proves the features,
/// and the features, which are both compiled for and detected.
#[cfg(target_arch = "x86_64")]
macro_rules! kernel {
    ($function:ident, $name:literal, $isa:expr, [$($feature:tt),+]) => {
        /// The kernel, if the CPU has the features it is compiled for.
        pub(super) fn $function() -> Option<super::Kernel> {
            use crate::gradient::{self, Loss, Weights, Workspace};
            use crate::sample::Sample;

            $(#[target_feature(enable = $feature)])+
            fn add_gradient(
                weights: &Weights<'_>,
                samples: &[Sample],
                loss: Loss,
                workspace: &mut Workspace,
                gradient: &mut [f32],
            ) -> f64 {
                gradient::add_gradient($isa, weights, samples, loss, workspace, gradient)
            }

            $(#[target_feature(enable = $feature)])+
            fn evaluate(
                weights: &Weights<'_>,
                samples: &[Sample],
                workspace: &mut Workspace,
                each: &mut dyn FnMut(&Sample, f32),
            ) {
                gradient::evaluate($isa, weights, samples, workspace, each);
            }

            #[cfg(test)]
            $(#[target_feature(enable = $feature)])+
            fn check_operations() {
                super::tests::check_operations($isa);
            }

            static FUNCTIONS: super::Functions = super::Functions {
                add_gradient,
                evaluate,
                #[cfg(test)]
                check_operations,
            };
            let is_available = true $(&& super::is_feature_detected!($feature))+;
            is_available.then_some(super::Kernel {
                name: $name,
                functions: &FUNCTIONS,
            })
        }
    };
}
#[cfg(target_arch = "x86_64")]
use kernel;

/// Evaluates intrinsics on values (never on pointers) in a method of an [`Isa`], whose `self` it is
/// given.
#[cfg(target_arch = "x86_64")]
macro_rules! intrinsics {
    ($isa:expr, $instructions:expr) => {{
        let _proof: Self = $isa;
        // SAFETY: 1. Intrinsics without pointers are unsafe to call only where their features are
        // not enabled. 2. A value of `Self` is made only in functions compiled for these features,
        // which are called only if the CPU has them.
        unsafe { $instructions }
    }};
}
#[cfg(target_arch = "x86_64")]
use intrinsics;

/// Forward and backward pass for one instruction set. A value exists only if the CPU has it.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    name: &'static str,
    functions: &'static Functions,
}

impl Kernel {
    /// The fastest available kernel.
    pub fn detect() -> Kernel {
        let kernels = Kernel::available();
        kernels[kernels.len() - 1]
    }

    /// The kernel of this name (`scalar`, `sse2`, `avx2`, `avx512`), if it is available.
    pub fn from_name(name: &str) -> Option<Kernel> {
        Kernel::available().into_iter().find(|kernel| kernel.name == name)
    }

    /// The kernels that this machine can run, from the slowest (`scalar`) to the fastest.
    pub fn available() -> Vec<Kernel> {
        #[allow(unused_mut)]
        let mut kernels = vec![scalar::KERNEL];
        #[cfg(target_arch = "x86_64")]
        kernels.extend([x86::sse2(), x86::avx2(), x86::avx512()].into_iter().flatten());
        kernels
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Returns the sum of the samples' losses and adds its gradient, scaled by
    /// [`Loss::gradient_scale`], to `gradient`, which has the shape of the model.
    pub fn add_gradient(
        self,
        weights: &Weights<'_>,
        samples: &[Sample],
        loss: Loss,
        workspace: &mut Workspace,
        gradient: &mut [f32],
    ) -> f64 {
        debug_assert_eq!(gradient.len(), weights.shape.len());
        // SAFETY: the function needs the CPU features it was compiled with; a `Kernel` with it is
        // made only where they were detected.
        unsafe { (self.functions.add_gradient)(weights, samples, loss, workspace, gradient) }
    }

    /// Calls `each` with every sample and the network's output for it.
    pub fn evaluate(
        self,
        weights: &Weights<'_>,
        samples: &[Sample],
        workspace: &mut Workspace,
        each: &mut dyn FnMut(&Sample, f32),
    ) {
        // SAFETY: the function needs the CPU features it was compiled with; a `Kernel` with it is
        // made only where they were detected.
        unsafe { (self.functions.evaluate)(weights, samples, workspace, each) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The length of the tests' slices: one vector and a remainder that must not be touched.
    const LEN: usize = 40;

    fn hash(index: usize, seed: u32) -> u32 {
        (index as u32 + 1).wrapping_mul(0x9e37_79b9).rotate_left(seed).wrapping_mul(0x85eb_ca6b)
    }

    /// Pseudo-random values, every fourth one extreme.
    fn i16s(seed: u32) -> [i16; LEN] {
        const EXTREMES: [i16; 5] = [i16::MIN, i16::MAX, -1, 0, 1];
        std::array::from_fn(|i| match i % 4 {
            0 => EXTREMES[(i / 4 + seed as usize) % EXTREMES.len()],
            _ => (hash(i, seed) >> 16) as i16,
        })
    }

    fn f32s(seed: u32) -> [f32; LEN] {
        std::array::from_fn(|i| (hash(i, seed) >> 8) as f32 - 8_388_608.0)
    }

    /// Each operation of [`Isa`] against plain arithmetic. A load or store of another width changes
    /// or misses values of the slice.
    #[inline(always)]
    pub(super) fn check_operations<I: Isa>(isa: I) {
        check_i16_operations(isa);
        check_f32_operations(isa);
    }

    #[inline(always)]
    fn check_i16_operations<I: Isa>(isa: I) {
        let (a, b) = (i16s(1), i16s(2));
        assert_eq!(size_of::<I::I16s>(), size_of::<i16>() * I::I16_LANES);
        for offset in 0..=LEN - I::I16_LANES {
            let stored = |values: I::I16s| {
                let mut found = [7; LEN];
                isa.store_i16(values, &mut found[offset..]);
                found
            };
            let expected = |operation: &dyn Fn(usize) -> i16| {
                let mut expected = [7; LEN];
                for (lane, value) in expected[offset..][..I::I16_LANES].iter_mut().enumerate() {
                    *value = operation(offset + lane);
                }
                expected
            };
            let (x, y) = (isa.load_i16(&a[offset..]), isa.load_i16(&b[offset..]));
            assert_eq!(stored(x), expected(&|i| a[i]));
            assert_eq!(stored(isa.add_i16(x, y)), expected(&|i| a[i].saturating_add(b[i])));
            assert_eq!(stored(isa.clamp_i16(x, 4096)), expected(&|i| a[i].clamp(0, 4096)));
        }
    }

    #[inline(always)]
    fn check_f32_operations<I: Isa>(isa: I) {
        let (a, b) = (f32s(3), f32s(4));
        let pairs: [u32; LEN] = std::array::from_fn(|i| {
            // The halves of two floats, so that every pair is two finite bfloat16.
            f32s(5)[i].to_bits() >> 16 | f32s(6)[i].to_bits() & 0xffff_0000
        });
        assert_eq!(size_of::<I::F32s>(), size_of::<f32>() * I::F32_LANES);
        assert_eq!(size_of::<I::U32s>(), size_of::<u32>() * I::F32_LANES);
        for offset in 0..=LEN - I::F32_LANES {
            let stored = |values: I::F32s| {
                let mut found = [7.0; LEN];
                isa.store_f32(values, &mut found[offset..]);
                found
            };
            let expected = |operation: &dyn Fn(usize) -> f32| {
                let mut expected = [7.0; LEN];
                for (lane, value) in expected[offset..][..I::F32_LANES].iter_mut().enumerate() {
                    *value = operation(offset + lane);
                }
                expected
            };
            let (x, y) = (isa.load_f32(&a[offset..]), isa.load_f32(&b[offset..]));
            assert_eq!(stored(x), expected(&|i| a[i]));
            let (low, high) = isa.add_bf16_pairs(x, y, isa.load_u32(&pairs[offset..]));
            let lower = |i: usize| f32::from_bits(pairs[i] << 16);
            let upper = |i: usize| f32::from_bits(pairs[i] & 0xffff_0000);
            assert_eq!(stored(low), expected(&|i| a[i] + lower(i)));
            assert_eq!(stored(high), expected(&|i| b[i] + upper(i)));
        }
    }

    #[test]
    fn operations_equal_plain_arithmetic() {
        for kernel in Kernel::available() {
            // SAFETY: the function needs the CPU features of its kernel, which exists only where
            // they were detected.
            unsafe { (kernel.functions.check_operations)() };
        }
    }

    #[test]
    fn kernels_are_found_by_name() {
        for kernel in Kernel::available() {
            let named = Kernel::from_name(kernel.name()).map(Kernel::name);
            assert_eq!(named, Some(kernel.name()));
        }
        assert_eq!(Kernel::available()[0].name(), "scalar");
        assert!(Kernel::from_name("AVX2").is_none());
    }
}
