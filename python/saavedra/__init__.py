"""The chess engine Saavedra: immutable positions, analysis, and the UCI program.

>>> import saavedra
>>> board = saavedra.Board()
>>> board.make("e4").san("e7e5")
'e5'
>>> engine = saavedra.Engine(hash=16)
>>> result = engine.analyse(board, depth=8)
>>> result["best"] in board.legal_moves()
True
"""

import signal as _signal
import sys as _sys

from ._saavedra import (
    Board,
    Engine,
    Game,
    Games,
    IllegalMove,
    Stream,
    __version__,
    evaluate,
    explain,
    perft,
    read_games,
    review,
    run as _run,
)
from ._puzzles import puzzles
from ._results import Analysis, Line, Review

__all__ = [
    "Analysis",
    "Board",
    "Engine",
    "Game",
    "Games",
    "IllegalMove",
    "Line",
    "Review",
    "Stream",
    "__version__",
    "evaluate",
    "explain",
    "main",
    "perft",
    "puzzles",
    "read_games",
    "review",
]


def main() -> None:
    """Run the program ``saavedra``: a UCI engine, or the command in ``sys.argv``."""
    # An interrupt ends the program, as it does without Python.
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    _sys.exit(_run(_sys.argv))
