//! Games: reading PGN, and reviews.

use super::arguments::{MoveArgument, number};
use super::board::{Board, PositionArgument};
use super::engine::{limits, lock};
use super::interrupt::interruptible;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use saavedra::analysis::{
    Analyser, Budget, DEFAULT_EXPLANATION_NODES, DEFAULT_HASH, Question, Solver,
};
use saavedra::chess::Color;
use saavedra::cmd::{
    asked_in_game, explanation_as_json, game_as_json, open_games, puzzles_as_json,
};
use saavedra::engine::{StopFlag, embedded_evaluation};
use saavedra::formats::pgn::{self, Reader};
use saavedra::formats::{Document, Ply, result_text};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// A game: tags, moves with variations and comments, and a result. `str` of it is its PGN, as which
/// it is pickled.
#[pyclass(frozen, module = "saavedra")]
pub struct Game {
    document: Document,
    /// Its number in its file, from 1.
    number: u64,
}

/// The arguments that make a game anew: its PGN, its number and its tags.
type GameArguments<'py> = (String, u64, Bound<'py, PyDict>);

impl Game {
    fn with_board(&self, board: saavedra::chess::Board) -> Board {
        Board { board, chess960: self.document.chess960 }
    }

    /// The first game of a PGN.
    fn read(reader: &mut Reader<impl Read>) -> PyResult<Game> {
        match reader.next() {
            Some(Ok(document)) => Ok(Game { document, number: 1 }),
            Some(Err(error)) => Err(PyValueError::new_err(error.to_string())),
            None => Err(PyValueError::new_err("the text has no game")),
        }
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (pgn, number=1, tags=None))]
    fn new(pgn: &str, number: u64, tags: Option<&Bound<'_, PyDict>>) -> PyResult<Game> {
        let Game { mut document, .. } = Game::read(&mut Reader::new(pgn.as_bytes()))?;
        if let Some(tags) = tags {
            let pairs = tags.iter().map(|(name, value)| Ok((name.extract()?, value.extract()?)));
            document.tags = pairs.collect::<PyResult<_>>()?;
        }
        Ok(Game { document, number })
    }

    /// The tags go along: the PGN has more of them if some of the seven standard ones are missing.
    fn __reduce__<'py>(
        slf: &Bound<'py, Game>,
    ) -> PyResult<(Bound<'py, PyAny>, GameArguments<'py>)> {
        let game = slf.get();
        let arguments = (game.__str__(), game.number, game.tags(slf.py())?);
        Ok((slf.get_type().into_any(), arguments))
    }

    /// The number of the game in its file, from 1.
    #[getter]
    fn number(&self) -> u64 {
        self.number
    }

    /// The PGN tags, in order.
    #[getter]
    fn tags<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let tags = PyDict::new(py);
        for (name, value) in &self.document.tags {
            tags.set_item(name, value)?;
        }
        Ok(tags)
    }

    /// `1-0`, `0-1`, `1/2-1/2` or `*`.
    #[getter]
    fn result(&self) -> &'static str {
        result_text(self.document.result)
    }

    /// The start position.
    #[getter]
    fn start(&self) -> Board {
        self.with_board(*self.document.tree.start())
    }

    /// The last position.
    #[getter]
    fn board(&self) -> Board {
        let tree = &self.document.tree;
        self.with_board(tree.mainline().fold(*tree.start(), |board, ply| ply.make(&board)))
    }

    /// The moves in UCI notation, without variations; a null move is `0000`.
    #[getter]
    fn moves(&self) -> Vec<String> {
        let mut board = *self.document.tree.start();
        let text = |ply: Ply| {
            let text = match ply {
                Ply::Move(m) => board.uci(m, self.document.chess960),
                Ply::Null => "0000".to_owned(),
            };
            board = ply.make(&board);
            text
        };
        self.document.tree.mainline().map(text).collect()
    }

    fn __str__(&self) -> String {
        pgn::write(&self.document)
    }

    fn __repr__(&self) -> String {
        let tag = |name| self.document.tag(name).unwrap_or("?");
        format!(
            "<saavedra.Game {} {} - {} {}>",
            self.number,
            tag("White"),
            tag("Black"),
            self.result()
        )
    }
}

/// The games of a PGN, see `read_games`.
#[pyclass(frozen, module = "saavedra")]
pub struct Games {
    reader: Mutex<(Reader<Box<dyn Read + Send>>, u64)>,
}

#[pymethods]
impl Games {
    fn __iter__(slf: PyRef<'_, Games>) -> PyRef<'_, Games> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Game>> {
        let next = || {
            let mut reader = lock(&self.reader);
            let (reader, number) = &mut *reader;
            *number += 1;
            reader.next().map(|game| (game, *number))
        };
        let Some((game, number)) = py.detach(next) else {
            return Ok(None);
        };
        let document = game.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Some(Game { document, number }))
    }
}

/// The games of a PGN, one after another: of a file (its path, or an open file, `.gz`, `.bz2` and
/// `.zst` too) or of a text. A string is a path if it has neither blanks nor line breaks or a file has
/// this name, and else a text.
///
/// A game that cannot be read raises `ValueError`; the next call reads the game after it.
#[pyfunction]
pub fn read_games(source: &Bound<'_, PyAny>) -> PyResult<Games> {
    Ok(Games { reader: Mutex::new((pgn_reader(source)?, 0)) })
}

/// Reads a PGN: an open file, the path of a file, or a text, see [`read_games`].
fn pgn_reader(source: &Bound<'_, PyAny>) -> PyResult<Reader<Box<dyn Read + Send>>> {
    let input: Box<dyn Read + Send> = if source.hasattr("read")? {
        Box::new(PythonFile { file: source.clone().unbind(), rest: Cursor::default() })
    } else if let Ok(text) = source.cast::<PyString>()
        && let text = text.to_cow()?
        && (text.is_empty() || text.contains(char::is_whitespace))
        && !Path::new(&*text).exists()
    {
        Box::new(Cursor::new(text.into_owned()))
    } else {
        let kind = source.get_type().name()?;
        let path = source.extract::<PathBuf>().map_err(|_| {
            PyTypeError::new_err(format!("a PGN is a text, a path or an open file, not {kind}"))
        })?;
        open_games(&path).map_err(|error| error_of_file(error, path))?
    };
    Ok(Reader::new(input))
}

/// The error as Python raises it, with the name of the file.
fn error_of_file(error: io::Error, path: PathBuf) -> PyErr {
    let Some(code) = error.raw_os_error() else { return error.into() };
    let text = error.to_string();
    let text = text.strip_suffix(&format!(" (os error {code})")).unwrap_or(&text);
    // Windows has error codes of its own, which are the fourth argument and replace the first.
    PyOSError::new_err((code, text.to_owned(), path.into_os_string(), code))
}

/// A file object of Python.
struct PythonFile {
    file: Py<PyAny>,
    /// What was read of it and not used yet.
    rest: Cursor<Vec<u8>>,
}

impl Read for PythonFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        const BLOCK: usize = 1 << 16;
        if self.rest.position() == self.rest.get_ref().len() as u64 {
            let block = Python::attach(|py| -> PyResult<Vec<u8>> {
                let block = self.file.bind(py).call_method1("read", (BLOCK,))?;
                match block.cast::<PyBytes>() {
                    Ok(bytes) => Ok(bytes.as_bytes().to_vec()),
                    Err(_) => Ok(block.cast::<PyString>()?.to_cow()?.into_owned().into_bytes()),
                }
            });
            self.rest = Cursor::new(block?);
        }
        self.rest.read(buffer)
    }
}

/// Analyses a game as `saavedra analyse` does, and returns the fields of its JSON.
///
/// `game` is a `Game` or a game of python-chess, or what `read_games` takes, whose first game is
/// reviewed. One of `depth`, `nodes` and
/// `movetime`, in milliseconds, limits each position. With a limit of depth or nodes the review is
/// always the same, with any number of `threads`. `hash` is the hash size of each thread in megabytes.
/// An interrupt from the keyboard ends it, as it ends `explain` and `puzzles`.
#[pyfunction]
#[pyo3(
    signature = (game, *, depth=None, nodes=None, movetime=None, threads=None, hash=None),
    text_signature = "(game, *, depth=None, nodes=None, movetime=None, threads=1, hash=32)"
)]
pub fn review<'py>(
    py: Python<'py>,
    game: &Bound<'py, PyAny>,
    depth: Option<&Bound<'py, PyAny>>,
    nodes: Option<&Bound<'py, PyAny>>,
    movetime: Option<&Bound<'py, PyAny>>,
    threads: Option<&Bound<'py, PyAny>>,
    hash: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let limits = limits(depth, nodes, movetime)?
        .ok_or_else(|| PyValueError::new_err("give depth, nodes or movetime"))?;
    let budget = match (limits.depth, limits.nodes, limits.move_time) {
        (Some(depth), None, None) => Budget::Depth(depth),
        (None, Some(nodes), None) => Budget::Nodes(nodes),
        (None, None, Some(time)) => Budget::MoveTime(time),
        _ => return Err(PyValueError::new_err("give only one of depth, nodes and movetime")),
    };
    let threads = threads.map(|value| number("threads", value, 1..=1024)).transpose()?;
    let threads = threads.map_or(1, |threads| threads as usize);
    let hash = hash.map(|value| number("hash", value, 1..=1 << 20)).transpose()?;
    let hash = hash.map_or(DEFAULT_HASH, |hash| hash as usize);
    let evaluation =
        embedded_evaluation().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let stop = StopFlag::default();
    let analyser =
        Analyser { threads, hash, multipv: 1, budget, evaluation, tablebases: None, stop };
    let game = game_argument(game)?;
    let game = game.get();
    let json = interruptible(py, &analyser.stop, || {
        game_as_json(game.number, &game.document, &analyser)
    })??;
    py.import("json")?.call_method1("loads", (json,))
}

/// Explains a position and its moves as `saavedra explain` does, and returns the fields of its JSON;
/// `text` has the sentences.
///
/// `position` is a `Board` or a board of python-chess, with a move to explain and perhaps another one
/// to compare it with; or a `Game`, with `ply`: a number from 1, or `17w` or `17b`.
#[pyfunction]
#[pyo3(
    signature = (position, *moves, ply=None, nodes=None),
    text_signature = "(position, *moves, ply=None, nodes=30000)"
)]
pub fn explain<'py>(
    py: Python<'py>,
    position: &Bound<'py, PyAny>,
    moves: Vec<MoveArgument>,
    ply: Option<&Bound<'py, PyAny>>,
    nodes: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let refused = |message: String| PyValueError::new_err(message);
    let nodes = nodes.map(|value| number("nodes", value, 1..=u64::MAX)).transpose()?;
    let budget = Budget::Nodes(nodes.unwrap_or(DEFAULT_EXPLANATION_NODES));
    if moves.len() > 2 {
        return Err(refused("explain takes at most two moves".to_owned()));
    }
    let mut question = if let Ok(game) = position.cast::<Game>() {
        let ply = ply.ok_or_else(|| refused("a game needs ply".to_owned()))?.str()?;
        let place = ply.to_cow()?;
        let question = asked_in_game(&game.get().document.tree, &place);
        question.ok_or_else(|| refused(format!("the game has no move {place}")))?
    } else {
        let (game, _) = position.extract::<PositionArgument>()?.game()?;
        Question::in_game(&game, [])
    };
    for MoveArgument(text) in moves {
        question.moves.push(Board::parse(&question.board, &text)?);
    }
    let stop = StopFlag::default();
    let json = interruptible(py, &stop, || explanation_as_json(&question, budget, stop.clone()))??;
    py.import("json")?.call_method1("loads", (json,))
}

/// The exercises of one game as JSON texts, for `saavedra.puzzles`.
#[pyfunction]
pub fn puzzles_of_game(
    py: Python<'_>,
    game: &Bound<'_, PyAny>,
    nodes: &Bound<'_, PyAny>,
    side: &str,
    player: Option<String>,
) -> PyResult<Vec<String>> {
    let side = match side {
        "white" => Some(Color::White),
        "black" => Some(Color::Black),
        "both" => None,
        _ => return Err(PyValueError::new_err("side must be white, black or both")),
    };
    let nodes = number("nodes", nodes, 1..=u64::MAX)?;
    let game = game_argument(game)?;
    let document = &game.get().document;
    let solver = Solver { side, player };
    let stop = StopFlag::default();
    let puzzles =
        interruptible(py, &stop, || puzzles_as_json(document, nodes, &solver, stop.clone()))?;
    puzzles.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// A game as an argument: a `Game`, a game of python-chess, or the first one of a PGN.
fn game_argument<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Game>> {
    if let Ok(game) = value.cast::<Game>() {
        return Ok(game.clone());
    }
    let game = if value.hasattr("headers")? {
        Game::read(&mut Reader::new(value.str()?.to_cow()?.as_bytes()))
    } else {
        Game::read(&mut pgn_reader(value)?)
    };
    Bound::new(value.py(), game?)
}
