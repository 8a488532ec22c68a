//! A barrier that a panic breaks.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Lets threads wait for each other, as [`std::sync::Barrier`] does. If one of them panics, the
/// others do not wait for it for ever.
pub(crate) struct Barrier {
    threads: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: usize,
    /// How often all threads have met.
    meetings: u64,
    is_broken: bool,
}

/// A thread has panicked.
pub(crate) struct BrokenBarrier;

/// Breaks the barrier if its thread panics.
pub(crate) struct PanicGuard<'a>(&'a Barrier);

impl Barrier {
    /// A barrier for this number of threads. Each must keep a [guard](Barrier::guard).
    pub(crate) fn new(threads: usize) -> Barrier {
        Barrier { threads, state: Mutex::default(), changed: Condvar::new() }
    }

    /// A guard to keep while the thread uses the barrier.
    pub(crate) fn guard(&self) -> PanicGuard<'_> {
        PanicGuard(self)
    }

    /// Waits until all threads wait.
    ///
    /// # Errors
    /// A thread has panicked.
    pub(crate) fn wait(&self) -> Result<(), BrokenBarrier> {
        let mut state = self.lock();
        state.waiting += 1;
        if state.waiting == self.threads {
            state.waiting = 0;
            state.meetings += 1;
            self.changed.notify_all();
        } else {
            let meetings = state.meetings;
            let is_waiting = |state: &mut State| state.meetings == meetings && !state.is_broken;
            let state_after = self.changed.wait_while(state, is_waiting);
            state = state_after.unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_broken { Err(BrokenBarrier) } else { Ok(()) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.lock().is_broken = true;
            self.0.changed.notify_all();
        }
    }
}
