//! Syzygy tablebase files: a damaged file is reported and never used beyond its end.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::chess::Board;
use saavedra::tablebase::Tablebase;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A folder of this process, in memory where the system has such a folder.
fn folder() -> &'static PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = PathBuf::from("/dev/shm");
        let parent = if memory.is_dir() {
            memory
        } else {
            std::env::temp_dir()
        };
        let folder = parent.join(format!("saavedra-fuzz-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    })
}

/// Positions with these pieces, White and Black to move.
const FENS: [&str; 4] = [
    "8/8/8/4k3/8/8/3QK3/8 w - - 0 1",
    "8/8/8/4k3/8/8/3QK3/8 b - - 0 1",
    "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1",
    "8/4k3/8/8/2p5/8/4K3/8 b - - 0 1",
];

fuzz_target!(|input: (bool, bool, &[u8])| {
    let (pawn, distance, bytes) = input;
    let name = if pawn { "KPvK" } else { "KQvK" };
    let extension = if distance { "rtbz" } else { "rtbw" };
    let path = folder().join(format!("{name}.{extension}"));
    std::fs::write(&path, bytes).expect("a file");
    let (tables, _) = Tablebase::open_folders([folder().clone()]);
    for board in FENS.map(|fen| Board::from_fen(fen).expect("legal")) {
        let _ = (tables.probe_wdl(&board), tables.probe_dtz(&board));
        let _ = tables.rank_root(&board, false, true);
    }
    let _ = tables.verify();
    std::fs::remove_file(path).expect("the file exists");
});
