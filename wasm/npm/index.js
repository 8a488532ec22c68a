// The typed interface: positions, and engines that analyse them. index.d.ts documents it.

import { resourceLimits, SEARCHER } from './module.js';
import { init, request } from './rules.js';

// Requests of the board page (see api/src/request.rs) are not part of the documented interface.
export { init, request };

/** A text is not a legal move of the position. The message gives the reason. */
export class IllegalMove extends Error {
  name = 'IllegalMove';
}

/** Refuses limits that are not positive whole numbers. */
function checkLimits(limits) {
  for (const [name, value] of Object.entries(limits)) {
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) {
      throw new RangeError(`${name} is a positive whole number, not ${value}`);
    }
  }
}

/** The answer to a request, or throws why it is refused. */
function unwrap({ ok, error }) {
  if (error) {
    throw error.isIllegalMove ? new IllegalMove(error.message) : new RangeError(error.message);
  }
  return ok;
}

const ask = (name, fields) => unwrap(request(name, fields));

/** The module's description of a position. */
class Position {
  constructor(fields) {
    Object.assign(this, fields);
    Object.freeze(this);
  }
}

export class Board {
  constructor(from = 'startpos', { chess960 = from?.position?.chess960 } = {}) {
    const fen = String(from?.position?.fen ?? from);
    // A property of its own, so that `structuredClone` keeps it.
    this.position = from instanceof Position
      ? from
      : new Position(ask('position', { fen, chess960: Boolean(chess960) }));
    Object.freeze(this);
  }

  #ask(name, fields) {
    const { fen, chess960 } = this.position;
    return ask(name, { fen, chess960, ...fields });
  }

  get turn() {
    return this.position.turn;
  }

  get chess960() {
    return this.position.chess960;
  }

  get status() {
    return this.position.status;
  }

  fen() {
    return this.position.fen;
  }

  legalMoves() {
    return this.position.legal.map(({ uci }) => uci);
  }

  #play(move) {
    return this.#ask('play', { move: String(move) });
  }

  san(move) {
    return this.#play(move).move.san;
  }

  uci(move) {
    return this.#play(move).move.uci;
  }

  make(move) {
    return new Board(new Position(this.#play(move)));
  }

  isCheck() {
    return this.position.check;
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

const threads = globalThis.process?.getBuiltinModule?.('node:worker_threads');
/** Whether a worker can share memory, by which `stop` reaches a running search. */
const canShare = () => Boolean(threads) || globalThis.crossOriginIsolated === true;

/** Starts worker.js; messages go to the listener. */
function startWorker(listener) {
  const fail = ({ message }) => listener({ failed: message ?? 'worker.js cannot be loaded' });
  if (threads) {
    // A name in a variable: bundlers for browsers find the file below.
    const file = './worker.js';
    const worker = new threads.Worker(new URL(file, import.meta.url), { workerData: SEARCHER, resourceLimits });
    return worker.on('message', listener).on('error', fail);
  }
  // The name is SEARCHER: bundlers need a constant.
  const worker = new Worker(new URL('./worker.js', import.meta.url), { name: 'saavedra-search' });
  worker.onmessage = ({ data }) => listener(data);
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event);
  };
  return worker;
}

const lineOf = ({ score: { cp = null, mate = null }, pv_san: pvSan, ...line }) => (
  { ...line, scoreCp: cp, mate, pvSan });

/** The line of a game that is over. */
const NO_LINE = { multipv: 1, depth: 0, seldepth: 0, nodes: 0, nps: 0, hashfull: 0, time: 0, pv: [], pv_san: [] };

/** The result of an iteration with these lines; the answer to the search has the last one. */
function resultOf(lines, answer) {
  const first = lineOf(lines[0] ?? { ...NO_LINE, score: answer.score, wdl: answer.wdl });
  const [best = null, ponder = null] = answer ? [answer.bestmove, answer.ponder] : first.pv;
  return { ...first, best, ponder, lines: lines.map(lineOf), done: false };
}

export class Engine {
  /** The worker; null before the first call, and after the worker has failed. */
  #worker = null;
  /** Takes the messages of the worker. */
  #listener = () => {};
  /** The options that are set, by name, for a worker that replaces this one. */
  #options = new Map();
  /** Shared with the worker: 1 ends its search. */
  #signal = canShare() ? new Int32Array(new SharedArrayBuffer(4)) : null;
  /** The end of the last call: the engine does one thing at a time. */
  #last;
  /** Ends the running analysis. */
  #cancel = () => {};
  #closed = false;

  constructor(options = {}) {
    this.#last = this.#setOptions(options);
    // The next call throws the error.
    this.#last.catch(() => {});
  }

  static async create(options) {
    const engine = new Engine(options);
    try {
      await engine.#last;
      return engine;
    } catch (error) {
      engine.close();
      throw error;
    }
  }

  /** Starts the worker with the options that are set, unless it runs. */
  async #connect() {
    if (this.#worker) {
      return;
    }
    const module = await init();
    const worker = startWorker((message) => worker === this.#worker && this.#listener(message));
    this.#worker = worker;
    worker.postMessage({ module, memory: this.#signal?.buffer });
    await this.#exchange('options', { options: [...this.#options.values()] });
  }

  /** Ends the worker. The next call starts another one. */
  #disconnect() {
    this.#worker?.terminate();
    this.#worker = null;
  }

  /** Sends a request, passes on what comes before the answer, and returns the answer. */
  async #exchange(name, fields, onNews) {
    const worker = this.#worker;
    try {
      // An idle worker does not keep Node running.
      worker.ref?.();
      return unwrap(await new Promise((resolve, reject) => {
        this.#listener = (message) => {
          const news = message.lines ?? message.puzzles;
          if (news) {
            onNews(news);
          } else if (message.failed) {
            this.#disconnect();
            reject(new Error(message.failed));
          } else if (!message.ready) {
            resolve(message);
          }
        };
        worker.postMessage({ name, fields });
      }));
    } finally {
      worker.unref?.();
    }
  }

  async #setOptions(options) {
    await this.#connect();
    for (const [name, value] of Object.entries(options)) {
      const option = [name, String(value)];
      await this.#exchange('options', { options: [option] });
      this.#options.set(name.toLowerCase(), option);
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
      if (this.#closed) {
        throw new Error('the engine is closed');
      }
      await this.#connect();
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
    return this.#next(() => this.#exchange('newGame', {}));
  }

  /**
   * Starts `search` or `puzzles`: its answer, null if it was ended without one, and a function that ends it.
   * Where no memory is shared, a search is ended when it has lines, so that there is a last result.
   */
  #start(name, fields, signal, onNews) {
    const isSearch = name === 'search';
    let [isCancelled, isRunning, canEnd] = [false, false, !isSearch];
    const cancel = () => {
      isCancelled = true;
      if (isRunning && this.#signal) {
        Atomics.store(this.#signal, 0, 1);
      } else if (isRunning && canEnd) {
        this.#listener({ ok: null });
        this.#disconnect();
      }
    };
    const takeNews = (news) => {
      canEnd = true;
      onNews(news);
      if (isCancelled) {
        cancel();
      }
    };
    this.#cancel();
    this.#cancel = cancel;
    signal?.addEventListener('abort', cancel);
    const answer = this.#next(async () => {
      if (this.#signal) {
        Atomics.store(this.#signal, 0, 0);
      }
      if (isCancelled && !isSearch) {
        return null;
      }
      isRunning = true;
      try {
        return await this.#exchange(name, isCancelled ? { ...fields, depth: 1 } : fields, takeNews);
      } finally {
        isRunning = false;
      }
    }).finally(() => {
      signal?.removeEventListener('abort', cancel);
      if (this.#cancel === cancel) {
        this.#cancel = () => {};
      }
    });
    return { answer, cancel };
  }

  /** Answers a search as the web service does. For the board page; not part of the documented interface. */
  async request(fields, signal, onLines = () => {}) {
    signal?.throwIfAborted();
    return this.#start('search', fields, signal, onLines).answer;
  }

  explain(board, { move, moves = [], nodes } = {}) {
    const { fen, chess960 } = board.position;
    this.#cancel();
    return this.#next(() => this.#exchange('explain', { fen, chess960, moves, move, nodes }));
  }

  async puzzles(pgn, { nodes, side, player, signal, onGame = () => {} } = {}) {
    checkLimits({ nodes });
    signal?.throwIfAborted();
    const all = [];
    const fields = { pgn: String(pgn), nodes, side, player };
    const { answer } = this.#start('puzzles', fields, signal, (puzzles) => {
      all.push(...puzzles);
      onGame(puzzles);
    });
    const isComplete = await answer;
    if (!isComplete) {
      signal?.throwIfAborted();
      throw new DOMException('the engine has stopped before the last game', 'AbortError');
    }
    return all;
  }

  async* analyse(board, { moves = [], multipv = 1, depth, nodes, movetime, signal } = {}) {
    checkLimits({ depth, nodes, movetime });
    signal?.throwIfAborted();
    const { fen, chess960 } = board.position;
    const options = [['MultiPV', String(multipv)]];
    // The newest result that the caller has not taken; older ones are out of date.
    let news = null;
    let wake = () => {};
    const publish = (result) => {
      news = result;
      wake();
    };
    let lines = [];
    const fields = { fen, chess960, moves, depth, nodes, movetime, options };
    const { answer, cancel } = this.#start('search', fields, signal, (found) => {
      lines = found;
      publish(resultOf(lines));
    });
    const end = answer.then((last) => publish({ ...resultOf(lines, last), done: true }), publish);
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
      cancel();
      await end;
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
    this.#cancel();
    this.#closed = true;
    const end = () => this.#disconnect();
    this.#last.then(end, end);
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
