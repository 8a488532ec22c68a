"""The engine under the names of python-chess, in the process of the program.

A program that uses ``chess.engine.SimpleEngine`` makes this one instead and goes on as it is: boards,
moves, limits, scores and results are python-chess's, which must be installed.

Supported are the methods ``play``, ``analyse``, ``analysis``, ``configure``, ``ping``, ``quit`` and
``close``, their arguments ``limit``, ``multipv``, ``root_moves``, ``game`` and ``info``, and the fields
``depth``, ``nodes`` and ``time`` of a ``Limit``. Its other fields, such as ``white_clock`` and ``mate``,
raise ``ValueError``: divide the time of a clock yourself, or run the program with python-chess. Other
arguments raise ``TypeError``; set options with ``configure``.

>>> import chess
>>> from chess.engine import Limit
>>> from saavedra.chess_engine import SimpleEngine
>>> board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
>>> with SimpleEngine() as engine:
...     info = engine.analyse(board, Limit(depth=5))
>>> board.san(info["pv"][0]), info["score"].white().mate()
('Ra8#', 1)
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional, Union, overload

import chess
from chess.engine import (
    INFO_ALL,
    BestMove,
    Cp,
    Info,
    InfoDict,
    Limit,
    Mate,
    PlayResult,
    PovScore,
    PovWdl,
    Wdl,
)

from ._results import Analysis, Line
from ._saavedra import Board, Engine, Stream, __version__

__all__ = ["AnalysisResult", "SimpleEngine"]


class AnalysisResult:
    """A running search: an iterator of what it finds, as ``chess.engine.SimpleAnalysisResult``."""

    multipv: list[InfoDict]
    """The last information on each line."""

    def __init__(self, board: chess.Board, stream: Stream) -> None:
        self._stream = stream
        self._best = BestMove(None, None)
        self.multipv = [{}]
        self._infos = self._read(board.copy())

    def _read(self, board: chess.Board) -> Iterator[InfoDict]:
        for result in self._stream:
            self.multipv = _infos(board, result)
            self._best = _best(board, result)
            yield from self.multipv

    @property
    def info(self) -> InfoDict:
        """The last information on the first line."""
        return self.multipv[0]

    def stop(self) -> None:
        """End the search as soon as possible."""
        self._stream.stop()

    def wait(self) -> BestMove:
        """Wait for the end of the search; its best move."""
        for _ in self:
            pass
        return self._best

    def __iter__(self) -> Iterator[InfoDict]:
        return self

    def __next__(self) -> InfoDict:
        return next(self._infos)

    def __enter__(self) -> "AnalysisResult":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()


class SimpleEngine:
    """An engine with the methods of ``chess.engine.SimpleEngine``, made as a ``saavedra.Engine``.

    It has no process of its own, may be shared by threads, survives a fork and is pickled as its
    options. A search is limited by the ``depth``, ``nodes`` and ``time`` of a limit; its other fields
    raise ``ValueError``. ``info`` has no effect: all is known. Only ``root_moves`` are searched, if they
    are given. A board may be a ``saavedra.Board`` too. A search ends when another call of the same
    thread begins; reading it then raises ``RuntimeError``.
    """

    def __init__(self, hash: int = 16, threads: int = 1, **options: Any) -> None:
        self._engine = Engine(hash, threads, **options)
        self._game: object = None

    @property
    def id(self) -> dict[str, str]:
        """The name of the engine and its author."""
        return {"name": f"Saavedra {__version__}", "author": "the Saavedra authors"}

    def configure(self, options: Mapping[str, Any]) -> None:
        """Set UCI options."""
        for name, value in options.items():
            self._engine.set_option(name, value)

    def play(
        self,
        board: Union[chess.Board, Board],
        limit: Limit,
        *,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Optional[Iterable[chess.Move]] = None,
    ) -> PlayResult:
        """Search the best move. Another ``game`` than before clears what the engine knows."""
        self._begin(game)
        board = _chess_board(board)
        result = self._engine.analyse(board, **_limits(limit), **_lines(1, root_moves))
        return PlayResult(*_best_moves(board, result), _infos(board, result)[0])

    @overload
    def analyse(
        self,
        board: Union[chess.Board, Board],
        limit: Limit,
        *,
        multipv: None = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Optional[Iterable[chess.Move]] = None,
    ) -> InfoDict: ...
    @overload
    def analyse(
        self,
        board: Union[chess.Board, Board],
        limit: Limit,
        *,
        multipv: int,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Optional[Iterable[chess.Move]] = None,
    ) -> list[InfoDict]: ...
    def analyse(
        self,
        board: Union[chess.Board, Board],
        limit: Limit,
        *,
        multipv: Optional[int] = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Optional[Iterable[chess.Move]] = None,
    ) -> Union[InfoDict, list[InfoDict]]:
        """Search a position; with ``multipv``, a list of that many lines."""
        self._begin(game)
        board = _chess_board(board)
        result = self._engine.analyse(board, **_limits(limit), **_lines(multipv, root_moves))
        infos = _infos(board, result)
        return infos[0] if multipv is None else infos

    def analysis(
        self,
        board: Union[chess.Board, Board],
        limit: Optional[Limit] = None,
        *,
        multipv: Optional[int] = None,
        game: object = None,
        info: Info = INFO_ALL,
        root_moves: Optional[Iterable[chess.Move]] = None,
    ) -> AnalysisResult:
        """Start a search; without a limit, it goes on until it is stopped."""
        self._begin(game)
        board = _chess_board(board)
        limits = {} if limit is None else _limits(limit)
        stream = self._engine.stream(board, **limits, **_lines(multipv, root_moves))
        return AnalysisResult(board, stream)

    def ping(self) -> None:
        """Nothing: the engine is there."""

    def close(self) -> None:
        """End the running search and the threads; later calls raise ``RuntimeError``."""
        self._engine.close()

    quit = close

    def _begin(self, game: object) -> None:
        """Clears what the engine knows before another game."""
        if game != self._game:
            self._engine.new_game()
            self._game = game

    def __enter__(self) -> "SimpleEngine":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _chess_board(board: Union[chess.Board, Board]) -> chess.Board:
    """The board as one of python-chess."""
    return chess.Board(board.fen(), chess960=board.chess960) if isinstance(board, Board) else board


def _limits(limit: Limit) -> dict[str, Any]:
    """The limits as arguments of ``Engine.analyse``."""
    given = {name: value for name, value in dataclasses.asdict(limit).items() if value is not None}
    given.pop("clock_id", None)
    if "time" in given:
        given["movetime"] = max(1, round(given.pop("time") * 1000))
    if not given or not given.keys() <= {"depth", "nodes", "movetime"}:
        raise ValueError(f"a search is limited by depth, nodes or time, not by {limit}")
    return given


def _lines(multipv: Optional[int], root_moves: Optional[Iterable[chess.Move]]) -> dict[str, Any]:
    """The lines to search as arguments of ``Engine.analyse``."""
    return {"multipv": 1 if multipv is None else multipv, "root_moves": list(root_moves or ())}


def _best_moves(
    board: chess.Board, result: Analysis
) -> tuple[Optional[chess.Move], Optional[chess.Move]]:
    """The best move and the expected answer."""
    moves = [move for move in (result["best"], result["ponder"]) if move is not None]
    best, ponder, *_ = [*_moves(board, moves), None, None]
    return best, ponder


def _best(board: chess.Board, result: Analysis) -> BestMove:
    return BestMove(*_best_moves(board, result))


def _infos(board: chess.Board, result: Analysis) -> list[InfoDict]:
    """The information on each line, or on a game that is over."""
    if not result["lines"]:
        return [_info(board, result, result)]
    infos = [_info(board, result, line) for line in result["lines"]]
    for info, line in zip(infos, result["lines"]):
        info["multipv"] = line["multipv"]
        info["pv"] = _moves(board, line["pv"])
    return infos


def _info(board: chess.Board, result: Analysis, line: Union[Analysis, Line]) -> InfoDict:
    mate = line["mate"]
    relative = Cp(line["score_cp"] or 0) if mate is None else Mate(mate)
    return {
        "score": PovScore(relative, board.turn),
        "wdl": PovWdl(Wdl(*line["wdl"]), board.turn),
        "depth": line["depth"],
        "seldepth": result["seldepth"],
        "nodes": result["nodes"],
        "nps": result["nps"],
        "time": result["time"] / 1000,
    }


def _moves(board: chess.Board, texts: list[str]) -> list[chess.Move]:
    """Moves in UCI notation, one after another, as moves of python-chess."""
    board = board.copy(stack=False)
    return [board.push_uci(text) for text in texts]
