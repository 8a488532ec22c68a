//! Syzygy tables: a damaged table is reported and never used beyond its end.
//!
//! Built for fuzzing, the library ignores the checksum.
#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use saavedra::chess::Board;
use saavedra::tablebase::Tablebase;
use std::sync::LazyLock;

/// The name and the bytes of a test table.
macro_rules! table {
    ($name:literal) => {
        (
            $name,
            include_bytes!(concat!("../../tests/data/syzygy/", $name)).as_slice(),
        )
    };
}

/// WDL and DTZ tables in turn.
const TABLES: [(&str, &[u8]); 12] = [
    table!("KQvK.rtbw"),
    table!("KQvK.rtbz"),
    table!("KRvK.rtbw"),
    table!("KRvK.rtbz"),
    table!("KBvK.rtbw"),
    table!("KBvK.rtbz"),
    table!("KNvK.rtbw"),
    table!("KNvK.rtbz"),
    table!("KPvK.rtbw"),
    table!("KPvK.rtbz"),
    table!("KRvKR.rtbw"),
    table!("KRvKR.rtbz"),
];

/// Positions with these pieces, White and Black to move.
static BOARDS: LazyLock<Vec<Board>> = LazyLock::new(|| {
    let fens = [
        "8/8/8/4k3/8/8/3QK3/8 w - - 0 1",
        "8/8/8/4k3/8/8/3QK3/8 b - - 0 1",
        "8/8/2r5/4k3/8/8/4K3/8 w - - 0 1",
        "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
        "8/4k3/8/8/2p5/8/4K3/8 b - - 0 1",
        "8/1P6/8/4k3/8/8/4K3/8 w - - 0 1",
        "8/2r5/8/4k3/8/8/3RK3/8 w - - 0 1",
        "8/2r5/8/4k3/8/8/3RK3/8 b - - 0 1",
    ];
    let board = |fen| Board::from_fen(fen).expect("legal");
    fens.into_iter().map(board).collect()
});

#[derive(Arbitrary, Debug)]
enum Damage<'a> {
    /// All bytes are others.
    Replaced(&'a [u8]),
    /// Bytes are changed, most of them in the header.
    Changed(Vec<(u8, u8)>, Vec<(u16, u8)>),
    /// The end is missing.
    Truncated(u16),
}

fuzz_target!(|input: (u8, Damage<'_>)| {
    let (table, damage) = input;
    let (name, valid) = TABLES[usize::from(table) % TABLES.len()];
    let bytes = match damage {
        Damage::Replaced(bytes) => bytes.to_vec(),
        Damage::Changed(head, anywhere) => {
            let mut bytes = valid.to_vec();
            let head = head.into_iter().map(|(at, byte)| (u16::from(at), byte));
            for (at, byte) in head.chain(anywhere) {
                bytes[usize::from(at) % valid.len()] = byte;
            }
            bytes
        }
        Damage::Truncated(length) => valid[..usize::from(length) % valid.len()].to_vec(),
    };
    let others = TABLES.iter().filter(|(other, _)| *other != name);
    let others = others.map(|(other, bytes)| (*other, bytes.to_vec()));
    let (tables, _) = Tablebase::from_memory(others.chain([(name, bytes)]));
    for board in BOARDS.iter() {
        let _ = (tables.probe_wdl(board), tables.probe_dtz(board));
        let _ = tables.rank_root(board, false, true);
    }
});
