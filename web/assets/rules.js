// The rules of chess in the page: a small WebAssembly module without an engine (`wasm/rules/`, built by `make rules`).
// Its answers are those of the web service, so a move stands where it is put without asking the server.

/** Loads the module: a function from a game as text to the answer as JSON. */
async function load() {
  const response = await fetch(new URL("rules.wasm", import.meta.url));
  let answer = "";
  const note = (at, length) => { answer = new TextDecoder().decode(new Uint8Array(exports.memory.buffer, at, length)); };
  // Not instantiateStreaming: it refuses servers that do not know the type of the file.
  const { instance: { exports } } = /** @type {{ instance: { exports: any } }} */ (await WebAssembly.instantiate(await response.arrayBuffer(), { rules: { answer: note } }));
  return (game) => {
    const bytes = new TextEncoder().encode(game);
    const at = exports.input(bytes.length);
    new Uint8Array(exports.memory.buffer, at, bytes.length).set(bytes);
    exports.position();
    return answer;
  };
}

/** The module; null if it cannot be loaded, as where WebAssembly is switched off. */
const loaded = load().catch(() => null);

/**
 * The state of a position, its legal moves and all moves of the game (`history`); rejects if the game is refused.
 * Undefined without the module.
 * @param {{ start: string, moves: string[], chess960?: boolean }} game
 * @param {{ signal?: AbortSignal }} options
 */
export async function position({ start, moves, chess960 }, { signal } = {}) {
  const rules = await loaded;
  signal?.throwIfAborted();
  if (!rules) return undefined;
  const lines = [chess960 ? "chess960" : "", start, ...moves];
  const { ok, error } = JSON.parse(rules(lines.map((line) => line.replaceAll("\n", " ")).join("\n")));
  if (error) throw Object.assign(new Error(error.message), { status: 422, field: error.field });
  return ok;
}

/** The position after a move, and the move; rejects if it is illegal. Undefined without the module. */
export async function make(game, move, options) {
  const described = await position({ ...game, moves: [...game.moves, move] }, options);
  if (!described) return undefined;
  const { history, ...after } = described;
  const { fen, ...made } = history.at(-1);
  return { ...after, move: made };
}
