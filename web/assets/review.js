// The review of a game: a job of the engine, its results on the nodes, the list of mistakes.

import { wait } from "./wait.js";
import { count, favoursBlack, scoreText, typeset, whiteView } from "./words.js";

// Interval between requests for the state of a review, in milliseconds.
const POLL_INTERVAL = 400;
const MOVETIME = 200;
const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
export const MARK_NAMES = { "?!": "an inaccuracy", "?": "a mistake", "??": "a blunder" };
// The scale of the judgements: its slope per centipawn, the cap of evaluations, and the loss of an inaccuracy.
const [SLOPE, CAP, INACCURACY] = [0.00368208, 1000, 0.1];
export const MARK_NAGS = { "?!": 6, "?": 2, "??": 4 };

export class Review {
  /**
   * @param onProgress  called with the fraction done whenever there are new results
   * @param onEnd       called with the error, if any, when the review ends or is stopped
   */
  constructor(api, { onProgress, onEnd }) {
    Object.assign(this, { api, onProgress, onEnd });
    /** Aborts the requests of the running review; null if none runs. */
    this.requests = null;
    this.id = null;
    this.nodes = [];
  }

  get running() { return this.requests !== null; }

  /** Reviews the line through a node. `onStart` is called when the engine has accepted the review. */
  start(session, node, options) {
    return this.run((signal) => this.request(session, node, signal, options));
  }

  /** Goes on with a review that ran when the page was left. One that the engine has forgotten starts again. */
  resume(id, session, node, options) {
    return this.run(async (signal) => {
      this.id = id;
      await this.prepare(session, node, signal);
      try {
        await this.follow(id, session.game, signal);
      } catch (error) {
        if (error.status !== 404) throw error;
        await this.request(session, node, signal, options);
      }
    });
  }

  /** Has the engine start a review and reads it until it is done. */
  async request(session, node, signal, { onBusy, onStart } = {}) {
    const fields = await this.prepare(session, node, signal);
    const { id } = await this.api.startReview(fields, { movetime: session.movetime(MOVETIME) }, { signal, onBusy });
    if (signal.aborted) {
      this.api.removeReview(id);
      return;
    }
    onStart?.();
    // Only now does it replace an earlier one.
    session.game.summary = null;
    for (const at of session.game.nodes()) at.review = null;
    await this.follow(id, session.game, signal);
  }

  /** Runs a review to its end, unless it is stopped. */
  async run(work) {
    const { signal } = this.requests = new AbortController();
    try {
      await work(signal);
      if (!signal.aborted) this.end();
    } catch (error) {
      if (!signal.aborted) this.end(error);
    }
  }

  /** Has the line through a node confirmed and notes its nodes; the fields of a request for it. */
  async prepare(session, node, signal) {
    await session.confirmLine(session.game, node, { signal });
    signal.throwIfAborted();
    const nodes = node.line().filter((at) => at.move);
    const fields = session.fields(nodes.at(-1));
    // A game with a null move is reviewed from there.
    this.nodes = nodes.slice(nodes.length - fields.moves.length);
    return fields;
  }

  /** Reads a running review of a game until it is done. */
  async follow(id, game, signal) {
    this.id = id;
    for (;;) {
      const job = await this.api.review(id, { signal });
      if (signal.aborted) return;
      this.apply(job.positions);
      if (job.status === "done") game.summary = job.summary;
      this.onProgress(job.progress.done / job.progress.total);
      if (job.status === "failed") throw new Error(job.detail ?? "The review failed.");
      if (job.status === "done") return;
      await wait(POLL_INTERVAL, signal);
    }
  }

  /** Aborts the requests of the review and has the engine forget it. */
  abort() {
    const { id, requests } = this;
    this.id = this.requests = null;
    requests?.abort();
    if (id) this.api.removeReview(id);
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
      node.review = { mark: MARKS[position.judgement] ?? "", accuracy: position.accuracy, best, why: position.why };
    }
  }
}

/** The nodes of a line with a mistake, in order. */
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

/** A line of moves with their numbers. */
export function lineText(game, ply, sans) {
  return sans.map((san, index) => {
    const { number, white } = game.moveNumber(ply + index);
    return white ? `${number}. ${san}` : index === 0 ? `${number}… ${san}` : san;
  }).join(" ");
}

/** What was wrong with a move and what was best. */
export function assessment(game, node) {
  const { mark, best, why } = node.review;
  const reason = why ? ` ${why.replaceAll("... ", "… ")}.` : "";
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
