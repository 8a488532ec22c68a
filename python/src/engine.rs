//! Engines.

use super::analysis::{Analysis, Stream};
use super::arguments::{MoveArgument, number};
use super::board::{Board, PositionArgument};
use super::process::OfProcess;
use super::turns::{Turn, Turns};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use saavedra::engine::{self, Limits, SearchControl};
use saavedra::uci::{OPTIONS, Settings};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A chess engine with its own search threads and transposition table. Engines share nothing, so
/// several can analyse at the same time; during an analysis other Python threads run.
///
/// Threads may share an engine: its calls run one after the other, in the order in which they were
/// made. So may processes: after a fork, the engine of the child process has the same options and
/// starts threads of its own. It is pickled as its options.
///
/// `hash` is the size of the transposition table in megabytes. `options` are UCI options; a space
/// in a name is written as an underscore: `Engine(SyzygyPath="/tables", Move_Overhead=20)`. Two
/// options have no effect: an analysis sets `MultiPV` by its argument `multipv`, and the board
/// stands for `UCI_Chess960`.
#[pyclass(frozen, module = "saavedra")]
pub struct Engine {
    state: Mutex<State>,
}

/// What an engine is in each process. A thread that locks it is attached to the interpreter, and so
/// is a thread that forks: it is never locked at a fork.
struct State {
    /// The options that were set, by name.
    options: Vec<(String, String)>,
    /// `None` once the engine is closed.
    running: Option<OfProcess<Arc<Running>>>,
}

/// An engine with its threads.
pub(crate) struct Running {
    /// Locked by the call that has its turn.
    engine: Mutex<(engine::Engine, Settings)>,
    /// Stops the last search.
    control: Mutex<Option<SearchControl>>,
    turns: Arc<Turns>,
}

impl Running {
    /// Starts an engine with these options.
    fn new(options: &[(String, String)]) -> Result<Running, String> {
        let mut engine = engine::Engine::new().map_err(|error| error.to_string())?;
        let mut settings = Settings::default();
        for (name, value) in options {
            settings.set(&mut engine, name, value).map_err(|error| error.to_string())?;
        }
        let engine = Mutex::new((engine, settings));
        Ok(Running { engine, control: Mutex::default(), turns: Arc::default() })
    }

    fn stop(&self) {
        if let Some(control) = &*lock(&self.control) {
            control.stop();
        }
    }
}

impl Drop for Running {
    /// Ends a running search; other Python threads run meanwhile.
    fn drop(&mut self) {
        let engine = self.engine.get_mut();
        let (engine, _) = engine.unwrap_or_else(PoisonError::into_inner);
        Python::attach(|py| py.detach(|| engine.finish()));
    }
}

/// Locks a mutex; after a panic in one thread the others go on with the value.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Engine {
    /// The engine of this process; a child process starts one.
    fn running(&self) -> PyResult<Arc<Running>> {
        let mut state = lock(&self.state);
        let Some(running) = &state.running else {
            return Err(PyRuntimeError::new_err("the engine is closed"));
        };
        if let Some(running) = running.get() {
            return Ok(Arc::clone(running));
        }
        let running = Arc::new(Running::new(&state.options).map_err(PyRuntimeError::new_err)?);
        state.running = Some(OfProcess::new(Arc::clone(&running)));
        Ok(running)
    }

    /// Waits for the turn of a call.
    fn turn(&self, py: Python<'_>) -> PyResult<(Arc<Running>, Turn)> {
        let running = self.running()?;
        let turn = running.turns.wait(py)?;
        Ok((running, turn))
    }

    /// Starts a search of the position after the moves.
    fn start(&self, py: Python<'_>, request: Request<'_>) -> PyResult<Analysis> {
        let (mut game, chess960) = request.position.game()?;
        for MoveArgument(text) in request.moves {
            game.push(Board::parse(game.board(), text)?);
        }
        let mut limits = request.limits;
        for MoveArgument(text) in request.root_moves {
            limits.search_moves.push(Board::parse(game.board(), text)?);
        }
        let (running, turn) = self.turn(py)?;
        let search = py.detach(|| {
            let mut engine = lock(&running.engine);
            let (engine, settings) = &mut *engine;
            let mut options = settings.search_options(limits);
            options.multipv = request.multipv;
            let search = engine.start(&game, options);
            *lock(&running.control) = Some(search.control());
            // It may have been closed before there was a search to stop.
            if running.turns.is_closed() {
                search.stop();
            }
            search
        });
        Ok(Analysis::new(search, *game.board(), chess960, turn, running))
    }
}

#[pymethods]
impl Engine {
    #[new]
    #[pyo3(
        signature = (hash=None, threads=None, **options),
        text_signature = "(hash=16, threads=1, **options)"
    )]
    fn new(
        py: Python<'_>,
        hash: Option<&Bound<'_, PyAny>>,
        threads: Option<&Bound<'_, PyAny>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Engine> {
        let mut pairs = Vec::new();
        for (name, value) in [("Hash", hash), ("Threads", threads)] {
            if let Some(value) = value {
                pairs.push((name.to_owned(), option_value(value)?));
            }
        }
        for (name, value) in options.into_iter().flatten() {
            pairs.push((option_name(&name.extract::<String>()?), option_value(&value)?));
        }
        let running = py.detach(|| Running::new(&pairs)).map_err(PyValueError::new_err)?;
        let running = Some(OfProcess::new(Arc::new(running)));
        Ok(Engine { state: Mutex::new(State { options: pairs, running }) })
    }

    /// Sets a UCI option.
    fn set_option(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (name, value) = (option_name(name), option_value(value)?);
        let (running, _turn) = self.turn(py)?;
        let set = || {
            let mut engine = lock(&running.engine);
            let (engine, settings) = &mut *engine;
            settings.set(engine, &name, &value).map_err(|error| error.to_string())
        };
        py.detach(set).map_err(PyValueError::new_err)?;
        let mut state = lock(&self.state);
        state.options.retain(|(known, _)| *known != name);
        state.options.push((name, value));
        Ok(())
    }

    /// Searches a position until a limit is reached or `stop` is called, and returns the result.
    ///
    /// `movetime` is in milliseconds. `board` may be a board of python-chess; its moves count for
    /// repetitions, as `moves` do, which are played from `board` first. Only `root_moves` are searched,
    /// if there are any.
    #[pyo3(
        signature = (
            board, *, depth=None, nodes=None, movetime=None, multipv=None, moves=vec![],
            root_moves=vec![]
        ),
        text_signature = "($self, board, *, depth=None, nodes=None, movetime=None, multipv=1, moves=(), root_moves=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn analyse<'py>(
        &self,
        py: Python<'py>,
        board: PositionArgument,
        depth: Option<&Bound<'py, PyAny>>,
        nodes: Option<&Bound<'py, PyAny>>,
        movetime: Option<&Bound<'py, PyAny>>,
        multipv: Option<&Bound<'py, PyAny>>,
        moves: Vec<MoveArgument>,
        root_moves: Vec<MoveArgument>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let limits = limits(depth, nodes, movetime)?;
        let limits =
            limits.ok_or_else(|| PyValueError::new_err("give depth, nodes or movetime"))?;
        let multipv = number_of_lines(multipv)?;
        let request =
            Request { position: board, limits, multipv, moves: &moves, root_moves: &root_moves };
        let mut analysis = self.start(py, request)?;
        while analysis.next_iteration(py)? {}
        analysis.to_dict(py)
    }

    /// Searches a position and yields the result of each iteration, and last of the whole
    /// search, with `done`. It takes the arguments of `analyse`; without a limit, the search goes
    /// on until `stop` is called or the iterator is deleted. Another call of the same thread, also
    /// by another task of `asyncio`, ends it: its next step raises `RuntimeError`. Calls of other
    /// threads wait for it.
    #[pyo3(
        signature = (
            board, *, depth=None, nodes=None, movetime=None, multipv=None, moves=vec![],
            root_moves=vec![]
        ),
        text_signature = "($self, board, *, depth=None, nodes=None, movetime=None, multipv=1, moves=(), root_moves=())"
    )]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments of Python")]
    fn stream<'py>(
        &self,
        py: Python<'py>,
        board: PositionArgument,
        depth: Option<&Bound<'py, PyAny>>,
        nodes: Option<&Bound<'py, PyAny>>,
        movetime: Option<&Bound<'py, PyAny>>,
        multipv: Option<&Bound<'py, PyAny>>,
        moves: Vec<MoveArgument>,
        root_moves: Vec<MoveArgument>,
    ) -> PyResult<Stream> {
        let infinite = Limits { infinite: true, ..Limits::default() };
        let limits = limits(depth, nodes, movetime)?.unwrap_or(infinite);
        let multipv = number_of_lines(multipv)?;
        let request =
            Request { position: board, limits, multipv, moves: &moves, root_moves: &root_moves };
        Ok(Stream::new(self.start(py, request)?))
    }

    /// Ends the running analysis of this engine as soon as possible; it then has its result.
    /// Another thread may call this.
    fn stop(&self) -> PyResult<()> {
        self.running()?.stop();
        Ok(())
    }

    /// Clears the transposition table and the histories, as before a new game.
    fn new_game(&self, py: Python<'_>) -> PyResult<()> {
        let (running, _turn) = self.turn(py)?;
        py.detach(|| lock(&running.engine).0.new_game());
        Ok(())
    }

    /// Ends the running analysis, the threads and the transposition table. Later calls raise
    /// `RuntimeError`, and so do calls of other threads that wait for their turn.
    fn close(&self) {
        let running = lock(&self.state).running.take();
        if let Some(running) = running.as_ref().and_then(OfProcess::get) {
            running.turns.close();
            running.stop();
        }
    }

    fn __enter__(slf: PyRef<'_, Engine>) -> PyRef<'_, Engine> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, pyo3::types::PyTuple>) {
        self.close();
    }

    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<((), Bound<'py, PyDict>)> {
        let options = PyDict::new(py);
        for (name, value) in &lock(&self.state).options {
            let name = match name.as_str() {
                "Hash" => "hash",
                "Threads" => "threads",
                name => name,
            };
            options.set_item(name.replace(' ', "_"), value)?;
        }
        Ok(((), options))
    }
}

/// What to search.
struct Request<'a> {
    position: PositionArgument,
    limits: Limits,
    multipv: usize,
    /// Moves from the position.
    moves: &'a [MoveArgument],
    /// The moves to search after them; all if empty.
    root_moves: &'a [MoveArgument],
}

/// The limits of a search; `None` if there is none.
pub(crate) fn limits(
    depth: Option<&Bound<'_, PyAny>>,
    nodes: Option<&Bound<'_, PyAny>>,
    movetime: Option<&Bound<'_, PyAny>>,
) -> PyResult<Option<Limits>> {
    let depth = depth.map(|value| number("depth", value, 1..=u32::MAX.into())).transpose()?;
    let nodes = nodes.map(|value| number("nodes", value, 1..=u64::MAX)).transpose()?;
    let movetime = movetime.map(|value| number("movetime", value, 1..=u64::MAX)).transpose()?;
    let limits = Limits {
        depth: depth.and_then(|depth| u32::try_from(depth).ok()),
        nodes,
        move_time: movetime.map(Duration::from_millis),
        ..Limits::default()
    };
    Ok((limits != Limits::default()).then_some(limits))
}

/// The number of PV lines of a search.
fn number_of_lines(multipv: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let multipv = multipv.map(|value| number("multipv", value, 1..=256)).transpose()?;
    Ok(multipv.map_or(1, |multipv| multipv as usize))
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
