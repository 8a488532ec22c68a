//! `GET /openapi.json`: the API's own description.

use crate::app::App;
use crate::ask::{MAX_DEPTH, MAX_LINES};
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

const DOCUMENT: &str = include_str!("../assets/openapi.json");

/// Answers the OpenAPI document, with this server's version and limits in it.
pub async fn get(State(app): State<App>) -> Json<Value> {
    Json(document(&app))
}

/// The document. A test makes sure that its text is JSON and that its examples hold.
fn document(app: &App) -> Value {
    let mut document: Value = serde_json::from_str(DOCUMENT).unwrap_or_default();
    let elo = match &app.elo {
        Some(range) => json!({ "minimum": range.start(), "maximum": range.end() }),
        None => json!({}),
    };
    let values = [
        ("/info/version", json!(env!("CARGO_PKG_VERSION"))),
        (
            "/components/schemas/Movetime/maximum",
            json!(app.config.max_movetime),
        ),
        (
            "/components/schemas/AnalysisTime/maximum",
            json!(app.config.max_analysis * 1000),
        ),
        (
            "/components/schemas/ReviewTime/maximum",
            json!(app.config.max_review_movetime().as_millis()),
        ),
        ("/components/schemas/Depth/maximum", json!(MAX_DEPTH)),
        ("/components/schemas/MultiPv/maximum", json!(MAX_LINES)),
        ("/components/schemas/Elo/minimum", elo["minimum"].clone()),
        ("/components/schemas/Elo/maximum", elo["maximum"].clone()),
    ];
    for (place, value) in values {
        if let Some(slot) = document.pointer_mut(place).filter(|_| !value.is_null()) {
            *slot = value;
        }
    }
    document
}
