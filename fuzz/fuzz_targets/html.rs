//! HTML pages with boards: what is written is read again as the same position.
#![no_main]

use libfuzzer_sys::fuzz_target;
use saavedra::formats::by_name;

/// The first rank, for [`page`].
const PIECES: [char; 8] = ['♖', '♘', '♗', '♕', '♔', '♗', '♘', '♖'];

/// The page of a text, in which one character stands for the tag of the next square and another for
/// the squares of a rank with pieces, so that short inputs have whole boards.
fn page(text: &str) -> String {
    let mut page = String::new();
    let mut squares = (b'1'..=b'8')
        .flat_map(|row| (b'a'..=b'h').map(move |col| (char::from(col), char::from(row))));
    for c in text.chars() {
        match c {
            '\u{1}' => {
                if let Some((col, row)) = squares.next() {
                    page += &format!("<i data-col={col} data-row={row}>");
                }
            }
            '\u{2}' => {
                for ((col, row), piece) in squares.by_ref().take(8).zip(PIECES) {
                    let text = match row {
                        '1' => piece.to_string(),
                        '8' => char::from_u32(piece as u32 + 6).into_iter().collect(),
                        _ => String::new(),
                    };
                    page += &format!("<i data-col={col} data-row={row}>{text}</i>");
                }
            }
            c => page.push(c),
        }
    }
    page
}

fuzz_target!(|text: &str| {
    let format = by_name("html").expect("a format");
    let page = page(text);
    for document in format.read(Box::new(page.as_bytes())).take(20).flatten() {
        let again = format.import(&format.export(&document)).expect("a written page is read");
        assert_eq!(again.tree.start(), document.tree.start());
    }
});
