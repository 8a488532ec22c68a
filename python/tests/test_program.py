import subprocess
import sys

import chess
import chess.engine
import saavedra


def test_python_chess_plays_a_game():
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci("saavedra") as engine:
        assert engine.id["name"].startswith("Saavedra ")
        while not board.is_game_over(claim_draw=True) and board.ply() < 300:
            result = engine.play(board, chess.engine.Limit(nodes=300))
            assert result.move in board.legal_moves
            board.push(result.move)
    assert board.ply() > 10


def test_python_chess_analyses():
    board = chess.Board()
    with chess.engine.SimpleEngine.popen_uci("saavedra") as engine:
        info = engine.analyse(board, chess.engine.Limit(depth=6))
    assert info["depth"] == 6 and info["pv"][0] in board.legal_moves


def run(*arguments, **keywords):
    return subprocess.run(arguments, capture_output=True, text=True, **keywords)


def test_commands_have_their_output_and_status():
    version = run("saavedra", "--version")
    assert (version.returncode, version.stdout) == (0, f"saavedra {saavedra.__version__}\n")
    perft = run("saavedra", "perft", "3")
    assert perft.stdout.endswith("Nodes searched: 8902\n")
    refused = run("saavedra", "perft", "x")
    assert refused.returncode == 2 and refused.stderr.startswith("saavedra: ")
    module = run(sys.executable, "-m", "saavedra", "perft", "2")
    assert module.stdout.endswith("Nodes searched: 400\n")


def test_replay_finds_the_program():
    log = "1 < isready\n2 > readyok\n"
    for program in [["saavedra"], [sys.executable, "-m", "saavedra"]]:
        replay = run(*program, "replay", "-", input=log)
        assert replay.stdout == "1 answers, 0 differences\n", replay.stderr
