//! A first-come, first-served queue for the calls of one engine.

use super::engine::lock;
use super::interrupt::SIGNAL_INTERVAL;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use saavedra::engine::SearchControl;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

/// The queue.
#[derive(Default)]
pub(crate) struct Turns {
    queue: Mutex<Queue>,
    /// Notified when a turn ends.
    ended: Condvar,
}

#[derive(Default)]
struct Queue {
    /// The calls that wait, by number; the first one has its turn.
    waiting: VecDeque<u64>,
    /// The number of the last call.
    last: u64,
    /// No call has a turn any more.
    is_closed: bool,
    /// The stream that has its turn: the thread that started it, and how to end it.
    stream: Option<(ThreadId, StreamControl)>,
}

/// Why a stream was ended before its limits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamEnd {
    /// Its method `stop`.
    Stopped,
    /// Another call of the engine.
    OtherCall,
}

/// Ends a stream.
#[derive(Clone)]
pub(crate) struct StreamControl {
    search: SearchControl,
    /// What has ended it first.
    end: Arc<OnceLock<StreamEnd>>,
}

impl StreamControl {
    pub(crate) fn new(search: SearchControl) -> StreamControl {
        StreamControl { search, end: Arc::default() }
    }

    /// Ends the search as soon as possible.
    pub(crate) fn end(&self, end: StreamEnd) {
        // The first end counts.
        let _ = self.end.set(end);
        self.search.stop();
    }

    /// Whether another call has ended the stream.
    pub(crate) fn is_ended_by_call(&self) -> bool {
        self.end.get() == Some(&StreamEnd::OtherCall)
    }
}

/// The turn of a call; it ends when this is dropped.
pub(crate) struct Turn {
    turns: Arc<Turns>,
    number: u64,
}

impl Turns {
    /// Waits until all earlier calls have ended. A stream of the same thread is stopped and ends its
    /// turn: the thread cannot read it meanwhile.
    ///
    /// # Errors
    /// A signal, such as an interrupt from the keyboard, raised an exception; or the engine is closed.
    pub(crate) fn wait(self: &Arc<Turns>, py: Python<'_>) -> PyResult<Turn> {
        let turn = py.detach(|| self.enter());
        while !py.detach(|| self.is_next(turn.number)) {
            py.check_signals()?;
        }
        if self.is_closed() {
            return Err(PyRuntimeError::new_err("the engine is closed"));
        }
        Ok(turn)
    }

    /// Ends the waiting of all calls, which fail.
    pub(crate) fn close(&self) {
        lock(&self.queue).is_closed = true;
        self.ended.notify_all();
    }

    pub(crate) fn is_closed(&self) -> bool {
        lock(&self.queue).is_closed
    }

    fn enter(self: &Arc<Turns>) -> Turn {
        let mut queue = lock(&self.queue);
        let own = queue.stream.take_if(|(thread, _)| *thread == thread::current().id());
        if let Some((_, stream)) = own {
            stream.end(StreamEnd::OtherCall);
            queue.waiting.pop_front();
            self.ended.notify_all();
        }
        queue.last += 1;
        let number = queue.last;
        queue.waiting.push_back(number);
        Turn { turns: Arc::clone(self), number }
    }

    /// Waits a moment; whether it is the turn of this call, or the engine is closed.
    fn is_next(&self, number: u64) -> bool {
        let waits = |queue: &mut Queue| queue.waiting.front() != Some(&number) && !queue.is_closed;
        let queue = self.ended.wait_timeout_while(lock(&self.queue), SIGNAL_INTERVAL, waits);
        !queue.unwrap_or_else(PoisonError::into_inner).1.timed_out()
    }
}

impl Turn {
    /// Notes that the turn is a stream's, started by this thread.
    pub(crate) fn of_stream(&self, stream: StreamControl) {
        lock(&self.turns.queue).stream = Some((thread::current().id(), stream));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut queue = lock(&self.turns.queue);
        if queue.waiting.front() == Some(&self.number) {
            queue.stream = None;
        }
        queue.waiting.retain(|number| *number != self.number);
        drop(queue);
        self.turns.ended.notify_all();
    }
}
