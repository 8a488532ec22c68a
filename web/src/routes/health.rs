//! `GET /health`, `GET /ready` and `GET /metrics`.

use crate::app::App;
use crate::metrics::CONTENT_TYPE;
use crate::problem::Problem;
use crate::request::DEFAULT_MOVETIME;
use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// Returns the state, the version and the limits of the service.
pub async fn health(State(app): State<App>) -> Json<Value> {
    let (waiting, running) = app.pool.load();
    let elo = app
        .elo_range
        .as_ref()
        .map(|range| json!({ "min": range.start(), "max": range.end() }));
    Json(json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "engine": { "name": app.engine_name.as_ref(), "elo": elo },
        "workers": app.config.workers(),
        "queue": { "waiting": waiting, "running": running, "most": app.config.queue },
        "limits": {
            "movetime": app.config.max_movetime,
            "analysis": app.config.max_analysis * 1000,
            "body": app.config.max_body_bytes(),
        },
    }))
}

/// Returns 200 if the service can take another best move of the default time. While it is shutting
/// down the request does not get here.
///
/// # Errors
/// 503: the queue is full or the wait too long.
pub async fn ready(State(app): State<App>) -> Result<Json<Value>, Problem> {
    let time = DEFAULT_MOVETIME.min(app.config.max_movetime());
    if app.pool.has_room(time) {
        return Ok(Json(json!({ "status": "ready" })));
    }
    Err(Problem::new(
        StatusCode::SERVICE_UNAVAILABLE,
        "The queue is full or the wait too long.",
    ))
}

/// Returns the metrics in the text format of OpenMetrics.
pub async fn metrics(State(app): State<App>) -> Response {
    let content_type = [(header::CONTENT_TYPE, CONTENT_TYPE)];
    (content_type, app.metrics.text(app.config.workers())).into_response()
}
