// Writes games as PGN: tags, comments, NAGs and variations as they were read.

import { START_FEN } from "./tree.js";

// Maximum length of a line in characters.
const WIDTH = 79;

/** Several games as one text. */
export function writeGames(games) { return games.map(writePgn).join("\n"); }

/** A game. */
export function writePgn(game) {
  const tags = game.tags.map(([name, value]) => `[${name} "${value}"]\n`).join("");
  return `${tags}${tags && "\n"}${movetext(game)}\n`;
}

/** The tags of a new game. */
export function newTags({ white = "?", black = "?", start = START_FEN, chess960 = false } = {}) {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", ".");
  const tags = [["Event", "?"], ["Site", "?"], ["Date", day], ["Round", "?"], ["White", white], ["Black", black], ["Result", "*"]];
  if (chess960) tags.push(["Variant", "Chess960"]);
  if (start !== START_FEN) tags.push(["SetUp", "1"], ["FEN", start]);
  return tags;
}

function movetext(game) {
  const lines = new Lines();
  annotate(lines, game.root.after);
  // A stack of what is left to write, so that the depth of variations has no limit.
  const waiting = [];
  follow(game.root, true, waiting);
  while (waiting.length) {
    const { node, numbered, what } = waiting.pop();
    if (what === "end") {
      lines.attach(")");
      continue;
    }
    if (what === "line") {
      follow(node, numbered, waiting);
      continue;
    }
    if (what === "variation") {
      lines.word("(");
      lines.glue = true;
      waiting.push({ what: "end" }, { what: "line", node, numbered: isInterrupted(node) });
    }
    annotate(lines, node.before);
    number(lines, game, node, numbered || node.before.length > 0);
    lines.word(node.san);
    annotate(lines, node.after);
  }
  const tag = game.tag("Result");
  lines.word(game.result ?? (/^(1-0|0-1|1\/2-1\/2)$/.test(tag) ? tag : "*"));
  return lines.text();
}

/** Adds what follows a node: its continuation, the variations beside it, and the rest of the line. */
function follow(node, numbered, waiting) {
  const [main, ...others] = node.children;
  if (!main) return;
  waiting.push({ what: "line", node: main, numbered: others.length > 0 || isInterrupted(main) });
  for (const other of others.reverse()) waiting.push({ what: "variation", node: other, numbered: true });
  waiting.push({ what: "move", node: main, numbered });
}

/** Whether a comment stands between a move and the next one. */
function isInterrupted(node) { return node.after.some(({ nag }) => nag === undefined); }

function number(lines, game, node, numbered) {
  const { number: text, white } = game.moveNumber(node.ply);
  if (white) lines.word(`${text}.`);
  else if (numbered) lines.word(`${text}...`);
}

function annotate(lines, annotations) {
  for (const { nag, comment, line, raw } of annotations) {
    if (nag !== undefined) lines.word(`$${nag}`);
    else if (comment !== undefined) lines.word(`{${comment.replaceAll("}", ")")}}`);
    // A line that starts with a percent sign would be skipped.
    else if (raw !== undefined) lines.word(raw.replace(/^%/, " %"));
    else lines.rest(`;${line}`);
  }
}

/** Words in lines of limited length. A comment is one word: its text stays as it is. */
class Lines {
  constructor() {
    this.lines = [];
    this.last = "";
    this.glue = false;
  }

  word(word) {
    if (this.last === "") this.last = word;
    else if (this.glue) this.last += word;
    else if (this.last.length + 1 + word.length <= WIDTH) this.last += ` ${word}`;
    else this.break(word);
    this.glue = false;
  }

  attach(sign) {
    if (this.last === "" && this.lines.length) this.last = sign;
    else this.last += sign;
  }

  /** A comment to the end of the line. */
  rest(text) {
    this.last += `${this.last && !this.glue ? " " : ""}${text}`;
    this.glue = false;
    this.break("");
  }

  break(word) {
    this.lines.push(this.last);
    this.last = word;
  }

  text() { return [...this.lines, this.last].join("\n"); }
}
