//! `join`: two networks side by side in one.

use super::{CommandError, CommandResult};
use saavedra_trainer::file;
use std::path::PathBuf;

/// Join two networks to one, whose evaluation is the mean of theirs
///
/// The neurons of the second network stand beside those of the first one, and all output weights are
/// halved. `train --init` can then train both together.
#[derive(clap::Args)]
pub(crate) struct Join {
    /// The first network: a network file (NAME.nnue) or weights file (NAME.weights)
    first: PathBuf,
    /// The second network
    second: PathBuf,
    /// The network file to write
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Generation number in the network file
    #[arg(long, value_name = "N", default_value_t = 0)]
    generation: u32,
}

impl Join {
    pub(crate) fn run(self) -> CommandResult {
        let [first, second] = [&self.first, &self.second].map(|path| super::weights(path));
        let (first, second) = (first?.model, second?.model);
        let joined = first.joined(&second).ok_or_else(|| {
            let [first, second] = [first.shape.buckets, second.shape.buckets];
            CommandError::input(format!("the networks have {first} and {second} output buckets"))
        })?;
        let network = joined.quantise(self.generation).map_err(CommandError::check)?;
        file::write(&self.out, &network.to_bytes()).map_err(CommandError::file(&self.out))
    }
}
