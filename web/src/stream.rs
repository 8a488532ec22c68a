//! A TCP stream that detects when the client has closed it.

use futures_util::FutureExt;
use parking_lot::Mutex;
use std::io::{IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::sleep;

/// Interval of the checks whether the client has closed the stream.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A TCP stream whose clones are the same stream: hyper has one, the other waits for the client to
/// close it. Each locks it for a moment only.
#[derive(Clone)]
pub struct SharedStream(Arc<Mutex<TcpStream>>);

impl SharedStream {
    /// Wraps a stream.
    pub fn new(stream: TcpStream) -> SharedStream {
        SharedStream(Arc::new(Mutex::new(stream)))
    }

    /// Waits until the client has closed the stream, even if there are bytes left to read, and one
    /// interval longer: a request that came with the end has time for a quick response.
    pub async fn closed(&self) {
        while !self.is_closed() {
            sleep(CHECK_INTERVAL).await;
        }
        sleep(CHECK_INTERVAL).await;
    }

    fn is_closed(&self) -> bool {
        let stream = self.0.lock();
        let ready = stream.ready(Interest::READABLE).now_or_never();
        ready.is_some_and(|ready| ready.is_ok_and(|ready| ready.is_read_closed()))
    }
}

impl AsyncRead for SharedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut *self.0.lock()).poll_read(cx, buffer)
    }
}

impl AsyncWrite for SharedStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        Pin::new(&mut *self.0.lock()).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        Pin::new(&mut *self.0.lock()).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.lock().is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut *self.0.lock()).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut *self.0.lock()).poll_shutdown(cx)
    }
}
