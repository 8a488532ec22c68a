//! Limits the rate of `info` lines: enough to show progress, but not more than a GUI can display.
//! Near a mate a search completes hundreds of iterations in milliseconds.

use crate::chess::Move;
use crate::engine::{Info, PvLine};
use std::time::Duration;

/// This number of PV lines is printed without a pause.
const FREE_PV_LINES: usize = 64;
/// The minimum pause between the PV lines of two iterations after that.
const PAUSE: Duration = Duration::from_millis(100);
/// The minimum pause for each PV line of an iteration.
const PAUSE_PER_PV_LINE: Duration = Duration::from_millis(5);
/// After this time without output the last line is printed again.
const MAX_SILENCE: Duration = Duration::from_secs(1);

/// What to print.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum InfoLine {
    /// The PV lines of an iteration, or a bound.
    Pv(Info),
    /// The first PV line once more, with current counters and the root move that is searched now.
    /// So every line has a score: GUIs show lines without one as empty rows.
    Progress(PvLine, Option<CurrentMove>),
}

/// The root move that is searched now, and its number in the move order, from 1.
pub(super) type CurrentMove = (Move, usize);

/// The reports of a running search that are not printed yet.
#[derive(Default)]
pub(super) struct InfoThrottle {
    /// Nothing is printed before the end of the search.
    silent: bool,
    /// The last iteration.
    iteration: Option<Info>,
    /// Whether it is still to be printed.
    is_iteration_due: bool,
    /// The newest bound.
    bound: Option<Info>,
    current_move: Option<CurrentMove>,
    /// The first PV line that was printed last.
    last_pv: Option<PvLine>,
    last_output: Duration,
    next_pv_lines: Duration,
    next_bound: Duration,
    printed_pv_lines: usize,
}

impl InfoThrottle {
    /// For a search that starts. All times count from its start.
    pub(super) fn new(silent: bool) -> InfoThrottle {
        InfoThrottle { silent, next_bound: MAX_SILENCE, ..InfoThrottle::default() }
    }

    /// Whether nothing is printed before the end of the search.
    pub(super) fn is_silent(&self) -> bool {
        self.silent
    }

    /// Adds an iteration or a bound. A bound is dropped if an exact score follows before it is
    /// printed.
    pub(super) fn add_info(&mut self, info: Info) {
        if info.is_exact() {
            self.bound = None;
            self.iteration = Some(info);
            self.is_iteration_due = true;
        } else {
            self.bound = Some(info);
        }
    }

    /// Adds the root move that is searched now.
    pub(super) fn add_current_move(&mut self, m: Move, move_number: usize) {
        self.current_move = Some((m, move_number));
    }

    /// When the next line is due, if nothing is added until then.
    pub(super) fn due(&self) -> Option<Duration> {
        if self.silent {
            return None;
        }
        let pv_lines = self.is_iteration_due.then_some(self.next_pv_lines);
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
        let mut infos = Vec::new();
        if now >= self.next_pv_lines
            && std::mem::take(&mut self.is_iteration_due)
            && let Some(info) = self.iteration.clone()
        {
            self.printed_pv_lines += info.lines.len();
            if self.printed_pv_lines >= FREE_PV_LINES {
                self.next_pv_lines = now + PAUSE.max(PAUSE_PER_PV_LINE * info.lines.len() as u32);
            }
            infos.push(info);
        }
        if now >= self.next_bound
            && let Some(bound) = self.bound.take()
        {
            infos.push(bound);
            self.next_bound = now + PAUSE;
        }
        if let Some(first) = infos.last().and_then(|info| info.lines.first()) {
            self.last_pv = Some(first.clone());
        }
        let mut lines: Vec<InfoLine> = infos.into_iter().map(InfoLine::Pv).collect();
        if let Some(line) = &self.last_pv
            && lines.is_empty()
            && now >= self.last_output + MAX_SILENCE
        {
            lines.push(InfoLine::Progress(line.clone(), self.current_move));
        }
        if !lines.is_empty() {
            self.last_output = now;
        }
        lines
    }

    /// Takes what remains at the end of the search, where the final line of the best move follows:
    /// with MultiPV, the last iteration.
    pub(super) fn finish(&mut self) -> Option<Info> {
        self.bound = None;
        let is_due = std::mem::take(&mut self.is_iteration_due);
        let several = |info: &&Info| is_due && info.lines.len() > 1;
        self.iteration.as_ref().filter(several).cloned()
    }

    /// The last iteration is to be printed once more.
    pub(super) fn repeat(&mut self) {
        self.is_iteration_due = self.iteration.is_some();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chess::Board;
    use crate::engine::Bound;

    fn info(depth: u32, lines: usize) -> Info {
        let line = PvLine::new(31_990.into(), depth, Vec::new());
        Info { lines: vec![line; lines], ..Info::default() }
    }

    fn bound(depth: u32, bound: Bound) -> Info {
        let mut info = info(depth, 1);
        info.lines[0].bound = bound;
        info
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
    fn the_pause_grows_with_the_number_of_pv_lines() {
        let now = Duration::from_millis(7);
        for (count, pause) in [(1, PAUSE), (16, PAUSE), (32, PAUSE_PER_PV_LINE * 32)] {
            let mut throttle = InfoThrottle::new(false);
            for _ in 0..FREE_PV_LINES / count {
                throttle.add_info(info(1, count));
                assert_eq!(throttle.take(now), [InfoLine::Pv(info(1, count))]);
            }
            throttle.add_info(info(2, 1));
            assert_eq!(throttle.due(), Some(now + pause), "{count}");
            let before = now + pause - Duration::from_nanos(1);
            assert!(throttle.take(before).is_empty());
            assert_eq!(throttle.take(now + pause).len(), 1);
        }
    }

    #[test]
    fn bounds_are_printed_after_a_second_with_pauses() {
        let bound = |depth| bound(depth, Bound::Lower);
        let mut throttle = InfoThrottle::new(false);
        throttle.add_info(bound(1));
        assert_eq!(throttle.due(), Some(MAX_SILENCE));
        assert!(throttle.take(MAX_SILENCE - Duration::from_nanos(1)).is_empty());
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
        let mut two = info(5, 2);
        two.lines[1].depth = 4;
        throttle.add_info(two.clone());
        assert_eq!(throttle.take(Duration::ZERO), [InfoLine::Pv(two.clone())]);
        let before = MAX_SILENCE - Duration::from_nanos(1);
        assert!(throttle.take(before).is_empty());
        let progress = InfoLine::Progress(two.lines[0].clone(), None);
        assert_eq!(throttle.take(MAX_SILENCE), [progress]);
    }

    #[test]
    fn at_the_end_only_an_iteration_of_several_lines_is_left() {
        for (count, left) in [(1, None), (2, Some(2)), (3, Some(3))] {
            let mut throttle = InfoThrottle::new(true);
            throttle.add_info(info(5, count));
            assert_eq!(throttle.finish().map(|info| info.lines.len()), left);
            assert_eq!(throttle.finish(), None);
        }
    }

    #[test]
    fn a_bound_is_printed_once_and_never_after_its_exact_score() {
        let start = Duration::ZERO;
        let bound = bound(20, Bound::Upper);
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
        let current_move = Some((m, 2));
        let progress = InfoLine::Progress(info(5, 1).lines.remove(0), current_move);
        assert_eq!(throttle.take(now + MAX_SILENCE), [progress]);
        assert_eq!(throttle.due(), Some(now + 2 * MAX_SILENCE));
        let mut silent = InfoThrottle::new(true);
        silent.add_info(info(1, 1));
        assert_eq!(silent.due(), None);
        assert!(silent.take(start + MAX_SILENCE).is_empty());
    }
}
