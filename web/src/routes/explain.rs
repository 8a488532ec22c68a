//! `POST /api/v1/explain`: what a move does, or the best move, in words.

use crate::app::App;
use crate::body;
use crate::parser::run_with_permit;
use crate::position::parse_move;
use crate::problem::Problem;
use crate::request::position_fields_and;
use axum::Json;
use axum::extract::{Request, State};
use saavedra::analysis::{Analyser, Budget, DEFAULT_EXPLANATION_NODES, Question, explain, json};
use saavedra_api::ExplanationResponse;

/// The fields besides the position.
pub const FIELDS: [&str; 2] = ["move", "nodes"];

/// The maximum of `nodes`.
pub const MAX_NODES: u64 = 1_000_000;

/// Explains a move, or the best move of the position, in at most five sentences.
///
/// The answer is the one of `saavedra explain --json`. `nodes` limits each of some five searches.
///
/// # Errors
/// The request is malformed, or its position or move is invalid.
#[utoipa::path(
    post,
    path = "/explain",
    operation_id = "explain",
    request_body(content(("application/json", examples(
        ("position" = (
            summary = "A position",
            value = json!({ "fen": "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1" })
        )),
        ("move" = (
            summary = "A move",
            value = json!({ "moves": ["e4", "e5", "Qh5"], "move": "g6", "nodes": 10000 })
        )),
    )))),
    responses((status = 200, description = "The explanation.", body = ExplanationResponse))
)]
pub async fn post(
    State(app): State<App>,
    request: Request,
) -> Result<Json<ExplanationResponse>, Problem> {
    let mut fields = body::read(request, &app, position_fields_and(&FIELDS)).await?;
    let nodes = fields.explanation_nodes(DEFAULT_EXPLANATION_NODES, MAX_NODES)?;
    let text = fields.move_text.take();
    let requested = app.parser.game(fields).await?;
    let board = requested.game.board();
    let asked = text.map(|text| parse_move(board, "move", &text)).transpose()?;
    let question = Question::in_game(&requested.game, asked);
    let analyser = Analyser {
        tablebases: app.factory.tablebases(),
        ..Analyser::for_explanations(Budget::Nodes(nodes), app.evaluation.clone())
    };
    let explained = run_with_permit(&app.explanations, move || {
        explain(&question, &analyser).map_err(|error| {
            tracing::error!(%error, "an explanation failed");
            Problem::internal()
        })
    });
    Ok(Json(ExplanationResponse(json::explanation(&explained.await?))))
}
