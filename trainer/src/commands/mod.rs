//! The commands.

pub(crate) mod evaluate;
pub(crate) mod inspect;
pub(crate) mod join;
pub(crate) mod train;

use saavedra::nnue::format::Parameters;
use saavedra_trainer::checkpoint::WeightsFile;
use saavedra_trainer::load::{self, Dataset, Filter};
use saavedra_trainer::model::Model;
use saavedra_trainer::simd::Kernel;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::{fs, thread};

/// The result of a command.
pub(crate) type CommandResult<T = ()> = Result<T, CommandError>;

/// Why a command failed, and its exit status.
pub(crate) struct CommandError {
    pub(crate) message: String,
    pub(crate) status: u8,
}

impl CommandError {
    /// The input or the options are invalid: status 2.
    pub(crate) fn input(message: impl Display) -> CommandError {
        CommandError { message: message.to_string(), status: 2 }
    }

    /// A check failed: status 1.
    pub(crate) fn check(message: impl Display) -> CommandError {
        CommandError { message: message.to_string(), status: 1 }
    }

    /// An error with a file: status 2.
    pub(crate) fn file<E: Display>(path: &Path) -> impl Fn(E) -> CommandError {
        move |error| CommandError::input(format!("{}: {error}", path.display()))
    }
}

/// Writes an error or a warning to standard error.
pub(crate) fn report(message: impl Display) {
    print_to_stderr(format_args!("saavedra-trainer: {message}"));
}

/// Writes a line to standard error. That nobody reads it must not end the command.
fn print_to_stderr(line: impl Display) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Writes a line to standard output. It is no error that its reader has closed it.
fn print_to_stdout(line: impl Display) -> CommandResult {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CommandError::input(error)),
        _ => Ok(()),
    }
}

/// The model of a network file or weights file, with the positions that its line has seen.
fn weights(path: &Path) -> CommandResult<WeightsFile> {
    let bytes = fs::read(path).map_err(CommandError::file(path))?;
    if WeightsFile::is_one(&bytes) {
        return WeightsFile::from_bytes(&bytes).map_err(CommandError::file(path));
    }
    let network = Parameters::from_bytes(&bytes).map_err(CommandError::file(path))?;
    Ok(WeightsFile { model: Model::from_parameters(&network), scored: 0, trained: 0 })
}

/// Loads game files and folders of them; the number of files and the positions.
fn load(paths: &[PathBuf], filter: &Filter, threads: usize) -> CommandResult<(usize, Dataset)> {
    let files = load::find_files(paths).map_err(CommandError::input)?;
    let warn = |message: &str| report(message);
    let data = load::load(&files, filter, threads, &warn).map_err(CommandError::input)?;
    Ok((files.len(), data))
}

/// What a command uses of the machine.
#[derive(clap::Args, Debug)]
struct Machine {
    /// Number of threads [default: all of the machine]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Instruction set: scalar, sse2, avx2 or avx512 [default: the fastest available]
    #[arg(long)]
    kernel: Option<String>,
}

impl Machine {
    /// The number of threads; by default as many as the machine has.
    fn threads(&self) -> usize {
        let all = || thread::available_parallelism().map_or(1, |count| count.get().min(1024));
        self.threads.map_or_else(all, usize::from)
    }

    /// The kernel of the given name; by default the fastest.
    fn kernel(&self) -> CommandResult<Kernel> {
        let Some(name) = self.kernel.as_deref() else {
            return Ok(Kernel::detect());
        };
        Kernel::from_name(name).ok_or_else(|| {
            let available = Kernel::available();
            let names: Vec<_> = available.iter().map(|kernel| kernel.name()).collect();
            let names = names.join(", ");
            CommandError::input(format!("kernel {name:?}: this machine has {names}"))
        })
    }
}

/// A count that may be written as 16384, 500e6 or 1e9.
fn count(text: &str) -> Result<u64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if (1.0..=1e15).contains(&number) && number.fract() == 0.0 {
        Ok(number as u64)
    } else {
        Err("a whole number from 1 to 1e15".to_string())
    }
}

/// A number above 0.
fn positive_up_to(max: f64, text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if number > 0.0 && number <= max { Ok(number) } else { Err(format!("above 0, to {max:e}")) }
}

/// A hidden layer size that the engine supports.
fn hidden(text: &str) -> Result<usize, String> {
    let hidden = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    saavedra::nnue::format::check_sizes(hidden, 1).map_err(|error| error.to_string())?;
    Ok(hidden)
}

/// A number of output buckets that the engine supports.
fn buckets(text: &str) -> Result<usize, String> {
    let buckets = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    saavedra::nnue::format::check_sizes(32, buckets).map_err(|error| error.to_string())?;
    Ok(buckets)
}
