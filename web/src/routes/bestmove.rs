//! `POST /api/v1/bestmove`.

use crate::app::App;
use crate::backend::{SearchParameters, SearchTask};
use crate::body;
use crate::pool::{FinishedSearch, Priority, QueueFull};
use crate::position::RequestedGame;
use crate::problem::Problem;
use crate::request::{DEFAULT_MOVETIME, LIMIT_FIELDS, POSITION_FIELDS};
use crate::response::BestMoveResponse;
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{AppendHeaders, IntoResponse, Response};
use std::time::Duration;

/// Returns the best move of a position.
///
/// # Errors
/// The request is malformed, its position is invalid, or the queue is full.
pub async fn post(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let accepted = [&POSITION_FIELDS[..], &LIMIT_FIELDS].concat();
    let fields = body::read(request, &app.config, &accepted).await?;
    let parameters = fields.search_parameters(
        DEFAULT_MOVETIME,
        app.config.max_movetime(),
        app.elo_range.as_ref(),
    )?;
    let requested = RequestedGame::new(&fields)?;
    let response = match requested.game.board().has_legal_move() {
        true => {
            let finished = search(&app, &requested, parameters).await?;
            BestMoveResponse::new(&requested, &finished)
        }
        false => BestMoveResponse::game_over(&requested),
    };
    let timing = AppendHeaders([("server-timing", response.server_timing())]);
    Ok((timing, Json(response)).into_response())
}

/// Queues a search and waits for its end. Dropping the future stops the search.
async fn search(
    app: &App,
    requested: &RequestedGame,
    parameters: SearchParameters,
) -> Result<FinishedSearch, Problem> {
    let expected = expected_time(&parameters);
    let task = SearchTask {
        game: requested.game.clone(),
        parameters,
        new_game: true,
    };
    let mut handle = app
        .pool
        .submit(task, Priority::BestMove, expected, None)
        .map_err(queue_full)?;
    (&mut handle.finished)
        .await
        .map_err(|_| Problem::internal())
}

/// The error response for a full queue.
pub fn queue_full(error: QueueFull) -> Problem {
    Problem::overloaded(
        "All engines are busy and the queue is full.",
        error.retry_after,
    )
}

/// The expected time of a search: its move time, or less if nodes or depth end it earlier at a
/// typical speed. Only the expected time in the queue is computed from it.
pub fn expected_time(parameters: &SearchParameters) -> Duration {
    const NODES_PER_SECOND: f64 = 500_000.0;
    const BRANCHING_FACTOR: f64 = 1.8;
    let limits = &parameters.limits;
    let by_nodes = limits.nodes.map(|nodes| nodes as f64 / NODES_PER_SECOND);
    let by_depth = limits
        .depth
        .map(|depth| BRANCHING_FACTOR.powf(depth.into()) / NODES_PER_SECOND);
    let move_time = parameters.move_time().as_secs_f64();
    let seconds = [by_nodes, by_depth]
        .into_iter()
        .flatten()
        .fold(move_time, f64::min);
    Duration::from_secs_f64(seconds)
}
