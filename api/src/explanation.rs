//! An explanation as JSON.

use serde::Serialize;
use serde_json::Value;

/// The explanation of a position or a move, in the JSON of `saavedra explain --json`.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ExplanationResponse(pub Value);

impl utoipa::PartialSchema for ExplanationResponse {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
        use utoipa::openapi::schema::{ObjectBuilder, Type};
        let of = |description: &str| {
            ObjectBuilder::new().schema_type(Type::String).description(Some(description))
        };
        ObjectBuilder::new()
            .description(Some("Evaluations and chances are from White's view."))
            .property("text", of("The explanation: at most five sentences."))
            .property("fen", of("The position."))
            .property("effect", of("What the best line does: `wins a knight for a pawn`."))
            .required("text")
            .required("fen")
            .into()
    }
}

impl utoipa::ToSchema for ExplanationResponse {
    fn name() -> std::borrow::Cow<'static, str> {
        "Explanation".into()
    }
}
