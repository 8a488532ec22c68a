#!/usr/bin/env python3
"""Recounts the perft suites with implementations that are not ours.

    python3 perft/verify.py [--engine stockfish] [--max-nodes N] [FILE ...]
    python3 perft/verify.py --engine stockfish --fill perft/tricky.epd

Every count up to --max-nodes is recomputed with python-chess (`pip install chess`) and, when
--engine names a UCI engine that knows `go perft N`, with that engine too. The claims of
tricky.epd (see README.md) are checked with python-chess.

--fill gives counts to the lines that have none yet, where both implementations agree.
Exit status 0 when everything agrees, 1 when something does not.
"""

import argparse
import pathlib
import re
import subprocess
import sys

import chess

HERE = pathlib.Path(__file__).parent
CLAIMS = re.compile(r"\(([^()]*[-+=](?:[a-h][1-8]|0)[^()]*)\)")
FILL_MAX_DEPTH = 6
FILL_MAX_NODES = 500_000


def is_chess960(fen):
    """Castling fields with the rooks' files (Shredder-FEN) mark a Chess960 line."""
    return bool(set(fen.split()[2]) - set("KQkq-"))


def count(board, depth):
    """Number of leaf nodes, by python-chess."""
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += count(board, depth - 1)
        board.pop()
    return total


class Engine:
    """A UCI engine that answers `go perft N` with a last line `Nodes searched: N`."""

    def __init__(self, path):
        self.process = subprocess.Popen(
            [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
        )

    def count(self, fen, depth):
        self.process.stdin.write(
            f"setoption name UCI_Chess960 value {str(is_chess960(fen)).lower()}\n"
            f"position fen {fen}\ngo perft {depth}\n"
        )
        for line in self.process.stdout:
            if line.startswith("Nodes searched"):
                return int(line.split(":")[1])
        raise RuntimeError("the engine ended")


def broken_claims(fen, comment):
    """The claims in parentheses that python-chess does not confirm."""
    broken = []
    for group in CLAIMS.findall(comment):
        board = chess.Board(fen, chess960=is_chess960(fen))
        line, colon, claims = group.rpartition(":")
        for text in line.split() if colon else []:
            board.push_uci(text)
        legal = {board.uci(move) for move in board.legal_moves}
        for claim in claims.split():
            moves = set(claim[1:].split(",")) - {"0"}
            holds = {"+": moves <= legal, "-": not moves & legal, "=": moves == legal}
            if not holds[claim[0]]:
                broken.append(f"{group}: {claim}")
    return broken


def parse(line):
    """FEN, {depth: nodes} and comment of a line."""
    body, _, comment = line.partition(";#")
    fen, *counts = (field.strip() for field in body.split(";"))
    pairs = (field.split() for field in counts if field)
    return fen, {int(d[1:]): int(n) for d, n in pairs}, comment.strip()


def fill(fen, engine):
    """Counts while they stay small; None where the two implementations differ."""
    board, counts = chess.Board(fen, chess960=is_chess960(fen)), {}
    for depth in range(1, FILL_MAX_DEPTH + 1):
        nodes = engine.count(fen, depth)
        if depth > 1 and nodes > FILL_MAX_NODES:
            break
        if nodes != count(board, depth):
            return None
        counts[depth] = nodes
        if nodes == 0:
            break
    return counts


def check(path, engine, options):
    """Checks one file; returns its number of faults, after rewriting it when filling."""
    faults, lines, checked = 0, [], 0
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            lines.append(line)
            continue
        fen, counts, comment = parse(line)
        for fault in broken_claims(fen, comment):
            print(f"{path}:{number}: claim does not hold: {fault}")
            faults += 1
        if options.fill and not counts:
            counts = fill(fen, engine)
            if counts is None:
                print(f"{path}:{number}: the implementations differ: {fen}")
                faults, counts = faults + 1, {}
            line = " ;".join([fen, *(f"D{d} {n}" for d, n in counts.items()), f"# {comment}"])
        board = chess.Board(fen, chess960=is_chess960(fen))
        for depth, nodes in counts.items():
            if nodes > options.max_nodes:
                continue
            found = [count(board, depth)] + ([engine.count(fen, depth)] if engine else [])
            checked += 1
            if any(n != nodes for n in found):
                print(f"{path}:{number}: D{depth} says {nodes}, found {found}")
                faults += 1
        lines.append(line)
    if options.fill:
        path.write_text("\n".join(lines) + "\n")
    print(f"{path}: {len(lines)} lines, {checked} counts recomputed, {faults} faults")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--engine", help="path of a UCI engine that knows `go perft`")
    parser.add_argument("--max-nodes", type=float, default=20_000)
    parser.add_argument("--fill", action="store_true", help="add missing counts (needs --engine)")
    options = parser.parse_args()
    if options.fill and not options.engine:
        parser.error("--fill needs --engine")
    engine = Engine(options.engine) if options.engine else None
    files = options.files or sorted(HERE.glob("*.epd"))
    sys.exit(1 if sum(check(path, engine, options) for path in files) else 0)


if __name__ == "__main__":
    main()
