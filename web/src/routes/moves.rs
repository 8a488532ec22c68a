//! `POST /api/v1/moves` and `POST /api/v1/make`: the rules of chess for clients.

use crate::app::App;
use crate::body;
use crate::position::PositionResponse;
use crate::problem::Problem;
use crate::request::POSITION_FIELDS;
use axum::Json;
use axum::extract::{Request, State};

/// Returns the legal moves and the state of a position.
///
/// # Errors
/// The request is malformed or its position is invalid.
pub async fn moves(
    State(app): State<App>,
    request: Request,
) -> Result<Json<PositionResponse>, Problem> {
    let accepted = [&POSITION_FIELDS[..], &["history"]].concat();
    let fields = body::read(request, &app.config, &accepted).await?;
    let (fields, requested) = app.parser.parse(fields).await?;
    Ok(Json(requested.describe(fields.with_history())))
}

/// Returns the position after a move.
///
/// # Errors
/// The request is malformed, or its position or move is invalid.
pub async fn make(
    State(app): State<App>,
    request: Request,
) -> Result<Json<PositionResponse>, Problem> {
    let accepted = [&POSITION_FIELDS[..], &["move"]].concat();
    let fields = body::read(request, &app.config, &accepted).await?;
    if fields.move_text.is_none() {
        let error = "a move is required, such as e2e4 or Nf3";
        return Err(Problem::bad_request("move", error));
    }
    let (fields, mut requested) = app.parser.parse(fields).await?;
    let text = fields.move_text.as_deref().unwrap_or_default();
    let m = requested.parse_move("move", text)?;
    requested.game.push(m);
    Ok(Json(requested.describe_with_last_move()))
}
