// Parts of the page that need no browser.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Board } from "../../assets/board.js";
import { commentText, recordedScore, setShapes, shapesOf } from "../../assets/comments.js";
import { Files, isFen, positionsOf } from "../../assets/files.js";
import { runs } from "../../assets/graph.js";
import { parseOpenings, positionHash } from "../../assets/openings.js";
import { Opponent, thinkingTime } from "../../assets/opponent.js";
import { Page } from "../../assets/page.js";
import { capturedMen } from "../../assets/pieces.js";
import { Match } from "../../assets/play.js";
import { readPgn } from "../../assets/pgn-read.js";
import { writePgn } from "../../assets/pgn-write.js";
import { reviewPgn } from "../../assets/report.js";
import { Review } from "../../assets/review.js";
import { ReviewPanel } from "../../assets/reviewpanel.js";
import { gameFromMoves, Session } from "../../assets/session.js";
import { loadGame, saveGame, saveGames } from "../../assets/storage.js";
import { START_FEN } from "../../assets/tree.js";
import { expectedPoints, finalEvaluation, scoreText, speech, whiteView } from "../../assets/words.js";

const noMessages = { clear: () => {}, error: () => {}, note: () => {}, say: () => {} };

/** What the modules use of a browser; its elements have no effect. */
class Element extends EventTarget {
  getAttribute() { return null; }
}
const emptyDocument = () => Object.assign(new EventTarget(), { getElementById: () => new Element() });
Object.assign(globalThis, {
  document: emptyDocument(),
  history: { state: { id: 1 }, pushState: () => {} },
  location: { href: "", pathname: "/" },
});

/** An engine to which only the moves of `legal` are legal; without `legal` all are. */
function fakeEngine({ legal = null, fen = START_FEN } = {}) {
  return {
    newGame: () => {},
    position: async ({ start, moves }) => {
      const bad = moves.findIndex((san) => legal && !legal.includes(san));
      if (bad >= 0) throw Object.assign(new Error(`moves[${bad}]: illegal`), { status: 422, field: `moves[${bad}]` });
      return { start, history: moves.map((san) => ({ san, uci: san, fen })), legal: [], status: "ongoing" };
    },
  };
}

/** A session with this game. */
function sessionWith(game, api = fakeEngine()) {
  return Object.assign(new Session(api), { games: [game] });
}

/** Gives the modules an empty storage of the tab. */
function useStorage() {
  const stored = new Map();
  globalThis.sessionStorage = {
    getItem: (key) => stored.get(key) ?? null, setItem: (key, text) => stored.set(key, text), removeItem: (key) => stored.delete(key),
  };
}

/** A page without the parts that draw. */
function pageWith(parts) {
  const common = { choice: new AbortController(), choose: Page.prototype.choose, listeners: [], messages: noMessages, show: () => {} };
  return Object.defineProperties(common, Object.getOwnPropertyDescriptors(parts));
}

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

test("positions one a line are opened as games of a file", () => {
  const other = "4k3/8/8/8/8/8/8/4K2R w K -";
  const records = `# two\n${other} bm O-O; id "castle";\r\n\n${START_FEN}\n`;
  assert.deepEqual(positionsOf(records).map((game) => [game.start, game.tag("Event")]), [[other, "castle"], [START_FEN, "?"]]);
  assert.deepEqual(positionsOf(`${other} bm O-O;`).map((game) => game.start), [other]);
  assert.equal(positionsOf(`${START_FEN}\n8/${START_FEN}`).length, 2, "too many ranks are refused as a position");
  for (const text of ["", START_FEN, `${START_FEN}\n1. e4 e5`, "1. e4 {;} e5", "#"]) assert.equal(positionsOf(text), null, text);
});

test("a FEN is told from a PGN at once, however long the text", () => {
  for (const fen of [START_FEN, `8/${START_FEN}`, ` ${START_FEN}\n`, START_FEN.split(" ")[0], `${START_FEN} 0-1`, "startpos"]) assert.ok(isFen(fen), fen);
  for (const pgn of ["", "1. e4 1/2-1/2", `[FEN "${START_FEN}"]`, `${START_FEN} 1. e4`, `startpos moves e2e4`]) assert.ok(!isFen(pgn), pgn);
  const start = performance.now();
  for (const text of ["/".repeat(1e6) + " a b c d e f g h", "a/".repeat(1e6) + " ".repeat(1e6) + "[", "a ".repeat(1e6)]) assert.ok(isFen(text) !== undefined && positionsOf(text) === null);
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

test("the keys of the promotion dialog do not reach the page, and letters choose the piece", () => {
  for (const [key, chosen] of [["q", "q"], ["R", "r"], ["b", "b"], ["n", "n"], ["u", null], ["Home", null], ["Enter", null]]) {
    for (const ctrlKey of [false, true]) {
      const clicked = [];
      const children = [..."qnrb"].map((piece) => ({ dataset: { piece: `w${piece}` }, click: () => clicked.push(piece) }));
      const event = { key, ctrlKey, isStopped: false, preventDefault: () => {}, stopPropagation() { this.isStopped = true; } };
      Board.prototype.promotionKey.call({ promotionDialog: { children } }, event);
      assert.deepEqual([event.isStopped, clicked], [!ctrlKey, chosen && !ctrlKey ? [chosen] : []], key);
    }
  }
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
  const session = sessionWith(gameFromMoves({ moves: ["e4", "e5", "Ke5", "d4"] }), fakeEngine({ legal: ["e4", "e5"] }));
  assert.equal(await session.show(session.game.root.end()), "illegal");
  assert.equal(session.node.san, "e5");
  assert.equal(session.node.next.error, "illegal");
});

test("a null move is confirmed, but not in check", async () => {
  const inCheck = { position: { check: true } };
  for (const [moves, root, shown] of [
    ["1. e4 d5 2. Bb5 -- 3. Nf3 *", {}, "Nf3"],
    ["1. e4 d5 2. Bb5+ -- 3. Nf3 *", {}, "Bb5+"],
    ["1. Qxf7# -- *", {}, "Qxf7#"],
    ["1. -- e5 *", {}, "e5"],
    ["1. -- e5 *", inCheck, ""],
  ]) {
    const [game] = readPgn(moves);
    Object.assign(game.root, root);
    const session = sessionWith(game);
    const error = await session.show(game.root.end());
    assert.equal(session.node.san, shown, moves);
    assert.equal(error, session.node.next ? "a side in check cannot pass" : null, moves);
  }
});

test("a search takes no longer than the engine accepts", async () => {
  const fields = { engine: {}, movetime: { value: "1000" }, human: {}, strength: Object.assign(new Element(), { closest: () => ({}), max: "0" }) };
  for (const [limits, expected] of [[{ movetime: 100 }, [100, 100, 100]], [{ movetime: 30_000 }, [1000, 300, 200]], [undefined, [1000, 300, 200]]]) {
    const times = [];
    const search = async (game, { movetime }) => { times.push(movetime); throw new Error("refused"); };
    const api = { ...fakeEngine(), health: async () => ({ engine: {}, limits }), bestMove: search, startReview: search };
    const game = gameFromMoves({ moves: Array(30).fill("e4").map((san, ply) => san + ply) });
    game.current = game.root.end();
    const session = sessionWith(game, api);
    const opponent = new Opponent(api, session, fields);
    await opponent.init();
    await assert.rejects(opponent.think({}));
    await assert.rejects(opponent.acceptsDraw({}));
    await new Review(api, { onProgress: () => {}, onEnd: () => {} }).start(session, game.root);
    assert.deepEqual(times, expected);
  }
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

test("a game that cannot be opened leaves the shown one, and only its start position is refused", async () => {
  const failure = (status, field) => Object.assign(new Error(), { status, field });
  for (const [moves, error, expected] of [
    [[], failure(422, "start"), "refused"],
    [[], failure(400, "start"), "refused"],
    [[], failure(0), "failed"],
    [[], failure(503), "failed"],
    [[], new DOMException("", "AbortError"), "left"],
    [["e4"], failure(0), "failed"],
    [["e4"], failure(422, "start"), "failed"],
    [["e4"], new DOMException("", "AbortError"), "left"],
  ]) {
    const api = fakeEngine();
    const shown = gameFromMoves({ moves: ["d4"] });
    // The start position is asked for alone, then with the moves.
    api.position = async (game) => { if (game.moves.length === moves.length) throw error; return { start: game.start, legal: [] }; };
    const session = sessionWith(shown, api);
    assert.equal(await Page.prototype.open.call(pageWith({ session }), [gameFromMoves({ moves })]), expected);
    assert.equal(session.game, shown);
  }
});

test("the next game of a file is tried after a refused one only", async () => {
  for (const [answers, expected] of [
    [["refused", "opened"], [0, 1]], [["failed"], [0]], [["left"], [0]], [["refused", "refused"], [0, 1]],
  ]) {
    const tried = [];
    const page = pageWith({ open: async (games, { index }) => { tried.push(index); return answers[index]; } });
    await new Files(page).load("[Event \"a\"]\n\n1. e4 *\n\n[Event \"b\"]\n\n1. d4 *");
    assert.deepEqual(tried, expected);
  }
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
  game.root.end().ending = { result: "1-0" };
  assert.equal(settle(), "1-0");
  assert.match(writePgn(game), /\[Result "1-0"\]/);
});

test("a resignation ends the game in its own position only", () => {
  const [game] = readPgn("1. e4 e5 (1... c5 2. d4) 2. Nf3 *");
  game.own = true;
  const page = pageWith({ game, get node() { return game.current; }, opponent: { side: "b" } });
  const match = new Match(page);
  const find = (san) => [...game.nodes()].find((node) => node.san === san);
  game.current = find("c5");
  match.resign();
  match.settle();
  assert.deepEqual([game.current.san, match.agreed.result, game.result], ["d4", "0-1", "*"]);
  game.current = find("Nf3");
  assert.equal(match.agreed, null, "another line of the same length");
  match.resign();
  match.settle();
  assert.deepEqual([match.agreed.result, game.result], ["0-1", "0-1"]);
  game.current = find("e5");
  game.play({ san: "Nc3", uci: "b1c3", fen: "8/8/8/8/8/8/8/8 b - - 0 2" });
  assert.equal(match.agreed, null);
  assert.ok(Opponent.prototype.isTurn.call({ side: "b" }, game, { status: "ongoing" }));
});

test("what was drawn is removed, but not the shapes of a file", () => {
  const [game] = readPgn("1. e4 {[%cal Gd2d4]} e5 *");
  const [e4, e5] = game.root.line();
  const page = pageWith({ shapes: { set: () => {} }, save: () => {} });
  const draw = (node, shape) => Page.prototype.drawShape.call(Object.assign(page, { node }), shape);
  const clear = (node) => Page.prototype.clearDrawn.call(Object.assign(page, { node }));
  const arrow = { from: "d2", to: "d4", colour: "green" };
  clear(e4);
  assert.deepEqual(shapesOf(e4), [arrow]);
  for (const [node, before] of [[e4, [arrow]], [e5, []]]) {
    draw(node, { from: "a1", to: null, colour: "red" });
    draw(node, { from: "h1", to: null, colour: "red" });
    assert.equal(shapesOf(node).length, before.length + 2);
    clear(node);
    assert.deepEqual(shapesOf(node), before);
  }
});

test("a stored game has its end and knows what was drawn", () => {
  useStorage();
  const game = gameFromMoves({ moves: ["e4", "e5"] });
  game.current = game.root.end();
  Object.assign(game.current, { ending: { result: "0-1", text: "You resigned" }, fileShapes: [] });
  saveGame("1", { game, index: 0 }, {});
  const { current } = loadGame("1").games[0];
  assert.deepEqual([current.san, current.ending, current.fileShapes], ["e5", { result: "0-1", text: "You resigned" }, []]);
  assert.equal(current.parent.ending, null);
});

test("a stored file of positions has games that were set up here", () => {
  useStorage();
  const [read] = readPgn("1. e4 *");
  const games = [gameFromMoves({}), gameFromMoves({ start: "4k3/8/8/8/8/8/8/4K2R w K - 0 1" }), read];
  saveGames("1", games);
  saveGame("1", { game: games[0], index: 0 }, {});
  assert.deepEqual(loadGame("1").games.map(({ own }) => own), [true, true, false]);
});

test("all games of a file keep their reviews, and a file that is too large is not kept", () => {
  useStorage();
  const games = readPgn("[Event \"a\"]\n\n1. e4 e5 *\n\n[Event \"b\"]\n\n1. d4 d5 *\n");
  games[0].root.next.review = { mark: "??", accuracy: 9, best: null };
  games[0].summary = { white: {}, black: {} };
  assert.ok(saveGames("1", games));
  saveGame("1", { game: games[1], index: 1 }, {});
  const loaded = loadGame("1");
  assert.deepEqual([loaded.index, loaded.games.map(({ summary }) => summary)], [1, [games[0].summary, null]]);
  assert.deepEqual(loaded.games[0].root.next.review, games[0].root.next.review);
  assert.ok(!saveGames("1", Array(2001).fill(games[0])));
  assert.equal(loadGame("1").games.length, 1);
});

test("a game is not stored at a place of the history that has another one", () => {
  const calls = [];
  globalThis.history = { state: { id: "of another game" }, replaceState: () => calls.push("URL") };
  globalThis.sessionStorage = { setItem: () => calls.push("store"), removeItem: () => calls.push("remove") };
  Page.prototype.save.call({ place: "its own", session: {}, saved: [] });
  assert.deepEqual(calls, []);
});

test("a resumed review is that of the line that was reviewed", async () => {
  const [game] = readPgn("1. e4 e5 (1... c5 2. d4) 2. Nf3 *");
  game.current = [...game.nodes()].find((node) => node.san === "d4");
  const resumed = [];
  const page = pageWith({ game, session: {}, busy: null });
  const job = { resume: async (id, session, node) => resumed.push(id, node.san) };
  const reviewed = game.root.end().indices();
  await ReviewPanel.prototype.restore.call({ page, job, draw: () => {} }, { review: "1", reviewed });
  await ReviewPanel.prototype.restore.call({ page, job, draw: () => {} }, { review: null });
  assert.deepEqual(resumed, ["1", "Nf3"]);
});

test("a file that is still being read gives way to the user's game or move, not to the engine's", async () => {
  const opened = [];
  const session = { abort: () => null, play: async () => { throw new Error("illegal"); }, prepare: async () => { throw new Error("refused"); } };
  const page = pageWith({ draw: () => {}, game: { turn: "w" }, session, open: async (games) => { opened.push(games.length); return "opened"; } });
  const play = (isReply) => Page.prototype.play.call(page, "e4", { isReply });
  const file = { size: 1, arrayBuffer: async () => new TextEncoder().encode("1. e4 *\n\n1. d4 *").buffer };
  const files = new Files(page);
  for (const [meanwhile, isOpened] of [
    [() => {}, true],
    [() => play(true), true],
    [() => play(false), false],
    [() => Page.prototype.open.call(page, [gameFromMoves({})]), false],
  ]) {
    for (const read of [() => files.load("1. e4 *\n\n1. d4 *"), () => files.openFile(file)]) {
      const reading = read();
      await Promise.all([meanwhile(), reading]);
      assert.deepEqual(opened.splice(0), isOpened ? [2] : [], `${meanwhile} ${read}`);
    }
  }
});

test("the engine's reply is no move of the user", async () => {
  let options;
  const page = pageWith({
    session: { position: {} }, opponent: { isTurn: () => true, think: async () => ({ move: "e5" }) }, play: async (move, given) => { options = given; },
  });
  await new Match(page).reply();
  assert.ok(options.isReply);
});

test("files are taken that are dropped, and text is not", () => {
  const taken = [];
  globalThis.document = emptyDocument();
  const files = new Files(pageWith({}));
  files.openFile = (file) => taken.push(file);
  for (const [types, dropped] of [[["text/plain"], []], [["Files"], ["a file"]]]) {
    for (const type of ["dragover", "drop"]) {
      const event = Object.assign(new Event(type, { cancelable: true }), { dataTransfer: { types, files: dropped } });
      document.dispatchEvent(event);
      assert.equal(event.defaultPrevented, types[0] === "Files", `${type} ${types}`);
    }
  }
  assert.deepEqual(taken, ["a file"]);
});

test("a folder is refused", async () => {
  const errors = [];
  const files = new Files(pageWith({ messages: { error: ({ message }) => errors.push(message) } }));
  await files.openFile({ size: 0, arrayBuffer: async () => { throw new Error("a folder"); } });
  assert.deepEqual(errors, ["The file cannot be read."]);
});

test("a review that a new game ends is ended before the game is left, and only an unused one is not kept", async () => {
  const other = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
  for (const [games, isKept] of [
    [[gameFromMoves({ moves: ["e4"] })], true],
    [[gameFromMoves({ start: other })], true],
    [[gameFromMoves({}), gameFromMoves({ start: other })], true],
    [[gameFromMoves({})], false],
  ]) {
    const calls = [];
    history.pushState = () => calls.push("leave");
    const session = Object.assign(new Session({ ...fakeEngine(), newGame: () => calls.push("new game") }), { games });
    const page = pageWith({
      session, review: { stop: () => calls.push("stop"), clear: () => calls.push("clear") }, opponent: {}, setup: { close: () => {} },
      get game() { return session.game; },
    });
    const next = gameFromMoves({ moves: ["d4"] });
    assert.equal(await Page.prototype.open.call(page, [next]), "opened");
    assert.deepEqual(calls, ["stop", ...(isKept ? ["leave"] : []), "clear", "new game"]);
    assert.equal(session.game, next);
  }
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

test("the URL says who plays where the page would assume it", () => {
  for (const [moves, engine, expected] of [[[], "", "/?engine="], [[], "b", "/?engine=b"], [["e2e4"], "", "/?moves=e2e4"]]) {
    const game = gameFromMoves({});
    for (const uci of moves) game.play({ san: uci, uci });
    assert.equal(Page.prototype.url.call({ game, node: game.current }, engine), expected);
  }
});
