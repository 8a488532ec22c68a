//! A TCP stream whose writes time out when the other end does not read.

use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

/// A TCP stream that fails a write which has been pending for the whole timeout.
pub struct WriteTimeoutStream {
    stream: TcpStream,
    timeout: Duration,
    write_pending: bool,
    deadline: Pin<Box<Sleep>>,
}

impl WriteTimeoutStream {
    /// Wraps a stream.
    pub fn new(stream: TcpStream, timeout: Duration) -> WriteTimeoutStream {
        WriteTimeoutStream {
            stream,
            timeout,
            write_pending: false,
            deadline: Box::pin(sleep(timeout)),
        }
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

impl AsyncRead for WriteTimeoutStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for WriteTimeoutStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check_timeout(cx, result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.check_timeout(cx, result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let result = Pin::new(&mut self.stream).poll_flush(cx);
        self.check_timeout(cx, result)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let result = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.check_timeout(cx, result)
    }
}
