//! Which instructions the evaluation is computed with: chosen once, while the program runs.
//!
//! The work is written once, as plain loops over `i16` in `accumulator.rs` and `forward.rs`. Each
//! file here compiles those loops for one instruction set, where the compiler turns them into
//! vectors. All kernels give equal results, because integers that do not overflow have one sum in
//! whatever order.
//!
//! The only `unsafe` is the call of code that was compiled for instructions beyond the build's own:
//! sound because a [`Kernel`] exists only if the machine has been seen to have them.

mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod vnni;

use std::fmt;

use super::accumulator::{Accumulator, Inputs};
use super::arch::HIDDEN;
use super::network::Weights;

type Update = unsafe fn(&Weights, &Accumulator, &mut Accumulator, &Inputs);
type Forward = unsafe fn(&Accumulator, &Accumulator, &[[i16; HIDDEN]; 2]) -> i32;

/// The two functions of the evaluation for one instruction set. `#[target_feature]` makes them
/// `unsafe` to call wherever those features are not known to be there.
struct Functions {
    update: Update,
    forward: Forward,
}

/// Compiles the functions with these target features.
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_macros))]
macro_rules! functions {
    ($features:literal) => {
        use crate::nnue::accumulator::{self, Accumulator, Inputs};
        use crate::nnue::arch::HIDDEN;
        use crate::nnue::forward;
        use crate::nnue::network::Weights;

        pub(super) static FUNCTIONS: super::Functions = super::Functions {
            update,
            forward: output,
        };

        #[target_feature(enable = $features)]
        fn update(weights: &Weights, from: &Accumulator, to: &mut Accumulator, inputs: &Inputs) {
            accumulator::update(weights, from, to, inputs);
        }

        #[target_feature(enable = $features)]
        fn output(own: &Accumulator, other: &Accumulator, weights: &[[i16; HIDDEN]; 2]) -> i32 {
            forward::forward(own, other, weights)
        }
    };
}
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_imports))]
use functions;

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
                kernels.push(kernel("vnni", &vnni::FUNCTIONS));
            }
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("neon") {
            kernels.push(kernel("neon", &neon::FUNCTIONS));
        }
        kernels
    }

    /// Its name, one of [`NAMES`](Kernel::NAMES).
    pub fn name(self) -> &'static str {
        self.name
    }

    /// Writes into `to` what `from` becomes when these inputs change.
    #[inline(always)]
    pub(super) fn update(
        self,
        weights: &Weights,
        from: &Accumulator,
        to: &mut Accumulator,
        inputs: &Inputs,
    ) {
        // SAFETY: the function asks for nothing but the target features it was compiled with, and
        // `available`, the only maker of kernels, has seen this machine to have them.
        unsafe { (self.functions.update)(weights, from, to, inputs) }
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
    use crate::nnue::{accumulator, forward};

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
        // Forgets the last neuron of the opponent.
        static SHORT: Functions = Functions {
            update: |weights, from, to, inputs| accumulator::update(weights, from, to, inputs),
            forward: |own, other, weights| {
                let mut weights = *weights;
                weights[1][HIDDEN - 1] = 0;
                forward::forward(own, other, &weights)
            },
        };
        // Leaves one neuron as it was.
        static STALE: Functions = Functions {
            update: |weights, from, to, inputs| {
                accumulator::update(weights, from, to, inputs);
                to.0[HIDDEN / 2] = from.0[HIDDEN / 2];
            },
            forward: scalar::FUNCTIONS.forward,
        };
        for (name, functions) in [("short", &SHORT), ("stale", &STALE)] {
            let mismatch = Kernel { name, functions }.self_check(&network());
            let mismatch = mismatch.expect_err("a wrong kernel must be found");
            assert_eq!(mismatch.kernel, name);
            assert_ne!(mismatch.expected, mismatch.found);
        }
    }
}
