//! The commands.

pub(crate) mod inspect;
pub(crate) mod speed;
pub(crate) mod train;

use saavedra_trainer::kernels::Kernel;
use std::fmt::Display;
use std::path::Path;
use std::thread;

/// Why a command ends early, and the status it ends with.
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) status: u8,
}

impl Failure {
    /// The input or the options cannot be used.
    pub(crate) fn input(message: impl Display) -> Failure {
        Failure {
            message: message.to_string(),
            status: 2,
        }
    }

    /// It ran, and a check failed.
    pub(crate) fn check(message: impl Display) -> Failure {
        Failure {
            message: message.to_string(),
            status: 1,
        }
    }

    /// Something is wrong with a file.
    pub(crate) fn file<E: Display>(path: &Path) -> impl Fn(E) -> Failure {
        move |error| Failure::input(format!("{}: {error}", path.display()))
    }
}

/// So many threads, or as many as the machine has.
fn threads(wanted: Option<usize>) -> usize {
    let all = || thread::available_parallelism().map_or(1, |count| count.get());
    wanted.unwrap_or_else(all).clamp(1, 1024)
}

/// The kernel of this name, or the fastest.
fn kernel(name: Option<&str>) -> Result<Kernel, Failure> {
    let Some(name) = name else {
        return Ok(Kernel::best());
    };
    let all = Kernel::available();
    all.iter()
        .copied()
        .find(|kernel| kernel.name() == name)
        .ok_or_else(|| {
            let names: Vec<_> = all.iter().map(|kernel| kernel.name()).collect();
            Failure::input(format!(
                "kernel {name:?}: this machine has {}",
                names.join(", ")
            ))
        })
}

/// A count that may be written as 16384, 500e6 or 1e9.
fn count(text: &str) -> Result<u64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text:?} is no number"))?;
    if (1.0..=1e15).contains(&number) {
        Ok(number as u64)
    } else {
        Err("from 1 to 1e15".to_string())
    }
}

/// The sizes of a hidden layer the engine can have.
fn hidden(text: &str) -> Result<usize, String> {
    let hidden = text.parse().map_err(|_| format!("{text:?} is no number"))?;
    saavedra::nnue::format::check_sizes(hidden, 1).map_err(|error| error.to_string())?;
    Ok(hidden)
}

/// The numbers of output buckets the engine can have.
fn buckets(text: &str) -> Result<usize, String> {
    let buckets = text.parse().map_err(|_| format!("{text:?} is no number"))?;
    saavedra::nnue::format::check_sizes(32, buckets).map_err(|error| error.to_string())?;
    Ok(buckets)
}
