//! `GET /health`, `GET /ready` and `GET /metrics`.

use crate::app::App;
use crate::metrics::CONTENT_TYPE;
use crate::problem::Problem;
use crate::request::DEFAULT_MOVETIME;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

/// The state, the version and the limits of the service.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Health)]
pub struct HealthResponse {
    #[schema(pattern = "^ok$")]
    status: &'static str,
    version: &'static str,
    engine: EngineResponse,
    workers: usize,
    queue: QueueResponse,
    limits: LimitsResponse,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Engine)]
struct EngineResponse {
    name: String,
    #[schema(required)]
    elo: Option<EloRange>,
    /// Maximum number of pieces in the tablebases, kings included; 0 without tablebases.
    tablebase: u32,
}

/// The playing strengths that can be requested; null if there is only full strength.
#[derive(Debug, Serialize, ToSchema)]
struct EloRange {
    min: u32,
    max: u32,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Queue)]
struct QueueResponse {
    /// Queued searches of all priorities.
    waiting: usize,
    /// Running searches.
    running: usize,
    /// Maximum number of queued searches of each priority: best moves, positions of reviews,
    /// analyses.
    most: u16,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Limits)]
struct LimitsResponse {
    /// Maximum time of a best move in milliseconds.
    movetime: u64,
    /// Maximum time of an analysis in milliseconds.
    analysis: u64,
    /// Maximum size of a body in bytes.
    body: usize,
}

/// The state and the limits of the service.
#[utoipa::path(
    get,
    path = "/health",
    operation_id = "health",
    responses((status = 200, description = "The service is running.", body = HealthResponse))
)]
pub async fn health(State(app): State<App>) -> Json<HealthResponse> {
    let (waiting, running) = app.pool.load();
    let elo =
        app.elo_range.as_ref().map(|range| EloRange { min: *range.start(), max: *range.end() });
    let tablebase = app.factory.tablebases().map_or(0, |tables| tables.base.max_pieces());
    Json(HealthResponse {
        status: "ok",
        version: env!("CARGO_PKG_VERSION"),
        engine: EngineResponse { name: app.engine_name.to_string(), elo, tablebase },
        workers: app.config.workers(),
        queue: QueueResponse { waiting, running, most: app.config.queue },
        limits: LimitsResponse {
            movetime: app.config.max_movetime,
            analysis: app.config.max_analysis * 1000,
            body: app.config.max_body_bytes(),
        },
    })
}

/// The service can take another best move.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Ready)]
pub struct ReadyResponse {
    #[schema(pattern = "^ready$")]
    status: &'static str,
}

/// Whether the service can take another best move.
///
/// # Errors
/// 503: the queue is full or the wait too long for the default time. While the service is shutting down the request does
/// not get here.
#[utoipa::path(
    get,
    path = "/ready",
    operation_id = "ready",
    responses((status = 200, description = "The service is ready.", body = ReadyResponse))
)]
pub async fn ready(State(app): State<App>) -> Result<Json<ReadyResponse>, Problem> {
    let time = DEFAULT_MOVETIME.min(app.config.max_movetime());
    if app.pool.has_room(time) {
        return Ok(Json(ReadyResponse { status: "ready" }));
    }
    Err(Problem::unavailable("The queue is full or the wait too long."))
}

/// Metrics.
#[utoipa::path(
    get,
    path = "/metrics",
    operation_id = "metrics",
    responses((
        status = 200,
        description = "The text format of OpenMetrics.",
        content_type = "application/openmetrics-text",
        body = String
    ))
)]
pub async fn metrics(State(app): State<App>) -> Response {
    let content_type = [(header::CONTENT_TYPE, CONTENT_TYPE)];
    let groups = usize::from(app.config.reviews) - app.groups.available_permits();
    let reviews = app.reviews.counts().running() + groups;
    (content_type, app.metrics.text(app.config.workers(), reviews)).into_response()
}
