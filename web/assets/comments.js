// Commands in comments, such as `[%eval 0.31]` or `[%cal Gd2d4]`: evaluations, clocks, drawn shapes.

// A command ends before the next bracket: many that are not closed are read in linear time.
const COMMAND = /\s?\[%\w[^\][]*\]/g;
// `0.31`, `#-3`, and as engines write mates: `-M3`.
const EVALUATION = /\[%eval\s+([+-]?)([#M]?)([+-]?(?:\d+(?:\.\d*)?|\.\d+))/;
const CLOCK = /\[%clk\s+([\d:.]+)\]/;
const SHAPES = /\s?\[%(?:cal|csl)\s([^\][]*)\]/g;
const COLOURS = { G: "green", R: "red", Y: "yellow", B: "blue" };

const texts = (annotations) => annotations.map(({ comment }) => comment ?? "").filter(Boolean);

/** The comments of a list of annotations, without commands. */
export function commentText(annotations) {
  return texts(annotations).map((text) => text.replace(COMMAND, "").trim().replace(/\s+/g, " ")).filter(Boolean).join(" ");
}

/** Adds a text to the comment of a node: a second comment on a move is not read by every program. */
export function addComment(node, text) {
  const last = node.after.findLast(({ comment }) => comment !== undefined);
  if (last) last.comment = `${last.comment} ${text}`.trim();
  else node.after.push({ comment: text });
}

/** Replaces the comment of a node. Its commands stay: a clock, drawings. A comment in PGN has no braces. */
export function setComment(node, text) {
  const commands = texts(node.after).flatMap((comment) => comment.match(COMMAND) ?? []).map((command) => command.trim());
  const plain = text.replace(/\s+/g, " ").replaceAll("{", "(").replaceAll("}", ")").trim();
  const comment = [plain, ...commands].filter(Boolean).join(" ");
  node.after = [...node.after.filter(({ nag }) => nag !== undefined), ...(comment ? [{ comment }] : [])];
}

/** The remaining time that a comment records. */
export function clockText(node) { return CLOCK.exec(texts(node.after).join(" "))?.[1] ?? null; }

/** The score, from White's view, that a comment records. */
export function recordedScore(node) {
  const [, sign, mate, digits] = EVALUATION.exec(texts(node.after).join(" ")) ?? [];
  if (digits === undefined) return null;
  const number = sign === "-" ? -Number(digits) : Number(digits);
  if (mate) return number === 0 ? null : { mate: number };
  return { cp: Math.round(number * 100) };
}

/** The arrows {from, to, colour} and circles {from, colour} of a node. */
export function shapesOf(node) {
  const shapes = [];
  for (const [, list] of texts(node.after).join(" ").matchAll(SHAPES)) {
    for (const [, letter, from, to] of list.matchAll(/([GRYB])([a-h][1-8])([a-h][1-8])?/g)) {
      shapes.push({ from, to: to ?? null, colour: COLOURS[letter] });
    }
  }
  return shapes;
}

/** Replaces the shapes of a node. */
export function setShapes(node, shapes) {
  const letter = (colour) => Object.keys(COLOURS).find((key) => COLOURS[key] === colour);
  const list = (name, chosen) => (chosen.length
    ? [`[%${name} ${chosen.map(({ from, to, colour }) => `${letter(colour)}${from}${to ?? ""}`).join(",")}]`] : []);
  const commands = [...list("csl", shapes.filter(({ to }) => !to)), ...list("cal", shapes.filter(({ to }) => to))].join(" ");
  for (const annotation of node.after) {
    if (annotation.comment === undefined) continue;
    const bare = annotation.comment.replace(SHAPES, "");
    if (bare !== annotation.comment) annotation.comment = bare.trim();
  }
  node.after = node.after.filter(({ comment }) => comment !== "");
  if (commands) addComment(node, commands);
}
