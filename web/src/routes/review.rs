//! `/api/v1/review`: reviews that the client drives. It has the positions of a game searched, group by
//! group, keeps what was found, and gets the review of it. The service keeps nothing, so any replica can
//! answer each request.

use crate::app::App;
use crate::body;
use crate::client::ClientId;
use crate::problem::{Code, Problem};
use crate::request::position_fields_and;
use crate::reviews::{GroupEvent, search_group, too_many_reviews};
use crate::routes::lines::lines;
use crate::routes::pgn::JSON_FACTOR;
use crate::routes::reviews::{check_plies, requested_review, review_parameters};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use saavedra_api::{ReviewResponse, review};
use std::sync::Arc;

/// The fields of a search besides the game.
pub const SEARCH_FIELDS: [&str; 4] = ["movetime", "nodes", "depth", "ply"];
/// The fields of a judgement besides the game.
pub const JUDGE_FIELDS: [&str; 1] = ["searched"];

/// Search a group of positions for a review.
///
/// A game is searched in groups of twelve positions, the last position first. The answer has a line for
/// each position of the group that `ply` belongs to: first the position after `ply` plies if the group
/// begins there, as it does at the last position of the game and at the position before the last one of
/// an answer. With `nodes` or `depth` the same group is always answered alike.
///
/// # Errors
/// The request is malformed, its game is invalid, or there are too many reviews.
#[utoipa::path(
    post,
    path = "/review/search",
    operation_id = "searchGroup",
    request_body(content(("application/json", examples(
        ("game" = (
            summary = "A short game",
            value = json!({ "moves": ["f2f3", "e7e5", "g2g4", "d8h4"], "nodes": 2000 })
        )),
    )))),
    responses(
        (
            status = 200,
            description = "The searched positions, one a line.",
            content_type = "application/x-ndjson",
            body = GroupEvent
        ),
        (status = 429),
    )
)]
pub async fn search(
    State(app): State<App>,
    Extension(client): Extension<ClientId>,
    request: Request,
) -> Result<Response, Problem> {
    let fields = body::read(request, &app, position_fields_and(&SEARCH_FIELDS)).await?;
    let ply = fields.ply;
    let (requested, plies, parameters) = requested_review(&app, fields).await?;
    let ply = ply.map_or(Some(plies), |ply| usize::try_from(ply).ok());
    let Some(ply) = ply.filter(|ply| *ply <= plies) else {
        return Err(Problem::unprocessable(
            Code::OutOfRange,
            "ply",
            format!("the game has {plies} plies"),
        ));
    };
    let parameters = review_parameters(&app, plies, parameters)?;
    let Ok(permit) = Arc::clone(&app.groups).try_acquire_owned() else {
        return Err(too_many_reviews());
    };
    Ok(lines(search_group(app, client, requested, ply, parameters, permit)))
}

/// Judge the searched positions of a game.
///
/// `searched` has the answers of `/review/search`, from the last position of the game to the first, or as
/// far as they are known; the `status` of the review is then `running`. The same request always has the
/// same answer. The body may have four times the size of other bodies.
///
/// # Errors
/// The request is malformed, its game is invalid, or a searched position is not of this game.
#[utoipa::path(
    post,
    path = "/review/judge",
    operation_id = "judge",
    request_body(content(("application/json", examples(
        ("game" = (
            summary = "The last position of a short game",
            value = json!({
                "moves": ["f2f3", "e7e5", "g2g4", "d8h4"],
                "searched": [{
                    "ply": 4,
                    "fen": "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",
                    "engine": "Saavedra", "score": { "mate": 0 },
                    "depth": 0, "nodes": 0, "time": 0, "pv": []
                }]
            })
        )),
    )))),
    responses((status = 200, description = "The review.", body = ReviewResponse))
)]
pub async fn judge(State(app): State<App>, request: Request) -> Result<Response, Problem> {
    let max_bytes = app.config.max_body_bytes() * JSON_FACTOR;
    let accepted = position_fields_and(&JUDGE_FIELDS);
    let mut fields = body::read_long(request, &app, accepted, max_bytes).await?;
    let Some(searched) = fields.searched.take().filter(|searched| !searched.is_empty()) else {
        let error = "is required: the answers of /api/v1/review/search";
        return Err(Problem::bad_request(Code::MissingField, "searched", error));
    };
    let requested = app.parser.game(fields).await?;
    check_plies(&requested)?;
    let (evaluation, metrics) = (app.evaluation.clone(), Arc::clone(&app.metrics));
    let judge = move || match review(requested, &searched, &evaluation) {
        Ok(review) => {
            if review.status.is_finished() {
                metrics.count_review();
            }
            Ok(Json(review).into_response())
        }
        Err((field, error)) => Err(Problem::unprocessable(Code::InvalidResult, field, error)),
    };
    // A line of moves for each position takes longer than reading its text.
    app.parser.run(usize::MAX, judge).await
}
