// The explorer: what was played in a position of many games.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Explorer } from "../../assets/explorer.js";
import { captionText, outcomeText, stateText, tablesText } from "../../assets/explorertext.js";
import { GameIndex } from "../../assets/gameindex.js";
import { START_FEN } from "../../assets/tree.js";
import { fakeEngine, mainLines, readPgn } from "./support.mjs";

const AFTER_E4_E5 = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";
const pgn = (white, black, result, moves) => `[White "${white}"]\n[Black "${black}"]\n[Result "${result}"]\n\n${moves} ${result}\n\n`;

/** An explorer with the games of a PGN. */
async function explorerOf(...texts) {
  const explorer = new Explorer({ ...fakeEngine(), mainLines });
  for (const text of texts) await explorer.add(await readPgn(text));
  return explorer;
}

/** The rows as texts: move, games, results, score. */
const rows = (index, fen, filter) => index.movesAt(fen, filter).moves
  .map(({ san, games, white, draws, black, score }) => `${san} ${games}: ${white}/${draws}/${black} ${score ?? "-"}`);

const GAMES = [
  pgn("Ann", "Bob", "1-0", "1. e4 e5 2. Nf3"), pgn("Bob", "Ann", "1-0", "1. e4 c5"), pgn("Cem", "Ann", "1/2-1/2", "1. e4 e5"),
  pgn("Cem", "Joanne", "0-1", "1. d4"), pgn("Joanne", "Cem", "*", "1. c4"),
].join("");

test("moves are counted with their results, the most frequent first", async () => {
  const { index } = await explorerOf(GAMES);
  assert.deepEqual(rows(index, START_FEN), ["e4 3: 2/1/0 0.8333333333333334", "d4 1: 0/0/1 0", "c4 1: 0/0/0 -"]);
  assert.equal(index.movesAt(START_FEN).games, 5);
  // A position at the end of games has no move.
  assert.deepEqual(index.movesAt("rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2"), { games: 1, moves: [] });
  assert.deepEqual(index.movesAt("8/8/8/8/8/8/8/k1K5 w - - 0 1"), { games: 0, moves: [] });
});

test("the games of a player are counted from the player's view, with a colour or both", async () => {
  const { index } = await explorerOf(GAMES);
  for (const [player, colour, expected] of [
    ["Ann", "", ["e4 3: 2/1/0 0.5"]],
    [" ann ", "w", ["e4 1: 1/0/0 1"]],
    ["Ann", "b", ["e4 2: 1/1/0 0.25"]],
    // A part of a name means all names with it, unless there is the same one.
    ["nn", "b", ["e4 2: 1/1/0 0.25", "d4 1: 0/0/1 1"]],
    ["Zoe", "", []],
    // Without a player the colour means nothing.
    ["", "b", ["e4 3: 2/1/0 0.8333333333333334", "d4 1: 0/0/1 0", "c4 1: 0/0/0 -"]],
  ]) assert.deepEqual(rows(index, START_FEN, { player, colour }), expected, `${player} ${colour}`);
  assert.deepEqual(index.players()[0], "Ann");
});

test("a position is the same whatever moves lead to it, and a game counts once", async () => {
  const { index } = await explorerOf([
    pgn("A", "B", "1-0", "1. e4 e5 2. Nf3 Nc6"), pgn("A", "B", "0-1", "1. Nf3 Nc6 2. e4 e5 3. Bb5"),
    // The position after 1. e4 e5 three times, with 2. Nf3 twice.
    pgn("A", "B", "1/2-1/2", "1. e4 e5 2. Nf3 Nf6 3. Ng1 Ng8 4. Nf3 Nf6 5. Ng1 Ng8"),
  ].join(""));
  assert.deepEqual(rows(index, AFTER_E4_E5), ["Nf3 2: 1/1/0 0.75"]);
  const spanish = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 0 9";
  assert.equal(index.movesAt(spanish).games, 2);
  assert.deepEqual(rows(index, spanish), ["Bb5 1: 0/0/1 0"]);
});

test("only main lines are counted, up to a null move, and a game of several files once", async () => {
  const text = pgn("A", "B", "1-0", "1. e4 (1. d4 d5) 1... e5 2. -- Nf6");
  const explorer = await explorerOf(text, GAMES, text);
  assert.equal(explorer.index.games.length, 6);
  assert.deepEqual(rows(explorer.index, START_FEN)[0], "e4 4: 3/1/0 0.875");
  assert.deepEqual(rows(explorer.index, AFTER_E4_E5), ["Nf3 1: 1/0/0 1"]);
});

test("games with their own start position are found by their positions", async () => {
  const fen = "8/8/8/3k4/8/8/8/R3K2R w KQ - 0 1";
  const { index } = await explorerOf(`[FEN "${fen}"]\n[SetUp "1"]\n\n1. O-O 1-0`);
  assert.deepEqual(rows(index, fen), ["O-O 1: 1/0/0 1"]);
  assert.deepEqual(rows(index, START_FEN), []);
});

test("a game without a legal move or with a refused start position counts nowhere", async () => {
  const { index } = await explorerOf(pgn("A", "B", "1-0", "1. Ke3 e5"), `[FEN "8/8 w"]\n\n1. e4 1-0\n\n`);
  assert.deepEqual(index.movesAt(START_FEN), { games: 0, moves: [] });
});

test("the kept games are read when they are needed, once", async (t) => {
  let opened = 0;
  globalThis.indexedDB = { open: () => { opened += 1; throw new Error("no database"); } };
  t.after(() => { delete globalThis.indexedDB; });
  const explorer = new Explorer({ ...fakeEngine(), mainLines });
  assert.equal(opened, 0);
  for (const text of [GAMES, pgn("X", "Y", "1-0", "1. b3")]) {
    await explorer.add(await readPgn(text));
    assert.equal(opened, 1);
  }
  await explorer.open();
  assert.equal(opened, 1);
  assert.equal(explorer.index.games.length, 6);
});

test("a game without room is left out and told", async () => {
  const explorer = new Explorer({ ...fakeEngine(), mainLines });
  explorer.index = new GameIndex(8);
  await explorer.add(await readPgn(GAMES));
  assert.equal(explorer.index.games.length + explorer.left, 5);
  assert.ok(explorer.left > 0);
  assert.match(stateText(explorer), /There is no room for \d more/);
});

test("games that could not be counted are counted at the next try, those forgotten are not", async () => {
  let isDown = true;
  const explorer = new Explorer({ ...fakeEngine(), mainLines: async (games) => {
    if (isDown) throw new Error("The server cannot be reached.");
    return mainLines(games);
  } });
  await explorer.add(await readPgn(GAMES));
  assert.match(stateText(explorer), /5 more cannot be counted now: The server cannot be reached/);
  isDown = false;
  await explorer.retry();
  assert.equal(explorer.index.games.length, 5);
  const counting = explorer.add(await readPgn(pgn("X", "Y", "1-0", "1. b3")));
  await explorer.clear();
  await counting;
  assert.equal(explorer.index.games.length, 0);
  assert.match(stateText(explorer), /^Open a PGN file/);
});

test("two thousand games are counted in parts, between which the page answers", async () => {
  const moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Na5 10. Bc2 c5";
  const text = Array.from({ length: 2000 }, (_, i) => pgn(`P${i}`, `Q${i}`, "1-0", moves)).join("");
  let calls = 0;
  const explorer = new Explorer({ ...fakeEngine(), mainLines: (games) => { calls += 1; return mainLines(games); } });
  const games = await readPgn(text);
  let turns = 0;
  const timer = setInterval(() => { turns += 1; }, 0);
  await explorer.add(games);
  clearInterval(timer);
  assert.ok(calls > 5 && turns > 5, `${calls} requests, ${turns} turns`);
  assert.deepEqual(rows(explorer.index, START_FEN), ["e4 2000: 2000/0/0 1"]);
});

test("the words are in plain English", () => {
  assert.equal(captionText(1, ""), "1 game has this position. The score is White’s.");
  assert.equal(captionText(2, "Ann"), "2 games with “Ann” have this position. The score is the player’s.");
  assert.equal(captionText(0, "Ann"), "No game with “Ann” has this position.");
  assert.equal(captionText(0, "Ann", "b"), "No game with “Ann” as Black has this position.");
  assert.equal(outcomeText({ wdl: "win", dtz: 12 }), "wins (12)");
  assert.equal(outcomeText({ wdl: "draw", dtz: 0 }), "draws");
  assert.equal(tablesText({ wdl: "loss", dtz: -1 }, "b"), "Tablebase: Black to move loses. Next capture, pawn move or mate: within 1 ply.");
  assert.equal(tablesText({ wdl: "cursed_win", dtz: null }, "w"), "Tablebase: White to move would win without the fifty-move rule.");
  assert.equal(tablesText({ wdl: null, dtz: null }, "w"), "");
});
