//! Speed of reading and writing games and positions.
//!
//! `cargo bench -p saavedra-benches --bench formats`

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use saavedra::chess::Board;
use saavedra::formats::{self, Document, pgn};
use std::hint::black_box;
use std::io::Read;

/// A game of typical length with the seven tag roster.
const GAME: &str = "\
[Event \"Bench\"]\n[Site \"Nowhere\"]\n[Date \"2024.01.01\"]\n[Round \"1\"]\n[White \"One\"]\n\
[Black \"Two\"]\n[Result \"1/2-1/2\"]\n\n\
1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4\n\
Nbd7 11. Nbd2 Bb7 12. Bc2 Re8 13. Nf1 Bf8 14. Ng3 g6 15. a4 c5 16. d5 c4 17. Bg5 h6 18. Be3 Nc5 19.\n\
Qd2 h5 20. Bg5 Be7 21. Ra3 Rb8 22. axb5 axb5 23. Rea1 Bc8 24. Qe3 Nfd7 25. Bxe7 Rxe7 26. Ra7 Rxa7\n\
27. Rxa7 Nf6 28. Nd2 Qb6 29. Qa3 Bd7 30. Nf3 Kg7 1/2-1/2\n\n";

fn games(c: &mut Criterion) {
    let text = GAME.repeat(500);
    let read = |text: &str| {
        let games = pgn::Reader::new(text.as_bytes());
        games.map(|game| game.expect("a game").tree.len()).sum::<usize>()
    };
    assert_eq!(read(&text), 500 * 60);
    let mut group = c.benchmark_group("pgn");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("read, every move checked", |b| b.iter(|| read(black_box(&text))));
    let games: Vec<Document> =
        pgn::Reader::new(text.as_bytes()).collect::<Result<_, _>>().expect("games");
    group.bench_function("write", |b| {
        b.iter(|| games.iter().map(|game| pgn::write(game).len()).sum::<usize>());
    });
    group.finish();
}

fn boards(c: &mut Criterion) {
    let mut group = c.benchmark_group("position");
    for format in formats::FORMATS {
        let text = format.export(&Document::new(Board::startpos()));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(format.name(), |b| {
            b.iter_batched(
                || text.clone(),
                |text| {
                    let input: Box<dyn Read> = Box::new(std::io::Cursor::new(text));
                    let documents = format.read(input).map(|found| found.expect("a position"));
                    documents.count()
                },
                BatchSize::SmallInput,
            );
        });
    }
    group.finish();
}

criterion_group!(benches, games, boards);
criterion_main!(benches);
