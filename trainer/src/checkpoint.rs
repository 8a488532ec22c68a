//! The training state, and checkpoint files.

use std::fmt;
use std::path::Path;
use std::{fs, io};

use crate::file;
use crate::model::{Model, Shape};
use saavedra::chess::splitmix64;

const MAGIC: &[u8; 8] = b"SAAVTRN1";
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

/// Why a checkpoint cannot be loaded.
#[derive(Debug)]
pub enum CheckpointError {
    /// The file cannot be read.
    Io(io::Error),
    /// The file is no checkpoint, or a corrupt one.
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
        let mut bytes = MAGIC.to_vec();
        bytes.extend(run.to_le_bytes());
        bytes.extend(self.step.to_le_bytes());
        bytes.extend((self.model.shape.hidden as u64).to_le_bytes());
        bytes.extend((self.model.shape.buckets as u64).to_le_bytes());
        for values in [&self.model.values, &self.first_moments, &self.second_moments] {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        file::write(path, &bytes)
    }

    /// Reads a checkpoint of the run that `run` identifies.
    pub fn load(path: &Path, run: u64, shape: Shape) -> Result<TrainingState, CheckpointError> {
        let bytes = fs::read(path).map_err(CheckpointError::Io)?;
        let (content, sum) = bytes.split_last_chunk().ok_or(CheckpointError::Corrupt)?;
        if !content.starts_with(MAGIC)
            || content.len() < HEADER_LEN
            || checksum(content) != u64::from_le_bytes(*sum)
        {
            return Err(CheckpointError::Corrupt);
        }
        let (words, _) = content[8..HEADER_LEN].as_chunks();
        let expected = [run, shape.hidden as u64, shape.buckets as u64];
        let [found, step, hidden, buckets] = [0, 1, 2, 3].map(|i| u64::from_le_bytes(words[i]));
        if [found, hidden, buckets] != expected {
            return Err(CheckpointError::OtherRun);
        }
        let (floats, rest) = content[HEADER_LEN..].as_chunks();
        if floats.len() != 3 * shape.len() || !rest.is_empty() {
            return Err(CheckpointError::Corrupt);
        }
        let floats: Vec<f32> = floats.iter().map(|&float| f32::from_le_bytes(float)).collect();
        let (values, moments) = floats.split_at(shape.len());
        let (first_moments, second_moments) = moments.split_at(shape.len());
        let model = Model { shape, values: values.to_vec() };
        Ok(TrainingState {
            model,
            first_moments: first_moments.to_vec(),
            second_moments: second_moments.to_vec(),
            step,
        })
    }
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
}
