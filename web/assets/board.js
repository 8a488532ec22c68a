// The board a person sees and touches. It knows squares, pictures and a list of legal moves that it
// was given; what is legal is the server's word.

const SYMBOLS = {
  K: "♔", Q: "♕", R: "♖", B: "♗", N: "♘", P: "♙", k: "♚", q: "♛", r: "♜", b: "♝", n: "♞", p: "♟",
};
const NAMES = { k: "king", q: "queen", r: "rook", b: "bishop", n: "knight", p: "pawn" };
const DRAG_STARTS = 5;

export const colourOf = (piece) => (piece === piece.toUpperCase() ? "w" : "b");
export const codeOf = (piece) => colourOf(piece) + piece.toLowerCase();
export const nameOf = (piece) => `${colourOf(piece) === "w" ? "white" : "black"} ${NAMES[piece.toLowerCase()]}`;

/** The pieces of a FEN's first field, by square name. */
export function placement(fen) {
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

/** The first field of a FEN for these pieces. */
export function placementText(squares) {
  return [8, 7, 6, 5, 4, 3, 2, 1].map((row) => [..."abcdefgh"]
    .map((file) => squares.get(file + row) ?? "1").join("").replace(/1+/g, (ones) => ones.length)).join("/");
}

export class Board {
  /**
   * @param frame    the element around the board, its arrows and its promotion choice
   * @param onMove   called with a legal move's UCI text
   * @param onEdit   called with (from, to) while setting up: from null places, to null removes
   */
  constructor(frame, { onMove, onEdit }) {
    this.frame = frame;
    this.root = frame.querySelector("#board");
    this.arrows = frame.querySelector("#arrows");
    this.chooser = frame.querySelector("#promotion");
    this.onMove = onMove;
    this.onEdit = onEdit;
    this.editing = false;
    this.flipped = false;
    this.legal = [];
    this.picked = null;
    this.arrowList = [];
    this.squares = new Map();
    for (const button of this.root.querySelectorAll("[data-col]")) {
      this.squares.set(button.dataset.col + button.dataset.row, button);
    }
    this.pieces = new Map();
    this.listen();
    this.focusOn("e2", false);
  }

  /** Shows a position: pieces, whose turn, what may move, the last move and a king in check. */
  show({ fen, legal = [], last = null, check = false }) {
    const [board, turn, castling, ep] = fen.split(" ");
    this.pieces = placement(board);
    this.root.dataset.turn = turn;
    this.root.dataset.castling = castling;
    this.root.dataset.ep = ep;
    this.legal = legal;
    this.cancel();
    const own = new Set(legal.map((move) => move.from));
    const king = turn === "w" ? "K" : "k";
    for (const [name, button] of this.squares) {
      const piece = this.pieces.get(name);
      button.textContent = piece ? SYMBOLS[piece] : "";
      if (piece) button.dataset.piece = codeOf(piece);
      else delete button.dataset.piece;
      button.classList.toggle("own", own.has(name) || (this.editing && Boolean(piece)));
      button.classList.toggle("last", Boolean(last) && (name === last.from || name === last.to));
      button.classList.toggle("check", check && piece === king);
    }
    this.label();
  }

  /** What a screen reader hears on each square. */
  label() {
    const targets = new Set(this.targets(this.picked).map((target) => target.square));
    for (const [name, button] of this.squares) {
      const piece = this.pieces.get(name);
      const words = [name, piece ? nameOf(piece) : "empty"];
      if (name === this.picked) words.push("picked up");
      if (targets.has(name)) words.push(piece ? "can be taken" : "can be reached");
      button.setAttribute("aria-label", words.join(", "));
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
    // What is moved in the document loses the focus: give it back.
    if (this.root.contains(focused)) focused.focus();
    this.cancel();
    this.drawArrows(this.arrowList);
  }

  order(sign) { return this.flipped ? -sign : sign; }

  /** Where a piece on `from` may go: its king's goal or, castling, the rook's own square too. */
  targets(from) {
    const found = [];
    for (const move of this.legal) {
      if (move.from !== from) continue;
      found.push({ square: move.to, move });
      if (move.rook && move.rook !== move.to) found.push({ square: move.rook, move });
    }
    return found;
  }

  pick(name) {
    this.cancel();
    if (!this.legal.some((move) => move.from === name)) return false;
    this.picked = name;
    this.squares.get(name).classList.add("picked");
    for (const target of this.targets(name)) this.squares.get(target.square).classList.add("target");
    this.label();
    return true;
  }

  cancel() {
    this.picked = null;
    this.chooser.hidden = true;
    for (const button of this.squares.values()) button.classList.remove("picked", "target", "over", "lifted");
    this.label();
  }

  /** Puts the picked piece down; several moves on one pair of squares are a promotion to choose. */
  drop(name) {
    let moves = this.targets(this.picked).filter((target) => target.square === name).map((target) => target.move);
    if (moves.length > 1 && !moves.every((move) => move.promotion)) moves = [moves.find((move) => !move.rook) ?? moves[0]];
    if (moves.length === 0) return false;
    if (moves.length === 1) {
      this.cancel();
      this.onMove(moves[0].uci);
    } else {
      this.choose(name, moves);
    }
    return true;
  }

  choose(name, moves) {
    const order = "qnrb";
    const white = this.pieces.get(moves[0].from) === "P";
    moves.sort((a, b) => order.indexOf(a.promotion) - order.indexOf(b.promotion));
    this.chooser.replaceChildren(...moves.map((move) => {
      const button = document.createElement("button");
      button.type = "button";
      button.dataset.piece = (white ? "w" : "b") + move.promotion;
      button.dataset.uci = move.uci;
      button.setAttribute("aria-label", NAMES[move.promotion]);
      button.addEventListener("click", () => { this.cancel(); this.onMove(move.uci); });
      return button;
    }));
    const { x, y } = this.place(name);
    this.chooser.style.left = `${x * 12.5}%`;
    this.chooser.style.top = y < 4 ? "0" : "auto";
    this.chooser.style.bottom = y < 4 ? "auto" : "0";
    this.chooser.hidden = false;
    this.chooser.firstElementChild.focus();
  }

  /** A square's place on the screen, in squares from the top left. */
  place(name) {
    const file = "abcdefgh".indexOf(name[0]);
    const row = Number(name[1]);
    return this.flipped ? { x: 7 - file, y: row - 1 } : { x: file, y: 8 - row };
  }

  nameAt(x, y) {
    return this.flipped ? "abcdefgh"[7 - x] + (y + 1) : "abcdefgh"[x] + (8 - y);
  }

  /** Draws arrows [{from, to, weight}], weight 1 the strongest. */
  drawArrows(list) {
    this.arrowList = list;
    this.arrows.replaceChildren(...list.map(({ from, to, weight }) => {
      const a = this.place(from);
      const b = this.place(to);
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", arrowPath(a, b, 0.1 + 0.08 * weight));
      path.setAttribute("opacity", String(0.3 + 0.5 * weight));
      path.dataset.move = from + to;
      return path;
    }));
  }

  focusOn(name, move = true) {
    for (const button of this.squares.values()) button.tabIndex = -1;
    const button = this.squares.get(name);
    button.tabIndex = 0;
    if (move) button.focus();
  }

  listen() {
    this.root.addEventListener("click", (event) => this.click(event));
    this.root.addEventListener("keydown", (event) => this.key(event));
    this.root.addEventListener("pointerdown", (event) => this.press(event));
    this.chooser.addEventListener("keydown", (event) => this.chooserKey(event));
    document.addEventListener("pointerdown", (event) => {
      if (!this.chooser.hidden && !this.chooser.contains(event.target)) this.cancel();
    }, true);
  }

  squareOf(target) {
    const button = target?.closest?.("[data-col]");
    return button && this.root.contains(button) ? button.dataset.col + button.dataset.row : null;
  }

  click(event) {
    const name = this.squareOf(event.target);
    if (!name) return;
    this.focusOn(name);
    if (this.dragged) {
      this.dragged = false;
    } else if (this.editing) {
      this.onEdit(null, name);
    } else if (this.picked === name) {
      this.cancel();
    } else if (!this.picked || !this.drop(name)) {
      this.pick(name);
    }
  }

  key(event) {
    const name = this.squareOf(event.target);
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (event.key === "Escape") this.cancel();
    if (!name || !step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { x, y } = this.place(name);
    const [toX, toY] = [x + step[0], y + step[1]];
    if (toX >= 0 && toX < 8 && toY >= 0 && toY < 8) this.focusOn(this.nameAt(toX, toY));
  }

  chooserKey(event) {
    const buttons = [...this.chooser.children];
    const at = buttons.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Tab: event.shiftKey ? -1 : 1 }[event.key];
    if (event.key === "Escape") {
      const back = this.picked;
      this.cancel();
      if (back) this.focusOn(back);
    } else if (step) {
      event.preventDefault();
      buttons[(at + step + buttons.length) % buttons.length].focus();
    } else {
      return;
    }
    event.stopPropagation();
  }

  /** A press may become a drag; if the pointer hardly moves it stays a click. */
  press(event) {
    const from = this.squareOf(event.target);
    this.dragged = false;
    if (!from || event.button !== 0 || !this.pieces.has(from)) return;
    const movable = this.editing || this.legal.some((move) => move.from === from);
    if (!movable) return;
    const start = { x: event.clientX, y: event.clientY };
    let ghost = null;
    const move = (at) => {
      if (!ghost && Math.hypot(at.clientX - start.x, at.clientY - start.y) < DRAG_STARTS) return;
      if (!ghost) ghost = this.lift(from);
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
      this.release(from, at.type === "pointerup" ? this.under(at) : from);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  }

  lift(from) {
    if (!this.editing) this.pick(from);
    const button = this.squares.get(from);
    const ghost = document.createElement("div");
    ghost.id = "ghost";
    ghost.dataset.piece = button.dataset.piece;
    ghost.style.width = ghost.style.height = `${button.offsetWidth}px`;
    button.classList.add("lifted");
    document.body.append(ghost);
    return ghost;
  }

  under(at) { return this.squareOf(document.elementFromPoint(at.clientX, at.clientY)); }

  hover(at) {
    const name = this.under(at);
    for (const [square, button] of this.squares) {
      button.classList.toggle("over", square === name && (this.editing || button.classList.contains("target")));
    }
  }

  release(from, to) {
    if (this.editing) {
      this.cancel();
      if (to !== from) this.onEdit(from, to);
      return;
    }
    for (const button of this.squares.values()) button.classList.remove("lifted", "over");
    if (to === null || !this.drop(to)) this.cancel();
  }
}

/** An arrow as one filled outline, from the middle of square a to the middle of square b. */
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
