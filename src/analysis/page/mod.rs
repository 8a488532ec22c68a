//! Self-contained HTML pages of reviews and analysed positions, without external files.
//!
//! The page is complete without its script, which only steps through what the attributes of the
//! elements hold: each move and each move of a line has its position.

mod contents;
mod errors;
mod graph;
mod moves;
mod players;

use super::{
    AnalysisResult, Opening, Phase, Players, Review, Scale, SideRecord, SideSummary, Solution,
    needed_depth,
};
use crate::chess::{Board, Color, Move, Piece, Square, UciMove};
use crate::formats::html::{STYLE, board_with, escape, symbol};
use crate::formats::{Document, Shape, ShapeColor, result_text};
use crate::search::score::Score;
use contents::Row;
use std::fmt::Write as _;
use std::io::{self, Write};

const PAGE_STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// The pieces as symbols, drawn as on the web page.
const PIECES: &str = include_str!("pieces.svg");

/// Maximum number of plies shown of a line.
const MAX_PLIES: usize = 12;

/// The report of games and positions: what it knows of all of them, without their elements.
#[derive(Default)]
pub struct Report {
    /// The rows of the table of contents; `None` for positions.
    rows: Vec<Option<Row>>,
    players: Players,
}

/// Where the elements of a report are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// On the page of the report.
    OnePage,
    /// On pages of their own, [named](page_name) by these numbers.
    Pages {
        /// The number of the first one.
        first: u64,
    },
}

/// The name of the page of a game or a position.
pub fn page_name(number: u64) -> String {
    format!("{number}.html")
}

impl Report {
    /// Adds a game with the element of [`game`].
    pub fn add_game(&mut self, document: &Document, opening: Option<Opening>, html: &str) {
        let side = |name| SideRecord::parse(attribute(html, name)?);
        let sides = ["data-white", "data-black"].map(|name| side(name).unwrap_or_default());
        self.players.add(document, opening, &sides);
        self.rows.push(Some(Row::new(document, opening, &sides, html)));
    }

    /// Adds a position.
    pub fn add_position(&mut self) {
        self.rows.push(None);
    }

    /// The title of the whole.
    fn title(&self) -> String {
        let games = self.rows.iter().flatten().count();
        match &self.rows[..] {
            [Some(row)] => row.players.clone(),
            [_] => "Position".to_owned(),
            all if games == all.len() => format!("{games} games"),
            all if games == 0 => format!("{} positions", all.len()),
            all => format!("{games} games, {} positions", all.len() - games),
        }
    }

    /// Writes the page of the report, with its elements in order if they are on it. Of a test suite
    /// it has the number of solved and of all test positions. `meta` are further lines of its head.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(
        &self,
        elements: impl Iterator<Item = String>,
        layout: Layout,
        (solved, tested): (u64, u64),
        meta: &str,
        output: &mut impl Write,
    ) -> io::Result<()> {
        let mut page = head(&self.title(), meta);
        if tested > 0 {
            let _ = writeln!(page, "<p>Solved {solved} of {tested}.</p>");
        }
        if layout != Layout::OnePage || self.rows.iter().flatten().count() > 1 {
            contents::contents(&self.rows, &self.players, layout, &mut page);
            players::players(&self.players, &mut page);
        }
        output.write_all(page.as_bytes())?;
        if layout == Layout::OnePage {
            let mut was_game = true;
            for (row, html) in self.rows.iter().zip(elements) {
                let is_game = row.is_some();
                if is_game != was_game {
                    output.write_all(if is_game { b"</div>\n" } else { POSITIONS })?;
                }
                was_game = is_game;
                output.write_all(html.as_bytes())?;
            }
            output.write_all(if was_game { b"" } else { b"</div>\n" })?;
        }
        output.write_all(tail().as_bytes())
    }

    /// The page of one of the games or positions of [`Layout::Pages`]; `index` is from 0.
    pub fn page(&self, index: usize, first: u64, html: &str, meta: &str) -> String {
        let row = self.rows.get(index).and_then(Option::as_ref);
        let mut page = head(row.map_or("Position", |row| &row.players), meta);
        contents::links(index, self.rows.len(), first, &mut page);
        let is_game = row.is_some();
        page += if is_game { "" } else { "<div class=\"positions\">\n" };
        page += html;
        page += if is_game { "" } else { "</div>\n" };
        page + &tail()
    }
}

const POSITIONS: &[u8] = b"<div class=\"positions\">\n";

/// The value of the first attribute of this name.
fn attribute<'a>(html: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = html.split_once(&format!(" {name}=\""))?;
    rest.split_once('"').map(|(value, _)| value)
}

/// The end of a page.
fn tail() -> String {
    format!("</main>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n")
}

fn head(title: &str, meta: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{meta}\
         <title>{title}</title>\n<style>\n{STYLE}{PAGE_STYLE}</style>\n</head>\n<body>\n\
         {PIECES}<main>\n<h1>{title}</h1>\n"
    )
}

/// The value of a tag, unless it is missing or unknown.
fn known_tag<'a>(document: &'a Document, tag: &str) -> Option<&'a str> {
    let value = document.tag(tag);
    value.filter(|value| !value.starts_with('?') && !value.trim().is_empty())
}

/// The name of a player.
fn player(document: &Document, color: Color) -> &str {
    let tag = match color {
        Color::White => "White",
        Color::Black => "Black",
    };
    known_tag(document, tag).unwrap_or(tag)
}

/// The names of the players.
fn player_names(document: &Document) -> String {
    let [white, black] = Color::ALL.map(|color| player(document, color));
    format!("{white} – {black}")
}

/// The title of a game and its tags.
pub fn heading(document: &Document) -> String {
    let tags =
        ["Event", "Site", "Date", "Round"].into_iter().filter_map(|tag| known_tag(document, tag));
    let tags: Vec<String> =
        std::iter::once(result_text(document.result)).chain(tags).map(escape).collect();
    format!(
        "<h2>{}</h2>\n<p class=\"tags\">{}</p>\n",
        escape(&player_names(document)),
        tags.join(" · ")
    )
}

/// The element of a reviewed game.
pub fn game(number: u64, document: &Document, review: &Review, opening: Option<Opening>) -> String {
    let mut page = String::new();
    let [white, black] = review.sides.map(|side| side.accuracy_text());
    let records = Color::ALL.map(|color| SideRecord::new(document, review, color));
    let _ = writeln!(
        page,
        "<article class=\"game\" id=\"g{number}\" data-accuracy=\"{white} – {black}\" \
         data-white=\"{}\" data-black=\"{}\">\n{}",
        records[0],
        records[1],
        heading(document).trim_end()
    );
    if let Some(Opening { eco, name }) = opening {
        let _ = writeln!(page, "<p class=\"opening\"><b>{eco}</b> {}</p>", escape(name));
    }
    page += "<div class=\"study\">\n<div class=\"stage\">\n";
    player_row(document, Color::Black, &mut page);
    page += BAR;
    page += &board_with(document, drawn_piece);
    player_row(document, Color::White, &mut page);
    page += CONTROLS;
    page += "</div>\n<div class=\"card now\">\n<p class=\"status\" aria-live=\"polite\"></p>\n";
    page += KEYS;
    page += "</div>\n<div class=\"panel\">\n";
    graph::graph(review, &mut page);
    moves::moves(number, document, review, &mut page);
    accuracies(document, review, &mut page);
    errors::errors(number, document, review, &mut page);
    page + "</div>\n</div>\n</article>\n"
}

const CONTROLS: &str = "<div class=\"controls\">\
    <button type=\"button\" data-action=\"first\" aria-label=\"First position\">⇤</button>\
    <button type=\"button\" data-action=\"previous\" aria-label=\"Previous move\">←</button>\
    <button type=\"button\" data-action=\"next\" aria-label=\"Next move\">→</button>\
    <button type=\"button\" data-action=\"last\" aria-label=\"Last position\">⇥</button>\
    <button type=\"button\" data-action=\"flip\" aria-label=\"Flip the board\">⇅</button></div>\n";

const KEYS: &str = "<p class=\"keys\"><kbd>←</kbd> <kbd>→</kbd> moves · <kbd>↑</kbd> <kbd>↓</kbd> \
    errors · <kbd>Home</kbd> <kbd>End</kbd> · <kbd>F</kbd> flips</p>\n";

/// The bar of win, draw and loss probabilities; the script sets its values.
const BAR: &str = "<div class=\"bar\" role=\"img\"><span class=\"black\"></span>\
    <span class=\"draw\"></span><span class=\"white\"></span><output></output></div>\n";

/// The name of a player, the rating, and the clock, which the script sets.
fn player_row(document: &Document, color: Color, page: &mut String) {
    let tag = match color {
        Color::White => "WhiteElo",
        Color::Black => "BlackElo",
    };
    let rating = known_tag(document, tag);
    let rating = rating.map_or(String::new(), |elo| format!(" <small>{}</small>", escape(elo)));
    let _ = writeln!(
        page,
        "<p class=\"player {}\"><b>{}</b>{rating}<time></time></p>",
        color.name(),
        escape(player(document, color))
    );
}

/// A piece on a board: its symbol as text and its drawing.
fn drawn_piece(piece: Piece) -> String {
    format!(
        "{}<svg class=\"piece {}\" aria-hidden=\"true\"><use href=\"#piece-{}\"/></svg>",
        symbol(piece),
        piece.color.name(),
        piece.kind.name()
    )
}

/// The table of accuracies and errors, of the game and by phase.
fn accuracies(document: &Document, review: &Review, page: &mut String) {
    let about = match review.scale {
        Scale::Lichess => "Accuracy and marks follow lichess.",
        Scale::Wdl => "Accuracy and marks are by the win, draw and loss curve of the engine.",
    };
    let _ = writeln!(
        page,
        "<section class=\"card\">\n<h3>Accuracy</h3>\n<table class=\"sides\">\n<caption>{about}\
         </caption>\n<thead><tr><th scope=\"col\">Side</th><th scope=\"col\">Accuracy</th>\
         <th scope=\"col\" class=\"inaccuracy\">?!</th><th scope=\"col\" class=\"mistake\">?</th>\
         <th scope=\"col\" class=\"blunder\">??</th></tr></thead>"
    );
    let row = |name: &str, class: &str, side: &SideSummary, page: &mut String| {
        let accuracy = side.accuracy_text();
        let _ = writeln!(
            page,
            "<tr{class}><th scope=\"row\">{}</th><td>{accuracy}</td><td>{}</td><td>{}</td>\
             <td>{}</td></tr>",
            escape(name),
            side.inaccuracies,
            side.mistakes,
            side.blunders
        );
    };
    for color in Color::ALL {
        *page += "<tbody>\n";
        let side = color.index();
        row(player(document, color), "", &review.sides[side], page);
        for (phase, sides) in Phase::ALL.into_iter().zip(&review.phases) {
            if sides[side].moves > 0 {
                row(phase.name(), " class=\"phase\"", &sides[side], page);
            }
        }
        *page += "</tbody>\n";
    }
    *page += "</table>\n</section>\n";
}

/// An evaluation with its sign.
fn signed(eval: Score) -> String {
    let text = eval.to_string().replace('-', "−");
    if eval.centipawns() > Some(0) { format!("+{text}") } else { text }
}

/// A line of moves with numbers; each move shows its position on the board when it is clicked.
fn line(board: &Board, moves: &[Move], chess960: bool, page: &mut String) {
    let mut board = *board;
    *page += "<span class=\"line\">";
    for (number, m) in moves.iter().take(MAX_PLIES).enumerate() {
        match board.turn() {
            Color::White => {
                let _ = write!(page, "{}. ", board.fullmove_number());
            }
            Color::Black if number == 0 => {
                let _ = write!(page, "{}… ", board.fullmove_number());
            }
            Color::Black => {}
        }
        let san = board.san(*m);
        board = board.make(*m);
        let _ = write!(
            page,
            "<a href=\"#\" role=\"button\"{}>{san}</a> ",
            board_attributes(&board, Some(*m), chess960)
        );
    }
    *page += "</span>";
}

/// The attributes that draw a position and the move that led to it.
fn board_attributes(board: &Board, played: Option<Move>, chess960: bool) -> String {
    let mut text = format!(" data-fen=\"{}\"", board.to_fen());
    if let Some(m) = played {
        let _ = write!(text, " data-last=\"{}\"", arrow(m, chess960));
    }
    if board.in_check() {
        let _ = write!(text, " data-check=\"{}\"", board.us().king());
    }
    text
}

/// The squares of the arrow for a move; for castling in standard chess the king's target square.
fn arrow(m: Move, chess960: bool) -> String {
    format!("{}{}", m.from(), arrow_head(m, chess960))
}

fn arrow_head(m: Move, chess960: bool) -> Square {
    UciMove::new(m, chess960.into()).to
}

/// The element of an analysed position; with the solution of a test position.
pub fn position<T>(
    document: &Document,
    result: &AnalysisResult<T>,
    solution: Option<Solution>,
) -> String {
    let mut document = document.clone();
    for line in &result.lines {
        let m = line.pv[0];
        let first = document.drawing.shapes.is_empty();
        let color = if first { ShapeColor::Green } else { ShapeColor::Blue };
        let to = arrow_head(m, document.chess960);
        let shape = Shape::arrow(m.from(), to, color);
        document.drawing.shapes.push(shape);
    }
    let mut page = String::from("<section class=\"card position\">\n");
    page += &board_with(&document, drawn_piece);
    if let Some(solution) = solution {
        let (class, word) =
            if solution.solved { ("solved", "Solved") } else { ("unsolved", "Not solved") };
        let time = solution
            .time
            .map_or(String::new(), |time| format!(" after {:.2} s", time.as_secs_f64()));
        let _ = writeln!(page, "<p class=\"{class}\">{word}{time}.</p>");
    }
    page += "<ol class=\"lines\">\n";
    for found in &result.lines {
        let eval = found.score.white_view(result.board.turn());
        let _ = write!(page, "<li><b>{}</b> ", signed(eval));
        line(&result.board, &found.pv, document.chess960, &mut page);
        let _ = writeln!(page, "<small>(depth {})</small></li>", needed_depth(found));
    }
    if result.lines.is_empty() {
        let status = result.board.status().text();
        let _ = writeln!(page, "<li>{status}</li>");
    }
    page + "</ol>\n</section>\n"
}
