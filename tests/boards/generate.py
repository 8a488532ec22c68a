#!/usr/bin/env python3
"""Writes the pages of this folder, index.html and cases.rs from table.py.

    python3 tests/boards/generate.py

What is expected comes from the table (by hand) and from python-chess (`pip install chess`), never
from Saavedra. A row whose hand-written part python-chess does not confirm is an error.
"""

import html
import pathlib
import re

import chess

import table

HERE = pathlib.Path(__file__).parent
SYMBOLS = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟"))
TEXT_FORM = "\ufe0e"  # keeps ♟ from being drawn as an emoji
COLORS = {"white": chess.WHITE, "black": chess.BLACK}
FLIP = str.maketrans("12345678", "87654321")

STYLE = """
:root { color-scheme: light dark; --ink: #1d2530; --paper: #fbfaf7; --faint: #5d6672;
  --light: #f0e3c8; --dark: #c49a6c; --mark: #14603c; --bad: #a3121f; --warn: #1f4fa8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e6e1; --paper: #16191d; --faint: #a5adb8; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.4rem; line-height: 1.25; margin: .5rem 0; }
a { color: inherit; }
table { border-collapse: collapse; margin: 1rem 0; table-layout: fixed; width: min(100%, 30rem); }
caption { text-align: left; color: var(--faint); padding-bottom: .25rem; }
th { font-weight: normal; font-size: .8rem; color: var(--faint); width: 1.4rem; }
thead th:not(:first-child) { width: auto; }
h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem; }
ul { padding-left: 1.25rem; }
td { position: relative; height: min(10.6vw, 3.5rem); padding: 0; text-align: center; color: #111; background: var(--light);
  font: min(10.5vw, 2.9rem)/1 "Noto Sans Symbols 2", "Segoe UI Symbol", "DejaVu Sans", sans-serif;
  font-variant-emoji: text; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
tr:nth-child(odd) td:nth-child(odd), tr:nth-child(even) td:nth-child(even) { background: var(--dark); }
td[data-expect]::after { content: ""; position: absolute; inset: 4%; border: .2rem solid var(--mark); }
td[data-expect=move]::after { inset: 34%; border: 0; border-radius: 50%; background: var(--mark); }
td[data-expect=capture]::after { border-radius: 50%; }
td[data-expect=refused]::after { content: "✕"; inset: 0; border: 0; color: var(--bad); font-size: 80%; line-height: 1.3; }
td[data-expect=target]::after { border: .2rem dashed var(--warn); }
td[data-expect=attacker]::after { border-color: var(--bad); border-style: double; }
code { overflow-wrap: anywhere; }
"""

LEGEND = {
    "from": "framed: the piece that moves",
    "move": "dot: it goes there",
    "capture": "ring: it captures there",
    "refused": "cross: it may not go there",
    "target": "dashed frame: the square in question",
    "attacker": "double frame: what attacks it",
}


def is_chess960(fen):
    """Castling fields with the rooks' files (Shredder-FEN) mark Chess960."""
    return bool(set(fen.split()[2]) - set("KQkq-"))


def fen_of(board):
    """FEN with the en passant square only where en passant is legal."""
    return board.fen(en_passant="legal")


def mirrored(row):
    """The row with the colours swapped and the board turned over."""
    board = chess.Board(row["fen"], chess960=is_chess960(row["fen"])).mirror()
    turned = dict(row, fen=board.fen(shredder=board.chess960, en_passant="fen"))
    for key in ("square", "move"):
        if key in row:
            turned[key] = row[key].translate(FLIP)
    for key in ("has", "lacks"):
        if key in row:
            turned[key] = [move.translate(FLIP) for move in row[key]]
    if "color" in row:
        turned["color"] = {"white": "black", "black": "white"}[row["color"]]
    return turned


def worded(row, us, them):
    """The row with the colours' names in its texts, and squares turned over for black."""
    names = dict(us=us, them=them, Us=us.capitalize(), Them=them.capitalize())
    row = dict(row)
    for key in ("name", "title", "guards"):
        row[key] = row[key].format(**names)
    if us == "black":
        for key in ("title", "guards"):
            row[key] = re.sub(r"\b[a-h][1-8]\b", lambda m: m[0].translate(FLIP), row[key])
        row = mirrored(row)
    return row


def require(condition, row, message):
    """Refuses a row that does not hold."""
    if not condition:
        raise SystemExit(f"{row['name']}: {message} ({row['fen']})")


def castling_way(board, row):
    """What castling by this move needs: the right, passed squares, target, squares to be empty."""
    move = chess.Move.from_uci(row["move"])
    king, to = move.from_square, move.to_square
    rank = chess.square_rank(king) * 8
    own_rook = board.piece_at(to) == chess.Piece(chess.ROOK, board.turn)
    queenside = to < king
    if own_rook:
        rook = to
    else:
        rook = rank if queenside else rank + 7
    target, rook_target = (rank + 2, rank + 3) if queenside else (rank + 6, rank + 5)
    span = lambda a, b: range(min(a, b), max(a, b) + 1)
    needed = (set(span(king, target)) | set(span(rook, rook_target))) - {king, rook}
    return dict(
        right=bool(board.castling_rights & chess.BB_SQUARES[rook]),
        passed=set(span(king, target)) - {king, target},
        target=target,
        rook=rook,
        blocked=any(board.piece_at(square) for square in needed),
    )


def castling_reason(board, row):
    """Why castling is refused, from the rules as the Laws of Chess state them."""
    way = castling_way(board, row)
    without = board.copy()
    without.remove_piece_at(way["rook"])
    guarded = lambda squares: any(without.is_attacked_by(not board.turn, s) for s in squares)
    if not way["right"]:
        return "CastlingRightLost"
    if way["blocked"]:
        return "CastlingBlocked"
    if board.is_check():
        return "CastlingOutOfCheck"
    if any(board.is_attacked_by(not board.turn, square) for square in way["passed"]):
        return "CastlingThroughCheck"
    return "CastlingIntoCheck" if guarded([way["target"]]) else None


def expect_moves(board, row):
    """Attributes, marks and words for the moves of one piece."""
    square = chess.parse_square(row["square"])
    found = [move for move in board.legal_moves if move.from_square == square]
    texts = sorted(board.uci(move) for move in found)
    require(set(row["has"]) <= set(texts), row, f"lacks {set(row['has']) - set(texts)}")
    require(not set(row["lacks"]) & set(texts), row, f"has {set(row['lacks']) & set(texts)}")
    require(row["count"] in (None, len(texts)), row, f"{len(texts)} moves: {texts}")
    marks = {}
    for move in found:
        to = move.to_square
        if board.is_castling(move):
            to = chess.parse_square(board.uci(move)[2:4])
        captures = board.is_capture(move) and not board.is_castling(move)
        marks[to] = "capture" if captures else "move"
    for text in row["lacks"]:
        marks.setdefault(chess.parse_square(text[2:4]), "refused")
    marks[square] = "from"
    words = f"Moves from {row['square']}: {' '.join(texts) or 'none'}."
    return {"from": row["square"], "expected": " ".join(texts)}, marks, words


def expect_legal(board, row):
    """A move that is legal."""
    move = board.parse_uci(row["move"])
    from_square, to = (chess.parse_square(row["move"][i : i + 2]) for i in (0, 2))
    marks = {to: "capture" if board.is_capture(move) else "move", from_square: "from"}
    return {"move": row["move"], "expected": "legal"}, marks, f"{row['move']} is legal."


def expect_refused(board, row):
    """A move that is refused, and why."""
    require(chess.Move.from_uci(row["move"]) not in board.legal_moves, row, "the move is legal")
    try:
        board.parse_uci(row["move"])
    except (chess.IllegalMoveError, chess.InvalidMoveError):
        pass
    else:
        require(False, row, "the move is legal")
    if row["reason"].startswith("Castling"):
        found = castling_reason(board, row)
        require(found == row["reason"], row, f"the reason is {found}")
    if row["reason"] == "LeavesKingInCheck":
        move = chess.Move.from_uci(row["move"])
        require(move in board.pseudo_legal_moves, row, "the move is not even pseudo-legal")
    from_square, to = (chess.parse_square(row["move"][i : i + 2]) for i in (0, 2))
    words = f"{row['move']} is refused: {row['reason']}."
    return {"move": row["move"], "expected": row["reason"]}, {to: "refused", from_square: "from"}, words


def expect_attacks(board, row):
    """Whether a colour attacks a square, and from where."""
    square = chess.parse_square(row["square"])
    by = board.attackers(COLORS[row["color"]], square)
    require(bool(by) == (row["answer"] == "yes"), row, f"attackers: {by}")
    names = " ".join(chess.square_name(s) for s in by)
    marks = {s: "attacker" for s in by} | {square: "target"}
    words = f"{row['color'].capitalize()} attacks {row['square']}: {row['answer']}"
    words += f", from {names}." if names else "."
    attributes = dict(color=row["color"], square=row["square"], expected=row["answer"], by=names)
    return attributes, marks, words


def expect_check(board, row):
    """Whether the king of a colour is in check, and by what."""
    color = COLORS[row["color"]]
    king = board.king(color)
    by = board.attackers(not color, king)
    require(bool(by) == (row["answer"] == "yes"), row, f"checkers: {by}")
    names = " ".join(chess.square_name(s) for s in by)
    words = f"The {row['color']} king is in check: {row['answer']}"
    words += f", by {names}." if names else "."
    marks = {s: "attacker" for s in by} | {king: "target"}
    return dict(color=row["color"], expected=row["answer"], by=names), marks, words


def status_of(board):
    """The status words of the program, from python-chess."""
    if board.is_checkmate():
        return "checkmate"
    if board.is_stalemate():
        return "stalemate"
    return "insufficient_material" if board.is_insufficient_material() else "ongoing"


def expect_status(board, row):
    """How the game stands."""
    require(status_of(board) == row["answer"], row, f"the status is {status_of(board)}")
    king = board.king(board.turn)
    marks = {s: "attacker" for s in board.attackers(not board.turn, king)} | {king: "target"}
    return {"expected": row["answer"]}, marks, f"Status: {row['answer'].replace('_', ' ')}."


def expect_make(board, row):
    """The board after a move."""
    _, marks, _ = expect_legal(board, row)
    after = board.copy()
    after.push_uci(row["move"])
    words = f"After {row['move']} the board is {fen_of(after)}, and the parent is as it was."
    return {"move": row["move"], "expected": fen_of(after)}, marks, words


KINDS = {
    "moves-from": expect_moves,
    "legal": expect_legal,
    "refused": expect_refused,
    "attacks": expect_attacks,
    "in-check": expect_check,
    "status": expect_status,
    "make": expect_make,
}


def squares(board, marks):
    """The rows of the table, the eighth rank first."""
    lines = []
    for rank in reversed(range(8)):
        cells = []
        for file in range(8):
            square = chess.square(file, rank)
            piece = board.piece_at(square)
            symbol = SYMBOLS[piece.symbol()] if piece else ""
            symbol += TEXT_FORM if symbol == "♟" else ""
            mark = f' data-expect="{marks[square]}"' if square in marks else ""
            cells.append(
                f'<td data-col="{"abcdefgh"[file]}" data-row="{rank + 1}"{mark}>{symbol}</td>'
            )
        lines += [f'<tr><th scope="row">{rank + 1}</th>', *cells, "</tr>"]
    return "\n".join(lines)


def head(title):
    """The beginning of every page."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
<main>
"""


def page(row):
    """The whole page of a row."""
    fen = row["fen"]
    board = chess.Board(fen, chess960=is_chess960(fen))
    # A page says nothing about counters.
    board.halfmove_clock, board.fullmove_number = 0, 1
    require(board.is_valid(), row, f"no valid position: {board.status()!r}")
    attributes, marks, words = KINDS[row["kind"]](board, row)
    turn = "white" if board.turn else "black"
    data = dict(turn=turn, castling=fen.split()[2], ep=fen.split()[3], fen=fen_of(board))
    data |= dict(test=row["kind"]) | attributes
    text = "".join(f'\n data-{key}="{html.escape(value)}"' for key, value in data.items())
    used = [meaning for mark, meaning in LEGEND.items() if mark in marks.values()]
    files = "".join(f'<th scope="col">{file}</th>' for file in "abcdefgh")
    guards = html.escape(row["guards"], quote=False)
    return f"""{head(row["title"])}<nav><a href="index.html">All boards</a></nav>
<h1>{html.escape(row["title"], quote=False)}</h1>
<p>{guards}</p>
<table{text}>
<caption>{turn.capitalize()} to move.</caption>
<thead><tr><th></th>{files}</tr></thead>
<tbody>
{squares(board, marks)}
</tbody>
</table>
<p><strong>Expected.</strong> {html.escape(words, quote=False)}</p>
<p><small>{"; ".join(used).capitalize()}.</small></p>
<p><small>FEN: <code>{fen_of(board)}</code></small></p>
</main>
</body>
</html>
"""


def index(rows):
    """The page that lists all others, by chapter."""
    parts = [head("Boards that test the rules")]
    parts.append("<h1>Boards that test the rules</h1>\n")
    parts.append(
        f"<p>{len(rows)} boards. Each page shows a position and what the rules say about it; "
        "a test of the same name asks Saavedra.</p>\n"
    )
    for chapter in dict.fromkeys(row["chapter"] for row in rows):
        parts.append(f"<h2>{chapter}</h2>\n<ul>\n")
        for row in rows:
            if row["chapter"] == chapter:
                title, guards = (html.escape(row[key], quote=False) for key in ("title", "guards"))
                parts.append(f'<li><a href="{row["name"]}.html">{title}</a>. {guards}</li>\n')
        parts.append("</ul>\n")
    parts.append("</main>\n</body>\n</html>\n")
    return "".join(parts)


def cases(rows):
    """The list of tests, for tests/boards.rs."""
    lines = [f'    {row["name"].replace("-", "_")} => "{row["name"]}.html",\n' for row in rows]
    return (
        "// Written by generate.py: a test for each page.\nboards! {\n" + "".join(lines) + "}\n"
    )


def main():
    rows = []
    for row in table.ROWS:
        rows.append(worded(row, "white", "black"))
        if not row["once"]:
            rows.append(worded(row, "black", "white"))
    names = [row["name"] for row in rows]
    for key in ("name", "title"):
        values = [row[key] for row in rows]
        twice = {value for value in values if values.count(value) > 1}
        if twice:
            raise SystemExit(f"used twice: {twice}")
    pages = {f"{row['name']}.html": page(row) for row in rows}
    pages["index.html"] = index(rows)
    for old in HERE.glob("*.html"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        (HERE / name).write_text(text, encoding="utf-8")
    (HERE / "cases.rs").write_text(cases(rows), encoding="utf-8")
    print(f"{len(names)} boards")


if __name__ == "__main__":
    main()
