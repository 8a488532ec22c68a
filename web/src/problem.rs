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
    /// Why the service refused a request that may be well-formed, for the metrics.
    #[serde(skip)]
    rejection: Option<Rejection>,
}

/// Why the service refuses requests whatever their content.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// All engines are busy, and the queue is full or the wait too long.
    QueueFull,
    /// There are too many unfinished reviews.
    TooManyReviews,
    /// The body is larger than the limit.
    BodyTooLarge,
    /// The body did not arrive in time.
    BodyTimeout,
    /// The request is for another host.
    Host,
    /// A page of another origin sent the request.
    Origin,
}

impl Rejection {
    /// The label in the metrics.
    pub fn name(self) -> &'static str {
        match self {
            Rejection::QueueFull => "queue_full",
            Rejection::TooManyReviews => "too_many_reviews",
            Rejection::BodyTooLarge => "body_too_large",
            Rejection::BodyTimeout => "body_timeout",
            Rejection::Host => "host",
            Rejection::Origin => "origin",
        }
    }
}

fn as_number<S: serde::Serializer>(status: &StatusCode, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_u16(status.as_u16())
}

impl Problem {
    /// An error without a field.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Problem {
        Problem {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status,
            detail: detail.into(),
            field: None,
            retry_after: None,
            rejection: None,
        }
    }

    /// A refusal that the metrics count by its reason.
    pub fn rejected(
        rejection: Rejection,
        status: StatusCode,
        detail: impl Into<String>,
    ) -> Problem {
        Problem { rejection: Some(rejection), ..Problem::new(status, detail) }
    }

    fn with_field(
        status: StatusCode,
        field: impl Into<String>,
        error: impl fmt::Display,
    ) -> Problem {
        let (field, error) = (truncate(field.into()), truncate(error.to_string()));
        let detail = format!("{field}: {error}");
        Problem { field: Some(field), ..Problem::new(status, detail) }
    }

    /// 400: the request is malformed.
    pub fn bad_request(field: impl Into<String>, error: impl fmt::Display) -> Problem {
        Problem::with_field(StatusCode::BAD_REQUEST, field, error)
    }

    /// 422: the request is well-formed, but its position or move is invalid.
    pub fn unprocessable(field: impl Into<String>, error: impl fmt::Display) -> Problem {
        Problem::with_field(StatusCode::UNPROCESSABLE_ENTITY, field, error)
    }

    /// 404.
    pub fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, detail)
    }

    /// 429: overloaded; retry after this many seconds.
    pub fn overloaded(
        rejection: Rejection,
        detail: impl Into<String>,
        retry_after: u64,
    ) -> Problem {
        Problem {
            retry_after: Some(retry_after),
            ..Problem::rejected(rejection, StatusCode::TOO_MANY_REQUESTS, detail)
        }
    }

    /// 500: an error of the service; details are in the log.
    pub fn internal() -> Problem {
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
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
        if let Some(rejection) = self.rejection {
            response.extensions_mut().insert(rejection);
        }
        response
    }
}
