//! All formats, by the first byte; a document that is read is written in every format, and a
//! position without moves is read again from FEN and EPD as itself.
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
            let has_moves = document.tree.mainline().next().is_some();
            if !has_moves && matches!(other.name(), "fen" | "epd") {
                let again = other.import(&written).expect("a written position is read");
                assert_eq!(*again.tree.start(), board, "{written}");
            }
        }
    }
});
