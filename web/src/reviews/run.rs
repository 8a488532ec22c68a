//! Searches and judges the positions of a game, the last position first, as `saavedra analyse`
//! does.

use super::slots::ReviewSlot;
use super::store::ReviewJob;
use crate::app::App;
use crate::backend::{Backend, SearchParameters, SearchTask};
use crate::client::ClientId;
use crate::pool::{FinishedSearch, Priority};
use crate::problem::Problem;
use saavedra::analysis::{AnalysisResult, ReviewBuilder, ReviewedPosition, Scale, begins_group};
use saavedra::chess::Game;
use saavedra::formats::Tree;
use saavedra_api::RequestedGame;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tokio::task::spawn_blocking;

/// Delay before a position is submitted again after the queue was full.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// How long a review runs without being read.
const IDLE_LIMIT: Duration = Duration::from_secs(5);

/// Reviews a game. Pauses while nobody reads the job, and stops if it is removed from the store.
pub async fn run(
    app: App,
    client: ClientId,
    job: Weak<ReviewJob>,
    requested: RequestedGame,
    parameters: SearchParameters,
) {
    if let Err(problem) = review(&app, client, &job, requested, &parameters).await
        && let Some(job) = job.upgrade()
    {
        job.response().fail(problem.detail());
    }
}

/// The engine of a running review.
pub(super) struct ReviewEngine {
    pub(super) backend: Option<Box<dyn Backend>>,
    /// When it had searched all earlier positions of the group.
    ready: Instant,
    _slot: ReviewSlot,
}

async fn review(
    app: &App,
    client: ClientId,
    job: &Weak<ReviewJob>,
    mut position: RequestedGame,
    parameters: &SearchParameters,
) -> Result<(), Problem> {
    let mut engine = None;
    let last_ply = position.game.moves().len();
    let mut builder = ReviewBuilder::new(
        &Tree::from_game(&position.game),
        Scale::default(),
        app.evaluation.clone(),
    );
    let mut group_start = position.game.clone();
    loop {
        let ply = position.game.moves().len();
        let task = SearchTask {
            // Otherwise the tables are kept: they help the search of the earlier positions.
            new_game: begins_group(last_ply - ply),
            ..SearchTask::new(position.game.clone(), parameters.clone())
        };
        if task.new_game {
            group_start.clone_from(&task.game);
        }
        let finished = search_while_read(app, client, job, &group_start, task, &mut engine);
        let finished = finished.await?;
        let board = *position.game.board();
        let (queued, searched) = (finished.queued, finished.searched);
        let result = AnalysisResult::new(ply, board, finished.result, searched);
        let reviewed = builder.add(ReviewedPosition::new(&result));
        let Some(job) = job.upgrade() else {
            return Ok(());
        };
        let mut response = job.response();
        response.add(&position, reviewed, queued, searched);
        if position.game.pop().is_none() {
            response.finish(&builder.finish());
            app.metrics.count_review();
            return Ok(());
        }
    }
}

/// Searches one position. If nobody reads the review for [`IDLE_LIMIT`], the search stops and the
/// engine, or the wait for one, is given up. Once the review is read again, the earlier positions of
/// the group are searched again and then this one. An error if the review was removed.
async fn search_while_read(
    app: &App,
    client: ClientId,
    job: &Weak<ReviewJob>,
    group_start: &Game,
    task: SearchTask,
    engine: &mut Option<ReviewEngine>,
) -> Result<FinishedSearch, Problem> {
    loop {
        if engine.is_none() {
            wait_for_reader(job).await;
            if job.strong_count() == 0 {
                return Err(Problem::not_found("the review was removed"));
            }
            let slot = tokio::select! {
                biased;
                () = wait_until_idle(job, Instant::now()) => continue,
                slot = app.reviews.slots.acquire(client) => slot,
            };
            let mut created = create_engine(app, slot, task.parameters.limits.nodes).await?;
            search_group(app, client, group_start, &task, &mut created.backend).await?;
            created.ready = Instant::now();
            *engine = Some(created);
        }
        let Some(engine_in_use) = engine else {
            continue;
        };
        let ready = engine_in_use.ready;
        tokio::select! {
            result = search(app, client, &task, &mut engine_in_use.backend) => {
                return result;
            }
            () = wait_until_idle(job, ready) => *engine = None,
        }
    }
}

/// Creates the engine of a review outside the async threads: its hash table takes a while to clear.
pub(super) async fn create_engine(
    app: &App,
    slot: ReviewSlot,
    nodes: Option<u64>,
) -> Result<ReviewEngine, Problem> {
    let factory = Arc::clone(&app.factory);
    let created = spawn_blocking(move || factory.create_for_review(nodes)).await;
    let created = created.unwrap_or_else(|error| Err(error.to_string()));
    let backend = created.map_err(|error| {
        tracing::error!(error, "no engine for a review");
        Problem::internal()
    })?;
    Ok(ReviewEngine { backend: Some(backend), ready: Instant::now(), _slot: slot })
}

/// Searches the positions of a group that come before a task, so that a new engine has the tables that
/// the task expects.
async fn search_group(
    app: &App,
    client: ClientId,
    group_start: &Game,
    task: &SearchTask,
    backend: &mut Option<Box<dyn Backend>>,
) -> Result<(), Problem> {
    let mut earlier = SearchTask::new(group_start.clone(), task.parameters.clone());
    while earlier.game.moves().len() > task.game.moves().len() {
        search(app, client, &earlier, backend).await?;
        earlier.game.pop();
        earlier.new_game = false;
    }
    Ok(())
}

/// Waits until the review has been read within [`IDLE_LIMIT`].
async fn wait_for_reader(job: &Weak<ReviewJob>) {
    loop {
        let Some(current) = job.upgrade() else {
            return;
        };
        let read = current.read_signal();
        let read = read.notified();
        if current.unread_time() < IDLE_LIMIT {
            return;
        }
        // The store alone keeps the job alive.
        drop(current);
        read.await;
    }
}

/// Waits until the review has not been read for [`IDLE_LIMIT`]. Only the time since `start` counts: a
/// review that is rarely read must get further than the positions that are searched again.
async fn wait_until_idle(job: &Weak<ReviewJob>, start: Instant) {
    while let Some(current) = job.upgrade() {
        let idle = current.unread_time().min(start.elapsed());
        let Some(time_left) = IDLE_LIMIT.checked_sub(idle) else {
            return;
        };
        drop(current);
        tokio::time::sleep(time_left.max(Duration::from_millis(1))).await;
    }
}

/// Searches one position with the engine of the review; retries while the queue is full.
pub(super) async fn search(
    app: &App,
    client: ClientId,
    task: &SearchTask,
    backend: &mut Option<Box<dyn Backend>>,
) -> Result<FinishedSearch, Problem> {
    if !task.game.board().has_legal_move() {
        return Ok(FinishedSearch::default());
    }
    loop {
        let submitted = app.pool.submit(client, task.clone(), Priority::Review, backend.take());
        let result = match submitted {
            Ok(mut handle) => (&mut handle.finished).await.map_err(|_| Problem::internal())?,
            Err(rejected) => Err(rejected),
        };
        match result {
            Ok(mut finished) => {
                *backend = finished.backend.take();
                return Ok(finished);
            }
            Err(rejected) => {
                // A closed pool stays closed, and timers of a runtime that ends do not wait.
                if app.pool.is_closed() {
                    return Err(Problem::internal());
                }
                *backend = rejected.backend;
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }
}
