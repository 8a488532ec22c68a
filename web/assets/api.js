// The only connection between the page and an engine: one object of functions. This one asks the
// server by HTTP, but the rules of chess are in the page; an engine in a worker can offer the same functions.
//
// A game is given as {start, moves, chess960}: the FEN of its first position and the moves, as UCI
// or SAN. All answers are JSON of the HTTP API (`/openapi.json`). Failures are `ApiError`.

import * as rules from "./rules.js";
import { wait } from "./wait.js";
import { withoutField } from "./words.js";

/** An error response (application/problem+json) or a failed connection. */
export class ApiError extends Error {
  constructor(status, body) {
    super(withoutField(body.detail, body.field) || body.title || `The server returned status ${status}.`);
    this.status = status;
    this.field = body.field;
  }
}

const MAX_TRIES = 20;

/** The error of a connection that failed, unless the page itself has ended it. */
const lost = (error, signal, detail = "The server cannot be reached.") => (signal?.aborted ? error : new ApiError(0, { detail }));

/**
 * The options of each function: `signal` aborts the request and its search, `onBusy` is called with
 * the seconds until the next try while the engine has no time.
 */
export const api = {
  /** Where the engine runs. */
  place: "on the server",
  /**
   * {engine: {name, elo: {min, max}}, limits: {movetime}}; `elo` is missing if the strength cannot be limited,
   * `limits` if any time is accepted.
   */
  health: (options) => get("health", options),
  /** The next best moves belong to another game. Nothing to do: every search on the server starts with empty tables. */
  newGame: () => {},
  /** The state of a position, its legal moves and all moves of the game (`history`). */
  position: async (game, options) => await rules.position(game, options) ?? post("api/v1/moves", { ...game, history: true }, options),
  /** The position after a move, and the move. */
  make: async (game, move, options) => await rules.make(game, move, options) ?? post("api/v1/make", { ...game, move }, options),
  /** The games of a PGN, and games as a PGN. */
  readGames: async (pgn, options) => (await post("api/v1/pgn/read", { pgn }, options)).games,
  writeGames: async (games, options) => (await post("api/v1/pgn/write", { games }, options)).pgn,
  /** For each game the FENs of its main line, the start position first. */
  mainLines: async (games, options) => (await post("api/v1/pgn/main-lines", { games }, options)).games,
  /** The outcome of a position and its moves by the tablebases; `health` has their number of pieces (`engine.tablebase`). */
  tablebase: (game, options) => post("api/v1/tablebase", game, options),
  /** The best move with limits: movetime, nodes, depth, elo. */
  bestMove: (game, limits, options) => post("api/v1/bestmove", { ...game, ...limits }, options),
  /** What a move does, or the best move without one: `text` has the sentences. `limits` may have nodes. */
  explain: (game, move, limits, options) => post("api/v1/explain", { ...game, ...(move && { move }), ...limits }, options),
  /** An analysis until it is aborted: `onEvent` gets `queued`, `info`, `bestmove` and `problem`. */
  analyse: (game, { multipv }, onEvent, options) => postLines("api/v1/analysis", { ...game, multipv: Number(multipv) }, ({ event, ...data }) => onEvent(event, data), options),
  /**
   * Searches the group of positions of a review that the position after `ply` plies belongs to, the last position first:
   * `onPosition` gets each. With nodes as the limit the same group always has the same results.
   */
  searchGroup: (game, limits, ply, onPosition, options) => postLines("api/v1/review/search", { ...game, ...limits, ply }, ({ event, ...data }) => {
    if (event === "problem") throw new ApiError(data.status, data);
    onPosition(data);
  }, options),
  /** The review of searched positions, from the last one of the game to the first or as far as they are known. */
  judge: (game, searched, options) => post("api/v1/review/judge", { ...game, searched }, options),
};

/**
 * Sends a request; repeats it after `Retry-After` while the server returns 429.
 * @param {string} path
 * @param {RequestInit & { onBusy?: (seconds: number) => void }} options
 */
async function send(path, { signal, onBusy, ...request } = {}) {
  for (let tries = 1; ; tries += 1) {
    let response;
    try {
      response = await fetch(path, { ...request, signal });
    } catch (error) {
      throw lost(error, signal);
    }
    if (response.ok) return response;
    if (response.status !== 429 || tries >= MAX_TRIES) {
      throw new ApiError(response.status, await response.json().catch(() => ({})));
    }
    const seconds = Number(response.headers.get("Retry-After")) || 1;
    onBusy?.(seconds);
    await wait(seconds * 1000, signal);
  }
}

/** The fields of a request with a JSON body. */
const posted = (body) => ({ method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

async function post(path, body, options) { return (await send(path, { ...options, ...posted(body) })).json(); }

async function get(path, options) { return (await send(path, options)).json(); }

/** Posts a request and reads the lines of JSON of its answer as they come. Aborting the signal closes the connection, which stops the search. */
async function postLines(path, body, onLine, options) {
  const response = await send(path, { ...options, ...posted(body) });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch((error) => { throw lost(error, options?.signal, "The connection to the server was lost."); });
    if (done) return;
    const lines = (text + value).split("\n");
    text = lines.pop();
    for (const line of lines) onLine(JSON.parse(line));
  }
}
