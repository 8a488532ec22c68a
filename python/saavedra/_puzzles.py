"""Exercises from games."""

import json

from ._saavedra import Game, puzzles_of_game


def puzzles(games, *, nodes=120_000, side="both", player=None):
    """Make exercises from games as ``saavedra puzzles`` does; each has the fields of its JSON.

    ``games`` is a game, or an iterable of games: each a ``Game``, a PGN, or a game of python-chess.
    ``nodes`` limits the proof of each move, ``side`` is the side that solves, ``player`` a part of the
    solver's name. A position occurs once.
    """
    known = set()
    is_one = isinstance(games, (Game, str)) or hasattr(games, "headers")
    for game in [games] if is_one else games:
        for text in puzzles_of_game(game, nodes, side, player):
            puzzle = json.loads(text)
            if puzzle["id"] not in known:
                known.add(puzzle["id"])
                yield puzzle
