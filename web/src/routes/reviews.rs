//! `/api/v1/reviews`: reviews of whole games, as jobs with progress.

use crate::app::App;
use crate::backend::SearchParameters;
use crate::body;
use crate::pool::Priority;
use crate::position::RequestedGame;
use crate::problem::Problem;
use crate::request::{LIMIT_FIELDS, POSITION_FIELDS};
use crate::response::BestMoveResponse;
use crate::routes::bestmove::search;
use crate::summary::Summary;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use saavedra::analysis::{Judgement, accuracy};
use saavedra::chess::Color;
use saavedra::eval::wdl::expected_points;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::AbortHandle;

/// Time for each position if the request has no limit.
const DEFAULT_MOVETIME: Duration = Duration::from_millis(200);
/// Maximum length of a reviewed game in plies.
const MAX_PLIES: usize = 1_000;
/// How long a finished review is stored.
const RETENTION: Duration = Duration::from_secs(3600);
/// Delay before a position is submitted again after the queue was full.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// Retry-After in seconds when the store is full.
const RETRY_AFTER: u64 = 10;

/// All reviews of this server. Cheap to clone.
#[derive(Clone)]
pub struct ReviewStore {
    jobs: Arc<Mutex<HashMap<String, Arc<ReviewJob>>>>,
    capacity: usize,
}

struct ReviewJob {
    response: Mutex<ReviewResponse>,
    created: Instant,
    task: Mutex<Option<AbortHandle>>,
}

impl Drop for ReviewJob {
    fn drop(&mut self) {
        if let Some(task) = lock(&self.task).take() {
            task.abort();
        }
    }
}

/// The state of a review as JSON.
#[derive(Clone, Debug, Serialize)]
struct ReviewResponse {
    id: String,
    status: ReviewStatus,
    progress: ReviewProgress,
    positions: Vec<ReviewedPosition>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Summaries>,
    /// The error message of a failed review.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum ReviewStatus {
    Queued,
    Running,
    Done,
    Failed,
}

impl ReviewStatus {
    fn is_finished(self) -> bool {
        matches!(self, ReviewStatus::Done | ReviewStatus::Failed)
    }
}

/// Number of searched positions and of all positions.
#[derive(Clone, Copy, Debug, Serialize)]
struct ReviewProgress {
    done: usize,
    total: usize,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Summaries {
    white: Summary,
    black: Summary,
}

/// A position of the game and the move that led to it.
#[derive(Clone, Debug, Serialize)]
struct ReviewedPosition {
    ply: usize,
    #[serde(flatten)]
    result: Arc<BestMoveResponse>,
    /// The move that led to the position.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<PlayedMove>,
    /// The judgement of that move.
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<&'static str>,
    /// The accuracy of that move, 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
struct PlayedMove {
    uci: String,
    san: String,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ReviewStore {
    /// A store for this many reviews.
    pub fn new(capacity: usize) -> ReviewStore {
        ReviewStore {
            jobs: Arc::default(),
            capacity,
        }
    }

    /// Adds a job. If the store is full, the oldest finished review is removed.
    fn add(&self, total: usize) -> Result<Arc<ReviewJob>, Problem> {
        let mut jobs = lock(&self.jobs);
        let finished = |job: &ReviewJob| lock(&job.response).status.is_finished();
        jobs.retain(|_, job| job.created.elapsed() < RETENTION || !finished(job));
        if jobs.len() >= self.capacity {
            let oldest = jobs
                .iter()
                .filter(|(_, job)| finished(job))
                .min_by_key(|(_, job)| job.created);
            let Some(id) = oldest.map(|(id, _)| id.clone()) else {
                return Err(Problem::overloaded(
                    "There are too many unfinished reviews.",
                    RETRY_AFTER,
                ));
            };
            jobs.remove(&id);
        }
        let id = random_id()?;
        let response = ReviewResponse {
            id: id.clone(),
            status: ReviewStatus::Queued,
            progress: ReviewProgress { done: 0, total },
            positions: Vec::new(),
            summary: None,
            detail: None,
        };
        let job = Arc::new(ReviewJob {
            response: Mutex::new(response),
            created: Instant::now(),
            task: Mutex::new(None),
        });
        jobs.insert(id, Arc::clone(&job));
        Ok(job)
    }

    fn find(&self, id: &str) -> Result<Arc<ReviewJob>, Problem> {
        let missing = || Problem::not_found("There is no such review, or it has expired.");
        lock(&self.jobs).get(id).cloned().ok_or_else(missing)
    }

    /// Removes all reviews; running ones are aborted.
    pub fn clear(&self) {
        lock(&self.jobs).clear();
    }
}

/// A random identifier. Everyone who knows it may read and delete the review.
fn random_id() -> Result<String, Problem> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "no random numbers");
        Problem::internal()
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Starts a review.
///
/// # Errors
/// The request is malformed, its game is invalid, or there are too many unfinished reviews.
pub async fn post(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let accepted = [&POSITION_FIELDS[..], &LIMIT_FIELDS].concat();
    let fields = body::read(request, &app.config, &accepted).await?;
    let max_time = app.config.max_review_movetime();
    let parameters =
        fields.search_parameters(DEFAULT_MOVETIME, max_time, app.elo_range.as_ref())?;
    let requested = RequestedGame::new(&fields)?;
    let plies = requested.game.moves().len();
    if plies == 0 || plies > MAX_PLIES {
        let error = format!("a review requires a game of 1 to {MAX_PLIES} plies, not {plies}");
        return Err(Problem::unprocessable("moves", error));
    }
    let job = app.reviews.add(plies + 1)?;
    let response = lock(&job.response).clone();
    // The task has a weak reference: a job that leaves the store aborts it.
    let run = run(app, Arc::downgrade(&job), requested, parameters);
    *lock(&job.task) = Some(tokio::spawn(run).abort_handle());
    let location = format!("/api/v1/reviews/{}", response.id);
    let headers = AppendHeaders([(header::LOCATION, location)]);
    Ok((StatusCode::ACCEPTED, headers, Json(response)).into_response())
}

/// The identifier in the path; rejected if it is not UTF-8.
type PathId = Result<Path<String>, PathRejection>;

/// Returns the state of a review.
///
/// # Errors
/// There is no such review.
pub async fn get(State(app): State<App>, id: PathId) -> Result<Response, Problem> {
    let job = app.reviews.find(&id_text(id))?;
    let response = lock(&job.response).clone();
    Ok(Json(response).into_response())
}

/// Aborts and removes a review.
///
/// # Errors
/// There is no such review.
pub async fn delete(State(app): State<App>, id: PathId) -> Result<StatusCode, Problem> {
    let id = id_text(id);
    app.reviews.find(&id)?;
    lock(&app.reviews.jobs).remove(&id);
    Ok(StatusCode::NO_CONTENT)
}

fn id_text(id: PathId) -> String {
    id.map(|Path(id)| id).unwrap_or_default()
}

/// The number of reviews by status. Their identifiers are not listed: they grant access.
#[derive(Debug, Default, Serialize)]
pub struct Overview {
    queued: usize,
    running: usize,
    done: usize,
    failed: usize,
    most: usize,
}

/// Returns the number of reviews by status.
pub async fn overview(State(app): State<App>) -> Json<Overview> {
    let mut overview = Overview {
        most: app.reviews.capacity,
        ..Overview::default()
    };
    for job in lock(&app.reviews.jobs).values() {
        match lock(&job.response).status {
            ReviewStatus::Queued => overview.queued += 1,
            ReviewStatus::Running => overview.running += 1,
            ReviewStatus::Done => overview.done += 1,
            ReviewStatus::Failed => overview.failed += 1,
        }
    }
    Json(overview)
}

/// Searches every position of a game, one after the other.
async fn run(
    app: App,
    job: std::sync::Weak<ReviewJob>,
    requested: RequestedGame,
    parameters: SearchParameters,
) {
    let update = |change: &mut dyn FnMut(&mut ReviewResponse)| {
        if let Some(job) = job.upgrade() {
            change(&mut lock(&job.response));
        }
    };
    let mut summaries = Summaries::default();
    let mut before: Option<Arc<BestMoveResponse>> = None;
    for ply in 0..requested.game.boards().len() {
        let position = requested.prefix(ply);
        let result = match search_position(&app, &position, &parameters).await {
            Ok(result) => Arc::new(result),
            Err(problem) => {
                return update(&mut |response| {
                    response.status = ReviewStatus::Failed;
                    response.detail = Some(problem.detail().to_owned());
                });
            }
        };
        let reviewed = judge(&position, ply, before.as_deref(), &result, &mut summaries);
        before = Some(result);
        update(&mut |response| {
            response.status = ReviewStatus::Running;
            response.progress.done = ply + 1;
            response.positions.push(reviewed.clone());
        });
    }
    update(&mut |response| {
        response.status = ReviewStatus::Done;
        response.summary = Some(summaries.clone());
    });
}

/// Searches one position; retries while the queue is full.
async fn search_position(
    app: &App,
    requested: &RequestedGame,
    parameters: &SearchParameters,
) -> Result<BestMoveResponse, Problem> {
    if !requested.game.board().has_legal_move() {
        return Ok(BestMoveResponse::game_over(requested));
    }
    loop {
        match search(app, requested, parameters.clone(), Priority::Review).await {
            Ok(finished) => return Ok(BestMoveResponse::new(requested, &finished)),
            Err(problem) if problem.is_overloaded() => tokio::time::sleep(RETRY_DELAY).await,
            Err(problem) => return Err(problem),
        }
    }
}

/// Judges the move between two positions.
fn judge(
    requested: &RequestedGame,
    ply: usize,
    before: Option<&BestMoveResponse>,
    result: &Arc<BestMoveResponse>,
    summaries: &mut Summaries,
) -> ReviewedPosition {
    let reviewed = ReviewedPosition {
        ply,
        result: Arc::clone(result),
        played: None,
        judgement: None,
        accuracy: None,
    };
    let (Some(before), Some((board, m))) = (before, requested.last_move()) else {
        return reviewed;
    };
    let played = PlayedMove {
        uci: requested.uci(board, m),
        san: board.san(m),
    };
    let is_best = before.bestmove() == Some(&played.uci);
    let loss = match is_best {
        true => 0.0,
        false => expected_points(before.score()) - (1.0 - expected_points(result.score())),
    };
    let (accuracy, judgement) = (accuracy(loss), Judgement::new(loss, is_best));
    match board.turn() {
        Color::White => summaries.white.add(accuracy, judgement),
        Color::Black => summaries.black.add(accuracy, judgement),
    }
    ReviewedPosition {
        played: Some(played),
        judgement: Some(judgement.name()),
        accuracy: Some(accuracy),
        ..reviewed
    }
}
