//! The formats: what they read, write and refuse.

#![cfg(feature = "html")]

mod support;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use saavedra::chess::{Board, Piece, PieceKind, Setup};
use saavedra::formats::pgn::Reader;
use saavedra::formats::{
    self, Document, FORMATS, Fault, Format, FormatError, HtmlFault, Keeps, NodeId, Operation,
    Outcome, Place, Shape, Step, Tint, Tree,
};
use support::{Random, random_boards};

fn format(name: &str) -> &'static dyn Format {
    formats::by_name(name).expect("a known format")
}

fn import(name: &str, text: &str) -> Result<Document, FormatError> {
    format(name).import(text)
}

/// What a format gives back of a position.
fn round_trip(format: &dyn Format, board: &Board) -> Board {
    let text = format.export(&Document::new(*board));
    match format.import(&text) {
        Ok(document) => document.board(),
        Err(error) => panic!("{}: {error} in\n{text}", format.name()),
    }
}

#[test]
fn every_format_gives_back_what_it_keeps() {
    for board in random_boards(400, 1) {
        for format in FORMATS {
            let back = round_trip(format, &board);
            match format.keeps() {
                Keeps::Pieces => assert_eq!(back.fen_pieces(), board.fen_pieces()),
                _ => assert_eq!(back, board, "{}", format.name()),
            }
        }
    }
}

#[test]
fn files_of_many_positions_come_back_in_order() {
    let boards = random_boards(60, 1);
    for format in FORMATS {
        let mut text = Vec::new();
        let mut documents = boards.iter().map(|board| Document::new(*board));
        format.write(&mut documents, &mut text).expect("written");
        let back: Vec<Board> = format
            .read(Box::new(text.as_slice()))
            .map(|document| {
                document
                    .unwrap_or_else(|e| panic!("{}: {e}", format.name()))
                    .board()
            })
            .collect();
        let pieces = |boards: &[Board]| boards.iter().map(Board::fen_pieces).collect::<Vec<_>>();
        assert_eq!(pieces(&back), pieces(&boards), "{}", format.name());
    }
}

#[test]
fn every_format_reads_its_own_pieces() {
    for format in FORMATS {
        for color in saavedra::chess::Color::ALL {
            for kind in PieceKind::ALL {
                let piece = Piece::new(color, kind);
                let text = format.piece_text(piece);
                assert_eq!(format.parse_piece(&text), Some(piece), "{text}");
            }
        }
        assert_eq!(format.parse_piece("?"), None);
        assert_eq!(format.parse_piece(""), None);
    }
}

#[test]
fn names_and_contents_tell_the_format() {
    let mut document = Document::new(Board::start());
    document.operations.push(Operation {
        name: "id".into(),
        operands: vec!["start".into()],
    });
    for format in FORMATS {
        let text = format.export(&document);
        let guessed = formats::by_content(&text).name();
        assert_eq!(guessed, format.name(), "{text}");
        for ending in format.extensions() {
            let known = formats::by_file_name(&format!("some.file.{ending}"));
            assert_eq!(known.map(|f| f.name()), Some(format.name()));
        }
    }
    assert_eq!(formats::by_content("e2e4 e7e5").name(), "uci");
    assert_eq!(formats::by_content("1. e4 e5").name(), "pgn");
}

/// Format, text, message.
const FAULTS: &[(&str, &str, &str)] = &[
    (
        "fen",
        "8/8/8 w - -",
        "f:1:1: malformed FEN: 3 ranks instead of 8",
    ),
    (
        "fen",
        "\n# a comment\n8/8/8/8/8/8/8/k1K5 x - -",
        "f:3:20: malformed FEN: the side to move is \"x\", not w or b",
    ),
    (
        "fen",
        "k7/8/8/8/3y4/8/8/K7 w - - 0 1",
        "f:1:11: malformed FEN: unknown piece 'y' on rank 4",
    ),
    (
        "fen",
        "k7/8/8/8/44/8/8/K7 w - - 0 1",
        "f:1:11: malformed FEN: unknown piece '4' on rank 4",
    ),
    (
        "fen",
        "8/8/8/8/8/8/8/K7 w - - 0 1",
        "f:1: impossible position: black has no king",
    ),
    (
        "fen",
        "k7/8/8/8/8/8/8/K7 w - - 0 x",
        "f:1:27: malformed FEN: counter \"x\"",
    ),
    (
        "epd",
        "k7/8/8/8/8/8/8/K7 w - - bm Kb1 Kc3; id \"x\";",
        "f:1:32: illegal move: no legal move is meant by \"Kc3\" (k7/8/8/8/8/8/8/K7 w - - 0 1)",
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
        "f:2:6: illegal move e7e4: the piece does not go there \
             (rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1)",
    ),
    (
        "uci",
        "position fen k7/8/8/8/8/8/8/K7 w - x 0 1 moves a1b1",
        "f:1:36: malformed FEN: en passant square \"x\"",
    ),
    (
        "array",
        "[[1, 2],[3]]",
        "f:1:3: row 1 has 2 squares instead of 8",
    ),
    (
        "array",
        "0 0 0 0 0 0 0 9",
        "f:1:15: 9 on h8 is no piece (-6 to 6)",
    ),
    (
        "array",
        "0 0 0 0 0 0 0 0\n0 0",
        "f:2:1: row 2 has 2 squares instead of 8",
    ),
    ("array", "0 0 0 0 0 0 0 0\n", "f:1:1: 1 rows instead of 8"),
    ("array", "1 1 x", "f:1:5: unknown piece \"x\""),
    ("ascii", "\nk . . . . . . z", "f:2:15: unknown piece \"z\""),
    (
        "ascii",
        "k . . . . . .",
        "f:1: row 1 has 7 squares instead of 8",
    ),
    ("ascii", "k . . . . . . .\n", "f:1: 1 rows instead of 8"),
    (
        "svg",
        "<svg></svg>",
        "f: no FEN in the picture's description",
    ),
    (
        "svg",
        "<svg>\n<desc>8/8 w - -</desc></svg>",
        "f:2:7: malformed FEN: 2 ranks instead of 8",
    ),
    (
        "html",
        "<p>no board</p>",
        "f: no board: no element has both data-col and data-row",
    ),
    ("fen", "", "f: there is no position in it"),
    (
        "fen",
        "k7/8/8/8/8/8/8/K7 w\nk7/8/8/8/8/8/8/K7 b",
        "f:2: there is more than one position in it",
    ),
    (
        "fen",
        "k7/8\0",
        "f:1:5: this is no text: it has a zero byte",
    ),
];

#[test]
fn faults_are_placed_and_worded() {
    for (name, text, expected) in FAULTS {
        let error = import(name, text).expect_err(text);
        assert_eq!(error.located("f"), *expected, "{name}: {text:?}");
    }
}

#[test]
fn epd_operations_are_kept() {
    let text =
        "k7/8/8/8/8/8/7P/K7 w - - hmvc 3; fmvn 9; bm h4 Kb1; id \"a \\\"b\\\"; c\"; dm 5; D1 20;\n";
    let document = import("epd", text).expect("read");
    assert_eq!(document.board().halfmove_clock(), 3);
    assert_eq!(document.board().fullmove_number(), 9);
    let id = document.operation("id").expect("an id");
    assert_eq!(id.operands, ["a \"b\"; c"]);
    assert_eq!(document.operation_moves("bm").len(), 2);
    assert_eq!(format("epd").export(&document), text);
    let loose = import("epd", "k7/8/8/8/8/8/7P/K7 w - - 3 9 ;D1 4 ;D2 16").expect("read");
    assert_eq!(loose.board().halfmove_clock(), 3);
    assert_eq!(loose.operation("D2").expect("D2").operands, ["16"]);
}

#[test]
fn diagrams_are_read_with_frames_and_labels_from_either_side() {
    let expected = "r3k2r/8/8/8/4P3/8/8/R3K2R";
    let rows = [
        "r...k..r", "........", "........", "........", "....P...", "........", "........",
    ];
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
            let cells: Vec<String> = row
                .replace('.', " ")
                .chars()
                .map(|c| format!(" {c} "))
                .collect();
            format!("+---+---+---+---+---+---+---+---+\n|{}|\n", cells.join("|"))
        })
        .collect();
    let flipped: String = plain
        .lines()
        .rev()
        .zip(1..=8)
        .map(|(row, rank)| format!("{rank} {}\n", row.chars().rev().collect::<String>()))
        .collect();
    let flipped = format!("{flipped}  h g f e d c b a\n");
    for text in [plain, labelled, framed, flipped] {
        let document = import("ascii", &text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
        assert_eq!(document.board().fen_pieces(), expected, "{text}");
        assert_eq!(document.board().castling().count(), 4);
    }
}

#[test]
fn black_moves_in_a_diagram_where_its_king_is_in_check() {
    let board = Board::from_fen("4k3/8/8/8/8/8/8/4RK2 b - - 0 1").expect("a position");
    for name in ["ascii", "unicode", "array"] {
        assert_eq!(
            round_trip(format(name), &board).turn(),
            board.turn(),
            "{name}"
        );
    }
}

/// A page of one board: a table of which this is the text on each square.
fn page(fen: &str, around: &str, square: impl Fn(&str, String) -> String) -> String {
    let board = Board::from_fen(fen).expect("a position");
    let mut text = format!("<table {around}>\n");
    for rank in (1..=8).rev() {
        text += "<tr>\n";
        for file in 'a'..='h' {
            let name = format!("{file}{rank}");
            let piece = board.piece_at(name.parse().expect("a square"));
            let symbol = piece.map_or(String::new(), |p| format("html").piece_text(p));
            text += &format!(
                "<td data-row={rank} DATA-COL='{file}'>{}\n",
                square(&name, symbol)
            );
        }
    }
    text
}

const POSITION: &str = "r3k2r/8/8/3pP3/8/8/8/R3K2R w KQkq d6 0 1";

#[test]
fn html_boards_are_read_as_browsers_read() {
    let same = |_: &str, symbol: String| symbol;
    let cases: [(&str, String, &str); 9] = [
        ("plain", page(POSITION, "", same), "w KQkq - 0 1"),
        (
            "turn",
            page(POSITION, "data-turn=black data-castling=k", same),
            "b k - 0 1",
        ),
        (
            "en passant",
            page(POSITION, "data-ep=d6", same),
            "w KQkq d6 0 1",
        ),
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
            "divisions that are never closed",
            page(POSITION, "", same)
                .replace("<td", "<div")
                .replace("<tr>", "<section>")
                .replace("<table", "<main"),
            "w KQkq - 0 1",
        ),
        (
            "cells without a table",
            page(POSITION, "", same).replace("<table", "<p"),
            "w KQkq - 0 1",
        ),
        (
            "the attributes on an outer element",
            format!(
                "<div data-turn=b>{}",
                page(POSITION, "data-castling=-", same)
            ),
            "b - - 0 1",
        ),
        (
            "the attributes on an element beside",
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
fn html_faults_name_the_square() {
    let with = |wrong: &str, text: &str| {
        page(POSITION, "", |name, symbol| match name == wrong {
            true => text.to_owned(),
            false => symbol,
        })
    };
    let good = with("", "");
    let b2 = "b2".parse().expect("a square");
    let cases = [
        (with("b2", "x"), HtmlFault::Symbol(b2, "x".into())),
        (with("b2", "♙♟"), HtmlFault::Several(b2, "♙♟".into())),
        (
            good.replace("data-row=2 DATA-COL='b'", "data-row=2 DATA-COL='c'"),
            HtmlFault::Repeated("c2".parse().expect("a square")),
        ),
        (
            good.replace("data-row=2 DATA-COL='b'", "data-row=9 DATA-COL='b'"),
            HtmlFault::NotASquare("b".into(), "9".into()),
        ),
        (
            good.replace("<td data-row=2 DATA-COL='b'>", ""),
            HtmlFault::Missing(vec![b2]),
        ),
        (
            page(POSITION, "data-turn=green", |_, s| s),
            HtmlFault::Attribute("data-turn", "green".into()),
        ),
        (
            page(POSITION, "data-ep=d3", |_, s| s),
            HtmlFault::Attribute("data-ep", "d3".into()),
        ),
        (
            page(POSITION, "data-castling=XYZ", |_, s| s),
            HtmlFault::Attribute("data-castling", "XYZ".into()),
        ),
    ];
    for (text, fault) in cases {
        let error = import("html", &text).expect_err("a fault");
        assert_eq!(error.fault, Fault::Html(fault));
    }
    let cut = &good[..good.len() / 2];
    let error = import("html", cut).expect_err("half a page");
    assert!(
        error.to_string().starts_with("missing squares a1 b1"),
        "{error}"
    );
}

#[test]
fn written_pages_stand_alone_and_say_what_they_show() {
    let mut document = import("fen", "4k3/8/8/8/8/8/4R3/4K3 b - - 7 30").expect("read");
    document.drawing.last_move = Shape::parse("e3e2").map(|shape| (shape.from, shape.to));
    document.drawing.shapes = ["Re8d8", "Ge2"]
        .map(|t| Shape::parse(t).expect("a shape"))
        .into();
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
    for outside in [
        "http:", "https:", "<img", "url(", "<script", "<link", "@import",
    ] {
        assert!(!text.contains(outside), "{outside}");
    }
    let back = import("html", &text).expect("read");
    assert_eq!(back.drawing, document.drawing);
    assert_eq!(back.board(), document.board());
}

#[test]
fn texts_are_escaped_in_pages() {
    let mut document = Document::new(Board::start());
    document.set_tag("White", "<b>\"&'");
    document.set_tag("Black", "x");
    let text = format("html").export(&document);
    assert!(text.contains("<title>&lt;b&gt;&quot;&amp;&#39; – x</title>"));
}

#[test]
fn shapes_are_read_and_written() {
    let arrow = Shape::parse("Re2e4").expect("an arrow");
    assert_eq!((arrow.tint, arrow.is_mark()), (Tint::Red, false));
    assert_eq!(
        Shape::parse("e4").map(|s| s.to_string()).as_deref(),
        Some("Ge4")
    );
    for wrong in ["", "G", "Ge", "e9", "e2e", "e2e4e5", "ée4"] {
        assert_eq!(Shape::parse(wrong), None, "{wrong}");
    }
    let document = import("pgn", "1. e4 { [%csl Ye4] good [%cal Ge4e5,Rd2d4] } *").expect("read");
    let texts: Vec<String> = document
        .full_drawing()
        .shapes
        .iter()
        .map(|s| s.to_string())
        .collect();
    assert_eq!(texts, ["Ge4e5", "Rd2d4", "Ye4"]);
}

#[test]
fn uci_lines_keep_games() {
    let cases = [
        ("e2e4 e7e5 e1e2\n", "e2e4 e7e5 e1e2\n"),
        (
            "position startpos moves e2e4 0000 d2d4\n",
            "e2e4 0000 d2d4\n",
        ),
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
fn trees_keep_variations_in_order() {
    let start = Board::start();
    let step = |board: &Board, text: &str| Step::Move(board.parse_uci(text).expect("legal"));
    let mut tree = Tree::new(start);
    let e4 = tree.add(NodeId::ROOT, step(&start, "e2e4"));
    let d4 = tree.add(NodeId::ROOT, step(&start, "d2d4"));
    let c4 = tree.add(NodeId::ROOT, step(&start, "c2c4"));
    let after = tree.node(e4).step().expect("a step").make(&start);
    let e5 = tree.add(e4, step(&after, "e7e5"));
    assert_eq!(
        tree.children(NodeId::ROOT).collect::<Vec<_>>(),
        [e4, d4, c4]
    );
    assert_eq!(tree.main_line().collect::<Vec<_>>(), [e4, e5]);
    assert_eq!(
        (tree.end(), tree.parent(d4), tree.variations()),
        (e5, Some(NodeId::ROOT), 2)
    );
}

#[test]
fn setups_without_kings_are_refused_everywhere() {
    assert!(Document::from_setup(&Setup::empty()).is_err());
    assert!(import("array", &"0 0 0 0 0 0 0 0\n".repeat(8)).is_err());
    assert!(import("ascii", &"........\n".repeat(8)).is_err());
}

mod games {
    use super::*;

    fn read(text: &str) -> Vec<Result<Document, FormatError>> {
        Reader::new(text.as_bytes()).collect()
    }

    fn moves(document: &Document) -> String {
        let mut board = *document.tree.start();
        let mut words = Vec::new();
        for step in document.tree.main_steps() {
            words.push(match step {
                Step::Move(m) => board.san(m),
                Step::Pass => "--".into(),
            });
            board = step.make(&board);
        }
        words.join(" ")
    }

    /// The moves of each game of a text that has no fault.
    fn all_moves(text: &str) -> Vec<String> {
        let documents = read(text).into_iter();
        documents
            .map(|d| moves(&d.unwrap_or_else(|e| panic!("{}", e.located(text)))))
            .collect()
    }

    const E5: &str = "e4 e5";

    /// Texts, and the moves they mean.
    const SPELLINGS: &[(&str, &str)] = &[
        ("1. e4 e5 *", E5),
        ("1.e4 e5 *", E5),
        ("1 e4 e5", E5),
        ("e4 e5", E5),
        ("1. e2-e4 e7-e5", E5),
        ("1. e2e4 e7e5", E5),
        ("1. Pe4 Pe5", E5),
        ("1. e4! e5?! $14 !! +/- =", E5),
        ("1. e4 1... e5", E5),
        ("1. e4 ... e5", E5),
        ("1. e4 1. ... e5", E5),
        ("1. e4 1… e5", E5),
        ("{c} 1. {c} e4 {c} e5 {c} *", E5),
        ("1. e4 ; e6 is no move\ne5", E5),
        ("1. e4\n% e6 is no move\ne5", E5),
        ("1. e4 (1. d4 d5 (1... Nf6 {x (y)}) 2. c4) e5", E5),
        ("1. e4 <reserved> e5", E5),
        ("1. e4 [%clk 0:01:00] e5 [%clk 0:01:00]", E5),
        ("1. e4 e5 1-0 {resigns}", E5),
        ("1-0 1. e4 e5", E5),
        ("1. e4 1-0 e5", E5),
        ("1. e4\r\n\r\n1... e5\r\n", E5),
        ("1. e4\r1... e5\r", E5),
        ("\u{feff}1. e4 e5", E5),
        ("1. e4 e5 2. ♘f3 ♞c6", "e4 e5 Nf3 Nc6"),
        ("1. g1f3 g8f6", "Nf3 Nf6"),
        ("1. Ng1-f3 Ng8f6", "Nf3 Nf6"),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. 0-0",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O",
        ),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. o-o",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O",
        ),
        (
            "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. e1g1",
            "e4 e5 Nf3 Nc6 Bc4 Bc5 O-O",
        ),
        ("1. e4 a6 2. e5 d5 3. exd6 e.p. *", "e4 a6 e5 d5 exd6"),
        ("1. e4 a6 2. e5 d5 3. exd6e.p. Nc6", "e4 a6 e5 d5 exd6 Nc6"),
        ("1. e4 a6 2. e5 d5 3. exd6ep Nc6", "e4 a6 e5 d5 exd6 Nc6"),
        ("1. e4 a6 2. e5 d5 3. e5xd6/ep Nc6", "e4 a6 e5 d5 exd6 Nc6"),
        (
            "1. e4 -- 2. d4 Z0 3. Nf3 0000 4. Nc3 @@@@",
            "e4 -- d4 -- Nf3 -- Nc3 --",
        ),
        ("1. f3 e5 2. g4 Qh4++", "f3 e5 g4 Qh4#"),
        ("1. f3 e5 2. g4 Qh4 # 0-1", "f3 e5 g4 Qh4#"),
        (
            "1. e4 f5 2. exf5 g6 3. fxg6 Nf6 4. g7 Ne4 5. gxh8(Q)",
            "e4 f5 exf5 g6 fxg6 Nf6 g7 Ne4 gxh8=Q",
        ),
        (
            "1. e4 f5 2. exf5 g6 3. fxg6 Nf6 4. g7 Ne4 5. gxh8/N a6",
            "e4 f5 exf5 g6 fxg6 Nf6 g7 Ne4 gxh8=N a6",
        ),
        (
            "1. e4 f5 2. exf5 g6 3. fxg6 Nf6 4. g7 Ne4 5. gxh8Q",
            "e4 f5 exf5 g6 fxg6 Nf6 g7 Ne4 gxh8=Q",
        ),
    ];

    #[test]
    fn what_people_write_for_moves_is_taken() {
        for (text, expected) in SPELLINGS {
            assert_eq!(all_moves(text), [*expected], "{text:?}");
        }
    }

    #[test]
    fn games_without_tags_or_results_are_told_apart() {
        let cases: [(&str, &[&str]); 7] = [
            ("1. e4 *\n1. d4 *\n", &["e4", "d4"]),
            ("1. e4 1-0\n\n1. d4 0-1", &["e4", "d4"]),
            ("e4 1-0\nd4 0-1", &["e4", "d4"]),
            ("1. e4 e5\n\n1. d4 d5", &["e4 e5", "d4 d5"]),
            (
                "[Event \"a\"]\n\n1. e4\n[Event \"b\"]\n\n1. d4",
                &["e4", "d4"],
            ),
            (
                "[Event \"a\"]\n\n[Event \"b\"]\n\n*\n\n[Event \"c\"]\n",
                &["", "", ""],
            ),
            (
                "[Event \"a\"]\n\n[Site \"b\"]\n\n1. e4 *\n\n{the end}\n",
                &["e4"],
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(all_moves(text), expected, "{text:?}");
        }
        assert!(read("").is_empty());
        assert!(read("\n\n% nothing\n{nothing}\n").is_empty());
    }

    #[test]
    fn tags_are_taken_as_they_come() {
        let text = "[Event \"a \\\"b\\\" \\\\\"][Site \"c \"d\" e\"]\n[ Date  \"x\" ] [Round 7]\n\
                    [White \"never closed]\n[Black \"M\u{fc}ller\"]\n[Result \"1/2-1/2\"]\n\n1. e4";
        let document = import("pgn", text).expect("read");
        let tags = ["Event", "Site", "Date", "Round", "White", "Black"].map(|t| document.tag(t));
        let expected = [
            "a \"b\" \\",
            "c \"d\" e",
            "x",
            "7",
            "never closed",
            "Müller",
        ];
        assert_eq!(tags, expected.map(Some));
        assert_eq!(document.outcome, Outcome::Draw);
        let latin = b"[White \"M\xfcller\"]\n\n1. e4 {\xe9}";
        let document = Reader::new(&latin[..])
            .next()
            .expect("a game")
            .expect("read");
        assert_eq!(document.tag("White"), Some("Müller"));
        assert_eq!(document.tree.node(document.tree.end()).comment, "é");
    }

    #[test]
    fn chess960_games_are_known_by_tag_or_position() {
        let standard = import(
            "pgn",
            "[Variant \"Chess960\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. O-O",
        );
        assert_eq!(
            format("uci").export(&standard.expect("read")),
            "e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1\n"
        );
        let text = "[FEN \"1r2k1r1/1p4p1/8/8/8/8/1P4P1/1R2K1R1 w KQkq - 0 1\"]\n\n1. O-O O-O-O *";
        let document = import("pgn", text).expect("read");
        assert!(document.chess960);
        assert!(
            format("pgn")
                .export(&document)
                .contains("[Variant \"Chess960\"]")
        );
        for (variant, fine) in [
            ("fischerandom", true),
            ("From Position", true),
            ("Atomic", false),
        ] {
            let read = import("pgn", &format!("[Variant \"{variant}\"]\n\n1. e4"));
            assert_eq!(read.is_ok(), fine, "{variant}");
        }
    }

    /// Games that cannot be taken: line, column and beginning of the message.
    const BAD_GAMES: &[(&str, u64, u64, &str)] = &[
        (
            "[Event \"x\"]\n\n1. e4 e5 2. Ke3 Nf6 *\n",
            3,
            13,
            "illegal move: no legal move",
        ),
        (
            "[Event \"x\"]\n\n1. e4 {é} e5 2. Nd2 *\n",
            3,
            17,
            "illegal move: no legal move",
        ),
        ("[Event \"x\"]\n\n1. e4 Qd8-d5 *\n", 3, 7, "illegal move"),
        (
            "[Event \"x\"]\n\n1. e4 hello *\n",
            3,
            7,
            "illegal move: \"hello\" is not",
        ),
        (
            "[Event \"x\"]\n\n1. d4 d5 2. Nf3 e6 3. Nd2 *\n",
            3,
            23,
            "illegal move: several",
        ),
        ("[Event \"x\"]\n\n1. e4 & e5 *\n", 3, 7, "\"&\" is no move"),
        (
            "[Event \"x\"]\n[FEN \"8/8 w\"]\n\n1. e4 *\n",
            2,
            1,
            "malformed FEN: 2 ranks",
        ),
        (
            "[Event \"x\"]\n[FEN \"8/8 w\"]\n\n",
            2,
            1,
            "malformed FEN: 2 ranks",
        ),
        (
            "[Variant \"Atomic\"]\n\n1. e4 *\n",
            1,
            1,
            "the rules of variant \"Atomic\"",
        ),
        (
            "[Event \"x\"]\n\n1. e4 {never closed *\n",
            3,
            7,
            "the comment is not closed",
        ),
        (
            "[Event \"x\"]\n\n1. f3 e5 2. e4 Qh4+ 3. -- *\n",
            3,
            24,
            "illegal move: passing",
        ),
    ];

    #[test]
    fn faults_have_a_place_and_the_next_game_is_read() {
        let good = "[Event \"good\"]\n\n1. e4 *\n";
        for (bad, line, column, message) in BAD_GAMES {
            let games = read(&format!("{bad}\n{good}"));
            let error = games[0].as_ref().expect_err(bad);
            assert_eq!(error.place.line, Some(*line), "{bad}");
            assert_eq!(error.place.column, Some(*column), "{bad}");
            assert_eq!(error.place.game, Some(1), "{bad}");
            assert!(error.to_string().starts_with(message), "{bad}: {error}");
            let next = games[1].as_ref().expect("the next game");
            assert_eq!(
                (next.tag("Event"), next.place.game),
                (Some("good"), Some(2)),
                "{bad}"
            );
            assert_eq!(games.len(), 2, "{bad}");
        }
    }

    #[test]
    fn a_bad_variation_ends_and_the_game_goes_on() {
        let text = "1. e4 (1. d4 d5 2. Ke7 {lost} (2. c4) Nf6) e5 (1... Nf6 2. e5) 2. Nf3 *";
        let document = import("pgn", text).expect("read");
        assert_eq!(moves(&document), "e4 e5 Nf3");
        assert_eq!(document.faults.len(), 1);
        assert_eq!(
            document.faults[0].place,
            Place {
                game: Some(1),
                ..Place::at(1, 20)
            }
        );
        assert_eq!(document.tree.len(), 7);
        let stray = import("pgn", "1. e4 ) e5 *").expect("read");
        assert_eq!((moves(&stray).as_str(), stray.faults.len()), ("e4 e5", 1));
    }

    #[test]
    fn binary_rubbish_gives_one_message() {
        let rubbish: Vec<u8> = (0..100_000u64).map(|n| (n * n / 7 + n) as u8).collect();
        let read: Vec<_> = Reader::new(rubbish.as_slice()).collect();
        assert_eq!(read.len(), 1);
        assert!(read[0].is_err());
    }

    #[test]
    fn what_is_written_reads_the_same() {
        let text = "[Event \"a \\\"b\\\"\"]\n[White \"x\"]\n[Annotator \"y\"]\n[Result \"1-0\"]\n\n\
            {before} 1. e4 $1 {one} ({why} 1. d4 d5 (1... Nf6 2. c4) 2. c4) ({or} 1. c4) e5 $14 $2 \
            2. Nf3 (2. f4 exf4 {a {b c; d}) 2... Nc6 3. Bb5 -- {end of a long comment that has to be \
            broken over lines, since it has very many words, %odd ones too} 1-0";
        let document = import("pgn", text).expect("read");
        let written = format("pgn").export(&document);
        assert!(
            written.lines().all(|line| line.chars().count() < 80),
            "{written}"
        );
        assert!(!written.lines().any(|line| line.starts_with('%')));
        let mut back = import("pgn", &written).expect("read back");
        back.place = document.place;
        for (name, _) in &document.tags {
            assert_eq!(back.tag(name), document.tag(name));
        }
        assert_eq!(back.outcome, document.outcome);
        assert_eq!(
            back.tree.main_steps().collect::<Vec<_>>(),
            document.tree.main_steps().collect::<Vec<_>>()
        );
        assert_eq!(format("pgn").export(&back), written);
    }

    #[test]
    fn the_fast_reading_of_moves_agrees_with_the_slow() {
        let mut random = Random::new(7);
        for board in random_boards(300, 1) {
            let moves = board.legal_moves();
            for m in &moves {
                let fen = board.to_fen();
                let text = format!("[FEN \"{fen}\"]\n\n{} *", board.san(m));
                let document = import("pgn", &text).unwrap_or_else(|e| panic!("{text}: {e}"));
                assert_eq!(
                    document.tree.main_steps().next(),
                    Some(Step::Move(m)),
                    "{text}"
                );
            }
            // Texts that may mean nothing.
            for _ in 0..40 {
                let sign = |random: &mut Random, set: &str| {
                    let signs: Vec<char> = set.chars().collect();
                    random.pick(&signs).to_string().trim().to_owned()
                };
                let mut word = sign(&mut random, "NBRQK  O");
                for set in ["abcdefgh  ", "12345678  ", "x  ", "abcdefgh", "12345678"] {
                    word += &sign(&mut random, set);
                }
                word += *random.pick(&["", "", "=Q", "=K", "=", "Q", "=n"]);
                if word.starts_with(|c: char| c.is_ascii_digit()) {
                    continue; // a move number
                }
                let text = format!("[FEN \"{}\"]\n\n{word} *", board.to_fen());
                let fast = import("pgn", &text)
                    .ok()
                    .and_then(|d| d.tree.main_steps().next());
                let slow = board
                    .parse_san(&word)
                    .or_else(|_| board.parse_uci(&word).map_err(|_| ()));
                assert_eq!(fast, slow.ok().map(Step::Move), "{text}");
            }
        }
    }

    #[test]
    fn tokens_at_the_edge_of_what_is_read_at_once_are_whole() {
        /// Gives a few bytes at a time.
        struct Drops<'a>(&'a [u8], usize);
        impl std::io::Read for Drops<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                let n = self.1.min(self.0.len()).min(buffer.len());
                buffer[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let game = "[Event \"some event\"]\n[Site \"there\"]\n\n1. e4 {a comment\nof two lines} e5 \
                    (1... c5 $1) 2. Nf3 Nc6 ; to the end of the line\n3. Bb5 a6 1/2-1/2\n\n";
        let text = game.repeat(2000);
        let whole: Vec<_> = read(&text).into_iter().map(|d| d.expect("read")).collect();
        assert_eq!(whole.len(), 2000);
        for size in [1, 7, 4096, 131_071] {
            let drops = Reader::new(Drops(text.as_bytes(), size));
            assert!(
                drops.map(|d| d.expect("read")).eq(whole.iter().cloned()),
                "{size}"
            );
        }
    }
}

/// Texts to be spoilt: one of each format.
fn samples() -> Vec<(&'static dyn Format, Vec<u8>)> {
    let game = import(
        "pgn",
        "[White \"é\"]\n\n1. e4 $1 {c} (1. d4 (1. c4)) e5 2. Nf3 -- ; x\n 1/2-1/2",
    );
    let game = game.expect("read");
    FORMATS
        .into_iter()
        .map(|format| (format, format.export(&game).into_bytes()))
        .collect()
}

fn read_all(format: &dyn Format, bytes: &[u8]) {
    for document in format.read(Box::new(bytes)).take(1000) {
        match document {
            Err(error) => assert!(!error.to_string().is_empty()),
            // What was taken can be written, and that read again.
            Ok(document) => {
                for format in FORMATS {
                    let text = format.export(&document);
                    let back = format.import(&text);
                    assert!(back.is_ok(), "{}: {:?}\n{text}", format.name(), back.err());
                }
            }
        }
    }
}

/// The same documents on every run.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(21),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn spoilt_documents_are_refused_or_taken_but_never_fatal(
        sample in 0..9usize,
        cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..3u8), 0..6),
        truncate in any::<bool>(),
    ) {
        let (format, mut bytes) = samples().swap_remove(sample);
        for (place, byte, change) in changes {
            let at = place.index(bytes.len());
            match change {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, byte),
                _ => { bytes.remove(at); }
            }
        }
        if truncate {
            bytes.truncate(cut.index(bytes.len()));
        }
        read_all(format, &bytes);
    }

    #[test]
    fn rubbish_is_never_fatal(bytes in prop::collection::vec(any::<u8>(), 0..400), sample in 0..9usize) {
        read_all(FORMATS[sample], &bytes);
        let _ = formats::by_content(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn words_of_games_are_never_fatal(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "1.", "e4", "e5", "Nf3", "O-O", "(", ")", "{", "}", "$1", "1-0", "*", "\n", "\n\n",
                "[Event \"x\"]", "[FEN \"8/8/8/8/8/5k2/4p3/4K3 w - - 0 1\"]", "--", ";", "%", "?!",
                "♘f3", "½", "0-0", "<", ">", "[", "]", "Kd2", "é", "\u{feff}", "...", "2", "e.p.",
            ]),
            0..40,
        ),
        glue in prop::sample::select(vec!["", " "]),
    ) {
        read_all(&formats::pgn::Pgn, words.join(glue).as_bytes());
    }
}
