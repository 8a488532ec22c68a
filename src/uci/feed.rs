//! How much of a running search is told: enough that nobody thinks it died, not so much that a GUI
//! drowns (in a position with few moves near a mate, hundreds of iterations end in one blink).

use crate::chess::Move;
use crate::engine::{Bound, Info};
use std::time::{Duration, Instant};

/// The first lines of a search are printed as they come.
const FREE_LINES: usize = 64;
/// After these, the lines of one iteration come at most this often,
const PAUSE: Duration = Duration::from_millis(100);
/// and leave so much time for each line.
const PAUSE_PER_LINE: Duration = Duration::from_millis(5);
/// After a silence of this length there is a sign of life.
const SILENCE: Duration = Duration::from_secs(1);

/// Something to print.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line {
    /// A line of play.
    Info(Info),
    /// A root move being searched: depth, move, its number.
    CurrentMove(u32, Move, usize),
    /// Only that we live, and how fast.
    Heartbeat,
}

/// What is known of a search and not yet told.
pub(super) struct Feed {
    /// Nothing is told before the end.
    silent: bool,
    /// An iteration's lines, while they come in.
    arriving: Vec<Info>,
    /// The lines of the last iteration that is whole.
    whole: Vec<Info>,
    /// The newest passing fact: a root move or a bound.
    passing: Option<Line>,
    last_told: Instant,
    next_lines: Instant,
    next_passing: Instant,
    told: usize,
}

impl Feed {
    /// For a search that starts now.
    pub(super) fn new(silent: bool, now: Instant) -> Feed {
        Feed {
            silent,
            arriving: Vec::new(),
            whole: Vec::new(),
            passing: None,
            last_told: now,
            next_lines: now,
            next_passing: now + SILENCE,
            told: 0,
        }
    }

    /// Takes in a line of play. A bound waits for its turn, unless an exact score comes before.
    pub(super) fn note(&mut self, info: Info) {
        if info.bound != Bound::Exact {
            self.passing = Some(Line::Info(info));
            return;
        }
        self.passing.take_if(|line| matches!(line, Line::Info(_)));
        let is_last = info.multipv == info.pv_count;
        self.arriving.push(info);
        if is_last {
            self.whole = std::mem::take(&mut self.arriving);
        }
    }

    /// Takes in that a root move is being searched.
    pub(super) fn note_current_move(&mut self, depth: u32, m: Move, number: usize) {
        if !matches!(self.passing, Some(Line::Info(_))) {
            self.passing = Some(Line::CurrentMove(depth, m, number));
        }
    }

    /// When there will be something to tell, if nothing comes in until then.
    pub(super) fn due(&self) -> Option<Instant> {
        if self.silent {
            return None;
        }
        let lines = (!self.whole.is_empty()).then_some(self.next_lines);
        let passing = self.passing.is_some().then_some(self.next_passing);
        let heartbeat = Some(self.last_told + SILENCE);
        [lines, passing, heartbeat].into_iter().flatten().min()
    }

    /// What is to be told now.
    pub(super) fn take(&mut self, now: Instant) -> Vec<Line> {
        let mut lines = Vec::new();
        if self.silent {
            return lines;
        }
        if !self.whole.is_empty() && now >= self.next_lines {
            lines.extend(self.whole.drain(..).map(Line::Info));
            self.told += lines.len();
            if self.told >= FREE_LINES {
                self.next_lines = now + PAUSE.max(PAUSE_PER_LINE * lines.len() as u32);
            }
        }
        if now >= self.next_passing
            && let Some(line) = self.passing.take()
        {
            lines.push(line);
            self.next_passing = now + PAUSE;
        }
        if lines.is_empty() && now >= self.last_told + SILENCE {
            lines.push(Line::Heartbeat);
        }
        if !lines.is_empty() {
            self.last_told = now;
        }
        lines
    }

    /// What is still to be told when the search has ended and its final line will follow: the
    /// lines beside the best one.
    pub(super) fn finish(&mut self) -> Vec<Info> {
        self.passing = None;
        match self.whole.len() {
            1 => Vec::new(),
            _ => std::mem::take(&mut self.whole),
        }
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
    fn a_flood_of_iterations_becomes_a_trickle_that_ends_with_the_newest() {
        let begin = Instant::now();
        let mut feed = Feed::new(false, begin);
        let mut told = Vec::new();
        for depth in 1..240 {
            feed.note(info(depth, 1));
            told.extend(feed.take(begin));
        }
        assert_eq!(told.len(), FREE_LINES);
        assert_eq!(feed.due(), Some(begin + PAUSE));
        assert_eq!(feed.take(begin + PAUSE), [Line::Info(info(239, 1))]);
    }

    #[test]
    fn lines_of_one_iteration_stay_together() {
        let begin = Instant::now();
        let line = |depth, multipv, pv_count| Info {
            pv_count,
            ..info(depth, multipv)
        };
        let mut feed = Feed::new(false, begin);
        for depth in 1..=2 {
            for multipv in 1..=2 {
                feed.note(line(depth, multipv, 3));
                assert!(feed.take(begin).is_empty(), "the third is missing");
            }
            feed.note(line(depth, 3, 3));
            assert_eq!(feed.take(begin).len(), 3);
        }
        feed.note(line(3, 1, 2));
        feed.note(line(2, 2, 2));
        assert_eq!(
            feed.finish().len(),
            2,
            "fewer than before, and all there are"
        );
    }

    #[test]
    fn a_bound_is_told_once_and_never_behind_an_exact_score() {
        let begin = Instant::now();
        let m = Board::startpos().legal_moves()[0];
        let bound = Info {
            bound: Bound::Upper,
            ..info(20, 1)
        };
        let mut feed = Feed::new(false, begin);
        feed.note(bound.clone());
        feed.note_current_move(20, m, 2);
        let told = feed.take(begin + SILENCE);
        assert_eq!(
            told,
            [Line::Info(bound.clone())],
            "it is worth more than a move's number"
        );
        feed.note(bound);
        feed.note(info(20, 1));
        let told = feed.take(begin + 2 * SILENCE);
        assert_eq!(told, [Line::Info(info(20, 1))]);
    }

    #[test]
    fn silence_is_broken_unless_asked_for() {
        let begin = Instant::now();
        let mut feed = Feed::new(false, begin);
        assert_eq!(feed.due(), Some(begin + SILENCE));
        assert_eq!(feed.take(begin + SILENCE), [Line::Heartbeat]);
        assert_eq!(feed.due(), Some(begin + 2 * SILENCE));
        let mut silent = Feed::new(true, begin);
        silent.note(info(1, 1));
        assert_eq!(silent.due(), None);
        assert!(silent.take(begin + SILENCE).is_empty());
    }
}
