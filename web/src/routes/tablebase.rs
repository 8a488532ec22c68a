//! `POST /api/v1/tablebase`: what the tablebases have on a position.

use crate::app::App;
use crate::body;
use crate::problem::Problem;
use crate::request::position_fields_and;
use axum::Json;
use axum::extract::{Request, State};
use saavedra::tablebase::Tablebase;
use saavedra_api::TablebaseResponse;

/// The outcome of a position and of its moves by the tablebases of `--syzygy-path`.
///
/// `wdl` is null without tablebases, or if they do not have the position; `/health` has the maximum number of
/// pieces.
///
/// # Errors
/// The request is malformed or its position is invalid.
#[utoipa::path(
    post,
    path = "/tablebase",
    operation_id = "tablebase",
    request_body(content(("application/json", examples(
        ("win" = (
            summary = "A win",
            value = json!({ "fen": "8/8/8/3k4/8/8/8/R3K3 w - - 0 1" })
        )),
    )))),
    responses((status = 200, description = "The outcomes.", body = TablebaseResponse))
)]
pub async fn post(
    State(app): State<App>,
    request: Request,
) -> Result<Json<TablebaseResponse>, Problem> {
    let fields = body::read(request, &app, position_fields_and(&[])).await?;
    let requested = app.parser.game(fields).await?;
    let tables = app.factory.tablebases();
    let probe = move || {
        let none = Tablebase::empty();
        Ok(Json(requested.tablebase(tables.as_ref().map_or(&none, |tables| &tables.base))))
    };
    app.parser.run_apart(probe).await
}
