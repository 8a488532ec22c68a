"""Compares PGN files with what the modules of the page make of them, as python-chess reads both.

    python3 web/tests/modules/pgn_round_trip.py [--random GAMES] FILE.pgn…

It needs `make wasm`, Node and python-chess (`pip install chess`). `--random` adds games with random variations,
comments and NAGs.
"""

import argparse
import io
import pathlib
import random
import re
import subprocess
import sys

import chess.pgn

FILTER = pathlib.Path(__file__).with_name("pgn_filter.mjs")


def read_games(text):
    stream = io.StringIO(text)
    while (game := chess.pgn.read_game(stream)) is not None:
        yield game


def describe(node):
    """A node and all below it: move, NAGs, comments, continuations."""
    move = node.move.uci() if node.parent else None
    starting = node.starting_comment if node.parent else ""
    # Lines of a comment may break elsewhere.
    comments = [" ".join(comment.split()) for comment in (starting, node.comment)]
    return (move, sorted(node.nags), comments, [describe(child) for child in node.variations])


def tags(game):
    """The tags of a game; python-chess neither reads nor writes escapes."""
    return {name: re.sub(r'\\(["\\])', r"\1", value) for name, value in game.headers.items()}


def with_braces(text):
    """A text with comments in braces only: python-chess does not read others."""
    parts = r'(\{[^}]*\}|"[^"\n]*")|;(.*)'
    return re.sub(parts, lambda found: found[1] or "{" + found[2].replace("}", ")") + "}", text)


def compare(name, before, after):
    before, after = list(read_games(with_braces(before))), list(read_games(after))
    faults = [] if len(before) == len(after) else [f"{name}: {len(before)} games, then {len(after)}"]
    for number, (first, second) in enumerate(zip(before, after), 1):
        for what, a, b in [
            ("tags", tags(first), tags(second)),
            ("moves", describe(first), describe(second)),
            ("errors", len(first.errors), len(second.errors)),
        ]:
            if a != b:
                faults.append(f"{name}, game {number}: {what} differ")
    return len(before), faults


WORDS = ["good", "+-", "(or not)", "[%eval 0.21]", "[%clk 0:01:02]", "1-0", "{", "two\nlines", ";", "%", "Ä", "2. e4", "\"", " "]


def random_games(count, rng):
    """Games with random trees, as python-chess writes them."""
    texts = []
    for number in range(count):
        game = chess.pgn.Game()
        game.headers["Event"] = f"Random \"{number}\""
        game.headers["Result"] = rng.choice(["1-0", "0-1", "1/2-1/2", "*"])
        game.headers["Annotator"] = rng.choice(["C:\\\\", "Å", "[x]"])
        nodes = [game]
        while len(nodes) < rng.randrange(1, 60):
            node = rng.choice(nodes[-3:] + [rng.choice(nodes)])
            moves = sorted(set(node.board().legal_moves) - {n.move for n in node.variations}, key=str)
            if not moves:
                break
            child = node.add_variation(rng.choice(moves))
            child.nags |= {rng.randrange(1, 150) for _ in range(rng.randrange(3))}
            if rng.random() < 0.4:
                child.comment = " ".join(rng.choices(WORDS, k=3))
            if rng.random() < 0.3 and not child.is_main_variation():
                child.starting_comment = " ".join(rng.choices(WORDS, k=2))
            nodes.append(child)
        text = str(game)
        # A NAG before the first move of a variation.
        if rng.random() < 0.5:
            text = text.replace(" ( ", f" ( ${rng.choice([140, 142, 146])} ")
        texts.append(text)
    return "\n\n".join(texts) + "\n"


def read_file(path):
    data = pathlib.Path(path).read_bytes()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return text.replace("\r\n", "\n")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--random", type=int, default=0, metavar="GAMES")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    texts = {pathlib.Path(path).name: read_file(path) for path in arguments.files}
    if arguments.random:
        texts["random games"] = random_games(arguments.random, random.Random(1))
    total, faults = 0, []
    for name, text in texts.items():
        done = subprocess.run(["node", FILTER], input=text.encode(), stdout=subprocess.PIPE, check=True)
        count, found = compare(name, text, done.stdout.decode())
        total += count
        faults += found
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{total} games, {len(faults)} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
