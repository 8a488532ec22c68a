//! A TCP stream whose writes time out when the other end does not read, and which tells when the
//! other end has closed it.

use futures_util::FutureExt;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// Interval of the checks whether the other end has closed the stream.
const PEER_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A TCP stream that fails a write which has been pending for the whole timeout.
pub struct WriteTimeoutStream {
    stream: SharedStream,
    timeout: Duration,
    write_pending: bool,
    deadline: Pin<Box<Sleep>>,
}

impl WriteTimeoutStream {
    /// Wraps a stream.
    pub fn new(stream: TcpStream, timeout: Duration) -> WriteTimeoutStream {
        WriteTimeoutStream {
            stream: SharedStream(Arc::new(Mutex::new(stream))),
            timeout,
            write_pending: false,
            deadline: Box::pin(sleep(timeout)),
        }
    }

    /// The other end of the stream.
    pub fn peer(&self) -> Peer {
        Peer(self.stream.clone())
    }

    /// Returns the result of a write, or an error if it has been pending for too long.
    fn check_timeout<T>(
        &mut self,
        cx: &mut Context<'_>,
        result: Poll<Result<T>>,
    ) -> Poll<Result<T>> {
        if result.is_ready() {
            self.write_pending = false;
            return result;
        }
        if !self.write_pending {
            self.write_pending = true;
            self.deadline.as_mut().reset(Instant::now() + self.timeout);
        }
        ready!(self.deadline.as_mut().poll(cx));
        Poll::Ready(Err(Error::new(
            ErrorKind::TimedOut,
            "the client does not read",
        )))
    }
}

/// The stream, shared with the [`Peer`], which locks it for a moment only.
#[derive(Clone)]
struct SharedStream(Arc<Mutex<TcpStream>>);

impl SharedStream {
    fn lock(&self) -> MutexGuard<'_, TcpStream> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The other end of a stream.
pub struct Peer(SharedStream);

impl Peer {
    /// Waits until the other end has closed the stream, even if there are bytes left to read, and
    /// as long again, so that a request that came with the end has time for a quick response.
    pub async fn closed(&self) {
        while !self.is_closed() {
            sleep(PEER_CHECK_INTERVAL).await;
        }
        sleep(PEER_CHECK_INTERVAL).await;
    }

    fn is_closed(&self) -> bool {
        let stream = self.0.lock();
        let ready = stream.ready(Interest::READABLE).now_or_never();
        ready.is_some_and(|ready| ready.is_ok_and(|ready| ready.is_read_closed()))
    }
}

impl AsyncRead for WriteTimeoutStream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut *self.stream.lock()).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let result = Pin::new(&mut *self.stream.lock()).poll_write(cx, bytes);
        self.check_timeout(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let result = Pin::new(&mut *self.stream.lock()).poll_write_vectored(cx, slices);
        self.check_timeout(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.lock().is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let result = Pin::new(&mut *self.stream.lock()).poll_flush(cx);
        self.check_timeout(cx, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let result = Pin::new(&mut *self.stream.lock()).poll_shutdown(cx);
        self.check_timeout(cx, result)
    }
}
