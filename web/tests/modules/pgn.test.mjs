// PGN in and out by the API: the page loses nothing, and nothing that is read can harm it. What is read
// and written for which text is tested with the API and the formats.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { clockText, commentText, recordedScore, shapesOf } from "../../assets/comments.js";
import { readGames, writeGames } from "../../assets/pgn.js";
import { GameTree } from "../../assets/tree.js";
import { movetext, readPgn, readRecords, writePgn, writeRecords } from "./support.mjs";

const TRICKY = readFileSync(new URL("tricky.pgn", import.meta.url), "utf8");
const moves = (game) => game.root.line().map((node) => node.san);

test("a game comes back from its tree as it was read", async () => {
  const records = await readRecords(TRICKY);
  assert.equal(records.length, 7);
  const again = records.map((record) => GameTree.of(structuredClone(record)).record());
  assert.deepEqual(JSON.parse(JSON.stringify(again)), records);
  assert.equal(await writeRecords(again), await writeRecords(records));
});

test("annotations keep their places in the tree", async () => {
  const [game] = await readPgn("{start} 1. e4! {a} ({why} 1. d4 (1. c4 $142)) 1... e5 2. -- 1-0");
  const [e4, e5, pass] = game.root.line();
  const [, d4, c4] = game.root.children;
  assert.deepEqual([game.root.after, e4.after], [[{ comment: "start" }], [{ nag: 1 }, { comment: "a" }]]);
  assert.deepEqual([d4.before, c4.after, e5.after, pass.san], [[{ comment: "why" }], [{ nag: 142 }], [], "--"]);
  assert.deepEqual([game.result, e4.nags, pass.ply], ["1-0", [1], 3]);
});

test("tags are texts", async () => {
  const [game] = await readPgn("[White \"O'Neill, \\\"X\\\"\"]\n[Path \"C:\\temp\"]\n[Odd \"a \"b\" c\"]\n\n1. e4 *\n");
  assert.deepEqual(game.tags, [["White", "O'Neill, \"X\""], ["Path", "C:\\temp"], ["Odd", "a \"b\" c"]]);
  game.setTag("Black", "\"Y\" \\");
  const [again] = await readPgn(await writePgn(game));
  for (const name of ["White", "Black", "Path", "Odd"]) assert.equal(again.tag(name), game.tag(name));
});

test("what is illegal is shown up to it, named, and kept", async () => {
  const [game] = await readPgn("1. e4 e5 2. Ke3 {oops} Nf6 1-0");
  assert.deepEqual([moves(game), game.warnings], [["e4", "e5"], ["illegal move: no legal move matches \"Ke3\""]]);
  assert.equal(await movetext(game), "1. e4 e5 {Ke3 (oops) Nf6} 1-0");
});

test("every spelling of a result, a promotion and en passant is read", async () => {
  for (const [text, expected] of [
    ["1. e4 1/2:1/2", "1. e4 1/2-1/2"], ["1. e4 ½–½", "1. e4 1/2-1/2"], ["1. e4 (1-0)", "1. e4 1-0"],
    ["[FEN \"7k/P7/8/8/8/8/8/K7 w - - 0 1\"]\n\n1. a8/Q", "1. a8=Q+ *"],
    ["1. e4 a6 2. e5 d5 3. exd6/e.p.", "1. e4 a6 2. e5 d5 3. exd6 *"],
  ]) assert.equal(await movetext((await readPgn(text))[0]), expected, text);
});

test("an empty text has no games", async () => {
  for (const text of ["", " \n\n", "\ufeff", "% only this\n"]) assert.deepEqual(await readPgn(text), []);
});

test("a file of any size is read and written in parts, which end between games", async () => {
  const filler = `{${"x ".repeat(500)}}`;
  for (const [tag, end] of [["Event", "\n"], ["White", "\n"], ["White", "\r\n"]]) {
    const text = Array.from({ length: 300 }, (_, i) => `[${tag} "${i}"]\n[Site "?"]\n\n1. e4 ${filler}\n\n1... e5 *\n\n`).join("").replaceAll("\n", end);
    const lengths = { read: [], written: [] };
    const api = {
      readGames: (part) => { lengths.read.push(part.length); return readRecords(part); },
      writeGames: (part) => { lengths.written.push(part.length); return writeRecords(part); },
    };
    const games = await readGames(api, text);
    assert.deepEqual(games.map((game) => game.tag(tag)), Array.from({ length: 300 }, (_, i) => String(i)));
    assert.ok(games.every((game) => moves(game).join() === "e4,e5"));
    const again = await readGames(api, await writeGames(api, games));
    assert.deepEqual(again.map((game) => game.root.next.after), games.map((game) => game.root.next.after));
    assert.ok(Math.max(...lengths.read) < 100_000 && lengths.read.length > 4 && lengths.written.length > 3, JSON.stringify(lengths));
  }
});

test("reading ends when the signal is aborted", async () => {
  const controller = new AbortController();
  const api = { readGames: async () => { controller.abort(); return []; } };
  assert.deepEqual(await readGames(api, "1. e4 *\n\n[Event \"x\"]\n".repeat(20_000), controller.signal), []);
});

test("comments of repeated letters are read in linear time", () => {
  const repeated = (text, length) => text.repeat(length / text.length);
  const start = performance.now();
  for (const length of [1_000, 10_000, 30_000]) {
    for (const text of [
      repeated(" ", length), repeated("\n", length), repeated("\n\n[A", length), repeated("[%a", length), `[%${repeated("a", length)}`,
      repeated("[%cal ", length), repeated("[%eval ", length), repeated("[%clk 1", length),
      ...["cal", "csl", "eval", "clk"].map((name) => `[%${name}${repeated(" ", length)}`), `[%clk ${repeated("1", length)}`,
    ]) {
      for (const comment of [`x${text}`, `x${text}x`]) {
        const node = { after: [{ comment }] };
        assert.ok(commentText(node.after).startsWith("x"));
        for (const read of [recordedScore, clockText, shapesOf]) read(node);
      }
    }
  }
  // A twentieth of a second; quadratic time is a minute.
  assert.ok(performance.now() - start < 2000);
});

test("depth and length have no limit in the tree", async () => {
  const count = 100_000;
  const line = Array.from({ length: count }, () => ({ san: "Nf3" }));
  const long = GameTree.of({ tags: [], result: "*", chess960: false, nodes: [{}, ...line] });
  assert.equal(long.root.end().ply, count);
  const nested = Array.from({ length: count }, (_, i) => ({ parent: Math.max(0, i - 1), san: "d4" }));
  const deep = GameTree.of({ tags: [], result: "*", chess960: false, nodes: [{}, ...nested] });
  assert.equal(deep.record().nodes.length, count + 1);
});
