// Parts of the page that need no browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Board } from "../../assets/board.js";
import { commentText, recordedScore, setShapes, shapesOf } from "../../assets/comments.js";
import { isFen } from "../../assets/files.js";
import { runs } from "../../assets/graph.js";
import { parseOpenings, positionHash } from "../../assets/openings.js";
import { thinkingTime } from "../../assets/opponent.js";
import { Page } from "../../assets/page.js";
import { capturedMen } from "../../assets/pieces.js";
import { Match } from "../../assets/play.js";
import { readPgn } from "../../assets/pgn-read.js";
import { writePgn } from "../../assets/pgn-write.js";
import { reviewPgn } from "../../assets/report.js";
import { Review } from "../../assets/review.js";
import { gameFromMoves, Session } from "../../assets/session.js";
import { START_FEN } from "../../assets/tree.js";
import { expectedPoints, finalEvaluation, scoreText, speech, whiteView } from "../../assets/words.js";

test("scores are from White's view, and a mate is certain", () => {
  assert.deepEqual(whiteView({ score: { cp: 30 }, wdl: [300, 600, 100] }, "b"), { score: { cp: -30 }, wdl: [100, 600, 300] });
  assert.deepEqual(whiteView({ score: { mate: 3 }, wdl: [990, 10, 0] }, "w").wdl, [1000, 0, 0]);
  assert.deepEqual(whiteView({ score: { mate: 0 } }, "w"), { score: { mate: 0, loser: "w" }, wdl: [0, 0, 1000] });
  assert.equal(scoreText({ mate: 0, loser: "w" }), "#");
  assert.equal(expectedPoints({ score: { mate: -2 } }), 0);
  assert.equal(finalEvaluation({ status: "ongoing" }), null);
  assert.deepEqual(finalEvaluation({ status: "stalemate" }).wdl, [0, 1000, 0]);
});

test("moves are spoken", () => {
  assert.equal(speech("exd8=N#"), "pawn e takes d8, promotes to knight, checkmate");
  assert.equal(speech("O-O-O+"), "castles queen side, check");
});

test("commands in comments are read and shapes written", () => {
  const [game] = readPgn("1. e4 {good [%eval 0.31] [%cal Gd2d4,Re2e4][%csl Yd5] move} e5 {[%eval #-3]} *");
  const [e4, e5] = game.root.line();
  assert.equal(commentText(e4.after), "good move");
  assert.deepEqual([recordedScore(e4), recordedScore(e5)], [{ cp: 31 }, { mate: -3 }]);
  assert.deepEqual(shapesOf(e4).map(({ from, to, colour }) => `${colour} ${from}${to ?? ""}`), ["green d2d4", "red e2e4", "yellow d5"]);
  setShapes(e4, [{ from: "a1", to: null, colour: "blue" }]);
  assert.deepEqual(shapesOf(e4), [{ from: "a1", to: null, colour: "blue" }]);
  assert.match(writePgn(game), /good \[%eval 0\.31\] move\} \{\[%csl Ba1\]\}/);
  setShapes(e5, []);
  assert.deepEqual(e5.after, [{ comment: "[%eval #-3]" }]);
});

test("a FEN is told from a PGN at once, however long the text", () => {
  for (const fen of [START_FEN, ` ${START_FEN}\n`, START_FEN.split(" ")[0], `${START_FEN} 0-1`, "startpos"]) assert.ok(isFen(fen), fen);
  for (const pgn of ["", "1. e4 1/2-1/2", `[FEN "${START_FEN}"]`, `${START_FEN} 1. e4`, `startpos moves e2e4`]) assert.ok(!isFen(pgn), pgn);
  const start = performance.now();
  for (const text of ["/".repeat(1e6) + " a b c d e f g h", "a/".repeat(1e6) + " ".repeat(1e6) + "[", "a ".repeat(1e6)]) isFen(text);
  assert.ok(performance.now() - start < 2000);
});

test("unknown evaluations interrupt the graph", () => {
  const known = { score: { cp: 0 }, wdl: [0, 1000, 0] };
  const nodes = [known, known, null, known, null, null].map((evaluation, ply) => ({ ply, evaluation }));
  assert.deepEqual(runs(nodes), [[[0, "50.0"], [1, "50.0"]], [[3, "50.0"]]]);
});

test("captured men allow for promotions", () => {
  const captured = capturedMen(START_FEN, "rnbqkbnr/1ppppppp/8/8/8/8/1PPPPPPP/QNBQKBNR w Kkq - 0 9");
  assert.deepEqual(captured, { lost: { w: "R", b: "p" }, lead: 4 });
});

test("a king that castles where it stands does so by its rook", () => {
  const castling = { from: "g1", to: "g1", rook: "h1" };
  const legal = [castling, { from: "g1", to: "f1", rook: null }, { from: "e1", to: "g1", rook: "h1" }];
  const targets = (from) => Board.prototype.targets.call({ legal }, from).map(({ square }) => square);
  assert.deepEqual(targets("g1"), ["h1", "f1"]);
  assert.deepEqual(targets("e1"), ["g1", "h1"]);
});

test("openings are found by position", () => {
  const names = parseOpenings(readFileSync(new URL("../../assets/openings.tsv", import.meta.url), "utf8"));
  const ruy = "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3";
  assert.equal(names.get(positionHash(ruy)), "C60 Ruy Lopez");
  assert.ok(names.size > 3500);
});

test("a person takes longer when there is more to choose from", () => {
  const node = (choices, ply = 30) => ({ ply, move: { to: "e4", san: "e4" }, position: { legal: Array(choices).fill({ to: "a1", san: "Ra1" }) } });
  assert.ok(thinkingTime(node(1), 0.5) < thinkingTime(node(20), 0.5));
  assert.ok(thinkingTime(node(20), 0.5) < thinkingTime(node(40), 0.5));
  assert.ok(thinkingTime(node(30, 2), 0.5) < thinkingTime(node(30), 0.5));
  for (const random of [0, 1]) assert.ok(thinkingTime(node(218), random) <= 9000 && thinkingTime(node(1), random) >= 600);
});

test("a review is written as marks, evaluations and variations", () => {
  const [game] = readPgn("1. e4 e5 2. Qh5 {early} Nc6 *");
  const [, , queen] = game.root.line();
  queen.evaluation = { score: { cp: -40 } };
  queen.review = { mark: "?!", best: { line: ["Nf3", "Nc6"], uci: "g1f3" } };
  const text = writePgn(readPgn(reviewPgn(game))[0]).split("\n\n").pop().replace(/\s+/g, " ").trim();
  assert.equal(text, "1. e4 e5 2. Qh5 $6 {early} { [%eval -0.40] } { Best was Nf3. } (2. Nf3 Nc6) 2... Nc6 *");
  assert.equal(readPgn(writePgn(game)).length, 1, "the game itself is unchanged");
});

test("a game of Chess960 that was set up says so when it is saved, a file stays as it is", async () => {
  const start = "1k6/8/8/8/8/8/8/1K4RR w G - 0 1";
  const session = new Session({ position: async () => ({ start, chess960: true, legal: [] }) });
  const game = gameFromMoves({ start });
  await session.prepare(game);
  assert.match(writePgn(game), /\[Variant "Chess960"\]/);
  const [read] = readPgn(`[SetUp "1"]\n[FEN "${start}"]\n\n*`);
  await session.prepare(read);
  assert.doesNotMatch(writePgn(read), /Variant/);
});

test("an illegal move ends the confirmed line", async () => {
  const legal = ["e4", "e5"];
  const api = {
    position: async ({ moves }) => {
      const bad = moves.findIndex((san) => !legal.includes(san));
      if (bad >= 0) throw Object.assign(new Error(`moves[${bad}]: illegal`), { field: `moves[${bad}]` });
      return { history: moves.map((san) => ({ san, uci: san, fen: "8/8/8/8/8/8/8/8 w - - 0 1" })), legal: [], status: "ongoing" };
    },
  };
  const session = new Session(api);
  session.games = [gameFromMoves({ moves: ["e4", "e5", "Ke5", "d4"] })];
  assert.equal(await session.show(session.game.root.end()), "illegal");
  assert.equal(session.node.san, "e5");
  assert.equal(session.node.next.error, "illegal");
});

test("a review can be stopped before it has an identifier, nor does it disturb the next one", async () => {
  const answers = [];
  const removed = [];
  const job = { status: "done", positions: [], progress: { done: 1, total: 1 }, summary: "of the third" };
  const api = {
    startReview: () => new Promise((resolve) => { answers.push(resolve); }),
    review: async () => job,
    removeReview: (id) => removed.push(id),
  };
  const ends = [];
  const review = new Review(api, { onProgress: () => {}, onEnd: (error) => ends.push(error) });
  const session = { game: null, fields: () => ({ moves: [] }), confirmLine: async () => {} };
  const node = gameFromMoves({ moves: ["e4"] }).root;
  const request = async () => {
    const end = review.start(session, node);
    await new Promise(setImmediate);
    return { end };
  };
  const first = await request();
  review.stop();
  assert.ok(!review.running);
  const second = await request();
  review.clear();
  const third = await request();
  answers[0]({ id: "first" });
  answers[1]({ id: "second" });
  await Promise.all([first.end, second.end]);
  assert.deepEqual([removed, review.summary, review.running], [["first", "second"], null, true]);
  answers[2]({ id: "third" });
  await third.end;
  assert.deepEqual([removed.at(-1), review.summary, review.running], ["third", "of the third", false]);
  assert.deepEqual(ends, [undefined, undefined], "neither is an error, and a forgotten one has no end");
});

test("a game that the user does not wait for is not refused", async () => {
  const open = (error) => Page.prototype.open.call({
    session: { abort: () => null, prepare: async () => { throw error; } },
    messages: { error: () => {} },
  }, [gameFromMoves({})]);
  assert.equal(await open(new DOMException("", "AbortError")), null);
  assert.equal(await open(new Error("malformed FEN")), false);
});

test("a stored game keeps its result until it ends elsewhere", () => {
  const [game] = readPgn("1. f3 e5 2. g4 (2. e4 d6) Qh4# 0-1");
  game.own = true;
  const settle = () => { Match.prototype.settle.call({ page: { game } }); return game.result; };
  const [, , g4, mate] = game.root.line();
  assert.equal(settle(), "0-1");
  mate.position = { status: "checkmate", fen: "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3" };
  assert.equal(settle(), "0-1");
  game.remove(g4);
  assert.equal(settle(), "*");
  game.ending = { ply: 4, result: "1-0" };
  assert.equal(settle(), "1-0");
  assert.match(writePgn(game), /\[Result "1-0"\]/);
});
