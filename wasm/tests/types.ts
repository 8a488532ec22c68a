// Compiles if the types of the package are as its README uses them.

import { analyse, Board, Engine, IllegalMove, init, type Limits, type Puzzle, type Result } from '../../target/npm/index.js';

const board: Board = new Board('startpos', { chess960: false }).make('e4');
const copy: Board = new Board(structuredClone({ position: board.position }));
await init();
const limits: Limits = { depth: 3, multipv: 2, moves: ['c5'], signal: new AbortController().signal };
const scores: (number | null)[] = [];
for await (const { scoreCp, mate, lines, done } of analyse(board, limits)) {
  scores.push(scoreCp, mate, lines[0].multipv, Number(done));
}
const created: Engine = await Engine.create({ Hash: 8 });
const engine = new Engine({ Hash: 8, UCI_LimitStrength: true, 'Skill Level': '5' });
const result: Result = await engine.search(board, { nodes: 100 });
const best: string | null = result.best;
const [win, draw, loss]: [number, number, number] = result.wdl;
await engine.setOption('Hash', 16);
const puzzles: Puzzle[] = await engine.puzzles('1. e4 *', { nodes: 1000, side: 'white', onGame: (found) => found.length });
const names: (string | null)[] = puzzles.flatMap(({ game, themes }) => [game.white, ...themes]);
engine.close();
try {
  board.make('e5');
} catch (error) {
  if (error instanceof IllegalMove) {
    const message: string = error.message;
  }
}
// @ts-expect-error A board is not written.
board.turn = 'white';
// @ts-expect-error A search has limits.
await engine.search(board);
// @ts-expect-error There is no such side.
await engine.puzzles('1. e4 *', { side: 'red' });
// @ts-expect-error There is no such limit.
analyse(board, { time: 5 });
