//! `GET /openapi.json`: the OpenAPI document.

use crate::app::App;
use crate::request::{MAX_DEPTH, MAX_MULTIPV};
use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

const DOCUMENT: &str = include_str!("../../assets/openapi.json");

/// Returns the OpenAPI document with the version and the limits of this server.
pub async fn get(State(app): State<App>) -> Json<Value> {
    Json(document(&app))
}

/// The document. A test checks that it is JSON and that its examples are answered as documented.
fn document(app: &App) -> Value {
    let mut document: Value = serde_json::from_str(DOCUMENT).unwrap_or_default();
    let elo = match &app.elo_range {
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
        ("/components/schemas/MultiPv/maximum", json!(MAX_MULTIPV)),
        ("/components/schemas/Elo/minimum", elo["minimum"].clone()),
        ("/components/schemas/Elo/maximum", elo["maximum"].clone()),
    ];
    for (pointer, value) in values {
        if let Some(target) = document.pointer_mut(pointer).filter(|_| !value.is_null()) {
            *target = value;
        }
    }
    document
}
