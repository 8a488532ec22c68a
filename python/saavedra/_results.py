"""The types of the results of an analysis."""

from typing import Any, Optional, TypedDict


class Line(TypedDict):
    """A principal variation. Scores are from the side to move's view."""

    multipv: int
    score_cp: Optional[int]
    mate: Optional[int]
    wdl: tuple[int, int, int]
    depth: int
    pv: list[str]


class Analysis(TypedDict):
    """The result of a search. Scores are from the side to move's view; moves are in UCI notation.

    ``score_cp`` is in normalised centipawns and ``mate`` in moves; one of them is ``None``. ``wdl`` has
    the probabilities of a win, a draw and a loss in thousandths. ``time`` is in milliseconds; ``done`` is
    true in the result of the whole search.
    """

    best: Optional[str]
    ponder: Optional[str]
    score_cp: Optional[int]
    mate: Optional[int]
    wdl: tuple[int, int, int]
    depth: int
    seldepth: int
    nodes: int
    nps: int
    time: int
    done: bool
    pv: list[str]
    lines: list[Line]


class Review(TypedDict):
    """A reviewed game, as ``saavedra analyse --format json`` writes it. Scores are from White's view.

    ``moves`` has for each move ``ply``, ``uci``, ``san``, ``fen`` after it, ``eval``, ``wdl``,
    ``depth``, ``nodes``, ``best``, ``line``, ``lost``, ``accuracy`` and ``judgement``. An evaluation is
    ``{"cp": 31}`` or ``{"mate": 3}``. ``white`` and ``black`` have the numbers of moves and of mistakes,
    the accuracy, and the same by phase.
    """

    game: int
    tags: dict[str, str]
    result: str
    chess960: bool
    opening: Optional[dict[str, str]]
    scale: str
    start: dict[str, Any]
    moves: list[dict[str, Any]]
    white: dict[str, Any]
    black: dict[str, Any]
    key_moments: list[int]
