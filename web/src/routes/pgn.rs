//! `POST /api/v1/pgn/read`, `/pgn/write` and `/pgn/main-lines`: games as JSON from PGN, and back; their positions.

use crate::app::App;
use crate::body;
use crate::problem::{Code, Problem};
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use saavedra_api::{GameRecord, Games, MainLines, PgnText, read_games, write_games};

/// The fields of a request to read games.
pub const READ_FIELDS: &[&str] = &["pgn"];
/// The fields of a request with games.
pub const GAMES_FIELDS: &[&str] = &["games"];

/// A game as JSON may be longer than its PGN by this factor.
pub const JSON_FACTOR: usize = 4;

/// The games of a PGN.
///
/// No game is refused for what is in it: an illegal move and the rest of its line are a comment, and
/// the warnings say why.
///
/// # Errors
/// The request is malformed.
#[utoipa::path(
    post,
    path = "/pgn/read",
    operation_id = "readGames",
    request_body(content((PgnText = "application/json", examples(("game" = (
        summary = "A game with a variation",
        value = json!({ "pgn": "1. e4 e5 (1... c5) 2. Nf3 *" })
    )))))),
    responses((status = 200, description = "The games.", body = Games))
)]
pub async fn read(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let fields = body::read(request, &app, READ_FIELDS.to_vec()).await?;
    let size = fields.size();
    let Some(pgn) = fields.pgn.or(fields.text) else {
        return Err(Problem::bad_request(
            Code::MissingField,
            "pgn",
            "is required: any number of games",
        ));
    };
    let read = move || Ok(Json(Games { games: read_games(&pgn) }).into_response());
    app.parser.run(size, read).await
}

/// Games as PGN.
///
/// An illegal move and what follows it are a comment. The body may have four times the size of other
/// bodies.
///
/// # Errors
/// The request is malformed, or the parent of a node is not before it.
#[utoipa::path(
    post,
    path = "/pgn/write",
    operation_id = "writeGames",
    request_body(content((Games = "application/json", examples(("game" = (
        summary = "A game with a variation",
        value = json!({ "games": [{
            "tags": [["White", "Ann"]],
            "result": "1-0",
            "nodes": [
                {},
                { "san": "e4", "after": [{ "nag": 1 }, { "comment": "best by test" }] },
                { "san": "e5" },
                { "parent": 1, "san": "c5" },
            ],
        }] })
    )))))),
    responses((status = 200, description = "The PGN.", body = PgnText))
)]
pub async fn write(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    with_games(request, app, |games| {
        write_games(games).map(|pgn| Json(PgnText { pgn }).into_response())
    })
    .await
}

/// The positions of the main lines of games.
///
/// Each game has the FEN of its start position and of the position after each move, up to the first move that is
/// illegal or null. The body may have four times the size of other bodies.
///
/// # Errors
/// The request is malformed, or the parent of a node is not before it.
#[utoipa::path(
    post,
    path = "/pgn/main-lines",
    operation_id = "mainLines",
    request_body(content((Games = "application/json", examples(("game" = (
        summary = "A game",
        value = json!({ "games": [{
            "tags": [],
            "result": "1-0",
            "nodes": [{}, { "san": "e4" }, { "san": "e5" }],
        }] })
    )))))),
    responses((status = 200, description = "The positions.", body = MainLines))
)]
pub async fn main_lines(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    with_games(request, app, |games| {
        saavedra_api::main_lines(games).map(|lines| Json(lines).into_response())
    })
    .await
}

/// A field and what is wrong with it.
type WrongField = (String, &'static str);

/// The answer to a request with games.
async fn with_games(
    request: Request,
    app: App,
    answer: fn(&[GameRecord]) -> Result<Response, WrongField>,
) -> Result<Response, Problem> {
    let max_bytes = app.config.max_body_bytes() * JSON_FACTOR;
    let (body, size): (Games, usize) =
        body::read_json(request, &app, GAMES_FIELDS, max_bytes).await?;
    let answer = move || {
        let refuse = |(field, error)| Problem::bad_request(Code::InvalidField, field, error);
        answer(&body.games).map_err(refuse)
    };
    app.parser.run(size, answer).await
}
