//! `POST /api/v1/moves` and `POST /api/v1/make`: the rules of chess for clients.

use crate::app::App;
use crate::body;
use crate::position::{parse_move, requested_game};
use crate::problem::Problem;
use crate::request::position_fields_and;
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use saavedra_api::PositionResponse;

/// Returns the legal moves and the state of a position.
///
/// # Errors
/// The request is malformed or its position is invalid.
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

/// Returns the position after a move.
///
/// # Errors
/// The request is malformed, or its position or move is invalid.
pub async fn make(
    State(app): State<App>,
    request: Request,
) -> Result<Json<PositionResponse>, Problem> {
    let mut fields = body::read(request, &app, position_fields_and(&["move"])).await?;
    let Some(text) = fields.move_text.take() else {
        let error = "a move is required, such as e2e4 or Nf3";
        return Err(Problem::bad_request("move", error));
    };
    let mut requested = app.parser.game(fields).await?;
    let m = parse_move(requested.game.board(), "move", &text)?;
    requested.game.push(m);
    Ok(Json(requested.describe_with_last_move()))
}
