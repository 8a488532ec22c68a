// The package under Node. `make wasm` builds it.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'node:test';
import { PACKAGE, Program, REPOSITORY } from './support.js';

const { analyse, Board, Engine, IllegalMove } = await import(new URL('index.js', PACKAGE));

/** White mates by a1a8. */
const MATE_IN_ONE = '6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1';
/** Nodes of a suite's position that are counted at most. */
const MAX_NODES = 10_000_000;

test('the modules are under 1 MB beside their network', () => {
  const network = statSync(new URL('networks/default.nnue', REPOSITORY)).size;
  for (const name of ['saavedra.wasm', 'saavedra-scalar.wasm']) {
    const size = statSync(new URL(name, PACKAGE)).size - network;
    assert.ok(size < 1_000_000, `${name}: ${size} bytes beside its network`);
  }
});

for (const name of readdirSync(new URL('perft/', REPOSITORY)).filter((file) => file.endsWith('.epd'))) {
  test(`perft ${name}`, () => {
    const suite = readFileSync(new URL(`perft/${name}`, REPOSITORY), 'utf8');
    let counts = 0;
    for (const line of suite.split('\n').filter(Boolean)) {
      const [fen, ...fields] = line.split(';').map((field) => field.trim());
      const board = new Board(fen);
      for (const [, depth, nodes] of fields.map((field) => /^D(\d+) (\d+)$/.exec(field) ?? [])) {
        if (Number(nodes) <= MAX_NODES) {
          assert.equal(board.perft(Number(depth)), Number(nodes), `${fen} depth ${depth}`);
          counts += 1;
        }
      }
    }
    assert.ok(counts > 100, `${counts} counts`);
  });
}

test('a board is a value', () => {
  const start = new Board();
  const after = start.make('e4');
  assert.equal(start.fen(), new Board('startpos').fen());
  assert.equal(after.fen(), start.make('e2e4').fen());
  assert.deepEqual([after.turn, after.status, after.isCheck(), after.isOver()], ['black', 'ongoing', false, false]);
  assert.equal(after.legalMoves().length, 20);
  assert.equal(after.san('g8f6'), 'Nf6');
  assert.equal(after.uci('Nf6'), 'g8f6');
  const mate = new Board('7k/5Q2/6K1/8/8/8/8/8 w - - 0 1').make('Qg7#');
  assert.deepEqual([mate.status, mate.isCheck(), mate.isOver(), mate.legalMoves()], ['checkmate', true, true, []]);
  const castling = new Board('4k3/8/8/8/8/8/8/4K2R w K - 0 1', { chess960: true });
  assert.equal(castling.uci('O-O'), 'e1h1');
  assert.equal(JSON.stringify({ start }), `{"start":"${start.fen()}"}`);
});

test('a move is explained', async () => {
  const engine = await Engine.create();
  try {
    const mate = await engine.explain(new Board(MATE_IN_ONE), { move: 'Ra8', nodes: 2000 });
    assert.match(mate.text, /checkmate/);
    assert.equal(mate.asked.san, 'Ra8#');
    const best = await engine.explain(new Board(), { moves: ['e4', 'e5', 'Qh5'], nodes: 2000 });
    assert.equal(best.asked, null);
    assert.ok(best.text.length > 0 && best.line.length > 0);
    await assert.rejects(engine.explain(new Board(), { move: 'e5' }), IllegalMove);
  } finally {
    engine.close();
  }
});

/** Games with a mistake; the last one has the position of the first. */
const GAMES = `[White "Ann"]
[Black "Bob"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 h6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

[White "Eve"]
[Variant "Chess960"]
[FEN "6k1/q4ppp/8/8/8/8/5PPP/R5K1 b - - 0 1"]

1... Qa8 2. h3 *

[White "Eve"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 h6 5. Nxe5 Bxd1 6. Kxd1 *
`;

test('exercises are those of the command, and come game by game', async (t) => {
  const engine = await Engine.create();
  try {
    const games = [];
    const puzzles = await engine.puzzles(GAMES, { nodes: 20_000, onGame: (found) => games.push(found) });
    assert.deepEqual(games.flat(), puzzles);
    assert.equal(games.length, 3);
    assert.equal(new Set(puzzles.map(({ id }) => id)).size, puzzles.length);
    const [{ fen, solution, themes, game }] = puzzles;
    assert.equal(new Board(fen).san(solution[0]), 'Bxf7+');
    assert.ok(themes.includes('mate-in-2'), themes.join());
    assert.deepEqual(game, { white: 'Ann', black: 'Bob', ply: 10 });
    const mates = await engine.puzzles(GAMES, { nodes: 20_000, player: 'eve', side: 'white' });
    assert.ok(mates.length > 0 && mates.every(({ game: { white } }) => white === 'Eve'));
    assert.deepEqual(await engine.puzzles('', { nodes: 1 }), []);
    const command = fileURLToPath(new URL('target/release/saavedra', REPOSITORY));
    if (!existsSync(command)) {
      t.diagnostic('not compared with the command, which is not built');
      return;
    }
    const { stdout } = spawnSync(command, ['puzzles', '-', '--nodes', '20000', '--format', 'json'], { input: GAMES, encoding: 'utf8' });
    assert.deepEqual(puzzles, stdout.trim().split('\n').map((line) => JSON.parse(line)));
  } finally {
    engine.close();
  }
});

test('a search for exercises is refused or ended, and the engine goes on', async () => {
  const engine = await Engine.create();
  const isEnded = { name: 'AbortError' };
  const endless = (options) => engine.puzzles(GAMES, { nodes: 1e15, ...options });
  try {
    for (const [pgn, options, message] of [
      ['1. e4 *\n\n1. e4 Ke3 *', {}, /^pgn:3:7: game 2: illegal move/],
      [GAMES, { side: 'red' }, /white, black or both/],
      [GAMES, { nodes: 0 }, /nodes is a positive/],
      [GAMES, { nodes: '5' }, /nodes is a positive/],
      [GAMES, { player: 5 }, /string/],
    ]) {
      await assert.rejects(engine.puzzles(pgn, options), { name: 'RangeError', message });
    }
    const controller = new AbortController();
    const aborted = endless({ signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await assert.rejects(aborted, isEnded);
    await assert.rejects(endless({ signal: controller.signal }), isEnded);
    const stopped = endless();
    engine.stop();
    await assert.rejects(stopped, isEnded);
    const replaced = endless();
    const next = engine.puzzles(GAMES, { nodes: 1000 });
    await assert.rejects(replaced, isEnded);
    await next;
    const interrupted = endless();
    assert.ok((await Promise.all([engine.search(new Board(), { depth: 2 }), assert.rejects(interrupted, isEnded)]))[0].best);
    const closed = endless();
    engine.close();
    await assert.rejects(closed);
  } finally {
    engine.close();
  }
});

test('what is refused says why', () => {
  const board = new Board();
  assert.throws(() => board.make('e2e5'), (e) => e instanceof IllegalMove && /illegal move e2e5/.test(e.message));
  assert.throws(() => board.san('Ke3'), IllegalMove);
  for (const fen of ['', '8/8/8/8/8/8/8/8 w - - 0 1', 'not a FEN', 7]) {
    assert.throws(() => new Board(fen), RangeError, `${fen}`);
  }
  for (const depth of [-1, 1.5, 65, '5']) {
    assert.throws(() => board.perft(depth), RangeError, `${depth}`);
  }
});

test('an analysis yields its iterations and its result', async () => {
  const results = [];
  for await (const result of analyse(new Board(), { depth: 6, multipv: 2, moves: ['e4', 'c7c5'] })) {
    results.push(result);
  }
  const last = results.at(-1);
  assert.ok(last.done && results.slice(0, -1).every(({ done }) => !done));
  assert.equal(last.depth, 6);
  assert.equal(last.lines.length, 2);
  assert.equal(last.best, last.pv[0]);
  assert.equal(last.wdl.reduce((sum, value) => sum + value), 1000);
  assert.ok(new Board().make('e4').make('c5').legalMoves().includes(last.best));
});

test('a result has the lines that the engine prints, though they are fewer than asked for', async () => {
  const engine = new Engine();
  try {
    const stopped = await engine.search(new Board(), { nodes: 5, multipv: 3 });
    assert.ok(stopped.depth > 0 && stopped.lines.length > 0);
    assert.equal(stopped.pv[0], stopped.best);
    await engine.setOption('UCI_LimitStrength', true);
    await engine.setOption('UCI_Elo', 2000);
    const results = [];
    // A weakened engine searches the mate only.
    for await (const result of engine.analyse(new Board(MATE_IN_ONE), { depth: 4, multipv: 2 })) {
      results.push(result);
    }
    const { best, mate, lines } = results.at(-1);
    assert.deepEqual([best, mate, lines.length], ['a1a8', 1, 1]);
    assert.ok(results.some(({ done, depth }) => !done && depth > 0), 'there are results before the last one');
  } finally {
    engine.close();
  }
});

test('an option that is set during an analysis ends it', async () => {
  const engine = new Engine();
  const board = new Board();
  try {
    for (const change of [() => engine.setOption('Hash', 2), () => engine.newGame()]) {
      let last;
      for await (last of engine.analyse(board)) {
        if (!last.done) {
          await change();
        }
      }
      assert.ok(last.done && last.best);
    }
    await engine.setOption('UCI_ShowWDL', false);
    const { wdl } = await engine.search(board, { depth: 2 });
    assert.equal(wdl.reduce((sum, value) => sum + value), 1000, 'whatever the option says');
  } finally {
    engine.close();
  }
});

test('an analysis that is aborted after the engine is closed throws nothing', async () => {
  const engine = new Engine();
  const controller = new AbortController();
  for await (const { done } of engine.analyse(new Board(), { signal: controller.signal })) {
    if (!done) {
      engine.close();
      controller.abort();
    }
  }
});

test('an engine that cannot start refuses each call', async () => {
  const script = `import { Engine } from './index.js';
    const engine = new Engine();
    for (let call = 0; call < 2; call += 1) {
      await engine.setOption('Hash', 1).catch(({ message }) => console.log(message));
    }
    await engine.newGame().catch(({ message }) => console.log(message));
    engine.close();`;
  for (const [file, content, message] of [
    // A module without functions.
    ['saavedra.wasm', Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0), /not a function/],
    ['worker.js', 'throw new Error("no worker");', /no worker/],
  ]) {
    const folder = mkdtempSync(join(tmpdir(), 'saavedra-'));
    try {
      cpSync(fileURLToPath(PACKAGE), folder, { recursive: true });
      writeFileSync(join(folder, file), content);
      writeFileSync(join(folder, 'calls.js'), script);
      const { lines } = await new Program(pathToFileURL(join(folder, 'calls.js'))).finish();
      assert.equal(lines.length, 3);
      lines.forEach((line) => assert.match(line, message));
      const { status } = await new Program(pathToFileURL(join(folder, 'cli.js'))).finish('isready');
      assert.equal(status, 2);
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
});

/** Runs a script in a copy of the package with other files; null removes one. Returns what it prints. */
async function runInCopy(script, files = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'saavedra-'));
  try {
    cpSync(fileURLToPath(PACKAGE), folder, { recursive: true });
    for (const [name, content] of Object.entries({ ...files, 'script.cjs': script })) {
      rmSync(join(folder, name), { force: true });
      if (content !== null) {
        writeFileSync(join(folder, name), content);
      }
    }
    return await new Program(pathToFileURL(join(folder, 'script.cjs'))).finish();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('the package can be required, and loads the module when it is needed', async () => {
  const script = `const { Board, Engine, init } = require('./index.js');
    console.log(new Board().make('e4').san('Nf6'));
    init().then(() => Engine.create({ Hash: 2 })).then((engine) => console.log(engine instanceof Engine));`;
  assert.deepEqual(await runInCopy(script), { lines: ['Nf6', 'true'], status: 0 });
});

test('a missing or broken module ends in a rejected promise, and import is harmless', async () => {
  const script = `import('./index.js').then(async ({ Board, Engine, init }) => {
      console.log('imported');
      await init().catch(({ message }) => console.log(message));
      await Engine.create().catch(({ message }) => console.log(message));
      try { new Board(); } catch ({ message }) { console.log(message); }
    });`;
  for (const [module, reason] of [
    [null, /ENOENT.*saavedra\.wasm/],
    [Uint8Array.of(0, 97, 115, 109, 1), /WebAssembly/],
    ['', /WebAssembly/],
  ]) {
    const { lines: [first, ...reasons], status } = await runInCopy(script, { 'saavedra.wasm': module });
    assert.deepEqual([first, reasons.length, status], ['imported', 3, 0]);
    reasons.forEach((line) => assert.match(line, reason));
  }
});

test('idle and refused engines do not keep Node running', async () => {
  for (const [script, expected] of [
    ['new Engine();', []],
    ['Engine.create({ Hash: 0 }).catch(({ name }) => console.log(name));', ['RangeError']],
    ['Engine.create().then((e) => e.search(new Board(), { depth: 3 })).then(({ depth }) => console.log(depth));', ['3']],
  ]) {
    const { lines, status } = await runInCopy(`const { Board, Engine } = require('./index.js'); ${script}`);
    assert.deepEqual([lines, status], [expected, 0], script);
  }
});

test('a board is made from its structured clone', () => {
  const board = new Board('4k3/8/8/8/8/8/8/4K2R w K - 0 1', { chess960: true });
  const copy = new Board(structuredClone(board));
  assert.deepEqual([copy.fen(), copy.chess960, copy.uci('O-O')], [board.fen(), true, 'e1h1']);
  assert.throws(() => new Board(structuredClone({ position: { fen: 'none' } })), RangeError);
});

test('an analysis is cancelled in each way, and the engine goes on', async () => {
  const engine = new Engine({ Hash: 2 });
  const board = new Board();
  try {
    for await (const { depth } of engine.analyse(board)) {
      if (depth >= 4) {
        break;
      }
    }
    const controller = new AbortController();
    let last;
    for await (last of engine.analyse(board, { signal: controller.signal })) {
      controller.abort();
    }
    assert.ok(last.done && last.best);
    for await (last of engine.analyse(board)) {
      engine.stop();
    }
    assert.ok(last.done);
    const endless = engine.analyse(board);
    await endless.next();
    const { mate, best } = await engine.search(new Board(MATE_IN_ONE), { depth: 4 });
    assert.deepEqual([mate, best], [1, 'a1a8']);
    for (last of [(await endless.next()).value]) {
      assert.ok(last.done);
    }
    const over = await engine.search(new Board('7k/5Q2/6K1/8/8/8/8/8 b - - 0 1'), { nodes: 100 });
    assert.deepEqual([over.best, over.scoreCp, over.done], [null, 0, true]);
    await assert.rejects(engine.search(board, {}), RangeError);
    await assert.rejects(engine.search(board, { depth: 0 }), RangeError);
    await assert.rejects(engine.search(board, { depth: 3, moves: ['e5'] }), IllegalMove);
    await assert.rejects(engine.setOption('Hash', 0), /Hash takes 1 to 1024/);
    await engine.setOption('Hash', 4);
    assert.ok((await engine.search(board, { movetime: 20 })).best);
  } finally {
    engine.close();
  }
});

test('an option right behind a best move is not taken for one during the search', async () => {
  const engine = new Engine({ Hash: 1 });
  const board = new Board();
  try {
    for (let round = 0; round < 300; round += 1) {
      await engine.search(board, { depth: 1 });
      await assert.rejects(engine.setOption('Hash', 0), /Hash takes 1 to 1024/, `round ${round}`);
    }
  } finally {
    engine.close();
  }
});

test('the program executes each command during a search', async () => {
  const program = new Program();
  program.send('uci');
  const identity = await program.readUntil('uciok');
  assert.match(identity[0], /^id name Saavedra \d/);
  assert.ok(identity.includes('option name Threads type spin default 1 min 1 max 1'));
  assert.ok(!identity.some((line) => /Syzygy|Log File|OwnBook/.test(line)));
  program.send('go infinite', 'isready');
  await program.readUntil('readyok');
  program.send('setoption name MultiPV value 2', 'position startpos moves e2e4', 'isready', 'stop');
  await program.readUntil('readyok');
  await program.readUntil('bestmove');
  program.send('go depth 3');
  const lines = await program.readUntil('bestmove');
  assert.ok(lines.some((line) => / multipv 2 /.test(line)), lines.join('\n'));
  program.send('go ponder movetime 10', 'isready');
  assert.ok(!(await program.readUntil('readyok')).some((line) => /^bestmove/.test(line)));
  program.send('ponderhit');
  await program.readUntil('bestmove');
  program.send('go infinite depth 1', 'isready');
  await program.readUntil('readyok');
  program.send('stop');
  await program.readUntil('bestmove');
  program.send('go infinite', 'go infinite', 'go perft 12', 'stop');
  await program.readUntil('bestmove');
  await program.readUntil('bestmove');
  await program.readUntil('info string perft stopped');
  program.send('go infinite', 'quit');
  await program.readUntil('bestmove');
  assert.equal(await program.exit, 0);
});

test('the end of input stops the search and ends the program', async () => {
  const { lines, status } = await new Program().finish('go depth 4', 'wait', 'go perft 3', 'go infinite', 'go perft 4');
  assert.equal(lines.filter((line) => /^bestmove/.test(line)).length, 2);
  assert.ok(lines.includes('Nodes searched: 8902') && lines.includes('Nodes searched: 197281'));
  assert.equal(status, 0);
});

test('worker.js is the program, too, but no other file of this name', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'saavedra-'));
  const [link, other] = ['link.js', 'my-worker.js'].map((name) => join(folder, name));
  try {
    symlinkSync(new URL('worker.js', PACKAGE), link);
    for (const script of ['worker.js', link]) {
      const { lines } = await new Program(script).finish('isready');
      assert.ok(lines.includes('readyok'), script);
    }
    writeFileSync(other, `import('${new URL('index.js', PACKAGE)}').then(() => console.log('imported'));`);
    assert.deepEqual((await new Program(other).finish('isready')).lines, ['imported']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('a deep search needs no larger stack', async () => {
  const fen = '8/8/8/8/5kp1/P7/8/1K1N4 w - - 0 1';
  const { lines } = await new Program().finish(`position fen ${fen}`, 'go nodes 3000000', 'wait');
  assert.match(lines.at(-1), /^bestmove [a-h][1-8]/);
  assert.ok(!lines.some((line) => /error/.test(line)), lines.join('\n'));
});

test('both modules have the same bench, and bad arguments are refused', async () => {
  const nodes = [];
  for (const kernel of ['simd128', 'scalar']) {
    process.env.SAAVEDRA_KERNEL = kernel;
    const { lines, status } = await new Program('cli.js', 'bench').finish();
    assert.equal(status, 0);
    nodes.push(/^(\d+) nodes \d+ nps$/.exec(lines.at(-1))?.[1]);
  }
  assert.equal(nodes[0], nodes[1]);
  process.env.SAAVEDRA_KERNEL = 'avx2';
  assert.equal((await new Program('cli.js', 'bench').finish()).status, 2);
  delete process.env.SAAVEDRA_KERNEL;
  for (const args of [['none'], ['bench', '1']]) {
    assert.equal((await new Program('cli.js', ...args).finish()).status, 2);
  }
  assert.match((await new Program('cli.js', '--version').finish()).lines[0], /^saavedra \d/);
});

test('the program ends quietly when the reader of its output has gone', async () => {
  for (const args of [['--help'], ['bench'], []]) {
    const program = new Program('cli.js', ...args);
    program.process.stdout.destroy();
    program.process.stdin.end('uci\n');
    assert.equal(await program.exit, 0, `${args}`);
  }
});
