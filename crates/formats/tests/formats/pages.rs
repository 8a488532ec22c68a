//! Pages and pictures: encodings, limits, drawings.

use super::*;
use std::collections::BTreeSet;

#[test]
fn a_tag_has_at_most_256_attributes_with_or_without_a_value() {
    for first in ["a", "a=1", "a=\"> b c\"", "=", "=x", "/a = ' > '"] {
        for (others, refused) in [(255, false), (256, true)] {
            let page = format!("<p><div {first}{}>", " a".repeat(others));
            let error = import("html", &page).expect_err("no board").to_string();
            assert_eq!(error.contains("attributes"), refused, "{first} {others}: {error}");
        }
    }
}

#[test]
fn pages_in_utf_16_are_read() {
    let html = format("html");
    let page = html.export(&Document::new(Board::startpos()));
    let encoded = |bytes: fn(u16) -> [u8; 2]| {
        let units = std::iter::once(0xfeff).chain(page.encode_utf16());
        units.flat_map(bytes).collect::<Vec<u8>>()
    };
    for bytes in [encoded(u16::to_le_bytes), encoded(u16::to_be_bytes)] {
        let read = html.read(Box::new(bytes.as_slice())).next();
        let document = read.expect("a board").expect("read");
        assert_eq!(document.board(), Board::startpos());
    }
}

#[test]
fn each_piece_of_a_picture_has_its_own_drawing() {
    let picture = format("svg").export(&Document::new(Board::startpos()));
    let values = |attribute: &str| {
        let parts = picture.split(attribute).skip(1);
        let values = parts.filter_map(|part| part.split('"').next());
        values.map(str::to_owned).collect::<Vec<_>>()
    };
    let (drawings, uses) = (values(" id=\""), values("href=\"#"));
    assert_eq!(uses.len(), 32);
    let distinct: BTreeSet<_> = uses.iter().collect();
    assert_eq!(distinct.len(), 12);
    for drawing in distinct {
        let count = drawings.iter().filter(|id| *id == drawing).count();
        assert_eq!(count, 1, "{drawing}");
    }
}
