//! Reads the rest of a request body that the handler left unread. The connection can then be
//! reused, and a client that is still sending receives the error response.

use crate::app::App;
use crate::body::{DRAIN_FACTOR, is_fragmented};
use axum::Error;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Frame, SizeHint};
use parking_lot::Mutex;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::time::timeout;

/// Handles a request, then reads the rest of its body up to a size and a timeout.
pub async fn drain_body(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    // A client with `Expect: 100-continue` has not sent its body yet.
    let expects_continue = parts.headers.contains_key(header::EXPECT);
    let mut rest = SharedBody(Arc::new(Mutex::new(body)));
    let body = Body::new(rest.clone());
    let response = next.run(Request::from_parts(parts, body)).await;
    let aborted = [StatusCode::REQUEST_TIMEOUT, StatusCode::PAYLOAD_TOO_LARGE];
    if !expects_continue && !aborted.contains(&response.status()) {
        let max_bytes = app.config.max_body_bytes().saturating_mul(DRAIN_FACTOR);
        // After the timeout the connection is closed.
        let _ = timeout(app.config.client_timeout(), drain(&mut rest, max_bytes)).await;
    }
    response
}

/// Reads a body to its end, at most `max_bytes` and not in many small pieces.
async fn drain(body: &mut SharedBody, max_bytes: usize) {
    let (mut pieces, mut read) = (0, 0);
    while let Some(Ok(frame)) = body.frame().await {
        pieces += 1;
        read += frame.data_ref().map_or(0, Bytes::len);
        if read > max_bytes || is_fragmented(pieces, read) {
            break;
        }
    }
}

/// A body shared by the handler and by [`drain_body`].
#[derive(Clone)]
struct SharedBody(Arc<Mutex<Body>>);

impl HttpBody for SharedBody {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut *self.0.lock()).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.0.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.lock().size_hint()
    }
}
