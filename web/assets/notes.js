// Notes on the shown position beside its moves: comment, signs, drawings; and the tags and the result of the game.

import { commentText, setComment } from "./comments.js";
import { $ } from "./page.js";
import { endingOf, glyph } from "./words.js";

// The NAGs of a move and of a position that are offered.
const MOVE_NAGS = [1, 2, 3, 4, 5, 6, 7];
const POSITION_NAGS = [10, 13, 14, 15, 16, 17, 18, 19];
const NAMES = {
  1: "good move", 2: "mistake", 3: "brilliant move", 4: "blunder", 5: "interesting move", 6: "dubious move", 7: "only move",
  10: "level", 13: "unclear", 14: "White is slightly better", 15: "Black is slightly better", 16: "White is better",
  17: "Black is better", 18: "White is winning", 19: "Black is winning",
};
// The tags that every game has, and those that are offered besides; what is not known of the former is "?".
const ROSTER = ["Event", "Site", "Date", "Round", "White", "Black"];
const OFFERED = ["White", "WhiteElo", "Black", "BlackElo", "Event", "Site", "Date", "Round"];
// Tags that belong to the start position and the result.
const FIXED = ["FEN", "SetUp", "Variant", "Result"];

const unknown = (name) => (name === "Date" ? "????.??.??" : "?");

/** Sets the NAG of a node among these; 0 is none. */
function setNag(node, nags, nag) {
  node.after = node.after.filter((one) => !nags.includes(one.nag));
  // The sign of the move stands before the one of the position, both before the comment.
  const at = nags === MOVE_NAGS ? 0 : node.after.findIndex((one) => !MOVE_NAGS.includes(one.nag));
  if (nag) node.after.splice(at < 0 ? node.after.length : at, 0, { nag });
}

export class Notes {
  /** @param {import("./page.js").Page} page */
  constructor(page) {
    this.page = page;
    /** The node whose notes the fields show. */
    this.node = null;
    page.listeners.push(() => this.draw());
    fill($("glyph"), MOVE_NAGS);
    fill($("position-glyph"), POSITION_NAGS);
    $("comment").addEventListener("input", () => this.type());
    // One step to undo for a text, not for a letter.
    $("comment").addEventListener("change", () => page.draw());
    $("glyph").addEventListener("change", () => this.sign(MOVE_NAGS, $("glyph")));
    $("position-glyph").addEventListener("change", () => this.sign(POSITION_NAGS, $("position-glyph")));
    $("pencil").addEventListener("click", () => this.setPencil($("pencil").getAttribute("aria-pressed") !== "true"));
    $("erase").addEventListener("click", () => page.clearDrawn());
    $("edit-tags").addEventListener("click", () => this.openTags());
    $("tags").addEventListener("close", () => { if ($("tags").returnValue === "save") this.saveTags(); });
  }

  /** The colour that the pencil draws with; null while it is put away. */
  get pencil() {
    const isOut = $("pencil").getAttribute("aria-pressed") === "true" && !this.page.isLocked && $("notes").checkVisibility();
    return isOut ? $("pencil-colour").value : null;
  }

  setPencil(isOut) {
    $("pencil").setAttribute("aria-pressed", String(isOut));
    this.page.board.clearSelection();
  }

  type() {
    const { page, node } = this;
    if (page.isLocked || node !== page.node) return;
    setComment(node, $("comment").value);
    page.game.version += 1;
    page.moveList.update(page.game);
    page.save();
  }

  sign(nags, select) {
    const { page, node } = this;
    if (page.isLocked || node !== page.node) return;
    setNag(node, nags, Number(select.value));
    page.game.version += 1;
    page.draw();
  }

  /** Opens the notes at the comment. */
  open() {
    $("notes").open = true;
    $("comment").focus();
  }

  draw() {
    const { page } = this;
    const { node, game } = page;
    const isTyped = node === this.node && document.activeElement === $("comment");
    this.node = node;
    if (!isTyped) $("comment").value = commentText(node.after);
    const { number, white } = game.moveNumber(node.ply);
    $("comment-label").textContent = node.parent ? `Comment on ${number}${white ? "." : "…"} ${node.san}` : "Comment on the game";
    for (const [select, nags] of [[$("glyph"), MOVE_NAGS], [$("position-glyph"), POSITION_NAGS]]) {
      select.value = node.nags.find((nag) => nags.includes(nag)) ?? 0;
      select.disabled = !node.parent;
    }
  }

  /** The names of the tags that can be edited. */
  get names() {
    const others = this.page.game.tags.map(([name]) => name);
    return [...new Set([...OFFERED, ...others])].filter((name) => !FIXED.includes(name));
  }

  openTags() {
    const { game } = this.page;
    $("tag-fields").replaceChildren(...this.names.map((name) => {
      const [label, input] = ["label", "input"].map((kind) => document.createElement(kind));
      const value = game.tag(name) ?? "";
      Object.assign(input, { name, defaultValue: value === unknown(name) && ROSTER.includes(name) ? "" : value, autocomplete: "off", spellcheck: false });
      label.append(`${name.replace("Elo", " rating")} `, input);
      return label;
    }));
    $("result").value = ["1-0", "0-1", "1/2-1/2"].includes(game.result) ? game.result : "*";
    $("tag-name").value = $("tag-value").value = "";
    $("tags").returnValue = "";
    $("tags").showModal();
  }

  /** Changes a tag. Not every program reads a tag with double quotes. */
  changeTag(name, value) {
    const { game } = this.page;
    const empty = ROSTER.includes(name) && game.tag(name) !== undefined ? unknown(name) : "";
    if (name && !FIXED.includes(name)) game.changeTag(name, value.trim().replaceAll("\"", "'") || empty);
  }

  saveTags() {
    const { page } = this;
    const { game } = page;
    for (const { name, value, defaultValue } of $("tag-fields").querySelectorAll("input")) {
      if (value !== defaultValue) this.changeTag(name, value);
    }
    this.changeTag($("tag-name").value.trim(), $("tag-value").value);
    const result = $("result").value;
    if (result !== (game.result ?? "*")) {
      game.root.end().ending = endingOf(result);
      if (result === "*") game.fileResult = "*";
    }
    game.version += 1;
    page.show();
  }
}

/** Fills a select with signs. */
function fill(select, nags) {
  select.append(new Option("none", "0"), ...nags.map((nag) => new Option(`${glyph(nag)} ${NAMES[nag]}`, String(nag))));
}
