//! `/api/v1/reviews`: a whole game looked at move by move, as a job with progress.

use crate::app::App;
use crate::ask::{LIMITS, POSITION};
use crate::bestmove::search;
use crate::body;
use crate::judge::{Judgement, Summary, accuracy, expectation};
use crate::pool::Purpose;
use crate::position::Asked;
use crate::problem::Problem;
use crate::report::BestMove;
use crate::think::Limits;
use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};
use saavedra::chess::Color;
use serde::Serialize;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::task::AbortHandle;

/// Time for each position if the request gives no limit.
const DEFAULT_MOVETIME: Duration = Duration::from_millis(200);
/// Longest game that is reviewed, in plies.
const MAX_PLIES: usize = 1_000;
/// How long a review that ended is kept.
const KEPT: Duration = Duration::from_secs(3600);
/// Pause before a position is put to a full queue again.
const PAUSE: Duration = Duration::from_millis(500);
/// What a client is told to wait when no more reviews are taken.
const RETRY_AFTER: u64 = 10;

/// All reviews of this server. Cheap to clone.
#[derive(Clone)]
pub struct Reviews {
    jobs: Arc<Mutex<HashMap<String, Arc<Job>>>>,
    most: usize,
}

struct Job {
    state: Mutex<JobState>,
    made: Instant,
    task: Mutex<Option<AbortHandle>>,
}

impl Drop for Job {
    fn drop(&mut self) {
        if let Some(task) = lock(&self.task).take() {
            task.abort();
        }
    }
}

/// What a client is told of a review.
#[derive(Clone, Debug, Serialize)]
struct JobState {
    id: String,
    status: Status,
    progress: Progress,
    positions: Vec<Reviewed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<Summaries>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Status {
    Queued,
    Running,
    Done,
    Failed,
}

impl Status {
    fn is_over(self) -> bool {
        matches!(self, Status::Done | Status::Failed)
    }
}

/// Positions looked at, and all.
#[derive(Clone, Copy, Debug, Serialize)]
struct Progress {
    done: usize,
    total: usize,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Summaries {
    white: Summary,
    black: Summary,
}

/// A position of the game, and the move that led to it.
#[derive(Clone, Debug, Serialize)]
struct Reviewed {
    ply: usize,
    #[serde(flatten)]
    found: Arc<BestMove>,
    /// The move that led here, as it was played.
    #[serde(skip_serializing_if = "Option::is_none")]
    played: Option<Played>,
    /// The word for that move.
    #[serde(skip_serializing_if = "Option::is_none")]
    judgement: Option<&'static str>,
    /// The accuracy of that move, 0 to 100.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
struct Played {
    uci: String,
    san: String,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reviews {
    /// A store for so many reviews.
    pub fn new(most: usize) -> Reviews {
        Reviews {
            jobs: Arc::default(),
            most,
        }
    }

    /// Makes room, and a review in it.
    fn add(&self, total: usize) -> Result<Arc<Job>, Problem> {
        let mut jobs = lock(&self.jobs);
        let over = |job: &Job| lock(&job.state).status.is_over();
        jobs.retain(|_, job| job.made.elapsed() < KEPT || !over(job));
        if jobs.len() >= self.most {
            let oldest = jobs
                .iter()
                .filter(|(_, job)| over(job))
                .min_by_key(|(_, job)| job.made);
            let Some(id) = oldest.map(|(id, _)| id.clone()) else {
                return Err(Problem::busy(
                    "Too many reviews are unfinished.",
                    RETRY_AFTER,
                ));
            };
            jobs.remove(&id);
        }
        let id = random_id()?;
        let state = JobState {
            id: id.clone(),
            status: Status::Queued,
            progress: Progress { done: 0, total },
            positions: Vec::new(),
            summary: None,
            detail: None,
        };
        let made = Instant::now();
        let job = Arc::new(Job {
            state: Mutex::new(state),
            made,
            task: Mutex::new(None),
        });
        jobs.insert(id, Arc::clone(&job));
        Ok(job)
    }

    fn find(&self, id: &str) -> Result<Arc<Job>, Problem> {
        let missing = || Problem::not_found("There is no such review (any more).");
        lock(&self.jobs).get(id).cloned().ok_or_else(missing)
    }

    /// Ends all that run.
    pub fn stop(&self) {
        lock(&self.jobs).clear();
    }
}

/// An identifier nobody can guess: it is all that a review's reader needs to know.
fn random_id() -> Result<String, Problem> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "no random numbers");
        Problem::internal()
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Takes a game to review.
///
/// # Errors
/// The request cannot be read, its game is refused, or too many reviews are unfinished.
pub async fn post(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let ask = body::read(request, &app.config, &[&POSITION[..], &LIMITS].concat()).await?;
    let cap = app.config.max_review_movetime();
    let limits = ask.limits(DEFAULT_MOVETIME, cap, app.elo.as_ref())?;
    let asked = Asked::new(&ask)?;
    let plies = asked.game.moves().len();
    if plies == 0 || plies > MAX_PLIES {
        let fault = format!("a review needs a game of 1 to {MAX_PLIES} plies, not {plies}");
        return Err(Problem::refused("moves", fault));
    }
    let job = app.reviews.add(plies + 1)?;
    let state = lock(&job.state).clone();
    // The task holds the job weakly: when the store forgets it, the task is aborted.
    let run = run(app, Arc::downgrade(&job), asked, limits);
    *lock(&job.task) = Some(tokio::spawn(run).abort_handle());
    let place = format!("/api/v1/reviews/{}", state.id);
    let headers = AppendHeaders([(header::LOCATION, place)]);
    Ok((StatusCode::ACCEPTED, headers, Json(state)).into_response())
}

/// A review's name out of the path; one that is no text names none.
type Id = Result<Path<String>, PathRejection>;

/// Answers what is known of a review so far.
///
/// # Errors
/// There is no such review.
pub async fn get(State(app): State<App>, id: Id) -> Result<Response, Problem> {
    let job = app.reviews.find(&name(id))?;
    let state = lock(&job.state).clone();
    Ok(Json(state).into_response())
}

/// Ends and forgets a review.
///
/// # Errors
/// There is no such review.
pub async fn delete(State(app): State<App>, id: Id) -> Result<StatusCode, Problem> {
    let id = name(id);
    app.reviews.find(&id)?;
    lock(&app.reviews.jobs).remove(&id);
    Ok(StatusCode::NO_CONTENT)
}

fn name(id: Id) -> String {
    id.map(|Path(id)| id).unwrap_or_default()
}

/// How many reviews there are; their names are known to those who asked for them only.
#[derive(Debug, Default, Serialize)]
pub struct Overview {
    queued: usize,
    running: usize,
    done: usize,
    failed: usize,
    most: usize,
}

/// Answers how many reviews there are.
pub async fn overview(State(app): State<App>) -> Json<Overview> {
    let mut overview = Overview {
        most: app.reviews.most,
        ..Overview::default()
    };
    for job in lock(&app.reviews.jobs).values() {
        match lock(&job.state).status {
            Status::Queued => overview.queued += 1,
            Status::Running => overview.running += 1,
            Status::Done => overview.done += 1,
            Status::Failed => overview.failed += 1,
        }
    }
    Json(overview)
}

/// Looks at every position of a game, one search at a time.
async fn run(app: App, job: std::sync::Weak<Job>, asked: Asked, limits: Limits) {
    let with = |change: &mut dyn FnMut(&mut JobState)| {
        if let Some(job) = job.upgrade() {
            change(&mut lock(&job.state));
        }
    };
    let mut summaries = Summaries::default();
    let mut before: Option<Arc<BestMove>> = None;
    for ply in 0..asked.game.boards().len() {
        let position = asked.until(ply);
        let found = match look(&app, &position, &limits).await {
            Ok(found) => Arc::new(found),
            Err(problem) => {
                return with(&mut |state| {
                    state.status = Status::Failed;
                    state.detail = Some(problem.detail().to_owned());
                });
            }
        };
        let reviewed = judge(&position, ply, before.as_deref(), &found, &mut summaries);
        before = Some(found);
        with(&mut |state| {
            state.status = Status::Running;
            state.progress.done = ply + 1;
            state.positions.push(reviewed.clone());
        });
    }
    with(&mut |state| {
        state.status = Status::Done;
        state.summary = Some(summaries.clone());
    });
}

/// Searches one position, however long the queue is full.
async fn look(app: &App, asked: &Asked, limits: &Limits) -> Result<BestMove, Problem> {
    if !asked.game.board().has_legal_move() {
        return Ok(BestMove::none(asked));
    }
    loop {
        match search(app, asked, limits.clone(), Purpose::Review).await {
            Ok(done) => return Ok(BestMove::new(asked, &done)),
            Err(problem) if problem.is_busy() => tokio::time::sleep(PAUSE).await,
            Err(problem) => return Err(problem),
        }
    }
}

/// Compares a position with the one before it: what did the move between them give away?
fn judge(
    asked: &Asked,
    ply: usize,
    before: Option<&BestMove>,
    found: &Arc<BestMove>,
    summaries: &mut Summaries,
) -> Reviewed {
    let found = Arc::clone(found);
    let none = Reviewed {
        ply,
        found,
        played: None,
        judgement: None,
        accuracy: None,
    };
    let (Some(before), Some((board, m))) = (before, asked.last_move()) else {
        return none;
    };
    let played = Played {
        uci: asked.uci(board, m),
        san: board.san(m),
    };
    let is_best = before.bestmove() == Some(&played.uci);
    let (score, wdl) = before.worth();
    let (after, after_wdl) = none.found.worth();
    let loss = expectation(score, wdl) - (1.0 - expectation(after, after_wdl));
    let loss = if is_best { 0.0 } else { loss };
    let (accuracy, judgement) = (accuracy(loss), Judgement::of(loss, is_best));
    match board.turn() {
        Color::White => summaries.white.add(accuracy, judgement),
        Color::Black => summaries.black.add(accuracy, judgement),
    }
    let (played, judgement) = (Some(played), Some(judgement.word()));
    Reviewed {
        played,
        judgement,
        accuracy: Some(accuracy),
        ..none
    }
}
