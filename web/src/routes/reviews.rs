//! `/api/v1/reviews`: reviews of whole games, as jobs with progress.

use crate::app::App;
use crate::backend::SearchParameters;
use crate::body;
use crate::client::ClientId;
use crate::problem::{Code, Problem};
use crate::request::{LIMIT_FIELDS, RequestFields, position_fields_and};
use crate::reviews::{ReviewCounts, run};
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use axum::{Extension, Json};
use saavedra_api::{RequestedGame, ReviewResponse};
use std::sync::Arc;
use std::time::Duration;

/// Time for each position if the request has no limit.
const DEFAULT_MOVETIME: Duration = Duration::from_millis(200);
/// Maximum length of a reviewed game in plies.
pub const MAX_PLIES: usize = 1_000;

/// Start a game review.
///
/// Searches every position of a game of 1 to 1,000 plies, the last position first, for `movetime`
/// milliseconds (default 200). The time of all positions together is limited. A review that nobody
/// reads is paused. Everyone who knows the id may read and delete the review.
///
/// # Errors
/// The request is malformed, its game is invalid, or there are too many unfinished reviews.
#[utoipa::path(
    post,
    path = "/reviews",
    operation_id = "review",
    request_body(content(("application/json", examples(
        ("game" = (
            summary = "A short game",
            value = json!({ "moves": ["f2f3", "e7e5", "g2g4", "d8h4"], "nodes": 2000 })
        )),
    )))),
    responses(
        (
            status = 202,
            description = "The review is stored.",
            body = ReviewResponse,
            headers(("Location" = String, description = "The path of the review."))
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
    let (requested, plies, parameters) = requested_review(&app, fields).await?;
    let parameters = review_parameters(&app, plies, parameters)?;
    let job = app.reviews.add(client, plies + 1)?;
    let response = job.response().clone();
    // The task has a weak reference: a job that leaves the store aborts it.
    let task = tokio::spawn(run(app, client, Arc::downgrade(&job), requested, parameters));
    job.set_task(task.abort_handle());
    let location = format!("/api/v1/reviews/{}", job.id);
    let headers = AppendHeaders([(header::LOCATION, location)]);
    Ok((StatusCode::ACCEPTED, headers, Json(response)).into_response())
}

/// The game to be reviewed with its number of plies, and the limits of the request.
///
/// # Errors
/// The request or its game is invalid.
pub async fn requested_review(
    app: &App,
    fields: RequestFields,
) -> Result<(RequestedGame, usize, SearchParameters), Problem> {
    let max_time = app.config.max_review_movetime();
    let (requested, parameters) = app.search(fields, DEFAULT_MOVETIME, max_time).await?;
    let plies = check_plies(&requested)?;
    Ok((requested, plies, parameters))
}

/// The limits of each position of a review: moves are judged by the best line at full strength.
///
/// # Errors
/// 422: all positions together take too long.
pub fn review_parameters(
    app: &App,
    plies: usize,
    parameters: SearchParameters,
) -> Result<SearchParameters, Problem> {
    let parameters = parameters.with_budget(plies + 1, app.config.max_review())?;
    Ok(SearchParameters { multipv: 1, elo: None, ..parameters })
}

/// The number of plies of a game to be reviewed.
///
/// # Errors
/// 422: none, or more than [`MAX_PLIES`].
pub fn check_plies(requested: &RequestedGame) -> Result<usize, Problem> {
    let plies = requested.game.moves().len();
    if (1..=MAX_PLIES).contains(&plies) {
        return Ok(plies);
    }
    let error = format!("a review requires a game of 1 to {MAX_PLIES} plies, not {plies}");
    Err(Problem::unprocessable(Code::GameLength, "moves", error))
}

/// The identifier in the path; rejected if it is not UTF-8.
type PathId = Result<Path<String>, PathRejection>;

/// The state of a review.
///
/// # Errors
/// There is no such review.
#[utoipa::path(
    get,
    path = "/reviews/{id}",
    operation_id = "reviewState",
    params(("id" = String, Path, pattern = "^[0-9a-f]{32}$")),
    responses((status = 200, description = "The review.", body = ReviewResponse), (status = 404))
)]
pub async fn get(State(app): State<App>, id: PathId) -> Result<Json<ReviewResponse>, Problem> {
    let job = app.reviews.find(&id_text(id))?;
    Ok(Json(job.read()))
}

/// Delete a review.
///
/// # Errors
/// There is no such review.
#[utoipa::path(
    delete,
    path = "/reviews/{id}",
    operation_id = "endReview",
    params(("id" = String, Path, pattern = "^[0-9a-f]{32}$")),
    responses((status = 204, description = "The review is deleted."), (status = 404))
)]
pub async fn delete(State(app): State<App>, id: PathId) -> Result<StatusCode, Problem> {
    app.reviews.remove(&id_text(id))?;
    Ok(StatusCode::NO_CONTENT)
}

fn id_text(id: PathId) -> String {
    id.map(|Path(id)| id).unwrap_or_default()
}

/// The number of reviews by status.
#[utoipa::path(
    get,
    path = "/reviews",
    operation_id = "reviews",
    responses((status = 200, description = "The number of reviews by status.", body = ReviewCounts))
)]
pub async fn overview(State(app): State<App>) -> Json<ReviewCounts> {
    Json(app.reviews.counts())
}
