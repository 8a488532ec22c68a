// Mouse and touch on the board: dragging pieces, drawing arrows and circles with the right button or the pencil.

// Minimum pointer movement of a drag, in pixels.
const MIN_DRAG = 5;

export class Pointer {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.dragged = false;
    board.root.addEventListener("pointerdown", (event) => this.press(event));
    board.frame.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  press(event) {
    const from = this.board.squareOf(event.target);
    this.dragged = false;
    if (!from) return;
    const pencil = this.board.pencilOf();
    if (event.button === 2 && this.board.premove) { this.board.onCancel(); return; }
    if (event.button === 2 || (event.button === 0 && pencil)) this.draw(from, event, pencil);
    if (event.button !== 0 || pencil) return;
    if (this.board.pieces.has(from) && this.board.canMove(from)) this.drag(from, event);
  }

  /** Calls `onMove` for each movement and `onEnd` at the release. */
  follow({ pointerId }, onMove, onEnd) {
    const move = (at) => { if (at.pointerId === pointerId) onMove(at); };
    const end = (at) => {
      if (at.pointerId !== pointerId) return;
      document.removeEventListener("pointermove", move);
      document.removeEventListener("pointerup", end);
      document.removeEventListener("pointercancel", end);
      onEnd(at);
    };
    document.addEventListener("pointermove", move);
    document.addEventListener("pointerup", end);
    document.addEventListener("pointercancel", end);
  }

  /** Starts a drag once the pointer has moved by MIN_DRAG; otherwise the press is a click. */
  drag(from, start) {
    let ghost = null;
    this.follow(start, (at) => {
      if (!ghost && Math.hypot(at.clientX - start.clientX, at.clientY - start.clientY) < MIN_DRAG) return;
      ghost ??= this.lift(from);
      ghost.style.left = `${at.clientX - ghost.offsetWidth / 2}px`;
      ghost.style.top = `${at.clientY - ghost.offsetHeight / 2}px`;
      this.hover(at);
    }, (at) => {
      if (!ghost) return;
      ghost.remove();
      this.dragged = true;
      setTimeout(() => { this.dragged = false; });
      this.board.drop(from, at.type === "pointerup" ? this.squareUnder(at) : from);
    });
  }

  lift(from) {
    const { board } = this;
    if (!board.editing) board.select(from);
    const button = board.squares.get(from);
    const ghost = document.createElement("div");
    ghost.id = "ghost";
    ghost.dataset.piece = button.dataset.piece;
    ghost.style.width = ghost.style.height = `${button.offsetWidth}px`;
    button.classList.add("dragged");
    document.body.append(ghost);
    return ghost;
  }

  squareUnder(at) { return this.board.squareOf(document.elementFromPoint(at.clientX, at.clientY)); }

  hover(at) {
    const name = this.squareUnder(at);
    for (const [square, button] of this.board.squares) {
      button.classList.toggle("drag-over", square === name && (this.board.editing || button.classList.contains("target")));
    }
  }

  /** An arrow to another square, or a circle: green, with Shift red, with Alt blue, with both yellow. */
  draw(from, event, pencil) {
    const colour = pencil ?? ["green", "red", "blue", "yellow"][(event.shiftKey ? 1 : 0) + (event.altKey ? 2 : 0)];
    const show = (at) => {
      const to = this.squareUnder(at);
      this.board.onSketch(to && !this.board.editing ? { from, to: to === from ? null : to, colour } : null);
    };
    show(event);
    this.follow(event, show, (at) => {
      const to = this.squareUnder(at);
      this.board.onSketch(null);
      // The click that follows draws nothing more.
      this.dragged = event.button === 0;
      setTimeout(() => { this.dragged = false; });
      if (to && at.type === "pointerup" && !this.board.editing) this.board.onShape({ from, to: to === from ? null : to, colour });
    });
  }
}
