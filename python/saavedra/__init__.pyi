from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, Optional, final

from ._results import Analysis as Analysis, Line as Line

__version__: Final[str]

class IllegalMove(ValueError):
    """The text is no legal move in the position; the message explains why."""

@final
class Board:
    """A chess position. It never changes: ``make`` returns a new one.

    ``fen`` is a FEN or ``startpos``; without it, the board is the start position. With ``chess960``,
    castling moves are written as king takes rook (``e1h1``).
    """

    def __init__(self, fen: Optional[str] = None, chess960: bool = False) -> None: ...
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
    def fen(self) -> str:
        """The FEN of the position."""
    def legal_moves(self) -> list[str]:
        """The legal moves in UCI notation."""
    def san(self, move: str) -> str:
        """The standard algebraic notation of a legal move."""
    def uci(self, move: str) -> str:
        """The UCI notation of a legal move."""
    def make(self, move: str) -> Board:
        """The position after a legal move in UCI notation or SAN."""
    def is_check(self) -> bool:
        """Whether the side to move is in check."""
    def is_over(self) -> bool:
        """Whether the game is over by the position alone."""
    def _repr_svg_(self) -> str: ...
    def __hash__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...

@final
class Stream(Iterator[Analysis]):
    """The results of the iterations of a search. Deleting it ends the search."""

    def __iter__(self) -> Stream: ...
    def __next__(self) -> Analysis: ...

@final
class Engine:
    """A chess engine with its own search threads and transposition table.

    Engines share nothing, so several can analyse at the same time; during an analysis other Python
    threads run. ``hash`` is the size of the transposition table in megabytes. ``options`` are UCI
    options; a space in a name is written as an underscore:
    ``Engine(SyzygyPath="/tables", Move_Overhead=20)``. Two options have no effect: an analysis sets
    ``MultiPV`` by its argument ``multipv``, and the board stands for ``UCI_Chess960``.
    """

    def __init__(self, hash: int = 16, threads: int = 1, **options: Any) -> None: ...
    def set_option(self, name: str, value: Any) -> None:
        """Set a UCI option."""
    def analyse(
        self,
        board: Board,
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        movetime: Optional[int] = None,
        multipv: int = 1,
        moves: Sequence[str] = (),
    ) -> Analysis:
        """Search a position until a limit is reached or ``stop`` is called.

        At least one of ``depth``, ``nodes`` and ``movetime`` is needed. ``movetime`` is in milliseconds. ``moves`` are played from ``board`` first; repetitions of their
        positions count. An analysis of this engine in another thread ends.
        """
    def stream(
        self,
        board: Board,
        *,
        depth: Optional[int] = None,
        nodes: Optional[int] = None,
        movetime: Optional[int] = None,
        multipv: int = 1,
        moves: Sequence[str] = (),
    ) -> Stream:
        """Search a position and yield the result of each iteration, and last the final result.

        Without a limit, the search goes on until ``stop`` is called or the iterator is deleted.
        """
    def stop(self) -> None:
        """End the running analysis as soon as possible. Another thread may call this."""
    def new_game(self) -> None:
        """Clear the transposition table and the histories."""

def perft(board: Board, depth: int) -> int:
    """The number of leaf nodes of the legal move tree at a depth."""

def evaluate(board: Board) -> int:
    """The static evaluation in normalised centipawns from the side to move's view, without a search."""

def main() -> None:
    """Run the program ``saavedra``: a UCI engine, or the command in ``sys.argv``."""
