//! `saavedra doctor`: system information and self-tests.

use super::files::Output;
use super::{CommandError, CommandResult};
use crate::chess::{Board, perft};
use crate::engine::{self, bench, memory};
use crate::eval::Evaluation;
use crate::nnue::arch::{HIDDEN, OUTPUT_BUCKETS};
use crate::nnue::format::{Header, Parameters};
use crate::nnue::network::Network;
use crate::nnue::simd::Kernel;
use crate::tablebase::Tablebase;
use serde_json::{Map, Value, json};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of the command.
#[derive(clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct Arguments {
    /// Write JSON: an object with `facts` and `checks`.
    #[arg(long)]
    json: bool,
    /// Also check this network file.
    #[arg(long, value_name = "FILE")]
    network: Option<PathBuf>,
    /// Also look for Syzygy tablebases in these folders.
    #[arg(long, value_name = "PATHS")]
    tables: Option<String>,
}

const AFTER_HELP: &str = "\
Examples:
  saavedra doctor
  saavedra doctor --json --network new.nnue
  saavedra doctor --tables /tables/syzygy";

/// A self-test.
struct Check {
    name: String,
    /// The detail of a passed test, or why it failed.
    result: Result<String, String>,
}

/// Positions, depths and the correct perft counts.
const PERFT: [(&str, u32, u64); 5] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 4, 197_281),
    ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 3, 97_862),
    ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 5, 674_624),
    ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
    ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 4, 326_672),
];

/// Depth of the searches that compare the kernels.
const BENCH_DEPTH: u32 = 6;

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> CommandResult {
    let kernel = engine::kernel().map_err(CommandError::refused)?;
    let tables = arguments.tables.as_deref().map(Tables::open);
    let info = system_info(tables.as_ref(), kernel);
    let embedded = Network::embedded_file().and_then(|file| Network::load(file).ok());
    let network = embedded.map_or_else(test_network, Ok)?;
    let mut checks = vec![check_perft(), check_embedded()];
    checks.extend(check_kernels(&Kernel::available(), &Arc::new(network)));
    if checks.iter().all(|check| check.result.is_ok()) {
        checks.push(check_searches(&Kernel::available()));
    }
    checks.extend(arguments.network.as_deref().map(check_network));
    checks.extend(tables.as_ref().map(Tables::check));
    print(&info, &checks, arguments.json)?;
    if checks.iter().all(|check| check.result.is_ok()) {
        Ok(())
    } else {
        Err(CommandError::CheckFailed)
    }
}

/// The system information, in the order of the output.
fn system_info(tables: Option<&Tables>, kernel: Kernel) -> Map<String, Value> {
    let mut info = Map::new();
    let mut note = |name: &str, value: Value| info.insert(name.to_owned(), value);
    note("version", json!(env!("CARGO_PKG_VERSION")));
    note("machine", json!(format!("{} {}", std::env::consts::ARCH, std::env::consts::OS)));
    note("cpu_features", json!(cpu_features()));
    note("kernel", json!(kernel.name()));
    let kernels = Kernel::available();
    note("kernels", json!(kernels.iter().map(|kernel| kernel.name()).collect::<Vec<_>>()));
    note("cores", json!(std::thread::available_parallelism().map_or(1, usize::from)));
    note("free_memory_mb", json!(memory::available().map(|bytes| bytes >> 20)));
    note("large_pages", json!(large_pages()));
    let header = Network::embedded_file().and_then(|file| Header::decode(file).ok());
    note(
        "network",
        json!(header.map(|header| json!({
            "hidden": header.hidden,
            "output_buckets": header.output_buckets,
            "generation": header.generation,
            "checksum": format!("{:016x}", header.checksum),
        }))),
    );
    if let Some(tables) = tables {
        note(
            "tables",
            json!({
                "paths": tables.paths,
                "men": tables.max_pieces,
                "problems": tables.problems,
            }),
        );
    }
    info
}

/// The tablebases in the folders of `--tables`.
struct Tables {
    paths: String,
    /// The maximum number of pieces; 0 without tablebases.
    max_pieces: u32,
    problems: Vec<String>,
}

impl Tables {
    fn open(paths: &str) -> Tables {
        let (tables, problems) = Tablebase::open(paths);
        Tables {
            paths: paths.to_owned(),
            max_pieces: tables.max_pieces(),
            problems: problems.iter().map(ToString::to_string).collect(),
        }
    }

    /// A folder that cannot be read, a damaged file and a path without tablebases fail.
    fn check(&self) -> Check {
        let result = match (self.problems.is_empty(), self.max_pieces) {
            (false, _) => Err(self.problems.join("; ")),
            (true, 0) => Err("no tablebases".to_owned()),
            (true, pieces) => Ok(format!("up to {pieces} pieces")),
        };
        Check { name: format!("tables {}", self.paths), result }
    }
}

/// The instruction set extensions of the processor that the program can use.
fn cpu_features() -> Vec<&'static str> {
    #[allow(unused_mut)]
    let mut found = Vec::new();
    #[cfg(target_arch = "x86_64")]
    {
        macro_rules! note {
            ($($name:tt)*) => {
                $(if is_x86_feature_detected!($name) { found.push($name) })*
            };
        }
        note!("sse4.1" "popcnt" "avx2" "bmi2" "avx512f" "avx512bw" "avx512vl" "avx512vnni");
    }
    #[cfg(target_arch = "aarch64")]
    if std::arch::is_aarch64_feature_detected!("neon") {
        found.push("neon");
    }
    found
}

/// When Linux uses huge pages: `always`, `madvise` or `never`.
fn large_pages() -> Option<String> {
    let text = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok()?;
    let (_, rest) = text.split_once('[')?;
    Some(rest.split(']').next()?.to_owned())
}

/// A network with artificial weights, to compare the kernels if no network is embedded.
fn test_network() -> Result<Network, CommandError> {
    let mut parameters = Parameters::zero(HIDDEN, OUTPUT_BUCKETS);
    for (i, weight) in parameters.feature_weights.iter_mut().enumerate() {
        *weight = (i * 31 % 101) as i8 - 40;
    }
    for (i, weight) in parameters.output_weights.iter_mut().enumerate() {
        *weight = (i * 17 % 31) as i16 - 15;
    }
    Network::from_parameters(&parameters).map_err(CommandError::refused)
}

fn check_perft() -> Check {
    let count = |(fen, depth, expected): &(&str, u32, u64)| {
        let board = Board::from_fen(fen).map_err(|error| format!("{fen}: {error}"))?;
        match perft::perft(&board, *depth) {
            found if found == *expected => Ok(found),
            found => Err(format!("{fen}: {found} nodes at depth {depth}, expected {expected}")),
        }
    };
    let total = PERFT.iter().map(count).sum::<Result<u64, String>>();
    Check { name: "perft".to_owned(), result: total.map(|total| format!("{total} nodes")) }
}

fn check_embedded() -> Check {
    let result = match Network::embedded_file().map(Network::load) {
        None => Ok("none embedded".to_owned()),
        Some(Ok(network)) => Ok(format!("generation {}", network.generation())),
        Some(Err(error)) => Err(error.to_string()),
    };
    Check { name: "network".to_owned(), result }
}

fn check_network(path: &Path) -> Check {
    let network = fs::read(path).map_err(|error| error.to_string());
    let network = network.and_then(|file| Network::load(&file).map_err(|e| e.to_string()));
    Check {
        name: path.display().to_string(),
        result: network.map(|network| format!("generation {}", network.generation())),
    }
}

/// Compares the kernels with the reference implementation.
fn check_kernels(kernels: &[Kernel], network: &Arc<Network>) -> Vec<Check> {
    let check = |kernel: &Kernel| Check {
        name: format!("kernel {}", kernel.name()),
        result: match kernel.self_check(network) {
            Ok(()) => Ok("equals the reference implementation".to_owned()),
            Err(mismatch) => Err(mismatch.to_string()),
        },
    };
    kernels.iter().map(check).collect()
}

/// Compares searches with all kernels: the positions of the bench at a lower depth.
fn check_searches(kernels: &[Kernel]) -> Check {
    let nodes = |kernel: &Kernel| bench::nodes(&Evaluation::embedded_with(*kernel), BENCH_DEPTH);
    let counts: Result<Vec<u64>, _> = kernels.iter().map(nodes).collect();
    let result = match counts {
        Err(error) => Err(error.to_string()),
        Ok(counts) if counts.iter().all(|count| *count == counts[0]) => {
            Ok(format!("{} nodes on every kernel", counts[0]))
        }
        Ok(counts) => Err(format!("the kernels differ: {counts:?} nodes")),
    };
    Check { name: format!("bench to depth {BENCH_DEPTH}"), result }
}

fn print(info: &Map<String, Value>, checks: &[Check], as_json: bool) -> CommandResult {
    let mut out = Output::create(None)?;
    if as_json {
        let checks: Vec<Value> = checks
            .iter()
            .map(|check| {
                let (Ok(detail) | Err(detail)) = &check.result;
                json!({ "name": check.name, "ok": check.result.is_ok(), "detail": detail })
            })
            .collect();
        writeln!(out, "{}", json!({ "facts": info, "checks": checks }))?;
        return out.finish();
    }
    for (name, value) in info {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null => "none".to_owned(),
            Value::Array(parts) => {
                let parts = parts.iter().map(|part| part.as_str().unwrap_or_default());
                parts.collect::<Vec<_>>().join(" ")
            }
            other => other.to_string(),
        };
        writeln!(out, "{:16} {text}", name.replace('_', " "))?;
    }
    writeln!(out)?;
    for check in checks {
        match &check.result {
            Ok(detail) => writeln!(out, "ok      {}: {detail}", check.name)?,
            Err(detail) => writeln!(out, "FAILED  {}: {detail}", check.name)?,
        }
    }
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_faulty_kernel_is_detected() {
        let network = Arc::new(test_network().expect("small weights"));
        let kernels = [Kernel::available()[0], Kernel::faulty()];
        let checks = check_kernels(&kernels, &network);
        assert!(checks[0].result.is_ok());
        let error = checks[1].result.as_ref().expect_err("it computes wrongly");
        assert!(error.contains("faulty"), "{error}");
    }

    #[test]
    fn the_perft_counts_are_correct() {
        assert!(check_perft().result.is_ok(), "{:?}", check_perft().result);
    }
}
