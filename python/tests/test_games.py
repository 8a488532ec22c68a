"""Games: reading PGN, and reviews."""

import bz2
import copy
import errno
import functools
import gzip
import io
import json
import multiprocessing
import pickle
import subprocess
import sys

import chess.pgn
import pytest

import saavedra

TWO = '[White "Ann"]\n[Black "Bob"]\n\n1. f3 e5 2. g4 {oops} (2. e4) Qh4# 0-1\n\n1. d4 d5 *\n'


@pytest.fixture
def pgn(tmp_path):
    path = tmp_path / "two games.pgn"
    path.write_text(TWO)
    return path


def test_games_are_read_from_files_texts_and_open_files(pgn):
    sources = [TWO, pgn, str(pgn), io.StringIO(TWO), io.BytesIO(TWO.encode())]
    for suffix, compress in ((".gz", gzip.compress), (".bz2", bz2.compress)):
        packed = pgn.with_suffix(".pgn" + suffix)
        packed.write_bytes(compress(TWO.encode()))
        sources.append(packed)
    for source in sources:
        first, second = saavedra.read_games(source)
        assert first.moves == ["f2f3", "e7e5", "g2g4", "d8h4"]
        assert (first.tags, first.result) == ({"White": "Ann", "Black": "Bob"}, "0-1")
        assert first.start == saavedra.Board()
        assert first.board.status == "checkmate"
        assert "(2. e4)" in str(first) and "{oops}" in str(first)
        assert (second.number, second.result) == (2, "*")


def test_games_are_pickled_as_their_pgn():
    chess960 = "[FEN \"4k3/8/8/8/8/8/8/4K1R1 w G - 0 1\"]\n\n1. O-O *"
    texts = [TWO, chess960, "1. e4 {say \"no\"} -- $1 (1... e5 (1... c5 {x}) 2. Nf3) 2. d4 1/2-1/2"]
    for game in (game for text in texts for game in saavedra.read_games(text)):
        for other in (pickle.loads(pickle.dumps(game)), copy.deepcopy(game)):
            for name in ("number", "tags", "moves", "result", "start", "board"):
                assert getattr(other, name) == getattr(game, name)
            assert str(other) == str(game)
    assert saavedra.Game("1. e4 *", number=7).number == 7
    for pgn in ("", "1. Ke2 *"):
        with pytest.raises(ValueError):
            saavedra.Game(pgn)


def test_processes_of_a_pool_review_games(pgn):
    review = functools.partial(saavedra.review, nodes=200)
    games = list(saavedra.read_games(pgn))
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        reviews = pool.map(review, saavedra.read_games(pgn))
    assert reviews == [review(game) for game in games]


def test_what_cannot_be_read_says_why(tmp_path):
    with pytest.raises(TypeError):
        saavedra.read_games(3)
    games = saavedra.read_games("1. e4 e5 2. Ke3 *\n\n1. d4 *\n")
    with pytest.raises(ValueError, match="Ke3"):
        next(games)
    assert next(games).moves == ["d2d4"]
    with pytest.raises(StopIteration):
        next(games)

    class Broken:
        def read(self, size):
            raise OSError("the cable is out")

    with pytest.raises((OSError, ValueError), match="cable"):
        next(saavedra.read_games(Broken()))


READERS = [
    saavedra.read_games,
    lambda source: saavedra.review(source, nodes=1),
    lambda source: list(saavedra.puzzles(source, nodes=1)),
]


@pytest.mark.parametrize("read", READERS)
def test_the_error_of_a_file_has_its_name(read, tmp_path):
    absent = tmp_path / "absent.pgn"
    for path, name in [("absent.pgn", "absent.pgn"), (str(absent), str(absent)), (absent, str(absent))]:
        with pytest.raises(FileNotFoundError, match="absent.pgn") as error:
            read(path)
        assert (error.value.filename, error.value.errno) == (name, errno.ENOENT)
    with pytest.raises(OSError, match="a folder"):
        folder = tmp_path / "a folder"
        folder.mkdir()
        read(str(folder))


def test_files_are_reviewed_and_give_exercises(pgn):
    expected = saavedra.review(TWO, nodes=200)
    with open(pgn) as file:
        for source in (pgn, str(pgn), file):
            assert saavedra.review(source, nodes=200) == expected
    expected = list(saavedra.puzzles(saavedra.read_games(TWO), nodes=2000))
    with open(pgn) as file:
        for source in (pgn, str(pgn), file, TWO, list(saavedra.read_games(pgn))):
            assert list(saavedra.puzzles(source, nodes=2000)) == expected


def test_a_review_is_that_of_the_command(pgn):
    command = [sys.executable, "-m", "saavedra", "analyse", str(pgn), "--nodes", "2000", "--format", "json"]
    lines = subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()
    expected = [json.loads(line) for line in lines]
    for game in expected:
        del game["settings"]  # those of a file, for its resumption
    games = list(saavedra.read_games(pgn))
    assert [saavedra.review(game, nodes=2000, threads=2) for game in games] == expected
    # A game of python-chess, and a text.
    with open(pgn) as file:
        game = chess.pgn.read_game(file)
    for same in (game, TWO):
        reviewed = saavedra.review(same, nodes=2000)
        assert reviewed["moves"] == expected[0]["moves"]
    assert expected[0]["moves"][2]["judgement"] == "blunder"


def test_refused_reviews_say_why():
    for arguments in ({}, {"depth": 1, "nodes": 1}, {"depth": 0}, {"nodes": -1}, {"nodes": 1, "threads": 0}, {"nodes": 1, "threads": -1}, {"nodes": 1, "hash": -1}):
        with pytest.raises(ValueError):
            saavedra.review("1. e4 *", **arguments)
    for game, error in (("", ValueError), ("1. Ke2 *", ValueError), (3, TypeError)):
        with pytest.raises(error):
            saavedra.review(game, nodes=1)


def test_an_explanation_is_that_of_the_command():
    fen = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
    command = [sys.executable, "-m", "saavedra", "explain", fen, "Nf6", "--json"]
    expected = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    explained = saavedra.explain(saavedra.Board(fen), "Nf6")
    assert explained == expected
    assert "mates in 1" in explained["text"]
    assert saavedra.explain(chess.Board(fen), "g8f6")["text"] == explained["text"]
    game = next(saavedra.read_games("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0"))
    assert saavedra.explain(game, ply="3b")["asked"]["san"] == "Nf6"
    assert saavedra.explain(game, ply=6)["text"] == saavedra.explain(game, ply="3b")["text"]
    for arguments in ({}, {"ply": 99}, {"ply": "3x"}):
        with pytest.raises(ValueError):
            saavedra.explain(game, **arguments)
    with pytest.raises(saavedra.IllegalMove):
        saavedra.explain(saavedra.Board(), "e5")
    move = chess.Move.from_uci("g8f6")
    assert saavedra.explain(chess.Board(fen), move) == saavedra.explain(chess.Board(fen), "g8f6")
    for nodes in (0, -1):
        with pytest.raises(ValueError):
            saavedra.explain(saavedra.Board(), nodes=nodes)
        with pytest.raises(ValueError):
            list(saavedra.puzzles(TWO, nodes=nodes))


def test_exercises_are_those_of_the_command():
    fen = '[White "Ann"]\n[FEN "6k1/q4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"]\n\n'
    text = fen + "1... Qa8 2. h3 *\n\n" + fen + "1... Qa8 2. Rxa8# 1-0\n"
    command = [sys.executable, "-m", "saavedra", "puzzles", "-", "--nodes", "20000"]
    lines = subprocess.run(command, input=text, capture_output=True, check=True, text=True).stdout
    expected = [json.loads(line) for line in lines.splitlines()]
    assert expected and list(saavedra.puzzles(saavedra.read_games(text), nodes=20_000)) == expected
    assert expected[0]["solution"] == ["a1a8"]
    assert not list(saavedra.puzzles(text, nodes=20_000, player="nobody"))
    with pytest.raises(ValueError):
        list(saavedra.puzzles(text, side="red"))


@pytest.mark.parametrize(
    "call",
    [
        "saavedra.review('1. e4 e5 2. Nf3 *', depth=200)",
        "saavedra.review('1. e4 e5 2. Nf3 *', movetime=10**9, threads=2)",
        "saavedra.explain(saavedra.Board(), 'e4', nodes=10**15)",
        "list(saavedra.puzzles('1. e4 e5 2. Nf3 *', nodes=10**15))",
    ],
)
def test_an_interrupt_ends_the_work(call):
    code = f"""
import _thread
import signal
import threading
import saavedra

# A process that a shell has started in the background ignores interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    threading.Timer(0.2, _thread.interrupt_main).start()
    {call}
except KeyboardInterrupt:
    print("interrupted")
"""
    # In a process of its own, which can be ended should it hang.
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
    assert result.stdout == "interrupted\n"
