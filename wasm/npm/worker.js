// A worker that speaks UCI: each message is a line, to the engine and from it.
//
// The script runs twice. The worker that the page starts takes the lines; it starts a second one, which
// searches. While a search runs, the second worker takes no messages. Where the page is isolated
// (`crossOriginIsolated`), and under Node, the workers share memory, by which `stop` and `ponderhit` reach
// the search. Elsewhere the first worker ends the second one at `stop`, answers with the best move of the
// last line, and starts it again: only the transposition table is lost. At `ponderhit` the search starts
// again on the clock.

import { download, Instance, moduleName, SEARCHER } from './module.js';

const COMMANDS = new Set(['uci', 'isready', 'ucinewgame', 'setoption', 'position', 'go', 'stop',
  'ponderhit', 'wait', 'quit', 'd', 'eval', 'bench', 'debug', 'register']);

/** The command of a line: its first known word. */
const commandOf = (line) => line.split(/\s+/).find((word) => COMMANDS.has(word));

/** Whether the result of a `go` waits for `stop` or `ponderhit`. */
const isHeld = (line) => /\b(infinite|ponder)\b/.test(line)
  || !/\b(depth|nodes|mate|movetime|wtime|btime|perft)\b/.test(line);

const isPerft = (line) => /\bperft\b/.test(line);

/** The worker that searches: executes UCI lines and answers requests, one after the other. */
function search(host) {
  let instance;
  const start = ({ module, memory, replay }) => {
    const shared = memory && new Int32Array(memory);
    let muted = true;
    instance = new Instance(module, {
      print: (line) => muted || host.post(line),
      post: host.post,
      signal: () => (shared ? Atomics.exchange(shared, 0, 0) : 0),
    });
    // The first line makes the engine: without one, an engine that cannot be made would seem to have started.
    if (replay) {
      ['isready', ...replay].forEach((line) => instance.uci(line));
    }
    muted = false;
    host.post({ ready: true });
  };
  host.listen((message) => {
    try {
      if (typeof message === 'string') {
        host.post({ done: commandOf(message), ...instance.uci(message) });
      } else if (message.module) {
        start(message);
      } else {
        instance.engine(message.name, message.fields);
      }
    } catch (error) {
      host.post({ failed: String(error?.message ?? error) });
    }
  });
}

/** The worker that the page starts: passes lines on, and answers while a search runs. */
class Session {
  constructor(host) {
    this.host = host;
    this.shared = host.canShare ? new Int32Array(new SharedArrayBuffer(4)) : null;
    /** Lines that are not executed yet. */
    this.lines = [];
    /** Lines that came during the search and are executed after it. */
    this.later = [];
    /**
     * The `go` or `bench` that is running: its line, the moves of its last principal variation, and its
     * best move, which is passed on when the searcher takes lines again.
     */
    this.task = null;
    /** Lines that the searcher has not finished, the oldest first; the task's line is the last. */
    this.sent = [];
    /** What a new searcher must know: the options that are set, by name, and the position. */
    this.options = new Map();
    this.position = null;
    this.ready = false;
    /** Whether no searcher can be started: only `quit` is executed. */
    this.isDead = false;
  }

  receive(message) {
    if (typeof message === 'string') {
      this.lines.push(...message.split('\n'));
    } else if (message?.module) {
      this.module = message.module;
    }
    this.started ??= this.start();
    this.advance();
  }

  async start() {
    try {
      this.module ??= await this.host.load();
      this.startSearcher();
    } catch (error) {
      this.fail(error.message);
      this.advance();
    }
  }

  startSearcher() {
    this.searcher?.terminate();
    this.ready = false;
    const searcher = this.host.start((message) => {
      if (searcher === this.searcher) {
        this.take(message);
      }
    });
    this.searcher = searcher;
    const replay = [...this.options.values()];
    if (this.position) {
      replay.push(this.position);
    }
    searcher.postMessage({ module: this.module, memory: this.shared?.buffer, replay });
    this.sent.forEach((line) => searcher.postMessage(line));
  }

  /** Passes a line to the searcher. */
  send(line) {
    this.sent.push(line);
    this.searcher.postMessage(line);
  }

  /** Executes the lines that can be executed now. */
  advance() {
    if (this.isDead && this.lines.some((line) => commandOf(line) === 'quit')) {
      this.close();
    }
    while (this.ready && this.lines.length > 0) {
      const line = this.lines.shift();
      const command = commandOf(line);
      if (!this.task) {
        this.execute(line, command);
      } else if (command === 'stop' || command === 'ponderhit') {
        this.signal(command);
      } else if (command === 'isready') {
        this.host.post('readyok');
      } else if (['go', 'ucinewgame', 'bench', 'quit'].includes(command)) {
        this.lines.unshift(line);
        // A perft is finished first: scripts send all their commands at once and expect whole counts.
        if (isPerft(this.task.line)) {
          return;
        }
        this.signal('stop');
        // Without shared memory the search has ended at once.
        if (this.task) {
          return;
        }
      } else if (command === 'wait' && !isHeld(this.task.line)) {
        this.lines.unshift(line);
        return;
      } else {
        this.later.push(line);
      }
    }
  }

  execute(line, command) {
    if (command === 'go' || command === 'bench') {
      this.task = { line, command, pv: null, bestMove: null };
      if (this.shared) {
        Atomics.store(this.shared, 0, 0);
      }
    }
    this.send(line);
  }

  /** The searcher has finished its oldest line: keeps what a new searcher must know of it. */
  note({ isRefused }) {
    const line = this.sent.shift();
    const command = commandOf(line);
    if (isRefused) {
      return;
    }
    if (command === 'setoption') {
      const name = line.replace(/^.*?\bname\s+/i, '').replace(/\s+value\b.*$/i, '');
      this.options.set(name.toLowerCase(), line);
    } else if (command === 'position') {
      this.position = line;
    }
  }

  /** Passes `stop` or `ponderhit` to the running search. */
  signal(command) {
    if (this.task.command === 'bench') {
      return;
    }
    if (this.shared) {
      Atomics.store(this.shared, 0, command === 'stop' ? 1 : 2);
    } else if (command === 'stop' && this.task.isReplaced) {
      // The short search that replaces the one without a move ends by itself.
    } else {
      this.replaceSearch(command);
    }
  }

  /** Ends the search without shared memory. */
  replaceSearch(command) {
    const { task } = this;
    this.sent.pop();
    this.startSearcher();
    if (command === 'ponderhit') {
      task.line = task.line.replace(/\bponder\b/, '');
      this.send(task.line);
    } else if (isPerft(task.line)) {
      this.host.post('info string perft stopped before all root moves were counted');
      this.finish();
    } else if (task.pv) {
      this.postBestMove();
      this.finish();
    } else {
      task.isReplaced = true;
      this.send(`go depth 1 ${task.line.match(/\bsearchmoves\b.*/)?.[0] ?? ''}`);
    }
  }

  /** Answers with the best move of the searcher, or else of the last line. */
  postBestMove() {
    const [best, ponder] = this.task.pv ?? ['(none)'];
    this.host.post(this.task.bestMove ?? `bestmove ${best}${ponder ? ` ponder ${ponder}` : ''}`);
  }

  /** The task has ended. */
  finish() {
    this.task = null;
    this.lines.unshift(...this.later.splice(0));
  }

  /** Takes a message of the searcher: a line of output, or a report. */
  take(message) {
    if (this.task && typeof message === 'string' && message.startsWith('bestmove')) {
      this.task.bestMove = message;
    } else if (typeof message === 'string') {
      this.takeLine(message);
      this.host.post(message);
    } else if (message.ready) {
      this.ready = true;
    } else if (message.failed) {
      this.fail(message.failed);
    } else if (!message.goesOn) {
      this.close();
    } else {
      this.note(message);
      if (this.task && message.done === this.task.command) {
        this.endTask();
      }
    }
    this.advance();
  }

  /** The searcher has finished the task. */
  endTask() {
    // A signal that came too late for the search is a command for its result, if that is held.
    const late = this.shared ? Atomics.exchange(this.shared, 0, 0) : 0;
    if (this.task.bestMove) {
      this.postBestMove();
    } else if (late !== 0) {
      this.send(late === 1 ? 'stop' : 'ponderhit');
    }
    this.finish();
  }

  /** Keeps what is needed to end the search without shared memory. */
  takeLine(line) {
    if (this.task && / pv /.test(line) && !/ multipv (?!1 )/.test(line)) {
      this.task.pv = line.replace(/^.* pv /, '').split(' ');
    }
  }

  /**
   * The searcher has failed: the game goes on with another one, unless this one could not start. Then the
   * worker fails, too, so that nobody waits for an answer.
   */
  fail(message) {
    this.host.post(`info string error: ${message}`);
    this.sent.shift();
    if (this.task) {
      this.sent.pop();
      this.postBestMove();
      this.finish();
    }
    if (this.ready) {
      this.startSearcher();
    } else {
      this.isDead = true;
      this.searcher?.terminate();
      this.searcher = null;
      setTimeout(() => {
        throw new Error(message);
      });
    }
  }

  close() {
    this.searcher?.terminate();
    this.host.close();
  }
}

/** What this script needs in a browser; node.js has the same for Node. */
const browser = () => ({
  isSearcher: self.name === SEARCHER,
  canShare: self.crossOriginIsolated === true,
  post: (message) => self.postMessage(message),
  listen: (listener) => {
    self.onmessage = ({ data }) => listener(data);
  },
  start: (listener) => {
    const worker = new Worker(self.location.href, { name: SEARCHER });
    worker.onmessage = ({ data }) => listener(data);
    worker.onerror = (event) => {
      // The page need not know of an error after which another searcher is started.
      event.preventDefault();
      listener({ failed: event.message ?? 'worker.js cannot be loaded' });
    };
    return worker;
  },
  close: () => self.close(),
  load: async () => {
    const beside = new URL(moduleName(), self.location.href);
    // As with stockfish.js, another address may follow the `#`.
    const named = decodeURIComponent(self.location.hash.slice(1));
    if (!named.endsWith('.wasm')) {
      return download(beside);
    }
    return download(new URL(named, self.location.href)).catch(() => download(beside));
  },
});

const main = (host) => {
  if (host.isSearcher) {
    search(host);
  } else {
    const session = new Session(host);
    host.listen((message) => session.receive(message));
  }
};

if (typeof WorkerGlobalScope === 'function') {
  main(browser());
} else {
  // A name in a variable: bundlers for browsers must not look for this file.
  const file = './node.js';
  import(/* webpackIgnore: true */ /* @vite-ignore */ file).then(({ host }) => host && main(host(SEARCHER)));
}
