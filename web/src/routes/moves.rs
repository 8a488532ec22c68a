//! `POST /api/v1/moves` and `POST /api/v1/make`: the rules of chess for clients.

use crate::app::App;
use crate::body;
use crate::position::{parse_move, requested_game};
use crate::problem::{Code, Problem};
use crate::request::position_fields_and;
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use saavedra_api::PositionResponse;

/// The legal moves and the state of a position.
///
/// # Errors
/// The request is malformed or its position is invalid.
#[utoipa::path(
    post,
    path = "/moves",
    operation_id = "moves",
    request_body(content(("application/json", examples(
        ("start" = (summary = "The start", value = json!({ "fen": "startpos" }))),
        ("game" = (
            summary = "A game with every position",
            value = json!({ "moves": ["e2e4", "c7c5"], "history": true })
        )),
    )))),
    responses((status = 200, description = "The position.", body = PositionResponse))
)]
pub async fn moves(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let fields = body::read(request, &app, position_fields_and(&["history"])).await?;
    let size = fields.size();
    let describe = move || {
        let requested = requested_game(&fields)?;
        // A response with thousands of positions takes time as well.
        Ok(Json(requested.describe(fields.with_history())).into_response())
    };
    app.parser.run(size, describe).await
}

/// The position after a move.
///
/// An illegal move is a 422 error with the reason. With a page, a FEN or a PGN as the body, `move` is
/// in the query.
///
/// # Errors
/// The request is malformed, or its position or move is invalid.
#[utoipa::path(
    post,
    path = "/make",
    operation_id = "make",
    request_body(content(("application/json", examples(
        ("first" = (
            summary = "A first move",
            value = json!({ "fen": "startpos", "move": "e2e4" })
        )),
        ("san" = (
            summary = "In SAN",
            value = json!({ "moves": ["e2e4", "e7e5"], "move": "Nf3" })
        )),
    )))),
    responses((status = 200, description = "The position after the move.", body = PositionResponse))
)]
pub async fn make(
    State(app): State<App>,
    request: Request,
) -> Result<Json<PositionResponse>, Problem> {
    let mut fields = body::read(request, &app, position_fields_and(&["move"])).await?;
    let Some(text) = fields.move_text.take() else {
        let error = "a move is required, such as e2e4 or Nf3";
        return Err(Problem::bad_request(Code::MissingField, "move", error));
    };
    let mut requested = app.parser.game(fields).await?;
    let m = parse_move(requested.game.board(), "move", &text)?;
    requested.game.push(m);
    Ok(Json(requested.describe_with_last_move()))
}
