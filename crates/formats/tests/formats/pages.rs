//! Pages and pictures: encodings, limits, drawings.

use super::*;
use saavedra_chess::Square;
use saavedra_formats::html;
use std::collections::BTreeSet;

#[test]
fn text_belongs_to_the_square_that_a_browser_shows_it_in() {
    // A square, what follows its symbol, and whether it is more than the symbol.
    let cases = [
        ("<td></td>", "<th>8</th>", false),
        ("<td>", "<th>8", false),
        ("<td>", "<tr><th>8", false),
        ("<td><b></td>", "</b>", false),
        ("<td><p></td>", "8", false),
        ("<td></td>", "<template>8</template><script>8</script>", false),
        ("<li>", "<li>8", false),
        ("<p>", "<div>8</div>", false),
        ("<div></div>", "8", false),
        ("<div><span></div>", "</span>8", false),
        ("<div>", "8", true),
        ("<span><div>", "</span>8", true),
    ];
    for (square, after, refused) in cases {
        let (start, end) = square.split_at(square.find('>').expect("a tag"));
        let mut text = "<table><tr>".to_owned();
        for square in Square::ALL {
            let piece = Board::startpos().piece_at(square);
            let symbol = piece.map_or(String::new(), |piece| html::symbol(piece).into());
            let (file, rank) = (square.file(), square.rank());
            let (inner, close) = end[1..].split_at(end[1..].find("</").unwrap_or(end.len() - 1));
            text +=
                &format!("{start} data-col={file} data-row={rank}>{inner}{symbol}{close}{after}\n");
        }
        assert_eq!(import("html", &text).is_err(), refused, "{square} {after}");
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
