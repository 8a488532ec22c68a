//! Bodies that an answer did not wait for. They are read to their end after all: so the connection
//! can go on, and a client that is still sending gets to read why it was refused.

use crate::app::App;
use crate::body::DRAINED;
use axum::Error;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Frame, SizeHint};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::time::timeout;

/// Answers a request and then reads what is left of its body, within size and time.
pub async fn read_on(State(app): State<App>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let (parts, body) = request.into_parts();
    // Such a client sends nothing before it is told to.
    let waits = parts.headers.contains_key(header::EXPECT);
    let mut rest = Shared(Arc::new(Mutex::new(body)));
    let body = Body::new(rest.clone());
    let response = next.run(Request::from_parts(parts, body)).await;
    let given_up = [StatusCode::REQUEST_TIMEOUT, StatusCode::PAYLOAD_TOO_LARGE];
    if !waits && !given_up.contains(&response.status()) {
        let most = app.config.max_body().saturating_mul(DRAINED);
        // What does not come, or never ends, costs the client its connection.
        let _ = timeout(app.config.patience(), drain(&mut rest, most)).await;
    }
    response
}

/// Reads a body to its end, or until `most` bytes have come.
async fn drain(body: &mut Shared, most: usize) {
    let mut seen = 0;
    while let Some(Ok(frame)) = body.frame().await {
        seen += frame.data_ref().map_or(0, Bytes::len);
        if seen > most {
            break;
        }
    }
}

/// A body with two holders: who answers, and who reads the rest.
#[derive(Clone)]
struct Shared(Arc<Mutex<Body>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Body> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HttpBody for Shared {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        Pin::new(&mut *self.lock()).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.lock().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.lock().size_hint()
    }
}
