//! The payload of a block of compact games: every game that is decoded is legal, and is the same
//! after it was written and read again.
//!
//! Built for fuzzing, the library ignores the checksum.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::data::{FileHeader, GameFile, GameRecord, RecordFormat, RecordWriter};
use std::path::Path;

fn write(games: &[GameRecord]) -> Vec<u8> {
    let header = FileHeader { engine: String::new(), nodes: 0, generation: 0, seed: 0 };
    let mut writer = RecordWriter::new(Vec::new(), &header, RecordFormat::Compact).unwrap();
    for game in games {
        writer.write(game).unwrap();
    }
    writer.finish().unwrap()
}

fn read(bytes: Vec<u8>) -> Vec<GameRecord> {
    let file = GameFile::from_bytes(Path::new("fuzz"), bytes).unwrap();
    file.games().flatten().collect()
}

fuzz_target!(|payload: &[u8]| {
    let mut file = write(&[]);
    file.extend(b"BLCK");
    file.extend((payload.len() as u32).to_le_bytes());
    file.extend([0; 4]);
    file.extend(payload);
    let games = read(file);
    assert_eq!(read(write(&games)), games);
});
