//! What is done around every request: the log and the counters, safe headers, foreign origins.

use crate::app::App;
use crate::problem::Problem;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::time::Instant;

/// Our page loads from us alone, and nobody frames it.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer that has none of that name.
const HEADERS: [(header::HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (
        header::HeaderName::from_static("cross-origin-opener-policy"),
        "same-origin",
    ),
    (header::CACHE_CONTROL, "no-store"),
];

/// Counts and logs each request: method, route, status and time, nothing a client sent.
pub async fn log(
    State(app): State<App>,
    route: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let method = method_name(request.method());
    let response = next.run(request).await;
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let (status, time) = (response.status().as_u16(), start.elapsed());
    app.metrics.answered(method, route, status, time);
    let ms = time.as_secs_f64() * 1000.0;
    match status {
        500.. => tracing::error!(method, route, status, ms, "answered"),
        _ => tracing::info!(method, route, status, ms, "answered"),
    }
    response
}

/// A method's name; a made-up one is not repeated.
fn method_name(method: &Method) -> &'static str {
    let known = [
        "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT",
    ];
    known
        .into_iter()
        .find(|name| *name == method.as_str())
        .unwrap_or("other")
}

/// Adds the headers of every answer.
pub async fn headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    for (name, value) in HEADERS {
        let headers = response.headers_mut();
        headers
            .entry(name)
            .or_insert(HeaderValue::from_static(value));
    }
    response
}

/// Refuses what another site's page asks of the API, unless its origin is allowed. What is no
/// browser sends no such headers and is not concerned.
pub async fn origin(State(app): State<App>, request: Request, next: Next) -> Response {
    let origin = allowed_origin(&app, request.headers());
    let foreign = origin.is_none() && is_foreign(request.headers());
    if foreign && request.uri().path().starts_with("/api/") {
        let detail = "Pages of other sites may not use this API; see --allow-origin.";
        return Problem::new(StatusCode::FORBIDDEN, detail).into_response();
    }
    let preflight = request.method() == Method::OPTIONS
        && request
            .headers()
            .contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match &origin {
        Some(_) if preflight => StatusCode::NO_CONTENT.into_response(),
        _ => next.run(request).await,
    };
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        let exposed = HeaderValue::from_static("Retry-After, Location, Server-Timing");
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        if preflight {
            let methods = HeaderValue::from_static("GET, POST, DELETE");
            headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
            let fields = HeaderValue::from_static("Content-Type");
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, fields);
        }
    }
    response
}

/// Whether the page that asks came from elsewhere. Browsers say so outright, but only to servers
/// that are this machine or speak HTTPS; to others they name the page's origin at least.
fn is_foreign(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let Some(origin) = headers.get(header::ORIGIN) else {
        return false;
    };
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
    let text = origin.to_str().unwrap_or_default();
    let theirs = text.split_once("://").map(|(_, rest)| rest.as_bytes());
    match (theirs, host) {
        (Some(theirs), Some(host)) => !theirs.eq_ignore_ascii_case(host),
        _ => true,
    }
}

fn allowed_origin(app: &App, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let allowed = app
        .config
        .allow_origin
        .iter()
        .any(|known| known.as_bytes() == origin.as_bytes());
    allowed.then(|| origin.clone())
}
