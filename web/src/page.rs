//! The page and its parts, all of them inside the program.

use crate::app::App;
use crate::ask::Ask;
use crate::body;
use crate::position::Asked;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use saavedra::chess::{Board, Color, Piece, Square};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

const INDEX: &str = include_str!("../assets/index.html");
/// Where the board stands in the page.
const BOARD: &str = "<!-- board -->";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const PICTURE: &str = "image/svg+xml";

/// Name, kind and text of what the page loads.
const ASSETS: [(&str, &str, &str); 10] = [
    (
        "style.css",
        "text/css; charset=utf-8",
        include_str!("../assets/style.css"),
    ),
    ("theme.js", SCRIPT, include_str!("../assets/theme.js")),
    ("app.js", SCRIPT, include_str!("../assets/app.js")),
    ("api.js", SCRIPT, include_str!("../assets/api.js")),
    ("board.js", SCRIPT, include_str!("../assets/board.js")),
    ("game.js", SCRIPT, include_str!("../assets/game.js")),
    ("analysis.js", SCRIPT, include_str!("../assets/analysis.js")),
    ("graph.js", SCRIPT, include_str!("../assets/graph.js")),
    ("setup.js", SCRIPT, include_str!("../assets/setup.js")),
    ("pieces.svg", PICTURE, include_str!("../assets/pieces.svg")),
];
const ICON: &str = include_str!("../assets/icon.svg");

/// Answers the page, with the position of its address on the board: so it shows it without a
/// script too, and can be posted back as a position.
pub async fn index(State(_): State<App>, RawQuery(query): RawQuery) -> Response {
    let board = position(query.as_deref().unwrap_or_default()).unwrap_or_else(Board::startpos);
    let page = INDEX.replacen(BOARD, &board_html(&board), 1);
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, page).into_response()
}

/// The position of the page's address; none if it cannot be read (the script then says why).
fn position(query: &str) -> Option<Board> {
    let mut ply = None;
    let mut rest = form_urlencoded::Serializer::new(String::new());
    for (field, text) in form_urlencoded::parse(query.as_bytes()) {
        match field.as_ref() {
            "ply" => ply = text.parse::<usize>().ok(),
            "fen" | "moves" | "chess960" => drop(rest.append_pair(&field, &text)),
            _ => {}
        }
    }
    let ask: Ask = body::read_query(&rest.finish(), &["fen", "moves", "chess960"]).ok()?;
    let game = Asked::new(&ask).ok()?.game;
    Some(
        *ply.and_then(|ply| game.boards().get(ply))
            .unwrap_or(game.board()),
    )
}

/// Answers a part of the page.
pub async fn asset(name: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response {
    let name = name.map(|Path(name)| name).unwrap_or_default();
    match ASSETS.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, text)) => part(kind, text, &headers),
        None if name == "icon.svg" => part(PICTURE, ICON, &headers),
        None => crate::problem::Problem::not_found("There is no such part.").into_response(),
    }
}

/// Answers the icon where browsers look for one unasked.
pub async fn icon(headers: HeaderMap) -> Response {
    part(PICTURE, ICON, &headers)
}

fn part(kind: &'static str, text: &'static str, headers: &HeaderMap) -> Response {
    let tag = format!("\"{:016x}\"", fingerprint(text));
    let known = headers
        .get(header::IF_NONE_MATCH)
        .and_then(|value| value.to_str().ok());
    let reply = [
        (header::CONTENT_TYPE, kind.to_owned()),
        (header::CACHE_CONTROL, "no-cache".to_owned()),
        (header::ETAG, tag.clone()),
    ];
    match known {
        Some(known) if known.contains(&tag) => (StatusCode::NOT_MODIFIED, reply).into_response(),
        _ => (reply, text).into_response(),
    }
}

/// Tells two versions of a part apart.
fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The board as the page shows it: eight rows of squares with `data-col` and `data-row`, each
/// piece the text of its square.
fn board_html(board: &Board) -> String {
    let fen = board.to_fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let mut html = format!(
        "<div id=\"board\" role=\"grid\" aria-label=\"Chess board\" data-turn=\"{}\" \
         data-castling=\"{}\" data-ep=\"{}\">\n",
        fields[1], fields[2], fields[3]
    );
    for rank in (0..8).rev() {
        // Writing to a String cannot fail.
        let _ = write!(html, "<div role=\"row\" data-rank=\"{}\">", rank + 1);
        for file in 0..8 {
            push_square(board, Square::at(file, rank), &mut html);
        }
        html.push_str("</div>\n");
    }
    html + "</div>"
}

fn push_square(board: &Board, square: Square, html: &mut String) {
    let name = square.to_string();
    let (col, row) = name.split_at(1);
    let shade = if (square.file() + square.rank()).is_multiple_of(2) {
        "dark"
    } else {
        "light"
    };
    let (code, label, symbol) = match board.piece_at(square) {
        Some(piece) => {
            let code = format!(
                " data-piece=\"{}{}\"",
                piece.color.letter(),
                piece.kind.letter()
            );
            let label = format!("{} {}", piece.color.name(), piece.kind.name());
            (code, label, symbol(piece).to_string())
        }
        None => (String::new(), "empty".to_owned(), String::new()),
    };
    let _ = write!(
        html,
        "<button type=\"button\" role=\"gridcell\" class=\"{shade}\" data-col=\"{col}\" \
         data-row=\"{row}\"{code} aria-label=\"{name}, {label}\" tabindex=\"-1\">{symbol}</button>"
    );
}

fn symbol(piece: Piece) -> char {
    let symbols = match piece.color {
        Color::White => ['♙', '♘', '♗', '♖', '♕', '♔'],
        Color::Black => ['♟', '♞', '♝', '♜', '♛', '♚'],
    };
    symbols[piece.kind as usize]
}
