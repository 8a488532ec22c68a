//! Searches and what they report.

use super::engine::Running;
use super::interrupt::SIGNAL_INTERVAL;
use super::process::OfProcess;
use super::turns::{StreamControl, StreamEnd, Turn};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use saavedra::chess::{self, Move};
use saavedra::engine::{Event, Score, Search, SearchResult};
use saavedra::eval::wdl::Wdl;
use std::sync::{Arc, Mutex, TryLockError};

/// The results of the iterations of a search, see `Engine.stream`. Deleting it ends the search.
/// `RuntimeError` is raised at its next step if another call of the engine has ended it.
#[pyclass(frozen, module = "saavedra")]
pub struct Stream {
    /// `None` once the search has ended. Locked while a thread reads the stream.
    analysis: Mutex<OfProcess<Option<Analysis>>>,
    control: OfProcess<StreamControl>,
}

impl Stream {
    pub(crate) fn new(analysis: Analysis) -> Stream {
        let control = StreamControl::new(analysis.search.control());
        analysis.turn.of_stream(control.clone());
        let analysis = Mutex::new(OfProcess::new(Some(analysis)));
        Stream { analysis, control: OfProcess::new(control) }
    }

    /// An error if the stream would look finished although another call has ended it.
    fn check_end(&self) -> PyResult<()> {
        if self.control.get().is_some_and(StreamControl::is_ended_by_call) {
            return Err(PyRuntimeError::new_err(
                "another call of the engine has ended this stream; use an engine for each, or end the \
                 stream first",
            ));
        }
        Ok(())
    }
}

#[pymethods]
impl Stream {
    fn __iter__(slf: PyRef<'_, Stream>) -> PyRef<'_, Stream> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let mut analysis = match self.analysis.try_lock() {
            Ok(analysis) => analysis,
            Err(TryLockError::Poisoned(error)) => error.into_inner(),
            Err(TryLockError::WouldBlock) => {
                return Err(PyRuntimeError::new_err("another thread is reading this stream"));
            }
        };
        let Some(analysis) = analysis.get_mut() else {
            return Err(PyRuntimeError::new_err(
                "this stream belongs to the parent process; start one in this process",
            ));
        };
        let Some(running) = analysis else {
            return Ok(None);
        };
        // The end is looked at afterwards: the other call may come while this one waits.
        let next = running.next_iteration(py).and_then(|_| self.check_end());
        let result = next.and_then(|()| running.to_dict(py));
        if result.is_err() || running.has_ended {
            *analysis = None;
        }
        result.map(Some)
    }

    fn __aiter__(slf: PyRef<'_, Stream>) -> PyRef<'_, Stream> {
        slf
    }

    fn __anext__<'py>(slf: &Bound<'py, Stream>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("saavedra._asyncio")?.call_method1("next_result", (slf,))
    }

    /// Ends the search as soon as possible; the stream then yields its last results.
    fn stop(&self) {
        if let Some(control) = self.control.get() {
            control.end(StreamEnd::Stopped);
        }
    }
}

/// A search and what it has reported. Dropping it stops the search and ends its turn.
pub(crate) struct Analysis {
    search: Search,
    board: chess::Board,
    chess960: bool,
    /// The result so far.
    result: SearchResult,
    has_ended: bool,
    turn: Turn,
    /// Keeps the engine: a search ends when its engine is dropped.
    _engine: Arc<Running>,
}

impl Analysis {
    /// Follows a search of this position.
    pub(crate) fn new(
        search: Search,
        board: chess::Board,
        chess960: bool,
        turn: Turn,
        engine: Arc<Running>,
    ) -> Analysis {
        let result = SearchResult::default();
        Analysis { search, board, chess960, result, has_ended: false, turn, _engine: engine }
    }

    /// Waits for the next iteration; returns false if the search has ended instead.
    pub(crate) fn next_iteration(&mut self, py: Python<'_>) -> PyResult<bool> {
        loop {
            let search = &self.search;
            match py.detach(|| search.next_event_within(SIGNAL_INTERVAL)) {
                Some(Event::Info(info)) if info.is_exact() => {
                    let pv = info.lines.first().map_or(&[][..], |line| &line.pv);
                    (self.result.best, self.result.ponder) =
                        (pv.first().copied(), pv.get(1).copied());
                    (self.result.lines, self.result.progress) = (info.lines, info.progress);
                    return Ok(true);
                }
                Some(Event::Finished(result)) => {
                    (self.result, self.has_ended) = (result, true);
                    return Ok(false);
                }
                Some(Event::Failed(error)) => {
                    self.has_ended = true;
                    return Err(PyRuntimeError::new_err(error.to_string()));
                }
                _ => py.check_signals()?,
            }
        }
    }

    /// The result so far.
    pub(crate) fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let SearchResult { best, ponder, .. } = self.result;
        let dict = PyDict::new(py);
        let uci = |board: &chess::Board, m: Move| board.uci(m, self.chess960);
        dict.set_item("best", best.map(|m| uci(&self.board, m)))?;
        let ponder = best.zip(ponder).map(|(best, ponder)| uci(&self.board.make(best), ponder));
        dict.set_item("ponder", ponder)?;
        let line = self.result.line();
        // In a position where the game is over there is nothing to search.
        let score = line.map_or_else(|| Score::of_game_over(&self.board), |line| line.score);
        self.set_score(&dict, score)?;
        dict.set_item("depth", line.map_or(0, |line| line.depth))?;
        dict.set_item("seldepth", line.map_or(0, |line| line.seldepth))?;
        let progress = &self.result.progress;
        dict.set_item("nodes", progress.nodes)?;
        dict.set_item("nps", progress.nps())?;
        dict.set_item("time", progress.time.as_millis() as u64)?;
        dict.set_item("done", self.has_ended)?;
        dict.set_item("pv", self.moves(line.map_or(&[], |line| &line.pv)))?;
        let lines = (1..).zip(&self.result.lines).map(|(multipv, line)| {
            let dict = PyDict::new(py);
            dict.set_item("multipv", multipv)?;
            self.set_score(&dict, line.score)?;
            dict.set_item("depth", line.depth)?;
            dict.set_item("pv", self.moves(&line.pv))?;
            Ok(dict)
        });
        dict.set_item("lines", lines.collect::<PyResult<Vec<_>>>()?)?;
        Ok(dict)
    }

    /// Sets `score_cp`, `mate` and `wdl` of a score from the side to move's view.
    fn set_score(&self, dict: &Bound<'_, PyDict>, score: Score) -> PyResult<()> {
        let Wdl { win, draw, loss } = Wdl::of_position(&self.board, score.value());
        dict.set_item("score_cp", score.centipawns())?;
        dict.set_item("mate", score.mate())?;
        dict.set_item("wdl", (win, draw, loss))
    }

    /// A principal variation in UCI notation.
    fn moves(&self, pv: &[Move]) -> Vec<String> {
        let mut board = self.board;
        let mut texts = Vec::with_capacity(pv.len());
        for m in pv {
            texts.push(board.uci(*m, self.chess960));
            board = board.make(*m);
        }
        texts
    }
}

impl Drop for Analysis {
    fn drop(&mut self) {
        self.search.stop();
    }
}
