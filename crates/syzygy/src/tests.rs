//! Tests below the probing code: a corrupt file causes at most an error, even without the checksum;
//! the page cache and memory give the same values.

use super::bytes::{PagedFile, TableBytes};
use super::material::Material;
use super::table::{Table, TableKind};
use saavedra_chess::{Board, Color, Piece, PieceKind, Random, Setup, Square};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

fn path(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    folder.join("tests/tables").join(name)
}

/// Random positions with the material of the table.
fn positions(material: Material, random: &mut Random) -> Vec<Board> {
    let mut boards = Vec::new();
    while boards.len() < 12 {
        let mut setup = Setup::empty();
        for color in Color::ALL {
            for kind in PieceKind::ALL {
                for _ in 0..material.count(color, kind) {
                    let square = Square::from_index(random.below(64) as u8);
                    setup.set_piece(square, Some(Piece::new(color, kind)));
                }
            }
        }
        setup.set_turn(Color::ALL[random.below(2)]);
        if let Ok((board, _)) = setup.to_board()
            && board.occupied().count() as usize == material.piece_count()
        {
            boards.push(board);
        }
    }
    boards
}

/// Reads and probes a corrupt table; whether any probe succeeded.
fn probe_corrupt(bytes: Vec<u8>, kind: TableKind, material: Material, boards: &[Board]) -> bool {
    let bytes = TableBytes::Memory(bytes.into_boxed_slice());
    let Ok(table) = Table::read(bytes, kind, material) else {
        return false;
    };
    let wdl = super::WdlScore::Win;
    boards.iter().fold(false, |any, board| {
        any | match kind {
            TableKind::Wdl => table.wdl(board).is_ok(),
            TableKind::Dtz => table.dtz(board, wdl).is_ok(),
        }
    })
}

#[test]
fn corrupt_files_cause_no_panic() {
    let mut random = Random::new(0xBAD_F00D);
    let names = ["KQvK", "KPvK", "KRvKR", "KRRvK", "KPPvK", "KBvK"];
    let mut answered = 0;
    for name in names {
        for kind in [TableKind::Wdl, TableKind::Dtz] {
            if (name, kind) == ("KPPvK", TableKind::Dtz) {
                continue;
            }
            let material = Material::from_name(name).unwrap();
            let valid = fs::read(path(&format!("{name}.{}", kind.extension()))).unwrap();
            let boards = positions(material, &mut random);
            assert!(probe_corrupt(valid.clone(), kind, material, &boards), "{name}");
            for round in 0..1_000 {
                let mut bytes = valid.clone();
                // Two thirds of the changes hit the header.
                let reach = [80, 400, bytes.len()][round % 3].min(bytes.len());
                for _ in 0..=random.below(4) {
                    bytes[random.below(reach)] = random.below(256) as u8;
                }
                answered += usize::from(probe_corrupt(bytes, kind, material, &boards));
            }
            for length in 0..valid.len().min(600) {
                assert!(!probe_corrupt(valid[..length].to_vec(), kind, material, &boards));
            }
        }
    }
    assert!(answered > 0, "some corruption is not detected without the checksum");
}

#[test]
fn page_cache_and_memory_give_the_same_values() {
    let mut random = Random::new(0x00DD_BA11);
    for (name, kind) in
        [("KRvKB", TableKind::Wdl), ("KRRvK", TableKind::Dtz), ("KPPvK", TableKind::Wdl)]
    {
        let material = Material::from_name(name).unwrap();
        let path = path(&format!("{name}.{}", kind.extension()));
        let read = |bytes| Table::read(bytes, kind, material).unwrap();
        let memory = read(TableBytes::open(&path).unwrap());
        let file = File::open(&path).unwrap();
        let size = file.metadata().unwrap().len();
        let paged = read(TableBytes::Paged(PagedFile::new(&path, file, size)));
        for _ in 0..50 {
            for board in positions(material, &mut random) {
                match kind {
                    TableKind::Wdl => assert_eq!(memory.wdl(&board), paged.wdl(&board), "{name}"),
                    TableKind::Dtz => {
                        let wdl = super::WdlScore::Win;
                        assert_eq!(memory.dtz(&board, wdl), paged.dtz(&board, wdl), "{name}");
                    }
                }
            }
        }
    }
}
