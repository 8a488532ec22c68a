// Reviews: their requests, their results, what is saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { annotated } from "../../assets/report.js";
import { assessment, keepsChances, mistakes, Review } from "../../assets/review.js";
import { Practice } from "../../assets/practice.js";
import { ReviewPanel } from "../../assets/reviewpanel.js";
import { gameFromMoves } from "../../assets/session.js";
import { fakeEngine, movetext, pageWith, readPgn, reviewingEngine, sessionWith, useBrowserStorage } from "./support.mjs";

test("a review is written as marks, evaluations and variations", async () => {
  const [game] = await readPgn("1. e4 e5 2. Qh5 {early} Nc6 *");
  const [, , queen] = game.root.line();
  queen.evaluation = { score: { cp: -40 } };
  queen.review = { mark: "?!", best: { line: ["Nf3", "Nc6"], uci: "g1f3" } };
  const text = await movetext(annotated(game));
  assert.equal(text, "1. e4 e5 2. Qh5 $6 {early [%eval -0.40] Best was Nf3.} (2. Nf3 Nc6) 2... Nc6 *");
  assert.equal(await movetext(game), "1. e4 e5 2. Qh5 {early} 2... Nc6 *", "the game itself is unchanged");
});

test("the reason of a mistake has minus signs and ellipses of one character", () => {
  const game = gameFromMoves({ moves: ["e4"] });
  const [move] = game.root.line();
  move.review = { mark: "?", best: null, why: "it loses (-1.20): 1... d5" };
  assert.equal(assessment(game, move), "1. e4 is a mistake (? to ?). it loses (−1.20): 1… d5.");
});

/** A review whose calls are noted. */
function reviewOf(api) {
  const ends = [];
  return Object.assign(new Review(api, { onProgress: () => {}, onEnd: (error) => ends.push(error?.message) }), { ends });
}

test("a review that cannot start leaves the earlier one as it is", async () => {
  const game = gameFromMoves({ moves: ["e4"] });
  const earlier = { mark: "?", accuracy: 50, best: null };
  for (const [error, expected] of [[new Error("refused"), ["of the first", earlier]], [null, ["of the second", null]]]) {
    game.summary = "of the first";
    game.root.next.review = earlier;
    const api = reviewingEngine({ review: { summary: "of the second" }, before: () => { if (error) throw error; } });
    await reviewOf(api).start(sessionWith(game, api), game.root);
    assert.deepEqual([game.summary, game.root.next.review], expected);
  }
});

test("the mistakes are taken from the line that was reviewed last", async () => {
  const [game] = await readPgn("1. e4 e5 (1... c5 2. Nf3) 2. Nc3 *");
  const positions = [0, 1, 2, 3].map((ply) => ({ ply, fen: " w", score: { cp: 0 }, pv: [], pv_san: [], judgement: ply < 2 ? "good" : "blunder" }));
  const api = reviewingEngine({ review: { positions } });
  const review = reviewOf(api);
  const session = sessionWith(game, api);
  for (const [san, expected] of [["Nc3", "e5 Nc3"], ["Nf3", "c5 Nf3"], ["Nc3", "e5 Nc3"]]) {
    await review.start(session, [...game.nodes()].find((node) => node.san === san));
    const found = mistakes(ReviewPanel.prototype.line.call({ page: { game } }));
    assert.equal(found.map((node) => node.san).join(" "), expected);
  }
});

test("a review can be stopped before the engine has answered, nor does it disturb the next one", async () => {
  const [answers, signals] = [[], []];
  const before = (game, ply, { signal }) => { signals.push(signal); return new Promise((resolve) => { answers.push(resolve); }); };
  const api = reviewingEngine({ review: { summary: "of the third" }, before });
  const review = reviewOf(api);
  const session = sessionWith(gameFromMoves({ moves: ["e4"] }), api);
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
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true, false]);
  answers[0]();
  answers[1]();
  await Promise.all([first.end, second.end]);
  assert.deepEqual([session.game.summary, review.running], [null, true]);
  answers[2]();
  await third.end;
  assert.deepEqual([session.game.summary, review.running], ["of the third", false]);
  assert.deepEqual(review.ends, [undefined, undefined], "neither is an error, and a forgotten one has no end");
});

test("a review that ran when the page was left goes on with the line that was reviewed", async () => {
  const [game] = await readPgn("1. e4 e5 (1... c5 2. d4) 2. Nf3 *");
  game.current = [...game.nodes()].find((node) => node.san === "d4");
  const resumed = [];
  const page = pageWith({ game, session: {}, busy: null });
  const job = { start: async (session, node) => resumed.push(node.san) };
  const reviewed = game.root.end().indices();
  await ReviewPanel.prototype.restore.call({ page, job, draw: () => {} }, { review: true, reviewed });
  await ReviewPanel.prototype.restore.call({ page, job, draw: () => {} }, { review: false });
  assert.deepEqual(resumed, ["Nf3"]);
});

test("a line is searched from where the last review of it ended, and once only", async () => {
  const stored = useBrowserStorage();
  const searches = [];
  let isLost = true;
  const groups = {
    ...fakeEngine(),
    // Groups of two positions; the first review ends at the third one.
    searchGroup: async (game, limits, ply, onPosition) => {
      if (ply === 2 && isLost) throw new Error("failed");
      searches.push(ply);
      for (let at = ply; at >= Math.max(ply - 1, 0); at -= 1) onPosition({ ply: at });
    },
    judge: async (game, searched) => ({ positions: [], summary: searched.length > game.moves.length ? searched.map(({ ply }) => ply).join(" ") : undefined }),
  };
  const session = sessionWith(gameFromMoves({ moves: ["e4", "e5", "Nf3", "Nc6"] }), groups);
  const node = session.game.root.end();
  const ends = [];
  for (isLost of [true, false, false]) {
    session.game.summary = null;
    const review = reviewOf(groups);
    await review.start(session, node);
    ends.push([review.ends[0], session.game.summary]);
  }
  assert.deepEqual(ends, [["failed", null], [undefined, "4 3 2 1 0"], [undefined, "4 3 2 1 0"]]);
  assert.deepEqual(searches, [4, 2, 0]);
  stored.forEach((text, key) => { if (key.startsWith("review:")) stored.set(key, "damaged"); });
  await reviewOf(groups).start(session, node);
  assert.deepEqual(searches, [4, 2, 0, 4, 2, 0], "what cannot be read is searched again");
  delete globalThis.localStorage;
});

test("positions of another version of the engine are searched again, another error ends the review", async () => {
  for (const [field, searches, end] of [["searched[0].engine", 2, undefined], [undefined, 1, "refused"]]) {
    useBrowserStorage();
    let isOld = false;
    const started = [];
    const review = () => {
      if (isOld) throw Object.assign(new Error("refused"), { status: 422, field });
      return { summary: "done" };
    };
    const api = reviewingEngine({ review, before: () => { started.push(1); isOld = false; } });
    const session = sessionWith(gameFromMoves({ moves: ["e4"] }), api);
    await reviewOf(api).start(session, session.game.root);
    isOld = true;
    const again = reviewOf(api);
    await again.start(session, session.game.root);
    assert.deepEqual([started.length, again.ends], [searches, [end]]);
  }
  delete globalThis.localStorage;
});

test("a review outlasts a minute without an answer, with one message", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const calls = [];
  let isLost = true;
  const before = () => { if (isLost) { calls.push("try"); throw Object.assign(new Error("lost"), { status: 0 }); } };
  const api = reviewingEngine({ review: { summary: "done" }, before });
  const session = sessionWith(gameFromMoves({ moves: ["e4"] }), api);
  const review = reviewOf(api);
  const end = review.start(session, session.game.root, { onLost: () => calls.push("lost"), onAnswer: () => calls.push("answer") });
  for (let second = 0; second < 90; second += 1) {
    isLost = second < 60;
    for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    t.mock.timers.tick(1000);
  }
  await end;
  assert.deepEqual([calls[0], calls[1], calls.filter((call) => call === "lost").length, calls.at(-1)], ["try", "lost", 1, "answer"]);
  assert.ok(calls.filter((call) => call === "try").length < 10, "the tries are far between");
  assert.deepEqual([review.ends, session.game.summary], [[undefined], "done"]);
});

test("a message that the server is busy goes once it has answered", async () => {
  const calls = [];
  const api = reviewingEngine({ before: (game, ply, { onBusy }) => onBusy(1) });
  const session = sessionWith(gameFromMoves({ moves: ["e4"] }), api);
  const page = pageWith({
    session, node: session.game.root, busy: () => calls.push("busy"),
    messages: { clear: () => calls.push("clear"), release: () => calls.push("release") },
  });
  await ReviewPanel.prototype.toggle.call({ page, job: reviewOf(api), draw: () => {} });
  assert.deepEqual(calls.slice(0, 3), ["clear", "busy", "release"]);
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
  const best = { line: ["Qxe5+", "Be7"], uci: "h5e5" };
  for (const [uci, why, text, expected] of [
    ["h5f7", "Black wins the queen: 3... Kxf7", null, "Black wins the queen: 3… Kxf7."],
    ["h5f7", "White could have won a pawn: 3. Qxe5+", "3. Qxf7+ is a blunder (-5.70 instead of 0.12). Better is 3. Qxe5+.", "3. Qxf7+ is a blunder (−5.70 instead of 0.12)."],
    ["h5f3", "Black wins the queen", "3. Qf3 is a mistake: 3. Qxe5+ wins.", null],
    ["h5f3", "Black wins the queen", "3. Qf3 is the best move.", null],
    ["h5f3", "Black wins the queen", null, null],
  ]) {
    const api = text ? { explain: async () => ({ text }) } : {};
    const practice = { exercise: { best, played: { move: { uci: "h5f7" } }, why }, page: { session: { api } } };
    assert.equal(await Practice.prototype.explain.call(practice, uci, {}, {}), expected, `${uci} ${why} ${text}`);
  }
});
