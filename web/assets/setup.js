// The position setup: a palette, the board in edit mode, and the other fields of a FEN.

import { parsePlacement, pieceCode, pieceName, placementText } from "./pieces.js";
import { START_FEN } from "./tree.js";

export class Setup {
  /**
   * @param onDone    called with the FEN
   * @param onCancel  called when the user gives up
   * @param onChange  called after every change of the position
   */
  constructor(board, elements, { onDone, onCancel, onChange }) {
    Object.assign(this, { board, onChange, ...elements });
    this.selected = "P";
    this.fillPalette();
    this.clear.addEventListener("click", () => { this.castling.value = "-"; this.ep.value = "-"; this.show(new Map()); });
    this.standard.addEventListener("click", () => this.open(START_FEN));
    this.done.addEventListener("click", () => onDone(this.fen()));
    this.cancel.addEventListener("click", () => { this.close(); onCancel(); });
    for (const field of [this.turn, this.castling, this.ep]) field.addEventListener("input", () => this.onChange());
  }

  get active() { return this.board.editing; }

  fillPalette() {
    const button = (piece) => {
      const element = document.createElement("button");
      element.type = "button";
      element.setAttribute("aria-pressed", "false");
      if (piece) {
        element.dataset.piece = pieceCode(piece);
        element.setAttribute("aria-label", pieceName(piece));
      } else {
        element.textContent = "Erase";
        element.className = "erase";
      }
      element.addEventListener("click", () => this.select(piece));
      element.dataset.choice = piece;
      return element;
    };
    this.palette.replaceChildren(...[..."KQRBNP"].map(button), button(""), ...[..."kqrbnp"].map(button));
    this.palette.addEventListener("keydown", (event) => this.key(event));
    this.select(this.selected);
  }

  select(piece) {
    this.selected = piece;
    for (const button of this.palette.children) {
      button.setAttribute("aria-pressed", String(button.dataset.choice === piece));
      button.tabIndex = button.dataset.choice === piece ? 0 : -1;
    }
  }

  /** The arrow keys choose the next piece. */
  key(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const buttons = [...this.palette.children];
    const next = buttons[(buttons.indexOf(/** @type {HTMLElement} */ (document.activeElement)) + step + buttons.length) % buttons.length];
    this.select(next.dataset.choice);
    next.focus();
  }

  open(fen) {
    const [, turn, castling, ep] = fen.split(" ");
    this.turn.value = turn;
    this.castling.value = castling;
    this.ep.value = ep;
    this.setActive(true);
    this.show(parsePlacement(fen));
  }

  close() { this.setActive(false); }

  setActive(active) {
    this.board.editing = active;
    for (const element of [this.palette, this.fields, this.clear, this.standard, this.cancel]) element.hidden = !active;
    this.begin.hidden = active;
    document.body.classList.toggle("editing", active);
  }

  show(pieces) {
    this.pieces = pieces;
    this.board.show({ fen: this.fen() });
    this.onChange();
  }

  /** A click (`from` is null) places the selected piece or removes the same one; a drag moves or removes a piece. */
  edit(from, to) {
    const pieces = new Map(this.pieces);
    const piece = from ? pieces.get(from) : this.selected;
    if (from) pieces.delete(from);
    if (to && (!piece || (!from && pieces.get(to) === piece))) pieces.delete(to);
    else if (to) pieces.set(to, piece);
    this.show(pieces);
  }

  fen() {
    const [castling, ep] = [this.castling, this.ep].map(({ value }) => value.replace(/\s/g, "") || "-");
    return `${placementText(this.pieces)} ${this.turn.value} ${castling} ${ep} 0 1`;
  }
}
