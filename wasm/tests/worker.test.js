// The worker of a page that cannot share memory, with a searcher that follows a script.

import assert from 'node:assert/strict';
import { beforeEach, mock, test } from 'node:test';

const WORKER = new URL('../npm/worker.js', import.meta.url);

/** The searchers that were started, the current one last. */
let searchers;
/** What the page gets. */
let output;
/** The errors of which the page gets an event. */
let errors;

/** A searcher: keeps what it is told. */
class Searcher {
  constructor() {
    this.told = [];
    searchers.push(this);
  }

  postMessage(message) {
    this.told.push(message);
  }

  terminate() {
    this.isTerminated = true;
  }

  say(...messages) {
    messages.forEach((data) => this.onmessage({ data }));
  }
}

const current = () => searchers.at(-1);
const done = (command, isRefused = false) => ({ done: command, goesOn: true, isRefused });
const send = (...lines) => lines.forEach((data) => self.onmessage({ data }));

/** How often the script was loaded. */
let loads = 0;

beforeEach(async () => {
  searchers = [];
  output = [];
  errors = [];
  mock.restoreAll();
  mock.method(globalThis, 'setTimeout', (run) => {
    try {
      run();
    } catch ({ message }) {
      errors.push(message);
    }
  });
  globalThis.Worker = Searcher;
  globalThis.WorkerGlobalScope = class {};
  globalThis.self = {
    crossOriginIsolated: false,
    location: { href: WORKER.href, hash: '' },
    postMessage: (line) => output.push(line),
    close: () => output.push('closed'),
  };
  loads += 1;
  await import(`${WORKER}?${loads}`);
  send({ module: {} });
  await Promise.resolve();
});

test('a new searcher gets the last position and options that were not refused', () => {
  current().say({ ready: true });
  send('position startpos moves e2e4', 'setoption name Hash value 4', 'setoption name MultiPV value 2');
  current().say(done('position'), done('setoption'), done('setoption'));
  send('position fen none', 'setoption name Hash value abc', 'position startpos e2e4', 'go infinite');
  current().say('info string error: malformed FEN; the position is unchanged', done('position', true));
  current().say('info string error: Hash takes 1 to 1024', done('setoption', true));
  current().say('info string unknown command: position startpos e2e4', done('position', true));
  current().say('info depth 1 score cp 0 pv e7e5');
  send('stop');
  assert.equal(output.at(-1), 'bestmove e7e5');
  assert.deepEqual(current().told[0].replay, [
    'setoption name Hash value 4', 'setoption name MultiPV value 2', 'position startpos moves e2e4',
  ]);
  assert.equal(current().told.length, 1);
});

test('a position whose moves are partly refused is the new one', () => {
  current().say({ ready: true });
  send('position startpos moves e2e4 e2e4', 'go infinite');
  current().say('info string error: illegal move e2e4; earlier moves were played', done('position'));
  current().say('info depth 1 score cp 0 pv e7e5');
  send('stop');
  assert.deepEqual(current().told[0].replay, ['position startpos moves e2e4 e2e4']);
});

test('lines that a replaced searcher has not reached are executed by the next one', () => {
  current().say({ ready: true });
  send('position startpos moves d2d4', 'isready', 'go infinite', 'stop');
  const [start, ...lines] = current().told;
  assert.deepEqual(start.replay, []);
  assert.deepEqual(lines, ['position startpos moves d2d4', 'isready', 'go depth 1 ']);
  current().say({ ready: true }, done('position'), 'readyok', done('isready'), 'bestmove d7d5', done('go'));
  assert.deepEqual(output, ['readyok', 'bestmove d7d5']);
});

test('a searcher that fails is replaced, and its line is not executed again', () => {
  current().say({ ready: true });
  send('position startpos moves d2d4', 'eval', 'isready');
  current().say(done('position'), { failed: 'unreachable' });
  assert.deepEqual(output, ['info string error: unreachable']);
  assert.deepEqual(errors, []);
  const [start, ...lines] = current().told;
  assert.deepEqual(start.replay, ['position startpos moves d2d4']);
  assert.deepEqual(lines, ['isready']);
});

test('a searcher that cannot start is not started again, and quit is executed', () => {
  send('isready');
  const [searcher] = searchers;
  searcher.say({ failed: 'no memory' });
  searcher.say({ failed: 'no memory' });
  assert.deepEqual(output, ['info string error: no memory']);
  assert.deepEqual(errors, ['no memory']);
  assert.ok(searchers.length === 1 && searcher.isTerminated);
  send('go depth 1', 'quit');
  assert.deepEqual(output, ['info string error: no memory', 'closed']);
});

test('nor is one that replaces a failed searcher', () => {
  current().say({ ready: true });
  send('go infinite');
  current().say({ failed: 'no memory' });
  assert.deepEqual(output, ['info string error: no memory', 'bestmove (none)']);
  assert.deepEqual(errors, []);
  current().say({ failed: 'no memory' });
  assert.deepEqual(errors, ['no memory']);
  send('quit');
  assert.equal(searchers.length, 2);
  assert.deepEqual(output.slice(2), ['info string error: no memory', 'closed']);
});
