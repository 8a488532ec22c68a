//! `GET /health` and `GET /metrics`.

use crate::app::App;
use axum::Json;
use axum::extract::State;
use axum::http::header;
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

/// Returns the metrics in the text format of Prometheus.
pub async fn metrics(State(app): State<App>) -> Response {
    let content_type = [(
        header::CONTENT_TYPE,
        "text/plain; version=0.0.4; charset=utf-8",
    )];
    (content_type, app.metrics.text(app.config.workers())).into_response()
}
