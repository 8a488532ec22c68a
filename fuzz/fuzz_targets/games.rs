//! Files of self-play games: damaged places are skipped, illegal games are found.
//!
//! Built for fuzzing, the library ignores the checksums.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::data::{GameFile, check_game};
use std::path::Path;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = GameFile::from_bytes(Path::new("fuzz"), bytes.to_vec()) else {
        return;
    };
    for game in file.games().flatten() {
        let is_legal = check_game(&game).is_ok();
        if let Ok(replay) = game.replay() {
            let plies: Vec<_> = replay.collect();
            assert!(!is_legal || plies.iter().all(Result::is_ok));
            for (number, ply) in plies.iter().flatten().enumerate() {
                assert!(!is_legal || game.leaf(number, &ply.board).is_ok());
            }
        }
    }
});
