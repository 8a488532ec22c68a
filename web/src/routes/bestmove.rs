//! `POST /api/v1/bestmove`.

use crate::app::App;
use crate::backend::{SearchParameters, SearchTask};
use crate::body;
use crate::client::ClientId;
use crate::pool::{FinishedSearch, Priority, QueueFull, SearchHandle};
use crate::problem::{Code, Problem};
use crate::request::{DEFAULT_MOVETIME, LIMIT_FIELDS, position_fields_and};
use axum::extract::{Request, State};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Extension, Json};
use saavedra_api::{BestMoveResponse, RequestedGame};

/// The best move of a position.
///
/// Without a limit the search takes one second. A limit in the query overrides the one in the body,
/// so that a page, a FEN or a PGN can be posted as it is.
///
/// # Errors
/// The request is malformed, its position is invalid, or the queue is full or the wait too long.
#[utoipa::path(
    post,
    path = "/bestmove",
    operation_id = "bestmove",
    request_body(content(("application/json", examples(
        ("fen" = (
            summary = "A FEN: mate in one",
            value = json!({ "fen": "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", "movetime": 100 })
        )),
        ("moves" = (
            summary = "A start and moves",
            value = json!({ "start": "startpos", "moves": ["e2e4", "e7e5"], "depth": 6 })
        )),
        ("lines" = (
            summary = "Three lines",
            value = json!({ "fen": "startpos", "movetime": 100, "multipv": 3 })
        )),
    )))),
    responses(
        (
            status = 200,
            description = "The best move.",
            body = BestMoveResponse,
            headers(("Server-Timing" = String, description = "Milliseconds in the queue and of search."))
        ),
        (status = 429),
    )
)]
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
    let mut handle = submit(app, client, requested, parameters, Priority::BestMove)?;
    (&mut handle.finished).await.map_err(|_| Problem::internal())?.map_err(queue_full)
}

/// Queues a search of a game's last position.
///
/// # Errors
/// 429: the queue is full or the wait too long.
pub fn submit(
    app: &App,
    client: ClientId,
    requested: &RequestedGame,
    parameters: SearchParameters,
    priority: Priority,
) -> Result<SearchHandle, Problem> {
    let task = SearchTask::new(requested.game.clone(), parameters);
    app.pool.submit(client, task, priority, None).map_err(queue_full)
}

/// The error response for a full queue or a long wait.
pub fn queue_full(error: QueueFull) -> Problem {
    Problem::overloaded(
        Code::QueueFull,
        "All engines are busy, and the queue is full or the wait too long.",
        error.retry_after,
    )
}
