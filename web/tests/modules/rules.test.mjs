// The rules in the page, web/assets/rules.wasm, against the service's: the file is built from the same sources, but not by
// the test. If these tests fail, the rules or their JSON have changed: `make rules` builds it anew.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

const { fetch } = globalThis;
globalThis.fetch = async (url) => new Response(readFileSync(new URL(url)));
const rules = await import("../../assets/rules.js");
const { premovesOf } = await import("../../assets/premove.js");
globalThis.fetch = async () => { throw new Error("no network"); };
const missing = await import("../../assets/rules.js?missing");

/** The service's answer to a game. */
async function service(path, game) {
  const address = new URL(`api/v1/${path}`, process.env.SAAVEDRA_WEB);
  const response = await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(game) });
  return response.json();
}

/** Positions with the numbers of their leaves by depth: {fen, counts}. All tricky ones, and some of the others. */
const PERFT = new URL("../../../perft/", import.meta.url);
const positions = readdirSync(PERFT).filter((name) => name.endsWith(".epd"))
  .flatMap((name) => readFileSync(new URL(name, PERFT), "utf8").split("\n").filter((line, index) => line && (name === "tricky.epd" || index % 10 === 0)))
  .map((line) => {
    const [fen, ...fields] = line.split(";");
    const counts = fields.map((field) => /^D(\d) (\d+)/.exec(field)).filter(Boolean).map(([, depth, nodes]) => [Number(depth), Number(nodes)]);
    return { fen: fen.trim(), counts };
  });

async function perft(fen, depth) {
  const { legal } = await rules.position({ start: fen, moves: [] });
  if (depth === 1) return legal.length;
  let nodes = 0;
  for (const { uci } of legal) nodes += await perft((await rules.make({ start: fen, moves: [] }, uci)).fen, depth - 1);
  return nodes;
}

/** Random numbers below a limit, the same in each run. */
function randomBelow() {
  let state = 1;
  return (limit) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % limit;
  };
}

test("the module finds as many moves as the positions of perft have", async () => {
  assert.ok(positions.length > 100);
  for (const { fen, counts } of positions) {
    for (const [depth, nodes] of counts.filter(([, leaves]) => leaves < 1000)) assert.equal(await perft(fen, depth), nodes, `${fen} at depth ${depth}`);
  }
});

test("the module describes games and moves as the service does", async () => {
  const random = randomBelow();
  for (const [index, { fen }] of positions.entries()) {
    const game = { start: fen, moves: [], chess960: index % 2 === 1 };
    for (let ply = 0; ply < 60; ply += 1) {
      const { legal } = await rules.position(game);
      if (legal.length === 0) break;
      const { san, uci } = legal[random(legal.length)];
      game.moves.push(ply % 2 ? san : uci);
    }
    assert.deepEqual(await rules.position(game), await service("moves", { ...game, history: true }), `${fen} ${game.moves}`);
    const last = game.moves.pop();
    if (last) assert.deepEqual(await rules.make(game, last), await service("make", { ...game, move: last }), `${fen} ${game.moves} ${last}`);
  }
});

test("the module refuses games as the service does", async () => {
  for (const [start, ...moves] of [
    ["8/8/8/8/8/8/8/8 w - - 0 1"], ["nonsense"], [""], ["startpos", "e2e5"], ["startpos", "e4", "e7e4"], ["startpos", "Ke3"], ["startpos", ""],
    ["startpos", "♘f3 ü"], ["4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "O-O-O"], ["rnbqkbnr/pppp1ppp/8/8/4pP2/8/PPPPP1PP/RNBQKBNR w\nKQkq -\n0 2", "e1f3"],
  ]) {
    const refused = await service("moves", { start, moves });
    const error = await rules.position({ start, moves }).catch((caught) => caught);
    assert.equal(error.status, 422, `${start} ${moves}`);
    assert.deepEqual([error.field, `${error.field}: ${error.message}`], [refused.field, refused.detail], `${start} ${moves}`);
  }
});

test("every legal answer to every move can be chosen as a premove", async () => {
  for (const [index, { fen }] of positions.filter((one, at) => at % 2 === 0).entries()) {
    const game = { start: fen, moves: [], chess960: index % 2 === 1 };
    const { legal, turn, chess960 } = await rules.position(game);
    const choices = new Map(premovesOf(fen, turn === "white" ? "b" : "w", chess960).map((move) => [move.uci, move]));
    for (const { uci } of legal) {
      for (const answer of (await rules.make(game, uci)).legal) {
        const choice = choices.get(answer.uci);
        assert.ok(choice, `${fen} ${uci} ${answer.san}`);
        if (answer.rook) assert.deepEqual(choice, { ...answer, san: answer.san.replace(/[+#]/, "") }, `${fen} ${uci}`);
      }
    }
  }
});

test("an aborted question has no answer", async () => {
  await assert.rejects(rules.position({ start: "startpos", moves: [] }, { signal: AbortSignal.abort() }), { name: "AbortError" });
});

test("without the module there is no answer, and the service is asked", async () => {
  assert.equal(await missing.position({ start: "startpos", moves: [] }), undefined);
  assert.equal(await missing.make({ start: "startpos", moves: [] }, "e4"), undefined);
});
