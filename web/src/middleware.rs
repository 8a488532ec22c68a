//! Middleware for every request: log and counters, security headers, foreign origins, shutdown.

use crate::app::App;
use crate::client::ConnectionInfo;
use crate::config::host_name;
use crate::metrics::Metrics;
use crate::problem::{Code, Problem};
use axum::extract::{MatchedPath, Request, State};
use axum::http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header,
};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};

/// The page loads from its own origin only and may not be framed. It may compile its WebAssembly module.
const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every response; a handler's own header of the same name takes precedence.
pub const HEADERS: [(HeaderName, &str); 6] = [
    (header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Shorter bodies are not compressed.
const MIN_COMPRESSED_BYTES: u64 = 1024;

/// What is compressed for clients that accept it: texts that are not sent as they come, and WebAssembly.
pub fn compression() -> CompressionLayer<impl Predicate> {
    let is_large = |_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| {
        let content_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        content_type.is_some_and(|kind| {
            let kinds = [
                "text/",
                "application/json",
                "application/openmetrics",
                "application/wasm",
                "image/svg",
            ];
            kinds.iter().any(|known| kind.starts_with(known)) && kind != "text/event-stream"
        })
    };
    CompressionLayer::new().compress_when(SizeAbove::new(MIN_COMPRESSED_BYTES).and(is_large))
}

/// Identifies a request in its response and in the log.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The maximum length of a request id that the client or a proxy gave.
const MAX_REQUEST_ID: usize = 64;

/// Counts and logs each request: id, method, route, status and time, but nothing else that the
/// client sent.
pub async fn log(
    State(app): State<App>,
    route: Option<MatchedPath>,
    request: Request,
    next: Next,
) -> Response {
    let start = Instant::now();
    let method = method_name(request.method());
    let route = route.as_ref().map_or("none", MatchedPath::as_str);
    let id = request_id(request.headers());
    // hyper drops the handler when the client disconnects.
    let mut record = RequestRecord {
        metrics: Arc::clone(&app.metrics),
        id: id.clone(),
        method,
        route: route.to_owned(),
        status: CLIENT_CLOSED_REQUEST,
        start,
    };
    let mut response = next.run(request).await;
    record.status = response.status().as_u16();
    if let Some(code) = response.extensions().get() {
        app.metrics.count_rejection(*code);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    response
}

/// The id that the client or a proxy gave, if it consists of letters, digits and hyphens, else a
/// random one.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let is_plain = |id: &&str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
        (1..=MAX_REQUEST_ID).contains(&id.len()) && id.bytes().all(plain)
    };
    match given.filter(is_plain) {
        Some(id) => id.to_owned(),
        // Without random numbers all ids are equal, which only the log suffers from.
        None => format!("{:016x}", getrandom::u64().unwrap_or_default()),
    }
}

/// The status in log and metrics if the client disconnects before the response, as in nginx.
const CLIENT_CLOSED_REQUEST: u16 = 499;

/// Counts and logs a request when dropped.
struct RequestRecord {
    metrics: Arc<Metrics>,
    id: String,
    method: &'static str,
    route: String,
    status: u16,
    start: Instant,
}

impl Drop for RequestRecord {
    fn drop(&mut self) {
        let (method, route, status) = (self.method, self.route.as_str(), self.status);
        let id = self.id.as_str();
        let time = self.start.elapsed();
        self.metrics.count_request(method, route, status, time);
        let ms = time.as_secs_f64() * 1000.0;
        match status {
            500.. => tracing::error!(id, method, route, status, ms, "request"),
            _ => tracing::info!(id, method, route, status, ms, "request"),
        }
    }
}

/// Refuses requests for other hosts with 421: a page of another site could otherwise use the
/// service by DNS rebinding. Loopback names, the address of the connection and `--host` are
/// accepted.
pub async fn check_host(State(app): State<App>, request: Request, next: Next) -> Response {
    let local = request.extensions().get::<ConnectionInfo>();
    let local = local.map(|info| info.local.ip().to_canonical());
    let header = request.headers().get(header::HOST);
    let header = header.map(|value| value.to_str().unwrap_or_default());
    let authority = request.uri().authority().map(|authority| authority.as_str());
    let accepted = match (header, authority) {
        (None, None) => request.version() < Version::HTTP_11,
        (header, authority) => [header, authority]
            .into_iter()
            .flatten()
            .all(|host| is_accepted_host(&app, local, host)),
    };
    if accepted {
        return next.run(request).await;
    }
    let detail = "This host name is not served here; see --host.";
    Problem::new(StatusCode::MISDIRECTED_REQUEST, Code::Host, detail).into_response()
}

fn is_accepted_host(app: &App, local: Option<IpAddr>, host: &str) -> bool {
    let name = host_name(host).to_ascii_lowercase();
    match name.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(address) if address.is_loopback() || Some(address) == local => true,
        _ if name == "localhost" || name.ends_with(".localhost") => true,
        _ => app.config.host.contains(&name),
    }
}

/// The name of a standard method; other methods are not repeated.
fn method_name(method: &Method) -> &'static str {
    let known = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"];
    known.into_iter().find(|name| *name == method.as_str()).unwrap_or("other")
}

/// Refuses requests with 503 while the service is shutting down, except those that monitor it.
pub async fn refuse_when_stopping(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Response {
    let monitors = matches!(request.uri().path(), "/health" | "/metrics");
    if monitors || !*app.stopping.borrow() {
        return next.run(request).await;
    }
    Problem::unavailable("The service is shutting down.").into_response()
}

/// Refuses API requests from pages of other origins unless `--allow-origin` lists them. Clients
/// that are not browsers send no `Sec-Fetch-Site`, `Origin` or `Referer` and are not affected.
pub async fn check_origin(State(app): State<App>, request: Request, next: Next) -> Response {
    let origin = allowed_origin(&app, request.headers());
    let foreign = origin.is_none() && is_cross_origin(request.headers());
    if foreign && request.uri().path().starts_with("/api/") {
        let detail = "Pages of other origins may not use this API; see --allow-origin.";
        return Problem::new(StatusCode::FORBIDDEN, Code::Origin, detail).into_response();
    }
    let preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    let mut response = match &origin {
        Some(_) if preflight => StatusCode::NO_CONTENT.into_response(),
        _ => next.run(request).await,
    };
    if let Some(origin) = origin {
        let headers = response.headers_mut();
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.append(header::VARY, HeaderValue::from_static("Origin"));
        let exposed =
            HeaderValue::from_static("Retry-After, Location, Server-Timing, X-Request-Id");
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

/// Whether a page of another origin sent the request. Browsers send `Sec-Fetch-Site` only to
/// localhost and over HTTPS; otherwise `Origin` is compared with `Host`, or without it, as for an
/// image, `Referer`, which the page of this service does not send.
fn is_cross_origin(headers: &HeaderMap) -> bool {
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "same-origin" && site != "none";
    }
    let sender = headers.get(header::ORIGIN);
    let Some(sender) = sender.or_else(|| headers.get(header::REFERER)) else {
        return false;
    };
    let host = headers.get(header::HOST).map(HeaderValue::as_bytes);
    let text = sender.to_str().unwrap_or_default();
    let sender_host = text.split_once("://").and_then(|(_, rest)| rest.split(['/', '?']).next());
    match (sender_host, host) {
        (Some(sender_host), Some(host)) => !sender_host.as_bytes().eq_ignore_ascii_case(host),
        _ => true,
    }
}

fn allowed_origin(app: &App, headers: &HeaderMap) -> Option<HeaderValue> {
    let origin = headers.get(header::ORIGIN)?;
    let allowed = app.config.allow_origin.iter().any(|known| known.as_bytes() == origin.as_bytes());
    allowed.then(|| origin.clone())
}
