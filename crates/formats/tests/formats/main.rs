//! Reading and writing the formats.

#![cfg(feature = "html")]

mod boards;
mod contents;
mod keeping;
mod malformed;
mod nags;
mod pages;
mod pgn;
#[path = "../../../chess/tests/support/mod.rs"]
mod support;

use saavedra_chess::{Board, GameResult, Setup};
use saavedra_formats::pgn::Reader;
use saavedra_formats::{
    Content, Document, ErrorKind, FORMATS, Format, FormatError, HtmlError, Location, NodeId,
    Operation, Ply, Shape, ShapeColor, Tree,
};
use support::{Random, random_boards};

fn format(name: &str) -> &'static dyn Format {
    saavedra_formats::by_name(name).expect("a known format")
}

fn import(name: &str, text: &str) -> Result<Document, FormatError> {
    format(name).import(text)
}

#[test]
fn the_format_of_a_file_is_that_of_its_extension() {
    for (file, expected) in [
        ("a.fen", Some("fen")),
        ("a.epd", Some("epd")),
        ("dir.fen/a.PGN", Some("pgn")),
        ("a.fen.uci", Some("uci")),
        ("a.json", Some("array")),
        ("a.svg", Some("svg")),
        ("a.txt", Some("ascii")),
        ("a.html", Some("html")),
        ("a.htm", Some("html")),
        ("a.xhtml", Some("html")),
        ("pgn", None),
        ("a.", None),
        ("a.exe", None),
    ] {
        let found = saavedra_formats::by_file_name(file).map(Format::name);
        assert_eq!(found, expected, "{file}");
    }
}

/// Exports and imports a position.
fn round_trip(format: &dyn Format, board: &Board) -> Board {
    let text = format.export(&Document::new(*board));
    match format.import(&text) {
        Ok(document) => document.board(),
        Err(error) => panic!("{}: {error} in\n{text}", format.name()),
    }
}

#[test]
fn every_format_round_trips_positions() {
    for board in random_boards(400, 1) {
        for format in FORMATS {
            let back = round_trip(format, &board);
            match format.content() {
                Content::Pieces => assert_eq!(back.piece_placement(), board.piece_placement()),
                _ => assert_eq!(back, board, "{}", format.name()),
            }
        }
    }
}

#[test]
fn files_of_many_positions_round_trip() {
    let boards = random_boards(60, 1);
    for format in FORMATS {
        let mut text = Vec::new();
        let mut documents = boards.iter().map(|board| Document::new(*board));
        format.write(&mut documents, &mut text).expect("written");
        let back: Vec<Board> = format
            .read(Box::new(text.as_slice()))
            .map(|document| document.unwrap_or_else(|e| panic!("{}: {e}", format.name())).board())
            .collect();
        let pieces =
            |boards: &[Board]| boards.iter().map(Board::piece_placement).collect::<Vec<_>>();
        assert_eq!(pieces(&back), pieces(&boards), "{}", format.name());
    }
}

/// Format, text, message.
const ERRORS: &[(&str, &str, &str)] = &[
    ("fen", "8/8/8 w - -", "f:1:1: malformed FEN: 3 ranks instead of 8"),
    (
        "fen",
        "\n# a comment\n8/8/8/8/8/8/8/k1K5 x - -",
        "f:3:20: malformed FEN: the side to move is \"x\", not w or b",
    ),
    ("fen", "k7/8/8/8/3y4/8/8/K7 w - - 0 1", "f:1:11: malformed FEN: unknown piece 'y' on rank 4"),
    ("fen", "k7/8/8/8/44/8/8/K7 w - - 0 1", "f:1:11: malformed FEN: two digits in a row on rank 4"),
    ("fen", "8/8/8/8/8/8/8/K7 w - - 0 1", "f:1: impossible position: black has no king"),
    ("fen", "k7/8/8/8/8/8/8/K7 w - - 0 x", "f:1:27: malformed FEN: counter \"x\""),
    (
        "epd",
        "k7/8/8/8/8/8/8/K7 w - - bm Kb1 Kc3; id \"x\";",
        "f:1:32: illegal move: no legal move matches \"Kc3\" (k7/8/8/8/8/8/8/K7 w - - 0 1)",
    ),
    (
        "epd",
        "k7/8/8/8/8/8/8/K7 w - - id \"x;",
        "f:1:28: EPD operation \"id\" has a string that is not closed",
    ),
    (
        "epd",
        "k7/8/8/8/8/8/8/K7 w - - hmvc -1;",
        "f:1:25: EPD operation \"hmvc\" needs a number from 0 up",
    ),
    (
        "uci",
        "e2e4 e7e5\ne2e4 e7e4",
        "f:2:6: illegal move e7e4: that piece cannot move there \
             (rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1)",
    ),
    (
        "uci",
        "position fen k7/8/8/8/8/8/8/K7 w - x 0 1 moves a1b1",
        "f:1:36: malformed FEN: en passant square \"x\"",
    ),
    ("array", "[[1, 2],[3]]", "f:1:3: row 1 has 2 squares instead of 8"),
    ("array", "0 0 0 0 0 0 0 9", "f:1:15: 9 on h8 is not a piece (-6 to 6)"),
    ("array", "0 0 0 0 0 0 0 0\n0 0", "f:2:1: row 2 has 2 squares instead of 8"),
    ("array", "0 0 0 0 0 0 0 0\n", "f:1:1: 1 rows instead of 8"),
    ("array", "0, 0, 0, 0, 0, 0,\n0\n", "f:1:1: row 1 has 7 squares instead of 8"),
    ("array", "1 1 x", "f:1:5: unknown piece \"x\""),
    ("ascii", "\nk . . . . . . z", "f:2:15: unknown piece \"z\""),
    ("ascii", "k . . . . . .", "f:1: row 1 has 7 squares instead of 8"),
    ("ascii", "k . . . . . . .\n", "f:1: 1 rows instead of 8"),
    ("svg", "<svg></svg>", "f: no desc element with a FEN"),
    ("svg", "<svg>\n<desc>8/8 w - -</desc></svg>", "f:2:7: malformed FEN: 2 ranks instead of 8"),
    ("html", "<p>no board</p>", "f: no board: no element has both data-col and data-row"),
    ("fen", "", "f: no position found"),
    ("fen", "k7/8/8/8/8/8/8/K7 w\nk7/8/8/8/8/8/8/K7 b", "f:2: more than one position"),
    ("fen", "k7/8\0", "f:1:5: not a text: zero byte"),
];

#[test]
fn errors_have_a_location_and_a_message() {
    for (name, text, expected) in ERRORS {
        let error = import(name, text).expect_err(text);
        assert_eq!(error.located("f"), *expected, "{name}: {text:?}");
    }
}

#[test]
fn epd_moves_are_read_as_san_or_coordinates() {
    for (operands, moves) in [
        ("Nf3", "g1f3"),
        ("g1f3", "g1f3"),
        ("g1-f3", "g1f3"),
        ("g1f3!", "g1f3"),
        ("e2-e4 e2e3", "e2e4 e2e3"),
        ("Nf3, e4", "g1f3 e2e4"),
        ("Nf3,e4 ,d4", "g1f3 e2e4 d2d4"),
    ] {
        for name in ["bm", "am", "pm", "sm"] {
            let text = format!("startpos {name} {operands}; id \"a, b\";");
            let document = import("epd", &text).expect(&text);
            let read = document.operation_moves(name);
            let read: Vec<String> = read.iter().map(|m| m.to_string()).collect();
            assert_eq!(read.join(" "), moves, "{text}");
            assert_eq!(document.operation("id").expect(&text).operands, ["a, b"], "{text}");
        }
    }
    for (operation, location) in [
        ("bm e4, g1g3", "f:1:17: "),
        ("bm d4,e5", "f:1:16: "),
        ("pm --", "f:1:13: "),
        ("am #3", "f:1:13: "),
        ("bm #", "f:1:13: "),
    ] {
        let error = import("epd", &format!("startpos {operation};")).expect_err(operation);
        assert!(error.located("f").starts_with(location), "{operation}: {}", error.located("f"));
    }
}

#[test]
fn comments_keep_opening_braces_and_drawings_need_no_blank() {
    let document = import("pgn", "1. e4 {a { b [%calGe4e5] [%cslRd4]} e5 *").expect("read");
    let text = format("pgn").export(&document);
    assert!(text.contains("{a { b [%calGe4e5] [%cslRd4]}"), "{text}");
    let after_e4 = document.tree.mainline_nodes().next().expect("a move");
    let mut drawing = saavedra_formats::Drawing::default();
    drawing.add_from_comment(&document.tree.node(after_e4).comment);
    let shapes: Vec<String> = drawing.shapes.iter().map(|shape| shape.to_string()).collect();
    assert_eq!(shapes, ["Ge4e5", "Rd4"]);
}

#[test]
fn epd_operations_round_trip() {
    let text =
        "k7/8/8/8/8/8/7P/K7 w - - hmvc 3; fmvn 9; bm h4 Kb1; id \"a \\\"b\\\"; c\"; dm 5; D1 20;\n";
    let document = import("epd", text).expect("read");
    assert_eq!(document.board().halfmove_clock(), 3);
    assert_eq!(document.board().fullmove_number(), 9);
    let id = document.operation("id").expect("an id");
    assert_eq!(id.operands, ["a \"b\"; c"]);
    assert_eq!(document.operation_moves("bm").len(), 2);
    assert_eq!(format("epd").export(&document), text);
    let huge = "k7/8/8/8/8/8/7P/K7 w - - 99999999999 99999999999";
    let document = import("epd", huge).expect("read");
    assert_eq!(document.board().halfmove_clock(), u16::MAX);
    assert_eq!(document.board().fullmove_number(), u32::MAX);
    let loose = import("epd", "k7/8/8/8/8/8/7P/K7 w - - 3 9 ;D1 4 ;D2 16").expect("read");
    assert_eq!(loose.board().halfmove_clock(), 3);
    assert_eq!(loose.operation("D2").expect("D2").operands, ["16"]);
}

#[test]
fn a_bad_line_of_a_list_does_not_end_it() {
    let text = "k7/8/8/8/8/8/8/K7 w - -\nk7/8\nk7/8/8/8/8/8/8/K7 b - -\n";
    for name in ["fen", "epd"] {
        let documents: Vec<_> = format(name).read(Box::new(text.as_bytes())).collect();
        let lines = documents.iter().map(|document| match document {
            Ok(document) => (true, document.location.line),
            Err(error) => (false, error.location.line),
        });
        let expected = [(true, Some(1)), (false, Some(2)), (true, Some(3))];
        assert_eq!(lines.collect::<Vec<_>>(), expected, "{name}");
    }
}

#[test]
fn diagrams_may_have_borders_and_coordinates_from_either_side() {
    let expected = "r3k2r/8/8/8/4P3/8/8/R3K2R";
    let rows = ["r...k..r", "........", "........", "........", "....P...", "........", "........"];
    let plain = format!("{}\nR...K..R", rows.join("\n"));
    let labelled: String = plain
        .lines()
        .zip((1..=8).rev())
        .map(|(row, rank)| format!("{rank} {row} {rank}\n"))
        .collect();
    let labelled = format!("  abcdefgh\n{labelled}  a b c d e f g h\n");
    let framed: String = plain
        .lines()
        .map(|row| {
            let cells: Vec<String> =
                row.replace('.', " ").chars().map(|c| format!(" {c} ")).collect();
            format!("+---+---+---+---+---+---+---+---+\n|{}|\n", cells.join("|"))
        })
        .collect();
    let flipped: String = plain
        .lines()
        .rev()
        .zip(1..=8)
        .map(|(row, rank)| format!("{rank} {}\n", row.chars().rev().collect::<String>()))
        .collect();
    // Only rank numbers, only file letters, both.
    let squares = |text: &str| text.lines().map(|row| format!("{}\n", &row[2..])).collect();
    let flipped_files: String = squares(&flipped);
    let flipped_files = format!("{flipped_files}h g f e d c b a\n");
    let flipped_both = format!("{flipped}  h g f e d c b a\n");
    for text in [plain, labelled, framed, flipped, flipped_files, flipped_both] {
        let document = import("ascii", &text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
        assert_eq!(document.board().piece_placement(), expected, "{text}");
        assert_eq!(document.board().castling_rights().count(), 4);
    }
}

#[test]
fn black_is_to_move_in_a_diagram_with_black_in_check() {
    let board = Board::from_fen("4k3/8/8/8/8/8/8/4RK2 b - - 0 1").expect("a position");
    for name in ["ascii", "unicode", "array"] {
        assert_eq!(round_trip(format(name), &board).turn(), board.turn(), "{name}");
    }
}

/// A page with one board in a table; `square` maps the name and symbol of a square to its text.
fn page(fen: &str, around: &str, square: impl Fn(&str, String) -> String) -> String {
    let board = Board::from_fen(fen).expect("a position");
    let mut text = format!("<table {around}>\n");
    for rank in (1..=8).rev() {
        text += "<tr>\n";
        for file in 'a'..='h' {
            let name = format!("{file}{rank}");
            let piece = board.piece_at(name.parse().expect("a square"));
            let symbol = piece.map_or(String::new(), |p| saavedra_formats::html::symbol(p).into());
            text += &format!("<td data-row={rank} DATA-COL='{file}'>{}\n", square(&name, symbol));
        }
    }
    text
}

const POSITION: &str = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";

#[test]
fn html_boards_are_read_as_browsers_do() {
    let same = |_: &str, symbol: String| symbol;
    let cases: [(&str, String, &str); 9] = [
        ("plain", page(POSITION, "", same), "w KQkq - 0 1"),
        ("turn", page(POSITION, "data-turn=black data-castling=k", same), "b k - 0 1"),
        ("en passant", page(POSITION, "data-ep=d6", same), "w KQkq d6 0 1"),
        (
            "scripts, comments, markup",
            page(POSITION, "", |_, symbol| {
                format!("<b><!-- ♛ --><script>'♛'</script><i>{symbol}&nbsp;</i><style>♛</style>")
            }),
            "w KQkq - 0 1",
        ),
        (
            "variation selectors and entities",
            page(POSITION, "", |_, symbol| match symbol.chars().next() {
                None => "&#xfe0e;".into(),
                Some(c) => format!("&#{};&#xFE0E;", c as u32),
            }),
            "w KQkq - 0 1",
        ),
        (
            "unclosed div elements",
            page(POSITION, "", same)
                .replace("<td", "<div")
                .replace("<tr>", "<section>")
                .replace("<table", "<main"),
            "w KQkq - 0 1",
        ),
        (
            "table cells without a table",
            page(POSITION, "", same).replace("<table", "<p"),
            "w KQkq - 0 1",
        ),
        (
            "the attributes on an outer element",
            format!("<div data-turn=b>{}", page(POSITION, "data-castling=-", same)),
            "b - - 0 1",
        ),
        (
            "the attributes on a sibling element",
            format!("<p data-turn=b>Black</p>{}", page(POSITION, "", same)),
            "w KQkq - 0 1",
        ),
    ];
    for (name, text, rest) in cases {
        let document = import("html", &text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let expected = format!("{} {rest}", POSITION.split(' ').next().unwrap_or_default());
        assert_eq!(document.board().to_fen(), expected, "{name}");
    }
}

#[test]
fn html_errors_name_the_square() {
    let with = |wrong: &str, text: &str| {
        page(POSITION, "", |name, symbol| if name == wrong { text.to_owned() } else { symbol })
    };
    let good = with("", "");
    let b2 = "b2".parse().expect("a square");
    let cases = [
        (with("b2", "x"), HtmlError::Symbol(b2, "x".into())),
        (with("b2", "♙♟"), HtmlError::Several(b2, "♙♟".into())),
        (
            good.replace("data-row=2 DATA-COL='b'", "data-row=2 DATA-COL='c'"),
            HtmlError::Repeated("c2".parse().expect("a square")),
        ),
        (
            good.replace("data-row=2 DATA-COL='b'", "data-row=9 DATA-COL='b'"),
            HtmlError::NotASquare("b".into(), "9".into()),
        ),
        (good.replace("<td data-row=2 DATA-COL='b'>", ""), HtmlError::Missing(vec![b2])),
        (
            page(POSITION, "data-turn=green", |_, s| s),
            HtmlError::Attribute("data-turn", "green".into()),
        ),
        (page(POSITION, "data-ep=d3", |_, s| s), HtmlError::Attribute("data-ep", "d3".into())),
        (
            page(POSITION, "data-castling=XYZ", |_, s| s),
            HtmlError::Attribute("data-castling", "XYZ".into()),
        ),
    ];
    for (text, kind) in cases {
        let error = import("html", &text).expect_err("an error");
        assert_eq!(error.kind, ErrorKind::Html(kind));
    }
    let cut = &good[..good.len() / 2];
    let error = import("html", cut).expect_err("half a page");
    assert!(error.to_string().starts_with("missing squares a1 b1"), "{error}");
}

#[test]
fn pages_are_self_contained_and_have_captions() {
    let mut document = import("fen", "4k3/8/8/8/8/8/4R3/4K3 b - - 7 30").expect("read");
    document.drawing.last_move = Shape::parse("e3e2").map(|shape| (shape.from, shape.to));
    document.drawing.shapes = ["Re8d8", "Ge2"].map(|t| Shape::parse(t).expect("a shape")).into();
    let text = format("html").export(&document);
    for part in [
        "<!DOCTYPE html>",
        "lang=\"en\"",
        "name=\"viewport\"",
        "prefers-color-scheme: dark",
        "@media print",
        "<th scope=\"row\">8</th>",
        "data-turn=\"black\" data-castling=\"-\" data-ep=\"-\"",
        "data-last=\"e3e2\" data-shapes=\"Re8d8 Ge2\"",
        "<caption>Black to move, check</caption>",
        "Last move: e3–e2. Arrows: e8–d8 (red). Marked: e2 (green).",
    ] {
        assert!(text.contains(part), "{part}");
    }
    for outside in ["http:", "https:", "<img", "url(", "<script", "<link", "@import"] {
        assert!(!text.contains(outside), "{outside}");
    }
    let back = import("html", &text).expect("read");
    assert_eq!(back.drawing, document.drawing);
    assert_eq!(back.board(), document.board());
}

#[test]
fn page_texts_are_escaped() {
    let mut document = Document::new(Board::startpos());
    document.set_tag("White", "<b>\"&'");
    document.set_tag("Black", "x");
    let text = format("html").export(&document);
    assert!(text.contains("<title>&lt;b&gt;&quot;&amp;&#39; – x</title>"));
}

#[test]
fn shapes_round_trip() {
    let arrow = Shape::parse("Re2e4").expect("an arrow");
    assert_eq!((arrow.color, arrow.is_mark()), (ShapeColor::Red, false));
    assert_eq!(Shape::parse("e4").map(|s| s.to_string()).as_deref(), Some("Ge4"));
    for wrong in ["", "G", "Ge", "e9", "e2e", "e2e4e5", "ée4"] {
        assert_eq!(Shape::parse(wrong), None, "{wrong}");
    }
    let document = import("pgn", "1. e4 { [%csl Ye4] good [%cal Ge4e5,Rd2d4] } *").expect("read");
    let texts: Vec<String> = document.full_drawing().shapes.iter().map(|s| s.to_string()).collect();
    assert_eq!(texts, ["Ge4e5", "Rd2d4", "Ye4"]);
}

#[test]
fn uci_lines_round_trip_games() {
    let cases = [
        ("e2e4 e7e5 e1e2\n", "e2e4 e7e5 e1e2\n"),
        ("position startpos moves e2e4 0000 d2d4\n", "e2e4 0000 d2d4\n"),
        ("startpos\n", "position startpos\n"),
        (
            "fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1h1 e8c8\n",
            "position fen r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves e1g1 e8c8\n",
        ),
        (
            "position fen 1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w KQkq - 0 1 moves e1g1 e8b8\n",
            "position fen 1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w KQkq - 0 1 moves e1g1 e8b8\n",
        ),
    ];
    for (text, expected) in cases {
        let document = import("uci", text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(format("uci").export(&document), expected);
    }
}

#[test]
fn startpos_is_read_wherever_a_fen_is_and_never_written() {
    for (name, text) in [
        ("fen", "startpos\n"),
        ("epd", "startpos bm e4;\n"),
        ("epd", "startpos; bm e4;\n"),
        ("uci", "position fen startpos moves e2e4\n"),
        ("pgn", "[FEN \"startpos\"]\n\n1. e4 *\n"),
    ] {
        let document = import(name, text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(*document.tree.start(), Board::startpos(), "{text}");
        let operations = document.operations.iter();
        assert!(operations.map(|o| o.moves.len()).all(|n| n == 1), "{text}");
        let written = format(name).export(&document);
        assert!(!written.contains("startpos"), "{text}: {written}");
    }
}

#[test]
fn a_semicolon_may_end_a_fen_in_every_format() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 3 9";
    for end in [";", " ; ", ";\t"] {
        for (name, before, after) in [
            ("fen", "", "\n"),
            ("epd", "", "\n"),
            ("uci", "position fen ", " moves e1g1\n"),
            ("pgn", "[FEN \"", "\"]\n\n1. O-O *\n"),
        ] {
            let text = format!("{before}{fen}{end}{after}");
            let document = import(name, &text).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(document.tree.start().to_fen(), fen, "{text}");
            assert!(!format(name).export(&document).contains("K - 3 9;"), "{text}");
        }
    }
    assert!(import("fen", &format!("{fen};;")).is_err());
}

#[test]
fn trees_keep_variations_in_order() {
    let start = Board::startpos();
    let ply = |board: &Board, text: &str| Ply::Move(board.parse_uci(text).expect("legal"));
    let mut tree = Tree::new(start);
    let e4 = tree.add(NodeId::ROOT, ply(&start, "e2e4"));
    let d4 = tree.add(NodeId::ROOT, ply(&start, "d2d4"));
    let c4 = tree.add(NodeId::ROOT, ply(&start, "c2c4"));
    let after = tree.node(e4).ply().expect("a ply").make(&start);
    let e5 = tree.add(e4, ply(&after, "e7e5"));
    assert_eq!(tree.children(NodeId::ROOT).collect::<Vec<_>>(), [e4, d4, c4]);
    assert_eq!(tree.mainline_nodes().collect::<Vec<_>>(), [e4, e5]);
    assert_eq!((tree.end(), tree.parent(d4)), (e5, Some(NodeId::ROOT)));
}

#[test]
fn setups_without_kings_are_refused_everywhere() {
    assert!(Document::from_setup(&Setup::empty()).is_err());
    assert!(import("array", &"0 0 0 0 0 0 0 0\n".repeat(8)).is_err());
    assert!(import("ascii", &"........\n".repeat(8)).is_err());
}
