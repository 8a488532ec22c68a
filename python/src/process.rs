//! Values of one process. A fork copies memory but not threads, so a child process must not touch
//! what its parent's threads work on.

use std::process;

/// A value that only the process that made it uses. In a child process it is left as it is: even
/// dropping it there could wait for a thread that does not exist.
pub(crate) struct OfProcess<T> {
    value: Option<T>,
    process: u32,
}

impl<T> OfProcess<T> {
    pub(crate) fn new(value: T) -> OfProcess<T> {
        OfProcess { value: Some(value), process: process::id() }
    }

    /// The value; `None` in a child process.
    pub(crate) fn get(&self) -> Option<&T> {
        self.value.as_ref().filter(|_| self.process == process::id())
    }

    /// The same, to change it.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.value.as_mut().filter(|_| self.process == process::id())
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if self.process != process::id() {
            std::mem::forget(self.value.take());
        }
    }
}
