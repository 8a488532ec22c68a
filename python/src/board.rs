//! Positions.

use super::arguments::{MoveArgument, number, whole_number};
use super::interrupt::SIGNAL_INTERVAL;
use pyo3::create_exception;
use pyo3::exceptions::PyTypeError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyIterator, PyString};
use saavedra::chess::{self, Color, GameStatus, Move, Square};
use saavedra::engine;
use saavedra::eval::wdl::normalised_cp;
use saavedra::formats::{self, Document, result_text};
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
/// `fen` is a FEN, `startpos` or a board of python-chess; without it, the board is the start
/// position. With `chess960`, castling moves are written as king takes rook (`e1h1`). A board is an
/// iterable of its legal moves in UCI notation.
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

    fn from_fen(fen: &str, chess960: bool) -> PyResult<Board> {
        let board = chess::Board::from_fen(fen);
        let board = board.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Board { board, chess960: chess960 || board.is_chess960() })
    }

    fn export(&self, format: &str) -> String {
        let format = formats::by_name(format).expect("a format of the library");
        format.export(&Document::new(self.board))
    }
}

/// A position as an argument: a `Board`, or a board of python-chess with its moves.
pub(crate) struct PositionArgument {
    board: Board,
    /// The moves from `board` to the position, in UCI notation.
    moves: Vec<String>,
}

impl PositionArgument {
    /// The game that led to the position, and whether its castling moves are written as in Chess960.
    pub(crate) fn game(self) -> PyResult<(chess::Game, bool)> {
        let mut game = chess::Game::new(self.board.board);
        for text in self.moves {
            game.push(Board::parse(game.board(), &text)?);
        }
        Ok((game, self.board.chess960))
    }
}

impl<'py> FromPyObject<'_, 'py> for PositionArgument {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<PositionArgument> {
        if let Ok(board) = value.cast::<Board>() {
            return Ok(PositionArgument { board: *board.get(), moves: Vec::new() });
        }
        if !value.hasattr("move_stack")? {
            return Err(PyTypeError::new_err("a board must be of saavedra or python-chess"));
        }
        let variant = value.getattr("uci_variant")?;
        if variant.to_string() != "chess" {
            return Err(PyValueError::new_err(format!("the variant {variant} is not supported")));
        }
        let mut moves = Vec::new();
        for m in value.getattr("move_stack")?.try_iter()? {
            moves.push(m?.str()?.to_string());
        }
        // The rules know no null move: the position stands alone then.
        let mut root = value.to_owned().into_any();
        if moves.iter().any(|text| text == "0000") {
            moves.clear();
        } else {
            root = value.call_method0("root")?;
        }
        let fen = root.call_method0("fen")?.str()?.to_string();
        let chess960 = root.getattr("chess960")?.is_truthy()?;
        Ok(PositionArgument { board: Board::from_fen(&fen, chess960)?, moves })
    }
}

#[pymethods]
impl Board {
    #[new]
    #[pyo3(signature = (fen=None, chess960=false))]
    fn new(fen: Option<&Bound<'_, PyAny>>, chess960: bool) -> PyResult<Board> {
        let Some(fen) = fen else {
            return Ok(Board { board: chess::Board::startpos(), chess960 });
        };
        if let Ok(fen) = fen.cast::<PyString>() {
            return Board::from_fen(&fen.to_cow()?, chess960);
        }
        let (game, is_chess960) = fen.extract::<PositionArgument>()?.game()?;
        Ok(Board { board: *game.board(), chess960: chess960 || is_chess960 })
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

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        self.legal_moves().into_pyobject(py)?.try_iter()
    }

    /// The letter of the piece on a square, White's in upper case; `None` if it is empty. The square
    /// is its name or its number: 0 is a1, 1 is b1, 63 is h8.
    fn piece_at(&self, square: &Bound<'_, PyAny>) -> PyResult<Option<char>> {
        let found = match square.cast::<PyString>() {
            Ok(name) => name.to_cow()?.parse().ok(),
            Err(_) => {
                let number = whole_number(square)?.and_then(|number| usize::try_from(number).ok());
                number.and_then(|number| Square::ALL.get(number).copied())
            }
        };
        let refused = || PyValueError::new_err(format!("{} is not a square", square));
        Ok(self.board.piece_at(found.ok_or_else(refused)?).map(|piece| piece.letter()))
    }

    /// The letters of all pieces by the names of their squares.
    fn pieces<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let pieces = PyDict::new(py);
        for square in self.board.occupied() {
            let piece = self.board.piece_at(square);
            pieces.set_item(square.to_string(), piece.map(|piece| piece.letter()))?;
        }
        Ok(pieces)
    }

    /// The castling rights as in a FEN: `KQkq`, or `-`.
    #[getter]
    fn castling_rights(&self) -> String {
        self.board.fen_castling()
    }

    /// The same position as a board of python-chess, which must be installed.
    #[pyo3(name = "to_chess")]
    fn python_chess_board<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let arguments = PyDict::new(py);
        arguments.set_item("chess960", self.chess960)?;
        let class = py.import("chess")?.getattr("Board")?;
        class.call((self.fen(),), Some(&arguments))
    }

    /// The standard algebraic notation of a legal move.
    fn san(&self, r#move: MoveArgument) -> PyResult<String> {
        let m = Board::parse(&self.board, &r#move.0)?;
        Ok(self.board.san(m))
    }

    /// The UCI notation of a legal move.
    fn uci(&self, r#move: MoveArgument) -> PyResult<String> {
        let m = Board::parse(&self.board, &r#move.0)?;
        Ok(self.board.uci(m, self.chess960))
    }

    /// The position after a legal move in UCI notation or SAN, or a move of python-chess, which the
    /// other methods take too.
    fn make(&self, r#move: MoveArgument) -> PyResult<Board> {
        let m = Board::parse(&self.board, &r#move.0)?;
        Ok(Board { board: self.board.make(m), chess960: self.chess960 })
    }

    /// These moves, one after another, with move numbers: `1. e4 e5 2. Nf3`.
    fn variation_san(&self, moves: Vec<MoveArgument>) -> PyResult<String> {
        let mut board = self.board;
        let mut words = Vec::with_capacity(moves.len());
        for MoveArgument(text) in moves {
            let m = Board::parse(&board, &text)?;
            let number = board.fullmove_number();
            let san = board.san(m);
            words.push(match board.turn() {
                Color::White => format!("{number}. {san}"),
                Color::Black if words.is_empty() => format!("{number}...{san}"),
                Color::Black => san,
            });
            board = board.make(m);
        }
        Ok(words.join(" "))
    }

    /// Whether a legal move captures a piece, also en passant.
    fn is_capture(&self, r#move: MoveArgument) -> PyResult<bool> {
        Ok(self.board.is_capture(Board::parse(&self.board, &r#move.0)?))
    }

    /// Whether a legal move castles.
    fn is_castling(&self, r#move: MoveArgument) -> PyResult<bool> {
        Ok(Board::parse(&self.board, &r#move.0)?.is_castling())
    }

    /// Whether a legal move gives check.
    fn gives_check(&self, r#move: MoveArgument) -> PyResult<bool> {
        Ok(self.board.gives_check(Board::parse(&self.board, &r#move.0)?))
    }

    /// The number of the move in the game, from 1; it grows after Black's moves.
    #[getter]
    fn fullmove_number(&self) -> u32 {
        self.board.fullmove_number()
    }

    /// The number of plies since the last capture or pawn move.
    #[getter]
    fn halfmove_clock(&self) -> u16 {
        self.board.halfmove_clock()
    }

    /// `ongoing`, `checkmate`, `stalemate`, `insufficient_material` or `fifty_moves`.
    #[getter]
    fn status(&self) -> &'static str {
        self.board.status().name()
    }

    /// Whether the game is over by the position alone.
    fn is_game_over(&self) -> bool {
        self.board.status() != GameStatus::Ongoing
    }

    /// The result by the position alone: `1-0`, `0-1`, `1/2-1/2`, or `*` while the game is ongoing.
    fn result(&self) -> &'static str {
        result_text(chess::Game::new(self.board).result())
    }

    /// Whether the side to move is mated.
    fn is_checkmate(&self) -> bool {
        self.board.status() == GameStatus::Checkmate
    }

    /// Whether the side to move has no legal move and is not in check.
    fn is_stalemate(&self) -> bool {
        self.board.status() == GameStatus::Stalemate
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
/// and an interrupt from the keyboard ends the count. `board` may be a board of python-chess.
#[pyfunction]
pub fn perft(py: Python<'_>, board: PositionArgument, depth: &Bound<'_, PyAny>) -> PyResult<u64> {
    let depth = number("depth", depth, 0..=chess::perft::MAX_DEPTH.into())? as u32;
    let (game, _) = board.game()?;
    let board = *game.board();
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
/// `board` may be a board of python-chess.
#[pyfunction]
pub fn evaluate(board: PositionArgument) -> PyResult<i32> {
    let evaluation = engine::embedded_evaluation();
    let evaluation = evaluation.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let (game, _) = board.game()?;
    Ok(normalised_cp(evaluation.evaluate(game.board())))
}
