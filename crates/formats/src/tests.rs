//! Hostile inputs: the parsers need linear time, which is asserted by counting their steps.

use super::{ErrorKind, Format, HtmlError, PgnError, by_content, by_name, pgn, scan};
use std::cell::Cell;

thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

fn count(steps: usize) {
    STEPS.set(STEPS.get() + steps);
}

/// [`scan::find`], which counts the bytes.
pub(super) fn find<const N: usize>(bytes: &[u8], wanted: &[u8; N]) -> Option<usize> {
    let found = scan::find(bytes, wanted);
    count(found.map_or(bytes.len(), |at| at + 1));
    found
}

/// [`scan::columns`], which counts the bytes.
pub(super) fn columns(bytes: &[u8]) -> u64 {
    count(bytes.len());
    scan::columns(bytes)
}

/// Reads a text to its end, and skips its games if it is one of games; the number of steps.
fn steps(format: &dyn Format, text: &str) -> usize {
    STEPS.set(0);
    for document in format.read(Box::new(text.as_bytes())) {
        drop(document);
    }
    if format.name() == "pgn" {
        let mut reader = pgn::Reader::new(text.as_bytes());
        while !matches!(reader.skip_game(), Ok(false)) {}
        pgn::Reader::new(text.as_bytes()).keep_everything().for_each(drop);
    }
    STEPS.get()
}

/// Repeated units: the format, what comes before, the unit, the number of repetitions.
const REPEATED: &[(&str, &str, &str, usize)] = &[
    ("html", "", "<div>", 10_000),
    ("html", "", "<b><i><a>", 3_000),
    ("html", "<table>", "<b>x", 3_000),
    ("html", "<table>", "<td>x", 10_000),
    ("html", "<p><b><i><u><s><em>", "<p>x", 5_000),
    ("html", "", "<p>x</b>", 10_000),
    ("html", "", "<select><option>", 5_000),
    ("html", "<svg>", "<g>", 10_000),
    ("html", "", "<b><dl><dt><a>", 5_000),
    ("html", "<!-- -->", "<ul><li>", 5_000),
    ("html", "", "<template>", 5_000),
    ("html", "", "<html data-turn=w>", 5_000),
    ("html", "<a ", "b<", 20_000),
    ("html", "<!--", "<a b c>", 10_000),
    ("pgn", "1. e4 ", "(1. d4) ", 8_000),
    ("pgn", "1. e4 ", "(1. d4 ", 8_000),
    ("pgn", "1. e4 ", ")", 20_000),
    ("pgn", "1. e4 ", "(1. Ke5) ", 8_000),
    ("pgn", "1. Ke5 ", "(1. d4 ", 8_000),
    ("pgn", "1. e4 ", "& ", 20_000),
    ("pgn", "1. e4 ", "resigns ", 10_000),
    ("pgn", "1. e4 {x\n\n[A", "\n\n[A", 20_000),
    ("pgn", "1. e4 {", "x ", 40_000),
    ("pgn", "1. e4 ", "{x}", 20_000),
    ("pgn", "1. e4 ", "<>", 20_000),
    ("pgn", "1. e4 ", "[%x]", 20_000),
    ("pgn", "", "[A \"b\"] ", 8_000),
    ("pgn", "", "[A \"b\"]\n", 8_000),
    ("pgn", "1. e4 ", "$1 ", 20_000),
    ("pgn", "1. e4 ", "! ", 20_000),
    ("pgn", "", "1 ", 30_000),
    ("pgn", "", "& \n\n", 10_000),
    ("pgn", "1. e4 ", "=", 40_000),
    ("pgn", "1. e4 ", "; {\n", 20_000),
    ("pgn", "1. e4 ", "{\n} 1-0 ", 10_000),
    ("pgn", "", "[A \"b\" x ", 10_000),
    ("pgn", "", "[A \"\\\"b\"]\n", 8_000),
    ("array", "", "1 ", 32_000),
    ("array", "", "é 1 ", 20_000),
    ("svg", "<svg>", "<desc>8/8/8/8/8/8/8/k1K5 w - - 0 1</desc>", 1_000),
    ("svg", "<svg>", "<desc", 10_000),
    ("epd", "k7/8/8/8/8/8/8/K7 w - - ", "D1 2; ", 10_000),
    ("fen", "", "8/", 30_000),
    ("uci", "", "e2e4 ", 20_000),
    ("ascii", "", "k . ", 20_000),
];

#[test]
fn doubled_inputs_need_at_most_double_the_steps() {
    for (name, before, unit, count) in REPEATED {
        let format = by_name(name).expect("a format");
        let text = |count: usize| before.to_string() + &unit.repeat(count);
        let once = steps(format, &text(*count));
        let twice = steps(format, &text(2 * count));
        assert!(
            twice <= 2 * once + once / 10 + 300_000,
            "{name} {before}{unit}: {once} and {twice} steps"
        );
        let bytes = text(2 * count).len();
        assert!(twice <= 300 * bytes, "{name} {before}{unit}: {twice} steps for {bytes} bytes");
        by_content(&text(*count));
    }
}

/// The kind of the first error of a text.
fn first_error(name: &str, text: &str) -> Option<ErrorKind> {
    let format = by_name(name).expect("a format");
    let mut documents = format.read(Box::new(text.as_bytes()));
    documents.find_map(|document| Some(document.err()?.kind))
}

/// Numbered units such as ` a1 a2 a3`.
fn numbered(count: usize, unit: impl Fn(usize) -> String) -> String {
    (0..count).map(unit).collect()
}

#[test]
fn the_attributes_of_an_element_are_not_limited() {
    let page = format!("<div{}>", numbered(20_000, |i| format!(" a{i}='<'")));
    assert_eq!(first_error("html", &page), Some(ErrorKind::Html(HtmlError::NoBoard)));
}

#[test]
fn tags_are_limited() {
    let tags = |count| numbered(count, |i| format!("[A{i} \"x\"]\n")) + "\n1. e4 *\n";
    let too_many = Some(ErrorKind::Pgn(PgnError::TooManyTags(1000)));
    assert_eq!(first_error("pgn", &tags(18_000)), too_many);
    assert_eq!(first_error("pgn", &tags(1001)), too_many);
    assert_eq!(first_error("pgn", &tags(1000)), None);
}

#[test]
fn nesting_is_limited() {
    let too_deep = |limit| Some(ErrorKind::Html(HtmlError::TooDeep(limit)));
    assert_eq!(first_error("html", &"<div>".repeat(40_000)), too_deep(256));
    assert_eq!(first_error("html", &"<b><i><a>".repeat(12_000)), too_deep(256));
    let variations = "1. e4 ".to_owned() + &"(1. d4 ".repeat(300);
    let too_deep = Some(ErrorKind::Pgn(PgnError::TooDeep(256)));
    assert_eq!(first_error("pgn", &variations), too_deep);
}
