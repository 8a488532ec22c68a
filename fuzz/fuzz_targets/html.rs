//! HTML pages with boards: what is written is read again as the same position.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::formats::by_name;

fuzz_target!(|text: &str| {
    let format = by_name("html").expect("a format");
    for document in format.read(Box::new(text.as_bytes())).take(20).flatten() {
        let again = format
            .import(&format.export(&document))
            .expect("an own page");
        assert_eq!(again.tree.start(), document.tree.start());
    }
});
