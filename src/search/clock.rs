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

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

    /// A clock that is set by hand, in microseconds.
    #[derive(Clone, Default)]
    pub(in super::super) struct ManualClock(Arc<AtomicU64>);

    impl ManualClock {
        pub(in super::super) fn advance(&self, time: Duration) {
            self.0.fetch_add(time.as_micros() as u64, Relaxed);
        }
    }

    impl Clock for ManualClock {
        fn now(&self) -> Duration {
            Duration::from_micros(self.0.load(Relaxed))
        }
    }
}
