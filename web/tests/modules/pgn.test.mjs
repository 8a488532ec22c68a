// PGN in and out: nothing is lost, nothing that is read can harm.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { commentText, recordedScore, shapesOf, clockText } from "../../assets/comments.js";
import { readPgn } from "../../assets/pgn-read.js";
import { writeGames, writePgn } from "../../assets/pgn-write.js";

const TRICKY = readFileSync(new URL("tricky.pgn", import.meta.url), "utf8");
const moves = (game) => game.root.line().map((node) => node.san);
const movetext = (game) => writePgn(game).split("\n\n").pop().replace(/\s+/g, " ").trim();

test("every game of a file is read", () => {
  const events = readPgn(TRICKY).map((game) => game.tag("Event"));
  assert.deepEqual(events, [
    "NAGs and comments \"everywhere\"", "No result token", "Only a comment", "Set up, Black to move", "Null moves", undefined, undefined,
  ]);
});

test("what is written is read again as the same", () => {
  const once = writeGames(readPgn(TRICKY));
  assert.equal(writeGames(readPgn(once)), once);
});

test("annotations keep their places", () => {
  for (const text of [
    "1. e4 $1 e5 $2 $18 *",
    "1. e4 {a} {b} 1... e5 *",
    "{start} 1. e4 *",
    "1. e4 ($142 1. d4 d5) 1... e5 *",
    "1. e4 ({why} 1. d4 {so} 1... d5) 1... e5 *",
    "1. e4 (1. d4) (1. c4 e5 (1... c5)) 1... e5 1-0",
    "1. e4 {[%cal Gd2d4] [%csl Re5]} 1... e5 *",
    "1. e4 e5 2. Nf3 (2. f4 exf4 (2... d5 3. exd5)) 2... Nc6 0-1",
    "1. e4 -- 2. d4 1/2-1/2",
    "1. e4 +- 1... e5 = *",
  ]) assert.equal(movetext(readPgn(text)[0]), text);
});

test("deviations from the standard are read", () => {
  for (const [text, expected] of [
    ["1.e4 e5 2.Nf3 Nc6 3.Bb5", "1. e4 e5 2. Nf3 Nc6 3. Bb5 *"],
    ["1. e4!e5?2. Nf3!? Nc6?! 3. Bb5!! a6??", "1. e4 $1 e5 $2 2. Nf3 $5 Nc6 $6 3. Bb5 $3 a6 $4 *"],
    ["1. e4 1... e5 2. ... ", "1. e4 e5 *"],
    ["1 e4 e5 2 0-0 0-0-0+", "1. e4 e5 2. O-O O-O-O+ *"],
    ["1. e8(Q) exd6e.p. 2. exd6 e.p. e1=N#", "1. e8=Q exd6 2. exd6 e1=N# *"],
    ["1. ♘f3 ♞f6", "1. Nf3 Nf6 *"],
    ["1. e4 (1. d4 1-0) e5", "1. e4 (1. d4 1-0) 1... e5 *"],
    ["1. e4 ½-½", "1. e4 1/2-1/2"],
    ["1. e4 {not closed", "1. e4 {not closed} *"],
    ["1. e4 (1. d4", "1. e4 (1. d4) *"],
    ["1. e4 ) e5 ( ) (", "1. e4 e5 *"],
    ["(1. e4) 1... e5", "1. e4 e5 *"],
  ]) assert.equal(movetext(readPgn(text)[0]), expected, text);
});

test("tags are kept as they are", () => {
  const text = "[White \"O'Neill, \\\"X\\\"\"]\n[Path \"C:\\temp\"]\n[Odd \"a \"b\" c\"]\n[Result \"*\"]\n\n1. e4 *\n";
  const [game] = readPgn(text);
  assert.equal(writePgn(game), text);
  assert.equal(game.tag("White"), "O'Neill, \"X\"");
  assert.equal(readPgn("[White A. Player]\n[Black \"B\"] [Round \"1\"]\n\n1. e4")[0].tags.join(), "White,A. Player,Black,B,Round,1");
});

test("games without tags are separated by their results", () => {
  const games = readPgn("1. e4 e5 1-0\n1. d4 *\n\n1. c4 c5\n\n1. Nf3 d5");
  assert.deepEqual(games.map(moves), [["e4", "e5"], ["d4"], ["c4", "c5"], ["Nf3", "d5"]]);
});

test("a comment that is not closed ends before the next game", () => {
  const next = "[Event \"B\"]\n\n1. d4 {fine} d5 *";
  const fine = ["B", "d4 d5", "fine"];
  for (const [text, expected] of [
    [`[Event "A"]\n\n1. e4 {oops\n\n${next}`, [["A", "e4", "oops"], fine]],
    [`[Event "A"]\n\n1. e4 {\n${next}`, [["A", "e4", ""], fine]],
    [`[Event "A"]\n\n1. e4 {see [Event "x"]\n[Site "y"]} e5 *\n\n${next}`, [["A", "e4 e5", "see [Event \"x\"]\n[Site \"y\"]"], fine]],
    ["[White \"A\"]\n\n1. e4 {oops\r\n\r\n[Event \"B\"]\r\n\r\n1. d4 {fine} d5 *", [[undefined, "e4", "oops"], fine]],
    [`1. e4 {oops\n\n[White "C"]\n${next}`, [[undefined, "e4", "oops"], fine]],
    ["[Event \"A\"]\n\n1. e4 {oops\n", [["A", "e4", "oops\n"]]],
  ]) {
    const games = readPgn(text).map((game) => [game.tag("Event"), moves(game).join(" "), game.root.next.after[0].comment]);
    assert.deepEqual(games, expected, text);
  }
});

test("an empty text has no games", () => {
  for (const text of ["", " \n\n", "\ufeff", "% only this\n"]) assert.deepEqual(readPgn(text), []);
});

test("any text is read, in linear time, and is stable once written", () => {
  const parts = ["e4", "e5 ", "1.", "1... ", "{", "}", "(", ")", "[", "]", "[A \"", "\"]\n", "\n", "\n\n", "$5", "$", ";x\n", "%", "!", "--",
    "1-0", "*", "½", "0-0", "\\", "\"", "♔", "\ufeff", "<", "@@@@", "é", "1/2", "-", "+-", "e.p.", "(Q)", "\0"];
  let seed = 1;
  const random = (n) => { seed = (seed * 48271) % 2147483647; return seed % n; };
  for (let round = 0; round < 3000; round += 1) {
    const text = Array.from({ length: random(40) }, () => parts[random(parts.length)]).join("");
    const games = readPgn(text);
    const once = writeGames(readPgn(writeGames(games)));
    assert.equal(writeGames(readPgn(once)), once, JSON.stringify(text));
  }
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
      for (const comment of [`{x${text}`, `{x${text}x}`, `{x${text}[Event "B"]`, `;x${text}`]) {
        const [game] = readPgn(`1. e4 ${comment}`);
        const node = game.root.next;
        assert.ok(commentText(node.after).startsWith("x"));
        for (const read of [recordedScore, clockText, shapesOf]) read(node);
        readPgn(writePgn(game));
      }
    }
  }
  // A twentieth of a second; quadratic time is a minute.
  assert.ok(performance.now() - start < 2000);
});

test("depth and length have no limit", () => {
  const deep = `1. e4 ${"(1. d4 ".repeat(20000)}`;
  assert.equal([...readPgn(deep)[0].nodes()].length, 20001);
  assert.equal(readPgn(writePgn(readPgn(deep)[0])).length, 1);
  const long = "e4 ".repeat(100000);
  assert.equal(readPgn(long)[0].root.end().ply, 100000);
});
