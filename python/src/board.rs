//! Positions.

use super::engine::SIGNAL_INTERVAL;
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use saavedra::chess::{self, GameStatus, Move};
use saavedra::engine;
use saavedra::eval::wdl::normalised_cp;
use saavedra::formats::{self, Document};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::Instant;

create_exception!(
    saavedra,
    IllegalMove,
    PyValueError,
    "The text is no legal move in the position; the message explains why."
);

/// A chess position. It never changes: `make` returns a new one.
///
/// `fen` is a FEN or `startpos`; without it, the board is the start position. With `chess960`,
/// castling moves are written as king takes rook (`e1h1`).
#[pyclass(frozen, module = "saavedra")]
#[derive(Clone, Copy)]
pub struct Board {
    pub(crate) board: chess::Board,
    pub(crate) chess960: bool,
}

impl Board {
    /// Parses a legal move in UCI notation or SAN.
    pub(crate) fn parse(board: &chess::Board, text: &str) -> PyResult<Move> {
        let result = board.parse_move(text);
        result.map_err(|error| IllegalMove::new_err(error.to_string()))
    }

    fn export(&self, format: &str) -> String {
        let format = formats::by_name(format).expect("a format of the library");
        format.export(&Document::new(self.board))
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (fen=None, chess960=false))]
    fn new(fen: Option<&str>, chess960: bool) -> PyResult<Board> {
        let board = match fen {
            None => chess::Board::startpos(),
            Some(fen) => chess::Board::from_fen(fen)
                .map_err(|error| PyValueError::new_err(error.to_string()))?,
        };
        Ok(Board { board, chess960: chess960 || board.is_chess960() })
    }

    /// The FEN of the position.
    fn fen(&self) -> String {
        self.board.to_fen()
    }

    /// The side to move: `white` or `black`.
    #[getter]
    fn turn(&self) -> &'static str {
        self.board.turn().name()
    }

    /// Whether castling moves are written as king takes rook.
    #[getter]
    fn chess960(&self) -> bool {
        self.chess960
    }

    /// The legal moves in UCI notation.
    fn legal_moves(&self) -> Vec<String> {
        let moves = self.board.legal_moves();
        let moves = moves.iter().map(|m| self.board.uci(*m, self.chess960));
        moves.collect()
    }

    /// The standard algebraic notation of a legal move.
    fn san(&self, r#move: &str) -> PyResult<String> {
        let m = Board::parse(&self.board, r#move)?;
        Ok(self.board.san(m))
    }

    /// The UCI notation of a legal move.
    fn uci(&self, r#move: &str) -> PyResult<String> {
        let m = Board::parse(&self.board, r#move)?;
        Ok(self.board.uci(m, self.chess960))
    }

    /// The position after a legal move in UCI notation or SAN.
    fn make(&self, r#move: &str) -> PyResult<Board> {
        let m = Board::parse(&self.board, r#move)?;
        Ok(Board { board: self.board.make(m), chess960: self.chess960 })
    }

    /// `ongoing`, `checkmate`, `stalemate`, `insufficient_material` or `fifty_moves`.
    #[getter]
    fn status(&self) -> &'static str {
        self.board.status().name()
    }

    /// Whether the game is over by the position alone.
    fn is_over(&self) -> bool {
        self.board.status() != GameStatus::Ongoing
    }

    /// Whether the side to move is in check.
    fn is_check(&self) -> bool {
        self.board.in_check()
    }

    /// The board as an SVG image, which notebooks show.
    fn _repr_svg_(&self) -> String {
        self.export("svg")
    }

    /// The board in ASCII characters.
    fn __str__(&self) -> String {
        self.export("ascii")
    }

    fn __repr__(&self) -> String {
        if self.chess960 {
            format!("saavedra.Board({:?}, chess960=True)", self.board.to_fen())
        } else {
            format!("saavedra.Board({:?})", self.board.to_fen())
        }
    }

    fn __eq__(&self, other: &Board) -> bool {
        self.board == other.board && self.chess960 == other.chess960
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.board.key(), self.chess960).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__(slf: Bound<'_, Board>) -> (Bound<'_, PyAny>, (String, bool)) {
        let board = slf.get();
        let arguments = (board.fen(), board.chess960);
        (slf.get_type().into_any(), arguments)
    }
}

/// The number of leaf nodes of the legal move tree at a depth. Other Python threads run meanwhile,
/// and an interrupt from the keyboard ends the count.
#[pyfunction]
pub fn perft(py: Python<'_>, board: &Board, depth: u32) -> PyResult<u64> {
    if depth > chess::perft::MAX_DEPTH {
        let message = format!("the depth is at most {}", chess::perft::MAX_DEPTH);
        return Err(PyValueError::new_err(message));
    }
    let board = board.board;
    let mut last_check = Instant::now();
    let mut check_signals = || {
        if last_check.elapsed() < SIGNAL_INTERVAL {
            return Ok(());
        }
        last_check = Instant::now();
        Python::attach(|py| py.check_signals())
    };
    py.detach(|| chess::perft::perft_polling(&board, depth, &mut check_signals))
}

/// The static evaluation in normalised centipawns from the side to move's view, without a search.
#[pyfunction]
pub fn evaluate(board: &Board) -> PyResult<i32> {
    let evaluation = engine::embedded_evaluation();
    let evaluation = evaluation.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(normalised_cp(evaluation.evaluate(&board.board)))
}
