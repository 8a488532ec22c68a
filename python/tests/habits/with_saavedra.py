"""Reviews the games of a PGN file: blunders, best lines, an annotated copy."""

import asyncio
import io
import sys

import chess
import chess.engine
import chess.pgn
from saavedra.chess_engine import SimpleEngine

LIMIT = chess.engine.Limit(depth=6)
MATE_SCORE = 10000


def describe(score: chess.engine.PovScore) -> str:
    white = score.white()
    if white.is_mate():
        return f"mate in {white.mate()}"
    return "level" if abs(white.score()) < 50 else "white" if white > chess.engine.Cp(0) else "black"


def show_board(board: chess.Board) -> None:
    print("fen", board.fen())
    print("turn", "white" if board.turn == chess.WHITE else "black", board.fullmove_number)
    print("moves", board.legal_moves.count(), sorted(move.uci() for move in board.legal_moves)[:3])
    print("check", board.is_check(), board.is_checkmate(), board.is_stalemate(), board.is_game_over())
    print("castling", board.has_kingside_castling_rights(chess.WHITE), board.castling_rights == 0)
    king = board.king(board.turn)
    print("king", chess.square_name(king), board.piece_at(king).symbol())
    for square in (chess.E4, chess.E8):
        piece = board.piece_at(square)
        if piece is None:
            print(chess.square_name(square), "empty")
        else:
            print(chess.square_name(square), piece.symbol(), piece.piece_type == chess.KING, piece.color == chess.WHITE)


def play_some(engine: SimpleEngine) -> None:
    board = chess.Board()
    while not board.is_game_over() and len(board.move_stack) < 4:
        result = engine.play(board, chess.engine.Limit(nodes=500))
        assert result.move in board.legal_moves
        board.push(result.move)
    print("played", len(board.move_stack), board.ply())
    board.pop()
    print("popped", len(board.move_stack))
    board.push_san("a5") if board.turn == chess.BLACK else board.push_san("h4")
    print("pushed", board.peek().uci())


def look_at(engine: SimpleEngine) -> None:
    board = chess.Board("6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1")
    info = engine.analyse(board, LIMIT)
    print("score", describe(info["score"]), info["score"].relative.mate(), info["score"].pov(chess.BLACK).mate())
    print("number", info["score"].white().score(mate_score=MATE_SCORE) > 9000)
    print("best", board.san(info["pv"][0]), info["pv"][0].uci(), info["depth"] >= 1, info["nodes"] > 0)
    print("line", board.variation_san(info["pv"][:1]))
    board = chess.Board()
    infos = engine.analyse(board, LIMIT, multipv=3)
    print("multipv", len(infos), [info["multipv"] for info in infos])
    print("ordered", infos[0]["score"].relative >= infos[2]["score"].relative)
    result = engine.play(board, chess.engine.Limit(time=0.05))
    print("timed", result.move in board.legal_moves)
    deepest = 0
    with engine.analysis(board, chess.engine.Limit(depth=5)) as analysis:
        for info in analysis:
            if "depth" in info and "pv" in info:
                deepest = max(deepest, info["depth"])
    print("stream", deepest, analysis.wait().move in board.legal_moves)


def annotate(engine: SimpleEngine, game: chess.pgn.Game) -> None:
    board = game.board()
    node = game
    for move in game.mainline_moves():
        san = board.san(move)
        capture, castles = board.is_capture(move), board.is_castling(move)
        board.push(move)
        node = node.variation(0)
        if board.is_game_over():
            node.comment = "the end"
            break
        info = engine.analyse(board, LIMIT)
        if capture or castles:
            node.comment = f"{san}: {'takes' if capture else 'castles'}"
        if "pv" not in info:
            node.comment = "no line"
    print("final", board.fen())
    outcome = board.outcome()
    if outcome is not None:
        print("outcome", outcome.termination.name, outcome.result(), outcome.winner)


def review(engine: SimpleEngine, path: str, out: str) -> None:
    with open(path) as pgn, open(out, "w") as annotated:
        while True:
            game = chess.pgn.read_game(pgn)
            if game is None:
                break
            print("game", game.headers["White"], game.headers["Black"], game.headers.get("Result"))
            print("plies", sum(1 for _ in game.mainline()), game.end().board().fullmove_number)
            annotate(engine, game)
            print(game, file=annotated, end="\n\n")
    again = chess.pgn.read_game(io.StringIO(open(out).read()))
    print("comments", [node.comment for node in again.mainline() if node.comment])


async def concurrently(command: str) -> None:
    engine = SimpleEngine()
    board = chess.Board("8/8/8/8/8/5k2/4q3/7K b - - 0 1")
    info = await asyncio.to_thread(engine.analyse, board, chess.engine.Limit(depth=4))
    print("async", describe(info["score"]))
    result = await asyncio.to_thread(engine.play, board, chess.engine.Limit(depth=4))
    board.push(result.move)
    print("async end", board.is_checkmate(), board.result())
    engine.quit()


def main() -> None:
    command, path, out = sys.argv[1:]
    with SimpleEngine() as engine:
        engine.configure({"Hash": 16, "Threads": 1})
        print("engine", engine.id["name"].split()[0])
        show_board(chess.Board())
        play_some(engine)
        look_at(engine)
        review(engine, path, out)
    try:
        chess.Board("not a position")
    except ValueError as error:
        print("error", type(error).__name__)
    try:
        chess.Board().parse_san("Qh5")
    except chess.IllegalMoveError:
        print("illegal move")
    asyncio.run(concurrently(command))


if __name__ == "__main__":
    main()
