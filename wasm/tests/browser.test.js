// The package in Chromium: a page that uses worker.js as pages use stockfish.js, and a module.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { PACKAGE, Program, serve, startBrowser } from './support.js';

const PAGE = `<!doctype html>
<script>
  const engine = new Worker('worker.js');
  const lines = [];
  let check = () => {};
  engine.onmessage = ({ data }) => { lines.push(data); check(); };
  /** Waits for a line, and takes it and those before it. */
  const until = (start) => new Promise((resolve) => {
    check = () => {
      const at = lines.findIndex((line) => line.startsWith(start));
      if (at >= 0) resolve(lines.splice(0, at + 1));
    };
    check();
  });
  const send = (...commands) => commands.forEach((command) => engine.postMessage(command));
</script>`;
/** `worker.js` in a folder without modules. */
const LONE_WORKER = { '/other/worker.js': readFileSync(new URL('worker.js', PACKAGE)) };

let browser;
before(async () => {
  browser = await startBrowser();
  if (!browser) {
    console.log('no Chromium: the tests of the package in a browser are skipped');
  }
});
after(() => browser?.close());

/** Runs a test with the page, isolated or not. */
const inBrowser = (name, isIsolated, run) => test(`${name}, ${isIsolated ? 'isolated' : 'not isolated'}`, async (t) => {
  if (!browser) {
    t.skip('no Chromium');
    return;
  }
  const server = await serve(PACKAGE, { pages: { '/index.html': PAGE, ...LONE_WORKER }, isIsolated });
  try {
    await browser.open(server.address);
    assert.equal(await browser.run('return crossOriginIsolated;'), isIsolated);
    await run();
  } finally {
    server.close();
  }
});

for (const isIsolated of [true, false]) {
  inBrowser('a page for stockfish.js plays and stops', isIsolated, async () => {
    const answers = await browser.run(`
      send('uci'); const identity = await until('uciok');
      send('isready'); await until('readyok');
      send('ucinewgame', 'position startpos moves e2e4', 'go movetime 100');
      const move = await until('bestmove');
      send('go infinite'); await until('info');
      send('isready'); await until('readyok');
      send('setoption name MultiPV value 2', 'position startpos moves d2d4', 'stop');
      const stopped = await until('bestmove');
      send('go depth 2'); const after = await until('bestmove');
      send('go infinite', 'stop'); const atOnce = await until('bestmove');
      send('go ponder wtime 1000 btime 1000'); await until('info');
      send('ponderhit'); const hit = await until('bestmove');
      send('go infinite depth 1', 'isready'); await until('readyok');
      send('stop'); const held = await until('bestmove');
      send('go infinite', 'go perft 12', 'stop'); await until('bestmove');
      const perft = await until('info string perft stopped');
      send('position startpos', 'go perft 3'); const counted = await until('Nodes searched: ');
      return { identity, move, stopped, after, atOnce, hit, held, perft, counted };`);
    assert.ok(answers.identity.every((line) => !line.includes('\n')), 'one line a message');
    for (const name of ['move', 'stopped', 'after', 'atOnce', 'hit', 'held']) {
      assert.match(answers[name].at(-1), /^bestmove [a-h][1-8][a-h][1-8]/, name);
      assert.ok(!answers[name].some((line) => /error/.test(line)), answers[name].join('\n'));
    }
    assert.ok(answers.after.some((line) => / multipv 2 /.test(line)), answers.after.join('\n'));
    assert.match(answers.after.at(-1), /[78]/, 'black moves after d2d4');
    assert.equal(answers.counted.at(-1), 'Nodes searched: 8902');
  });
}

inBrowser('the bench equals Node\'s', false, async () => {
  const [line] = await browser.run("send('bench'); return (await until('')).slice(-1);");
  const { lines } = await new Program('cli.js', 'bench').finish();
  assert.equal(/^(\d+) nodes/.exec(line)[1], /^(\d+) nodes/.exec(lines[0])[1]);
});

inBrowser('the module at another address is named after a #', false, async () => {
  const line = await browser.run(`
    const worker = new Worker('other/worker.js#/saavedra-scalar.wasm');
    return new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage('isready');
    });`);
  assert.equal(line, 'readyok');
});

for (const isIsolated of [true, false]) {
  inBrowser('the typed interface', isIsolated, async () => {
    const { san, depth, done, ended, cancelled } = await browser.run(`
      const { Board, Engine, analyse, init } = await import('/index.js');
      await init();
      const board = new Board().make('e4');
      let last;
      for await (last of analyse(board, { depth: 5 }));
      const engine = new Engine();
      for await (const { depth } of engine.analyse(board)) if (depth > 2) break;
      const controller = new AbortController();
      const puzzles = engine.puzzles('1. e4 e5 *', { nodes: 1e15, signal: controller.signal });
      setTimeout(() => controller.abort(), 100);
      const ended = await puzzles.catch(({ name }) => name);
      const cancelled = await engine.search(board, { nodes: 1000 });
      engine.close();
      return { san: board.san('g8f6'), depth: last.depth, done: last.done, ended, cancelled: cancelled.best };`);
    assert.deepEqual({ san, depth, done, ended }, { san: 'Nf6', depth: 5, done: true, ended: 'AbortError' });
    assert.match(cancelled, /^[a-h][1-8]/);
  });
}

inBrowser('a module that is not loaded or is missing', false, async () => {
  const messages = await browser.run(`
    const { Board, Engine, init } = await import('/index.js');
    const messages = [];
    try { new Board(); } catch ({ message }) { messages.push(message); }
    const { fetch } = window;
    window.fetch = (url) => fetch(url + '.missing');
    for (const start of [init, Engine.create]) await start().catch(({ message }) => messages.push(message));
    window.fetch = fetch;
    await init();
    return [...messages, new Board().turn];`);
  assert.match(messages[0], /await init\(\) first/);
  messages.slice(1, 3).forEach((message) => assert.match(message, /saavedra\.wasm: 404/));
  assert.equal(messages[3], 'white');
});
