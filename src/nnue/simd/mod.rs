//! SIMD kernels: the evaluation for each instruction set, chosen at run time.
//!
//! `accumulator.rs` and `forward.rs` are generic over the few operations of `Isa` and
//! `ForwardIsa`; each file here implements them for one instruction set. All kernels give equal
//! results, because integer sums that do not overflow do not depend on the order.
//!
//! `unsafe` is needed for two reasons:
//!
//! 1. *Instructions that the CPU may lack.* A value of a type that implements `Isa` is made only
//!    in functions compiled for its features (`kernel!`), and a [`Kernel`] with these functions
//!    only if the CPU was detected to have the same features. So having the value proves that the
//!    instructions may be executed.
//! 2. *Pointers.* Only `load` and `store` use them. Each takes a row, borrows from it an array of
//!    exactly one vector, and states how many bytes it accesses there.
//!
//! The trainer's kernels (`trainer/src/simd`) follow the same pattern.

#![allow(unsafe_code)]

mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod simd128;

use std::fmt;

#[cfg(target_arch = "aarch64")]
use std::arch::is_aarch64_feature_detected as is_feature_detected;
#[cfg(target_arch = "x86_64")]
use std::arch::is_x86_feature_detected as is_feature_detected;

/// A WebAssembly module is compiled with a feature or without it.
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
macro_rules! is_feature_detected {
    ($feature:tt) => {
        cfg!(target_feature = $feature)
    };
}
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
use is_feature_detected;

use super::accumulator::{Accumulator, ChangedPieces, Perspective};
use super::arch::HIDDEN;
use super::network::Weights;

/// The operations of an instruction set that accumulator updates need, on vectors of `i16`.
pub(super) trait Isa: Copy {
    /// The number of values in a vector; divides [`HIDDEN`].
    const LANES: usize;
    /// A vector of [`LANES`](Isa::LANES) `i16`.
    type Vector: Copy;

    /// Loads vector `index` of a row: values `index * LANES` to `(index + 1) * LANES - 1`.
    ///
    /// # Panics
    /// If the row has no such vector.
    fn load(self, row: &[i16; HIDDEN], index: usize) -> Self::Vector;
    /// Loads vector `index` of a row of feature weights, extended to 16 bits.
    ///
    /// # Panics
    /// If the row has no such vector.
    fn load_weights(self, row: &[i8; HIDDEN], index: usize) -> Self::Vector;
    /// Stores vector `index` of a row.
    ///
    /// # Panics
    /// If the row has no such vector.
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: Self::Vector);
    /// a + b, wrapping.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a - b, wrapping.
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
}

/// The further operations that the forward pass needs.
pub(super) trait ForwardIsa: Isa {
    /// A vector of `i32` sums.
    type Sums: Copy;

    /// Every value of two vectors clamped to 0 ..= QA. x86 does two in fewer instructions than
    /// twice one.
    fn clamp(self, a: Self::Vector, b: Self::Vector) -> (Self::Vector, Self::Vector);
    /// The low 16 bits of a · b.
    fn mul_low(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Sums of 0.
    fn zero_sums(self) -> Self::Sums;
    /// Adds the products a · b, in 32 bits, to the sums; each product to one of them.
    fn mul_add(self, sums: Self::Sums, a: Self::Vector, b: Self::Vector) -> Self::Sums;
    /// a + b.
    fn add_sums(self, a: Self::Sums, b: Self::Sums) -> Self::Sums;
    /// The sum of all sums.
    fn horizontal_sum(self, sums: Self::Sums) -> i32;
}

/// The maximum [`Isa::LANES`].
const MAX_LANES: usize = 32;
const _: () = assert!(HIDDEN.is_multiple_of(MAX_LANES));

type Update = unsafe fn(&Weights, &Accumulator, &mut Accumulator, &ChangedPieces, Perspective);
type UpdateAndForward = unsafe fn(
    &Weights,
    &[Accumulator; 2],
    &mut [Accumulator; 2],
    &ChangedPieces,
    [Perspective; 2],
    [&[i16; HIDDEN]; 2],
) -> Option<i32>;
type Forward = unsafe fn(&Accumulator, &Accumulator, &[[i16; HIDDEN]; 2]) -> i32;

/// The functions of the evaluation for one instruction set.
///
/// Calling one is unsafe, because of `#[target_feature]`: the CPU must have the features it was
/// compiled with. They have no other requirement.
struct Functions {
    update: Update,
    update_and_forward: UpdateAndForward,
    forward: Forward,
    /// Compares the operations of the [`Isa`] with plain arithmetic.
    #[cfg(test)]
    check_operations: unsafe fn(),
}

/// Defines a function that returns the [`Kernel`] of an instruction set if the CPU has its
/// features: the name of the function, the name of the kernel, the value that proves the features,
/// and the features, which are both compiled for and detected.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
macro_rules! kernel {
    ($function:ident, $name:literal, $isa:expr, [$($feature:tt),+]) => {
        /// The kernel, if the CPU has the features it is compiled for.
        pub(super) fn $function() -> Option<super::Kernel> {
            use crate::nnue::accumulator::{self, Accumulator, ChangedPieces, Perspective};
            use crate::nnue::network::Weights;

            $(#[target_feature(enable = $feature)])+
            fn update(
                weights: &Weights,
                source: &Accumulator,
                target: &mut Accumulator,
                changes: &ChangedPieces,
                perspective: Perspective,
            ) {
                accumulator::update($isa, weights, source, target, changes, perspective);
            }

            $(#[target_feature(enable = $feature)])+
            fn update_and_forward(
                weights: &Weights,
                source: &[Accumulator; 2],
                target: &mut [Accumulator; 2],
                changes: &ChangedPieces,
                perspectives: [Perspective; 2],
                output_weights: [&[i16; HIDDEN]; 2],
            ) -> Option<i32> {
                crate::nnue::forward::update_and_forward(
                    $isa,
                    weights,
                    source,
                    target,
                    changes,
                    perspectives,
                    output_weights,
                )
            }

            $(#[target_feature(enable = $feature)])+
            fn forward(
                us: &Accumulator,
                them: &Accumulator,
                weights: &[[i16; HIDDEN]; 2],
            ) -> i32 {
                crate::nnue::forward::forward($isa, us, them, weights)
            }

            #[cfg(test)]
            $(#[target_feature(enable = $feature)])+
            fn check_operations() {
                super::tests::check_accumulator_operations($isa);
                super::tests::check_forward_operations($isa);
            }

            static FUNCTIONS: super::Functions = super::Functions {
                update,
                update_and_forward,
                forward,
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
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
use kernel;

/// Evaluates intrinsics on values (never on pointers) in a method of an [`Isa`], whose `self` it is
/// given.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! intrinsics {
    ($isa:expr, $instructions:expr) => {{
        let _proof: Self = $isa;
        // SAFETY: 1. Intrinsics without pointers are unsafe to call only where their features are
        // not enabled. 2. A value of `Self` is made only in functions compiled for these features,
        // which are called only if the CPU has them.
        unsafe { $instructions }
    }};
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use intrinsics;

/// The evaluation for one instruction set. A value exists only if the CPU has it.
#[derive(Clone, Copy)]
pub struct Kernel {
    name: &'static str,
    functions: &'static Functions,
}

/// Why [`Kernel::from_name`] has no kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelError {
    /// No kernel has this name.
    Unknown(String),
    /// The CPU lacks the instruction set of this kernel.
    Unavailable(&'static str),
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(f, "unknown kernel \"{name}\" (known:")?;
                Kernel::NAMES.iter().try_for_each(|name| write!(f, " {name}"))?;
                f.write_str(")")
            }
            Self::Unavailable(name) => {
                write!(f, "this CPU lacks the instruction set of kernel \"{name}\"")
            }
        }
    }
}

impl std::error::Error for KernelError {}

impl Kernel {
    /// The names of all kernels, for all machines.
    pub const NAMES: [&'static str; 6] = ["scalar", "avx2", "avx512", "vnni", "neon", "simd128"];

    /// The fastest available kernel.
    pub fn detect() -> Kernel {
        let kernels = Kernel::available();
        kernels[kernels.len() - 1]
    }

    /// The kernel of this name, one of [`NAMES`](Kernel::NAMES).
    ///
    /// # Errors
    /// There is none of this name, or the CPU lacks its instruction set.
    pub fn from_name(name: &str) -> Result<Kernel, KernelError> {
        let known = Kernel::NAMES
            .into_iter()
            .find(|known| *known == name)
            .ok_or_else(|| KernelError::Unknown(name.to_owned()))?;
        Kernel::available()
            .into_iter()
            .find(|kernel| kernel.name == known)
            .ok_or(KernelError::Unavailable(known))
    }

    /// The kernels that this machine can run, from the slowest (`scalar`) to the fastest.
    pub fn available() -> Vec<Kernel> {
        #[allow(unused_mut)]
        let mut kernels = vec![scalar::KERNEL];
        #[cfg(target_arch = "x86_64")]
        kernels.extend(
            [avx2::kernel(), avx512::kernel(), avx512::vnni_kernel()].into_iter().flatten(),
        );
        #[cfg(target_arch = "aarch64")]
        kernels.extend(neon::kernel());
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        kernels.extend(simd128::kernel());
        kernels
    }

    /// A kernel with a deliberate error: the opponent's last output weight is 0.
    #[cfg(test)]
    pub(crate) fn faulty() -> Kernel {
        static FAULTY: Functions = Functions {
            forward: |us, them, weights| {
                let mut weights = *weights;
                weights[1][HIDDEN - 1] = 0;
                // SAFETY: the scalar functions need no CPU feature.
                unsafe { (scalar::FUNCTIONS.forward)(us, them, &weights) }
            },
            ..scalar::FUNCTIONS
        };
        Kernel { name: "faulty", functions: &FAULTY }
    }

    /// Its name, one of [`NAMES`](Kernel::NAMES).
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Writes `source` with `changes` applied into `target`.
    #[inline(always)]
    pub(super) fn update(
        self,
        weights: &Weights,
        source: &Accumulator,
        target: &mut Accumulator,
        changes: &ChangedPieces,
        perspective: Perspective,
    ) {
        // SAFETY: the function needs the CPU features it was compiled with; a `Kernel` with it is
        // made only where they were detected.
        unsafe { (self.functions.update)(weights, source, target, changes, perspective) }
    }

    /// [`update`](Kernel::update) of White's and Black's accumulator and
    /// [`forward`](Kernel::forward) in one pass, with the output weights of White's accumulator
    /// first. `None`, without an update, unless the changes are those of a quiet move, a capture or
    /// a promotion; and always with the kernel `scalar`.
    #[inline(always)]
    pub(super) fn update_and_forward(
        self,
        weights: &Weights,
        source: &[Accumulator; 2],
        target: &mut [Accumulator; 2],
        changes: &ChangedPieces,
        perspectives: [Perspective; 2],
        output_weights: [&[i16; HIDDEN]; 2],
    ) -> Option<i32> {
        let function = self.functions.update_and_forward;
        // SAFETY: the function needs the CPU features it was compiled with; a `Kernel` with it is
        // made only where they were detected.
        unsafe { function(weights, source, target, changes, perspectives, output_weights) }
    }

    /// The output before its bias, in units of 1/(QA · QA · QB).
    #[inline(always)]
    pub(super) fn forward(
        self,
        us: &Accumulator,
        them: &Accumulator,
        weights: &[[i16; HIDDEN]; 2],
    ) -> i32 {
        // SAFETY: the function needs the CPU features it was compiled with; a `Kernel` with it is
        // made only where they were detected.
        unsafe { (self.functions.forward)(us, them, weights) }
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Kernel) -> bool {
        self.name == other.name
    }
}

impl Eq for Kernel {}

impl fmt::Debug for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kernel({})", self.name)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::nnue::arch::{OUTPUT_BUCKETS, QA};
    use crate::nnue::format::Parameters;
    use crate::nnue::network::Network;

    fn network() -> Arc<Network> {
        let mut parameters = Parameters::zero(HIDDEN, OUTPUT_BUCKETS);
        for (i, weight) in parameters.feature_weights.iter_mut().enumerate() {
            *weight = (i * 31 % 101) as i8 - 40;
        }
        for (i, weight) in parameters.output_weights.iter_mut().enumerate() {
            *weight = (i * 17 % 31) as i16 - 15;
        }
        Arc::new(Network::from_parameters(&parameters).expect("small weights"))
    }

    /// A row of pseudo-random values, every eighth one extreme.
    fn row(seed: u32) -> [i16; HIDDEN] {
        const EXTREMES: [i16; 6] = [i16::MIN, i16::MAX, -1, 0, QA as i16, QA as i16 + 1];
        std::array::from_fn(|i| {
            let hash = (i as u32 + 1)
                .wrapping_mul(0x9e37_79b9)
                .rotate_left(seed)
                .wrapping_mul(0x85eb_ca6b);
            match i % 8 {
                0 => EXTREMES[(i / 8 + seed as usize) % EXTREMES.len()],
                _ => (hash >> 16) as i16,
            }
        })
    }

    /// The row after `operation` on all vectors of two rows.
    #[inline(always)]
    fn map<I: Isa>(
        isa: I,
        a: &[i16; HIDDEN],
        b: &[i16; HIDDEN],
        operation: impl Fn(I::Vector, I::Vector) -> I::Vector,
    ) -> [i16; HIDDEN] {
        let mut result = [0; HIDDEN];
        for i in 0..HIDDEN / I::LANES {
            let values = operation(isa.load(a, i), isa.load(b, i));
            isa.store(&mut result, i, values);
        }
        result
    }

    /// Each operation of [`Isa`] against plain arithmetic. A load or store of the wrong place or
    /// width changes or misses a value of the row.
    #[inline(always)]
    pub(super) fn check_accumulator_operations<I: Isa>(isa: I) {
        let (a, b) = (row(1), row(2));
        let expected = |operation: fn(i16, i16) -> i16| -> [i16; HIDDEN] {
            std::array::from_fn(|i| operation(a[i], b[i]))
        };
        assert_eq!(size_of::<I::Vector>(), size_of::<i16>() * I::LANES);
        for index in 0..HIDDEN / I::LANES {
            let mut found = b;
            isa.store(&mut found, index, isa.load(&a, index));
            let stored = index * I::LANES..(index + 1) * I::LANES;
            let mut expected = b;
            expected[stored.clone()].copy_from_slice(&a[stored]);
            assert_eq!(found, expected, "vector {index}");
        }
        let weights: [i8; HIDDEN] = a.map(|value| value as i8);
        let mut found = b;
        for index in 0..HIDDEN / I::LANES {
            isa.store(&mut found, index, isa.load_weights(&weights, index));
        }
        assert_eq!(found, weights.map(i16::from));
        let sum = map(isa, &a, &b, |a, b| isa.add(a, b));
        assert_eq!(sum, expected(i16::wrapping_add));
        let difference = map(isa, &a, &b, |a, b| isa.sub(a, b));
        assert_eq!(difference, expected(i16::wrapping_sub));
    }

    /// Each operation of [`ForwardIsa`] against plain arithmetic.
    #[inline(always)]
    pub(super) fn check_forward_operations<I: ForwardIsa>(isa: I) {
        let (a, b) = (row(3), row(4));
        let clamped = map(isa, &a, &b, |a, b| isa.clamp(a, b).0);
        assert_eq!(clamped, a.map(|value| value.clamp(0, QA as i16)));
        let clamped = map(isa, &a, &b, |a, b| isa.clamp(a, b).1);
        assert_eq!(clamped, b.map(|value| value.clamp(0, QA as i16)));
        let products = map(isa, &a, &b, |a, b| isa.mul_low(a, b));
        let expected: [i16; HIDDEN] = std::array::from_fn(|i| a[i].wrapping_mul(b[i]));
        assert_eq!(products, expected);
        for index in 0..HIDDEN / I::LANES {
            let (x, y) = (isa.load(&a, index), isa.load(&b, index));
            let once = isa.mul_add(isa.zero_sums(), x, y);
            let thrice = isa.add_sums(once, isa.mul_add(once, x, y));
            let lanes = index * I::LANES..(index + 1) * I::LANES;
            let expected = lanes.fold(0i32, |sum, i| {
                sum.wrapping_add(i32::from(a[i]).wrapping_mul(i32::from(b[i])))
            });
            assert_eq!(isa.horizontal_sum(once), expected, "vector {index}");
            let expected = expected.wrapping_mul(3);
            assert_eq!(isa.horizontal_sum(thrice), expected, "vector {index}");
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
    fn self_check_passes_for_every_kernel_of_this_machine() {
        for kernel in Kernel::available() {
            assert_eq!(kernel.self_check(&network()), Ok(()));
        }
    }

    #[test]
    fn self_check_finds_faulty_kernels() {
        // Leaves one neuron without its update.
        static STALE: Functions = Functions {
            update: |weights, source, target, changes, perspective| {
                // SAFETY: the scalar functions need no CPU feature.
                unsafe {
                    (scalar::FUNCTIONS.update)(weights, source, target, changes, perspective);
                }
                target.0[HIDDEN / 2] = source.0[HIDDEN / 2];
            },
            ..scalar::FUNCTIONS
        };
        let stale = Kernel { name: "stale", functions: &STALE };
        for kernel in [Kernel::faulty(), stale] {
            let mismatch = kernel.self_check(&network());
            let mismatch = mismatch.expect_err("the fault is found");
            assert_eq!(mismatch.kernel, kernel.name());
            assert_ne!(mismatch.expected, mismatch.found);
        }
    }
}
