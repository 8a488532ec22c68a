//! `GET /api/v1/analysis`: a search as server-sent events, ended by closing the connection.

use crate::app::App;
use crate::ask::{LIMITS, POSITION};
use crate::bestmove::busy;
use crate::body;
use crate::pool::{Progress, Purpose, Ticket};
use crate::position::Asked;
use crate::problem::Problem;
use crate::report::{BestMove, Line};
use crate::think::Task;
use axum::extract::{RawQuery, State};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream::{self, StreamExt};
use serde::Serialize;
use serde_json::json;
use std::convert::Infallible;
use std::time::Duration;

/// How often a quiet stream says that it lives, so that a connection that is gone is noticed.
const HEARTBEAT: Duration = Duration::from_secs(5);

/// Answers with events: `queued`, `info` …, `bestmove`; `problem` if the engine fails.
///
/// # Errors
/// The query cannot be read, its position is refused, or the queue is full.
pub async fn get(State(app): State<App>, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let fields = [&POSITION[..], &LIMITS].concat();
    let ask = body::read_query(query.as_deref().unwrap_or_default(), &fields)?;
    let cap = app.config.max_analysis();
    let limits = ask.limits(cap, cap, app.elo.as_ref())?;
    let asked = Asked::new(&ask)?;
    let stream = if asked.game.board().has_legal_move() {
        let task = Task {
            game: asked.game.clone(),
            limits,
        };
        let ticket = app
            .pool
            .submit(task, Purpose::Analysis, cap)
            .map_err(busy)?;
        stream::unfold(
            Some(Watch {
                asked,
                ticket,
                said: false,
            }),
            next,
        )
        .left_stream()
    } else {
        stream::iter([event("bestmove", &BestMove::none(&asked))]).right_stream()
    };
    let alive = KeepAlive::new().interval(HEARTBEAT);
    Ok(Sse::new(stream.map(Ok::<_, Infallible>))
        .keep_alive(alive)
        .into_response())
}

/// A search that is watched. Dropping it, as happens when the connection is gone, stops the search.
struct Watch {
    asked: Asked,
    ticket: Ticket,
    said: bool,
}

/// The next event, and the watch unless it was the last.
async fn next(watch: Option<Watch>) -> Option<(Event, Option<Watch>)> {
    let mut watch = watch?;
    if !watch.said {
        watch.said = true;
        return Some((
            event(
                "queued",
                &json!({ "fen": watch.asked.game.board().to_fen() }),
            ),
            Some(watch),
        ));
    }
    match watch.ticket.progress.recv().await {
        Some(Progress::Started) => Some((event("started", &json!({})), Some(watch))),
        Some(Progress::Info(info)) => {
            let line = Line::new(&watch.asked, &info);
            Some((event("info", &line), Some(watch)))
        }
        None => {
            let last = match (&mut watch.ticket.done).await {
                Ok(done) => event("bestmove", &BestMove::new(&watch.asked, &done)),
                Err(_) => event("problem", &Problem::internal()),
            };
            Some((last, None))
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    // These values are plain structs of strings and numbers: they always serialise.
    let data = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(data)
}
