//! Engines and their analyses.

use super::board::Board;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBool, PyDict};
use saavedra::chess::{self, Game, Move};
use saavedra::engine::{self, Event, Limits, Score, Search, SearchControl, SearchResult};
use saavedra::eval::wdl::Wdl;
use saavedra::uci::{OPTIONS, Settings};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often a long call looks for signals, such as an interrupt from the keyboard.
pub(crate) const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// A chess engine with its own search threads and transposition table. Engines share nothing, so
/// several can analyse at the same time; during an analysis other Python threads run.
///
/// `hash` is the size of the transposition table in megabytes. `options` are UCI options; a space
/// in a name is written as an underscore: `Engine(SyzygyPath="/tables", Move_Overhead=20)`. Two
/// options have no effect: an analysis sets `MultiPV` by its argument `multipv`, and the board
/// stands for `UCI_Chess960`.
#[pyclass(frozen, module = "saavedra")]
pub struct Engine {
    engine: Mutex<(engine::Engine, Settings)>,
    /// Stops the last search.
    control: Mutex<Option<SearchControl>>,
}

impl Drop for Engine {
    /// Ends a running search; other Python threads run meanwhile.
    fn drop(&mut self) {
        let engine = self.engine.get_mut();
        let (engine, _) = engine.unwrap_or_else(PoisonError::into_inner);
        Python::attach(|py| py.detach(|| engine.finish()));
    }
}

impl Engine {
    /// Starts a search of the position after the moves.
    fn start(&self, py: Python<'_>, request: Request<'_>) -> PyResult<Analysis> {
        let mut game = Game::new(request.board.board);
        for text in &request.moves {
            let m = Board::parse(game.board(), text)?;
            game.push(m);
        }
        let mut engine = lock(py, &self.engine);
        let (engine, settings) = &mut *engine;
        let mut options = settings.search_options(request.limits);
        options.multipv = request.multipv;
        let start = || {
            let search = engine.start(&game, options);
            *self.control.lock().unwrap_or_else(PoisonError::into_inner) = Some(search.control());
            search
        };
        Ok(Analysis {
            search: py.detach(start),
            board: *game.board(),
            chess960: request.board.chess960,
            result: SearchResult::default(),
            has_ended: false,
        })
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(signature = (hash=16, threads=1, **options))]
    fn new(
        py: Python<'_>,
        hash: u64,
        threads: u64,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Engine> {
        let mut pairs = vec![
            ("Hash".to_owned(), hash.to_string()),
            ("Threads".to_owned(), threads.to_string()),
        ];
        for (name, value) in options.into_iter().flatten() {
            pairs.push((option_name(&name.extract::<String>()?), option_value(&value)?));
        }
        let create = || {
            let mut engine = engine::Engine::new().map_err(|error| error.to_string())?;
            let mut settings = Settings::default();
            for (name, value) in pairs {
                let result = settings.set(&mut engine, &name, &value);
                result.map_err(|error| error.to_string())?;
            }
            Ok((engine, settings))
        };
        let engine = py.detach(create).map_err(PyValueError::new_err::<String>)?;
        Ok(Engine { engine: Mutex::new(engine), control: Mutex::new(None) })
    }

    /// Sets a UCI option. A running analysis ends if the option needs that.
    fn set_option(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (name, value) = (option_name(name), option_value(value)?);
        let mut engine = lock(py, &self.engine);
        let (engine, settings) = &mut *engine;
        let result =
            py.detach(|| settings.set(engine, &name, &value).map_err(|error| error.to_string()));
        result.map_err(PyValueError::new_err)
    }

    /// Searches a position until a limit is reached or `stop` is called, and returns the result.
    ///
    /// `movetime` is in milliseconds. `moves` are played from `board` first; repetitions of their
    /// positions count. An analysis of this engine in another thread ends.
    #[pyo3(
        signature = (board, *, depth=None, nodes=None, movetime=None, multipv=1, moves=vec![]),
        text_signature = "($self, board, *, depth=None, nodes=None, movetime=None, multipv=1, moves=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn analyse<'py>(
        &self,
        py: Python<'py>,
        board: &Board,
        depth: Option<u32>,
        nodes: Option<u64>,
        movetime: Option<u64>,
        multipv: u32,
        moves: Vec<String>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limits = limits(depth, nodes, movetime)?;
        let request = Request {
            board,
            limits: limits.ok_or_else(|| PyValueError::new_err("give depth, nodes or movetime"))?,
            multipv: number_of_lines(multipv)?,
            moves,
        };
        let mut analysis = self.start(py, request)?;
        while analysis.next_iteration(py)? {}
        analysis.to_dict(py)
    }

    /// Searches a position and yields the result of each iteration, and last of the whole
    /// search. It takes the arguments of `analyse`; without a limit, the search goes on until
    /// `stop` is called or the iterator is deleted.
    #[pyo3(
        signature = (board, *, depth=None, nodes=None, movetime=None, multipv=1, moves=vec![]),
        text_signature = "($self, board, *, depth=None, nodes=None, movetime=None, multipv=1, moves=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn stream(
        slf: &Bound<'_, Engine>,
        py: Python<'_>,
        board: &Board,
        depth: Option<u32>,
        nodes: Option<u64>,
        movetime: Option<u64>,
        multipv: u32,
        moves: Vec<String>,
    ) -> PyResult<Stream> {
        let infinite = Limits { infinite: true, ..Limits::default() };
        let request = Request {
            board,
            limits: limits(depth, nodes, movetime)?.unwrap_or(infinite),
            multipv: number_of_lines(multipv)?,
            moves,
        };
        let analysis = slf.get().start(py, request)?;
        Ok(Stream { analysis, _engine: slf.clone().unbind() })
    }

    /// Ends the running analysis of this engine as soon as possible; it then has its result.
    /// Another thread may call this.
    fn stop(&self) {
        let control = self.control.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(control) = &*control {
            control.stop();
        }
    }

    /// Clears the transposition table and the histories, as before a new game.
    fn new_game(&self, py: Python<'_>) {
        let mut engine = lock(py, &self.engine);
        let (engine, _) = &mut *engine;
        py.detach(|| engine.new_game());
    }
}

/// The results of the iterations of a search, see `Engine.stream`.
#[pyclass(module = "saavedra")]
pub struct Stream {
    analysis: Analysis,
    /// Keeps the engine alive: its search ends when it is dropped.
    _engine: Py<Engine>,
}

#[pymethods]
impl Stream {
    fn __iter__(slf: PyRef<'_, Stream>) -> PyRef<'_, Stream> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        if self.analysis.has_ended {
            return Ok(None);
        }
        self.analysis.next_iteration(py)?;
        self.analysis.to_dict(py).map(Some)
    }
}

/// What to search.
struct Request<'a> {
    board: &'a Board,
    limits: Limits,
    multipv: usize,
    moves: Vec<String>,
}

/// A search and what it has reported. Dropping it stops the search.
struct Analysis {
    search: Search,
    board: chess::Board,
    chess960: bool,
    /// The result so far.
    result: SearchResult,
    has_ended: bool,
}

impl Analysis {
    /// Waits for the next iteration; returns false if the search has ended instead.
    fn next_iteration(&mut self, py: Python<'_>) -> PyResult<bool> {
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
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
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
        dict.set_item("nodes", self.result.progress.nodes)?;
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

/// Locks the engine; other Python threads run while this one waits.
fn lock<'a>(
    py: Python<'_>,
    engine: &'a Mutex<(engine::Engine, Settings)>,
) -> std::sync::MutexGuard<'a, (engine::Engine, Settings)> {
    let guard = engine.lock_py_attached(py);
    guard.unwrap_or_else(PoisonError::into_inner)
}

/// The limits of a search; `None` if there is none.
fn limits(
    depth: Option<u32>,
    nodes: Option<u64>,
    movetime: Option<u64>,
) -> PyResult<Option<Limits>> {
    if depth == Some(0) || nodes == Some(0) || movetime == Some(0) {
        return Err(PyValueError::new_err("a limit must be at least 1"));
    }
    let limits = Limits {
        depth,
        nodes,
        move_time: movetime.map(Duration::from_millis),
        ..Limits::default()
    };
    Ok((limits != Limits::default()).then_some(limits))
}

/// The number of PV lines of a search.
fn number_of_lines(multipv: u32) -> PyResult<usize> {
    const MAX: u32 = 256;
    if (1..=MAX).contains(&multipv) {
        Ok(multipv as usize)
    } else {
        let message = format!("multipv is 1 to {MAX}, not {multipv}");
        Err(PyValueError::new_err(message))
    }
}

/// The name of an option that is written with underscores instead of spaces.
fn option_name(name: &str) -> String {
    let matches = |option: &str| option.replace(' ', "_").eq_ignore_ascii_case(name);
    let option = OPTIONS.iter().find(|option| matches(option.name));
    option.map_or(name, |option| option.name).to_owned()
}

/// The value of an option as UCI writes it.
fn option_value(value: &Bound<'_, PyAny>) -> PyResult<String> {
    match value.cast::<PyBool>() {
        Ok(value) => Ok(value.is_true().to_string()),
        Err(_) => Ok(value.str()?.to_string()),
    }
}
