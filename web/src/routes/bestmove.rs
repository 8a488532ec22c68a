//! `POST /api/v1/bestmove`.

use crate::app::App;
use crate::backend::{SearchParameters, SearchTask};
use crate::body;
use crate::client::ClientId;
use crate::pool::{FinishedSearch, Priority, QueueFull};
use crate::problem::{Problem, Rejection};
use crate::request::{DEFAULT_MOVETIME, LIMIT_FIELDS, position_fields_and};
use axum::extract::{Request, State};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Extension, Json};
use saavedra_api::{BestMoveResponse, RequestedGame};

/// Returns the best move of a position.
///
/// # Errors
/// The request is malformed, its position is invalid, or the queue is full or the
/// wait too long.
pub async fn post(
    State(app): State<App>,
    Extension(client): Extension<ClientId>,
    request: Request,
) -> Result<Response, Problem> {
    let fields = body::read(request, &app, position_fields_and(&LIMIT_FIELDS)).await?;
    let max_time = app.config.max_movetime();
    let (requested, parameters) = app.search(fields, DEFAULT_MOVETIME, max_time).await?;
    let response = if requested.game.board().has_legal_move() {
        let finished = search(&app, client, &requested, parameters).await?;
        finished.response(&requested)
    } else {
        BestMoveResponse::game_over(&requested)
    };
    let timing = AppendHeaders([("server-timing", response.server_timing())]);
    Ok((timing, Json(response)).into_response())
}

/// Queues a search and waits for its end. Dropping the future stops the search.
async fn search(
    app: &App,
    client: ClientId,
    requested: &RequestedGame,
    parameters: SearchParameters,
) -> Result<FinishedSearch, Problem> {
    let task = SearchTask {
        game: requested.game.clone(),
        parameters,
        new_game: true,
    };
    let mut handle = app
        .pool
        .submit(client, task, Priority::BestMove, None)
        .map_err(queue_full)?;
    (&mut handle.finished)
        .await
        .map_err(|_| Problem::internal())?
        .map_err(queue_full)
}

/// The error response for a full queue or a long wait.
pub fn queue_full(error: QueueFull) -> Problem {
    Problem::overloaded(
        Rejection::QueueFull,
        "All engines are busy, and the queue is full or the wait too long.",
        error.retry_after,
    )
}
