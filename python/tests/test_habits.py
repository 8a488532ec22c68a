"""A program that was written for python-chess, and the same one with the engine of this module."""

import difflib
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

chess = pytest.importorskip("chess", reason="python-chess is missing")
import chess.engine

import saavedra
from saavedra.chess_engine import SimpleEngine

HABITS = Path(__file__).parent / "habits"
MOST_CHANGED_LINES = 10

GAMES = """[White "Ann"]
[Black "Bob"]
[Result "0-1"]

1. f3 e5 2. g4 Qh4# 0-1

[White "Cid"]
[Black "Dot"]
[Result "*"]

1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Bxc6 dxc6 5. O-O *
"""


def output_of(script, folder):
    """What the script prints, and the games that it writes."""
    games, annotated = folder / "games.pgn", folder / f"{script.stem}.pgn"
    games.write_text(GAMES)
    command = [sys.executable, script, "saavedra", games, annotated]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout, annotated.read_text()


def test_a_program_of_python_chess_needs_few_changes(tmp_path):
    theirs, ours = HABITS / "with_python_chess.py", HABITS / "with_saavedra.py"
    assert output_of(theirs, tmp_path) == output_of(ours, tmp_path)
    lines = [path.read_text().splitlines() for path in (theirs, ours)]
    changed = [line for line in difflib.ndiff(*lines) if line.startswith("+ ")]
    assert len(changed) <= MOST_CHANGED_LINES, "\n".join(changed)


@pytest.fixture(params=["module", "program"])
def engine(request):
    """The engine of the module, and python-chess's with the program."""
    if request.param == "module":
        engine = SimpleEngine()
    else:
        engine = chess.engine.SimpleEngine.popen_uci("saavedra")
    with engine:
        yield engine


@pytest.mark.parametrize(
    ("fen", "white_mates_in"),
    [
        ("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1", 1),
        ("7k/8/5K1Q/8/8/8/8/8 b - - 0 1", 1),
        ("8/8/8/8/8/5k2/4q3/7K b - - 0 1", -1),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", 0),
    ],
)
def test_scores_are_those_of_python_chess(engine, fen, white_mates_in):
    info = engine.analyse(chess.Board(fen), chess.engine.Limit(depth=5))
    score = info["score"]
    assert (score.white().mate(), score.black().mate()) == (white_mates_in, -white_mates_in)
    assert score.turn == chess.Board(fen).turn
    assert ("pv" in info) == (white_mates_in != 0)


def test_lines_and_moves_are_those_of_python_chess(engine):
    for board in [chess.Board(), chess.Board.from_chess960_pos(700)]:
        infos = engine.analyse(board, chess.engine.Limit(depth=5), multipv=3)
        assert [info["multipv"] for info in infos] == [1, 2, 3]
        assert isinstance(board.variation_san(infos[2]["pv"]), str)
        result = engine.play(board, chess.engine.Limit(nodes=500), info=chess.engine.INFO_ALL)
        assert result.move in board.legal_moves
        board.push(result.move)
        assert result.ponder in board.legal_moves
        assert result.info["nodes"] <= 500


def test_root_moves_restrict_the_search(engine):
    board = chess.Board()
    moves = [chess.Move.from_uci("a2a3"), chess.Move.from_uci("h2h4")]
    limit = chess.engine.Limit(depth=4)
    assert engine.play(board, limit, root_moves=moves).move in moves
    assert engine.analyse(board, limit, root_moves=moves)["pv"][0] in moves
    infos = engine.analyse(board, limit, multipv=3, root_moves=iter(moves))
    assert {info["pv"][0] for info in infos} == set(moves)
    with engine.analysis(board, limit, root_moves=moves) as analysis:
        assert analysis.wait().move in moves


def test_boards_of_the_module_are_taken():
    with SimpleEngine() as engine:
        limit = chess.engine.Limit(depth=5)
        board = saavedra.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
        info = engine.analyse(board, limit)
        assert (info["pv"][0], info["score"].white().mate()) == (chess.Move.from_uci("a1a8"), 1)
        assert engine.play(board, limit).move == info["pv"][0]
        with engine.analysis(board, limit) as analysis:
            assert analysis.wait().move == info["pv"][0]


def test_castling_is_a_move_of_the_board(engine):
    for chess960 in [False, True]:
        board = chess.Board("4k3/8/8/8/8/8/5PPP/4K2R w K - 0 1", chess960=chess960)
        infos = engine.analyse(board, chess.engine.Limit(depth=2), multipv=30)
        assert board.parse_san("O-O") in {info["pv"][0] for info in infos}


def test_an_analysis_is_read_stopped_and_waited_for(engine):
    board = chess.Board()
    with engine.analysis(board, chess.engine.Limit(depth=5), multipv=2) as analysis:
        depths = [info["depth"] for info in analysis if "depth" in info]
    assert max(depths) == 5
    assert [info["multipv"] for info in analysis.multipv] == [1, 2]
    assert analysis.info == analysis.multipv[0]
    assert analysis.wait().move in board.legal_moves
    # Without a limit.
    with engine.analysis(board) as analysis:
        for info in analysis:
            if info.get("depth", 0) >= 3:
                break
        analysis.stop()
        assert analysis.wait().move in board.legal_moves


def test_what_the_engine_of_the_module_does_not_do_is_refused():
    with SimpleEngine() as engine:
        for limit in [{"white_clock": 1}, {"mate": 1}, {}]:
            for call in (engine.play, engine.analyse):
                with pytest.raises(ValueError, match="depth, nodes or time,"):
                    call(chess.Board(), chess.engine.Limit(**limit))
        with pytest.raises(ValueError):
            engine.configure({"NoSuchOption": 1})
        engine.configure({"Hash": 4, "Move Overhead": 20})
        engine.ping()
    with pytest.raises(RuntimeError, match="closed"):
        engine.play(chess.Board(), chess.engine.Limit(depth=1))


def test_the_engine_of_the_module_is_pickled():
    engine = pickle.loads(pickle.dumps(SimpleEngine(hash=2, MultiPV=2)))
    assert engine.analyse(chess.Board(), chess.engine.Limit(depth=3))["depth"] == 3
