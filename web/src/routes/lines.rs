//! Responses as lines of JSON, sent as they come.

use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use futures_util::stream::{Stream, StreamExt};
use serde::Serialize;
use std::convert::Infallible;

/// The media type of lines of JSON.
pub const CONTENT_TYPE: &str = "application/x-ndjson";

/// A response with a line for each of these objects.
pub fn lines<T: Serialize>(objects: impl Stream<Item = T> + Send + 'static) -> Response {
    let lines = objects.map(|object| {
        // Structs of strings and numbers always serialise.
        let line = serde_json::to_string(&object).unwrap_or_default() + "\n";
        Ok::<_, Infallible>(line)
    });
    ([(header::CONTENT_TYPE, CONTENT_TYPE)], Body::from_stream(lines)).into_response()
}
