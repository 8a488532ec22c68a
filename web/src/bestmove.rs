//! `POST /api/v1/bestmove`.

use crate::app::App;
use crate::ask::{DEFAULT_MOVETIME, LIMITS, POSITION};
use crate::body;
use crate::pool::{Done, Full, Purpose};
use crate::position::Asked;
use crate::problem::Problem;
use crate::report::BestMove;
use crate::think::{Limits, Task};
use axum::Json;
use axum::extract::{Request, State};
use axum::response::{AppendHeaders, IntoResponse, Response};
use std::time::Duration;

/// Answers the best move of a position.
///
/// # Errors
/// The request cannot be read, its position is refused, or the queue is full.
pub async fn post(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let ask = body::read(request, &app.config, &[&POSITION[..], &LIMITS].concat()).await?;
    let limits = ask.limits(
        DEFAULT_MOVETIME,
        app.config.max_movetime(),
        app.elo.as_ref(),
    )?;
    let asked = Asked::new(&ask)?;
    let answer = match asked.game.board().has_legal_move() {
        true => BestMove::new(&asked, &search(&app, &asked, limits, Purpose::Move).await?),
        false => BestMove::none(&asked),
    };
    let timing = AppendHeaders([("server-timing", answer.timing())]);
    Ok((timing, Json(answer)).into_response())
}

/// Searches and waits for the end. Dropping the future stops the search.
///
/// # Errors
/// The queue is full, or the engine failed.
pub async fn search(
    app: &App,
    asked: &Asked,
    limits: Limits,
    purpose: Purpose,
) -> Result<Done, Problem> {
    let expected = expected_time(&limits);
    let task = Task {
        game: asked.game.clone(),
        limits,
    };
    let mut ticket = app.pool.submit(task, purpose, expected).map_err(busy)?;
    (&mut ticket.done).await.map_err(|_| Problem::internal())
}

/// The refusal for a full queue.
pub fn busy(full: Full) -> Problem {
    Problem::busy(
        "All engines are busy and the queue is full.",
        full.retry_after,
    )
}

/// How long a search is likely to run: what it may at most, or less if nodes or depth end it
/// sooner on a common machine. Only the queue's forecast rests on it.
fn expected_time(limits: &Limits) -> Duration {
    const NODES_A_SECOND: f64 = 500_000.0;
    const BRANCHING: f64 = 1.8;
    let by_nodes = limits.nodes.map(|nodes| nodes as f64 / NODES_A_SECOND);
    let by_depth = limits
        .depth
        .map(|depth| BRANCHING.powf(depth.into()) / NODES_A_SECOND);
    let most = limits.movetime.as_secs_f64();
    let seconds = [by_nodes, by_depth]
        .into_iter()
        .flatten()
        .fold(most, f64::min);
    Duration::from_secs_f64(seconds)
}
