// Reviews: their requests, their results, what is saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotated } from "../../assets/report.js";
import { keepsChances, mistakes, Review } from "../../assets/review.js";
import { Practice } from "../../assets/practice.js";
import { ReviewPanel } from "../../assets/reviewpanel.js";
import { gameFromMoves } from "../../assets/session.js";
import { fakeEngine, movetext, pageWith, readPgn, sessionWith } from "./support.mjs";

test("a review is written as marks, evaluations and variations", async () => {
  const [game] = await readPgn("1. e4 e5 2. Qh5 {early} Nc6 *");
  const [, , queen] = game.root.line();
  queen.evaluation = { score: { cp: -40 } };
  queen.review = { mark: "?!", best: { line: ["Nf3", "Nc6"], uci: "g1f3" } };
  const text = await movetext(annotated(game));
  assert.equal(text, "1. e4 e5 2. Qh5 $6 {early [%eval -0.40] Best was Nf3.} (2. Nf3 Nc6) 2... Nc6 *");
  assert.equal(await movetext(game), "1. e4 e5 2. Qh5 {early} 2... Nc6 *", "the game itself is unchanged");
});

test("a review that cannot start leaves the earlier one as it is", async () => {
  const game = gameFromMoves({ moves: ["e4"] });
  const earlier = { mark: "?", accuracy: 50, best: null };
  const done = { status: "done", positions: [], progress: { done: 1, total: 1 }, summary: "of the second" };
  for (const [error, expected] of [[new Error("refused"), ["of the first", earlier]], [null, ["of the second", null]]]) {
    game.summary = "of the first";
    game.root.next.review = earlier;
    const api = {
      ...fakeEngine(), review: async () => done, removeReview: () => {},
      startReview: async () => { if (error) throw error; return { id: "1" }; },
    };
    await new Review(api, { onProgress: () => {}, onEnd: () => {} }).start(sessionWith(game, api), game.root);
    assert.deepEqual([game.summary, game.root.next.review], expected);
  }
});

test("the mistakes are those of the line that was reviewed last", async () => {
  const [game] = await readPgn("1. e4 e5 (1... c5 2. Nf3) 2. Nc3 *");
  const positions = [0, 1, 2, 3].map((ply) => ({ ply, fen: " w", score: { cp: 0 }, pv: [], pv_san: [], judgement: ply < 2 ? "good" : "blunder" }));
  const api = {
    ...fakeEngine(), startReview: async () => ({ id: "1" }), removeReview: () => {},
    review: async () => ({ status: "done", positions, progress: { done: 1, total: 1 } }),
  };
  const review = new Review(api, { onProgress: () => {}, onEnd: () => {} });
  const session = sessionWith(game, api);
  for (const [san, expected] of [["Nc3", "e5 Nc3"], ["Nf3", "c5 Nf3"], ["Nc3", "e5 Nc3"]]) {
    await review.start(session, [...game.nodes()].find((node) => node.san === san));
    const found = mistakes(ReviewPanel.prototype.line.call({ page: { game } }));
    assert.equal(found.map((node) => node.san).join(" "), expected);
  }
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
  const session = sessionWith(gameFromMoves({ moves: ["e4"] }));
  const request = async () => {
    const end = review.start(session, session.game.root);
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
  assert.deepEqual([removed, session.game.summary, review.running], [["first", "second"], null, true]);
  answers[2]({ id: "third" });
  await third.end;
  assert.deepEqual([removed.at(-1), session.game.summary, review.running], ["third", "of the third", false]);
  assert.deepEqual(ends, [undefined, undefined], "neither is an error, and a forgotten one has no end");
});

test("a resumed review is that of the line that was reviewed", async () => {
  const [game] = await readPgn("1. e4 e5 (1... c5 2. d4) 2. Nf3 *");
  game.current = [...game.nodes()].find((node) => node.san === "d4");
  const resumed = [];
  const page = pageWith({ game, session: {}, busy: null });
  const job = { resume: async (id, session, node) => resumed.push(id, node.san) };
  const reviewed = game.root.end().indices();
  await ReviewPanel.prototype.restore.call({ page, job, draw: () => {} }, { review: "1", reviewed });
  await ReviewPanel.prototype.restore.call({ page, job, draw: () => {} }, { review: null });
  assert.deepEqual(resumed, ["1", "Nf3"]);
});

test("a review that the engine has forgotten starts again, another error ends it", async () => {
  for (const [status, started] of [[404, true], [500, false]]) {
    const done = { status: "done", positions: [], progress: { done: 1, total: 1 }, summary: "of the second" };
    const starts = [];
    const api = {
      startReview: async (fields) => { starts.push(fields); return { id: "second" }; },
      review: async (id) => { if (id === "first") throw Object.assign(new Error("gone"), { status }); return done; },
      removeReview: () => {},
    };
    const ends = [];
    const review = new Review(api, { onProgress: () => {}, onEnd: (error) => ends.push(error?.message) });
    const session = sessionWith(gameFromMoves({ moves: ["e4"] }));
    await review.resume("first", session, session.game.root);
    assert.deepEqual([starts.length, session.game.summary, ends], started ? [1, "of the second", [undefined]] : [0, null, ["gone"]]);
  }
});

test("a message that the server is busy goes once it has accepted the review", async () => {
  const calls = [];
  const api = {
    startReview: async (fields, limits, { onBusy }) => { onBusy(1); return { id: "1" }; },
    review: async () => { calls.push("read"); return { status: "done", positions: [], progress: { done: 1, total: 1 } }; },
    removeReview: () => {},
  };
  const review = new Review(api, { onProgress: () => {}, onEnd: () => {} });
  const session = sessionWith(gameFromMoves({ moves: ["e4"] }));
  const page = pageWith({ session, node: session.game.root, busy: () => calls.push("busy"), messages: { clear: () => calls.push("clear") } });
  await ReviewPanel.prototype.toggle.call({ page, job: review, draw: () => {} });
  assert.deepEqual(calls, ["clear", "busy", "clear", "read"]);
});

test("a move keeps the winning chances unless it loses as much as an inaccuracy", () => {
  const cp = (number) => ({ score: { cp: number } });
  const mate = (number) => ({ score: { mate: number } });
  for (const [before, after, side, expected] of [
    [cp(0), cp(-40), "w", true], [cp(0), cp(-60), "w", false], [cp(0), cp(60), "b", false], [cp(0), cp(-60), "b", true],
    [cp(1200), cp(900), "w", true], [cp(900), cp(300), "w", false], [mate(3), cp(1500), "w", true], [mate(3), mate(9), "w", true],
    [cp(0), mate(-2), "w", false], [mate(-2), cp(-1500), "w", true], [mate(-3), mate(3), "b", false], [cp(0), { score: { mate: 0, loser: "b" } }, "w", true],
  ]) assert.equal(keepsChances(before, after, side), expected, JSON.stringify([before, after, side]));
});

test("the reason of a wrong answer never names the best move", async () => {
  const review = { best: { line: ["Qxe5+", "Be7"], uci: "h5e5" } };
  for (const [uci, why, text, expected] of [
    ["h5f7", "Black wins the queen: 3... Kxf7", null, "Black wins the queen: 3… Kxf7."],
    ["h5f7", "White could have won a pawn: 3. Qxe5+", "3. Qxf7+ is a blunder (-5.70 instead of 0.12). Better is 3. Qxe5+.", "3. Qxf7+ is a blunder (−5.70 instead of 0.12)."],
    ["h5f3", "Black wins the queen", "3. Qf3 is a mistake: 3. Qxe5+ wins.", null],
    ["h5f3", "Black wins the queen", "3. Qf3 is the best move.", null],
    ["h5f3", "Black wins the queen", null, null],
  ]) {
    const api = text ? { explain: async () => ({ text }) } : {};
    const practice = { exercise: { node: { move: { uci: "h5f7" }, review: { ...review, why } } }, page: { session: { api } } };
    assert.equal(await Practice.prototype.explain.call(practice, uci, {}, {}), expected, `${uci} ${why} ${text}`);
  }
});
