// The pieces of a move slide to their squares.

const DURATION = 160;
// A change of more pieces is another position, not a move.
const MAX_PIECES = 2;

/**
 * Slides the pieces that have moved since `before`; not the one that was dropped on `dropped`.
 * @param {import("./board.js").Board} board
 * @param {Map<string, string>} before
 * @param {string | null} dropped
 */
export function slide(board, before, dropped) {
  board.frame.querySelectorAll(".flying").forEach((piece) => piece.remove());
  for (const button of board.squares.values()) button.classList.remove("arriving");
  if (matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden) return;
  const moved = movedPieces(before, board.pieces);
  if (moved.length > MAX_PIECES) return;
  for (const { from, to } of moved) if (to !== dropped) fly(board, from, to);
}

/** The pieces that left a square and appeared on another one; a promoted pawn counts. */
function movedPieces(before, after) {
  const gone = [...before].filter(([square, piece]) => after.get(square) !== piece);
  const come = [...after].filter(([square, piece]) => before.get(square) !== piece);
  const moved = [];
  for (const [to, piece] of come) {
    const pawn = piece === piece.toUpperCase() ? "P" : "p";
    const promotes = (square, other) => other === pawn && "27".includes(square[1]) && "18".includes(to[1]);
    const index = gone.findIndex(([square, other]) => other === piece || promotes(square, other));
    if (index < 0) return [];
    moved.push({ from: gone[index][0], to });
    gone.splice(index, 1);
  }
  return moved;
}

function fly(board, from, to) {
  const target = board.squares.get(to);
  const [a, b] = [board.screenPosition(from), board.screenPosition(to)];
  const piece = document.createElement("div");
  piece.className = "flying";
  piece.dataset.piece = target.dataset.piece;
  piece.style.left = `${b.x * 12.5}%`;
  piece.style.top = `${b.y * 12.5}%`;
  target.classList.add("arriving");
  board.frame.append(piece);
  const start = `translate(${(a.x - b.x) * 100}%, ${(a.y - b.y) * 100}%)`;
  const done = () => { piece.remove(); target.classList.remove("arriving"); };
  piece.animate([{ transform: start }, { transform: "none" }], { duration: DURATION, easing: "ease-out" })
    .finished.then(done, done);
}
