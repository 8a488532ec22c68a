//! All that a training run has to remember, and its file.

use std::fmt;
use std::path::Path;
use std::{fs, io};

use crate::model::{Model, Shape};
use crate::order::mix;

const MAGIC: &[u8; 8] = b"SAAVTRN1";
const HEADER: usize = 40;

/// A run after some number of steps.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The network so far.
    pub model: Model,
    /// The optimizer's running means of gradients.
    pub first: Vec<f32>,
    /// The optimizer's running means of squared gradients.
    pub second: Vec<f32>,
    /// Steps done.
    pub step: u64,
}

/// Why a checkpoint cannot be used.
#[derive(Debug)]
pub enum CheckpointError {
    /// It cannot be read or written.
    Io(io::Error),
    /// It is no checkpoint, or a damaged one.
    Damaged,
    /// It belongs to a run with other settings or data.
    OtherRun,
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CheckpointError::Io(error) => error.fmt(f),
            CheckpointError::Damaged => f.write_str("not a whole checkpoint"),
            CheckpointError::OtherRun => {
                f.write_str("the checkpoint belongs to a run with other settings or other data")
            }
        }
    }
}

impl std::error::Error for CheckpointError {}

impl State {
    /// The beginning of a run from these weights.
    pub fn new(model: Model) -> State {
        let zero = vec![0.0; model.values.len()];
        State {
            first: zero.clone(),
            second: zero,
            model,
            step: 0,
        }
    }

    /// Writes a checkpoint beside `path` and renames it, so that `path` is always whole.
    /// `run` identifies settings and data.
    pub fn save(&self, path: &Path, run: u64) -> io::Result<()> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(run.to_le_bytes());
        bytes.extend(self.step.to_le_bytes());
        bytes.extend((self.model.shape.hidden as u64).to_le_bytes());
        bytes.extend((self.model.shape.buckets as u64).to_le_bytes());
        for values in [&self.model.values, &self.first, &self.second] {
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        let mut beside = path.as_os_str().to_owned();
        beside.push(".part");
        fs::write(&beside, bytes)?;
        fs::rename(&beside, path)
    }

    /// Reads the checkpoint of the run that `run` identifies.
    pub fn load(path: &Path, run: u64, shape: Shape) -> Result<State, CheckpointError> {
        let bytes = fs::read(path).map_err(CheckpointError::Io)?;
        let (content, sum) = bytes.split_last_chunk().ok_or(CheckpointError::Damaged)?;
        if !content.starts_with(MAGIC)
            || content.len() < HEADER
            || checksum(content) != u64::from_le_bytes(*sum)
        {
            return Err(CheckpointError::Damaged);
        }
        let (words, _) = content[8..HEADER].as_chunks();
        let expected = [run, shape.hidden as u64, shape.buckets as u64];
        let [found, step, hidden, buckets] = [0, 1, 2, 3].map(|i| u64::from_le_bytes(words[i]));
        if [found, hidden, buckets] != expected {
            return Err(CheckpointError::OtherRun);
        }
        let (floats, rest) = content[HEADER..].as_chunks();
        if floats.len() != 3 * shape.len() || !rest.is_empty() {
            return Err(CheckpointError::Damaged);
        }
        let floats: Vec<f32> = floats
            .iter()
            .map(|&float| f32::from_le_bytes(float))
            .collect();
        let (values, moments) = floats.split_at(shape.len());
        let (first, second) = moments.split_at(shape.len());
        let model = Model {
            shape,
            values: values.to_vec(),
        };
        Ok(State {
            model,
            first: first.to_vec(),
            second: second.to_vec(),
            step,
        })
    }
}

/// A checksum over whole words, good enough to notice a file that is not whole.
fn checksum(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let words = words.iter().map(|&word| u64::from_le_bytes(word));
    let rest = rest.iter().map(|&byte| u64::from(byte));
    words
        .chain(rest)
        .fold(bytes.len() as u64, |sum, word| mix(sum ^ word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_come_back_and_damage_is_noticed() {
        let shape = Shape {
            hidden: 32,
            buckets: 2,
        };
        let mut state = State::new(Model::random(shape, 3));
        state.step = 17;
        state.first[5] = 0.25;
        let path = std::env::temp_dir().join(format!("saavedra-state-{}", std::process::id()));
        state.save(&path, 99).expect("saved");
        assert_eq!(State::load(&path, 99, shape).expect("loaded"), state);
        assert!(matches!(
            State::load(&path, 98, shape),
            Err(CheckpointError::OtherRun)
        ));
        let wider = Shape {
            hidden: 64,
            ..shape
        };
        assert!(matches!(
            State::load(&path, 99, wider),
            Err(CheckpointError::OtherRun)
        ));
        let mut bytes = fs::read(&path).expect("read");
        bytes[5000] ^= 1;
        fs::write(&path, &bytes).expect("written");
        assert!(matches!(
            State::load(&path, 99, shape),
            Err(CheckpointError::Damaged)
        ));
        fs::write(&path, &bytes[..100]).expect("written");
        assert!(matches!(
            State::load(&path, 99, shape),
            Err(CheckpointError::Damaged)
        ));
        fs::remove_file(&path).expect("removed");
    }
}
