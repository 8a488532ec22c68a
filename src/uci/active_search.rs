//! A search or perft that is running, or a result that waits for `stop` or `ponderhit`.

use super::Settings;
use super::format;
use super::info_throttle::{InfoLine, InfoThrottle};
use crate::chess::Board;
use crate::engine::{Event, Info, PerftEvent, PvLine, SearchControl, SearchResult};
use crate::eval;
use crossbeam_channel::Receiver;
use std::time::Duration;

/// An event of a search or of perft.
pub(super) enum TaskEvent {
    Search(Event),
    Perft(PerftEvent),
}

/// What the session knows about a task of the engine.
pub(super) struct ActiveSearch {
    pub(super) control: SearchControl,
    pub(super) events: Receiver<TaskEvent>,
    /// The root position.
    pub(super) board: Board,
    pub(super) is_perft: bool,
    /// `bestmove` waits for `ponderhit` or `stop`.
    pub(super) ponder: bool,
    /// `bestmove` waits for `stop`.
    pub(super) infinite: bool,
    /// The result of a search that has ended.
    pub(super) result: Option<SearchResult>,
    pub(super) throttle: InfoThrottle,
    /// The first PV line, if it was printed last.
    pub(super) last_line: Option<PvLine>,
    /// Whether the final lines are printed.
    pub(super) is_result_printed: bool,
}

impl ActiveSearch {
    /// A search that has begun at this position and reports its events.
    pub(super) fn new(
        board: Board,
        control: SearchControl,
        events: Receiver<TaskEvent>,
        throttle: InfoThrottle,
    ) -> ActiveSearch {
        ActiveSearch {
            control,
            events,
            board,
            is_perft: false,
            ponder: false,
            infinite: false,
            result: None,
            throttle,
            last_line: None,
            is_result_printed: false,
        }
    }

    /// Whether `bestmove` waits for a command.
    pub(super) fn is_bestmove_held(&self) -> bool {
        self.ponder || self.infinite
    }

    /// The ponder move was played: `bestmove` is no longer held. GUIs ignore the lines of the time
    /// before, so the final lines must follow.
    pub(super) fn ponder_hit(&mut self) {
        self.ponder = false;
        self.control.ponder_hit();
        self.last_line = None;
        self.is_result_printed = false;
        if self.result.is_some() {
            self.throttle.repeat();
        }
    }

    /// The time until the next `info` line is due, if nothing is reported until then.
    pub(super) fn time_until_due(&self) -> Option<Duration> {
        let due = self.throttle.due()?;
        Some(due.saturating_sub(self.control.time()))
    }

    /// The `info` lines that are due now.
    pub(super) fn due_lines(&mut self, settings: &Settings) -> Vec<String> {
        let lines = self.throttle.take(self.control.time());
        let format = |line| self.format(line, settings);
        lines.into_iter().flat_map(format).collect()
    }

    /// The last `info` lines of a search that has ended, unless they are printed already. The very
    /// last one is the best move's; it is left out if it was just printed.
    pub(super) fn final_lines(&mut self, settings: &Settings) -> Vec<String> {
        let Some(result) = self.result.clone().filter(|_| !self.is_result_printed) else {
            return Vec::new();
        };
        if self.throttle.is_silent() && self.is_bestmove_held() {
            return Vec::new();
        }
        self.is_result_printed = true;
        let info = self.throttle.finish();
        let mut lines =
            info.map_or_else(Vec::new, |info| self.format(InfoLine::Pv(info), settings));
        match result.lines.first() {
            None => lines.push(format::game_over(&self.board, settings)),
            Some(line) if self.last_line.as_ref().is_some_and(|last| same(last, line)) => {}
            Some(line) => {
                let (best, progress) = (vec![line.clone()], result.progress);
                let info = Info { lines: best, progress };
                lines.extend(self.format(InfoLine::Pv(info), settings));
            }
        }
        lines
    }

    fn format(&mut self, line: InfoLine, settings: &Settings) -> Vec<String> {
        self.last_line = None;
        match line {
            InfoLine::Pv(info) => {
                if let [line] = &info.lines[..] {
                    self.last_line = Some(line.clone());
                }
                let format = |line| format::info(&self.board, line, &info.progress, None, settings);
                (1..).zip(&info.lines).map(format).collect()
            }
            InfoLine::Progress(line, current_move) => {
                let progress = self.control.progress();
                let line = (1, &line);
                vec![format::info(&self.board, line, &progress, current_move, settings)]
            }
        }
    }
}

/// Whether two lines have the same depth, score and PV.
fn same(one: &PvLine, other: &PvLine) -> bool {
    let key = |line: &PvLine| (line.depth, line.score, line.bound);
    key(one) == key(other) && one.pv == other.pv
}

/// The result of a search that failed: any legal move, since a game is lost without one.
pub(super) fn fallback_result(board: &Board) -> SearchResult {
    let best = board.legal_moves().first().copied();
    let line = best.map(|m| PvLine::new(eval::piece_square(board).into(), 1, vec![m]));
    SearchResult { best, lines: line.into_iter().collect(), ..SearchResult::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Bound;

    #[test]
    fn a_bound_is_not_the_same_as_the_exact_score() {
        let result = fallback_result(&Board::startpos());
        let exact = result.line().expect("there are legal moves");
        let bound = PvLine { bound: Bound::Upper, ..exact.clone() };
        assert!(same(exact, exact));
        assert!(!same(&bound, exact));
    }
}
