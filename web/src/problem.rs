//! Error responses as RFC 9457 problem details: the status, the field and the error.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::fmt;
use utoipa::ToSchema;

/// Maximum number of characters of a client's text that an error message repeats.
const MAX_QUOTED: usize = 300;

/// An error response, as `application/problem+json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    #[serde(serialize_with = "as_number")]
    #[schema(value_type = u16)]
    status: StatusCode,
    /// The kind of error, for programs.
    code: Code,
    /// The error message; begins with the field, if there is one.
    detail: String,
    /// The offending field, such as `moves[3]`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    field: Option<String>,
    /// Seconds to wait before a retry.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    retry_after: Option<u64>,
}

/// What kind of error a response has. The names do not change.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The body is not JSON, not UTF-8, or incomplete.
    MalformedBody,
    /// The route does not take this field.
    UnknownField,
    /// A required field is missing.
    MissingField,
    /// A field has a value of another kind, or excludes another field.
    InvalidField,
    /// A number is out of its range.
    OutOfRange,
    /// A page of another origin sent the request.
    Origin,
    /// There is no such route or review.
    NotFound,
    /// The route does not take this method.
    MethodNotAllowed,
    /// The body did not arrive in time.
    BodyTimeout,
    /// The body is larger than the limit.
    BodyTooLarge,
    /// The content type is not supported.
    UnsupportedMediaType,
    /// The request is for another host.
    Host,
    /// The position or the game is invalid.
    InvalidPosition,
    /// A move is illegal.
    IllegalMove,
    /// A game has too many plies, or none.
    GameLength,
    /// A searched position is missing, wrong or of another game.
    InvalidResult,
    /// All engines are busy, and the queue is full or the wait too long.
    QueueFull,
    /// There are too many unfinished reviews.
    TooManyReviews,
    /// An error of the service.
    Internal,
    /// The service is shutting down, or not ready.
    Unavailable,
}

impl Code {
    /// The label in the metrics, if the service refuses requests with this code whatever their
    /// position.
    pub fn rejection(self) -> Option<&'static str> {
        match self {
            Code::QueueFull => Some("queue_full"),
            Code::TooManyReviews => Some("too_many_reviews"),
            Code::BodyTooLarge => Some("body_too_large"),
            Code::BodyTimeout => Some("body_timeout"),
            Code::Host => Some("host"),
            Code::Origin => Some("origin"),
            _ => None,
        }
    }
}

fn as_number<S: serde::Serializer>(status: &StatusCode, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_u16(status.as_u16())
}

impl Problem {
    /// An error without a field.
    pub fn new(status: StatusCode, code: Code, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status,
            code,
            detail: detail.into(),
            field: None,
            retry_after: None,
        }
    }

    fn with_field(
        status: StatusCode,
        code: Code,
        field: impl Into<String>,
        error: impl fmt::Display,
    ) -> Problem {
        let (field, error) = (truncate(field.into()), truncate(error.to_string()));
        let detail = format!("{field}: {error}");
        Problem { field: Some(field), ..Problem::new(status, code, detail) }
    }

    /// 400: the request is malformed.
    pub fn bad_request(code: Code, field: impl Into<String>, error: impl fmt::Display) -> Problem {
        Problem::with_field(StatusCode::BAD_REQUEST, code, field, error)
    }

    /// 422: the request is well-formed, but its position or move is invalid.
    pub fn unprocessable(
        code: Code,
        field: impl Into<String>,
        error: impl fmt::Display,
    ) -> Problem {
        Problem::with_field(StatusCode::UNPROCESSABLE_ENTITY, code, field, error)
    }

    /// 404.
    pub fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, Code::NotFound, detail)
    }

    /// 429: overloaded; retry after this many seconds.
    pub fn overloaded(code: Code, detail: impl Into<String>, retry_after: u64) -> Problem {
        Problem {
            retry_after: Some(retry_after),
            ..Problem::new(StatusCode::TOO_MANY_REQUESTS, code, detail)
        }
    }

    /// 503.
    pub fn unavailable(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, Code::Unavailable, detail)
    }

    /// 500: an error of the service; details are in the log.
    pub fn internal() -> Problem {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            Code::Internal,
            "Internal error; details are in the server's log.",
        )
    }

    /// The error message.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

/// Limits a text that may quote a client to [`MAX_QUOTED`] characters.
fn truncate(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_QUOTED) {
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
        response.extensions_mut().insert(self.code);
        response
    }
}
