"""What the pages in this folder guard: one row, one page (or two, one for each colour).

Rows are written for white. Unless `once` is given, generate.py makes a second page with the
colours swapped and the board turned over; `{us}` and `{them}` are the colours' names, and squares
in the texts are turned over with the board. A row says by hand what it needs to guard its rule
(`has`, `lacks`, a reason, yes or no, a status); generate.py computes the full answer with
python-chess and refuses a row that does not hold. Nothing here comes from Saavedra itself.
"""

ROWS = []


def row(chapter, name, title, guards, fen, kind, once=False, **details):
    """Adds a row; `details` are what its kind needs."""
    ROWS.append(
        dict(chapter=chapter, name=name, title=title, guards=guards, fen=fen, kind=kind, once=once)
        | details
    )


def moves(chapter, name, title, guards, fen, square, has="", lacks="", count=None, once=False):
    """All legal moves of the piece on a square."""
    row(chapter, name, title, guards, fen, "moves-from", once,
        square=square, has=has.split(), lacks=lacks.split(), count=count)  # fmt: skip


def legal(chapter, name, title, guards, fen, move, once=False):
    """A move that is legal."""
    row(chapter, name, title, guards, fen, "legal", once, move=move)


def refused(chapter, name, title, guards, fen, move, reason, once=False):
    """A move that is refused, for this reason."""
    row(chapter, name, title, guards, fen, "refused", once, move=move, reason=reason)


def attacks(chapter, name, title, guards, fen, square, answer, color="white", once=False):
    """Whether a colour attacks a square."""
    row(chapter, name, title, guards, fen, "attacks", once, square=square, answer=answer, color=color)


def check(chapter, name, title, guards, fen, answer, color="white", once=False):
    """Whether the king of a colour is in check."""
    row(chapter, name, title, guards, fen, "in-check", once, answer=answer, color=color)


def status(chapter, name, title, guards, fen, answer, once=False):
    """How the game stands."""
    row(chapter, name, title, guards, fen, "status", once, answer=answer)


def make(chapter, name, title, guards, fen, move, once=False):
    """The board after a move; the parent stays as it was."""
    row(chapter, name, title, guards, fen, "make", once, move=move)


# --- Knight, bishop, rook, queen, king -----------------------------------------------------------

PIECES = "Pieces"
OWN_RING = "4k3/8/8/2PPP3/2P{}P3/2PPP3/8/7K w - - 0 1"

moves(PIECES, "{us}-knight-open", "{Us} knight in the open",
      "A knight in the open has eight moves.",
      "4k3/8/8/8/3N4/8/8/4K3 w - - 0 1", "d4", count=8)
moves(PIECES, "{us}-knight-edge", "{Us} knight on the edge",
      "A knight on the edge has four moves and none around the board.",
      "4k3/8/8/8/N7/8/8/4K3 w - - 0 1", "a4", count=4)
moves(PIECES, "{us}-knight-corner", "{Us} knight in the corner",
      "A knight in the corner has two moves.",
      "4k3/8/8/8/8/8/8/N3K3 w - - 0 1", "a1", count=2)
moves(PIECES, "{us}-knight-blocked-by-own-pieces", "{Us} knight among its own",
      "A knight does not capture its own pieces.",
      "4k3/8/2P1P3/1P3P2/3N4/1P3P2/2P1P3/7K w - - 0 1", "d4", count=0)
moves(PIECES, "{us}-knight-captures", "{Us} knight captures",
      "A knight captures on each of its eight squares.",
      "4k3/8/2p1p3/1p3p2/3N4/1p3p2/2p1p3/7K w - - 0 1", "d4", count=8)
moves(PIECES, "{us}-knight-jumps", "{Us} knight jumps",
      "A knight jumps over the pieces around it.",
      OWN_RING.format("N"), "d4", count=8)

moves(PIECES, "{us}-bishop-open", "{Us} bishop in the open",
      "A bishop in the open has thirteen moves.",
      "4k3/8/8/8/3B4/8/8/4K3 w - - 0 1", "d4", count=13)
moves(PIECES, "{us}-bishop-edge", "{Us} bishop on the edge",
      "A bishop on the edge has seven moves and none around the board.",
      "5k2/8/8/8/B7/8/8/6K1 w - - 0 1", "a4", count=7)
moves(PIECES, "{us}-bishop-corner", "{Us} bishop in the corner",
      "A bishop in the corner has the long diagonal.",
      "4k3/8/8/8/8/8/8/B3K3 w - - 0 1", "a1", count=7)
moves(PIECES, "{us}-bishop-blocked-by-own-pieces", "{Us} bishop among its own",
      "A bishop neither captures nor jumps over its own pieces.",
      "4k3/8/8/2P1P3/3B4/2P1P3/8/7K w - - 0 1", "d4", count=0)
moves(PIECES, "{us}-bishop-captures", "{Us} bishop captures",
      "A bishop captures the first enemy piece on each diagonal and goes no further.",
      "4k3/n5n1/1p3p2/8/3B4/8/1p3p2/n6K w - - 0 1", "d4",
      has="d4b6 d4f6 d4b2 d4f2", lacks="d4a7 d4g7 d4a1 d4g1", count=8)

moves(PIECES, "{us}-rook-open", "{Us} rook in the open",
      "A rook in the open has fourteen moves.",
      "4k3/8/8/8/3R4/8/8/4K3 w - - 0 1", "d4", count=14)
moves(PIECES, "{us}-rook-edge", "{Us} rook on the edge",
      "A rook on the edge has fourteen moves too.",
      "4k3/8/8/8/R7/8/8/4K3 w - - 0 1", "a4", count=14)
moves(PIECES, "{us}-rook-corner", "{Us} rook in the corner",
      "A rook in the corner goes as far as its king lets it.",
      "4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "a1", has="a1d1 a1a8", lacks="a1e1 a1f1", count=10)
moves(PIECES, "{us}-rook-blocked-by-own-pieces", "{Us} rook among its own",
      "A rook neither captures nor jumps over its own pieces.",
      "4k3/8/8/3P4/2PRP3/3P4/8/7K w - - 0 1", "d4", count=0)
moves(PIECES, "{us}-rook-captures", "{Us} rook captures",
      "A rook captures the first enemy piece on each line and goes no further.",
      "3n4/4k3/3p4/8/np1R1pn1/8/3p4/3n3K w - - 0 1", "d4",
      has="d4d6 d4b4 d4f4 d4d2", lacks="d4d7 d4a4 d4g4 d4d1", count=8)

moves(PIECES, "{us}-queen-open", "{Us} queen in the open",
      "A queen in the open has twenty-seven moves.",
      "2k5/8/8/8/3Q4/8/8/7K w - - 0 1", "d4", count=27)
moves(PIECES, "{us}-queen-edge", "{Us} queen on the edge",
      "A queen on the edge has twenty-one moves and none around the board.",
      "5k2/8/8/8/Q7/8/8/6K1 w - - 0 1", "a4", count=21)
moves(PIECES, "{us}-queen-corner", "{Us} queen in the corner",
      "A queen in the corner has file, rank and long diagonal.",
      "5k2/8/8/8/8/8/5K2/Q7 w - - 0 1", "a1", count=21)
moves(PIECES, "{us}-queen-blocked-by-own-pieces", "{Us} queen among its own",
      "A queen neither captures nor jumps over its own pieces.",
      OWN_RING.format("Q"), "d4", count=0)
moves(PIECES, "{us}-queen-captures", "{Us} queen captures",
      "A queen captures the first enemy piece on each of her eight lines; she does not jump.",
      "7k/8/1p1p1p2/8/1p1Q1p2/8/1p1p1p2/7K w - - 0 1", "d4",
      has="d4b2 d4b4 d4b6 d4d2 d4d6 d4f2 d4f4 d4f6", lacks="d4e6 d4g7 d4d7", count=16)

moves(PIECES, "{us}-king-open", "{Us} king in the open",
      "A king in the open has eight moves.",
      "7k/8/8/8/3K4/8/8/8 w - - 0 1", "d4", count=8)
moves(PIECES, "{us}-king-edge", "{Us} king on the edge",
      "A king on the edge has five moves and none around the board.",
      "7k/8/8/8/K7/8/8/8 w - - 0 1", "a4", count=5)
moves(PIECES, "{us}-king-corner", "{Us} king in the corner",
      "A king in the corner has three moves.",
      "7k/8/8/8/8/8/8/K7 w - - 0 1", "a1", count=3)
moves(PIECES, "{us}-king-blocked-by-own-pieces", "{Us} king among its own",
      "A king does not capture its own pieces.",
      "7k/8/8/2PPP3/2PKP3/2PPP3/8/8 w - - 0 1", "d4", count=0)
moves(PIECES, "{us}-king-captures", "{Us} king captures",
      "A king captures what is not guarded and leaves what is.",
      "7k/8/2p5/3p4/3Kn3/3b4/8/8 w - - 0 1", "d4", has="d4d3 d4e5", lacks="d4d5 d4e4")
moves(PIECES, "{us}-king-avoids-attacked-squares", "{Us} king between two rooks",
      "A king does not step onto attacked squares.",
      "2r1r2k/8/8/8/3K4/8/8/8 w - - 0 1", "d4", has="d4d3 d4d5", count=2)
moves(PIECES, "{us}-king-keeps-distance-from-king", "{Us} king before the other king",
      "Kings never stand side by side.",
      "8/8/3k4/8/3K4/8/8/8 w - - 0 1", "d4", lacks="d4c5 d4d5 d4e5", count=5)

# --- Pawns ---------------------------------------------------------------------------------------

PAWNS = "Pawns"

moves(PAWNS, "{us}-pawn-single-step", "{Us} pawn, single step",
      "A pawn that has left its home rank steps one square.",
      "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3", has="e3e4", count=1)
moves(PAWNS, "{us}-pawn-double-step", "{Us} pawn, double step",
      "A pawn at home steps one square or two.",
      "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2", has="e2e3 e2e4", count=2)
refused(PAWNS, "{us}-pawn-double-step-only-from-home", "{Us} pawn, no second double step",
        "A pawn that has left its home rank has no double step any more.",
        "4k3/8/8/8/8/4P3/8/4K3 w - - 0 1", "e3e5", "CannotReach")
moves(PAWNS, "{us}-pawn-blocked", "{Us} pawn, blocked",
      "A pawn with a piece before it neither steps onto it nor over it.",
      "4k3/8/8/8/8/4n3/4P3/2K5 w - - 0 1", "e2", lacks="e2e3 e2e4", count=0)
moves(PAWNS, "{us}-pawn-blocked-by-own-piece", "{Us} pawn, blocked by its own",
      "A pawn with its own piece before it neither steps onto it nor over it.",
      "4k3/8/8/8/8/4N3/4P3/2K5 w - - 0 1", "e2", count=0)
moves(PAWNS, "{us}-pawn-double-step-blocked", "{Us} pawn, double step blocked",
      "A piece two squares ahead leaves the single step only.",
      "4k3/8/8/8/4n3/8/4P3/4K3 w - - 0 1", "e2", has="e2e3", lacks="e2e4", count=1)
refused(PAWNS, "{us}-pawn-double-step-over-a-piece-refused", "{Us} pawn, double step over a piece",
        "A double step over a piece is refused because the way is blocked.",
        "4k3/8/8/8/8/4n3/4P3/2K5 w - - 0 1", "e2e4", "Blocked")
refused(PAWNS, "{us}-pawn-double-step-onto-a-piece-refused", "{Us} pawn, double step onto a piece",
        "A double step onto an enemy piece is refused: pawns do not capture straight ahead.",
        "4k3/8/8/8/4n3/8/4P3/4K3 w - - 0 1", "e2e4", "Blocked")
moves(PAWNS, "{us}-pawn-captures-both-sides", "{Us} pawn captures",
      "A pawn captures diagonally to both sides and still steps ahead.",
      "4k3/8/8/3n1n2/4P3/8/8/4K3 w - - 0 1", "e4", has="e4d5 e4f5 e4e5", count=3)
moves(PAWNS, "{us}-pawn-does-not-capture-straight", "{Us} pawn before a piece",
      "A pawn does not capture straight ahead.",
      "4k3/8/8/4n3/4P3/8/8/4K3 w - - 0 1", "e4", count=0)
moves(PAWNS, "{us}-pawn-does-not-capture-its-own", "{Us} pawn beside its own",
      "A pawn does not capture its own pieces.",
      "4k3/8/8/3N1N2/4P3/8/8/4K3 w - - 0 1", "e4", has="e4e5", count=1)
refused(PAWNS, "{us}-pawn-needs-something-to-capture", "{Us} pawn, nothing to capture",
        "A pawn steps diagonally only to capture.",
        "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4d5", "CannotReach")
refused(PAWNS, "{us}-pawn-never-moves-backwards", "{Us} pawn, backwards",
        "A pawn never moves backwards.",
        "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e4e3", "CannotReach")
moves(PAWNS, "{us}-pawn-captures-from-the-a-file", "{Us} pawn on the a-file",
      "A pawn on the a-file captures on the b-file and not around the board.",
      "4k3/7n/8/1n5n/P6n/8/8/4K3 w - - 0 1", "a4", has="a4b5 a4a5", count=2)
moves(PAWNS, "{us}-pawn-captures-from-the-h-file", "{Us} pawn on the h-file",
      "A pawn on the h-file captures on the g-file and not around the board.",
      "4k3/8/n7/n5n1/n6P/8/8/4K3 w - - 0 1", "h4", has="h4g5 h4h5", count=2)

moves(PAWNS, "{us}-pawn-en-passant-left", "{Us} pawn, en passant to the d-file",
      "A pawn that has just stepped past is captured en passant, to the left.",
      "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5", has="e5d6 e5e6", count=2)
moves(PAWNS, "{us}-pawn-en-passant-right", "{Us} pawn, en passant to the f-file",
      "A pawn that has just stepped past is captured en passant, to the right.",
      "4k3/8/8/4Pp2/8/8/8/4K3 w - f6 0 2", "e5", has="e5f6 e5e6", count=2)
moves(PAWNS, "{us}-pawn-en-passant-on-the-edge", "{Us} pawn, en passant on the edge",
      "En passant works on the outer file.",
      "4k3/8/8/pP5P/8/8/8/4K3 w - a6 0 2", "b5", has="b5a6 b5b6", count=2)
moves(PAWNS, "{us}-pawn-en-passant-not-around-the-board", "{Us} pawn, no en passant around the board",
      "A pawn on the other edge does not capture en passant around the board.",
      "4k3/8/8/pP5P/8/8/8/4K3 w - a6 0 2", "h5", has="h5h6", count=1)
moves(PAWNS, "{us}-pawn-no-en-passant-after-the-moment", "{Us} pawn, the moment has passed",
      "Once another move has been made the pawn is not captured en passant any more.",
      "4k3/8/8/3pP3/8/8/8/4K3 w - - 2 3", "e5", has="e5e6", lacks="e5d6", count=1)
refused(PAWNS, "{us}-pawn-en-passant-refused-after-the-moment", "{Us} pawn, en passant too late",
        "En passant too late is refused, with its own reason.",
        "4k3/8/8/3pP3/8/8/8/4K3 w - - 2 3", "e5d6", "EnPassantNotPossible")
moves(PAWNS, "{us}-pawn-en-passant-only-the-pawn-that-moved", "{Us} pawn between two",
      "Only the pawn that has just made its double step is captured en passant.",
      "4k3/8/8/3pPp2/8/8/8/4K3 w - f6 0 3", "e5", has="e5f6 e5e6", lacks="e5d6", count=2)
moves(PAWNS, "{us}-pawn-en-passant-pinned-along-the-rank", "{Us} pawn, en passant and the rank",
      "En passant that takes two pawns off the rank and exposes the king is illegal.",
      "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2", "e5", has="e5e6", lacks="e5d6", count=1)
refused(PAWNS, "{us}-pawn-en-passant-along-the-rank-refused", "{Us} pawn, en passant exposes the king",
        "Where no en passant capture is legal the board keeps no en passant square: it is refused.",
        "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 2", "e5d6", "EnPassantNotPossible")
refused(PAWNS, "{us}-pawn-en-passant-pin-refused", "{Us} pawns, one of them pinned",
        "Of two pawns that could capture en passant the pinned one is refused.",
        "4k3/4r3/8/2PpP3/8/8/8/4K3 w - d6 0 2", "e5d6", "LeavesKingInCheck")
moves(PAWNS, "{us}-pawn-en-passant-rank-still-closed", "{Us} pawn, en passant, rank still closed",
      "En passant stays legal when another piece keeps the rank closed.",
      "8/8/8/K1npP2r/8/8/8/4k3 w - d6 0 2", "e5", has="e5e6 e5d6", count=2)
moves(PAWNS, "{us}-pawn-en-passant-pinned-on-the-diagonal", "{Us} pawn, en passant and the diagonal",
      "En passant that leaves the diagonal of a pin is illegal.",
      "1b2k3/8/8/4Pp2/8/8/7K/8 w - f6 0 2", "e5", count=0)
moves(PAWNS, "{us}-pawn-en-passant-along-the-pin", "{Us} pawn, en passant along the pin",
      "En passant that stays on the diagonal of a pin is legal.",
      "1b2k3/8/8/3pP3/8/8/7K/8 w - d6 0 2", "e5", has="e5d6", count=1)
moves(PAWNS, "{us}-pawn-en-passant-pinned-on-the-file", "{Us} pawn, en passant and the file",
      "En passant that leaves the file of a pin is illegal; stepping ahead is not.",
      "k3r3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5", has="e5e6", lacks="e5d6", count=1)
moves(PAWNS, "{us}-pawn-en-passant-answers-check", "{Us} pawn, en passant in check",
      "En passant captures the pawn that has just given check.",
      "4k3/8/8/3pP3/2K5/8/8/8 w - d6 0 2", "e5", has="e5d6", count=1)

moves(PAWNS, "{us}-pawn-promotes-by-push", "{Us} pawn promotes",
      "A pawn that reaches the last rank becomes queen, rook, bishop or knight.",
      "8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7", has="e7e8q e7e8r e7e8b e7e8n", count=4)
moves(PAWNS, "{us}-pawn-promotes-by-capture", "{Us} pawn promotes by capture",
      "A pawn promotes by push and by capture to both sides, to four pieces each.",
      "3n1n2/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7",
      has="e7e8q e7d8q e7d8n e7f8r e7f8b", count=12)
moves(PAWNS, "{us}-pawn-promotes-only-by-capture", "{Us} pawn promotes past a blocker",
      "A blocked pawn promotes by capture only.",
      "3nb3/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7", has="e7d8q e7d8n", lacks="e7e8q", count=4)
moves(PAWNS, "{us}-pawn-promotes-on-the-a-file", "{Us} pawn promotes on the edge",
      "A pawn on the a-file promotes there and on the b-file, not around the board.",
      "1n5n/P6n/8/8/8/k7/8/4K3 w - - 0 1", "a7", has="a7a8q a7b8q", count=8)
moves(PAWNS, "{us}-pawn-promotion-blocked", "{Us} pawn, promotion blocked",
      "A blocked pawn does not promote.",
      "4n3/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7", count=0)
refused(PAWNS, "{us}-pawn-promotion-piece-missing", "{Us} pawn, promotion piece missing",
        "A step to the last rank without a promotion piece is refused.",
        "8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7e8", "PromotionMissing")
refused(PAWNS, "{us}-pawn-promotion-piece-unexpected", "{Us} pawn, promotion too early",
        "A promotion piece on any other step is refused.",
        "8/8/4P3/8/8/k7/8/4K3 w - - 0 1", "e6e7q", "PromotionWrong")

# --- Castling ------------------------------------------------------------------------------------

CASTLING = "Castling"
SIDES = [
    # side, move, the king's way (two squares), the rook's corner, the right
    ("kingside", "e1g1", "f", "g", "h", "K"),
    ("queenside", "e1c1", "d", "c", "a", "Q"),
]


def rank_with(base, pieces):
    """The rank `base` (letters and dots) with pieces on files: `f=B`."""
    cells = list(base)
    for file, piece in pieces.items():
        cells["abcdefgh".index(file)] = piece
    text, empty = "", 0
    for cell in [*cells, None]:
        if cell == ".":
            empty += 1
            continue
        text += (str(empty) if empty else "") + (cell or "")
        empty = 0
    return text


EMPTY = "........"
HOME = "R...K..R"
for side, move, passing, target, corner, right in SIDES:
    CASTLE = f"castling-{{us}}-{side}"
    CAPTION = f"Castling, {{us}}, {side}"
    legal(CASTLING, f"{CASTLE}-allowed", f"{CAPTION}: allowed",
          f"Castling {side} is legal with the way free and safe and the right kept.",
          "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", move)
    for file in ("f", "g") if side == "kingside" else ("b", "c", "d"):
        refused(CASTLING, f"{CASTLE}-forbidden-own-piece-on-{file}-file",
                f"{CAPTION}: own piece on the {file}-file",
                f"A piece of one's own between king and rook, on the {file}-file, forbids castling.",
                f"r3k2r/8/8/8/8/8/8/{rank_with(HOME, {file: 'N'})} w KQkq - 0 1",
                move, "CastlingBlocked")
    near = "g" if side == "kingside" else "b"
    refused(CASTLING, f"{CASTLE}-forbidden-enemy-piece-between",
            f"{CAPTION}: enemy piece between",
            f"An enemy piece between king and rook, on the {near}-file, forbids castling.",
            f"r3k2r/8/8/8/8/8/8/{rank_with(HOME, {near: 'n'})} w KQkq - 0 1",
            move, "CastlingBlocked")
    refused(CASTLING, f"{CASTLE}-forbidden-rook-has-moved",
            f"{CAPTION}: the rook has moved",
            f"Without the right {side}, king and rook at home do not castle.",
            f"r3k2r/8/8/8/8/8/8/R3K2R w {'KQkq'.replace(right, '')} - 4 9",
            move, "CastlingRightLost")
    refused(CASTLING, f"{CASTLE}-forbidden-king-has-moved",
            f"{CAPTION}: the king has moved",
            "A king that has moved and come back does not castle to either side.",
            "r3k2r/8/8/8/8/8/8/R3K2R w kq - 4 9", move, "CastlingRightLost")
    refused(CASTLING, f"{CASTLE}-forbidden-out-of-check",
            f"{CAPTION}: out of check",
            "A king in check does not castle.",
            "4r3/1k6/8/8/8/8/8/R3K2R w KQ - 0 1", move, "CastlingOutOfCheck")
    refused(CASTLING, f"{CASTLE}-forbidden-through-check",
            f"{CAPTION}: through check",
            f"The king does not pass an attacked square, here on the {passing}-file.",
            f"{rank_with(EMPTY, {passing: 'r'})}/1k6/8/8/8/8/8/R3K2R w KQ - 0 1",
            move, "CastlingThroughCheck")
    refused(CASTLING, f"{CASTLE}-forbidden-into-check",
            f"{CAPTION}: into check",
            f"The king does not castle onto an attacked square, here on the {target}-file.",
            f"{rank_with(EMPTY, {target: 'r'})}/1k6/8/8/8/8/8/R3K2R w KQ - 0 1",
            move, "CastlingIntoCheck")
    legal(CASTLING, f"{CASTLE}-allowed-rook-attacked",
          f"{CAPTION}: the rook attacked",
          "An attacked rook does not forbid castling.",
          f"{rank_with('....k...', {corner: 'r'})}/8/8/8/8/8/8/R3K2R w KQ - 0 1", move)
    legal(CASTLING, f"{CASTLE}-allowed-other-side-attacked",
          f"{CAPTION}: the other side attacked",
          "An attack on the way to the other side forbids only that.",
          f"{rank_with(EMPTY, {'d' if side == 'kingside' else 'f': 'r'})}/1k6/8/8/8/8/8/R3K2R"
          " w KQ - 0 1", move)
    moves(CASTLING, f"{CASTLE}-king-moves-with-one-right",
          f"{CAPTION}: the king's moves with this right alone",
          f"The king castles {side} and not to the other side, where the right is gone.",
          f"4k3/8/8/8/8/8/8/R3K2R w {right} - 0 1", "e1",
          has=move, lacks="e1c1" if move == "e1g1" else "e1g1", count=6)

legal(CASTLING, "castling-{us}-queenside-allowed-b-file-attacked",
      "Castling, {us}, queenside: the b-file attacked",
      "An attack on b1, which only the rook passes, does not forbid castling.",
      "1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1")
legal(CASTLING, "castling-{us}-queenside-allowed-rook-and-b-file-attacked",
      "Castling, {us}, queenside: rook and b-file attacked",
      "Attacks on a1 and b1 together do not forbid castling.",
      "rr2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1c1")
moves(CASTLING, "castling-{us}-king-moves-both-sides", "Castling, {us}: all moves of the king",
      "The king castles to both sides beside its five steps.",
      "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1", has="e1g1 e1c1", count=7)
moves(CASTLING, "castling-{us}-forbidden-by-a-pawn-that-guards-the-way",
      "Castling, {us}: a pawn guards the way",
      "An enemy pawn beside the king guards d1 and f1, and castling through them is illegal.",
      "4k3/8/8/8/8/8/4p3/R3K2R w KQ - 0 1", "e1", lacks="e1g1 e1c1")
moves(CASTLING, "castling-{us}-forbidden-by-a-knight-that-guards-the-way",
      "Castling, {us}: a knight guards the way",
      "An enemy knight guards d1 and f1, and castling through them is illegal.",
      "4k3/8/8/8/8/4n3/8/R3K2R w KQ - 0 1", "e1", lacks="e1g1 e1c1")
moves(CASTLING, "castling-{us}-forbidden-by-the-other-king",
      "Castling, {us}: the other king guards the way",
      "The other king guards c1, and castling onto it is illegal.",
      "8/8/8/8/8/8/1k6/R3K2R w KQ - 0 1", "e1", has="e1g1", lacks="e1c1")
make(CASTLING, "castling-{us}-kingside-moves-king-and-rook", "Castling, {us}, kingside: the board after",
     "Castling kingside puts the king on g1 and the rook on f1 and ends both rights.",
     "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1g1")
make(CASTLING, "castling-{us}-queenside-moves-king-and-rook",
     "Castling, {us}, queenside: the board after",
     "Castling queenside puts the king on c1 and the rook on d1 and ends both rights.",
     "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1c1")
make(CASTLING, "castling-{us}-rights-end-with-a-king-move", "Castling, {us}: the king moves",
     "A move of the king ends both its rights and leaves the other side's.",
     "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1e2")
make(CASTLING, "castling-{us}-kingside-right-ends-with-the-rook-move",
     "Castling, {us}: the rook leaves h1",
     "A move of the rook from h1 ends the right kingside only.",
     "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "h1g1")
make(CASTLING, "castling-{us}-queenside-right-ends-with-the-rook-move",
     "Castling, {us}: the rook leaves a1",
     "A move of the rook from a1 ends the right queenside only.",
     "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1b1")
make(CASTLING, "castling-{them}-right-lost-by-rook-capture", "Castling, {them}: the rook captured",
     "Capturing the rook on h8 ends the other side's right kingside.",
     "r3k2r/8/8/8/3B4/8/8/R3K2R w KQkq - 0 1", "d4h8")
make(CASTLING, "castling-both-rights-lost-by-rook-takes-rook-{us}", "Castling: rook takes rook, {us}",
     "When rook takes rook in the corner both sides lose the right there.",
     "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1a8")
make(CASTLING, "castling-{them}-right-lost-by-rook-capture-with-promotion",
     "Castling, {them}: the rook captured by a promoting pawn",
     "A pawn that promotes by capturing the rook on a8 ends the right queenside.",
     "r3k2r/1P6/8/8/8/8/8/R3K2R w KQkq - 0 1", "b7a8n")

# --- Chess960 ------------------------------------------------------------------------------------

CHESS960 = "Castling in Chess960"

legal(CHESS960, "chess960-{us}-castling-king-already-on-its-square",
      "Chess960, {us}: the king already on g1",
      "Castling is legal when only the rook has to move.",
      "4k3/8/8/8/8/8/8/6KR w H - 0 1", "g1h1")
make(CHESS960, "chess960-{us}-castling-king-and-rook-change-places",
     "Chess960, {us}: king and rook change places",
     "Castling may put the king where the rook was and the rook where the king was.",
     "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "f1g1")
make(CHESS960, "chess960-{us}-castling-both-to-the-same-side",
     "Chess960, {us}: both move to the right",
     "Castling queenside may move king and rook to the right.",
     "4k3/8/8/8/8/8/8/RK6 w A - 0 1", "b1a1")
legal(CHESS960, "chess960-{us}-castling-longest-way", "Chess960, {us}: the king's longest way",
      "The king castles from b1 to g1.",
      "4k3/8/8/8/8/8/8/1K5R w H - 0 1", "b1h1")
refused(CHESS960, "chess960-{us}-castling-forbidden-through-check-far-away",
        "Chess960, {us}: check on the long way",
        "An attack anywhere on the king's long way forbids castling.",
        "3rk3/8/8/8/8/8/8/1K5R w H - 0 1", "b1h1", "CastlingThroughCheck")
refused(CHESS960, "chess960-{us}-castling-forbidden-rook-shields-the-king",
        "Chess960, {us}: the rook shields its king",
        "Castling is illegal when the leaving rook opens the back rank to an attacker.",
        "4k3/8/8/8/8/8/8/rR1K4 w B - 0 1", "d1b1", "CastlingIntoCheck")
refused(CHESS960, "chess960-{us}-castling-forbidden-rook-shields-the-king-that-stays",
        "Chess960, {us}: the rook shields a king that stays",
        "Castling is illegal when the king stays on c1 and the leaving rook exposes it.",
        "4k3/8/8/8/8/8/8/rRK5 w B - 0 1", "c1b1", "CastlingIntoCheck")
refused(CHESS960, "chess960-{us}-castling-forbidden-rook-target-occupied",
        "Chess960, {us}: the rook's square is occupied",
        "A piece on the square where the rook would land forbids castling.",
        "4k3/8/8/8/8/8/8/5NKR w H - 0 1", "g1h1", "CastlingBlocked")
refused(CHESS960, "chess960-{us}-castling-forbidden-rook-way-blocked",
        "Chess960, {us}: the rook's way is blocked",
        "A piece that only the rook would have to pass forbids castling.",
        "4k3/8/8/8/8/8/8/RB1K4 w A - 0 1", "d1a1", "CastlingBlocked")
refused(CHESS960, "chess960-{us}-castling-forbidden-with-the-wrong-rook",
        "Chess960, {us}: the wrong rook",
        "Of two rooks on one side only the one that has the right castles.",
        "4k3/8/8/8/8/8/8/4K1RR w G - 0 1", "e1h1", "CastlingRightLost")
moves(CHESS960, "chess960-{us}-castling-and-king-step-are-two-moves",
      "Chess960, {us}: the step to c1 and castling",
      "The king's step to c1 and castling, which also ends on c1, are two moves.",
      "4k3/8/8/8/8/8/8/R2K4 w A - 0 1", "d1", has="d1c1 d1a1", count=6)

# --- Pins, and moves that leave the king in check ------------------------------------------------

PINS = "Pins and checks"

moves(PINS, "pinned-{us}-knight-has-no-move", "Pinned {us} knight",
      "A pinned knight has no move.",
      "4r2k/8/8/8/4N3/8/8/4K3 w - - 0 1", "e4", count=0)
moves(PINS, "pinned-{us}-bishop-on-a-file-has-no-move", "{Us} bishop pinned on a file",
      "A bishop pinned on a file has no move.",
      "4r2k/8/8/8/4B3/8/8/4K3 w - - 0 1", "e4", count=0)
moves(PINS, "pinned-{us}-bishop-moves-along-the-diagonal", "{Us} bishop pinned on a diagonal",
      "A bishop pinned on a diagonal moves on it and captures the pinner.",
      "7k/8/8/b7/8/8/3B4/4K3 w - - 0 1", "d2", has="d2c3 d2b4 d2a5", count=3)
moves(PINS, "pinned-{us}-rook-on-a-diagonal-has-no-move", "{Us} rook pinned on a diagonal",
      "A rook pinned on a diagonal has no move.",
      "7k/8/8/b7/8/2R5/8/4K3 w - - 0 1", "c3", count=0)
moves(PINS, "pinned-{us}-rook-moves-along-the-file", "{Us} rook pinned on a file",
      "A rook pinned on a file moves on it and captures the pinner.",
      "4r2k/8/8/8/4R3/8/8/4K3 w - - 0 1", "e4", has="e4e8 e4e2", lacks="e4d4", count=6)
moves(PINS, "pinned-{us}-queen-moves-along-the-line", "{Us} queen pinned on a diagonal",
      "A pinned queen moves on the line of the pin only.",
      "6k1/8/8/b7/8/2Q5/8/4K3 w - - 0 1", "c3",
      has="c3a5 c3b4 c3d2", count=3)
moves(PINS, "pinned-{us}-pawn-on-the-rank-has-no-move", "{Us} pawn pinned on the rank",
      "A pawn pinned along the rank has no move.",
      "7k/8/8/8/8/8/r2P3K/8 w - - 0 1", "d2", count=0)
moves(PINS, "pinned-{us}-pawn-on-the-file-still-steps", "{Us} pawn pinned on the file",
      "A pawn pinned on its file steps ahead and does not capture.",
      "4r2k/8/8/8/8/3b4/4P3/4K3 w - - 0 1", "e2",
      has="e2e3 e2e4", lacks="e2d3", count=2)
moves(PINS, "pinned-{us}-pawn-captures-the-pinner", "{Us} pawn pinned on a diagonal",
      "A pawn pinned on a diagonal captures the pinner beside it and does not step ahead.",
      "7k/8/8/8/8/2b5/3P4/4K3 w - - 0 1", "d2", has="d2c3", count=1)
moves(PINS, "pinned-{us}-pawn-does-not-capture-off-its-line", "{Us} pawn pinned, another to capture",
      "A pawn pinned on a diagonal does not capture to the other side.",
      "7k/8/8/8/8/2b1n3/3P4/4K3 w - - 0 1", "d2", has="d2c3", lacks="d2e3", count=1)
refused(PINS, "pinned-{us}-pawn-on-a-diagonal-steps-ahead-refused",
        "{Us} pawn pinned on a diagonal steps ahead",
        "A pawn pinned on a diagonal does not step ahead.",
        "7k/8/8/8/1b6/8/3P4/4K3 w - - 0 1", "d2d4", "LeavesKingInCheck")
moves(PINS, "{us}-not-pinned-with-two-pieces-between", "Two {us} pieces on the line",
      "Two pieces of one's own on the line of an attacker are not pinned.",
      "4r2k/8/8/4N3/4N3/8/8/4K3 w - - 0 1", "e4", count=8)
moves(PINS, "{us}-not-pinned-behind-an-enemy-piece", "{Us} behind an enemy piece",
      "A piece behind an enemy piece on the line is not pinned.",
      "4r2k/8/4p3/8/4N3/8/8/4K3 w - - 0 1", "e4", count=8)
refused(PINS, "pinned-{us}-knight-refused", "Pinned {us} knight moves",
        "A move of a pinned piece is refused because it leaves the king in check.",
        "4r2k/8/8/8/4N3/8/8/4K3 w - - 0 1", "e4f6", "LeavesKingInCheck")
refused(PINS, "{us}-king-steps-into-check-refused", "{Us} king steps into check",
        "A step of the king onto an attacked square is refused.",
        "3r3k/8/8/8/8/8/8/4K3 w - - 0 1", "e1d1", "LeavesKingInCheck")
refused(PINS, "{us}-king-steps-back-on-the-line-refused", "{Us} king steps back on the line",
        "A king in check does not step back along the line of the attacker.",
        "7k/8/8/8/4r3/8/4K3/8 w - - 0 1", "e2e1", "LeavesKingInCheck")
refused(PINS, "{us}-king-captures-a-guarded-piece-refused", "{Us} king captures a guarded piece",
        "A king does not capture a guarded piece.",
        "4r2k/8/8/8/8/8/4n3/4K3 w - - 0 1", "e1e2", "LeavesKingInCheck")
legal(PINS, "{us}-king-captures-the-checker", "{Us} king captures the checker",
      "A king captures an unguarded piece that gives check.",
      "7k/8/8/8/8/8/4q3/4K3 w - - 0 1", "e1e2")
refused(PINS, "{us}-check-not-answered-refused", "{Us} does not answer a check",
        "A move that does not answer the check is refused.",
        "4r2k/8/8/8/8/8/8/N3K3 w - - 0 1", "a1b3", "LeavesKingInCheck")
moves(PINS, "{us}-check-answered-by-blocking", "{Us} rook answers a check",
      "A rook answers a check by stepping between or capturing the attacker, and only so.",
      "4r2k/8/8/R7/8/8/8/4K3 w - - 0 1", "a5", has="a5e5", count=1)
moves(PINS, "{us}-check-answered-by-capture", "{Us} bishop answers a check",
      "A bishop answers a check by capturing the attacker.",
      "4r2k/8/8/8/B7/8/8/4K3 w - - 0 1", "a4", has="a4e8", count=1)
moves(PINS, "{us}-double-check-only-the-king-moves", "{Us} in double check: the queen",
      "In double check no piece but the king moves, not even to capture an attacker.",
      "4r2k/8/8/8/8/3n4/2Q5/4K3 w - - 0 1", "c2", count=0)
moves(PINS, "{us}-double-check-moves-of-the-king", "{Us} in double check: the king",
      "In double check the king leaves both lines.",
      "4r2k/8/8/8/8/3n4/2Q5/4K3 w - - 0 1", "e1", has="e1d1 e1d2 e1f1", lacks="e1e2 e1f2")
legal(PINS, "{us}-double-push-blocks-a-check", "{Us} pawn blocks a check",
      "A double step may answer a check by stepping between.",
      "7k/8/8/8/r6K/8/4P3/8 w - - 0 1", "e2e4")

# --- A colour attacks a square -------------------------------------------------------------------

ATTACKS = "A colour attacks a square"

attacks(ATTACKS, "{us}-pawn-attacks-diagonally", "{Us} pawn attacks",
        "A pawn attacks the squares diagonally ahead.",
        "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "d5", "yes")
attacks(ATTACKS, "{us}-pawn-does-not-attack-ahead", "{Us} pawn does not attack ahead",
        "A pawn does not attack the square it steps to.",
        "4k3/8/8/8/4P3/8/8/4K3 w - - 0 1", "e5", "no")
attacks(ATTACKS, "{us}-pawn-does-not-attack-backwards", "{Us} pawn does not attack backwards",
        "A pawn does not attack the squares behind it.",
        "7k/8/8/8/4P3/8/8/K7 w - - 0 1", "d3", "no")
attacks(ATTACKS, "{us}-pawn-does-not-attack-around-the-board", "{Us} pawn on the edge",
        "A pawn on the a-file attacks nothing on the h-file.",
        "4k3/8/8/8/P7/8/8/K7 w - - 0 1", "h5", "no")
attacks(ATTACKS, "{us}-knight-attacks", "{Us} knight attacks",
        "A knight attacks over other pieces.",
        "4k3/8/8/2ppp3/2pNp3/2ppp3/8/7K w - - 0 1", "e6", "yes")
attacks(ATTACKS, "{us}-bishop-attacks", "{Us} bishop attacks",
        "A bishop attacks along its diagonal.",
        "4k3/8/8/8/8/8/1B6/4K3 w - - 0 1", "g7", "yes")
attacks(ATTACKS, "{us}-rook-attacks", "{Us} rook attacks",
        "A rook attacks along its file.",
        "4k3/8/8/8/8/8/1R6/4K3 w - - 0 1", "b8", "yes")
attacks(ATTACKS, "{us}-queen-attacks", "{Us} queen attacks",
        "A queen attacks along a diagonal.",
        "4k3/8/8/8/8/8/1Q6/4K3 w - - 0 1", "f6", "yes")
attacks(ATTACKS, "{us}-king-attacks", "{Us} king attacks",
        "A king attacks the squares beside it.",
        "4k3/8/8/8/8/8/1K6/8 w - - 0 1", "c3", "yes")
attacks(ATTACKS, "{us}-slider-does-not-attack-through-pieces", "{Us} rook behind a piece",
        "A rook does not attack through a piece.",
        "4k3/8/8/1p6/8/8/1R6/4K3 w - - 0 1", "b7", "no")
attacks(ATTACKS, "{us}-guards-its-own-piece", "{Us} guards its own piece",
        "A square with a piece of one's own is attacked too: the piece is guarded.",
        "4k3/8/8/1N6/8/8/1R6/4K3 w - - 0 1", "b5", "yes")
attacks(ATTACKS, "{us}-pinned-piece-still-attacks", "Pinned {us} knight attacks",
        "A pinned piece still attacks, though it may not move.",
        "4r2k/8/8/8/4N3/8/8/4K3 w - - 0 1", "f6", "yes")
attacks(ATTACKS, "{us}-several-attackers", "{Us}, several attackers",
        "Pawn, knight, bishop, rook, queen and king attack one square together.",
        "8/3N4/3K1B2/6R1/3P4/8/7k/4Q3 w - - 0 1", "e5", "yes")
attacks(ATTACKS, "{us}-attacks-nothing-there", "{Us} does not attack a far square",
        "A square that no piece reaches is not attacked.",
        "4k3/8/8/8/8/8/8/RN2K3 w - - 0 1", "h8", "no")

# --- A king is in check --------------------------------------------------------------------------

CHECKS = "A king is in check"

check(CHECKS, "{us}-king-in-check-by-pawn", "{Us} in check by a pawn",
      "A pawn checks diagonally.",
      "4k3/8/8/3p4/4K3/8/8/8 w - - 0 1", "yes")
check(CHECKS, "{us}-king-not-in-check-by-pawn-ahead", "{Us} king before a pawn",
      "A pawn straight before the king gives no check.",
      "4k3/8/8/4p3/4K3/8/8/8 w - - 0 1", "no")
check(CHECKS, "{us}-king-not-in-check-by-pawn-behind", "{Us} king behind a pawn",
      "A pawn that has passed the king gives no check backwards.",
      "4k3/8/8/8/4K3/3p4/8/8 w - - 0 1", "no")
check(CHECKS, "{us}-king-in-check-by-knight", "{Us} in check by a knight",
      "A knight checks over other pieces.",
      "4k3/8/8/8/8/3n4/3PP3/3QKB2 w - - 0 1", "yes")
check(CHECKS, "{us}-king-in-check-by-bishop", "{Us} in check by a bishop",
      "A bishop checks along a diagonal.",
      "4k3/8/8/b7/8/8/8/4K3 w - - 0 1", "yes")
check(CHECKS, "{us}-king-in-check-by-rook", "{Us} in check by a rook",
      "A rook checks along a rank.",
      "4k3/8/8/8/8/8/8/r3K3 w - - 0 1", "yes")
check(CHECKS, "{us}-king-in-check-by-queen", "{Us} in check by a queen",
      "A queen checks along a file.",
      "k7/8/8/4q3/8/8/8/4K3 w - - 0 1", "yes")
check(CHECKS, "{us}-king-not-in-check-behind-a-piece", "{Us} king behind a piece",
      "A piece between attacker and king stops the check.",
      "4k3/8/8/b7/8/2N5/8/4K3 w - - 0 1", "no")
check(CHECKS, "{us}-king-in-double-check", "{Us} in double check",
      "Two pieces give check together.",
      "4r2k/8/8/8/8/3n4/8/4K3 w - - 0 1", "yes")
check(CHECKS, "{us}-king-not-in-check-by-own-piece", "{Us} king before its own rook",
      "One's own pieces give no check.",
      "7k/8/8/8/8/8/8/R3K3 w Q - 0 1", "no")
check(CHECKS, "{them}-king-not-in-check-when-{us}-moves", "The other king, {us} to move",
      "The king of the side that does not move is not in check.",
      "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "no", color="black")

# --- How the game stands -------------------------------------------------------------------------

STATUS = "Status of the game"

status(STATUS, "status-start-is-ongoing", "The starting position",
       "The game begins.",
       "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "ongoing", once=True)
status(STATUS, "status-checkmate-on-the-back-rank-{us}", "{Us} mated on the back rank",
       "A king behind its own pawns is mated by a rook.",
       "4k3/8/8/8/8/8/5PPP/r5K1 w - - 0 1", "checkmate")
status(STATUS, "status-checkmate-smothered-{us}", "{Us} mated by a knight",
       "A king among its own pieces is mated by a knight.",
       "4k3/8/8/8/8/8/5nPP/6RK w - - 0 1", "checkmate")
status(STATUS, "status-checkmate-guarded-queen-{us}", "{Us} mated by a guarded queen",
       "A queen beside the king, guarded, mates.",
       "8/8/8/8/8/4k3/4q3/4K3 w - - 0 1", "checkmate")
status(STATUS, "status-checkmate-defender-is-pinned-{us}", "{Us} mated, the defender pinned",
       "A pinned piece may not step between: it is mate.",
       "4k3/8/2b5/8/8/8/6RP/q6K w - - 0 1", "checkmate")
status(STATUS, "status-checkmate-in-double-check-{us}", "{Us} mated by double check",
       "In double check a capture of one attacker does not help.",
       "4r2k/8/8/8/8/3n4/2QP1P2/3RKR2 w - - 0 1", "checkmate")
status(STATUS, "status-in-check-with-an-answer-is-ongoing-{us}", "{Us} in check",
       "A check that can be answered does not end the game.",
       "3k4/8/8/8/8/8/4RPPP/r5K1 w - - 0 1", "ongoing")
status(STATUS, "status-stalemate-of-the-lone-king-{us}", "{Us} king in stalemate",
       "A king without a move that is not in check: stalemate.",
       "8/8/8/8/8/6k1/5q2/7K w - - 0 1", "stalemate")
status(STATUS, "status-stalemate-with-blocked-and-pinned-pieces-{us}",
       "{Us} in stalemate with pieces left",
       "Blocked pawns and pinned pieces have no move: stalemate.",
       "5k2/8/8/8/1p6/1P6/2r5/KN5r w - - 0 1", "stalemate")
status(STATUS, "status-en-passant-is-a-move-{us}", "{Us} has en passant alone",
       "En passant may be the only legal move: no stalemate.",
       "8/8/2n3k1/5pP1/3b3K/3r4/8/8 w - f6 0 2", "ongoing")
status(STATUS, "status-insufficient-bare-kings", "Bare kings",
       "Two kings alone: nobody can mate.",
       "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "insufficient_material", once=True)
status(STATUS, "status-insufficient-knight-{us}", "{Us} has a knight",
       "King and knight can't mate a king.",
       "4k3/8/8/8/8/8/8/4KN2 w - - 0 1", "insufficient_material")
status(STATUS, "status-insufficient-bishop-{us}", "{Us} has a bishop",
       "King and bishop can't mate a king.",
       "4k3/8/8/8/8/8/8/4KB2 w - - 0 1", "insufficient_material")
status(STATUS, "status-insufficient-bishops-of-one-colour", "Bishops on squares of one colour",
       "Bishops that all stand on squares of one colour can't mate.",
       "4kb2/8/8/8/8/8/8/2B1K3 w - - 0 1", "insufficient_material", once=True)
status(STATUS, "status-sufficient-bishops-of-two-colours", "Bishops on squares of both colours",
       "With bishops on squares of both colours a mate exists.",
       "2b1k3/8/8/8/8/8/8/2B1K3 w - - 0 1", "ongoing", once=True)
status(STATUS, "status-sufficient-pawn-{us}", "{Us} has a pawn",
       "A pawn may still become a queen.",
       "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "ongoing")

# --- The immutable board -------------------------------------------------------------------------

IMMUTABLE = "The immutable board"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

make(IMMUTABLE, "make-returns-a-new-board-and-keeps-the-parent", "A move returns a new board",
     "A move returns a new board, and the parent is unchanged.", START, "g1f3", once=True)
refused(IMMUTABLE, "make-refuses-g1f4", "G1F4 is refused",
        "A knight does not reach f4 from g1: the move is refused with the reason.",
        START, "g1f4", "CannotReach", once=True)
make(IMMUTABLE, "make-{us}-capture-removes-the-piece", "{Us} captures",
     "A capture removes the captured piece.",
     "4k3/8/8/3p4/4P3/8/8/4K3 w - - 3 5", "e4d5")
make(IMMUTABLE, "make-{us}-en-passant-removes-the-pawn", "{Us} captures en passant",
     "En passant removes the pawn beside, not one on the square it lands on.",
     "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6")
make(IMMUTABLE, "make-{us}-promotion-adds-a-queen", "{Us} promotes to a queen",
     "A promotion takes the pawn away and adds a queen.",
     "8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7e8q")
make(IMMUTABLE, "make-{us}-promotion-adds-a-knight", "{Us} promotes to a knight",
     "A promotion adds the piece that was asked for.",
     "8/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7e8n")
make(IMMUTABLE, "make-{us}-promotion-by-capture", "{Us} promotes by capture",
     "A promotion by capture removes pawn and victim and adds the new piece.",
     "3n4/4P3/8/8/8/k7/8/4K3 w - - 0 1", "e7d8r")
make(IMMUTABLE, "make-{us}-double-step-sets-en-passant", "{Us} steps past a pawn",
     "A double step past an enemy pawn that can capture makes an en passant square.",
     "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1", "e2e4")
make(IMMUTABLE, "make-{us}-double-step-without-a-capturer", "{Us} steps past nobody",
     "A double step that no pawn can answer makes no en passant square.",
     "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "e2e4")
make(IMMUTABLE, "make-{us}-double-step-past-a-pinned-pawn", "{Us} steps past a pinned pawn",
     "A double step that only a pinned pawn could answer makes no en passant square.",
     "3k4/8/8/8/3p4/8/4P3/3RK3 w - - 0 1", "e2e4")
make(IMMUTABLE, "make-{us}-en-passant-square-goes-with-the-next-move", "{Us} lets en passant pass",
     "The en passant square is gone after any other move.",
     "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e1e2")
make(IMMUTABLE, "make-{us}-quiet-move-advances-the-counters", "{Us} makes a quiet move",
     "A quiet move turns the side to move and counts half moves and, after black, full moves.",
     "4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "a1a4")
refused(IMMUTABLE, "make-refuses-an-empty-square-{us}", "Nothing to move, {us}",
        "A move from an empty square is refused.",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1", "d4d5", "NoPiece")
refused(IMMUTABLE, "make-refuses-the-other-colour-{us}", "{Us} moves the other's piece",
        "A move of the other colour's piece is refused.",
        "4k3/4p3/8/8/8/8/8/4K3 w - - 0 1", "e7e6", "NotYourPiece")
refused(IMMUTABLE, "make-refuses-a-blocked-slide-{us}", "{Us} bishop is blocked",
        "A slide over another piece is refused.",
        "4k3/8/8/8/8/4p3/8/2B1K3 w - - 0 1", "c1g5", "Blocked")
refused(IMMUTABLE, "make-refuses-capturing-ones-own-{us}", "{Us} captures its own",
        "A capture of one's own piece is refused.",
        "4k3/8/8/8/8/4P3/8/2B1K3 w - - 0 1", "c1e3", "OwnPieceOnTarget")
