//! The network file format: a header of 64 bytes, then the weights.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 8 | magic `SAAVNNUE` |
//! | 8 | 4 | format version |
//! | 12 | 4 | hidden layer size: neurons per perspective |
//! | 16 | 4 | output buckets |
//! | 20 | 2 | QA, the quantisation factor of the feature transformer |
//! | 22 | 2 | QB, the quantisation factor of the output weights |
//! | 24 | 4 | evaluation scale: centipawns of an output of 1.0 |
//! | 28 | 4 | generation |
//! | 32 | 24 | architecture, ASCII, zero-padded |
//! | 56 | 8 | checksum: FNV-1a (64 bits) of bytes 0–55 and of everything after the header |
//!
//! After the header, without padding: feature weights `i8[768][hidden]`, feature bias
//! `i16[hidden]`, output weights `i16[buckets][2][hidden]` (side to move first), output bias
//! `i32[buckets]`. All integers are little-endian. Version 1 had feature weights of 16 bits.
//! `build.rs` compiles this file too, so it uses `std` alone.

use std::fmt;
use std::ops::Neg;

/// The first bytes of every network file.
pub const MAGIC: [u8; 8] = *b"SAAVNNUE";
/// The version of the file format that is read and written.
pub const FORMAT_VERSION: u32 = 2;
/// The architecture without its sizes: 768 features, horizontally mirrored by the own king, one
/// hidden layer per perspective, squared clipped ReLU, one output per bucket.
pub const ARCH_ID: &str = "768hm-2xH-screlu-1xB";
/// Input features of one perspective: 2 colours, 6 piece kinds, 64 squares.
pub const INPUTS: usize = 768;
/// The feature transformer's quantisation factor: an accumulator value of `QA` is 1.0.
pub const QA: i32 = 255;
/// The output weights' quantisation factor: a weight of `QB` is 1.0.
pub const QB: i32 = 128;
/// The evaluation scale: centipawns of an output of 1.0.
pub const SCALE: i32 = 400;
/// Maximum number of active features of a perspective: one for each piece.
pub const MAX_ACTIVE_FEATURES: usize = 32;
/// The length of the header in bytes.
pub const HEADER_LEN: usize = 64;
/// The hidden layer size is a multiple of this: the lanes of the widest vector of `i16`.
pub const HIDDEN_MULTIPLE: usize = 32;
/// Maximum hidden layer size.
pub const MAX_HIDDEN: usize = 4096;
/// Maximum number of output buckets; the number is a power of two.
pub const MAX_OUTPUT_BUCKETS: usize = 16;

/// Maximum absolute value of feature weights.
pub const MAX_FEATURE_WEIGHT: i8 = i8::MAX;
/// Maximum absolute value of feature biases: the bias plus 32 rows then fit an `i16`.
pub const MAX_FEATURE_BIAS: i16 = i16::MAX - MAX_ACTIVE_FEATURES as i16 * MAX_FEATURE_WEIGHT as i16;
/// Maximum absolute value of output weights: the product with a clamped value (at most QA) then
/// fits an `i16`.
pub const MAX_OUTPUT_WEIGHT: i16 = (i16::MAX as i32 / QA) as i16;
/// Maximum sum of the positive output weights of a bucket, and of the negative ones: QA² times it
/// fits an `i32`. Squared activations are never negative, so all sums, in any order, lie between
/// the two.
pub const MAX_OUTPUT_SUM: i32 = i32::MAX / (QA * QA);
/// Maximum absolute value of output biases (about 2,000 pawns).
pub const MAX_OUTPUT_BIAS: i32 = 1 << 24;

/// The header of a network file. The fixed fields (QA, QB, scale, architecture) are validated while
/// reading and not kept: they equal the constants of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Hidden layer size: neurons per perspective.
    pub hidden: usize,
    /// Number of output buckets, selected by piece count.
    pub output_buckets: usize,
    /// The generation of the network.
    pub generation: u32,
    /// The declared checksum; [`Header::encode`] ignores it and computes it.
    pub checksum: u64,
}

/// Why bytes are no valid network file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The file does not start with [`MAGIC`].
    Magic,
    /// The file is truncated or too long: (expected, found) in bytes.
    Length(usize, usize),
    /// An unsupported version of the file format.
    Version(u32),
    /// Another architecture than [`ARCH_ID`].
    Architecture(String),
    /// A header field with an unsupported value: its name, the supported values, the value found.
    Field(&'static str, String, u64),
    /// The checksum does not match: (declared, computed).
    Checksum(u64, u64),
    /// A layer whose weights could overflow the integer arithmetic.
    Overflow(&'static str),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => write!(f, "not a Saavedra network (it does not start with SAAVNNUE)"),
            Self::Length(expected, found) => {
                write!(f, "the file has {found} bytes, its header declares {expected}")
            }
            Self::Version(found) => {
                write!(f, "format version {found} (supported: {FORMAT_VERSION})")
            }
            Self::Architecture(found) => {
                write!(f, "architecture \"{found}\" (supported: \"{ARCH_ID}\")")
            }
            Self::Field(name, expected, found) => {
                write!(f, "{name} is {found} (supported: {expected})")
            }
            Self::Checksum(declared, computed) => {
                write!(f, "corrupt: checksum {computed:016x}, declared {declared:016x}")
            }
            Self::Overflow(layer) => {
                write!(f, "weights of the {layer} are too large: they could overflow")
            }
        }
    }
}

impl std::error::Error for NetworkError {}

impl Header {
    /// The length in bytes of a file with these sizes.
    pub const fn file_len(&self) -> usize {
        let weights = self.hidden * (1 + 2 * self.output_buckets);
        HEADER_LEN + INPUTS * self.hidden + 2 * weights + 4 * self.output_buckets
    }

    /// Reads the header of a network file and validates it, the file's length and its checksum.
    pub fn decode(file: &[u8]) -> Result<Header, NetworkError> {
        if !file.starts_with(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        if file.len() < HEADER_LEN {
            return Err(NetworkError::Length(HEADER_LEN, file.len()));
        }
        let u32_at = |at: usize| u32_at(file, at);
        let u16_at = |at: usize| u32::from(file[at]) | u32::from(file[at + 1]) << 8;
        if u32_at(8) != FORMAT_VERSION {
            return Err(NetworkError::Version(u32_at(8)));
        }
        let name = file[32..56].split(|&byte| byte == 0).next().unwrap_or_default();
        if name != ARCH_ID.as_bytes() {
            return Err(NetworkError::Architecture(String::from_utf8_lossy(name).into_owned()));
        }
        for (field, expected, found) in
            [("QA", QA, u16_at(20)), ("QB", QB, u16_at(22)), ("scale", SCALE, u32_at(24))]
        {
            if found != expected as u32 {
                return Err(NetworkError::Field(field, expected.to_string(), found.into()));
            }
        }
        let header = Header {
            hidden: u32_at(12) as usize,
            output_buckets: u32_at(16) as usize,
            generation: u32_at(28),
            checksum: u64::from(u32_at(56)) | u64::from(u32_at(60)) << 32,
        };
        check_sizes(header.hidden, header.output_buckets)?;
        if file.len() != header.file_len() {
            return Err(NetworkError::Length(header.file_len(), file.len()));
        }
        let computed = checksum(file);
        // A fuzzer hardly finds a checksum.
        if !cfg!(fuzzing) && header.checksum != computed {
            return Err(NetworkError::Checksum(header.checksum, computed));
        }
        Ok(header)
    }

    /// The file with this header, the checksum computed, and these weights.
    pub fn encode(&self, payload: &[u8]) -> Vec<u8> {
        let mut file = Vec::with_capacity(HEADER_LEN + payload.len());
        file.extend(MAGIC);
        file.extend(FORMAT_VERSION.to_le_bytes());
        file.extend((self.hidden as u32).to_le_bytes());
        file.extend((self.output_buckets as u32).to_le_bytes());
        file.extend((QA as u16).to_le_bytes());
        file.extend((QB as u16).to_le_bytes());
        file.extend((SCALE as u32).to_le_bytes());
        file.extend(self.generation.to_le_bytes());
        file.extend(ARCH_ID.as_bytes());
        file.resize(HEADER_LEN, 0);
        file.extend(payload);
        let sum = checksum(&file);
        file[56..HEADER_LEN].copy_from_slice(&sum.to_le_bytes());
        file
    }
}

/// Checks that a network may have these sizes.
pub fn check_sizes(hidden: usize, output_buckets: usize) -> Result<(), NetworkError> {
    if hidden == 0 || hidden > MAX_HIDDEN || !hidden.is_multiple_of(HIDDEN_MULTIPLE) {
        let supported = format!("a multiple of {HIDDEN_MULTIPLE} up to {MAX_HIDDEN}");
        return Err(NetworkError::Field("hidden layer size", supported, hidden as u64));
    }
    if !output_buckets.is_power_of_two() || output_buckets > MAX_OUTPUT_BUCKETS {
        let supported = format!("a power of two up to {MAX_OUTPUT_BUCKETS}");
        let found = output_buckets as u64;
        return Err(NetworkError::Field("number of output buckets", supported, found));
    }
    Ok(())
}

/// The quantised weights of a network of any size, in file order: what the trainer writes and
/// [`mod@super::reference`] evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The generation of the network.
    pub generation: u32,
    /// `[feature][hidden]`
    pub feature_weights: Vec<i8>,
    /// `[hidden]`
    pub feature_bias: Vec<i16>,
    /// `[bucket][perspective][hidden]`, the side to move first
    pub output_weights: Vec<i16>,
    /// `[bucket]`
    pub output_bias: Vec<i32>,
}

impl Parameters {
    /// A network of these sizes with all weights zero.
    pub fn zero(hidden: usize, output_buckets: usize) -> Parameters {
        Parameters {
            generation: 0,
            feature_weights: vec![0; INPUTS * hidden],
            feature_bias: vec![0; hidden],
            output_weights: vec![0; output_buckets * 2 * hidden],
            output_bias: vec![0; output_buckets],
        }
    }

    /// Hidden layer size: neurons per perspective.
    pub fn hidden(&self) -> usize {
        self.feature_bias.len()
    }

    /// Number of output buckets.
    pub fn output_buckets(&self) -> usize {
        self.output_bias.len()
    }

    /// Reads and validates a network file of any size.
    pub fn from_bytes(file: &[u8]) -> Result<Parameters, NetworkError> {
        let header = Header::decode(file)?;
        let hidden = header.hidden;
        let (feature_weights, rest) = file[HEADER_LEN..].split_at(INPUTS * hidden);
        let (feature_bias, rest) = i16s(rest, hidden);
        let (output_weights, rest) = i16s(rest, header.output_buckets * 2 * hidden);
        let (output_bias, _) = rest.as_chunks();
        let parameters = Parameters {
            generation: header.generation,
            feature_weights: feature_weights.iter().map(|&byte| byte as i8).collect(),
            feature_bias,
            output_weights,
            output_bias: output_bias.iter().map(|&bytes| i32::from_le_bytes(bytes)).collect(),
        };
        parameters.check()?;
        Ok(parameters)
    }

    /// The network as a file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            hidden: self.hidden(),
            output_buckets: self.output_buckets(),
            generation: self.generation,
            checksum: 0,
        };
        let mut payload = Vec::with_capacity(header.file_len() - HEADER_LEN);
        payload.extend(self.feature_weights.iter().map(|&weight| weight as u8));
        for weights in [&self.feature_bias, &self.output_weights] {
            payload.extend(weights.iter().flat_map(|weight| weight.to_le_bytes()));
        }
        payload.extend(self.output_bias.iter().flat_map(|bias| bias.to_le_bytes()));
        header.encode(&payload)
    }

    /// The maximum sum of the output weights of one sign, over the buckets.
    pub fn max_output_sum(&self) -> i32 {
        let sum_of_sign = |weights: &[i16], sign: i32| -> i32 {
            let signed = weights.iter().map(|&weight| sign * i32::from(weight));
            signed.filter(|&weight| weight > 0).sum()
        };
        let buckets = self.output_weights.chunks(2 * self.hidden());
        let sums = buckets.flat_map(|weights| [1, -1].map(|sign| sum_of_sign(weights, sign)));
        sums.max().unwrap_or(0)
    }

    /// Checks that no position can overflow the integers of the evaluation.
    pub fn check(&self) -> Result<(), NetworkError> {
        if !within(&self.feature_weights, MAX_FEATURE_WEIGHT)
            || !within(&self.feature_bias, MAX_FEATURE_BIAS)
        {
            return Err(NetworkError::Overflow("feature transformer"));
        }
        if !within(&self.output_weights, MAX_OUTPUT_WEIGHT)
            || !within(&self.output_bias, MAX_OUTPUT_BIAS)
            || self.max_output_sum() > MAX_OUTPUT_SUM
        {
            return Err(NetworkError::Overflow("output layer"));
        }
        Ok(())
    }
}

/// Whether no weight is larger in absolute value.
fn within<T: Copy + PartialOrd + Neg<Output = T>>(weights: &[T], max: T) -> bool {
    weights.iter().all(|weight| (-max..=max).contains(weight))
}

/// The checksum of a file: FNV-1a (64 bits) over all but the checksum field.
pub(super) fn checksum(file: &[u8]) -> u64 {
    let bytes = file[..56].iter().chain(&file[HEADER_LEN..]);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]])
}

/// The first `count` little-endian `i16` of `bytes`, and the remaining bytes.
fn i16s(bytes: &[u8], count: usize) -> (Vec<i16>, &[u8]) {
    let (head, rest) = bytes.split_at(2 * count);
    let (pairs, _) = head.as_chunks();
    (pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect(), rest)
}
