//! The weights in memory, in arrays of the sizes the program was built for.

#![allow(unsafe_code)]

use super::arch::{EMBEDDED, HIDDEN, INPUTS, OUTPUT_BUCKETS};
use super::format::{Parameters, checksum};
use crate::memory::{LargePages, Zeroable};

pub use super::format::NetworkError;

/// The weights of a network with the sizes of [`arch`](super::arch), aligned to cache lines.
#[derive(Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Weights {
    /// The feature transformer's weights, one row per feature.
    pub feature_weights: [[i8; HIDDEN]; INPUTS],
    /// The feature transformer's bias: the accumulator of an empty board.
    pub feature_bias: [i16; HIDDEN],
    /// Per bucket: the weights of the side to move's accumulator, then the opponent's.
    pub output_weights: [[[i16; HIDDEN]; 2]; OUTPUT_BUCKETS],
    /// Per bucket, in units of 1/(QA · QB).
    pub output_bias: [i32; OUTPUT_BUCKETS],
}

// SAFETY: all fields are arrays of integers.
unsafe impl Zeroable for Weights {}

/// A network for inference: immutable, shared by all threads.
#[derive(Debug, PartialEq, Eq)]
pub struct Network {
    generation: u32,
    weights: LargePages<Weights>,
}

impl Network {
    /// The embedded network, if the program was built with one.
    pub fn embedded() -> Option<Network> {
        EMBEDDED.map(|file| Network::load(file).expect("the build script validated the network"))
    }

    /// The file of the embedded network.
    pub fn embedded_file() -> Option<&'static [u8]> {
        EMBEDDED
    }

    /// Reads a network file.
    ///
    /// # Errors
    /// The file is no valid network, or has other sizes than the program was built for.
    pub fn load(file: &[u8]) -> Result<Network, NetworkError> {
        Network::from_parameters(&Parameters::from_bytes(file)?)
    }

    /// The network with these weights.
    ///
    /// # Errors
    /// They have other sizes than the program was built for.
    pub fn from_parameters(parameters: &Parameters) -> Result<Network, NetworkError> {
        for (name, expected, found) in [
            ("hidden layer size", HIDDEN, parameters.hidden()),
            ("number of output buckets", OUTPUT_BUCKETS, parameters.output_buckets()),
        ] {
            if expected != found {
                return Err(NetworkError::Field(name, expected.to_string(), found as u64));
            }
        }
        let mut weights = LargePages::<Weights>::zeroed();
        for (row, values) in
            weights.feature_weights.iter_mut().zip(parameters.feature_weights.chunks(HIDDEN))
        {
            row.copy_from_slice(values);
        }
        weights.feature_bias.copy_from_slice(&parameters.feature_bias);
        let rows = weights.output_weights.iter_mut().flatten();
        for (row, values) in rows.zip(parameters.output_weights.chunks(HIDDEN)) {
            row.copy_from_slice(values);
        }
        weights.output_bias.copy_from_slice(&parameters.output_bias);
        Ok(Network { generation: parameters.generation, weights })
    }

    /// The weights in file order.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            generation: self.generation,
            feature_weights: self.weights.feature_weights.as_flattened().to_vec(),
            feature_bias: self.weights.feature_bias.to_vec(),
            output_weights: self.weights.output_weights.as_flattened().as_flattened().to_vec(),
            output_bias: self.weights.output_bias.to_vec(),
        }
    }

    /// The network as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.parameters().to_bytes()
    }

    /// The checksum of its file, which identifies the network.
    pub fn checksum(&self) -> u64 {
        checksum(&self.to_bytes())
    }

    /// The weights.
    #[inline]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The generation of the network.
    pub fn generation(&self) -> u32 {
        self.generation
    }
}
