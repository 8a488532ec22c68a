import subprocess
import sys
import threading

import chess
import pytest
from saavedra import Analysis, Board, Engine, IllegalMove, Line

BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1"


def check(board, result):
    """What holds for every result."""
    assert set(result) == set(Analysis.__annotations__)
    assert sum(result["wdl"]) == 1000
    assert (result["score_cp"] is None) != (result["mate"] is None)
    assert result["seldepth"] >= result["depth"] > 0
    assert result["time"] >= 0 and result["nps"] > 0
    assert result["pv"][0] == result["best"]
    for line in result["lines"]:
        assert set(line) == set(Line.__annotations__)
        position = board
        for move in line["pv"]:
            position = position.make(move)
    if result["ponder"]:
        board.make(result["best"]).make(result["ponder"])


def test_limits():
    engine, board = Engine(), Board()
    result = engine.analyse(board, depth=6)
    check(board, result)
    assert result["depth"] == 6
    result = engine.analyse(board, nodes=500)
    check(board, result)
    assert 0 < result["nodes"] <= 500
    check(board, engine.analyse(board, movetime=20))
    for wrong in [0, -1, 2**70]:
        for limit in ["depth", "nodes", "movetime", "multipv"]:
            with pytest.raises(ValueError, match=limit):
                engine.analyse(board, **{"depth": 3, limit: wrong})
    with pytest.raises(ValueError):
        engine.analyse(board)
    with pytest.raises(TypeError):
        engine.analyse(board, depth="3")


def test_mates_are_counted_from_the_side_to_move():
    board = Board(BACK_RANK)
    result = Engine().analyse(board, depth=5)
    assert (result["best"], result["mate"], result["score_cp"]) == ("a1a8", 1, None)
    assert result["wdl"] == (1000, 0, 0)
    # Black is mated next move whatever it does.
    lost = Board("7k/8/5K1Q/8/8/8/8/8 b - - 0 1")
    result = Engine().analyse(lost, depth=5)
    assert result["mate"] == -1


def test_a_finished_game_has_no_best_move():
    mated = Board("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    result = Engine().analyse(mated, depth=3)
    assert (result["best"], result["pv"], result["mate"]) == (None, [], 0)
    assert result["wdl"] == (0, 0, 1000)
    stalemate = Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    result = Engine().analyse(stalemate, depth=3)
    assert (result["best"], result["score_cp"], result["wdl"]) == (None, 0, (0, 1000, 0))


def test_multipv():
    board = Board()
    result = Engine().analyse(board, depth=5, multipv=3)
    check(board, result)
    assert [line["multipv"] for line in result["lines"]] == [1, 2, 3]
    assert len({line["pv"][0] for line in result["lines"]}) == 3
    scores = [line["score_cp"] for line in result["lines"]]
    assert scores == sorted(scores, reverse=True)


def test_root_moves_restrict_the_search():
    engine, board = Engine(), Board()
    result = engine.analyse(board, depth=4, multipv=5, moves=["e4"], root_moves=["a6", "h7h5"])
    assert {line["pv"][0] for line in result["lines"]} == {"a7a6", "h7h5"}
    for result in engine.stream(board, depth=3, root_moves=[chess.Move.from_uci("a2a3")]):
        assert result["best"] == "a2a3"
    with pytest.raises(IllegalMove):
        engine.analyse(board, depth=1, root_moves=["e5"])
    with pytest.raises(TypeError):
        engine.analyse(board, depth=1, root_moves=[3])


def test_moves_are_played_first_and_repetitions_count():
    engine, board = Engine(), Board()
    result = engine.analyse(board, depth=4, moves=["e4", "e7e5"])
    check(board.make("e4").make("e5"), result)
    with pytest.raises(IllegalMove):
        engine.analyse(board, depth=4, moves=["e4", "e4"])
    moves = "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1".split()
    result = engine.analyse(board, depth=3, multipv=50, moves=moves)
    (line,) = [line for line in result["lines"] if line["pv"][0] == "f6g8"]
    assert (line["score_cp"], line["pv"]) == (0, ["f6g8"]), "the third repetition"


def test_a_stream_yields_each_iteration_and_the_result():
    board = Board()
    results = list(Engine().stream(board, depth=6))
    for result in results:
        check(board, result)
    assert [result["depth"] for result in results] == [1, 2, 3, 4, 5, 6, 6]
    assert [result["done"] for result in results] == [False] * 6 + [True]
    nodes = [result["nodes"] for result in results]
    assert nodes == sorted(nodes)


def test_a_stream_without_limits_ends_with_stop():
    engine, board = Engine(), Board()
    for result in engine.stream(board):
        if result["depth"] == 5:
            engine.stop()
    check(board, result)
    # A deleted stream ends its search.
    next(engine.stream(board))
    check(board, engine.analyse(board, depth=3))


def test_a_stream_keeps_its_engine_and_a_deleted_engine_stops():
    code = """
from saavedra import Board, Engine

for result in Engine().stream(Board()):
    if result["depth"] == 3:
        break
engine = Engine()
stream = engine.stream(Board())
first = next(stream)
del engine
assert next(stream)["depth"] > first["depth"]
"""
    # In a process of its own, which can be ended should it hang.
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_engines_search_at_the_same_time_and_python_goes_on():
    board = Board()
    first, second = Engine(), Engine()
    results = []
    running = threading.Event()

    def analyse_for_ever():
        for result in first.stream(board):
            results.append(result)
            running.set()

    thread = threading.Thread(target=analyse_for_ever)
    thread.start()
    running.wait()
    # The other engine searches to its limit while the first one is running.
    check(board, second.analyse(board, depth=8))
    assert thread.is_alive()
    first.stop()
    thread.join()
    check(board, results[-1])


def test_a_waiting_analysis_is_stopped_from_another_thread():
    engine, board = Engine(), Board()
    results = []
    thread = threading.Thread(
        target=lambda: results.append(engine.analyse(board, depth=200))
    )
    thread.start()
    while thread.is_alive():
        engine.stop()
        thread.join(0.01)
    check(board, results[0])


def test_options():
    board = Board()
    engine = Engine(hash=4, threads=2, UCI_ShowWDL=True, Move_Overhead=50, Contempt=10)
    check(board, engine.analyse(board, nodes=2000))
    engine.set_option("Hash", 8)
    engine.set_option("Skill_Level", 3)
    check(board, engine.analyse(board, nodes=2000))
    engine.new_game()
    for name, value in [("Hash", 0), ("NoSuchOption", 1), ("SyzygyPath", "/no/such/path")]:
        with pytest.raises(ValueError):
            engine.set_option(name, value)
    for options in [{"hash": 0}, {"hash": -1}, {"threads": 0}, {"NoSuchOption": 1}]:
        with pytest.raises(ValueError):
            Engine(**options)


def test_chess960_castling_in_results():
    fen = "4k3/8/8/8/8/8/5PPP/4K2R w K - 0 1"
    for chess960, castling in [(False, "e1g1"), (True, "e1h1")]:
        board = Board(fen, chess960=chess960)
        result = Engine().analyse(board, depth=2, multipv=30)
        assert castling in {line["pv"][0] for line in result["lines"]}
        check(board, result)


def test_boards_and_moves_of_python_chess():
    engine, board = Engine(), chess.Board()
    for move in "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1".split():
        board.push_san(move)
    result = engine.analyse(board, depth=3, multipv=50)
    (line,) = [line for line in result["lines"] if line["pv"][0] == "f6g8"]
    assert (line["score_cp"], line["pv"]) == (0, ["f6g8"]), "the third repetition"
    start = chess.Board()
    moves = [chess.Move.from_uci("e2e4"), "c5"]
    check(Board().make("e4").make("c5"), engine.analyse(start, depth=4, moves=moves))
    start.push(chess.Move.null())
    result = engine.analyse(start, depth=4)
    check(Board(start), result)
    assert chess.Move.from_uci(result["best"]) in start.legal_moves
    with pytest.raises(TypeError, match="python-chess"):
        engine.analyse("startpos", depth=1)
