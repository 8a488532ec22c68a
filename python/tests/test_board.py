import pickle
import subprocess
import sys

import chess
import chess.variant
import pytest
import saavedra
from saavedra import Board, IllegalMove

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
CHESS960 = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"


def test_a_move_makes_a_new_board():
    start = Board()
    after = start.make("e2e4")
    assert start.fen() == chess.STARTING_FEN
    assert start.turn == "white" and after.turn == "black"
    assert after == start.make("e4") != start
    assert len({start, after, start.make("e4")}) == 2


def test_boards_are_read_from_fen_and_refused_with_the_reason():
    assert Board("startpos") == Board()
    board = Board(KIWIPETE)
    assert board.fen() == KIWIPETE
    assert eval(repr(board)) == board
    assert pickle.loads(pickle.dumps(board)) == board
    with pytest.raises(ValueError, match="king"):
        Board("8/8/8/8/8/8/8/8 w - - 0 1")


@pytest.mark.parametrize("fen", [chess.STARTING_FEN, KIWIPETE])
def test_moves_and_san_agree_with_python_chess(fen):
    ours, theirs = Board(fen), chess.Board(fen)
    for _ in range(60):
        moves = sorted(move.uci() for move in theirs.legal_moves)
        assert sorted(ours.legal_moves()) == moves
        for move in theirs.legal_moves:
            san = theirs.san(move)
            assert ours.san(move.uci()) == san
            assert ours.uci(san) == move.uci()
        assert ours.is_check() == theirs.is_check()
        assert ours.turn == ("white" if theirs.turn else "black")
        assert ours.fullmove_number == theirs.fullmove_number
        assert ours.halfmove_clock == theirs.halfmove_clock
        for move in theirs.legal_moves:
            text = move.uci()
            assert ours.is_capture(text) == theirs.is_capture(move)
            assert ours.is_castling(text) == theirs.is_castling(move)
            assert ours.gives_check(text) == theirs.gives_check(move)
        if theirs.is_game_over(claim_draw=False):
            break
        move = moves[theirs.ply() * 7 % len(moves)]
        ours = ours.make(move)
        theirs.push_uci(move)
        assert chess.Board(ours.fen()) == theirs


def test_illegal_moves_say_why():
    for text in ["e2e5", "Nf6", "nonsense", "", "e1g1"]:
        with pytest.raises(IllegalMove) as error:
            Board().make(text)
        assert isinstance(error.value, ValueError)
        assert "illegal move" in str(error.value), text
    with pytest.raises(IllegalMove, match="cannot move there"):
        Board().san("e2e5")


def test_castling_is_written_as_the_flag_says():
    assert "e1g1" in Board(KIWIPETE).legal_moves()
    board = Board(KIWIPETE, chess960=True)
    assert "e1h1" in board.legal_moves() and "e1g1" not in board.legal_moves()
    assert board.make("e1h1") == board.make("O-O")
    assert Board(CHESS960).chess960


@pytest.mark.parametrize(
    ("fen", "status"),
    [
        (chess.STARTING_FEN, "ongoing"),
        ("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3", "checkmate"),
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate"),
        ("8/8/4k3/8/8/3NK3/8/8 w - - 0 1", "insufficient_material"),
        ("7k/8/5K2/8/8/8/8/R7 w - - 100 80", "fifty_moves"),
    ],
)
def test_status(fen, status):
    board = Board(fen)
    assert board.status == status
    assert board.is_game_over() == (status != "ongoing")
    assert board.is_checkmate() == (status == "checkmate")
    assert board.is_stalemate() == (status == "stalemate")
    # Its claim makes the draw by fifty moves for python-chess.
    assert board.result() == chess.Board(fen).result(claim_draw=True)


def test_a_line_is_written_in_san_with_numbers():
    line = ["e2e4", "e7e5", "g1f3"]
    board = chess.Board()
    for start in range(3):
        ours = Board(board)
        moves = [chess.Move.from_uci(move) for move in line[start:]]
        assert ours.variation_san(line[start:]) == board.variation_san(moves)
        board.push(moves[0])
    assert Board().variation_san([]) == ""
    assert Board().variation_san(["e4", "e5"]) == "1. e4 e5"
    with pytest.raises(IllegalMove):
        Board().variation_san(["e4", "e4"])


def test_boards_are_drawn():
    svg = Board()._repr_svg_()
    assert svg.startswith("<svg") and svg.rstrip().endswith("</svg>")
    assert len(str(Board()).splitlines()) >= 8


def test_perft():
    assert saavedra.perft(Board(), 4) == 197_281
    assert saavedra.perft(Board(KIWIPETE), 3) == 97_862
    assert saavedra.perft(Board(CHESS960), 3) == 12_189
    assert saavedra.perft(Board(), 0) == 1
    for depth in (10_000, -1, 2**70):
        with pytest.raises(ValueError, match="depth"):
            saavedra.perft(Board(), depth)
    with pytest.raises(TypeError):
        saavedra.perft(Board(), "3")


def test_an_interrupt_ends_perft():
    code = """
import _thread
import signal
import threading
from saavedra import Board, perft

# A process that a shell has started in the background ignores interrupts.
signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    threading.Timer(0.1, _thread.interrupt_main).start()
    perft(Board(), 20)
except KeyboardInterrupt:
    print("interrupted")
"""
    # In a process of its own, which can be ended should it hang.
    command = [sys.executable, "-c", code]
    result = subprocess.run(command, capture_output=True, check=True, text=True, timeout=60)
    assert result.stdout == "interrupted\n"


def test_evaluation_is_from_the_side_to_move():
    white_up = Board("4k3/8/8/8/8/8/PPPP4/4KQ2 w - - 0 1")
    black_to_move = Board("4k3/8/8/8/8/8/PPPP4/4KQ2 b - - 0 1")
    assert saavedra.evaluate(white_up) > 300
    assert saavedra.evaluate(black_to_move) < -300


def test_pieces_on_squares():
    board = Board("r3k2r/8/8/8/8/8/P7/4K2R b Kq - 3 7")
    assert [board.piece_at(square) for square in ["a8", 56, "a2", 8, "d4", 63]] == list("rrPP") + [
        None,
        "r",
    ]
    assert board.pieces() == {"e1": "K", "h1": "R", "a2": "P", "a8": "r", "e8": "k", "h8": "r"}
    assert (board.castling_rights, Board(board.fen().replace("Kq", "-")).castling_rights) == ("Kq", "-")
    for square in ["i9", "", 64, -1, 2**70]:
        with pytest.raises(ValueError, match="not a square"):
            board.piece_at(square)


def test_a_board_is_an_iterable_of_its_moves():
    board = Board()
    assert list(board) == board.legal_moves()
    assert "e2e4" in board and "e2e5" not in board


def test_boards_of_python_chess():
    board = chess.Board()
    for move in ["e4", "c5", "Nf3"]:
        board.push_san(move)
    assert Board(board).fen() == board.fen()
    assert Board(board).to_chess() == chess.Board(board.fen())
    shuffled = chess.Board.from_chess960_pos(700)
    assert Board(shuffled).chess960
    assert Board(shuffled).to_chess() == shuffled
    board.push_san("d6")
    assert saavedra.perft(board, 2) == saavedra.perft(Board(board), 2)
    assert saavedra.evaluate(board) == saavedra.evaluate(Board(board))
    with pytest.raises(ValueError, match="atomic is not supported"):
        Board(chess.variant.AtomicBoard())


def test_moves_of_python_chess():
    theirs = chess.Board(KIWIPETE)
    ours = Board(theirs)
    for move in theirs.legal_moves:
        assert ours.make(move) == ours.make(move.uci())
        assert (ours.san(move), ours.uci(move)) == (theirs.san(move), move.uci())
        assert ours.is_capture(move) == theirs.is_capture(move)
        assert ours.is_castling(move) == theirs.is_castling(move)
        assert ours.gives_check(move) == theirs.gives_check(move)
        assert ours.variation_san([move]) == theirs.variation_san([move])
    with pytest.raises(IllegalMove):
        ours.make(chess.Move.null())
    for wrong in (3, None, ours):
        with pytest.raises(TypeError, match="a move is a text"):
            ours.make(wrong)
