//! All formats, by the first byte; a document that is read is written in every format that can express it,
//! and what is written is read again as the same position.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::formats::FORMATS;

fuzz_target!(|input: (u8, &str)| {
    let (number, text) = input;
    let format = FORMATS[usize::from(number) % FORMATS.len()];
    for document in format.read(Box::new(text.as_bytes())).take(20).flatten() {
        let board = *document.tree.start();
        for other in FORMATS {
            let written = other.export(&document);
            if matches!(other.name(), "fen" | "epd") {
                let again = other.import(&written).expect("an own position");
                assert_eq!(*again.tree.start(), board, "{written}");
            }
        }
    }
});
