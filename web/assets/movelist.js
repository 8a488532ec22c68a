// The move list: the main line in two columns, variations and comments between its rows.

import { clockText, commentText } from "./comments.js";
import { glyph } from "./words.js";

export class MoveList {
  /** @param onNode called with a clicked node */
  constructor(root, onNode) {
    this.root = root;
    this.buttons = new Map();
    this.nodes = new WeakMap();
    root.addEventListener("click", (event) => {
      const node = this.nodes.get(event.target.closest("button"));
      if (node) onNode(node);
    });
  }

  /** Draws the list again if the moves have changed, and marks the current one. */
  update(game) {
    if (game !== this.game || game.version !== this.version || game.result !== this.result) this.draw(game);
    else this.mark(game.current);
  }

  /**
   * Draws the whole list again.
   * @param {import("./tree.js").GameTree} game
   */
  draw(game) {
    this.game = game;
    this.version = game.version;
    this.result = game.result;
    this.buttons.clear();
    this.rows = [];
    this.row = null;
    const remark = commentText(game.root.after);
    if (remark) this.block([text("comment", remark)]);
    for (const node of game.root.line()) this.addMainMove(node);
    if (game.result && game.result !== "*") this.block([text("result", game.result.replaceAll("1/2", "½"))]);
    this.root.replaceChildren(...this.rows);
    this.mark(game.current);
  }

  /** Marks the current move and scrolls to it. */
  mark(current) {
    this.root.querySelector("[aria-current]")?.removeAttribute("aria-current");
    const button = this.buttons.get(current);
    if (!button) {
      this.root.scrollTop = 0;
      return;
    }
    button.setAttribute("aria-current", "true");
    const [list, box] = [this.root.getBoundingClientRect(), button.getBoundingClientRect()];
    if (box.top < list.top || box.bottom > list.bottom) this.root.scrollTop += box.top - list.top - list.height / 2;
  }

  addMainMove(node) {
    const { number, white } = this.game.moveNumber(node.ply);
    if (white || !this.row) {
      this.row = document.createElement("li");
      this.row.append(text("number", `${number}.`));
      if (!white) this.row.append(text("gap", "…"));
      this.rows.push(this.row);
    }
    this.row.append(this.moveButton(node));
    const remark = commentText(node.after);
    const others = node.parent.children.slice(1);
    if (remark || others.length) {
      if (white) this.row.append(text("gap", "…"));
      this.block([...(remark ? [text("comment", remark)] : []), ...others.map((other) => this.variation(other))]);
    }
  }

  /** A block between the rows of the main line. */
  block(parts) {
    const item = document.createElement("li");
    item.className = "block";
    item.append(...parts);
    this.rows.push(item);
    this.row = null;
  }

  /** A variation and all that it contains. Without recursion: variations may be nested deeply. */
  variation(first) {
    const root = document.createElement("div");
    root.className = "variation";
    /** @type {{ node?: import("./tree.js").Node, numbered?: boolean, sign?: string }[]} */
    const waiting = [{ node: first, numbered: true, sign: "" }];
    while (waiting.length) {
      const { node, numbered, sign } = waiting.pop();
      if (sign) root.append(text("sign", sign));
      if (!node) continue;
      const before = commentText(node.before);
      if (before) root.append(text("comment", before));
      const { number, white } = this.game.moveNumber(node.ply);
      if (white || numbered || before) root.append(text("number", `${number}${white ? "." : "…"}`));
      root.append(this.moveButton(node));
      const after = commentText(node.after);
      if (after) root.append(text("comment", after));
      // The siblings of a continuation follow it in parentheses, then the line goes on.
      const others = node !== first && node.isContinuation ? node.parent.children.slice(1) : [];
      if (node.next) waiting.push({ node: node.next, numbered: Boolean(after) || others.length > 0 });
      for (const other of others.reverse()) waiting.push({ sign: ")" }, { node: other, numbered: true, sign: "(" });
    }
    return root;
  }

  moveButton(node) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = node.san;
    const mark = node.review?.mark ?? "";
    const signs = [...node.before.filter(({ nag }) => nag !== undefined).map(({ nag }) => nag), ...node.nags].map(glyph);
    const all = [...new Set([...signs, mark])].filter(Boolean).join(" ");
    if (all) button.dataset.mark = all;
    if (node.error) button.classList.add("illegal");
    const clock = clockText(node);
    if (node.error || clock) button.title = node.error ?? `Clock ${clock}`;
    this.buttons.set(node, button);
    this.nodes.set(button, node);
    return button;
  }
}

function text(className, content) {
  const element = document.createElement("span");
  element.className = className;
  element.textContent = content;
  return element;
}
