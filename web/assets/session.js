// The games of the page and the position that is shown. Moves and positions come from the engine.

import { confirm, GameTree, START_FEN } from "./tree.js";
import { recordedScore } from "./comments.js";
import { finalEvaluation } from "./words.js";

const isNull = (san) => /^(--|Z0|0000|@@@@)$/.test(san);

export class Session {
  /** @param {typeof import("./api.js").api} api  the engine */
  constructor(api) {
    this.api = api;
    this.games = [new GameTree(newTags())];
    this.index = 0;
    this.requests = new AbortController();
    /** The longest search that the engine accepts, in milliseconds. */
    this.maxMovetime = Infinity;
    /** The number of pieces in the tablebases of the engine; 0 without them. */
    this.tablebasePieces = 0;
  }

  get game() { return this.games[this.index]; }
  get node() { return this.game.current; }
  get position() { return this.node.position; }
  /** Whether there is nothing to come back to: a single game without moves from the usual position. */
  get isUnused() { return this.games.length === 1 && this.game.isEmpty && this.game.isStandardStart; }

  /** The time of a search, or the longest one that the engine accepts. */
  movetime(wanted) { return Math.min(wanted, this.maxMovetime); }

  /** Takes other games, of which one is shown. */
  open(games, index) {
    Object.assign(this, { games, index });
    this.api.newGame();
  }

  /** Aborts all pending requests; the engine then stops their searches. */
  abort() {
    this.requests.abort();
    this.requests = new AbortController();
    return this.requests.signal;
  }

  /** The fields of a request for the position of a node. After a null move the game starts anew. */
  fields(node = this.node, game = this.game) {
    const path = node.path();
    const last = path.findLastIndex((at) => isNull(at.san));
    const moves = path.slice(last + 1).map((at) => at.move?.uci ?? at.san);
    const start = last < 0 ? game.start : path[last].move.fen;
    return { start, moves, ...(game.chess960 && { chess960: true }) };
  }

  /** Checks the start position and the main line of a game; rejects if its start is refused. */
  async prepare(game, options) {
    const answer = await this.api.position({ start: game.start, moves: [], ...(game.chess960 && { chess960: true }) }, options);
    game.confirmedStart = answer.start;
    game.chess960 ||= answer.chess960;
    // A game from a file keeps its tags; a game that was set up here gets the tags as the engine read them.
    if (game.own && game.tag("FEN")) game.setTag("FEN", answer.start);
    game.root.position = answer;
    for (const node of game.nodes()) {
      const score = recordedScore(node);
      if (score) node.evaluation ??= { score, wdl: null };
    }
    return answer.repairs ?? [];
  }

  /** Has the engine confirm the moves of the line through a node; the first illegal one gets an error. */
  async confirmLine(game, node, options) {
    const line = node.line();
    let from = line.findIndex((at) => !at.move);
    while (from >= 0 && from < line.length && !line[from].error) {
      if (isNull(line[from].san)) {
        passMove(game, line[from]);
      } else {
        const end = line.findIndex((at, index) => index > from && isNull(at.san));
        if (!await this.confirmMoves(game, line.slice(from, end < 0 ? line.length : end), options)) return;
      }
      from = line.findIndex((at) => !at.move);
    }
  }

  /** Confirms consecutive moves; false if one is illegal. */
  async confirmMoves(game, nodes, options) {
    const before = this.fields(nodes[0].parent, game);
    const ask = (count) => this.api.position({ ...before, moves: [...before.moves, ...nodes.slice(0, count).map((at) => at.san)] }, options);
    const note = (answer, count) => {
      for (let i = 0; i < count; i += 1) confirm(nodes[i], answer.history[before.moves.length + i]);
      game.version += 1;
    };
    try {
      note(await ask(nodes.length), nodes.length);
      return true;
    } catch (error) {
      const illegal = Number(/^moves\[(\d+)\]$/.exec(error.field ?? "")?.[1] ?? NaN) - before.moves.length;
      if (!(illegal >= 0)) throw error;
      game.version += 1;
      nodes[illegal].error = error.message.replace(/^moves\[\d+\]: /, "");
      if (illegal > 0) note(await ask(illegal), illegal);
      return false;
    }
  }

  /** Shows a node, or the last legal one before it; returns the error of an illegal move. */
  async show(node, options) {
    const { game } = this;
    if (node.path().some((at) => !at.move)) await this.confirmLine(game, node, options);
    const path = node.path();
    const illegal = path.find((at) => !at.move);
    game.current = illegal ? illegal.parent : node;
    if (!this.position) this.note(this.node, await this.api.position(this.fields(), options));
    return illegal?.error ?? null;
  }

  /** Plays a move (UCI or SAN) in the current position. */
  async play(text, options) {
    const { game } = this;
    const answer = await this.api.make(this.fields(), text, options);
    const node = game.play({ ...answer.move, fen: answer.fen });
    this.note(node, answer);
    return node;
  }

  /** Notes the engine's answer for a position. The value of a finished game is known. */
  note(node, answer) {
    node.position = answer;
    node.evaluation ??= finalEvaluation(answer);
  }
}

/** Confirms a null move: the other side is to move. In check it is illegal, since the king could be captured. */
function passMove(game, node) {
  const { parent } = node;
  game.version += 1;
  if (parent.position?.check || /[+#]$/.test(parent.san)) {
    node.error = "a side in check cannot pass";
    return;
  }
  const [pieces, turn, castling, , clock, number] = game.fenOf(parent).split(" ");
  const fen = [pieces, turn === "w" ? "b" : "w", castling, "-", Number(clock) + 1, Number(number) + (turn === "b" ? 1 : 0)].join(" ");
  confirm(node, { uci: "0000", san: "--", from: null, to: null, fen });
}

/** A move as text without the signs that tell nothing: `Nxf3+` as `Nf3`, `0-0` as `OO`. */
function bare(text) {
  const castling = /^[0oO](?:-?[0oO]){1,2}(?=\W*$)/.exec(text)?.[0];
  return castling ? castling.replace(/-/g, "").replace(/[0o]/g, "O") : text.replace(/e\.p\.|[^A-Za-z0-9]|x/g, "");
}

/** The one legal move that a text means, with the piece as a capital or not (`nf3`, `ng8f6`); null without one. */
export function typedMove(text, legal) {
  const spellings = legal.map(({ uci, san, from, to, promotion }) => {
    const piece = /^[KQRBN]/.exec(san)?.[0] ?? "";
    const texts = [uci, bare(san), `${piece}${from}${to}${promotion ?? ""}`];
    // A promotion without a piece is to a queen.
    if (promotion === "q") texts.push(from + to, bare(san).slice(0, -1));
    return { uci, texts: piece ? [...texts, `${piece}${from[0]}${to}`] : texts };
  });
  for (const fold of [(one) => one, (one) => one.toLowerCase()]) {
    const found = spellings.filter(({ texts }) => texts.some((one) => fold(one) === fold(bare(text))));
    if (found.length) return found.length === 1 ? found[0].uci : null;
  }
  return null;
}

/** The tags of a new game. */
function newTags({ white = "?", black = "?", start = START_FEN } = {}) {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", ".");
  const tags = [["Event", "?"], ["Site", "?"], ["Date", day], ["Round", "?"], ["White", white], ["Black", black], ["Result", "*"]];
  if (start !== START_FEN) tags.push(["FEN", start]);
  return tags;
}

/**
 * A game from a start position and moves as text, with the names of the players.
 * @param {{ start?: string, moves?: string[], chess960?: boolean, white?: string, black?: string }} game
 */
export function gameFromMoves({ start = START_FEN, moves = [], chess960 = false, white, black }) {
  const fen = start === "startpos" ? START_FEN : start;
  const game = Object.assign(new GameTree(newTags({ start: fen, white, black })), { chess960, own: true });
  for (const san of moves) game.play({ san, uci: san });
  for (const node of game.nodes()) node.move = null;
  game.current = game.root;
  return game;
}
