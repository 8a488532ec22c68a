// The board: squares, pieces, selection, targets and promotion. It gets the moves that can be made.

import { slide } from "./motion.js";
import { Pointer } from "./pointer.js";
import { kindName, parsePlacement, pieceCode, pieceName, SYMBOLS } from "./pieces.js";

export class Board {
  /**
   * @param frame     the element around the board, the arrows and the promotion dialog
   * @param onMove    called with the UCI text of a move; of a drag to a square where the piece cannot go, too
   * @param onCancel  called when the shown premove is cancelled
   * @param onEdit    called with (from, to) in edit mode: `from` null places, `to` null removes a piece
   * @param onShape   called with {from, to, colour} of a drawn arrow, or of a circle if `to` is null
   * @param onSketch  called with the shape while it is drawn, and with null at the end
   * @param pencilOf  the colour in which the main button, a finger and the keys draw; null if they move
   */
  constructor(frame, { onMove, onCancel, onEdit, onShape, onSketch, pencilOf }) {
    Object.assign(this, { frame, onMove, onCancel, onEdit, onShape, onSketch, pencilOf });
    this.root = frame.querySelector("#board") ?? buildSquares(frame);
    this.promotionDialog = frame.querySelector("#promotion");
    this.editing = false;
    this.flipped = false;
    /** The shown position, and the moves that can be made there: the legal ones, or premoves. */
    Object.assign(this, { fen: null, legal: [] });
    /** Whether they are premoves, and the chosen one. */
    Object.assign(this, { premoving: false, premove: null });
    this.selected = null;
    /** The square from which an arrow is drawn by keys. */
    this.tail = null;
    /** The buttons by the names of their squares. @type {Map<string, HTMLElement>} */
    this.squares = new Map();
    for (const button of this.root.querySelectorAll("[data-col]")) {
      this.squares.set(button.dataset.col + button.dataset.row, button);
    }
    /** The letters of the pieces by the names of their squares. @type {Map<string, string>} */
    this.pieces = new Map();
    this.addListeners();
    this.pointer = new Pointer(this);
    this.setFocus("e2", false);
  }

  /**
   * Shows a position with its legal moves, the last move and a check; with `premoving` they are premoves, of which
   * `premove` is the chosen one.
   */
  show({ fen, legal = [], last = null, check = false, animate = true, premoving = false, premove = null }) {
    const [placement, turn, castling, ep] = fen.split(" ");
    const before = this.pieces;
    this.pieces = parsePlacement(placement);
    Object.assign(this.root.dataset, { turn, castling, ep });
    // A piece stays in the hand while its position is drawn again, and for a premove also when the turn comes.
    const staysInHand = (this.premoving || this.fen === fen) && before.get(this.selected) === this.pieces.get(this.selected);
    const held = staysInHand ? this.selected : null;
    const isDragged = this.squares.get(held)?.classList.contains("dragged");
    const promotesOn = this.promotionDialog.hidden ? null : this.promotionDialog.firstElementChild.dataset.uci.slice(2, 4);
    Object.assign(this, { fen, legal, premoving, premove });
    this.clearSelection();
    if (held && this.select(held)) {
      this.squares.get(held).classList.toggle("dragged", isDragged);
      if (promotesOn) this.moveSelected(promotesOn);
    }
    const movable = new Set(legal.map((move) => move.from));
    const king = turn === "w" ? "K" : "k";
    for (const [name, button] of this.squares) {
      const piece = this.pieces.get(name);
      const symbol = piece ? SYMBOLS[piece] : "";
      if (button.textContent !== symbol) button.textContent = symbol;
      if (piece) button.dataset.piece = pieceCode(piece);
      else delete button.dataset.piece;
      button.classList.toggle("movable", movable.has(name) || (this.editing && Boolean(piece)));
      button.classList.toggle("last-move", Boolean(last) && (name === last.from || name === last.to));
      button.classList.toggle("check", check && piece === king);
      button.classList.toggle("premove", Boolean(premove) && (name === premove.from || name === premove.to));
    }
    this.updateLabels();
    if (animate && !this.editing) slide(this, before, this.dropped);
    this.dropped = null;
  }

  /** Sets the accessible names of the squares. */
  updateLabels() {
    const targets = new Set(this.targets(this.selected).map((target) => target.square));
    for (const [name, button] of this.squares) {
      const piece = this.pieces.get(name);
      const parts = [name, piece ? pieceName(piece) : "empty"];
      if (name === this.selected || name === this.tail) parts.push("selected");
      if (name === this.premove?.from || name === this.premove?.to) parts.push("premove");
      if (targets.has(name)) parts.push(piece ? "possible capture" : "possible target");
      const label = parts.join(", ");
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
    }
  }

  flip(flipped) {
    if (flipped === this.flipped) return;
    this.flipped = flipped;
    const focused = /** @type {HTMLElement} */ (document.activeElement);
    const rows = [...this.root.children].sort((a, b) => this.order(b.dataset.rank - a.dataset.rank));
    for (const row of rows) {
      const files = [...row.children].sort((a, b) => this.order(a.dataset.col < b.dataset.col ? -1 : 1));
      row.append(...files);
    }
    this.root.append(...rows);
    // Moving an element in the document removes the focus.
    if (this.root.contains(focused)) focused.focus();
    this.clearSelection();
  }

  order(sign) { return this.flipped ? -sign : sign; }

  /**
   * The targets of a piece; for castling both the target of the king and the square of the rook. In
   * Chess960 the king may castle where it stands: its own square is no target.
   */
  targets(from) {
    const targets = [];
    for (const move of this.legal) {
      if (move.from !== from) continue;
      if (move.to !== from) targets.push({ square: move.to, move });
      if (move.rook && move.rook !== move.to) targets.push({ square: move.rook, move });
    }
    return targets;
  }

  /** Whether a piece can be picked up: in a game every piece of the side to move. */
  canMove(from) {
    const isWhite = (square) => /[KQRBNP]/.test(this.pieces.get(square));
    if (this.editing || !this.pieces.has(from)) return this.pieces.has(from);
    return this.legal.length > 0 && isWhite(from) === isWhite(this.legal[0].from);
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
    this.selected = this.tail = null;
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
      button.setAttribute("aria-label", kindName(move.promotion));
      button.addEventListener("click", () => { this.clearSelection(); this.setFocus(name); this.onMove(move.uci); });
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

  squareOf(target) {
    const button = target?.closest?.("[data-col]");
    return button && this.root.contains(button) ? button.dataset.col + button.dataset.row : null;
  }

  setFocus(name, focus = true) {
    for (const button of this.squares.values()) button.tabIndex = -1;
    const button = this.squares.get(name);
    button.tabIndex = 0;
    if (focus) button.focus({ preventScroll: true });
  }

  addListeners() {
    this.root.addEventListener("click", (event) => this.click(event));
    this.root.addEventListener("keydown", (event) => this.boardKey(event));
    this.promotionDialog.addEventListener("keydown", (event) => this.promotionKey(event));
    // After a press of the pointer the arrow keys step through the game; after Tab they move on the board.
    document.addEventListener("pointerdown", (event) => {
      this.byPointer = true;
      if (!this.promotionDialog.hidden && !this.promotionDialog.contains(event.target)) this.clearSelection();
    }, true);
    document.addEventListener("keydown", (event) => {
      if (["Tab", "Enter", " "].includes(event.key)) this.byPointer = false;
    }, true);
  }

  click(event) {
    const name = this.squareOf(event.target);
    if (!name) return;
    this.setFocus(name);
    if (this.premove && !this.selected && !this.pointer.dragged) this.onCancel();
    if (this.pointer.dragged) {
      this.pointer.dragged = false;
    } else if (this.pencilOf()) {
      this.mark(name);
    } else if (this.editing) {
      this.onEdit(null, name);
    } else if (this.selected === name) {
      this.clearSelection();
    } else if (!this.selected || !this.moveSelected(name)) {
      this.select(name);
    }
  }

  /** Begins a shape at a square, or ends it there: on the same square as a circle. */
  mark(name) {
    const { tail } = this;
    this.clearSelection();
    if (tail) {
      this.onShape({ from: tail, to: name === tail ? null : name, colour: this.pencilOf() });
      return;
    }
    this.tail = name;
    this.squares.get(name).classList.add("selected");
    this.updateLabels();
  }

  boardKey(event) {
    const name = this.squareOf(event.target);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Escape" && (this.selected || this.tail)) {
      event.preventDefault();
      this.clearSelection();
    }
    if (!name || !step || this.byPointer || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y } = this.screenPosition(name);
    const [toX, toY] = [x + step[0], y + step[1]];
    if (toX >= 0 && toX < 8 && toY >= 0 && toY < 8) this.setFocus(this.squareAt(toX, toY));
  }

  /** A key in the promotion dialog. The dialog is modal: the page gets none of its keys. */
  promotionKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    event.stopPropagation();
    const buttons = [...this.promotionDialog.children];
    const at = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
    const chosen = buttons.find((button) => button.dataset.piece[1] === event.key.toLowerCase());
    if (event.key === "Escape") {
      const square = this.selected;
      this.clearSelection();
      if (square) this.setFocus(square);
    } else if (step) {
      event.preventDefault();
      buttons[(at + step + buttons.length) % buttons.length].focus();
    } else if (chosen) {
      event.preventDefault();
      chosen.click();
    }
  }

  /** The end of a drag: a move, or an edit. */
  drop(from, to) {
    if (this.editing) {
      this.clearSelection();
      if (to !== from) this.onEdit(from, to);
      return;
    }
    // A piece that was dragged is where it belongs: it does not slide. A pawn is not seen until its promotion is chosen.
    this.dropped = to;
    if (to && this.moveSelected(to)) return;
    this.clearSelection();
    // The answer is why the piece cannot go there.
    if (to && to !== from && this.canMove(from)) this.onMove(from + to);
  }
}

/** The squares, in a page that does not contain them. */
function buildSquares(frame) {
  const root = document.createElement("div");
  root.id = "board";
  root.setAttribute("role", "grid");
  root.setAttribute("aria-label", "Chess board");
  for (let row = 8; row >= 1; row -= 1) {
    const rank = document.createElement("div");
    rank.setAttribute("role", "row");
    rank.dataset.rank = String(row);
    for (const [index, col] of [..."abcdefgh"].entries()) {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: (index + row) % 2 ? "dark" : "light", tabIndex: -1 });
      button.setAttribute("role", "gridcell");
      Object.assign(button.dataset, { col, row });
      rank.append(button);
    }
    root.append(rank);
  }
  frame.prepend(root);
  return root;
}
