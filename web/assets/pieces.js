// Pieces and placements: names, codes, the first field of a FEN.

const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };

export const SYMBOLS = {
  K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘", P: "♙", k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟",
};
export const pieceColour = (piece) => (piece === piece.toUpperCase() ? "w" : "b");
export const pieceCode = (piece) => pieceColour(piece) + piece.toLowerCase();
export const kindName = (kind) => NAMES[kind];
export const pieceName = (piece) => `${pieceColour(piece) === "w" ? "white" : "black"} ${NAMES[piece.toLowerCase()]}`;

/** The pieces of a FEN by square name. */
export function parsePlacement(fen) {
  const squares = new Map();
  fen.split(" ")[0].split("/").forEach((rank, index) => {
    let file = 0;
    for (const letter of rank) {
      if (/\d/.test(letter)) file += Number(letter);
      else squares.set("abcdefgh"[file++] + (8 - index), letter);
    }
  });
  return squares;
}

/** The first field of a FEN. */
export function placementText(squares) {
  return [8, 7, 6, 5, 4, 3, 2, 1].map((row) => [..."abcdefgh"]
    .map((file) => squares.get(file + row) ?? "1").join("").replace(/1+/g, (ones) => String(ones.length))).join("/");
}

const VALUES = { q: 9, r: 5, b: 3, n: 3, p: 1 };

/** The pieces that each side has lost since the start, promotions allowed for, and White's lead in pawns. */
export function capturedMen(startFen, fen) {
  const number = (squares, piece) => [...squares.values()].filter((other) => other === piece).length;
  const [before, now] = [parsePlacement(startFen), parsePlacement(fen)];
  const lost = { w: "", b: "" };
  let lead = 0;
  for (const side of ["w", "b"]) {
    let promoted = 0;
    for (const kind of "qrbnp") {
      const piece = side === "w" ? kind.toUpperCase() : kind;
      const [had, has] = [number(before, piece), number(now, piece)];
      promoted += Math.max(0, has - had);
      const missing = Math.max(0, had - has) - (kind === "p" ? promoted : 0);
      lost[side] += piece.repeat(Math.max(0, missing));
      lead += (side === "w" ? 1 : -1) * VALUES[kind] * has;
    }
  }
  return { lost, lead };
}
