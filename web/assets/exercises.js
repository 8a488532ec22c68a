// Exercises as they are kept: made from the mistakes of a review, and as games of a PGN.
//
// An exercise is {id, fen, chess960, line, played, mark, why, score, themes, phase, tags, due, last, stability,
// difficulty, reps, lapses}: the best line and the move that was played as SAN, the score of the position if it is
// known, and its schedule (fsrs.js).

import { parsePlacement } from "./pieces.js";
import { MARK_NAGS } from "./review.js";
import { GameTree, Node } from "./tree.js";

export const PHASES = ["opening", "middlegame", "endgame"];
// So many moves of the best line are kept.
const MAX_LINE = 12;
// Tags that tell where an exercise is from.
const SOURCE = ["Site", "Date", "White", "Black"];
const SCHEDULE = ["due", "last", "stability", "difficulty", "reps", "lapses"];
const TIMES = ["due", "last"];

/** What tells positions apart: all of a FEN but its counters. */
export const positionId = (fen) => fen.trim().split(/\s+/).slice(0, 4).join(" ");

/** The phase of a position, by the rule of `saavedra analyse`. */
export function phaseOf(fen) {
  const pieces = parsePlacement(fen);
  const isPiece = (piece) => !"KkPp".includes(piece);
  const number = [...pieces.values()].filter(isPiece).length;
  const atHome = (side, rank) => [...pieces].filter(([square, piece]) => square[1] === rank && (piece === piece.toUpperCase()) === (side === "w")).length;
  if (number <= 6) return "endgame";
  return number <= 10 || atHome("w", "1") < 4 || atHome("b", "8") < 4 ? "middlegame" : "opening";
}

/** The themes of a mistake, by its motif, if it has one, and the best line. */
function themesOf(line, motif = "") {
  const found = [motif.replaceAll("-", " ")];
  if (line.some((san) => san.endsWith("#"))) found.unshift("mate");
  if (line[0]?.includes("=")) found.push("promotion");
  const themes = new Set(found.filter((theme) => theme));
  return themes.size ? [...themes] : ["position"];
}

/** The exercise of a mistake of a reviewed game. */
export function exerciseOf(game, node) {
  const { best, mark, why, motif } = node.review;
  const fen = game.fenOf(node.parent);
  const line = best.line.slice(0, MAX_LINE);
  return {
    id: positionId(fen), fen, chess960: game.chess960, line, played: node.san, mark, why: why ?? "", score: node.parent.evaluation,
    themes: themesOf(line, motif), phase: phaseOf(fen), tags: SOURCE.map((name) => [name, game.tag(name)]).filter(([, text]) => text), due: 0, reps: 0,
  };
}

/** An exercise as a game: the best line, and the move that was played as a variation. */
export function treeOf(exercise) {
  const { fen, chess960, line, played, mark, why, score, themes, phase, tags } = exercise;
  const schedule = SCHEDULE.filter((name) => exercise[name]).map((name) => (
    `${name}=${TIMES.includes(name) ? new Date(exercise[name]).toISOString() : exercise[name]}`));
  const game = Object.assign(new GameTree([
    ["Event", "Exercise"], ...tags, ["Result", "*"], ["SetUp", "1"], ["FEN", fen], ["Themes", [...themes, phase].join(", ")],
    ...(schedule.length ? [["Schedule", schedule.join(" ")]] : []),
  ]), { chess960 });
  game.root.evaluation = score ?? null;
  game.addLine(game.root, line);
  if (!played || played === line[0]) return game;
  const node = new Node(game.root, played);
  game.root.children.push(node);
  if (MARK_NAGS[mark]) node.after.push({ nag: MARK_NAGS[mark] });
  if (why) node.after.push({ comment: why });
  return game;
}

/** The exercise of a game of a PGN: of `treeOf`, or of `saavedra puzzles`. Null for a game that is none. */
export function exerciseFrom(game) {
  const fen = game.tag("FEN");
  const line = game.root.line().slice(0, MAX_LINE).map(({ san }) => san);
  if (!fen || line.length === 0 || game.warnings.length) return null;
  const other = game.root.children[1];
  const mark = other ? Object.keys(MARK_NAGS).find((key) => other.nags.includes(MARK_NAGS[key])) ?? "" : "";
  const why = other?.after.map(({ comment }) => comment ?? "").join(" ").trim() ?? "";
  const named = (game.tag("Themes") ?? "").split(",").map((theme) => theme.trim().replace(/^mate-in-\d+$/, "mate").replaceAll("-", " "));
  const themes = [...new Set(named)].filter((theme) => theme && !PHASES.includes(theme));
  return {
    id: positionId(fen), fen: fen.trim(), chess960: game.chess960, line, played: other?.san ?? null, mark, why, score: null,
    themes: themes.length ? themes : themesOf(line), phase: PHASES.find((phase) => named.includes(phase)) ?? phaseOf(fen),
    tags: SOURCE.map((name) => [name, game.tag(name)]).filter(([, text]) => text), due: 0, reps: 0, ...scheduleFrom(game.tag("Schedule")),
  };
}

/** The schedule of a tag; nothing of one that is incomplete. */
function scheduleFrom(text = "") {
  const pairs = text.split(" ").map((pair) => pair.split("="));
  const read = Object.fromEntries(pairs.filter(([name]) => SCHEDULE.includes(name))
    .map(([name, value]) => [name, TIMES.includes(name) ? Date.parse(value) : Number(value)]));
  const needed = ["due", "last", "stability", "difficulty", "reps"];
  const isWhole = needed.every((name) => Number.isFinite(read[name]) && read[name] > 0);
  return isWhole ? { lapses: 0, ...read, difficulty: Math.min(Math.max(read.difficulty, 1), 10) } : {};
}
