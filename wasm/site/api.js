// The board page's connection to an engine in this browser. It replaces web/assets/api.js, which asks a
// server; both offer the same functions with the same answers.

import { Board, Engine, init, request } from "../engine/index.js";
import * as rules from "./rules.js";

/** A request that is refused. */
export class ApiError extends Error {
  constructor(status, { detail, field }) {
    super(detail);
    Object.assign(this, { status, field });
  }
}

/** Answers a request. */
async function answer(name, fields) {
  await init();
  const { ok, error } = request(name, fields);
  if (!error) return ok;
  const { field, message } = error;
  throw new ApiError(422, { detail: message, field });
}

/** The fields of a request about a game. */
const fieldsOf = ({ start, moves, chess960 }) => ({ fen: start, moves, chess960 });

/** Answers a request about a game. */
const ask = (name, game, more) => answer(name, { ...fieldsOf(game), ...more });

/** An engine for one purpose, started when it is first needed. */
class Searcher {
  /** The next searches belong to another game: at limited strength with other mistakes. */
  newGame() {
    // After a failure the next search fails, too, with its reason.
    this.engine?.newGame().catch(() => {});
  }

  /** Searches a game's last position and passes the lines of each iteration to `onLines`. */
  async search(game, { elo, multipv = 1, hash, ...limits }, { signal } = {}, onLines = () => {}) {
    // Refuses an illegal move before anything is searched.
    await ask("about", game);
    this.engine ??= new Engine();
    const settings = { MultiPV: multipv, UCI_LimitStrength: Boolean(elo), ...(elo && { UCI_Elo: elo }), ...(hash && { Hash: hash }) };
    const options = Object.entries(settings).map(([name, value]) => [name, String(value)]);
    const result = await this.engine.request({ ...fieldsOf(game), ...limits, options }, signal, onLines);
    signal?.throwIfAborted();
    return result;
  }

  async explain(game, more) {
    await ask("position", game);
    this.engine ??= new Engine();
    const { start, moves, chess960 } = game;
    return this.engine.explain(new Board(start, { chess960 }), { moves, ...more });
  }
}

const [opponent, analyst, reviewer] = [new Searcher(), new Searcher(), new Searcher()];

export const api = {
  place: "in this browser",
  health: async () => ({ status: "ok", engine: await ask("about", { start: "startpos" }) }),
  newGame: () => opponent.newGame(),
  // The small module answers before the engine is loaded.
  position: async (game, options) => await rules.position(game, options) ?? ask("position", game),
  make: async (game, move, options) => await rules.make(game, move, options) ?? ask("play", game, { move }),
  readGames: (pgn) => answer("readGames", { pgn }),
  writeGames: (games) => answer("writeGames", { games }),
  mainLines: async (games) => (await answer("mainLines", { games })).games,
  // There are no tablebases in a browser.
  tablebase: async () => ({ wdl: null, dtz: null, moves: [] }),
  bestMove: (game, limits, options) => opponent.search(game, limits, options),
  explain: (game, move, limits) => analyst.explain(game, { move, ...limits }),
  analyse: async (game, limits, onEvent, options) => {
    const onLines = (lines) => lines.forEach((line) => onEvent("info", line));
    onEvent("bestmove", await analyst.search(game, limits, options, onLines));
  },
  searchGroup: async (game, limits, ply, onPosition, options) => {
    const last = game.moves.length;
    const { name, group: { size, hash } } = await answer("about", { nodes: limits.nodes });
    const start = last - Math.floor((last - ply) / size) * size;
    reviewer.newGame();
    for (let plies = start; plies >= 0 && plies > start - size; plies -= 1) {
      const before = { ...game, moves: game.moves.slice(0, plies) };
      onPosition({ ...await reviewer.search(before, { ...limits, hash }, options), ply: plies, engine: name });
    }
  },
  judge: (game, searched) => ask("review", game, { searched }),
};

// The service worker keeps the page for use without a network.
navigator.serviceWorker?.register(new URL("../sw.js", import.meta.url)).catch(() => {});
