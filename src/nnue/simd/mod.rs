//! Which instructions the evaluation is computed with: chosen once, while the program runs.
//!
//! The work is written once, in `accumulator.rs` and `forward.rs`, over the few operations of
//! `Isa`; each file here says what these are in one instruction set. All kernels give equal
//! results, because integers that do not overflow have one sum in whatever order.
//!
//! `unsafe` is needed to load and store vectors, and because instructions may be used only where
//! the machine has them. The latter is settled by types: a [`Kernel`] exists only if the machine
//! has been seen to have its instructions, and a value of a type that implements `Isa` only in
//! functions that a kernel calls.

mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

use std::fmt;

use super::accumulator::{Accumulator, Changes, View};
use super::arch::HIDDEN;
use super::network::Weights;

/// One instruction set: vectors of [`LANES`](Isa::LANES) values of `i16` and what following the men
/// asks of them.
pub(super) trait Isa: Copy {
    /// Values in a vector; divides [`HIDDEN`].
    const LANES: usize;
    /// A vector of `i16`.
    type Vector: Copy;

    /// The vector number `index` of a row.
    fn load(self, row: &[i16; HIDDEN], index: usize) -> Self::Vector;
    /// Writes the vector number `index` of a row.
    fn store(self, row: &mut [i16; HIDDEN], index: usize, values: Self::Vector);
    /// a + b, wrapping.
    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// a - b, wrapping.
    fn subtract(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
}

/// What the forward pass needs besides.
pub(super) trait Products: Isa {
    /// A vector of `i32`.
    type Sum: Copy;

    /// Every value clamped to 0 ..= QA.
    fn clip(self, values: Self::Vector) -> Self::Vector;
    /// a · b, of which the low 16 bits.
    fn multiply(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// Sums of 0.
    fn zero(self) -> Self::Sum;
    /// The sums with the products of all values of a and b added, each to one of them.
    fn add_products(self, sums: Self::Sum, a: Self::Vector, b: Self::Vector) -> Self::Sum;
    /// a + b.
    fn add_sums(self, a: Self::Sum, b: Self::Sum) -> Self::Sum;
    /// The sum of the sums.
    fn total(self, sums: Self::Sum) -> i32;
}

/// The largest [`Isa::LANES`].
const MAX_LANES: usize = 32;
const _: () = assert!(HIDDEN.is_multiple_of(MAX_LANES));

type Update = unsafe fn(&Weights, &Accumulator, &mut Accumulator, &Changes, View);
type Forward = unsafe fn(&Accumulator, &Accumulator, &[[i16; HIDDEN]; 2]) -> i32;

/// The two functions of the evaluation for one instruction set. `#[target_feature]` makes them
/// `unsafe` to call wherever those features are not known to be there.
struct Functions {
    update: Update,
    forward: Forward,
}

/// A static of [`Functions`], compiled with target features for a value of an [`Isa`].
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! functions {
    ($name:ident, $isa:expr, $features:literal) => {
        pub(super) static $name: super::Functions = {
            use crate::nnue::accumulator::{self, Accumulator, Changes, View};
            use crate::nnue::arch::HIDDEN;
            use crate::nnue::network::Weights;

            #[target_feature(enable = $features)]
            fn update(
                weights: &Weights,
                from: &Accumulator,
                to: &mut Accumulator,
                changes: &Changes,
                view: View,
            ) {
                accumulator::update($isa, weights, from, to, changes, view);
            }

            #[target_feature(enable = $features)]
            fn forward(
                own: &Accumulator,
                other: &Accumulator,
                weights: &[[i16; HIDDEN]; 2],
            ) -> i32 {
                crate::nnue::forward::forward($isa, own, other, weights)
            }

            super::Functions { update, forward }
        };
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use functions;

/// An expression of instructions of the [`Isa`] in whose methods it stands. Those that load or
/// store are given pointers to arrays of as many values as a vector has.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! here {
    ($instructions:expr) => {
        // SAFETY: the method was given a value of the type that implements `Isa`, which exists
        // only where the machine has these instructions. Memory is accessed only as far as a
        // reference to an array that is borrowed for the call allows; no instruction used asks
        // for an alignment.
        unsafe { $instructions }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use here;

/// The instructions to compute with. A value exists only if this machine has them.
#[derive(Clone, Copy)]
pub struct Kernel {
    name: &'static str,
    functions: &'static Functions,
}

/// Why there is no kernel of that name here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KernelError {
    /// No kernel has this name.
    Unknown(String),
    /// This machine lacks the instructions of this kernel.
    Unavailable(&'static str),
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                write!(f, "unknown kernel \"{name}\" (there are")?;
                Kernel::NAMES
                    .iter()
                    .try_for_each(|name| write!(f, " {name}"))?;
                f.write_str(")")
            }
            Self::Unavailable(name) => {
                write!(
                    f,
                    "this machine lacks the instructions of kernel \"{name}\""
                )
            }
        }
    }
}

impl std::error::Error for KernelError {}

impl Kernel {
    /// The names of all kernels, on whatever machine.
    pub const NAMES: [&'static str; 5] = ["scalar", "avx2", "avx512", "vnni", "neon"];

    /// The fastest kernel of this machine.
    pub fn detect() -> Kernel {
        let all = Kernel::available();
        all[all.len() - 1]
    }

    /// The kernel of this name, one of [`NAMES`](Kernel::NAMES).
    ///
    /// # Errors
    /// There is none of this name, or this machine lacks its instructions.
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

    /// The kernels that this machine can run, the slowest (`scalar`) first.
    pub fn available() -> Vec<Kernel> {
        let kernel = |name, functions| Kernel { name, functions };
        #[allow(unused_mut)]
        let mut kernels = vec![kernel("scalar", &scalar::FUNCTIONS)];
        #[cfg(target_arch = "x86_64")]
        {
            let has_avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vl");
            if is_x86_feature_detected!("avx2") {
                kernels.push(kernel("avx2", &avx2::FUNCTIONS));
            }
            if has_avx512 {
                kernels.push(kernel("avx512", &avx512::FUNCTIONS));
            }
            if has_avx512 && is_x86_feature_detected!("avx512vnni") {
                kernels.push(kernel("vnni", &avx512::VNNI_FUNCTIONS));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            kernels.push(kernel("neon", &neon::FUNCTIONS));
        }
        kernels
    }

    /// One that computes wrongly: it forgets the last neuron of the opponent.
    #[cfg(test)]
    pub(crate) fn faulty() -> Kernel {
        static FAULTY: Functions = Functions {
            forward: |own, other, weights| {
                let mut weights = *weights;
                weights[1][HIDDEN - 1] = 0;
                // SAFETY: runs everywhere.
                unsafe { (scalar::FUNCTIONS.forward)(own, other, &weights) }
            },
            ..scalar::FUNCTIONS
        };
        Kernel {
            name: "faulty",
            functions: &FAULTY,
        }
    }

    /// Its name, one of [`NAMES`](Kernel::NAMES).
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Writes into `to` what `from` becomes by these changes.
    #[inline(always)]
    pub(super) fn update(
        self,
        weights: &Weights,
        from: &Accumulator,
        to: &mut Accumulator,
        changes: &Changes,
        view: View,
    ) {
        // SAFETY: the function asks for nothing but the target features it was compiled with, and
        // `available`, the only maker of kernels, has seen this machine to have them.
        unsafe { (self.functions.update)(weights, from, to, changes, view) }
    }

    /// The output before its bias; see `forward.rs`.
    #[inline(always)]
    pub(super) fn forward(
        self,
        own: &Accumulator,
        other: &Accumulator,
        weights: &[[i16; HIDDEN]; 2],
    ) -> i32 {
        // SAFETY: as in `update`.
        unsafe { (self.functions.forward)(own, other, weights) }
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
    use crate::nnue::arch::OUTPUT_BUCKETS;
    use crate::nnue::format::Parameters;
    use crate::nnue::network::Network;

    fn network() -> Arc<Network> {
        let mut parameters = Parameters::zero(HIDDEN, OUTPUT_BUCKETS);
        for (i, weight) in parameters.feature_weights.iter_mut().enumerate() {
            *weight = (i * 31 % 101) as i16 - 40;
        }
        for (i, weight) in parameters.output_weights.iter_mut().enumerate() {
            *weight = (i * 17 % 31) as i16 - 15;
        }
        Arc::new(Network::from_parameters(&parameters).expect("small weights"))
    }

    #[test]
    fn self_check_passes_every_kernel_of_this_machine() {
        for kernel in Kernel::available() {
            assert_eq!(kernel.self_check(&network()), Ok(()));
        }
    }

    #[test]
    fn self_check_finds_kernels_that_compute_wrongly() {
        // Leaves one neuron as it was.
        static STALE: Functions = Functions {
            update: |weights, from, to, changes, view| {
                // SAFETY: runs everywhere.
                unsafe { (scalar::FUNCTIONS.update)(weights, from, to, changes, view) };
                to.0[HIDDEN / 2] = from.0[HIDDEN / 2];
            },
            ..scalar::FUNCTIONS
        };
        let stale = Kernel {
            name: "stale",
            functions: &STALE,
        };
        for kernel in [Kernel::faulty(), stale] {
            let mismatch = kernel.self_check(&network());
            let mismatch = mismatch.expect_err("a wrong kernel must be found");
            assert_eq!(mismatch.kernel, kernel.name());
            assert_ne!(mismatch.expected, mismatch.found);
        }
    }
}
