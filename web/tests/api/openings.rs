//! The page uses the names of openings in `data/openings.tsv`.
//!
//! With `SAAVEDRA_WRITE_OPENINGS=1` the test writes the asset.

use saavedra::chess::Board;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

/// The 32-bit FNV-1a hash of a text.
fn fnv1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The FEN after the moves, without its counters.
fn position(movetext: &str) -> String {
    let mut board = Board::startpos();
    for word in movetext.split_whitespace() {
        if !word.starts_with(|c: char| c.is_ascii_digit()) {
            board = board.make(board.parse_san(word).expect("a legal move"));
        }
    }
    let fen = board.to_fen();
    fen.split(' ').take(4).collect::<Vec<_>>().join(" ")
}

/// The text of the asset: ECO code, family, variation and the hashes of the positions; an empty
/// family is the family of the line above.
fn asset(source: &str) -> String {
    let mut openings: BTreeMap<(&str, &str, &str), Vec<u32>> = BTreeMap::new();
    for line in source.lines().skip(1) {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("three fields");
        let (eco, name, moves) = (next(), next(), next());
        let (family, variation) = name.split_once(": ").unwrap_or((name, ""));
        let hash = fnv1a(&position(moves));
        openings.entry((family, variation, eco)).or_default().push(hash);
    }
    let (mut text, mut last) = (String::new(), "");
    for ((family, variation, eco), hashes) in openings {
        let hashes: Vec<String> = hashes.iter().map(|hash| format!("{hash:08x}")).collect();
        let shown = if family == last { "" } else { family };
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{eco}\t{shown}\t{variation}\t{}", hashes.join(" "));
        last = family;
    }
    text
}

#[test]
fn the_openings_of_the_page_are_those_of_the_data() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = std::fs::read_to_string(root.join("../data/openings.tsv")).expect("the data");
    let expected = asset(&source);
    assert!(expected.len() < 200_000, "{} bytes", expected.len());
    let path = root.join("assets/openings.tsv");
    if std::env::var("SAAVEDRA_WRITE_OPENINGS").is_ok() {
        std::fs::write(&path, &expected).expect("the asset is written");
    }
    let found = std::fs::read_to_string(&path).expect("the asset");
    assert!(
        found == expected,
        "web/assets/openings.tsv is out of date: run this test with SAAVEDRA_WRITE_OPENINGS=1"
    );
}
