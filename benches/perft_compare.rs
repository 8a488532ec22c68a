//! Compares perft with other libraries, on one thread: million nodes per second of processor time,
//! the median of several rounds. `cargo bench -p saavedra-benches --bench perft_compare [-- ROUNDS]`
//!
//! All libraries count the moves of the last ply without making them: Saavedra and cozy-chess by
//! the bits of the target bitboards, shakmaty by the length of the list of legal moves.

use saavedra::chess::{Board, perft};
use std::time::Duration;

/// Name, FEN, depth, number of nodes.
const POSITIONS: [(&str, &str, u32, u64); 2] = [
    (
        "start position, depth 6",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        6,
        119_060_324,
    ),
    (
        "kiwipete, depth 5",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        5,
        193_690_690,
    ),
];

/// A library: its name and its perft.
type Library = (&'static str, fn(&str, u32) -> u64);

const LIBRARIES: [Library; 3] =
    [("saavedra", saavedra), ("cozy-chess", cozy_chess), ("shakmaty", shakmaty)];

fn saavedra(fen: &str, depth: u32) -> u64 {
    perft::perft(&Board::from_fen(fen).expect("a legal FEN"), depth)
}

fn cozy_chess(fen: &str, depth: u32) -> u64 {
    fn count(board: &cozy_chess::Board, depth: u32) -> u64 {
        let mut nodes = 0;
        board.generate_moves(|moves| {
            if depth == 1 {
                nodes += moves.len() as u64;
            } else {
                for m in moves {
                    let mut child = board.clone();
                    child.play_unchecked(m);
                    nodes += count(&child, depth - 1);
                }
            }
            false
        });
        nodes
    }
    count(&fen.parse().expect("a legal FEN"), depth)
}

fn shakmaty(fen: &str, depth: u32) -> u64 {
    let fen: shakmaty::fen::Fen = fen.parse().expect("a legal FEN");
    let position: shakmaty::Chess =
        fen.into_position(shakmaty::CastlingMode::Standard).expect("a legal FEN");
    shakmaty::perft(&position, depth)
}

/// The processor time of this process on Linux; elsewhere the time since the first call.
fn processor_time() -> Duration {
    let scheduled = std::fs::read_to_string("/proc/self/schedstat").ok();
    let nanoseconds = scheduled.and_then(|text| text.split(' ').next()?.parse().ok());
    match nanoseconds {
        Some(nanoseconds) => Duration::from_nanos(nanoseconds),
        None => {
            static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
            START.get_or_init(std::time::Instant::now).elapsed()
        }
    }
}

fn main() {
    let argument = std::env::args().skip(1).find_map(|argument| argument.parse().ok());
    let rounds: usize = argument.unwrap_or(5);
    for (name, fen, depth, nodes) in POSITIONS {
        // The libraries alternate, so that other load on the machine affects all of them.
        let mut speeds = [const { Vec::new() }; LIBRARIES.len()];
        for round in 0..=rounds {
            for (speeds, (library, count)) in speeds.iter_mut().zip(LIBRARIES) {
                let start = processor_time();
                assert_eq!(count(fen, depth), nodes, "{library}, {name}");
                let seconds = (processor_time() - start).as_secs_f64();
                // The first round is not measured.
                if round > 0 {
                    speeds.push(nodes as f64 / seconds / 1e6);
                }
            }
        }
        let medians = speeds.map(|mut speeds| {
            speeds.sort_by(f64::total_cmp);
            speeds[speeds.len() / 2]
        });
        println!("{name}");
        for (median, (library, _)) in medians.iter().zip(LIBRARIES) {
            let ratio = medians[0] / median;
            println!("  {library:12} {median:7.0} Mnps, saavedra is {ratio:.2} times as fast");
        }
    }
}
