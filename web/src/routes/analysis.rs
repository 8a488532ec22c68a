//! `GET /api/v1/analysis`: a search as server-sent events. Closing the connection stops it.

use crate::app::App;
use crate::backend::SearchTask;
use crate::body;
use crate::client::ClientId;
use crate::pool::{Priority, SearchEvent, SearchHandle};
use crate::problem::Problem;
use crate::request::{LIMIT_FIELDS, position_fields_and};
use crate::routes::bestmove::queue_full;
use axum::Extension;
use axum::extract::{RawQuery, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use saavedra_api::{BestMoveResponse, InfoResponse, RequestedGame};
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;

/// Interval of the comments on an idle stream, which detect a closed connection.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// An analysis as server-sent events.
///
/// The events are `queued`, `started`, `info` (a Line) repeatedly, and last `bestmove` (a BestMove),
/// or `problem` if the search failed. If long searches occupy all their engines, an analysis ends
/// after two seconds for a best move or a review that waits. Close the connection to stop the search.
///
/// # Errors
/// The query is malformed, its position is invalid, or the queue is full.
#[utoipa::path(
    get,
    path = "/analysis",
    operation_id = "analysis",
    responses(
        (status = 200, description = "The events.", content_type = "text/event-stream", body = String),
        (status = 400),
        (status = 422),
        (status = 429),
    )
)]
pub async fn get(
    State(app): State<App>,
    Extension(client): Extension<ClientId>,
    RawQuery(query): RawQuery,
) -> Result<Response, Problem> {
    let accepted = position_fields_and(&LIMIT_FIELDS);
    let fields = body::read_query(query.as_deref().unwrap_or_default(), &accepted)?;
    let max_time = app.config.max_analysis();
    let (requested, parameters) = app.search(fields, max_time, max_time).await?;
    let stream = if requested.game.board().has_legal_move() {
        let task = SearchTask { game: requested.game.clone(), parameters, new_game: true };
        let handle = app.pool.submit(client, task, Priority::Analysis, None).map_err(queue_full)?;
        let analysis = RunningAnalysis { requested, handle, announced: false };
        stream::unfold(Some(analysis), next_events).flat_map(stream::iter).left_stream()
    } else {
        let response = BestMoveResponse::game_over(&requested);
        stream::iter([event("bestmove", &response)]).right_stream()
    };
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    Ok(Sse::new(stream.map(Ok::<_, Infallible>)).keep_alive(keep_alive).into_response())
}

/// The search behind a stream. Dropping it stops the search.
struct RunningAnalysis {
    requested: RequestedGame,
    handle: SearchHandle,
    /// Whether the event `queued` was sent.
    announced: bool,
}

/// The next events, and the analysis unless they were the last ones.
async fn next_events(
    analysis: Option<RunningAnalysis>,
) -> Option<(Vec<Event>, Option<RunningAnalysis>)> {
    let mut analysis = analysis?;
    if !analysis.announced {
        analysis.announced = true;
        let fen = analysis.requested.game.board().to_fen();
        return Some((vec![event("queued", &json!({ "fen": fen }))], Some(analysis)));
    }
    match analysis.handle.events.recv().await {
        Some(SearchEvent::Started) => Some((vec![event("started", &json!({}))], Some(analysis))),
        Some(SearchEvent::Info(info)) => {
            let lines = InfoResponse::of_lines(&analysis.requested, &info.lines, &info.progress);
            let events = lines.iter().map(|line| event("info", line));
            Some((events.collect(), Some(analysis)))
        }
        None => {
            let last = match (&mut analysis.handle.finished).await {
                Ok(Ok(finished)) => {
                    let response = finished.response(&analysis.requested);
                    event("bestmove", &response)
                }
                Ok(Err(error)) => event("problem", &queue_full(error)),
                Err(_) => event("problem", &Problem::internal()),
            };
            Some((vec![last], None))
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // Structs of strings and numbers always serialise.
    let data = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(data)
}
