"""The native part of the module."""

from collections.abc import AsyncIterator, Iterator, Sequence
from os import PathLike
from typing import IO, Any, Final, Literal, Optional, Protocol, Union, final

from ._results import Analysis, Review

__all__ = [
    "Board",
    "Engine",
    "Game",
    "Games",
    "IllegalMove",
    "Stream",
    "__version__",
    "evaluate",
    "explain",
    "perft",
    "puzzles_of_game",
    "read_games",
    "review",
    "run",
]

__version__: Final[str]

class IllegalMove(ValueError):
    """The text is no legal move in the position; the message explains why."""

class _ChessBoard(Protocol):
    """What is used of a board of python-chess: its variant, its start, its moves, its FEN."""

    @property
    def uci_variant(self) -> Optional[str]: ...
    @property
    def chess960(self) -> bool: ...
    @property
    def move_stack(self) -> Sequence[object]: ...
    def root(self) -> _ChessBoard: ...
    def fen(self) -> str: ...

class _ChessMove(Protocol):
    """What is used of a move of python-chess."""

    def uci(self) -> str: ...

_Move = Union[str, _ChessMove]

@final
class Board:
    """A chess position. It never changes: ``make`` returns a new one.

    ``fen`` is a FEN, ``startpos`` or a board of python-chess; without it, the board is the start
    position. With ``chess960``, castling moves are written as king takes rook (``e1h1``). A board is an
    iterable of its legal moves in UCI notation.
    """

    def __new__(
        cls, fen: Union[str, _ChessBoard, None] = None, chess960: bool = False
    ) -> Board: ...
    @property
    def turn(self) -> Literal["white", "black"]:
        """The side to move."""
    @property
    def chess960(self) -> bool:
        """Whether castling moves are written as king takes rook."""
    @property
    def status(
        self,
    ) -> Literal["ongoing", "checkmate", "stalemate", "insufficient_material", "fifty_moves"]:
        """Whether and how the game is over, by the position alone."""
    @property
    def castling_rights(self) -> str:
        """The castling rights as in a FEN: ``KQkq``, or ``-``."""
    @property
    def fullmove_number(self) -> int:
        """The number of the move in the game, from 1; it grows after Black's moves."""
    @property
    def halfmove_clock(self) -> int:
        """The number of plies since the last capture or pawn move."""
    def __iter__(self) -> Iterator[str]: ...
    def piece_at(self, square: Union[str, int]) -> Optional[str]:
        """The letter of the piece on a square, White's in upper case; ``None`` if it is empty.

        The square is its name or its number: 0 is a1, 1 is b1, 63 is h8.
        """
    def pieces(self) -> dict[str, str]:
        """The letters of all pieces by the names of their squares."""
    def to_chess(self) -> Any:
        """The same position as a board of python-chess, which must be installed."""
    def fen(self) -> str:
        """The FEN of the position."""
    def legal_moves(self) -> list[str]:
        """The legal moves in UCI notation."""
    def san(self, move: _Move) -> str:
        """The standard algebraic notation of a legal move."""
    def uci(self, move: _Move) -> str:
        """The UCI notation of a legal move."""
    def variation_san(self, moves: Sequence[_Move]) -> str:
        """These moves, one after another, with move numbers: ``1. e4 e5 2. Nf3``."""
    def is_capture(self, move: _Move) -> bool:
        """Whether a legal move captures a piece, also en passant."""
    def is_castling(self, move: _Move) -> bool:
        """Whether a legal move castles."""
    def gives_check(self, move: _Move) -> bool:
        """Whether a legal move gives check."""
    def make(self, move: _Move) -> Board:
        """The position after a legal move in UCI notation or SAN, or a move of python-chess.

        The other methods take the same moves.
        """
    def is_check(self) -> bool:
        """Whether the side to move is in check."""
    def is_game_over(self) -> bool:
        """Whether the game is over by the position alone."""
    def is_checkmate(self) -> bool:
        """Whether the side to move is mated."""
    def is_stalemate(self) -> bool:
        """Whether the side to move has no legal move and is not in check."""
    def result(self) -> Literal["1-0", "0-1", "1/2-1/2", "*"]:
        """The result by the position alone; ``*`` while the game is ongoing."""
    def _repr_svg_(self) -> str: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class Stream(Iterator[Analysis], AsyncIterator[Analysis]):
    """The results of the iterations of a search, for ``for`` and ``async for``.

    Deleting it ends the search. One thread at a time may read it. If another call of the engine has ended
    it, its next step raises ``RuntimeError``.
    """

    def __iter__(self) -> Stream: ...
    def __next__(self) -> Analysis: ...
    def __aiter__(self) -> Stream: ...
    async def __anext__(self) -> Analysis: ...
    def stop(self) -> None:
        """End the search as soon as possible; the stream then yields its last results."""

@final
class Engine:
    """A chess engine with its own search threads and transposition table.

    Engines share nothing, so several can analyse at the same time; during an analysis other Python
    threads run. Threads may share an engine: its calls run one after the other, in the order in which
    they were made. So may processes: after a fork, the engine of the child process has the same options
    and starts threads of its own. It is pickled as its options.

    ``hash`` is the size of the transposition table in megabytes. ``options`` are UCI
    options; a space in a name is written as an underscore:
    ``Engine(SyzygyPath="/tables", Move_Overhead=20)``. Two options have no effect: an analysis sets
    ``MultiPV`` by its argument ``multipv``, and the board stands for ``UCI_Chess960``.
    """

    def __new__(cls, hash: int = 16, threads: int = 1, **options: Any) -> Engine: ...
    def set_option(self, name: str, value: Any) -> None:
        """Set a UCI option."""
    def analyse(
        self,
        board: Union[Board, _ChessBoard],
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        movetime: Optional[int] = None,
        multipv: int = 1,
        moves: Sequence[_Move] = (),
        root_moves: Sequence[_Move] = (),
    ) -> Analysis:
        """Search a position until a limit is reached or ``stop`` is called.

        At least one of ``depth``, ``nodes`` and ``movetime`` is needed. ``movetime`` is in milliseconds.
        ``board`` may be a board of python-chess; its moves count for repetitions, as ``moves`` do, which
        are played from ``board`` first. Only ``root_moves`` are searched, if there are any.
        """
    def stream(
        self,
        board: Union[Board, _ChessBoard],
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        movetime: Optional[int] = None,
        multipv: int = 1,
        moves: Sequence[_Move] = (),
        root_moves: Sequence[_Move] = (),
    ) -> Stream:
        """Search a position and yield the result of each iteration, and last of the whole search.

        The last result has ``done``. Without a limit, the search goes on until ``stop`` is called or
        the iterator is deleted. Another call of the same thread, also by another task of ``asyncio``,
        ends it: its next step raises ``RuntimeError``. Calls of other threads wait for it.
        """
    def stop(self) -> None:
        """End the running analysis as soon as possible. Another thread may call this."""
    def new_game(self) -> None:
        """Clear the transposition table and the histories."""
    def close(self) -> None:
        """End the running analysis, the threads and the transposition table.

        Later calls raise ``RuntimeError``, and so do calls of other threads that wait for their turn.
        """
    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, str]]: ...
    def __enter__(self) -> Engine: ...
    def __exit__(self, *error: object) -> None: ...

@final
class Game:
    """A game: tags, moves with variations and comments, and a result.

    ``str`` of it is its PGN, as which it is pickled. ``pgn`` is the text of one, ``number`` its number
    in its file; ``tags`` replace the tags in the text. ``read_games`` reads many.
    """

    def __new__(cls, pgn: str, number: int = 1, tags: Optional[dict[str, str]] = None) -> Game: ...
    def __reduce__(self) -> tuple[type[Game], tuple[str, int, dict[str, str]]]: ...
    @property
    def number(self) -> int:
        """The number of the game in its file, from 1."""
    @property
    def tags(self) -> dict[str, str]:
        """The PGN tags, in order."""
    @property
    def result(self) -> Literal["1-0", "0-1", "1/2-1/2", "*"]:
        """The result."""
    @property
    def start(self) -> Board:
        """The start position."""
    @property
    def board(self) -> Board:
        """The last position."""
    @property
    def moves(self) -> list[str]:
        """The moves in UCI notation, without variations; a null move is ``0000``."""

@final
class Games(Iterator[Game]):
    """The games of a PGN, see ``read_games``."""

    def __iter__(self) -> Games: ...
    def __next__(self) -> Game: ...

class _ChessGame(Protocol):
    """What is used of a game of python-chess: that ``str`` of it is its PGN."""

    headers: Any

_Pgn = Union[str, PathLike[str], IO[str], IO[bytes]]

def read_games(source: _Pgn) -> Games:
    """The games of a PGN, one after another.

    ``source`` is the path of a file, also ``.gz``, ``.bz2`` or ``.zst``, an open file, or a text. A
    string is a path if it has neither blanks nor line breaks or a file has this name, and else a text.
    A game that cannot be read raises ``ValueError``; the next call reads the game after it.
    """

def review(
    game: Union[Game, _ChessGame, _Pgn],
    *,
    depth: Optional[int] = None,
    nodes: Optional[int] = None,
    movetime: Optional[int] = None,
    threads: int = 1,
    hash: int = 32,
) -> Review:
    """Analyse a game as ``saavedra analyse`` does, and return the fields of its JSON but ``settings``.

    ``game`` may be a game of python-chess, or what ``read_games`` takes, whose first game is reviewed;
    an interrupt from the keyboard ends the review. One of ``depth``, ``nodes`` and ``movetime``, in
    milliseconds, limits each position. With a limit of depth or nodes the review is always the same,
    with any number of ``threads``. ``hash`` is the hash size of each thread in megabytes.
    """

def explain(
    position: Union[Board, _ChessBoard, Game],
    *moves: _Move,
    ply: Union[int, str, None] = None,
    nodes: int = 30_000,
) -> dict[str, Any]:
    """Explain a position and its moves as ``saavedra explain`` does, and return the fields of its JSON.

    ``text`` has the sentences. A position may have a move to explain, and another one to compare it
    with. A ``Game`` needs ``ply``: a number from 1, or ``17w`` or ``17b``.
    """

def puzzles_of_game(
    game: Union[Game, _ChessGame, _Pgn], nodes: int, side: str, player: Optional[str]
) -> list[str]:
    """The exercises of one game as JSON texts, for `saavedra.puzzles`."""

def perft(board: Union[Board, _ChessBoard], depth: int) -> int:
    """The number of leaf nodes of the legal move tree at a depth."""

def evaluate(board: Union[Board, _ChessBoard]) -> int:
    """The static evaluation in normalised centipawns from the side to move's view, without a search."""

def run(arguments: Sequence[Union[str, PathLike[str]]]) -> int:
    """Run the command line, as ``sys.argv`` has it, and return its exit status."""
