//! Saavedra.
use saavedra::chess::{Board, perft};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let board = if a.len() > 2 {
        Board::from_fen(&a[2]).unwrap()
    } else {
        Board::start()
    };
    let t = std::time::Instant::now();
    let n = perft::perft(&board, a[1].parse().unwrap());
    let e = t.elapsed();
    println!("{n} {:?} {:.1} Mnps", e, n as f64 / e.as_secs_f64() / 1e6);
}
