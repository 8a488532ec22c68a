//! Times of the evaluation with every kernel of the machine: `cargo bench -p saavedra-benches --bench nnue`.
//!
//! The layer sizes are the embedded network's (`$EVALFILE` at build time); the weights are
//! random, because times do not depend on them.

#[path = "../tests/engine/random_network.rs"]
mod random_network;

use std::hint::black_box;
use std::sync::Arc;

use criterion::Criterion;
use saavedra::chess::Board;
use saavedra::nnue::arch::{HIDDEN, OUTPUT_BUCKETS};
use saavedra::nnue::evaluator::Evaluator;
use saavedra::nnue::simd::Kernel;

fn board(fen: &str) -> Board {
    Board::from_fen(fen).expect("a legal position")
}

/// The cases: name, the board at ply 0, the boards evaluated in turn at ply 1.
fn cases() -> [(&'static str, Board, Vec<Board>); 3] {
    let root = board("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P4/1PNBPN2/P1P2PPP/R1BQ1RK1 w - - 0 9");
    let kingside = board("r2q1rk1/pp2bppp/2n1pn2/2pp4/3P4/1PNBPN2/P1P2PPP/R3KR2 b - - 0 9");
    let queenside = board("r2q1rk1/pp2bppp/2n1pn2/2pp4/3P4/1PNBPN2/P1PK1PPP/R4R2 b - - 0 9");
    let moved = queenside.try_make_uci("g8h8").expect("a legal move");
    let children = root.children().map(|(_, child)| child).collect();
    [
        ("forward", root, vec![root, root.make_null()]),
        ("update and forward", root, children),
        // White's perspective is refreshed every time, with a piece moved since the last refresh.
        ("refresh and forward", kingside, vec![queenside, moved]),
    ]
}

fn evaluation(criterion: &mut Criterion) {
    let network = random_network::ordinary(1);
    for (name, root, boards) in cases() {
        let mut group = criterion.benchmark_group(format!("{HIDDEN}x{OUTPUT_BUCKETS} {name}"));
        for kernel in Kernel::available() {
            let mut evaluator = Evaluator::new(Arc::clone(&network), kernel, 1);
            evaluator.evaluate(0, &root);
            let mut next = boards.iter().cycle();
            group.bench_function(kernel.name(), |bencher| {
                bencher.iter(|| {
                    let board = next.next().unwrap_or(&root);
                    evaluator.evaluate(1, black_box(board))
                });
            });
        }
        group.finish();
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    evaluation(&mut criterion);
    criterion.final_summary();
}
