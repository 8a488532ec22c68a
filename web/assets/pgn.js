// PGN in and out by the engine's side, in requests of limited size.

import { GameTree } from "./tree.js";
import { wait } from "./wait.js";
import { endingOf } from "./words.js";

// About as many characters are in a request: a large file is read in parts, which end before the tags of a game.
const PART = 1 << 16;
const NEXT_GAME = /[^\]\s]\s*\n\r?\n(?=\[\w+ ")/g;

/** The games of a text, as far as they are read before the signal is aborted. */
export async function readGames(api, text, signal) {
  const games = [];
  for (let at = 0; at < text.length;) {
    NEXT_GAME.lastIndex = at + PART;
    const end = NEXT_GAME.test(text) ? NEXT_GAME.lastIndex : text.length;
    games.push(...(await api.readGames(text.slice(at, end), { signal })).map(gameOf));
    at = end;
    // The page goes on to answer.
    if (at < text.length) await wait();
    if (signal?.aborted) break;
  }
  return games;
}

/** The game of a record; its last move has its end. */
function gameOf(record) {
  const game = GameTree.of(record);
  game.root.end().ending = endingOf(game.result, game.tag("Termination"));
  return game;
}

/** Games as a PGN. */
export async function writeGames(api, games) {
  const texts = [];
  for (const part of parts(games.map((game) => game.record()))) texts.push(await api.writeGames(part));
  return texts.join("\n");
}

/** Records in lists of limited size. */
export function* parts(records) {
  let [part, size] = [[], 0];
  for (const record of records) {
    const { length } = JSON.stringify(record);
    if (size > 0 && size + length > PART) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(record);
    size += length;
  }
  yield part;
}
