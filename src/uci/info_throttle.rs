//! Limits the rate of `info` lines: enough to show progress, but not more than a GUI can display.
//! Near a mate a search completes hundreds of iterations in milliseconds.

use crate::chess::Move;
use crate::engine::{Bound, Info};
use std::time::Duration;

/// This number of PV lines is printed without a pause.
const FREE_PV_LINES: usize = 64;
/// The minimum pause between the PV lines of two iterations after that.
const PAUSE: Duration = Duration::from_millis(100);
/// The minimum pause for each PV line of an iteration.
const PAUSE_PER_PV_LINE: Duration = Duration::from_millis(5);
/// After this time without output the last line is printed again.
const MAX_SILENCE: Duration = Duration::from_secs(1);

/// An `info` line to print.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum InfoLine {
    /// A PV line.
    Pv(Info),
    /// The first PV line once more, with current counters and the root move that is searched now.
    /// So every line has a score: GUIs show lines without one as empty rows.
    Progress(Info, Option<CurrentMove>),
}

/// The root move that is searched now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CurrentMove {
    pub(super) m: Move,
    /// Its number in the move order, from 1.
    pub(super) move_number: usize,
}

/// The reports of a running search that are not printed yet.
pub(super) struct InfoThrottle {
    /// Nothing is printed before the end of the search.
    silent: bool,
    /// The PV lines of an iteration whose last line is missing.
    incomplete: Vec<Info>,
    /// The PV lines of the last complete iteration.
    complete: Vec<Info>,
    /// Whether they are still to be printed.
    is_complete_due: bool,
    /// The newest bound.
    bound: Option<Info>,
    current_move: Option<CurrentMove>,
    /// The first PV line that was printed last.
    last_pv: Option<Info>,
    last_output: Duration,
    next_pv_lines: Duration,
    next_bound: Duration,
    printed_pv_lines: usize,
}

impl InfoThrottle {
    /// For a search that starts. All times count from its start.
    pub(super) fn new(silent: bool) -> InfoThrottle {
        InfoThrottle {
            silent,
            incomplete: Vec::new(),
            complete: Vec::new(),
            is_complete_due: false,
            bound: None,
            current_move: None,
            last_pv: None,
            last_output: Duration::ZERO,
            next_pv_lines: Duration::ZERO,
            next_bound: MAX_SILENCE,
            printed_pv_lines: 0,
        }
    }

    /// Whether nothing is printed before the end of the search.
    pub(super) fn is_silent(&self) -> bool {
        self.silent
    }

    /// Adds a PV line. A bound is dropped if an exact score follows before it is printed.
    pub(super) fn add_info(&mut self, info: Info) {
        if info.bound != Bound::Exact {
            self.bound = Some(info);
            return;
        }
        self.bound = None;
        let is_last = info.multipv == info.pv_count;
        self.incomplete.push(info);
        if is_last {
            self.complete = std::mem::take(&mut self.incomplete);
            self.is_complete_due = true;
        }
    }

    /// Adds the root move that is searched now.
    pub(super) fn add_current_move(&mut self, m: Move, move_number: usize) {
        self.current_move = Some(CurrentMove { m, move_number });
    }

    /// When the next line is due, if nothing is added until then.
    pub(super) fn due(&self) -> Option<Duration> {
        if self.silent {
            return None;
        }
        let pv_lines = self.is_complete_due.then_some(self.next_pv_lines);
        let bound = self.bound.is_some().then_some(self.next_bound);
        let progress = self.last_pv.is_some();
        let progress = progress.then_some(self.last_output + MAX_SILENCE);
        [pv_lines, bound, progress].into_iter().flatten().min()
    }

    /// Takes the lines that are due now.
    pub(super) fn take(&mut self, now: Duration) -> Vec<InfoLine> {
        if self.silent {
            return Vec::new();
        }
        let mut lines = Vec::new();
        if self.is_complete_due && now >= self.next_pv_lines {
            self.is_complete_due = false;
            lines.extend_from_slice(&self.complete);
            self.printed_pv_lines += lines.len();
            if self.printed_pv_lines >= FREE_PV_LINES {
                self.next_pv_lines = now + PAUSE.max(PAUSE_PER_PV_LINE * lines.len() as u32);
            }
        }
        if now >= self.next_bound
            && let Some(bound) = self.bound.take()
        {
            lines.push(bound);
            self.next_bound = now + PAUSE;
        }
        if let Some(first) = lines.iter().rfind(|info| info.multipv == 1) {
            self.last_pv = Some(first.clone());
        }
        let mut lines: Vec<InfoLine> = lines.into_iter().map(InfoLine::Pv).collect();
        if let Some(info) = self.last_pv.as_ref()
            && lines.is_empty()
            && now >= self.last_output + MAX_SILENCE
        {
            lines.push(InfoLine::Progress(info.clone(), self.current_move));
        }
        if !lines.is_empty() {
            self.last_output = now;
        }
        lines
    }

    /// Takes the lines that remain at the end of the search, where the final line of the best move
    /// follows: with MultiPV, all lines of the last complete iteration.
    pub(super) fn finish(&mut self) -> Vec<Info> {
        self.bound = None;
        let is_due = std::mem::take(&mut self.is_complete_due);
        match is_due && self.complete.len() > 1 {
            true => self.complete.clone(),
            false => Vec::new(),
        }
    }

    /// The lines of the last complete iteration are to be printed once more.
    pub(super) fn repeat(&mut self) {
        self.is_complete_due = !self.complete.is_empty();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;
    use crate::engine::SearchProgress;

    fn info(depth: u32, multipv: usize) -> Info {
        Info {
            depth,
            seldepth: depth,
            multipv,
            pv_count: 1,
            score: 31_990,
            bound: Bound::Exact,
            progress: SearchProgress::default(),
            pv: Vec::new(),
        }
    }

    #[test]
    fn many_iterations_are_limited_to_the_rate_and_the_newest_is_printed() {
        let start = Duration::ZERO;
        let mut throttle = InfoThrottle::new(false);
        let mut printed = Vec::new();
        for depth in 1..240 {
            throttle.add_info(info(depth, 1));
            printed.extend(throttle.take(start));
        }
        assert_eq!(printed.len(), FREE_PV_LINES);
        assert_eq!(throttle.due(), Some(start + PAUSE));
        assert_eq!(throttle.take(start + PAUSE), [InfoLine::Pv(info(239, 1))]);
    }

    #[test]
    fn pv_lines_of_an_iteration_stay_together() {
        let start = Duration::ZERO;
        let line = |depth, multipv, pv_count| Info {
            pv_count,
            ..info(depth, multipv)
        };
        let mut throttle = InfoThrottle::new(false);
        for depth in 1..=2 {
            for multipv in 1..=2 {
                throttle.add_info(line(depth, multipv, 3));
                assert!(throttle.take(start).is_empty(), "the third line is missing");
            }
            throttle.add_info(line(depth, 3, 3));
            assert_eq!(throttle.take(start).len(), 3);
        }
        throttle.add_info(line(3, 1, 2));
        throttle.add_info(line(2, 2, 2));
        assert_eq!(
            throttle.finish().len(),
            2,
            "fewer lines than before, all complete"
        );
    }

    #[test]
    fn the_pause_grows_with_the_number_of_pv_lines() {
        let now = Duration::from_millis(7);
        for (pv_count, pause) in [(1, PAUSE), (16, PAUSE), (32, PAUSE_PER_PV_LINE * 32)] {
            let mut throttle = InfoThrottle::new(false);
            for number in 0..FREE_PV_LINES {
                let multipv = number % pv_count + 1;
                throttle.add_info(Info {
                    pv_count,
                    ..info(1, multipv)
                });
                let printed = throttle.take(now).len();
                assert_eq!(printed, if multipv == pv_count { pv_count } else { 0 });
            }
            throttle.add_info(info(2, 1));
            assert_eq!(throttle.due(), Some(now + pause), "{pv_count}");
            assert!(
                throttle
                    .take(now + pause - Duration::from_nanos(1))
                    .is_empty()
            );
            assert_eq!(throttle.take(now + pause).len(), 1);
        }
    }

    #[test]
    fn bounds_are_printed_after_a_second_with_pauses() {
        let bound = |depth| Info {
            bound: Bound::Lower,
            ..info(depth, 1)
        };
        let mut throttle = InfoThrottle::new(false);
        throttle.add_info(bound(1));
        assert_eq!(throttle.due(), Some(MAX_SILENCE));
        assert!(
            throttle
                .take(MAX_SILENCE - Duration::from_nanos(1))
                .is_empty()
        );
        assert_eq!(throttle.take(MAX_SILENCE), [InfoLine::Pv(bound(1))]);
        throttle.add_info(bound(2));
        assert!(throttle.take(MAX_SILENCE).is_empty());
        assert_eq!(throttle.due(), Some(MAX_SILENCE + PAUSE));
        let printed = throttle.take(MAX_SILENCE + PAUSE);
        assert_eq!(printed, [InfoLine::Pv(bound(2))]);
    }

    #[test]
    fn the_line_that_is_printed_again_is_the_first_one() {
        let mut throttle = InfoThrottle::new(false);
        let line = |multipv| Info {
            pv_count: 2,
            ..info(5, multipv)
        };
        throttle.add_info(line(1));
        throttle.add_info(line(2));
        assert_eq!(throttle.take(Duration::ZERO).len(), 2);
        let before = MAX_SILENCE - Duration::from_nanos(1);
        assert!(throttle.take(before).is_empty());
        let progress = InfoLine::Progress(line(1), None);
        assert_eq!(throttle.take(MAX_SILENCE), [progress]);
    }

    #[test]
    fn at_the_end_only_the_lines_of_several_are_left() {
        for (pv_count, left) in [(1, 0), (2, 2), (3, 3)] {
            let mut throttle = InfoThrottle::new(true);
            for multipv in 1..=pv_count {
                throttle.add_info(Info {
                    pv_count,
                    ..info(5, multipv)
                });
            }
            assert_eq!(throttle.finish().len(), left);
        }
    }

    #[test]
    fn a_bound_is_printed_once_and_never_after_its_exact_score() {
        let start = Duration::ZERO;
        let bound = Info {
            bound: Bound::Upper,
            ..info(20, 1)
        };
        let mut throttle = InfoThrottle::new(false);
        throttle.add_info(bound.clone());
        let printed = throttle.take(start + MAX_SILENCE);
        assert_eq!(printed, [InfoLine::Pv(bound.clone())]);
        throttle.add_info(bound);
        throttle.add_info(info(20, 1));
        let printed = throttle.take(start + 2 * MAX_SILENCE);
        assert_eq!(printed, [InfoLine::Pv(info(20, 1))]);
    }

    #[test]
    fn after_silence_the_last_line_is_printed_again_unless_the_output_is_minimal() {
        let start = Duration::ZERO;
        let m = Board::startpos().legal_moves()[0];
        let mut throttle = InfoThrottle::new(false);
        throttle.add_current_move(m, 2);
        assert_eq!(throttle.due(), None, "there is no score yet");
        assert!(throttle.take(start + MAX_SILENCE).is_empty());
        throttle.add_info(info(5, 1));
        let now = start + 2 * MAX_SILENCE;
        assert_eq!(throttle.take(now), [InfoLine::Pv(info(5, 1))]);
        assert_eq!(throttle.due(), Some(now + MAX_SILENCE));
        assert!(throttle.take(now).is_empty());
        let current_move = Some(CurrentMove { m, move_number: 2 });
        let progress = InfoLine::Progress(info(5, 1), current_move);
        assert_eq!(throttle.take(now + MAX_SILENCE), [progress]);
        assert_eq!(throttle.due(), Some(now + 2 * MAX_SILENCE));
        let mut silent = InfoThrottle::new(true);
        silent.add_info(info(1, 1));
        assert_eq!(silent.due(), None);
        assert!(silent.take(start + MAX_SILENCE).is_empty());
    }
}
