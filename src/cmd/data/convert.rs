//! `saavedra data convert`: games from one record format to the other.

use super::{Target, for_each_legal_game};
use crate::cmd::CommandResult;
use crate::cmd::files::Output;
use crate::data::{RecordFormat, RecordWriter, store};
use std::io::{self, Write};

#[derive(clap::Args)]
#[command(after_help = "Examples:\n  saavedra data convert --to compact data/ -o data.compact")]
pub(super) struct Arguments {
    /// Format of the output; the inputs may be of either.
    #[arg(long, value_name = "FORMAT")]
    to: FormatName,
    #[command(flatten)]
    target: Target,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum FormatName {
    /// Four bytes a ply, without principal variations; games can be appended.
    Games,
    /// Less than one byte a ply; scores are rounded to 1/64 of a point, and principal variations are
    /// left out.
    Compact,
}

/// Runs the command.
pub(super) fn run(Arguments { to, target }: &Arguments) -> CommandResult {
    let format = match to {
        FormatName::Games => RecordFormat::Games,
        FormatName::Compact => RecordFormat::Compact,
    };
    let files = target.files()?;
    let header = store::merged_header(&files)?;
    let mut output = RecordWriter::new(Output::create(Some(&target.output))?, &header, format)?;
    let (mut games, mut plies) = (0, 0);
    let left_out = for_each_legal_game(&files, &mut |game| {
        games += 1;
        plies += game.plies.len();
        Ok(output.write(&game)?)
    })?;
    output.finish()?.finish()?;
    writeln!(io::stdout(), "{games} games, {plies} plies")?;
    left_out.result()
}
