//! PGN: what is written is read again as the same text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::formats::{by_name, pgn::Reader};

fuzz_target!(|bytes: &[u8]| {
    let format = by_name("pgn").expect("a format");
    for document in Reader::new(bytes).take(20).flatten() {
        let written = format.export(&document);
        let again = format.import(&written).expect("own PGN");
        assert_eq!(format.export(&again), written);
    }
});
