// Setting up a position: a palette, a board to put pieces on, and the other fields of a FEN.

import { codeOf, nameOf, placement, placementText } from "./board.js";

const STANDARD = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

export class Setup {
  /** @param onDone called with the FEN a person set up */
  constructor(board, parts, onDone) {
    Object.assign(this, { board, ...parts });
    this.chosen = "P";
    this.fillPalette();
    this.clear.addEventListener("click", () => { this.castling.value = "-"; this.ep.value = "-"; this.show(new Map()); });
    this.standard.addEventListener("click", () => this.open(STANDARD));
    this.done.addEventListener("click", () => onDone(this.fen()));
  }

  get active() { return this.board.editing; }

  fillPalette() {
    const button = (piece) => {
      const element = document.createElement("button");
      element.type = "button";
      element.setAttribute("aria-pressed", "false");
      if (piece) {
        element.dataset.piece = codeOf(piece);
        element.setAttribute("aria-label", nameOf(piece));
      } else {
        element.textContent = "Erase";
      }
      element.addEventListener("click", () => this.choose(piece));
      element.dataset.choice = piece;
      return element;
    };
    this.palette.replaceChildren(...[..."KQRBNP"].map(button), button(""), ...[..."kqrbnp"].map(button));
    this.choose(this.chosen);
  }

  choose(piece) {
    this.chosen = piece;
    for (const button of this.palette.children) {
      button.setAttribute("aria-pressed", String(button.dataset.choice === piece));
    }
  }

  open(fen) {
    const [, turn, castling, ep] = fen.split(" ");
    this.turn.value = turn;
    this.castling.value = castling;
    this.ep.value = ep;
    this.toggle(true);
    this.show(placement(fen));
  }

  close() { this.toggle(false); }

  toggle(active) {
    this.board.editing = active;
    for (const part of [this.palette, this.fields, this.clear, this.standard]) part.hidden = !active;
  }

  show(pieces) {
    this.pieces = pieces;
    this.board.show({ fen: this.fen() });
  }

  /** A click (from null) puts the chosen piece down or lifts the same one; a drag moves or removes. */
  edit(from, to) {
    const pieces = new Map(this.pieces);
    const piece = from ? pieces.get(from) : this.chosen;
    if (from) pieces.delete(from);
    if (to && (!piece || (!from && pieces.get(to) === piece))) pieces.delete(to);
    else if (to) pieces.set(to, piece);
    this.show(pieces);
  }

  fen() {
    const castling = this.castling.value.trim() || "-";
    const ep = this.ep.value.trim() || "-";
    return `${placementText(this.pieces)} ${this.turn.value} ${castling} ${ep} 0 1`;
  }
}
