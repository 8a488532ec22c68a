//! `saavedra perft`: counts paths of legal moves, or checks suites of such counts.

mod counter;
mod suite;

use super::{Failure, Outcome};
use crate::chess::{Board, perft};
use counter::Counter;
use std::io::{self, Write};
use std::path::PathBuf;

/// What to count.
#[derive(clap::Args)]
pub(super) struct Arguments {
    /// How many plies.
    #[arg(
        required_unless_present = "suite",
        conflicts_with = "suite",
        value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)),
    )]
    depth: Option<u32>,
    /// The position to count from; the start position if not given.
    #[arg(long, conflicts_with = "suite")]
    fen: Option<String>,
    /// Show the paths behind each legal move.
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// Write castling as king takes own rook.
    #[arg(long)]
    chess960: bool,
    /// How many threads count.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Remember the counts of positions in a table of so many megabytes.
    #[arg(long, value_name = "MB", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    hash: u32,
    /// Check the counts of a file with lines `FEN ;D1 n ;D2 n …`; `-` is standard input.
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Skip the counts of a suite that are larger than this (`1e8` may be written).
    #[arg(long, value_name = "N", conflicts_with = "depth", value_parser = parse_large)]
    max_nodes: Option<u64>,
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> Outcome {
    let counter = Counter::new(arguments.threads as usize, arguments.hash as usize)?;
    let mut out = io::stdout().lock();
    match (&arguments.suite, arguments.depth) {
        (Some(file), _) => {
            let max_nodes = arguments.max_nodes.unwrap_or(u64::MAX);
            suite::run(file, max_nodes, &counter, &mut out)
        }
        (None, Some(depth)) => count(arguments, depth, &counter, &mut out),
        (None, None) => Err(Failure::Refused("perft needs a depth or a suite".into())),
    }
}

/// Counts from one position.
fn count(arguments: &Arguments, depth: u32, counter: &Counter, out: &mut impl Write) -> Outcome {
    let board = match &arguments.fen {
        None => Board::startpos(),
        Some(fen) => Board::from_fen(fen).map_err(|error| Failure::Refused(error.to_string()))?,
    };
    let counts = counter.divide(&board, depth);
    if arguments.divide {
        for (m, count) in &counts {
            writeln!(out, "{}: {count}", board.uci(*m, arguments.chess960))?;
        }
        writeln!(out)?;
    }
    let total = match depth {
        0 => 1,
        _ => counts.iter().map(|(_, count)| count).sum::<u64>(),
    };
    writeln!(out, "Nodes searched: {total}")?;
    Ok(())
}

/// A whole number from 0 up, as `100000000` or `1e8`.
fn parse_large(text: &str) -> Result<u64, String> {
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    match text.parse::<f64>() {
        // Beyond the largest `u64` the conversion gives just that.
        Ok(number) if number >= 0.0 && number.fract() == 0.0 => Ok(number as u64),
        _ => Err("expected a whole number from 0 up, such as 100000000 or 1e8".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_large;

    #[test]
    fn large_numbers_are_read_in_both_spellings_and_nothing_else() {
        let good = [
            ("0", 0),
            ("1e8", 100_000_000),
            ("2.5e3", 2500),
            ("18446744073709551615", u64::MAX),
            ("1e30", u64::MAX),
        ];
        for (text, number) in good {
            assert_eq!(parse_large(text), Ok(number), "{text}");
        }
        for text in ["", "-1", "1.5", "nan", "inf", "-inf", "1e8x", "many"] {
            assert!(parse_large(text).is_err(), "{text}");
        }
    }
}
