//! The rows of `boards.epd`: a position, and what the rules of chess say about it.
//!
//! Each row becomes a page under `target/boards/`, for people to look at. The test reads the page
//! back and asks Saavedra the question of the row.

use saavedra_chess::{Bitboard, Board, Color, Game, Move, Square};
use saavedra_formats::html::{self, Html};
use saavedra_formats::{Document, Format, Shape, ShapeColor};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

const ROWS: &str = include_str!("../boards.epd");

/// A row of the table.
struct Row {
    /// The heading above it.
    chapter: &'static str,
    /// The first four fields of a FEN, as the row has them.
    fields: String,
    document: Document,
    board: Board,
}

fn rows() -> Vec<Row> {
    let epd = saavedra_formats::by_name("epd").expect("a known format");
    let mut chapter = "";
    let mut rows = Vec::new();
    for line in ROWS.lines() {
        if let Some(title) = line.strip_prefix("## ") {
            chapter = title;
        } else if !line.is_empty() && !line.starts_with('#') {
            let document = epd.import(line);
            let document = document.unwrap_or_else(|error| panic!("{line}: {error}"));
            let fields: Vec<&str> = line.split_whitespace().take(4).collect();
            rows.push(Row { chapter, fields: fields.join(" "), board: document.board(), document });
        }
    }
    rows
}

impl Row {
    /// The operands of an operation of the row.
    fn operands(&self, name: &str) -> Option<Vec<&str>> {
        let operation = self.document.operation(name)?;
        Some(operation.operands.iter().map(String::as_str).collect())
    }

    /// The only operand of an operation that each row has.
    fn text(&self, name: &str) -> &str {
        match self.operands(name).as_deref() {
            Some([text]) => text,
            other => panic!("{name} of {}: {other:?}", self.fields),
        }
    }

    fn name(&self) -> &str {
        self.text("id")
    }

    /// The question of the row and the operands of its answer.
    fn question(&self) -> (&str, Vec<&str>) {
        let others = ["id", "c0", "c1", "fen"];
        let operations = self.document.operations.iter();
        let mut questions = operations.filter(|o| !others.contains(&o.name.as_str()));
        let question = questions.next().expect("a question");
        assert!(questions.next().is_none(), "{}", self.name());
        let operands = question.operands.iter().map(String::as_str).collect();
        (&question.name, operands)
    }

    /// The UCI texts of all legal moves.
    fn legal_texts(&self) -> BTreeSet<String> {
        let moves = self.board.legal_moves();
        let texts = moves.iter().map(|m| self.uci(*m));
        texts.collect()
    }

    fn uci(&self, m: Move) -> String {
        self.board.uci(m, self.document.chess960)
    }

    /// Checks the board and the answer.
    fn check(&self) {
        let fen = self.operands("fen").map(|fen| fen.join(" "));
        let fen = fen.unwrap_or_else(|| format!("{} 0 1", self.fields));
        assert_eq!(self.board.to_fen(), fen);
        match self.question() {
            ("moves", answer) => self.moves(&answer),
            ("legal", answer) => self.legal(answer[0]),
            ("refused", answer) => self.refused(answer[0], answer[1]),
            ("attacks", answer) => {
                self.attacks(color(answer[0]), square(answer[1]), squares(&answer[2..]));
            }
            ("check", answer) => self.in_check(color(answer[0]), squares(&answer[1..])),
            ("status", answer) => self.status(answer[0]),
            ("make", answer) => self.make(answer[0], answer[1]),
            (other, _) => panic!("unknown question {other}"),
        }
        let list = self.board.legal_moves();
        for m in (0..=u16::MAX).filter_map(Move::from_bits) {
            let (legal, listed) = (self.board.is_legal(m), list.contains(&m));
            assert_eq!(legal, listed, "is_legal and legal_moves differ for {m:?}");
        }
    }

    fn moves(&self, answer: &[&str]) {
        let from = square(answer[0]).to_string();
        let mut found = self.legal_texts();
        found.retain(|text| text.starts_with(&from));
        let expected = answer[1..].iter().map(|text| text.to_string());
        assert_eq!(found, expected.collect(), "moves from {from}");
    }

    fn legal(&self, text: &str) {
        assert!(self.legal_texts().contains(text), "{text} is generated");
        let m = self.board.parse_uci(text).expect("the move is legal");
        assert!(self.board.is_legal(m));
        assert_eq!(self.uci(m), text);
    }

    fn refused(&self, text: &str, reason: &str) {
        let before = self.board;
        assert!(!self.legal_texts().contains(text), "{text} is generated");
        let error = self.board.try_make_uci(text);
        let error = error.expect_err("the move is illegal");
        assert_eq!(format!("{:?}", error.reason), reason);
        assert_eq!(error.text, text);
        assert_eq!(error.fen, self.board.to_fen());
        assert_eq!(self.board, before, "an illegal move changes nothing");
    }

    fn attacks(&self, color: Color, square: Square, by: Bitboard) {
        assert_eq!(self.board.is_attacked(square, color), !by.is_empty());
        let attackers = self.board.attackers_to(square, self.board.occupied());
        assert_eq!(attackers & self.board.side(color).occupied(), by);
    }

    fn in_check(&self, color: Color, by: Bitboard) {
        assert_eq!(self.board.is_in_check(color), !by.is_empty());
        if color == self.board.turn() {
            assert_eq!(self.board.checkers(), by);
            assert_eq!(self.board.in_check(), !by.is_empty());
        }
    }

    fn status(&self, name: &str) {
        assert_eq!(self.board.status().name(), name);
        assert_eq!(Game::new(self.board).status(), self.board.status());
    }

    fn make(&self, text: &str, fen: &str) {
        let before = self.board;
        let after = self.board.try_make_uci(text).expect("the move is legal");
        assert_eq!(self.board, before, "the parent is unchanged");
        assert_eq!(after.to_fen(), fen);
        assert_eq!(after, Board::from_fen(fen).expect("a FEN"));
        assert_eq!(after.key(), after.compute_key());
    }

    /// Arrows for moves, red ones for refused moves and attackers, and marks for the squares in
    /// question.
    fn shapes(&self) -> Vec<Shape> {
        let arrow =
            |text: &str, color| Shape::arrow(square(&text[..2]), square(&text[2..4]), color);
        let attack = |from: &str, to| Shape::arrow(square(from), to, ShapeColor::Red);
        let king = |color| self.board.side(color).king();
        match self.question() {
            ("moves", answer) => {
                let marked = Shape::mark(square(answer[0]), ShapeColor::Green);
                let arrows = answer[1..].iter();
                let arrows = arrows.map(|text| arrow(text, ShapeColor::Green));
                std::iter::once(marked).chain(arrows).collect()
            }
            ("legal" | "make", answer) => vec![arrow(answer[0], ShapeColor::Green)],
            ("refused", answer) => vec![arrow(answer[0], ShapeColor::Red)],
            ("attacks", answer) => {
                let target = square(answer[1]);
                let arrows = answer[2..].iter().map(|from| attack(from, target));
                let marked = Shape::mark(target, ShapeColor::Blue);
                std::iter::once(marked).chain(arrows).collect()
            }
            ("check", answer) => {
                let king = king(color(answer[0]));
                let arrows = answer[1..].iter().map(|from| attack(from, king));
                let marked = Shape::mark(king, ShapeColor::Blue);
                std::iter::once(marked).chain(arrows).collect()
            }
            _ => vec![Shape::mark(king(self.board.turn()), ShapeColor::Blue)],
        }
    }

    /// The answer in words.
    fn answer(&self) -> String {
        let (question, operands) = self.question();
        let or_none = |words: &[&str]| match words {
            [] => "none".to_owned(),
            words => words.join(" "),
        };
        match (question, &operands[..]) {
            ("moves", [from, moves @ ..]) => format!("Moves from {from}: {}", or_none(moves)),
            ("legal", [text]) => format!("{text} is legal"),
            ("refused", [text, reason]) => format!("{text} is refused: {reason}"),
            ("attacks", [color, square, by @ ..]) => {
                format!("Attackers of {square}, {color}: {}", or_none(by))
            }
            ("check", [color, by @ ..]) => format!("Checkers of the {color} king: {}", or_none(by)),
            ("status", [name]) => format!("Status: {name}"),
            ("make", [text, fen]) => format!("After {text} the board is {fen}"),
            _ => panic!("{question} {operands:?}"),
        }
    }

    /// The page of the row. Its board is read back.
    fn page(&self) -> String {
        let mut document = Document::new(self.board);
        document.chess960 = self.document.chess960;
        document.drawing.shapes = self.shapes();
        let [title, reason, answer] =
            [self.text("c0"), self.text("c1"), &self.answer()].map(html::escape);
        let text = format!(
            "{}<p><a href=\"index.html\">All boards</a></p>\n<h1>{title}</h1>\n<p>{reason}</p>\n{}\
             <p><b>Expected.</b> {answer}.</p>\n{END}",
            head(self.text("c0")),
            html::board(&document)
        );
        let read = Html.import(&text);
        let read = read.unwrap_or_else(|error| panic!("{}: {error}", self.name()));
        assert_eq!(read.board(), self.board);
        assert_eq!(read.chess960, document.chess960);
        assert_eq!(read.drawing, document.drawing);
        text
    }
}

fn color(name: &str) -> Color {
    match name {
        "white" => Color::White,
        "black" => Color::Black,
        other => panic!("colour {other}"),
    }
}

fn square(name: &str) -> Square {
    name.parse().expect("a square")
}

fn squares(names: &[&str]) -> Bitboard {
    names.iter().map(|name| square(name)).collect()
}

const END: &str = "</main>\n</body>\n</html>\n";

fn head(title: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n\
         <style>\n{}</style>\n</head>\n<body>\n<main>\n",
        html::escape(title),
        html::STYLE
    )
}

/// The page that lists all others.
fn index(rows: &[Row]) -> String {
    let title = "Boards that test the rules";
    let mut text = format!("{}<h1>{title}</h1>\n", head(title));
    for rows in rows.chunk_by(|row, next| row.chapter == next.chapter) {
        let _ = write!(text, "<h2>{}</h2>\n<ul>\n", rows[0].chapter);
        for row in rows {
            let [title, reason] = [row.text("c0"), row.text("c1")].map(html::escape);
            let name = row.name();
            let _ = writeln!(text, "<li><a href=\"{name}.html\">{title}</a>. {reason}</li>");
        }
        text += "</ul>\n";
    }
    text + END
}

#[test]
fn the_answers_are_those_of_the_rules() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("boards");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let rows = rows();
    assert_eq!(rows.len(), 386);
    let names: BTreeSet<&str> = rows.iter().map(Row::name).collect();
    assert_eq!(names.len(), rows.len(), "each name occurs once");
    std::fs::write(folder.join("index.html"), index(&rows)).expect("written");
    let mut failed = Vec::new();
    for row in &rows {
        let checked = std::panic::catch_unwind(|| {
            let file = folder.join(row.name()).with_extension("html");
            std::fs::write(file, row.page()).expect("written");
            row.check();
        });
        if checked.is_err() {
            failed.push(row.name());
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// What Saavedra does not write: file letters of castling rights, an en passant square that no
/// pawn can capture on, a variation selector after a piece, cells in a `thead`, no counters.
#[test]
fn pages_written_by_others_have_the_boards_of_their_rows() {
    for name in [
        "black-pawn-en-passant-pinned-on-the-diagonal",
        "chess960-white-castling-both-to-the-same-side",
    ] {
        let rows = rows();
        let row = rows.iter().find(|row| row.name() == name);
        let board = row.expect("a row of that name").board;
        let page = Path::new("tests/pages").join(name).with_extension("html");
        let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(page));
        let document = Html.import(&page.expect("the page exists"));
        let document = document.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(document.board(), board, "{name}");
    }
}
