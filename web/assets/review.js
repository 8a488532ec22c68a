// The review of a game: its positions are searched group by group, what was found is kept and judged.

import { loadSearched, saveSearched } from "./storage.js";
import { wait } from "./wait.js";
import { count, favoursBlack, scoreText, typeset, whiteView } from "./words.js";

// Nodes for each position, so that two reviews of a game agree, and the longest time for one, in milliseconds.
const NODES = 100_000;
const MAX_TIME = 10_000;
// The engine is out of reach, for a while: no connection, or a proxy or a service without an engine.
const LOST = [0, 502, 503, 504];
// The times before another try then, in milliseconds; the last one is repeated.
const DELAYS = [1000, 2000, 4000, 8000, 15_000];
const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
export const MARK_NAMES = { "?!": "an inaccuracy", "?": "a mistake", "??": "a blunder" };
// The scale of the judgements: its slope per centipawn, the cap of evaluations, and the loss of an inaccuracy.
const [SLOPE, CAP, INACCURACY] = [0.00368208, 1000, 0.1];
export const MARK_NAGS = { "?!": 6, "?": 2, "??": 4 };

export class Review {
  /**
   * @param onProgress  called with the fraction done, and whether there are new results
   * @param onEnd       called with the error, if any, when the review ends or is stopped
   */
  constructor(api, { onProgress, onEnd }) {
    Object.assign(this, { api, onProgress, onEnd });
    /** Aborts the requests of the running review; null if none runs. */
    this.requests = null;
    this.nodes = [];
  }

  get running() { return this.requests !== null; }

  /**
   * Reviews the line through a node. What an earlier review of it has found is not searched again. `onBusy` and `onLost`
   * are called while the engine has no time or cannot be reached, `onAnswer` when it has answered.
   */
  async start(session, node, options = {}) {
    const { signal } = this.requests = new AbortController();
    try {
      await this.review(session, node, { ...options, signal });
      if (!signal.aborted) this.end();
    } catch (error) {
      if (!signal.aborted) this.end(error);
    }
  }

  /** Searches a line to its end. */
  async review(session, node, options) {
    const { game } = session;
    const fields = await persist(() => this.prepare(session, node, options.signal), options);
    const limits = { nodes: NODES, movetime: session.movetime(MAX_TIME) };
    const key = JSON.stringify([fields, NODES]);
    let searched = loadSearched(key);
    let [isFirst, isAgain] = [true, false];
    for (;;) {
      if (searched.length > 0) {
        try {
          await this.judge(game, fields, searched, isFirst, options);
          if (searched.length > fields.moves.length) return;
          isFirst = false;
        } catch (error) {
          if (isAgain || !error.field?.startsWith("searched")) throw error;
          // Another version of the engine has searched some of them.
          [searched, isAgain] = [[], true];
        }
      }
      searched = [...searched, ...await persist(() => this.searchGroup(fields, limits, searched.length, options), options)];
      saveSearched(key, searched);
    }
  }

  /** The positions of the group before this number of searched positions. */
  async searchGroup(fields, limits, done, options) {
    const last = fields.moves.length;
    const group = [];
    const onPosition = (position) => {
      options.onAnswer?.();
      group.push(position);
      this.onProgress((done + group.length) / (last + 1), false);
    };
    await this.api.searchGroup(fields, limits, last - done, onPosition, options);
    return group;
  }

  /** Has the searched positions judged and notes the results, which replace an earlier review if they are the first. */
  async judge(game, fields, searched, isFirst, options) {
    const { positions, summary } = await persist(() => this.api.judge(fields, searched, options), options);
    options.signal.throwIfAborted();
    options.onAnswer?.();
    if (isFirst) for (const at of game.nodes()) at.review = null;
    game.summary = summary ?? null;
    this.apply(positions);
    this.onProgress(searched.length / (fields.moves.length + 1), true);
  }

  /**
   * Has the line through a node confirmed and notes its nodes; the fields of a request for it.
   * @param {import("./session.js").Session} session
   * @param {import("./tree.js").Node} node
   * @param {AbortSignal} signal
   */
  async prepare(session, node, signal) {
    await session.confirmLine(session.game, node, { signal });
    signal.throwIfAborted();
    const nodes = node.line().filter((at) => at.move);
    const fields = session.fields(nodes.at(-1));
    // A game with a null move is reviewed from there.
    this.nodes = nodes.slice(nodes.length - fields.moves.length);
    return fields;
  }

  /** Aborts the requests of the review. */
  abort() {
    const { requests } = this;
    this.requests = null;
    requests?.abort();
  }

  end(error) {
    this.abort();
    this.onEnd(error);
  }

  stop() { if (this.running) this.end(); }

  /** Forgets the review, for another game. */
  clear() {
    this.abort();
    this.nodes = [];
  }

  /** Notes the results. `positions` are the last ones of the game, in game order. */
  apply(positions) {
    const root = this.nodes[0]?.parent;
    if (!root) return;
    const nodes = [root, ...this.nodes];
    for (const [index, position] of positions.entries()) {
      const node = nodes[position.ply];
      if (!node) continue;
      node.evaluation = whiteView(position, position.fen.split(" ")[1]);
      const before = positions[index - 1];
      if (!position.judgement || !before) continue;
      const best = before.pv_san.length && before.pv_san[0] !== node.san ? { line: before.pv_san, uci: before.pv[0] } : null;
      node.review = { mark: MARKS[position.judgement] ?? "", accuracy: position.accuracy, best, why: position.why, motif: position.motif };
    }
  }
}

/** Repeats a request until the engine can be reached. */
async function persist(request, { signal, onLost }) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (signal.aborted || !LOST.includes(error.status)) throw error;
      if (tries === 0) onLost?.();
      await wait(DELAYS[Math.min(tries, DELAYS.length - 1)], signal);
    }
  }
}

/**
 * The nodes of a line with a mistake, in order.
 * @param {import("./tree.js").Node[]} nodes
 */
export function mistakes(nodes) { return nodes.filter(({ review }) => review?.mark); }

/** The winning chances of a side, -1 to 1, on the scale of the judgements (docs/ANALYSIS.md). */
function chances({ score }, side) {
  const white = score.cp === undefined ? (favoursBlack(score) ? -CAP : CAP) : Math.min(Math.max(score.cp, -CAP), CAP);
  return 2 / (1 + Math.exp(-SLOPE * (side === "w" ? white : -white))) - 1;
}

/** Whether a side that moves from one evaluation to another loses less than an inaccuracy does. */
export const keepsChances = (before, after, side) => chances(before, side) - chances(after, side) < INACCURACY;

/** A move with its number. */
export function numbered(game, node, san = node.san) {
  const { number, white } = game.moveNumber(node.ply);
  return `${number}${white ? "." : "…"} ${san}`;
}

/**
 * A line of moves with their numbers.
 * @param {import("./tree.js").GameTree} game
 * @param {number} ply
 * @param {string[]} sans
 */
export function lineText(game, ply, sans) {
  return sans.map((san, index) => {
    const { number, white } = game.moveNumber(ply + index);
    return white ? `${number}. ${san}` : index === 0 ? `${number}… ${san}` : san;
  }).join(" ");
}

/** What was wrong with a move and what was best. */
export function assessment(game, node) {
  const { mark, best, why } = node.review;
  const reason = why ? ` ${typeset(why)}.` : "";
  const scores = [node.parent.evaluation, node.evaluation].map((evaluation) => (evaluation ? scoreText(evaluation.score) : "?"));
  const better = best ? ` Best was ${best.line[0]}: ${lineText(game, node.ply, best.line.slice(0, 8))}.` : "";
  return `${numbered(game, node)} is ${MARK_NAMES[mark]} (${scores[0]} to ${scores[1]}).${reason}${better}`;
}

/** The summary of both sides, a line each. */
export function summaryLines(summary) {
  return [["White", summary.white], ["Black", summary.black]].map(([name, side]) => {
    if (side.accuracy === null) return `${name}: no moves`;
    const errors = [
      count(side.inaccuracies, "inaccuracy", "inaccuracies"), count(side.mistakes, "mistake", "mistakes"),
      count(side.blunders, "blunder", "blunders"),
    ].join(", ");
    return `${name}: ${Math.round(side.accuracy)} % accurate, ${errors}`;
  });
}
