//! Searches and judges the positions of a game, the last position first, as `saavedra analyse` does.

use super::response::{
    JudgedMoveResponse, PlayedMove, ReviewStatus, ReviewedPositionResponse, SummaryResponse,
};
use super::store::ReviewJob;
use crate::app::App;
use crate::backend::{Backend, SearchParameters, SearchTask};
use crate::pool::{FinishedSearch, Priority};
use crate::position::RequestedGame;
use crate::problem::Problem;
use crate::response::BestMoveResponse;
use crate::routes::bestmove::expected_time;
use saavedra::analysis::{AnalysisResult, JudgedMove, ReviewBuilder, ReviewedPosition, accuracy};
use saavedra::formats::Tree;
use std::sync::Weak;
use std::time::Duration;

/// Delay before a position is submitted again after the queue was full.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// Reviews a game. Stops if the job is removed from the store.
pub async fn run(
    app: App,
    job: Weak<ReviewJob>,
    requested: RequestedGame,
    parameters: SearchParameters,
) {
    // Each running review has an engine of its own.
    let Ok(_permit) = app.reviews.running.acquire().await else {
        return;
    };
    if let Err(problem) = review(&app, &job, requested, &parameters).await
        && let Some(job) = job.upgrade()
    {
        let mut response = job.response();
        response.status = ReviewStatus::Failed;
        response.detail = Some(problem.detail().to_owned());
    }
}

async fn review(
    app: &App,
    job: &Weak<ReviewJob>,
    mut position: RequestedGame,
    parameters: &SearchParameters,
) -> Result<(), Problem> {
    let mut backend = Some(app.factory.create_for_review().map_err(|error| {
        tracing::error!(error, "no engine for a review");
        Problem::internal()
    })?);
    let mut builder = ReviewBuilder::new(&Tree::from_game(&position.game));
    loop {
        let ply = position.game.moves().len();
        let finished = search(app, &position, parameters, &mut backend).await?;
        let board = *position.game.board();
        let (queued, searched) = (finished.queued, finished.searched);
        let info = finished.output.result.info.as_ref();
        let result = AnalysisResult::new(ply, board, info, searched);
        let (reviewed, judged) = builder.add(ReviewedPosition::new(&result));
        let judged = judged.and_then(|judged| describe_move(&position, judged));
        let result = BestMoveResponse::reviewed(&position, reviewed, queued, searched);
        let Some(job) = job.upgrade() else {
            return Ok(());
        };
        let mut response = job.response();
        response.status = ReviewStatus::Running;
        response.progress.done += 1;
        if let Some(next) = response.positions.front_mut() {
            next.played = judged;
        }
        response.positions.push_front(ReviewedPositionResponse {
            ply,
            result,
            played: None,
        });
        drop(response);
        if position.game.pop().is_none() {
            break;
        }
    }
    if let Some(job) = job.upgrade() {
        let mut response = job.response();
        response.status = ReviewStatus::Done;
        response.summary = Some(SummaryResponse::new(&builder.finish()));
    }
    Ok(())
}

/// Searches one position with the engine of the review; retries while the queue is full.
async fn search(
    app: &App,
    position: &RequestedGame,
    parameters: &SearchParameters,
    backend: &mut Option<Box<dyn Backend>>,
) -> Result<FinishedSearch, Problem> {
    if !position.game.board().has_legal_move() {
        return Ok(FinishedSearch::default());
    }
    loop {
        let task = SearchTask {
            game: position.game.clone(),
            parameters: parameters.clone(),
            // The tables are kept: they help the search of the earlier positions.
            new_game: false,
        };
        let expected = expected_time(parameters);
        match app
            .pool
            .submit(task, Priority::Review, expected, backend.take())
        {
            Ok(mut handle) => {
                let mut finished = (&mut handle.finished)
                    .await
                    .map_err(|_| Problem::internal())?;
                *backend = finished.backend.take();
                return Ok(finished);
            }
            Err(rejected) => {
                *backend = rejected.backend;
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }
}

fn describe_move(position: &RequestedGame, judged: &JudgedMove) -> Option<JudgedMoveResponse> {
    let (board, m) = (position.game.board(), judged.played?);
    Some(JudgedMoveResponse {
        played: PlayedMove {
            uci: position.uci(board, m),
            san: board.san(m),
        },
        judgement: judged.judgement,
        accuracy: accuracy(judged.loss),
    })
}
