//! The page and its assets, which are embedded in the program.

use crate::app::App;
use crate::body;
use crate::position::requested_game;
use crate::problem::Problem;
use crate::request::RequestFields;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, RawQuery, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use saavedra::chess::{Bitboard, Board, File, Rank, Square};
use saavedra::formats::html::symbol;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

const INDEX: &str = include_str!("../../assets/index.html");
/// `Cache-Control` of an asset whose address stays when it changes.
const REVALIDATED: &str = "no-cache";
/// `Cache-Control` of an asset whose address changes with it.
const KEPT: &str = "public, max-age=31536000, immutable";
/// Placeholder of the board in the page.
const BOARD_PLACEHOLDER: &str = "<!-- board -->";

/// Name, content type and bytes of an asset.
type Asset = (&'static str, &'static str, &'static [u8]);

/// The files of `assets` with these content types and names.
macro_rules! assets {
    ($($content_type:expr => [$($name:literal),* $(,)?],)*) => {
        &[$($((
            $name,
            $content_type,
            include_bytes!(concat!("../../assets/", $name)),
        )),*),*]
    };
}

const ASSETS: &[Asset] = assets! {
    "text/css; charset=utf-8" => ["style.css"],
    "application/wasm" => ["rules.wasm"],
    "image/svg+xml" => ["icon.svg", "pieces.svg"],
    "text/tab-separated-values; charset=utf-8" => ["openings.tsv"],
    "text/javascript; charset=utf-8" => [
        "analysis.js", "api.js", "app.js", "bar.js", "board.js", "changes.js", "comments.js",
        "deck.js", "deckpanel.js", "exercises.js", "explorer.js", "explorerpanel.js", "explorertext.js", "files.js",
        "fsrs.js", "gameindex.js", "graph.js", "keys.js", "messages.js", "motion.js", "movelist.js", "notes.js",
        "openings.js", "opponent.js", "page.js", "pgn.js", "pieces.js", "play.js", "pointer.js",
        "practice.js", "premove.js", "report.js", "review.js", "reviewpanel.js", "rules.js", "session.js",
        "setup.js", "shapes.js", "share.js", "sound.js", "storage.js", "store.js", "theme.js", "tree.js",
        "wait.js", "words.js",
    ],
};

/// Returns the page with the position of the query on the board, so that the page shows it without
/// JavaScript and can be posted back as a position.
///
/// # Errors
/// Reading the query failed; an invalid query is no error.
pub async fn index(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let query = query.unwrap_or_default();
    let size = query.len();
    let board = app.parser.run(size, move || Ok(board_from_query(&query)));
    let board = board.await?.unwrap_or_else(Board::startpos);
    // Assets of another version have other addresses, so that browsers may keep them.
    let page = INDEX
        .replacen(BOARD_PLACEHOLDER, &board_html(&board), 1)
        .replace("\"assets/", &format!("\"assets/{}/", version()));
    let headers =
        [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "no-cache")];
    Ok((headers, page).into_response())
}

/// The position of the query; `None` if it is invalid. The script then shows the error.
fn board_from_query(query: &str) -> Option<Board> {
    let mut ply = None;
    let mut position = form_urlencoded::Serializer::new(String::new());
    for (field, text) in form_urlencoded::parse(query.as_bytes()) {
        match field.as_ref() {
            "ply" => ply = text.parse::<usize>().ok(),
            "fen" | "moves" | "chess960" => drop(position.append_pair(&field, &text)),
            _ => {}
        }
    }
    let accepted = ["fen", "moves", "chess960"];
    let fields: RequestFields = body::read_query(&position.finish(), &accepted).ok()?;
    let game = requested_game(&fields).ok()?.game;
    Some(*ply.and_then(|ply| game.boards().get(ply)).unwrap_or(game.board()))
}

/// The version of the assets: a hash of all of them.
fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    VERSION.get_or_init(|| format!("{:016x}", hash(ASSETS)))
}

/// Returns an asset.
pub async fn asset(name: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response {
    let name = name.map(|Path(name)| name).unwrap_or_default();
    asset_response(&name, &headers, REVALIDATED)
}

/// Returns an asset at an address with the version of all assets. While the machines behind a balancer
/// are updated, a page may ask for another version; its assets are not kept.
pub async fn versioned_asset(
    path: Result<Path<(String, String)>, PathRejection>,
    headers: HeaderMap,
) -> Response {
    let (asked, name) = path.map(|Path(path)| path).unwrap_or_default();
    asset_response(&name, &headers, if asked == version() { KEPT } else { REVALIDATED })
}

/// Returns the icon at the path that browsers request by default.
pub async fn icon(headers: HeaderMap) -> Response {
    asset_response("icon.svg", &headers, REVALIDATED)
}

/// The response with an asset and this `Cache-Control`.
fn asset_response(name: &str, headers: &HeaderMap, cache_control: &str) -> Response {
    let Some((_, content_type, bytes)) = ASSETS.iter().find(|(known, ..)| *known == name) else {
        return Problem::not_found("There is no such asset.").into_response();
    };
    let etag = format!("\"{:016x}\"", hash(bytes));
    let known = headers.get(header::IF_NONE_MATCH);
    let known = known.and_then(|tags| tags.to_str().ok());
    let is_unchanged = known.is_some_and(|tags| tags.contains(&etag));
    let headers = [
        (header::CONTENT_TYPE, (*content_type).to_owned()),
        (header::CACHE_CONTROL, cache_control.to_owned()),
        (header::ETAG, etag),
    ];
    if is_unchanged {
        (StatusCode::NOT_MODIFIED, headers).into_response()
    } else {
        (headers, *bytes).into_response()
    }
}

fn hash(content: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    hasher.finish()
}

/// The board as HTML: eight rows of squares with `data-col` and `data-row`; the text of a square is
/// its piece.
pub fn board_html(board: &Board) -> String {
    let en_passant = board.en_passant();
    let en_passant = en_passant.map_or_else(|| "-".to_owned(), |square| square.to_string());
    let mut html = format!(
        "<div id=\"board\" role=\"grid\" aria-label=\"Chess board\" data-turn=\"{}\" \
         data-castling=\"{}\" data-ep=\"{en_passant}\">\n",
        board.turn().letter(),
        board.fen_castling()
    );
    for rank in Rank::ALL.into_iter().rev() {
        // Writing to a String cannot fail.
        let _ = write!(html, "<div role=\"row\" data-rank=\"{rank}\">");
        for file in File::ALL {
            push_square(board, Square::new(file, rank), &mut html);
        }
        html.push_str("</div>\n");
    }
    html + "</div>"
}

fn push_square(board: &Board, square: Square, html: &mut String) {
    let name = square.to_string();
    let (col, row) = name.split_at(1);
    let shade = if Bitboard::DARK.has(square) { "dark" } else { "light" };
    let (code, label, symbol) = match board.piece_at(square) {
        Some(piece) => {
            let code = format!(" data-piece=\"{}{}\"", piece.color.letter(), piece.kind.letter());
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
