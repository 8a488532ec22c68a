//! Interrupts from the keyboard.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use saavedra::engine::StopFlag;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// How often a long call looks for signals, such as an interrupt from the keyboard.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// Does long work on a thread of its own while other Python threads run. A signal that raises an
/// exception sets the flag, which must end the work.
///
/// # Errors
/// The exception of a signal, once the work has ended; or the thread cannot be started.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    stop: &StopFlag,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    let run = || {
        thread::scope(|scope| -> PyResult<T> {
            let (sender, result) = mpsc::channel();
            let send = move || drop(sender.send(work()));
            thread::Builder::new().spawn_scoped(scope, send)?;
            loop {
                match result.recv_timeout(SIGNAL_INTERVAL) {
                    Ok(result) => return Ok(result),
                    Err(RecvTimeoutError::Timeout) => {
                        let signals = Python::attach(|py| py.check_signals());
                        signals.inspect_err(|_| stop.set())?;
                    }
                    Err(RecvTimeoutError::Disconnected) => {
                        return Err(PyRuntimeError::new_err("the work has panicked"));
                    }
                }
            }
        })
    };
    py.detach(run)
}
