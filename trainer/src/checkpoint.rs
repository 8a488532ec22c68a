//! The training state, and the files that a training goes on from: checkpoints and weights files.
//!
//! Both have a magic, four words, floats and a checksum, all little-endian. A checkpoint continues
//! one run; a weights file continues a line of runs on other games.

use std::fmt;
use std::path::Path;
use std::{fs, io};

use crate::file;
use crate::model::{Model, Shape};
use saavedra::chess::splitmix64;

const CHECKPOINT_MAGIC: &[u8; 8] = b"SAAVTRN1";
const WEIGHTS_MAGIC: &[u8; 8] = b"SAAVWGT1";
const HEADER_LEN: usize = 40;

/// The state of a training run after some steps.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingState {
    /// The network.
    pub model: Model,
    /// The optimizer's first moments: running means of the gradients.
    pub first_moments: Vec<f32>,
    /// The optimizer's second moments: running means of the squared gradients.
    pub second_moments: Vec<f32>,
    /// The number of completed steps.
    pub step: u64,
}

/// Why a checkpoint or a weights file cannot be loaded.
#[derive(Debug)]
pub enum CheckpointError {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is no such file, or a corrupt one.
    Corrupt,
    /// The checkpoint belongs to a run with other settings or data.
    OtherRun,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::Io(error) => error.fmt(f),
            CheckpointError::Corrupt => f.write_str("not a checkpoint, or corrupt"),
            CheckpointError::OtherRun => {
                f.write_str("the checkpoint belongs to a run with other settings or other data")
            }
        }
    }
}

impl std::error::Error for CheckpointError {}

impl TrainingState {
    /// The state before the first step, with these weights.
    pub fn new(model: Model) -> TrainingState {
        let zero = vec![0.0; model.values.len()];
        TrainingState { first_moments: zero.clone(), second_moments: zero, model, step: 0 }
    }

    /// Writes a checkpoint, so that `path` is always complete. `run` identifies settings and data.
    pub fn save(&self, path: &Path, run: u64) -> io::Result<()> {
        let Shape { hidden, buckets } = self.model.shape;
        let words = [run, self.step, hidden as u64, buckets as u64];
        let floats = [&self.model.values, &self.first_moments, &self.second_moments];
        file::write(path, &encode(CHECKPOINT_MAGIC, words, &floats))
    }

    /// Reads a checkpoint of the run that `run` identifies.
    pub fn load(path: &Path, run: u64, shape: Shape) -> Result<TrainingState, CheckpointError> {
        let bytes = fs::read(path).map_err(CheckpointError::Io)?;
        let ([found, step, hidden, buckets], floats) = decode(CHECKPOINT_MAGIC, &bytes)?;
        if [found, hidden, buckets] != [run, shape.hidden as u64, shape.buckets as u64] {
            return Err(CheckpointError::OtherRun);
        }
        let parts: Vec<&[f32]> = floats.chunks(shape.len()).collect();
        let [values, first_moments, second_moments] = parts[..] else {
            return Err(CheckpointError::Corrupt);
        };
        if second_moments.len() != shape.len() {
            return Err(CheckpointError::Corrupt);
        }
        Ok(TrainingState {
            model: Model { shape, values: values.to_vec() },
            first_moments: first_moments.to_vec(),
            second_moments: second_moments.to_vec(),
            step,
        })
    }
}

/// The weights of a network in training, as 32-bit floats: a network file has them rounded.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightsFile {
    /// The network.
    pub model: Model,
    /// The distinct positions with a score in the games of all runs of its line.
    pub scored: u64,
    /// The distinct positions that the runs of its line were trained on.
    pub trained: u64,
}

impl WeightsFile {
    /// Whether these bytes begin like a weights file.
    pub fn is_one(bytes: &[u8]) -> bool {
        bytes.starts_with(WEIGHTS_MAGIC)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let Shape { hidden, buckets } = self.model.shape;
        let sizes = (hidden as u64) << 32 | buckets as u64;
        encode(WEIGHTS_MAGIC, [sizes, self.scored, self.trained, 0], &[&self.model.values])
    }

    /// Reads the bytes of a file.
    pub fn from_bytes(bytes: &[u8]) -> Result<WeightsFile, CheckpointError> {
        let ([sizes, scored, trained, _], values) = decode(WEIGHTS_MAGIC, bytes)?;
        let shape = Shape { hidden: (sizes >> 32) as usize, buckets: sizes as u32 as usize };
        if shape.hidden == 0 || shape.buckets > values.len() || shape.len() != values.len() {
            return Err(CheckpointError::Corrupt);
        }
        Ok(WeightsFile { model: Model { shape, values }, scored, trained })
    }
}

fn encode(magic: &[u8; 8], words: [u64; 4], floats: &[&Vec<f32>]) -> Vec<u8> {
    let mut bytes = magic.to_vec();
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(floats.iter().copied().flatten().flat_map(|value| value.to_le_bytes()));
    bytes.extend(checksum(&bytes).to_le_bytes());
    bytes
}

/// The words and floats of a file.
fn decode(magic: &[u8; 8], bytes: &[u8]) -> Result<([u64; 4], Vec<f32>), CheckpointError> {
    let (content, sum) = bytes.split_last_chunk().ok_or(CheckpointError::Corrupt)?;
    if !content.starts_with(magic)
        || content.len() < HEADER_LEN
        || checksum(content) != u64::from_le_bytes(*sum)
    {
        return Err(CheckpointError::Corrupt);
    }
    let (words, _) = content[8..HEADER_LEN].as_chunks();
    let (floats, rest) = content[HEADER_LEN..].as_chunks();
    if !rest.is_empty() {
        return Err(CheckpointError::Corrupt);
    }
    let words = [0, 1, 2, 3].map(|index| u64::from_le_bytes(words[index]));
    Ok((words, floats.iter().map(|&float| f32::from_le_bytes(float)).collect()))
}

/// A checksum to detect corrupt and truncated files.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|&word| u64::from_le_bytes(word));
    let rest = rest.iter().map(|&byte| u64::from(byte));
    words.chain(rest).fold(bytes.len() as u64, |sum, word| splitmix64(sum ^ word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_round_trip_and_corruption_is_detected() {
        let shape = Shape { hidden: 32, buckets: 2 };
        let mut state = TrainingState::new(Model::random(shape, 3));
        state.step = 17;
        state.first_moments[5] = 0.25;
        let path = std::env::temp_dir().join(format!("saavedra-state-{}", std::process::id()));
        state.save(&path, 99).expect("saved");
        assert_eq!(TrainingState::load(&path, 99, shape).expect("loaded"), state);
        assert!(matches!(TrainingState::load(&path, 98, shape), Err(CheckpointError::OtherRun)));
        let wider = Shape { hidden: 64, ..shape };
        assert!(matches!(TrainingState::load(&path, 99, wider), Err(CheckpointError::OtherRun)));
        let mut bytes = fs::read(&path).expect("read");
        bytes[5000] ^= 1;
        fs::write(&path, &bytes).expect("written");
        assert!(matches!(TrainingState::load(&path, 99, shape), Err(CheckpointError::Corrupt)));
        fs::write(&path, &bytes[..100]).expect("written");
        assert!(matches!(TrainingState::load(&path, 99, shape), Err(CheckpointError::Corrupt)));
        fs::remove_file(&path).expect("removed");
    }

    #[test]
    fn weights_files_round_trip_and_corruption_is_detected() {
        let shape = Shape { hidden: 32, buckets: 2 };
        let weights = WeightsFile { model: Model::random(shape, 3), scored: 5, trained: 3 };
        let mut bytes = weights.to_bytes();
        assert!(WeightsFile::is_one(&bytes));
        assert_eq!(WeightsFile::from_bytes(&bytes).expect("read"), weights);
        assert!(WeightsFile::from_bytes(&bytes[..100]).is_err());
        bytes[5000] ^= 1;
        assert!(WeightsFile::from_bytes(&bytes).is_err());
        let sizes = encode(WEIGHTS_MAGIC, [u64::MAX, 0, 0, 0], &[&vec![0.0; 9]]);
        assert!(WeightsFile::from_bytes(&sizes).is_err());
    }
}
