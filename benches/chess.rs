//! The speed of the rules: attack tables, move generation, making moves, perft.
//!
//! `cargo bench -p saavedra-benches --bench chess`; `perft_compare` compares perft with other libraries.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use saavedra::chess::{Board, Move, Square, attacks, perft};
use std::hint::black_box;

/// Positions of all phases of the game.
const FENS: [&str; 6] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "8/8/4k3/3q4/8/2P5/1K4R1/8 w - - 3 60",
];

fn boards() -> Vec<Board> {
    let boards = FENS.iter().map(|fen| Board::from_fen(fen));
    boards.collect::<Result<_, _>>().expect("legal FENs")
}

fn attack_lookups(c: &mut Criterion) {
    let boards = boards();
    let mut group = c.benchmark_group("attacks");
    group.throughput(Throughput::Elements(64 * boards.len() as u64));
    for (name, attacks) in [
        ("rook", attacks::rook as fn(_, _) -> _),
        ("bishop", attacks::bishop),
        ("queen", attacks::queen),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| {
                for board in &boards {
                    for square in Square::ALL {
                        black_box(attacks(square, black_box(board.occupied())));
                    }
                }
            });
        });
    }
    group.bench_function("attackers_to", |b| {
        b.iter(|| {
            for board in &boards {
                for square in Square::ALL {
                    black_box(board.attackers_to(square, black_box(board.occupied())));
                }
            }
        });
    });
    group.finish();
}

/// All legal moves of the boards, each with its board.
fn all_moves(boards: &[Board]) -> Vec<(Board, Move)> {
    let moves_of = |board: &Board| board.children().map(|(m, _)| (*board, m)).collect::<Vec<_>>();
    boards.iter().flat_map(moves_of).collect()
}

fn move_generation(c: &mut Criterion) {
    let boards = boards();
    let mut group = c.benchmark_group("generation");
    group.throughput(Throughput::Elements(all_moves(&boards).len() as u64));
    group.bench_function("legal_moves", |b| {
        b.iter(|| boards.iter().map(|board| black_box(board).legal_moves().len()).sum::<usize>());
    });
    group.bench_function("count_legal_moves", |b| {
        b.iter(|| boards.iter().map(|board| black_box(board).count_legal_moves()).sum::<u64>());
    });
    group.finish();
}

fn single_moves(c: &mut Criterion) {
    let moves = all_moves(&boards());
    let mut group = c.benchmark_group("move");
    group.throughput(Throughput::Elements(moves.len() as u64));
    group.bench_function("make", |b| {
        b.iter(|| {
            for (board, m) in &moves {
                black_box(board.make(black_box(*m)));
            }
        });
    });
    for (name, test) in [
        ("is_legal", Board::is_legal as fn(&Board, Move) -> bool),
        ("gives_check", Board::gives_check),
        ("see_ge", |board, m| board.see_ge(m, 0)),
    ] {
        group.bench_function(name, |b| {
            b.iter(|| moves.iter().filter(|(board, m)| test(board, black_box(*m))).count());
        });
    }
    group.finish();
}

fn perft_counts(c: &mut Criterion) {
    let mut group = c.benchmark_group("perft");
    group.sample_size(20);
    for (name, fen, depth) in [("start 5", FENS[0], 5), ("kiwipete 4", FENS[1], 4)] {
        let board = Board::from_fen(fen).expect("a legal FEN");
        group.throughput(Throughput::Elements(perft::perft(&board, depth)));
        group.bench_function(name, |b| b.iter(|| perft::perft(black_box(&board), depth)));
    }
    group.finish();
}

criterion_group!(benches, attack_lookups, move_generation, single_moves, perft_counts);
criterion_main!(benches);
