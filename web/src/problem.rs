//! Refusals, as RFC 9457 problem details: what status, which field, and what is wrong with it.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::fmt;

/// Longest text of a client that is repeated to it, in characters.
const LONGEST: usize = 300;

/// A refused request. Serialises as `application/problem+json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    #[serde(serialize_with = "number")]
    status: StatusCode,
    /// What is wrong, in a sentence that begins with the field.
    detail: String,
    /// The field at fault, as `moves[3]`; absent where no single field is.
    #[serde(skip_serializing_if = "Option::is_none")]
    field: Option<String>,
    /// Seconds after which to try again.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after: Option<u64>,
}

fn number<S: serde::Serializer>(status: &StatusCode, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_u16(status.as_u16())
}

impl Problem {
    /// A refusal that no single field is to blame for.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Refused"),
            status,
            detail: detail.into(),
            field: None,
            retry_after: None,
        }
    }

    fn of_field(status: StatusCode, field: impl Into<String>, fault: impl fmt::Display) -> Problem {
        let (field, fault) = (clip(field.into()), clip(fault.to_string()));
        let detail = format!("{field}: {fault}");
        Problem {
            field: Some(field),
            ..Problem::new(status, detail)
        }
    }

    /// 400: the request cannot be read, here.
    pub fn syntax(field: impl Into<String>, fault: impl fmt::Display) -> Problem {
        Problem::of_field(StatusCode::BAD_REQUEST, field, fault)
    }

    /// 422: the request reads well, but its position or move is refused.
    pub fn refused(field: impl Into<String>, fault: impl fmt::Display) -> Problem {
        Problem::of_field(StatusCode::UNPROCESSABLE_ENTITY, field, fault)
    }

    /// 404: there is nothing here.
    pub fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, detail)
    }

    /// 429: too much to do; try again after so many seconds.
    pub fn busy(detail: impl Into<String>, retry_after: u64) -> Problem {
        let retry_after = Some(retry_after);
        Problem {
            retry_after,
            ..Problem::new(StatusCode::TOO_MANY_REQUESTS, detail)
        }
    }

    /// 500: a fault of ours; the log has more.
    pub fn internal() -> Problem {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "The server failed; its log says how.",
        )
    }

    /// Whether trying again later may help.
    pub fn is_busy(&self) -> bool {
        self.retry_after.is_some()
    }

    /// What is wrong.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

/// A text that may repeat what a client sent, cut to what a person would read.
fn clip(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.status, self.detail)
    }
}

impl std::error::Error for Problem {}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        let json = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, json);
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        response
    }
}
