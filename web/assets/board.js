// The board: squares, pieces, mouse, touch and keyboard input. It gets the legal moves from the server.

const SYMBOLS = {
  K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘", P: "♙", k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟",
};
const PIECE_NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
// Minimum pointer movement of a drag, in pixels.
const MIN_DRAG = 5;

export const pieceColour = (piece) => (piece === piece.toUpperCase() ? "w" : "b");
export const pieceCode = (piece) => pieceColour(piece) + piece.toLowerCase();
export const pieceName = (piece) => `${pieceColour(piece) === "w" ? "white" : "black"} ${PIECE_NAMES[piece.toLowerCase()]}`;

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
    .map((file) => squares.get(file + row) ?? "1").join("").replace(/1+/g, (ones) => ones.length)).join("/");
}

export class Board {
  /**
   * @param frame    the element around the board, the arrows and the promotion dialog
   * @param onMove   called with the UCI text of a legal move
   * @param onEdit   called with (from, to) in edit mode: `from` null places, `to` null removes a piece
   */
  constructor(frame, { onMove, onEdit }) {
    this.frame = frame;
    this.root = frame.querySelector("#board");
    this.arrows = frame.querySelector("#arrows");
    this.promotionDialog = frame.querySelector("#promotion");
    this.onMove = onMove;
    this.onEdit = onEdit;
    this.editing = false;
    this.flipped = false;
    this.legal = [];
    this.selected = null;
    this.arrowData = [];
    this.squares = new Map();
    for (const button of this.root.querySelectorAll("[data-col]")) {
      this.squares.set(button.dataset.col + button.dataset.row, button);
    }
    this.pieces = new Map();
    this.addListeners();
    this.setFocus("e2", false);
  }

  /** Shows a position with its legal moves, the last move and a check. */
  show({ fen, legal = [], last = null, check = false }) {
    const [placement, turn, castling, ep] = fen.split(" ");
    this.pieces = parsePlacement(placement);
    this.root.dataset.turn = turn;
    this.root.dataset.castling = castling;
    this.root.dataset.ep = ep;
    this.legal = legal;
    this.clearSelection();
    const movable = new Set(legal.map((move) => move.from));
    const king = turn === "w" ? "K" : "k";
    for (const [name, button] of this.squares) {
      const piece = this.pieces.get(name);
      button.textContent = piece ? SYMBOLS[piece] : "";
      if (piece) button.dataset.piece = pieceCode(piece);
      else delete button.dataset.piece;
      button.classList.toggle("movable", movable.has(name) || (this.editing && Boolean(piece)));
      button.classList.toggle("last-move", Boolean(last) && (name === last.from || name === last.to));
      button.classList.toggle("check", check && piece === king);
    }
    this.updateLabels();
  }

  /** Sets the accessible names of the squares. */
  updateLabels() {
    const targets = new Set(this.targets(this.selected).map((target) => target.square));
    for (const [name, button] of this.squares) {
      const piece = this.pieces.get(name);
      const parts = [name, piece ? pieceName(piece) : "empty"];
      if (name === this.selected) parts.push("selected");
      if (targets.has(name)) parts.push(piece ? "possible capture" : "possible target");
      button.setAttribute("aria-label", parts.join(", "));
    }
  }

  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    const focused = document.activeElement;
    const rows = [...this.root.children].sort((a, b) => this.order(b.dataset.rank - a.dataset.rank));
    for (const row of rows) {
      const files = [...row.children].sort((a, b) => this.order(a.dataset.col < b.dataset.col ? -1 : 1));
      row.append(...files);
    }
    this.root.append(...rows);
    // Moving an element in the document removes the focus.
    if (this.root.contains(focused)) focused.focus();
    this.clearSelection();
    this.drawArrows(this.arrowData);
  }

  order(sign) { return this.flipped ? -sign : sign; }

  /** The targets of a piece; for castling both the target of the king and the square of the rook. */
  targets(from) {
    const targets = [];
    for (const move of this.legal) {
      if (move.from !== from) continue;
      targets.push({ square: move.to, move });
      if (move.rook && move.rook !== move.to) targets.push({ square: move.rook, move });
    }
    return targets;
  }

  select(name) {
    this.clearSelection();
    if (!this.legal.some((move) => move.from === name)) return false;
    this.selected = name;
    this.squares.get(name).classList.add("selected");
    for (const target of this.targets(name)) this.squares.get(target.square).classList.add("target");
    this.updateLabels();
    return true;
  }

  clearSelection() {
    this.selected = null;
    this.promotionDialog.hidden = true;
    for (const button of this.squares.values()) button.classList.remove("selected", "target", "drag-over", "dragged");
    this.updateLabels();
  }

  /** Moves the selected piece; several moves between the same squares are promotions. */
  moveSelected(name) {
    let moves = this.targets(this.selected).filter((target) => target.square === name).map((target) => target.move);
    if (moves.length > 1 && !moves.every((move) => move.promotion)) moves = [moves.find((move) => !move.rook) ?? moves[0]];
    if (moves.length === 0) return false;
    if (moves.length === 1) {
      this.clearSelection();
      this.onMove(moves[0].uci);
    } else {
      this.choosePromotion(name, moves);
    }
    return true;
  }

  choosePromotion(name, moves) {
    const order = "qnrb";
    const white = this.pieces.get(moves[0].from) === "P";
    moves.sort((a, b) => order.indexOf(a.promotion) - order.indexOf(b.promotion));
    this.promotionDialog.replaceChildren(...moves.map((move) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.piece = (white ? "w" : "b") + move.promotion;
      button.dataset.uci = move.uci;
      button.setAttribute("aria-label", PIECE_NAMES[move.promotion]);
      button.addEventListener("click", () => { this.clearSelection(); this.onMove(move.uci); });
      return button;
    }));
    const { x, y } = this.screenPosition(name);
    this.promotionDialog.style.left = `${x * 12.5}%`;
    this.promotionDialog.style.top = y < 4 ? "0" : "auto";
    this.promotionDialog.style.bottom = y < 4 ? "auto" : "0";
    this.promotionDialog.hidden = false;
    this.promotionDialog.firstElementChild.focus();
  }

  /** Column and row of a square on the screen, from the top left. */
  screenPosition(name) {
    const file = "abcdefgh".indexOf(name[0]);
    const row = Number(name[1]);
    return this.flipped ? { x: 7 - file, y: row - 1 } : { x: file, y: 8 - row };
  }

  squareAt(x, y) {
    return this.flipped ? "abcdefgh"[7 - x] + (y + 1) : "abcdefgh"[x] + (8 - y);
  }

  /** Draws arrows [{from, to, weight}]; weight 1 is the widest. */
  drawArrows(list) {
    this.arrowData = list;
    this.arrows.replaceChildren(...list.map(({ from, to, weight }) => {
      const a = this.screenPosition(from);
      const b = this.screenPosition(to);
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", arrowPath(a, b, 0.1 + 0.08 * weight));
      path.setAttribute("opacity", String(0.3 + 0.5 * weight));
      path.dataset.move = from + to;
      return path;
    }));
  }

  setFocus(name, focus = true) {
    for (const button of this.squares.values()) button.tabIndex = -1;
    const button = this.squares.get(name);
    button.tabIndex = 0;
    if (focus) button.focus();
  }

  addListeners() {
    this.root.addEventListener("click", (event) => this.click(event));
    this.root.addEventListener("keydown", (event) => this.boardKey(event));
    this.root.addEventListener("pointerdown", (event) => this.press(event));
    this.promotionDialog.addEventListener("keydown", (event) => this.promotionKey(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.promotionDialog.hidden && !this.promotionDialog.contains(event.target)) this.clearSelection();
    }, true);
  }

  squareOf(target) {
    const button = target?.closest?.("[data-col]");
    return button && this.root.contains(button) ? button.dataset.col + button.dataset.row : null;
  }

  click(event) {
    const name = this.squareOf(event.target);
    if (!name) return;
    this.setFocus(name);
    if (this.dragged) {
      this.dragged = false;
    } else if (this.editing) {
      this.onEdit(null, name);
    } else if (this.selected === name) {
      this.clearSelection();
    } else if (!this.selected || !this.moveSelected(name)) {
      this.select(name);
    }
  }

  boardKey(event) {
    const name = this.squareOf(event.target);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Escape") this.clearSelection();
    if (!name || !step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y } = this.screenPosition(name);
    const [toX, toY] = [x + step[0], y + step[1]];
    if (toX >= 0 && toX < 8 && toY >= 0 && toY < 8) this.setFocus(this.squareAt(toX, toY));
  }

  promotionKey(event) {
    const buttons = [...this.promotionDialog.children];
    const at = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
    if (event.key === "Escape") {
      const square = this.selected;
      this.clearSelection();
      if (square) this.setFocus(square);
    } else if (step) {
      event.preventDefault();
      buttons[(at + step + buttons.length) % buttons.length].focus();
    } else {
      return;
    }
    event.stopPropagation();
  }

  /** Starts a drag once the pointer has moved by MIN_DRAG; otherwise the press is a click. */
  press(event) {
    const from = this.squareOf(event.target);
    this.dragged = false;
    if (!from || event.button !== 0 || !this.pieces.has(from)) return;
    const movable = this.editing || this.legal.some((move) => move.from === from);
    if (!movable) return;
    const start = { x: event.clientX, y: event.clientY };
    let ghost = null;
    const move = (at) => {
      if (!ghost && Math.hypot(at.clientX - start.x, at.clientY - start.y) < MIN_DRAG) return;
      if (!ghost) ghost = this.startDrag(from);
      ghost.style.left = `${at.clientX - ghost.offsetWidth / 2}px`;
      ghost.style.top = `${at.clientY - ghost.offsetHeight / 2}px`;
      this.hover(at);
    };
    const end = (at) => {
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", end);
      document.removeEventListener("pointercancel", end);
      if (!ghost) return;
      ghost.remove();
      this.dragged = true;
      setTimeout(() => { this.dragged = false; });
      this.endDrag(from, at.type === "pointerup" ? this.squareUnder(at) : from);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  }

  startDrag(from) {
    if (!this.editing) this.select(from);
    const button = this.squares.get(from);
    const ghost = document.createElement("div");
    ghost.id = "ghost";
    ghost.dataset.piece = button.dataset.piece;
    ghost.style.width = ghost.style.height = `${button.offsetWidth}px`;
    button.classList.add("dragged");
    document.body.append(ghost);
    return ghost;
  }

  squareUnder(at) { return this.squareOf(document.elementFromPoint(at.clientX, at.clientY)); }

  hover(at) {
    const name = this.squareUnder(at);
    for (const [square, button] of this.squares) {
      button.classList.toggle("drag-over", square === name && (this.editing || button.classList.contains("target")));
    }
  }

  endDrag(from, to) {
    if (this.editing) {
      this.clearSelection();
      if (to !== from) this.onEdit(from, to);
      return;
    }
    for (const button of this.squares.values()) button.classList.remove("dragged", "drag-over");
    if (to === null || !this.moveSelected(to)) this.clearSelection();
  }
}

/** The outline of an arrow from the centre of square a to the centre of square b. */
function arrowPath(a, b, width) {
  const [x1, y1, x2, y2] = [a.x + 0.5, a.y + 0.5, b.x + 0.5, b.y + 0.5];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = width * 1.9;
  const at = (along, aside) => {
    const x = x1 + ux * along - uy * aside;
    const y = y1 + uy * along + ux * aside;
    return `${x.toFixed(3)} ${y.toFixed(3)}`;
  };
  const [tail, neck, tip, half] = [0.28, length - head - 0.08, length - 0.08, width / 2];
  return `M${at(tail, -half)} L${at(neck, -half)} L${at(neck, -width * 1.15)} L${at(tip, 0)} `
    + `L${at(neck, width * 1.15)} L${at(neck, half)} L${at(tail, half)} Z`;
}
