// The tree of variations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setShapes } from "../../assets/comments.js";
import { Changes } from "../../assets/changes.js";
import { GameTree } from "../../assets/tree.js";
import { movetext as text, readPgn } from "./support.mjs";

const read = async (pgn) => (await readPgn(pgn))[0];
const play = (game, ...moves) => moves.forEach((san) => game.play({ san, uci: san, fen: `${san} w - - 0 1` }));
const find = (game, san) => [...game.nodes()].find((node) => node.san === san);

test("a different move makes a variation, the same move does not", async () => {
  const game = new GameTree();
  play(game, "e4", "e5", "Nf3");
  game.current = game.root.next;
  play(game, "c5");
  assert.equal(await text(game), "1. e4 e5 (1... c5) 2. Nf3 *");
  assert.equal(game.current.san, "c5");
  game.current = game.root;
  play(game, "e4", "e5");
  assert.equal(await text(game), "1. e4 e5 (1... c5) 2. Nf3 *");
});

test("a move of a PGN is found although its text differs", async () => {
  const game = await read("1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. 0-0 *");
  game.current = find(game, "a6");
  game.play({ san: "O-O", uci: "e1g1", fen: "" });
  assert.equal(game.current.parent.children.length, 1);
});

test("a line is added once, whether the engine has confirmed its moves or not", async () => {
  const game = await read("1. e4 e5 2. Qh5 Nf6 3. Qxf7+ *");
  const parent = find(game, "Nf6");
  const added = "1. e4 e5 2. Qh5 Nf6 3. Qxf7+ (3. Qxe5+ Qe7 4. Qf4) *";
  for (const isConfirmed of [false, true]) {
    game.current = parent;
    if (isConfirmed) game.play({ uci: "h5e5", san: "Qxe5+", fen: "" });
    assert.equal(game.addLine(parent, ["Qxe5+", "Qe7", "Qf4"]), find(game, "Qxe5+"));
    assert.equal(await text(game), added);
  }
  assert.equal(game.addLine(parent, ["Qxf7", "Kxf7"]), find(game, "Qxf7+"));
  assert.equal(await text(game), added.replace(") *", ") 3... Kxf7 *"));
});

test("a variation is promoted at every branch above it", async () => {
  const game = await read("1. e4 e5 (1... c5 2. Nf3 (2. c3 {Alapin} d5) 2... d6) 2. Nc3 *");
  game.promote(find(game, "c3"));
  assert.equal(await text(game), "1. e4 c5 (1... e5 2. Nc3) 2. c3 {Alapin} (2. Nf3 d6) 2... d5 *");
  const other = await read("1. e4 ( $142 {better} 1. d4 d5) 1... e5 *");
  other.promote(find(other, "d5"));
  assert.equal(await text(other), "1. d4 $142 {better} (1. e4 e5) 1... d5 *");
});

test("a move is deleted with all that follows it", async () => {
  const game = await read("1. e4 e5 (1... c5 2. Nf3) 2. Nf3 *");
  game.current = find(game, "Nf3");
  game.remove(find(game, "c5"));
  assert.equal(await text(game), "1. e4 e5 2. Nf3 *");
  game.current = game.root.end();
  game.remove(find(game, "e5"));
  assert.equal(game.current.san, "e4");
  assert.equal(await text(game), "1. e4 *");
  game.remove(game.root);
  assert.equal(await text(game), "1. e4 *");
});

test("alternatives are found at the nearest branch", async () => {
  const game = await read("1. e4 e5 (1... c5 2. Nf3) (1... e6) 2. Nc3 *");
  game.current = find(game, "Nf3");
  assert.equal(game.alternative(1).san, "e6");
  assert.equal(game.alternative(-1).san, "e5");
  game.current = find(game, "e4");
  assert.equal(game.alternative(1), null);
});

test("move numbers follow the start position", async () => {
  const game = await read("[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 12\"]\n\n12... Kd7 13. O-O *");
  assert.deepEqual([1, 2, 3].map((ply) => game.moveNumber(ply)),
    [{ number: 12, white: false }, { number: 13, white: true }, { number: 13, white: false }]);
});

test("the start of a variation is found", async () => {
  const game = await read("1. e4 e5 (1... c5 2. Nf3) 2. Nc3 *");
  assert.equal(find(game, "Nf3").variationStart().san, "c5");
  assert.equal(find(game, "Nc3").variationStart(), null);
});

test("every change of a game is undone and done again, and a new one ends what was undone", async () => {
  const game = await read("1. e4 e5 2. Nf3 (2. Bc4 {good} Nc6) 2... Nc6 *");
  const changes = new Changes(game);
  const shown = async () => [await text(game), game.current.san, find(game, "Nf3")?.ending ?? null];
  const states = [await shown()];
  const act = [
    () => game.promote(find(game, "Bc4")),
    () => game.remove(find(game, "Nf3")),
    () => { game.current = find(game, "Bc4"); },
    () => play(game, "d6"),
    () => game.addLine(game.current, ["d4", "exd4"]),
    () => setShapes(game.current, [{ from: "a1", to: null, colour: "red" }]),
    () => { game.current.ending = { result: "0-1", text: "You resigned" }; },
  ];
  for (const change of act) {
    change();
    changes.note();
    changes.note();
    states.push(await shown());
  }
  // To go to another move is no change.
  states.splice(3, 1);
  const last = states.length - 1;
  for (let step = last - 1; step >= 0; step -= 1) {
    assert.ok(changes.undo());
    assert.equal((await shown())[0], states[step][0], `undo ${step}`);
  }
  assert.ok(!changes.undo());
  for (let step = 1; step <= last; step += 1) {
    assert.ok(changes.redo());
    assert.deepEqual(await shown(), states[step], `redo ${step}`);
  }
  assert.ok(!changes.redo());
  changes.undo();
  game.remove(find(game, "d6"));
  changes.note();
  assert.ok(!changes.redo());
  assert.ok(changes.undo() && find(game, "d6"));
});
