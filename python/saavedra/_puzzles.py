"""Exercises from games."""

import json
from collections.abc import Iterable, Iterator
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Optional, Union, cast

from ._saavedra import Game, puzzles_of_game, read_games

if TYPE_CHECKING:
    from ._saavedra import _ChessGame, _Pgn


def puzzles(
    games: "Union[_Pgn, Game, _ChessGame, Iterable[Union[Game, _ChessGame, str]]]",
    *,
    nodes: int = 120_000,
    side: Literal["white", "black", "both"] = "both",
    player: Optional[str] = None,
) -> Iterator[dict[str, Any]]:
    """Make exercises from games as ``saavedra puzzles`` does; each has the fields of its JSON.

    ``games`` is what ``read_games`` takes, or a game, or an iterable of games: each a ``Game``, a game of
    python-chess, or the PGN of one. ``nodes`` limits the proof of each move, ``side`` is the side that
    solves, ``player`` a part of the solver's name. A position occurs once.
    """
    known: set[str] = set()
    if isinstance(games, (str, PathLike)) or hasattr(games, "read"):
        games = read_games(cast("_Pgn", games))
    elif isinstance(games, Game) or not isinstance(games, Iterable):
        games = [games]
    for game in games:
        for text in puzzles_of_game(game, nodes, side, player):
            puzzle = json.loads(text)
            if puzzle["id"] not in known:
                known.add(puzzle["id"])
                yield puzzle
