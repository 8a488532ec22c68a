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
        ($name, include_bytes!(concat!("../../crates/syzygy/tests/tables/", $name)).as_slice())
    };
}

/// The tables of a material signature, and positions with it.
type Material = ([(&'static str, &'static [u8]); 2], Vec<Board>);

static MATERIALS: LazyLock<Vec<Material>> = LazyLock::new(|| {
    let material = |tables, fens: [&str; 3]| {
        let boards = fens.map(|fen| Board::from_fen(fen).expect("legal"));
        (tables, boards.to_vec())
    };
    vec![
        material(
            [table!("KQvK.rtbw"), table!("KQvK.rtbz")],
            [
                "8/8/8/4k3/8/8/3QK3/8 w - - 0 1",
                "8/8/8/4k3/8/8/3QK3/8 b - - 0 1",
                "8/8/2q5/4k3/8/8/4K3/8 w - - 0 1",
            ],
        ),
        material(
            [table!("KPvK.rtbw"), table!("KPvK.rtbz")],
            [
                "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
                "8/4k3/8/8/2p5/8/4K3/8 b - - 0 1",
                "8/8/8/1P2k3/8/8/4K3/8 b - - 0 1",
            ],
        ),
        material(
            [table!("KRvKR.rtbw"), table!("KRvKR.rtbz")],
            [
                "8/2r5/8/4k3/8/8/3RK3/8 w - - 0 1",
                "8/2r5/8/4k3/8/8/3RK3/8 b - - 0 1",
                "8/8/8/4k3/8/1r6/8/1R2K3 w - - 0 1",
            ],
        ),
        material(
            [table!("KBvK.rtbw"), table!("KBvK.rtbz")],
            [
                "8/8/8/4k3/8/8/3BK3/8 w - - 0 1",
                "8/8/8/4k3/8/8/3BK3/8 b - - 0 1",
                "8/8/2b5/4k3/8/8/4K3/8 w - - 0 1",
            ],
        ),
    ]
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

fuzz_target!(|input: (u8, bool, Damage<'_>)| {
    let (material, distance, damage) = input;
    let (tables, boards) = &MATERIALS[usize::from(material) % MATERIALS.len()];
    let (name, valid) = tables[usize::from(distance)];
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
    let (other, other_bytes) = tables[usize::from(!distance)];
    let files = [(name, bytes), (other, other_bytes.to_vec())];
    let (tables, _) = Tablebase::from_memory(files);
    for board in boards {
        let _ = (tables.probe_wdl(board), tables.probe_dtz(board));
    }
    // Takes as long as all of the probes.
    if material >= 128 {
        let _ = tables.rank_root(&boards[0], false, true);
    }
});
