//! Progress on standard error: bars where that is a terminal, else lines.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// A progress bar of this length with a template of `indicatif`, hidden if standard error is not a
/// terminal.
pub(super) fn bar(length: u64, template: &str) -> ProgressBar {
    if !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar
}

/// When a line of progress is due: none in the first seconds, so that short runs print nothing.
pub(super) struct Lines {
    next: Instant,
    any: bool,
}

impl Lines {
    const INTERVAL: Duration = Duration::from_secs(10);

    pub(super) fn new(now: Instant) -> Lines {
        Lines { next: now + Lines::INTERVAL, any: false }
    }

    /// Whether there have been lines.
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// Whether a line is due; the next one is due after the interval.
    pub(super) fn is_due(&mut self, now: Instant) -> bool {
        let is_due = now >= self.next;
        if is_due {
            *self = Lines { next: now + Lines::INTERVAL, any: true };
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_rare_and_absent_from_short_runs() {
        let start = Instant::now();
        let mut lines = Lines::new(start);
        let due = (0..35).filter(|s| lines.is_due(start + Duration::from_secs(*s)));
        assert_eq!(due.collect::<Vec<u64>>(), [10, 20, 30]);
    }
}
