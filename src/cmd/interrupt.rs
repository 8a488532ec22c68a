//! What is kept when Ctrl-C, SIGTERM or SIGHUP interrupts a command.

use crate::mutex::lock;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// The exit status after an interruption, as shells report Ctrl-C.
const INTERRUPTED: i32 = 130;

/// A value that a command works on and that is kept if the command is interrupted.
///
/// The handler runs on its own thread. It waits until the command does not hold the lock, so it
/// sees no half-done change, and holds it until the program ends.
pub(super) struct Guarded<T>(Arc<Mutex<Option<T>>>);

impl<T: Send + 'static> Guarded<T> {
    /// Makes the value, and from then on calls `keep` with it if the command is interrupted. `keep`
    /// is not called once the command has [finished](Guarded::finish) with the value. A signal
    /// while `make` runs takes effect after it.
    ///
    /// # Errors
    /// Those of `make`.
    pub(super) fn new<E>(
        make: impl FnOnce() -> Result<T, E>,
        mut keep: impl FnMut(T) + Send + 'static,
    ) -> Result<Guarded<T>, E> {
        let guarded = Guarded(Arc::new(Mutex::new(None)));
        let shared = Arc::clone(&guarded.0);
        let mut value = lock(&guarded.0);
        // This fails if the calling program has its own handler, which then stays.
        let _ = ctrlc::set_handler(move || {
            // The lock is held to the end: the command waits for it and does not end the program
            // first.
            let mut value = lock(&shared);
            if let Some(kept) = value.take() {
                keep(kept);
            }
            std::process::exit(INTERRUPTED);
        });
        *value = Some(make()?);
        drop(value);
        Ok(guarded)
    }

    /// Changes the value; `None` once the command has finished with it.
    pub(super) fn change<R>(&self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        lock(&self.0).as_mut().map(change)
    }

    /// Takes the value back and completes the work on it. A signal meanwhile takes effect
    /// afterwards. `None` if that has been done before.
    pub(super) fn finish<R>(&self, complete: impl FnOnce(T) -> R) -> Option<R> {
        let mut value = lock(&self.0);
        value.take().map(complete)
    }
}

/// Writes to an output that is not interrupted within a write.
impl<T: Write + Send + 'static> Write for &Guarded<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.change(|output| output.write(bytes)).unwrap_or(Ok(bytes.len()))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.change(Write::flush).unwrap_or(Ok(()))
    }
}

/// The handler keeps its share of the value for ever. A command that fails drops the value itself,
/// with its temporary file.
impl<T> Drop for Guarded<T> {
    fn drop(&mut self) {
        let value = lock(&self.0).take();
        drop(value);
    }
}
