//! `/api/v1/analysis`: a search whose results are sent as they come, as server-sent events (GET) or as
//! lines of JSON (POST). Closing the connection stops it.
//!
//! An analysis takes turns with the searches that wait for its engine: it is queued again, and its
//! next turn goes on with the iterations that it has not reported.

use crate::app::App;
use crate::backend::{SearchParameters, SearchTask};
use crate::body;
use crate::client::ClientId;
use crate::pool::{FinishedSearch, Priority, SearchEvent, SearchHandle, StopReason};
use crate::problem::Problem;
use crate::request::{LIMIT_FIELDS, RequestFields, position_fields_and};
use crate::routes::bestmove::{queue_full, submit};
use crate::routes::lines::lines;
use axum::Extension;
use axum::extract::{RawQuery, Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, Stream, StreamExt};
use saavedra_api::{BestMoveResponse, InfoResponse, RequestedGame};
use serde::Serialize;
use std::convert::Infallible;
use std::time::Duration;
use utoipa::ToSchema;

/// Interval of the comments on an idle stream, which detect a closed connection.
const KEEP_ALIVE: Duration = Duration::from_secs(5);

/// The identifier of the last event. A browser that connects again by itself sends it.
const LAST_ID: &str = "end";

/// A search that ended no earlier than this before the maximum time was cut by it: a search keeps a
/// reserve.
const RESERVE: Duration = Duration::from_millis(100);

/// What an analysis reports.
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum AnalysisEvent {
    /// The search waits for an engine, at first or for its next turn.
    Queued {
        /// The position to be searched.
        fen: String,
    },
    /// An engine has started the search.
    Started,
    /// A line of an iteration.
    Info(InfoResponse),
    /// The end of the search.
    BestMove(AnalysisEnd),
    /// The search failed, or lost its place in the queue.
    Problem(Problem),
}

/// The last event of an analysis: the best move, and why it ended before its own limit.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnalysisEnd {
    #[serde(flatten)]
    best: BestMoveResponse,
    /// Why the service ended the analysis, unless its own limit did. A client may start it again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    stopped: Option<StopReason>,
}

impl AnalysisEvent {
    /// The name of the event.
    fn name(&self) -> &'static str {
        match self {
            AnalysisEvent::Queued { .. } => "queued",
            AnalysisEvent::Started => "started",
            AnalysisEvent::Info(_) => "info",
            AnalysisEvent::BestMove(_) => "bestmove",
            AnalysisEvent::Problem(_) => "problem",
        }
    }

    /// As a server-sent event, with its name and, if it is the last one, an identifier.
    fn server_sent(&self) -> Event {
        // Structs of strings and numbers always serialise.
        let data = serde_json::to_string(self).unwrap_or_default();
        let event = Event::default().event(self.name()).data(data);
        match self {
            AnalysisEvent::BestMove(_) | AnalysisEvent::Problem(_) => event.id(LAST_ID),
            _ => event,
        }
    }
}

/// An analysis as server-sent events.
///
/// The events are `queued`, `started`, `info` (a Line) repeatedly, and last `bestmove` (a BestMove),
/// or `problem` if the search failed. If long searches occupy all their engines, an analysis takes
/// turns with those that wait: after two seconds or more it is `queued` again, later `started`, and
/// goes on with deeper iterations. If the queue is full then, it ends; `stopped` is then `queue`.
/// Close the connection to stop the search. The last event has an identifier, so an `EventSource` that connects
/// again afterwards is answered 204 and ends.
///
/// # Errors
/// The query is malformed, its position is invalid, or the queue is full.
#[utoipa::path(
    get,
    path = "/analysis",
    operation_id = "analysis",
    responses(
        (status = 200, description = "The events.", content_type = "text/event-stream", body = String),
        (status = 204, description = "The analysis has ended: the last event was received before."),
        (status = 400),
        (status = 422),
        (status = 429),
    )
)]
pub async fn get(
    State(app): State<App>,
    Extension(client): Extension<ClientId>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if headers.get("last-event-id").is_some_and(|id| id == LAST_ID) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let accepted = position_fields_and(&LIMIT_FIELDS);
    let fields = body::read_query(query.as_deref().unwrap_or_default(), &accepted)?;
    let events = analyse(&app, client, fields).await?;
    let events = events.map(|event| Ok::<_, Infallible>(event.server_sent()));
    Ok(Sse::new(events).keep_alive(KeepAlive::new().interval(KEEP_ALIVE)).into_response())
}

/// An analysis as lines of JSON.
///
/// Each line is an object whose field `event` is `queued`, `started`, `info` (a Line) repeatedly, and
/// last `bestmove` (a BestMove), or `problem` if the search failed. Without a limit the analysis takes
/// the maximum time; it then ends with `"stopped": "time"`. Close the connection to stop the search.
///
/// # Errors
/// The request is malformed, its position is invalid, or the queue is full.
#[utoipa::path(
    post,
    path = "/analysis",
    operation_id = "analyse",
    request_body(content(("application/json", examples(
        ("lines" = (
            summary = "Three lines",
            value = json!({ "fen": "startpos", "multipv": 3, "movetime": 100 })
        )),
    )))),
    responses(
        (
            status = 200,
            description = "The events, one a line.",
            content_type = "application/x-ndjson",
            body = AnalysisEvent
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
    Ok(lines(analyse(&app, client, fields).await?))
}

/// Starts an analysis.
async fn analyse(
    app: &App,
    client: ClientId,
    fields: RequestFields,
) -> Result<impl Stream<Item = AnalysisEvent> + use<>, Problem> {
    let max_time = app.config.max_analysis();
    let (requested, parameters) = app.search(fields, max_time, max_time).await?;
    if !requested.game.board().has_legal_move() {
        let best = BestMoveResponse::game_over(&requested);
        let end = AnalysisEvent::BestMove(AnalysisEnd { best, stopped: None });
        return Ok(stream::iter([end]).right_stream());
    }
    let is_limited = parameters.move_time() < max_time;
    let handle = submit(app, client, &requested, parameters.clone(), Priority::Analysis)?;
    let analysis = RunningAnalysis {
        app: app.clone(),
        client,
        requested,
        parameters,
        handle,
        is_limited,
        is_announced: false,
        searched: Duration::ZERO,
        depth: 0,
    };
    Ok(stream::unfold(Some(analysis), next_events).flat_map(stream::iter).left_stream())
}

/// The search behind a stream. Dropping it stops the search.
struct RunningAnalysis {
    app: App,
    client: ClientId,
    requested: RequestedGame,
    parameters: SearchParameters,
    /// The search of this turn.
    handle: SearchHandle,
    /// Whether the request has a time below the maximum.
    is_limited: bool,
    /// Whether the event `queued` of this turn was sent.
    is_announced: bool,
    /// The time of the earlier turns.
    searched: Duration,
    /// The depth of the last reported iteration.
    depth: u32,
}

impl RunningAnalysis {
    fn end(&self, finished: &FinishedSearch) -> AnalysisEnd {
        let is_over = finished.searched + RESERVE >= self.time_left() && !self.is_limited;
        AnalysisEnd {
            best: finished.response(&self.requested),
            stopped: finished.stopped.or(is_over.then_some(StopReason::Time)),
        }
    }

    fn time_left(&self) -> Duration {
        self.parameters.move_time().saturating_sub(self.searched)
    }

    /// Queues the next turn after a search that was stopped for others. False if nothing is left to
    /// search, or the queue is full.
    fn continue_later(&mut self, finished: &FinishedSearch) -> bool {
        if finished.stopped != Some(StopReason::Queue) {
            return false;
        }
        let searched = self.searched + finished.searched;
        let mut parameters = self.parameters.clone();
        parameters.limits.move_time = Some(parameters.move_time().saturating_sub(searched));
        if parameters.move_time() <= RESERVE {
            return false;
        }
        let task =
            SearchTask { searched, ..SearchTask::new(self.requested.game.clone(), parameters) };
        let Ok(handle) = self.app.pool.submit(self.client, task, Priority::Analysis, None) else {
            return false;
        };
        (self.handle, self.searched, self.is_announced) = (handle, searched, false);
        true
    }
}

/// The next events, and the analysis unless they were the last ones.
async fn next_events(
    analysis: Option<RunningAnalysis>,
) -> Option<(Vec<AnalysisEvent>, Option<RunningAnalysis>)> {
    let mut analysis = analysis?;
    if !analysis.is_announced {
        analysis.is_announced = true;
        let fen = analysis.requested.game.board().to_fen();
        return Some((vec![AnalysisEvent::Queued { fen }], Some(analysis)));
    }
    match analysis.handle.events.recv().await {
        Some(SearchEvent::Started) => Some((vec![AnalysisEvent::Started], Some(analysis))),
        Some(SearchEvent::Info(info)) => {
            let depth = info.lines.first().map_or(0, |line| line.depth);
            // The iterations of an earlier turn are searched again, but not reported.
            if depth < analysis.depth {
                return Some((Vec::new(), Some(analysis)));
            }
            analysis.depth = depth;
            let lines = InfoResponse::of_lines(&analysis.requested, &info.lines, &info.progress);
            Some((lines.into_iter().map(AnalysisEvent::Info).collect(), Some(analysis)))
        }
        None => {
            let last = match (&mut analysis.handle.finished).await {
                Ok(Ok(finished)) if analysis.continue_later(&finished) => {
                    return Some((Vec::new(), Some(analysis)));
                }
                Ok(Ok(finished)) => AnalysisEvent::BestMove(analysis.end(&finished)),
                Ok(Err(error)) => AnalysisEvent::Problem(queue_full(error)),
                Err(_) => AnalysisEvent::Problem(Problem::internal()),
            };
            Some((vec![last], None))
        }
    }
}
