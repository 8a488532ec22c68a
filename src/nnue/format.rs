//! The format of network files: a header of 64 bytes that says what the weights mean, then the
//! weights.
//!
//! | offset | bytes | field |
//! |---|---|---|
//! | 0 | 8 | magic `SAAVNNUE` |
//! | 8 | 4 | format version |
//! | 12 | 4 | hidden neurons per perspective |
//! | 16 | 4 | output buckets |
//! | 20 | 2 | QA, the unit of the hidden layer |
//! | 22 | 2 | QB, the unit of the output weights |
//! | 24 | 4 | evaluation scale, centipawns per unit of output |
//! | 28 | 4 | generation |
//! | 32 | 24 | architecture, ASCII, padded with zeros |
//! | 56 | 8 | FNV-1a of bytes 0–55 and of everything after the header |
//!
//! After the header, without gaps: feature weights `i16[768][hidden]`, feature bias `i16[hidden]`,
//! output weights `i16[buckets][2][hidden]` (side to move first), output bias `i32[buckets]`.
//! All numbers are little-endian. `build.rs` compiles this file too, so it depends on `std` alone.

use std::fmt;

/// The first bytes of every network file.
pub const MAGIC: [u8; 8] = *b"SAAVNNUE";
/// The version of the file format.
pub const FORMAT_VERSION: u32 = 1;
/// The architecture apart from its sizes: 768 inputs, mirrored horizontally by the own king,
/// one hidden layer per perspective, squared clipped ReLU, one output per bucket.
pub const ARCH_ID: &str = "768hm-2xH-screlu-1xB";
/// Inputs of one perspective: 2 sides, 6 kinds, 64 squares.
pub const INPUTS: usize = 768;
/// The hidden layer's unit: an accumulator value of `QA` is 1.0.
pub const QA: i32 = 255;
/// The output weights' unit: a weight of `QB` is 1.0.
pub const QB: i32 = 128;
/// Centipawns per unit of output.
pub const SCALE: i32 = 400;
/// Men on a board are at most 32, so that many inputs of a perspective are active.
pub const MAX_ACTIVE: usize = 32;
/// Bytes of the header.
pub const HEADER_LEN: usize = 64;
/// The hidden layer is a multiple of this, the widest vector of `i16` we use.
pub const HIDDEN_MULTIPLE: usize = 32;
/// The largest hidden layer a file may declare.
pub const MAX_HIDDEN: usize = 4096;
/// The largest number of output buckets a file may declare; the number is a power of two.
pub const MAX_OUTPUT_BUCKETS: usize = 16;

/// No feature weight or bias is larger: 32 rows and the bias then always fit an `i16`.
pub const MAX_FEATURE_WEIGHT: i16 = i16::MAX / (MAX_ACTIVE as i16 + 1);
/// No output weight is larger: its product with a clipped value (at most QA) then fits an `i16`.
pub const MAX_OUTPUT_WEIGHT: i16 = (i16::MAX as i32 / QA) as i16;
/// The largest sum of output weights' sizes with which QA² times it fits an `i32`.
pub const MAX_OUTPUT_SUM: i32 = i32::MAX / (QA * QA);
/// No output bias is larger (more than 6,000 pawns).
pub const MAX_OUTPUT_BIAS: u32 = 1 << 24;

/// What a network file says about itself. The fixed fields (QA, QB, scale, architecture) are
/// checked while reading and not kept: they equal the constants of this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Hidden neurons per perspective.
    pub hidden: usize,
    /// Output buckets, chosen by the number of men on the board.
    pub output_buckets: usize,
    /// Which generation of self-play the network learned from.
    pub generation: u32,
    /// Checksum of the whole file; [`Header::encode`] computes it anew.
    pub checksum: u64,
}

/// Why bytes are not a network this program can use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkError {
    /// The file does not begin with [`MAGIC`].
    Magic,
    /// The file ends early or goes on too long: (expected, found) in bytes.
    Length(usize, usize),
    /// An unknown version of the file format.
    Version(u32),
    /// Another architecture than [`ARCH_ID`].
    Architecture(String),
    /// A field with a value that does not fit: its name, what fits, what was found.
    Field(&'static str, String, u64),
    /// The checksum does not match: (declared, computed).
    Checksum(u64, u64),
    /// A weight so large that the integer arithmetic could overflow: which layer.
    Overflow(&'static str),
}

impl fmt::Display for NetworkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Magic => write!(
                f,
                "not a Saavedra network (the first bytes are not SAAVNNUE)"
            ),
            Self::Length(expected, found) => {
                write!(
                    f,
                    "the file has {found} bytes where its header asks for {expected}"
                )
            }
            Self::Version(found) => {
                write!(
                    f,
                    "format version {found} (this program reads {FORMAT_VERSION})"
                )
            }
            Self::Architecture(found) => {
                write!(
                    f,
                    "architecture \"{found}\" (this program has \"{ARCH_ID}\")"
                )
            }
            Self::Field(name, expected, found) => {
                write!(f, "{name} is {found} (this program needs {expected})")
            }
            Self::Checksum(declared, computed) => {
                write!(
                    f,
                    "damaged: checksum {computed:016x} where {declared:016x} is declared"
                )
            }
            Self::Overflow(layer) => write!(f, "weights of the {layer} are too large"),
        }
    }
}

impl std::error::Error for NetworkError {}

impl Header {
    /// Bytes of a whole file with these sizes.
    pub const fn file_len(&self) -> usize {
        let words = self.hidden * (INPUTS + 1 + 2 * self.output_buckets);
        HEADER_LEN + 2 * words + 4 * self.output_buckets
    }

    /// Reads and checks the header of a whole network file, its length and its checksum.
    pub fn decode(file: &[u8]) -> Result<Header, NetworkError> {
        if !file.starts_with(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        if file.len() < HEADER_LEN {
            return Err(NetworkError::Length(HEADER_LEN, file.len()));
        }
        let word = |at: usize| u32_at(file, at);
        let half = |at: usize| u32::from(file[at]) | u32::from(file[at + 1]) << 8;
        if word(8) != FORMAT_VERSION {
            return Err(NetworkError::Version(word(8)));
        }
        let name = file[32..56]
            .split(|&byte| byte == 0)
            .next()
            .unwrap_or_default();
        if name != ARCH_ID.as_bytes() {
            return Err(NetworkError::Architecture(
                String::from_utf8_lossy(name).into_owned(),
            ));
        }
        for (field, expected, found) in [
            ("QA", QA, half(20)),
            ("QB", QB, half(22)),
            ("the scale", SCALE, word(24)),
        ] {
            if found != expected as u32 {
                return Err(NetworkError::Field(
                    field,
                    expected.to_string(),
                    found.into(),
                ));
            }
        }
        let header = Header {
            hidden: word(12) as usize,
            output_buckets: word(16) as usize,
            generation: word(28),
            checksum: u64::from(word(56)) | u64::from(word(60)) << 32,
        };
        check_sizes(header.hidden, header.output_buckets)?;
        if file.len() != header.file_len() {
            return Err(NetworkError::Length(header.file_len(), file.len()));
        }
        let computed = checksum(file);
        if header.checksum != computed {
            return Err(NetworkError::Checksum(header.checksum, computed));
        }
        Ok(header)
    }

    /// The header's bytes in front of `payload`, with the checksum of both.
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

/// Whether the sizes are ones the evaluation can have at all.
pub fn check_sizes(hidden: usize, output_buckets: usize) -> Result<(), NetworkError> {
    if hidden == 0 || hidden > MAX_HIDDEN || !hidden.is_multiple_of(HIDDEN_MULTIPLE) {
        let fits = format!("a multiple of {HIDDEN_MULTIPLE} up to {MAX_HIDDEN}");
        return Err(NetworkError::Field("the hidden layer", fits, hidden as u64));
    }
    if !output_buckets.is_power_of_two() || output_buckets > MAX_OUTPUT_BUCKETS {
        let fits = format!("a power of two up to {MAX_OUTPUT_BUCKETS}");
        let found = output_buckets as u64;
        return Err(NetworkError::Field(
            "the number of output buckets",
            fits,
            found,
        ));
    }
    Ok(())
}

/// The weights of a network of any size, as a file holds them: what the trainer writes and the
/// reference evaluates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// The generation of self-play the network learned from.
    pub generation: u32,
    /// `[input][hidden]`
    pub feature_weights: Vec<i16>,
    /// `[hidden]`
    pub feature_bias: Vec<i16>,
    /// `[bucket][perspective][hidden]`, the side to move first
    pub output_weights: Vec<i16>,
    /// `[bucket]`
    pub output_bias: Vec<i32>,
}

impl Parameters {
    /// A network of this size with all weights zero.
    pub fn zero(hidden: usize, output_buckets: usize) -> Parameters {
        Parameters {
            generation: 0,
            feature_weights: vec![0; INPUTS * hidden],
            feature_bias: vec![0; hidden],
            output_weights: vec![0; output_buckets * 2 * hidden],
            output_bias: vec![0; output_buckets],
        }
    }

    /// Hidden neurons per perspective.
    pub fn hidden(&self) -> usize {
        self.feature_bias.len()
    }

    /// Number of output buckets.
    pub fn output_buckets(&self) -> usize {
        self.output_bias.len()
    }

    /// Reads a whole network file of any size.
    pub fn from_bytes(file: &[u8]) -> Result<Parameters, NetworkError> {
        let header = Header::decode(file)?;
        let hidden = header.hidden;
        let (feature_weights, rest) = words(&file[HEADER_LEN..], INPUTS * hidden);
        let (feature_bias, rest) = words(rest, hidden);
        let (output_weights, rest) = words(rest, header.output_buckets * 2 * hidden);
        let (output_bias, _) = rest.as_chunks();
        let parameters = Parameters {
            generation: header.generation,
            feature_weights,
            feature_bias,
            output_weights,
            output_bias: output_bias
                .iter()
                .map(|&bytes| i32::from_le_bytes(bytes))
                .collect(),
        };
        parameters.check()?;
        Ok(parameters)
    }

    /// The file for these weights.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = Header {
            hidden: self.hidden(),
            output_buckets: self.output_buckets(),
            generation: self.generation,
            checksum: 0,
        };
        let mut payload = Vec::with_capacity(header.file_len() - HEADER_LEN);
        for words in [
            &self.feature_weights,
            &self.feature_bias,
            &self.output_weights,
        ] {
            payload.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        }
        payload.extend(self.output_bias.iter().flat_map(|word| word.to_le_bytes()));
        header.encode(&payload)
    }

    /// Whether no position can overflow the integers of the evaluation.
    pub fn check(&self) -> Result<(), NetworkError> {
        let within = |words: &[i16], limit: i16| {
            words
                .iter()
                .all(|&word| word.unsigned_abs() <= limit.unsigned_abs())
        };
        if !within(&self.feature_weights, MAX_FEATURE_WEIGHT)
            || !within(&self.feature_bias, MAX_FEATURE_WEIGHT)
        {
            return Err(NetworkError::Overflow("hidden layer"));
        }
        let sums_fit = self
            .output_weights
            .chunks(2 * self.hidden())
            .all(|weights| {
                let sum: i32 = weights.iter().map(|&weight| i32::from(weight).abs()).sum();
                sum <= MAX_OUTPUT_SUM
            });
        let bias_fits = self
            .output_bias
            .iter()
            .all(|bias| bias.unsigned_abs() <= MAX_OUTPUT_BIAS);
        if !within(&self.output_weights, MAX_OUTPUT_WEIGHT) || !sums_fit || !bias_fits {
            return Err(NetworkError::Overflow("output layer"));
        }
        Ok(())
    }
}

/// The checksum a file should declare: FNV-1a with 64 bits over all but the checksum itself.
pub(super) fn checksum(file: &[u8]) -> u64 {
    let bytes = file[..56].iter().chain(&file[HEADER_LEN..]);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn u32_at(file: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([file[at], file[at + 1], file[at + 2], file[at + 3]])
}

/// The first `count` little-endian words of `bytes`, and what follows them.
fn words(bytes: &[u8], count: usize) -> (Vec<i16>, &[u8]) {
    let (head, rest) = bytes.split_at(2 * count);
    let (pairs, _) = head.as_chunks();
    (
        pairs.iter().map(|&pair| i16::from_le_bytes(pair)).collect(),
        rest,
    )
}
