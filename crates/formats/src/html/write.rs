//! Writes boards as an HTML page.

use super::super::{Document, Drawing, diagram, picture};
use saavedra_chess::{Board, Color, Piece, Square};
use std::fmt::Write;

/// The style sheet of the boards. It loads no images, fonts or other files.
pub const STYLE: &str = include_str!("board.css");

/// The end of a page.
pub(super) const FOOT: &str = "</main>\n</body>\n</html>\n";

/// The start of a page, up to its boards.
pub(super) fn head(title: &str) -> String {
    let title = escape(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n"
    )
}

/// The title of a page with one board.
pub(super) fn title(document: &Document) -> String {
    let known = |name| document.tag(name).filter(|value| !value.starts_with('?'));
    match (known("White"), known("Black")) {
        (Some(white), Some(black)) => format!("{white} – {black}"),
        _ => {
            let id = document.operation("id").and_then(|id| id.operands.first());
            id.cloned().unwrap_or_else(|| "Chess position".to_owned())
        }
    }
}

/// Escapes the characters that have a meaning in HTML text and attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

/// A board as a `figure` element for a page with the [`STYLE`].
pub fn board(document: &Document) -> String {
    board_with(document, |piece| diagram::symbol(piece).to_string())
}

/// A board as a `figure` element with this content of the squares with pieces. For readers of the
/// page the text in it must be the Unicode symbol of the piece.
pub fn board_with(document: &Document, content: impl Fn(Piece) -> String) -> String {
    let board = document.board();
    let drawing = document.full_drawing();
    let mut html = String::with_capacity(8192);
    html += "<figure class=\"board\"";
    html += &attributes(&board, document.chess960, &drawing);
    html += ">\n<table>\n";
    let turn = match board.turn() {
        Color::White => "White to move",
        Color::Black => "Black to move",
    };
    let _ = writeln!(html, "<caption>{turn}{}</caption>", state(&board));
    html += "<tbody>\n";
    let (ranks, files) = drawing.ranks_and_files();
    for rank in ranks {
        let _ = write!(html, "<tr><th scope=\"row\">{rank}</th>");
        for file in files {
            square(&board, &drawing, Square::new(file, rank), &content, &mut html);
        }
        html += "</tr>\n";
    }
    html += "<tr><th></th>";
    for file in files {
        let _ = write!(html, "<th scope=\"col\">{file}</th>");
    }
    html += "</tr>\n</tbody>\n</table>\n";
    shapes(&drawing, &mut html);
    caption(document, &board, &drawing, &mut html);
    html + "</figure>\n"
}

/// Checkmate, stalemate or check, as a suffix of the caption.
fn state(board: &Board) -> &'static str {
    use saavedra_chess::GameStatus;
    match board.status() {
        GameStatus::Checkmate => ", checkmate",
        GameStatus::Stalemate => ", stalemate",
        _ if board.in_check() => ", check",
        _ => "",
    }
}

fn attributes(board: &Board, chess960: bool, drawing: &Drawing) -> String {
    let en_passant = board.en_passant();
    let en_passant = en_passant.map_or_else(|| "-".to_owned(), |square| square.to_string());
    let mut text = format!(
        " data-turn=\"{}\" data-castling=\"{}\" data-ep=\"{en_passant}\" data-halfmove=\"{}\" \
         data-fullmove=\"{}\" data-fen=\"{board}\"",
        board.turn(),
        board.fen_castling(),
        board.halfmove_clock(),
        board.fullmove_number()
    );
    if chess960 {
        text += " data-chess960";
    }
    if drawing.flipped {
        text += " data-flipped";
    }
    if let Some((from, to)) = drawing.last_move {
        let _ = write!(text, " data-last=\"{from}{to}\"");
    }
    if !drawing.shapes.is_empty() {
        let list: Vec<String> = drawing.shapes.iter().map(|s| s.to_string()).collect();
        let _ = write!(text, " data-shapes=\"{}\"", list.join(" "));
    }
    text
}

fn square(
    board: &Board,
    drawing: &Drawing,
    square: Square,
    content: &impl Fn(Piece) -> String,
    html: &mut String,
) {
    let (col, row) = (square.file(), square.rank());
    let _ = write!(html, "<td data-col=\"{col}\" data-row=\"{row}\"");
    let mut marks = Vec::new();
    if drawing.last_move.is_some_and(|(from, to)| square == from || square == to) {
        marks.push("last");
    }
    if board.in_check() && square == board.us().king() {
        marks.push("check");
    }
    if !marks.is_empty() {
        let _ = write!(html, " data-mark=\"{}\"", marks.join(" "));
    }
    let piece = board.piece_at(square);
    if let Some(Piece { color: Color::White, kind }) = piece {
        let filling = diagram::symbol(Piece::new(Color::Black, kind));
        let _ = write!(html, " data-fill=\"{filling}\"");
    }
    html.push('>');
    html.extend(piece.map(content));
    html.push_str("</td>");
}

/// Arrows and marked squares as an SVG overlay.
fn shapes(drawing: &Drawing, html: &mut String) {
    if drawing.shapes.is_empty() {
        return;
    }
    html.push_str("<svg viewBox=\"0 0 8 8\" aria-hidden=\"true\">");
    picture::shapes(drawing, html);
    html.push_str("</svg>\n");
}

/// The caption: the drawing in words, for screen readers, and the FEN.
fn caption(document: &Document, board: &Board, drawing: &Drawing, html: &mut String) {
    html.push_str("<figcaption>");
    if let Some(id) = document.operation("id").and_then(|id| id.operands.first()) {
        let _ = write!(html, "<p><b>{}</b></p>", escape(id));
    }
    let mut said = Vec::new();
    if let Some((from, to)) = drawing.last_move {
        said.push(format!("Last move: {from}–{to}."));
    }
    let arrows: Vec<String> = drawing
        .arrows()
        .map(|arrow| format!("{}–{} ({})", arrow.from, arrow.to, arrow.color.name()))
        .collect();
    if !arrows.is_empty() {
        said.push(format!("Arrows: {}.", arrows.join(", ")));
    }
    let marks: Vec<String> =
        drawing.marks().map(|mark| format!("{} ({})", mark.to, mark.color.name())).collect();
    if !marks.is_empty() {
        said.push(format!("Marked: {}.", marks.join(", ")));
    }
    if !said.is_empty() {
        let _ = write!(html, "<p>{}</p>", said.join(" "));
    }
    let _ = writeln!(html, "<p><code>{}</code></p></figcaption>", board.to_fen());
}
