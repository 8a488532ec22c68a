//! `saavedra perft`: counts the leaf nodes of the legal move tree, or checks suites of such counts.

mod counter;
mod suite;

use super::{CommandError, CommandResult, files};
use crate::chess::{Board, perft};
use counter::Counter;
use std::io::{self, Write};
use std::path::PathBuf;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Depth in plies.
    #[arg(
        required_unless_present = "suite",
        conflicts_with = "suite",
        value_parser = clap::value_parser!(u32).range(..=i64::from(perft::MAX_DEPTH)),
    )]
    depth: Option<u32>,
    /// Root position as FEN, or `startpos` [default: startpos].
    #[arg(long, conflicts_with = "suite")]
    fen: Option<String>,
    /// Also print the count of each root move.
    #[arg(long, conflicts_with = "suite")]
    divide: bool,
    /// Write castling as king takes rook, as in Chess960.
    #[arg(long)]
    chess960: bool,
    /// Number of threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,
    /// Size of the hash table in megabytes; 0 means none.
    #[arg(long, value_name = "MB", default_value_t = 0, value_parser = clap::value_parser!(u32).range(..=1 << 20))]
    hash: u32,
    /// Check a suite: a file with lines `FEN ;D1 n ;D2 n …`, or `-` for standard input.
    #[arg(long, value_name = "FILE")]
    suite: Option<PathBuf>,
    /// Skip counts of the suite above N; N may be written as `1e8`.
    #[arg(long, value_name = "N", conflicts_with = "depth", value_parser = parse_large)]
    max_nodes: Option<u64>,
}

const AFTER_HELP: &str = "\
Examples:
  saavedra perft 5
  saavedra perft 4 --divide --fen 'r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1'
  saavedra perft 6 --threads 4 --hash 64
  saavedra perft --suite perft/standard.epd --max-nodes 1e5";

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let counter = Counter::new(arguments.threads as usize, arguments.hash as usize)?;
    let mut out = io::stdout().lock();
    match (&arguments.suite, arguments.depth) {
        (Some(file), _) => {
            let max_nodes = arguments.max_nodes.unwrap_or(u64::MAX);
            suite::run(file, max_nodes, &counter, &mut out)
        }
        (None, Some(depth)) => count(arguments, depth, &counter, &mut out),
        (None, None) => Err(CommandError::Refused("perft needs a depth or a suite".into())),
    }
}

/// Counts from one position.
fn count(
    arguments: &Arguments,
    depth: u32,
    counter: &Counter,
    out: &mut impl Write,
) -> CommandResult {
    let board = match &arguments.fen {
        None => Board::startpos(),
        Some(fen) => files::parse_board(fen)?,
    };
    let counts = counter.divide(&board, depth)?;
    let total = match depth {
        0 => 1,
        _ => counter::total(&counts)?,
    };
    if arguments.divide {
        for (m, count) in &counts {
            writeln!(out, "{}: {count}", board.uci(*m, arguments.chess960))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "Nodes searched: {total}")?;
    Ok(())
}

/// Parses a non-negative integer such as `100000000` or `1e8`.
fn parse_large(text: &str) -> Result<u64, String> {
    if let Ok(number) = text.parse() {
        return Ok(number);
    }
    match text.parse::<f64>() {
        // The conversion saturates at `u64::MAX`.
        Ok(number) if number >= 0.0 && number.fract() == 0.0 => Ok(number as u64),
        _ => Err("expected a non-negative integer such as 100000000 or 1e8".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_large;

    #[test]
    fn large_numbers_are_integers_with_or_without_an_exponent() {
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
