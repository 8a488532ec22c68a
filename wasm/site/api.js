// The board page's connection to an engine in this browser. It replaces web/assets/api.js, which asks a
// server; both offer the same functions with the same answers.

import { Board, Engine, request } from "../engine/index.js";

/** A request that is refused. */
export class ApiError extends Error {
  constructor(status, { detail, field }) {
    super(detail);
    Object.assign(this, { status, field });
  }
}

/** Answers a request. */
function answer(name, fields) {
  const { ok, error } = request(name, fields);
  if (!error) return ok;
  const { field, message } = error;
  throw new ApiError(422, { detail: `${field}: ${message}`, field });
}

/** Answers a request about a game. */
const ask = (name, { start, moves, chess960 }, more) => answer(name, { fen: start, moves, chess960, ...more });

/** An engine for one purpose, started when it is first needed. */
class Searcher {
  /** The next searches belong to another game: at limited strength with other mistakes. */
  newGame() {
    // After a failure the next search fails, too, with its reason.
    this.engine?.newGame().catch(() => {});
  }

  /** Searches a game's last position and passes each result to `onResult`. Returns the last one. */
  async search(game, { elo, ...limits }, { signal } = {}, onResult = () => {}) {
    // Refuses an illegal move before anything is searched.
    ask("about", game);
    signal?.throwIfAborted();
    this.engine ??= new Engine();
    if (elo !== this.elo) {
      this.elo = elo;
      await this.engine.setOption("UCI_LimitStrength", Boolean(elo));
      if (elo) await this.engine.setOption("UCI_Elo", elo);
    }
    const board = new Board(game.start, { chess960: game.chess960 });
    let last;
    for await (last of this.engine.analyse(board, { ...limits, moves: game.moves, signal })) onResult(last);
    signal?.throwIfAborted();
    return last;
  }
}

const [opponent, analyst, reviewer] = [new Searcher(), new Searcher(), new Searcher()];

const score = ({ scoreCp, mate }) => (mate === null ? { cp: scoreCp } : { mate });

function describeLine(game, line) {
  const { multipv, depth, seldepth, wdl, nodes, nps, time, hashfull } = line;
  const { pv, pv_san } = ask("line", game, { pv: line.pv });
  return { multipv, depth, seldepth, score: score(line), wdl, nodes, nps, time, hashfull, pv, pv_san };
}

function describeResult(game, result) {
  const { best, ponder, depth, nodes, time, wdl, lines } = result;
  // At limited strength the move played may not be the first one of the line.
  const moves = result.pv[0] === best ? result.pv : [best, ponder].filter(Boolean);
  const { pv, pv_san, fen, status } = ask("line", game, { pv: moves });
  return {
    bestmove: best, san: pv_san[0] ?? null, ponder, score: score(result), wdl, depth, nodes, time: Math.round(time), queued: 0,
    pv, pv_san, fen, status, ...(lines.length > 1 && { lines: lines.map((line) => describeLine(game, line)) }),
  };
}

/** A review: its game, the searched positions, last position first, and why it has failed. */
class Review {
  constructor(game, limits) {
    Object.assign(this, { game, limits, searched: [], detail: null, requests: new AbortController() });
  }

  async run() {
    const { game, limits, searched, requests: { signal } } = this;
    try {
      for (let plies = game.moves.length; plies >= 0; plies -= 1) {
        const before = { ...game, moves: game.moves.slice(0, plies) };
        const { scoreCp: cp, mate, depth, nodes, time, pv } = await reviewer.search(before, limits, { signal });
        searched.push({ cp, mate, depth, nodes, time, pv });
      }
    } catch (error) {
      this.detail = error.message;
    }
  }

  describe() {
    const answer = ask("review", this.game, { searched: this.searched });
    return this.detail === null ? answer : { ...answer, status: "failed", detail: this.detail };
  }
}

const reviews = new Map();

export const api = {
  place: "in this browser",
  health: async () => ({ status: "ok", engine: ask("about", { start: "startpos" }) }),
  newGame: () => opponent.newGame(),
  position: async (game) => ask("position", game),
  make: async (game, move) => ask("play", game, { move }),
  readGames: async (pgn) => answer("readGames", { pgn }),
  writeGames: async (games) => answer("writeGames", { games }),
  bestMove: async (game, limits, options) => describeResult(game, await opponent.search(game, limits, options)),
  analyse: async (game, { multipv }, onEvent, options) => {
    let reports = 0;
    const result = await analyst.search(game, { multipv }, options, ({ lines, done }) => {
      if (!done) for (const line of lines) onEvent("info", describeLine(game, line));
      reports += 1;
    });
    if (reports > 0) onEvent("bestmove", describeResult(game, result));
  },
  startReview: async (game, limits) => {
    const id = crypto.randomUUID?.() ?? String(Math.random());
    const review = new Review(game, limits);
    const answer = review.describe();
    reviews.set(id, review);
    review.run();
    return { id, ...answer };
  },
  review: async (id) => {
    const review = reviews.get(id);
    if (!review) throw new ApiError(404, { detail: "The review ended when the page was closed." });
    return { id, ...review.describe() };
  },
  removeReview: async (id) => {
    reviews.get(id)?.requests.abort();
    reviews.delete(id);
  },
};

// The service worker keeps the page for use without a network.
navigator.serviceWorker?.register(new URL("../sw.js", import.meta.url)).catch(() => {});
