//! The clock of a search. Tests replace it with one that they set.

use std::time::{Duration, Instant};

/// A monotonic clock.
pub trait Clock: Send + Sync {
    /// Time since an arbitrary fixed moment.
    fn now(&self) -> Duration;
}

/// The monotonic clock of the system.
pub struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> SystemClock {
        SystemClock(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

/// A clock that tests set, in microseconds.
#[cfg(test)]
#[derive(Clone, Default)]
pub(super) struct ManualClock(std::sync::Arc<std::sync::atomic::AtomicU64>);

#[cfg(test)]
impl ManualClock {
    pub(super) fn advance(&self, time: Duration) {
        let microseconds = time.as_micros() as u64;
        self.0.fetch_add(microseconds, std::sync::atomic::Ordering::Relaxed);
    }
}

#[cfg(test)]
impl Clock for ManualClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.0.load(std::sync::atomic::Ordering::Relaxed))
    }
}
