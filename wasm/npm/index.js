// The typed interface: positions, and engines that analyse them. index.d.ts documents it.

import { download, instantiate, moduleName } from './module.js';

// Bundlers recognise these expressions.
const FILES = {
  'saavedra.wasm': new URL('./saavedra.wasm', import.meta.url),
  'saavedra-scalar.wasm': new URL('./saavedra-scalar.wasm', import.meta.url),
};

// A name in a variable: bundlers for browsers must not look for this file.
const nodeFile = './node.js';
const node = typeof process === 'object' && process.versions?.node
  ? await import(/* webpackIgnore: true */ /* @vite-ignore */ nodeFile)
  : null;

const module = node ? await node.load() : await download(FILES[moduleName()]);
const rules = await instantiate(module);

/** Answers a request of the board page (see wasm/src/page.rs). Not part of the documented interface. */
export const request = (name, fields) => rules.request(name, fields);

/** A text is not a legal move of the position. The message gives the reason. */
export class IllegalMove extends Error {
  name = 'IllegalMove';
}

/** Answers a request about a position, or throws why it is refused. */
function ask(name, fields) {
  const { ok, error } = rules.request(name, fields);
  if (error) {
    throw error.isIllegalMove ? new IllegalMove(error.message) : new RangeError(error.message);
  }
  return ok;
}

/** The module's description of a position. */
class Position {
  constructor(fields) {
    Object.assign(this, fields);
  }
}

export class Board {
  #position;

  constructor(fen = 'startpos', { chess960 = false } = {}) {
    this.#position = fen instanceof Position
      ? fen
      : new Position(ask('board', { fen: String(fen), chess960: Boolean(chess960) }));
  }

  #ask(name, fields) {
    const { fen, chess960 } = this.#position;
    return ask(name, { fen, chess960, ...fields });
  }

  get turn() {
    return this.#position.turn;
  }

  get chess960() {
    return this.#position.chess960;
  }

  get status() {
    return this.#position.status;
  }

  fen() {
    return this.#position.fen;
  }

  legalMoves() {
    return [...this.#position.moves];
  }

  san(move) {
    return this.#ask('san', { move: String(move) });
  }

  uci(move) {
    return this.#ask('uci', { move: String(move) });
  }

  make(move) {
    return new Board(new Position(this.#ask('make', { move: String(move) })));
  }

  isCheck() {
    return this.#position.check;
  }

  isOver() {
    return this.status !== 'ongoing';
  }

  perft(depth) {
    if (!Number.isSafeInteger(depth) || depth < 0) {
      throw new RangeError(`a depth is a whole number, not ${depth}`);
    }
    return this.#ask('perft', { depth });
  }

  evaluate() {
    return this.#ask('evaluate');
  }

  toString() {
    return this.fen();
  }

  toJSON() {
    return this.fen();
  }
}

/** Starts worker.js; messages go to the listener. */
function startWorker(listener, failed) {
  if (node) {
    const worker = node.startWorker();
    worker.on('message', listener);
    worker.on('error', failed);
    return worker;
  }
  const worker = new Worker(new URL('./worker.js', import.meta.url));
  worker.onmessage = ({ data }) => listener(data);
  worker.onerror = ({ message }) => failed(new Error(message ?? 'worker.js cannot be loaded'));
  return worker;
}

/** The fields of an `info` line with a principal variation and an exact score, else null. */
function parseInfo(line) {
  const found = /^info (.*) pv (.*)$/.exec(line);
  if (!found || /\b(lower|upper)bound\b/.test(line)) {
    return null;
  }
  const words = found[1].split(' ');
  const number = (name, offset = 1) => Number(words[words.indexOf(name) + offset]);
  const score = (kind) => (words[words.indexOf('score') + 1] === kind ? number('score', 2) : null);
  return {
    multipv: number('multipv'),
    depth: number('depth'),
    seldepth: number('seldepth'),
    scoreCp: score('cp'),
    mate: score('mate'),
    wdl: [number('wdl'), number('wdl', 2), number('wdl', 3)],
    nodes: number('nodes'),
    nps: number('nps'),
    hashfull: number('hashfull'),
    time: number('time'),
    pv: found[2].split(' '),
  };
}

/** The text of the UCI command that starts this search. */
function goCommand({ depth, nodes, movetime }) {
  const limits = Object.entries({ depth, nodes, movetime }).filter(([, value]) => value !== undefined);
  for (const [name, value] of limits) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`${name} is a positive whole number, not ${value}`);
    }
  }
  return limits.length === 0 ? 'go infinite' : `go ${limits.flat().join(' ')}`;
}

/** The result before the search has reported anything, and of a game that is over. */
const noResult = (board) => ({
  best: null,
  ponder: null,
  depth: 0,
  seldepth: 0,
  scoreCp: board.isCheck() ? null : 0,
  mate: board.isCheck() ? 0 : null,
  wdl: board.isCheck() ? [0, 0, 1000] : [0, 1000, 0],
  nodes: 0,
  nps: 0,
  hashfull: 0,
  time: 0,
  pv: [],
  lines: [],
  done: false,
});

/** Collects the lines of a search into results: `take` returns the next one, or null. */
function resultsOf(board, multipv) {
  const count = Math.min(multipv, board.legalMoves().length);
  let result = noResult(board);
  let lines = [];
  /** The result with the collected lines; null if they are not new, or are not all. */
  const collect = () => {
    if (lines === result.lines || lines.length === 0 || lines.length < result.lines.length) {
      return null;
    }
    const [{ multipv: _, ...first }] = lines;
    result = { ...result, ...first, best: first.pv[0], ponder: first.pv[1] ?? null, lines };
    return result;
  };
  return {
    take(line) {
      const info = parseInfo(line);
      if (info) {
        // At limited strength, or in a first iteration that was stopped, there are fewer lines than `count`:
        // then the next first line shows that they were all.
        const earlier = info.multipv === 1 ? collect() : null;
        lines = [...lines.slice(0, info.multipv - 1), info];
        return lines.length === count ? collect() : earlier;
      }
      const end = /^bestmove (\S+)(?: ponder (\S+))?/.exec(line);
      if (!end) {
        return null;
      }
      collect();
      const best = end[1] === '(none)' ? null : end[1];
      return { ...result, best, ponder: end[2] ?? null, done: true };
    },
  };
}

export class Engine {
  #worker;
  /** Takes the output of the engine. */
  #listener = () => {};
  /** The end of the last call: the engine does one thing at a time. */
  #last;
  /** Ends the running analysis. */
  #cancel = () => {};
  #closed = false;
  /** Why the worker has failed; null if it has not. */
  #failure = null;

  constructor(options = {}) {
    const fail = (error) => {
      this.#failure ??= error;
      this.#listener(error);
    };
    this.#worker = startWorker((output) => this.#listener(output), fail);
    this.#worker.postMessage({ module });
    this.#last = this.#setOptions(options);
    // The next call throws the error.
    this.#last.catch(() => {});
  }

  #send(line) {
    if (this.#closed) {
      throw new Error('the engine is closed');
    }
    if (/[\n\r]/.test(line)) {
      throw new RangeError('a command is one line');
    }
    this.#worker.postMessage(line);
  }

  /** Sends a line, and passes the output to `take` until that returns true. */
  #exchange(line, take) {
    return new Promise((resolve, reject) => {
      if (this.#failure) {
        reject(this.#failure);
        return;
      }
      this.#listener = (output) => {
        if (output instanceof Error) {
          reject(output);
        } else if (take(output)) {
          this.#listener = () => {};
          resolve();
        }
      };
      this.#send(line);
    });
  }

  async #setOptions(options) {
    let error = null;
    for (const [name, value] of Object.entries(options)) {
      this.#send(`setoption name ${name} value ${value}`);
    }
    await this.#exchange('isready', (line) => {
      error ??= /^info string error: (.*)/.exec(line)?.[1] ?? null;
      return line === 'readyok';
    });
    if (error) {
      throw new RangeError(error);
    }
  }

  /** Does `work` when all earlier calls have ended. */
  async #next(work) {
    const earlier = this.#last;
    let end;
    this.#last = new Promise((resolve) => {
      end = resolve;
    });
    try {
      await earlier;
      if (this.#failure) {
        throw this.#failure;
      }
      return await work();
    } finally {
      end();
    }
  }

  setOption(name, value) {
    this.#cancel();
    return this.#next(() => this.#setOptions({ [name]: value }));
  }

  newGame() {
    this.#cancel();
    return this.#next(async () => this.#send('ucinewgame'));
  }

  async* analyse(board, limits = {}) {
    const { moves = [], multipv = 1, signal } = limits;
    const go = goCommand(limits);
    signal?.throwIfAborted();
    const played = [];
    const position = moves.reduce((last, move) => {
      played.push(last.uci(move));
      return last.make(move);
    }, board);
    const results = resultsOf(position, multipv);
    // The newest result that the caller has not taken; older ones are out of date.
    let news = null;
    let wake = () => {};
    const publish = (result) => {
      news = result;
      wake();
    };
    let isCancelled = false;
    const cancel = () => {
      isCancelled = true;
      if (!this.#closed) {
        this.#send('stop');
      }
    };
    this.#cancel();
    this.#cancel = cancel;
    signal?.addEventListener('abort', cancel);
    const search = this.#next(async () => {
      await this.#setOptions({ MultiPV: multipv, UCI_Chess960: board.chess960, UCI_ShowWDL: true });
      this.#send(`position fen ${board.fen()} moves ${played.join(' ')}`);
      await this.#exchange(isCancelled ? 'go depth 1' : go, (line) => {
        const result = results.take(line);
        if (result) {
          publish(result);
        }
        return result?.done;
      });
    }).catch(publish);
    try {
      for (let isDone = false; !isDone;) {
        if (!news) {
          await new Promise((resolve) => {
            wake = resolve;
          });
        }
        const result = news;
        news = null;
        if (result instanceof Error) {
          throw result;
        }
        isDone = result.done;
        yield result;
      }
    } finally {
      signal?.removeEventListener('abort', cancel);
      if (this.#cancel === cancel) {
        this.#cancel = () => {};
        cancel();
      }
      await search;
    }
  }

  async search(board, limits = {}) {
    if (limits.depth === undefined && limits.nodes === undefined && limits.movetime === undefined) {
      throw new RangeError('give depth, nodes or movetime');
    }
    let last;
    for await (const update of this.analyse(board, limits)) {
      last = update;
    }
    return last;
  }

  stop() {
    this.#cancel();
  }

  close() {
    if (!this.#closed) {
      this.#send('quit');
      this.#closed = true;
    }
  }
}

export async function* analyse(board, limits = {}) {
  const engine = new Engine();
  try {
    yield* engine.analyse(board, limits);
  } finally {
    engine.close();
  }
}
