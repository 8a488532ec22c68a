//! Guessing the format of a text.

use super::*;

#[test]
fn formats_are_guessed_from_contents_and_file_names() {
    let mut document = Document::new(Board::startpos());
    document.operations.push(Operation {
        name: "id".into(),
        operands: vec!["start".into()],
        moves: Vec::new(),
    });
    for format in FORMATS {
        let text = format.export(&document);
        let guessed = saavedra_formats::by_content(&text).name();
        assert_eq!(guessed, format.name(), "{text}");
        for ending in format.extensions() {
            let known = saavedra_formats::by_file_name(&format!("some.file.{ending}"));
            assert_eq!(known.map(|f| f.name()), Some(format.name()));
        }
    }
}

#[test]
fn formats_are_guessed_from_contents() {
    let page = format!(
        "<HTML><body>{}<svg></svg></body></HTML>",
        format("html").export(&Document::new(Board::startpos()))
    );
    let rows = "-4, -2, -3, -5, -6, -3, -2, -4";
    for (text, expected) in [
        ("e2e4 e7e5", "uci"),
        ("1. e4 e5", "pgn"),
        ("12... e5", "pgn"),
        ("startpos bm e4;", "epd"),
        ("startpos bm e4 d4", "epd"),
        ("startpos moves e2e4 e7e5 g1f3 b8c6", "uci"),
        ("startpos e2e4 e7e5 g1f3 b8c6", "uci"),
        ("startpos", "uci"),
        ("# a suite\n\nstartpos bm e4;", "epd"),
        ("4k3/8/8/8/8/8/8/4K2R w K - bm O-O", "epd"),
        ("4k3/8/8/8/8/8/8/4K2R w K -", "fen"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "fen"),
        ("1. e4 e5 2. ♘f3 ♞c6 *", "pgn"),
        ("[Event \"x\"]\n\n1. e4 {the ♞ is strong} e5 *", "pgn"),
        ("♜♞♝♛♚♝♞♜\n", "unicode"),
        ("8 ♜♞♝♛♚♝♞♜\n", "unicode"),
        ("<figure class=\"board\"><svg></svg></figure>", "html"),
        ("<!DOCTYPE html>\n<html><svg></svg></html>", "html"),
        (&page, "html"),
        ("<svg></svg>", "svg"),
        ("<!-- made by <tool> -->\n<svg></svg>", "svg"),
        ("8 - - - - - - - -\n7 - - - - - - - -\n6 - - - - - - - -", "ascii"),
        ("1 - - - - - - - -\n2 - - - - - - - -", "ascii"),
        ("{\n2014\n}\n1. e4", "pgn"),
        ("<?xml version=\"1.0\"?>\n<!-- a board -->\n<svg></svg>", "svg"),
        (&format!("[[{rows}],"), "array"),
        (&format!("[\n  [{rows}],"), "array"),
        (&format!("[\n [\n  {}", rows.replace(' ', "\n  ")), "array"),
    ] {
        assert_eq!(saavedra_formats::by_content(text).name(), expected, "{text}");
    }
}

#[test]
fn arrays_may_have_one_number_a_line() {
    let board = Board::startpos();
    let text = format("array").export(&Document::new(board));
    let text = text.replace(", ", ",").replace(',', ",\n  ");
    let document = import("array", &text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    assert_eq!(document.board().piece_placement(), board.piece_placement());
}
