//! The weights in memory: of the sizes the program was built for, aligned for vectors.

use super::arch::{EMBEDDED, HIDDEN, INPUTS, OUTPUT_BUCKETS};
use super::format::{Parameters, checksum};

pub use super::format::NetworkError;

/// The weights of a network with the sizes of [`arch`](super::arch), aligned for vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Weights {
    /// One row per input.
    pub feature_weights: [[i16; HIDDEN]; INPUTS],
    /// What an accumulator starts from.
    pub feature_bias: [i16; HIDDEN],
    /// Per bucket: the row for the side to move, then the row for its opponent.
    pub output_weights: [[[i16; HIDDEN]; 2]; OUTPUT_BUCKETS],
    /// Per bucket, in units of QA · QB.
    pub output_bias: [i32; OUTPUT_BUCKETS],
}

/// A network ready to evaluate: read-only, shared by all threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    generation: u32,
    weights: Box<Weights>,
}

impl Network {
    /// The network that is part of the program, if it was built with one.
    pub fn embedded() -> Option<Network> {
        EMBEDDED.map(|file| Network::load(file).expect("the build script has checked the network"))
    }

    /// The file of the network that is part of the program.
    pub fn embedded_file() -> Option<&'static [u8]> {
        EMBEDDED
    }

    /// Reads a network file, which must have the sizes this program was built for.
    pub fn load(file: &[u8]) -> Result<Network, NetworkError> {
        Network::from_parameters(&Parameters::from_bytes(file)?)
    }

    /// The network with these weights, which must have the sizes this program was built for.
    pub fn from_parameters(parameters: &Parameters) -> Result<Network, NetworkError> {
        for (name, expected, found) in [
            ("the hidden layer", HIDDEN, parameters.hidden()),
            (
                "the number of output buckets",
                OUTPUT_BUCKETS,
                parameters.output_buckets(),
            ),
        ] {
            if expected != found {
                return Err(NetworkError::Field(
                    name,
                    expected.to_string(),
                    found as u64,
                ));
            }
        }
        let mut weights = Weights::boxed();
        for (row, values) in weights
            .feature_weights
            .iter_mut()
            .zip(parameters.feature_weights.chunks(HIDDEN))
        {
            row.copy_from_slice(values);
        }
        weights
            .feature_bias
            .copy_from_slice(&parameters.feature_bias);
        let rows = weights.output_weights.iter_mut().flatten();
        for (row, values) in rows.zip(parameters.output_weights.chunks(HIDDEN)) {
            row.copy_from_slice(values);
        }
        weights.output_bias.copy_from_slice(&parameters.output_bias);
        Ok(Network {
            generation: parameters.generation,
            weights,
        })
    }

    /// The weights in the order of a file.
    pub fn parameters(&self) -> Parameters {
        Parameters {
            generation: self.generation,
            feature_weights: self.weights.feature_weights.as_flattened().to_vec(),
            feature_bias: self.weights.feature_bias.to_vec(),
            output_weights: self
                .weights
                .output_weights
                .as_flattened()
                .as_flattened()
                .to_vec(),
            output_bias: self.weights.output_bias.to_vec(),
        }
    }

    /// The file for this network.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.parameters().to_bytes()
    }

    /// The checksum that its file declares; it tells networks apart.
    pub fn checksum(&self) -> u64 {
        checksum(&self.to_bytes())
    }

    /// The weights.
    #[inline]
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The generation of self-play the network learned from.
    pub fn generation(&self) -> u32 {
        self.generation
    }
}

impl Weights {
    /// All zero, made on the heap: the whole would not fit every stack.
    fn boxed() -> Box<Weights> {
        let mut weights = Box::<Weights>::new_uninit();
        // SAFETY: the box holds room for one `Weights`, which is written whole, with zeros; every
        // field is an array of integers, for which all bits zero are a value.
        unsafe {
            weights.as_mut_ptr().write_bytes(0, 1);
            weights.assume_init()
        }
    }
}
