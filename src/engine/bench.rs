//! The bench: searches fixed positions to a fixed depth on one thread. The node count is the
//! signature of the search: it is the same on every run and every machine.

use super::{EngineError, Platform, Searcher};
use crate::chess::Board;
use crate::eval::Evaluation;
use crate::search::{Limits, SearchRequest};

const DEPTH: u32 = 15;
const HASH: usize = 16;

/// Openings, middlegames, endgames and tactical positions.
const POSITIONS: [&str; 36] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rn1qk2r/1bpn1ppp/p3p3/1pbpP3/8/2PP1N2/PP1NBPPP/R1BQ1RK1 w kq - 1 9",
    "rn1qk2r/pb1pb1pp/1p3n2/2p1p3/4P3/2N3P1/PPP1NPBP/R1BQ1RK1 w kq - 2 9",
    "r1bqk2r/ppp1bppp/4pnn1/6B1/2pP4/2NBPN2/PPQ2PPP/R3K2R w KQkq - 0 9",
    "r1bqkb1r/pp2p1pp/8/5p2/3nn3/2N2N2/PPQ1PPPP/R1B1KB1R w KQkq - 0 9",
    "r1bqk2r/pp1n1pbp/2pp1np1/4p3/2PPP3/2N1BN2/PP2BPPP/R2Q1RK1 w kq - 2 9",
    "r1b1k1nr/3nppbp/p1pp2p1/qp6/P2PP3/2NBBP2/1PPQ2PP/R3K1NR w KQkq - 3 9",
    "2kr1b1r/ppp2ppp/2n1pn2/7q/2PP2b1/4BN2/PP1NBPPP/R2QK2R w KQ - 0 9",
    "r1bq1rk1/pp1nppbp/2p3p1/3p4/2PPnB2/4PN1P/PP2BPP1/RN1Q1RK1 w - - 0 9",
    "rnbq1rk1/pp2nppp/1b2p3/2pp4/3PP3/2PB2N1/PP1N1PPP/R1BQ1RK1 w - c6 0 9",
    "r2qkb1r/pb1nnppp/4p3/1p1pP1B1/2pP4/2P5/PPB2PPP/RN1QK1NR w KQkq - 3 9",
    "rn1qkb1r/5ppp/b2p1n2/1NpPp3/8/6P1/PP2PPBP/R1BQK1NR w KQkq - 1 9",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
    "2rr2k1/1p2qpp1/p1n1pn1p/8/1PP1P3/P1N2P2/2Q3PP/1B1RR1K1 b - - 0 22",
    "r2q1rk1/1b1nbppp/p2pp3/1p6/3NPP2/1BN1Q3/PPP3PP/R4RK1 b - - 3 14",
    "3r2k1/pp3ppp/2p1b3/4P3/2PqN3/1P4P1/P3QP1P/3R2K1 w - - 1 25",
    "1r4k1/p4pp1/2pqbn1p/3p4/3P4/2PBP1P1/P1Q2PKP/1R3N2 w - - 4 27",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "5rk1/1p3ppp/p2p4/2qPp3/P3P3/1Q5P/1P3PP1/2R3K1 w - - 0 28",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "8/5pk1/4p1p1/3pP2p/3P1P1P/r5P1/1R4K1/8 w - - 2 41",
    "8/1p3k2/p2p1p2/P2P1p1p/1P3P1P/4K1P1/8/8 w - - 0 45",
    "4k3/8/4p3/1p1pPp1p/1P1P1P1P/8/4K3/2B5 w - - 0 50",
    "6k1/5p2/6p1/8/7p/8/6PP/6K1 b - - 0 0",
    "8/8/1p1r1k2/p1pPN1p1/P3KnP1/1P6/8/3R4 b - - 0 1",
    "2k5/8/1pP1K3/1P6/8/8/8/8 w - - 0 1",
    "8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1",
    "8/3k4/8/8/4B3/4KB2/8/8 w - - 0 1",
    "8/8/4k3/8/8/2R5/1r4PK/8 w - - 0 60",
    "3q2k1/pb3p1p/4pbp1/2r5/PpN2N2/1P2P2P/5PP1/Q2R2K1 b - - 4 26",
    "r1bqk2r/pp2bppp/2p5/3pP3/P2Q1P2/2N1B3/1PP3PP/R4RK1 b kq - 0 13",
    "6RR/4bP2/8/8/5r2/3K4/5p2/4k3 w - - 0 1",
    "1rr3k1/4ppb1/2q1bnp1/1p2B1Q1/6P1/2p2P2/2P1B2R/2K4R w - - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
];

/// Runs the bench and returns its result: `N nodes M nps`.
///
/// # Errors
/// If the transposition table cannot be allocated, or this machine cannot run the network kernel.
///
/// # Panics
/// If one of the fixed positions is not legal.
pub fn text() -> Result<String, EngineError> {
    text_on(&Platform::default())
}

/// The same with the clock of this platform.
///
/// # Errors
/// As for [`text`].
///
/// # Panics
/// If one of the fixed positions is not legal.
pub fn text_on(platform: &Platform) -> Result<String, EngineError> {
    let evaluation = super::embedded_evaluation()?;
    let start = platform.clock.now();
    let nodes = search_all(Searcher::with_platform(platform, HASH, &evaluation)?, DEPTH);
    let time = platform.clock.now().saturating_sub(start);
    let nps = (nodes as f64 / time.as_secs_f64()) as u64;
    Ok(format!("{nodes} nodes {nps} nps"))
}

/// The nodes of searching the bench positions to this depth with this evaluation.
///
/// # Errors
/// If the transposition table cannot be allocated.
///
/// # Panics
/// If one of the fixed positions is not legal.
pub fn nodes(evaluation: &Evaluation, depth: u32) -> Result<u64, EngineError> {
    Ok(search_all(Searcher::new(HASH, evaluation)?, depth))
}

/// The nodes of searching all positions to this depth.
fn search_all(mut searcher: Searcher, depth: u32) -> u64 {
    let mut nodes = 0;
    for fen in POSITIONS {
        let board = Board::from_fen(fen).expect("a legal position");
        searcher.clear();
        searcher.search(&SearchRequest::new(board, Limits::depth(depth)));
        nodes += searcher.nodes();
    }
    nodes
}
