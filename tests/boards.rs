//! The pages of `tests/boards`: each shows a position and what the rules say about it, for a person
//! to look at and for the test of the same name to ask of the library.
//!
//! Pages and the list of tests are written by `tests/boards/generate.py`; what is expected comes
//! from hand and from python-chess.

use saavedra::chess::{Bitboard, Board, CastlingRight, Color, Game, Move, Piece, Setup, Square};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Makes the list of pages and a test for each.
macro_rules! boards {
    ($($name:ident => $file:literal,)*) => {
        const PAGES: &[&str] = &[$($file),*];

        mod page {
            $(#[test] fn $name() { super::ask($file); })*
        }
    };
}

include!("boards/cases.rs");

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/boards")
}

/// The attributes of an element, by name.
type Attributes = BTreeMap<String, String>;

/// A page as it was read.
struct Page {
    /// What the element around the squares says.
    table: Attributes,
    /// The squares with their marks.
    marks: BTreeMap<String, BTreeSet<Square>>,
    board: Board,
}

/// The inside of the tag that begins at the start of `text`: `name key="value" …`.
fn attributes(text: &str) -> Attributes {
    let tag = &text[..text.find('>').expect("a tag ends")];
    tag.split("data-")
        .skip(1)
        .map(|part| {
            let (key, rest) = part.split_once("=\"").expect("key=\"value\"");
            let (value, _) = rest.split_once('"').expect("a value ends");
            (key.to_owned(), value.to_owned())
        })
        .collect()
}

fn piece(symbol: char) -> Piece {
    let at = "♙♘♗♖♕♔♟♞♝♜♛♚".chars().position(|c| c == symbol);
    let letter = "PNBRQKpnbrqk".chars().nth(at.expect("a chess symbol"));
    Piece::from_letter(letter.expect("as many letters as symbols")).expect("a piece")
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

/// Reads a page; strictly, since it was written by our own script.
fn read(file: &str) -> Page {
    let text = std::fs::read_to_string(folder().join(file)).expect("the page exists");
    let start = text.find("<table").expect("a board");
    let table = attributes(&text[start..]);
    let mut setup = Setup::empty();
    let mut marks: BTreeMap<String, BTreeSet<Square>> = BTreeMap::new();
    let mut seen = Bitboard::EMPTY;
    for cell in text[start..].split("<td ").skip(1) {
        let says = attributes(cell);
        let square = square(&format!("{}{}", says["col"], says["row"]));
        assert!(!seen.has(square), "{file}: {square} twice");
        seen |= square.bitboard();
        let (_, rest) = cell.split_once('>').expect("a tag ends");
        let (content, _) = rest.split_once("</td>").expect("a cell ends");
        setup.set_piece(square, content.chars().next().map(piece));
        if let Some(mark) = says.get("expect") {
            marks.entry(mark.clone()).or_default().insert(square);
        }
    }
    assert_eq!(seen.count(), 64, "{file}: squares");
    setup.set_turn(color(&table["turn"]));
    let rights = CastlingRight::parse_fen_field(&table["castling"]);
    setup.set_castling_rights(rights.expect("castling"));
    setup.set_en_passant(match table["ep"].as_str() {
        "-" => None,
        name => Some(square(name)),
    });
    let (board, _) = setup.to_board().expect("a possible position");
    Page {
        table,
        marks,
        board,
    }
}

impl Page {
    fn says(&self, key: &str) -> &str {
        &self.table[key]
    }

    fn marked(&self, mark: &str) -> BTreeSet<Square> {
        self.marks.get(mark).cloned().unwrap_or_default()
    }

    fn is_chess960(&self) -> bool {
        self.says("castling")
            .contains(|c: char| !"KQkq-".contains(c))
    }

    /// The UCI texts of all legal moves.
    fn legal_texts(&self) -> BTreeSet<String> {
        let moves = self.board.legal_moves();
        moves
            .iter()
            .map(|m| self.board.uci(*m, self.is_chess960()))
            .collect()
    }

    fn moves_from(&self) {
        let from = square(self.says("from"));
        let found: BTreeSet<String> = self
            .legal_texts()
            .into_iter()
            .filter(|text| text.starts_with(&from.to_string()))
            .collect();
        let expected: BTreeSet<String> = words(self.says("expected"));
        assert_eq!(found, expected, "moves from {from}");
        let targets: BTreeSet<Square> = expected.iter().map(|text| square(&text[2..4])).collect();
        let shown = &self.marked("move") | &self.marked("capture");
        assert_eq!(shown, targets, "the marks show the expected moves");
    }

    fn legal(&self) {
        let text = self.says("move");
        assert!(self.legal_texts().contains(text), "{text} is generated");
        let m = self.board.parse_uci(text).expect("the move is legal");
        assert!(self.board.is_legal(m));
        assert_eq!(self.board.uci(m, self.is_chess960()), text);
    }

    fn refused(&self) {
        let (text, before) = (self.says("move"), self.board);
        assert!(!self.legal_texts().contains(text), "{text} is generated");
        let refusal = self.board.try_make_uci(text).expect_err("it is refused");
        assert_eq!(format!("{:?}", refusal.reason), self.says("expected"));
        assert_eq!(refusal.text, text);
        assert_eq!(refusal.fen, self.board.to_fen());
        assert_eq!(self.board, before, "a refused move changes nothing");
    }

    fn attacks(&self) {
        let (color, square) = (color(self.says("color")), square(self.says("square")));
        assert_eq!(
            self.board.is_attacked(square, color),
            yes(self.says("expected"))
        );
        let attackers = self.board.attackers_to(square, self.board.occupied());
        let by = attackers & self.board.side(color).occupied();
        assert_eq!(by, squares(self.says("by")));
    }

    fn in_check(&self) {
        let color = color(self.says("color"));
        assert_eq!(self.board.is_in_check(color), yes(self.says("expected")));
        if color == self.board.turn() {
            assert_eq!(self.board.checkers(), squares(self.says("by")));
            assert_eq!(self.board.in_check(), yes(self.says("expected")));
        }
    }

    fn status(&self) {
        assert_eq!(self.board.status().name(), self.says("expected"));
        assert_eq!(Game::new(self.board).status(), self.board.status());
    }

    fn make(&self) {
        let (text, before) = (self.says("move"), self.board);
        let after = self.board.try_make_uci(text).expect("the move is legal");
        assert_eq!(self.board, before, "the parent is unchanged");
        assert_eq!(self.board.to_fen(), self.says("fen"));
        assert_eq!(after.to_fen(), self.says("expected"));
        assert_eq!(
            after,
            Board::from_fen(self.says("expected")).expect("a FEN")
        );
        assert_eq!(after.key(), after.compute_key());
    }
}

fn words(text: &str) -> BTreeSet<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn squares(text: &str) -> Bitboard {
    text.split_whitespace().map(square).collect()
}

fn yes(text: &str) -> bool {
    match text {
        "yes" => true,
        "no" => false,
        other => panic!("neither yes nor no: {other}"),
    }
}

/// Asks the library what a page wants to know.
fn ask(file: &str) {
    let page = read(file);
    assert_eq!(page.board.to_fen(), page.says("fen"), "the board as shown");
    match page.says("test") {
        "moves-from" => page.moves_from(),
        "legal" => page.legal(),
        "refused" => page.refused(),
        "attacks" => page.attacks(),
        "in-check" => page.in_check(),
        "status" => page.status(),
        "make" => page.make(),
        other => panic!("{file}: no such test: {other}"),
    }
    let list = page.board.legal_moves();
    for m in (0..=u16::MAX).filter_map(Move::from_bits) {
        let (legal, listed) = (page.board.is_legal(m), list.contains(&m));
        assert_eq!(legal, listed, "is_legal and the list differ on {m:?}");
    }
}

/// The reader above is strict and our own; the library's reads pages as a browser does.
#[cfg(feature = "html")]
#[test]
fn the_html_format_reads_the_same_boards() {
    use saavedra::formats::{Format, html::Html};
    for file in PAGES {
        let text = std::fs::read_to_string(folder().join(file)).expect("the page exists");
        let document = Html.import(&text);
        let document = document.unwrap_or_else(|error| panic!("{file}: {error}"));
        assert_eq!(document.board(), read(file).board, "{file}");
    }
}

#[test]
fn every_page_has_a_test_and_stands_in_the_index() {
    let index = std::fs::read_to_string(folder().join("index.html")).expect("the index exists");
    let linked: BTreeSet<&str> = index
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let tested: BTreeSet<&str> = PAGES.iter().copied().collect();
    let stored: BTreeSet<String> = std::fs::read_dir(folder())
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").file_name().into_string())
        .map(|name| name.expect("a name in Unicode"))
        .filter(|name| name.ends_with(".html") && name != "index.html")
        .collect();
    assert_eq!(tested.len(), PAGES.len(), "no page is tested twice");
    assert_eq!(linked, tested);
    assert_eq!(
        stored.iter().map(String::as_str).collect::<BTreeSet<_>>(),
        tested
    );
    assert!(PAGES.len() >= 120);
}
