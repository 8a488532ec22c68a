// The positions of many games, and what was played in them. A position is known by its hash, so that it is the same
// whatever moves lead to it.

import { positionHash } from "./openings.js";

// So many positions have room, in some 25,000 games: 20 MB.
const MAX_POSITIONS = 2_000_000;
const POINTS = { "1-0": 1, "1/2-1/2": 0.5, "0-1": 0 };

/** A move text without check signs: games may have them or not. */
export const bareSan = (san) => san.replace(/[+#]/g, "");

export class GameIndex {
  constructor(capacity = MAX_POSITIONS) {
    this.capacity = capacity;
    this.clear();
  }

  clear() {
    /** The games: {white, black, result}. */
    this.games = [];
    /** The numbers of games of all players by their names. */
    this.names = new Map();
    this.ids = new Set();
    /** The texts of all moves, and the place of each text; the first one is no move. */
    this.sans = [""];
    this.places = new Map();
    // A row for each position of each game, in order: its hash, its game, and the move that was played.
    this.size = 0;
    this.hashes = new Uint32Array(this.capacity);
    this.owners = new Uint32Array(this.capacity);
    this.moves = new Uint16Array(this.capacity);
  }

  has(id) { return this.ids.has(id); }
  hasRoom(plies) { return this.size + plies < this.capacity; }

  /**
   * Adds a game: its moves, and the hashes of its positions from the first to the last one. False if it is there, or if
   * there is no room for it.
   */
  add({ id, white, black, result, moves, hashes }) {
    if (this.has(id) || !this.hasRoom(moves.length)) return false;
    this.ids.add(id);
    for (let ply = 0; ply < hashes.length; ply += 1) {
      this.hashes[this.size] = hashes[ply];
      this.owners[this.size] = this.games.length;
      this.moves[this.size] = ply + 1 < hashes.length ? this.placeOf(bareSan(moves[ply])) : 0;
      this.size += 1;
    }
    this.games.push({ white, black, result });
    for (const name of [white, black]) this.names.set(name, (this.names.get(name) ?? 0) + 1);
    return true;
  }

  /** The place of a move text in the list of all. */
  placeOf(san) {
    if (!this.places.has(san)) {
      this.places.set(san, this.sans.length);
      this.sans.push(san);
    }
    return this.places.get(san);
  }

  /** The names of all players, the one with the most games first. */
  players() {
    return [...this.names].sort(([, a], [, b]) => b - a).map(([name]) => name).filter((name) => name !== "?");
  }

  /** The names that a text means: the one that is the same, or all that contain it. */
  namesOf(text) {
    const wanted = text.trim().toLowerCase();
    const names = [...this.names.keys()];
    const same = names.filter((name) => name.toLowerCase() === wanted);
    return new Set(same.length ? same : names.filter((name) => name.toLowerCase().includes(wanted)));
  }

  /**
   * What was played in the position of a FEN: the number of games, and for each move {san, games, white, draws, black,
   * score, after}: the most frequent first. `score` is the share of the points of the player, else of White; null without
   * results. `after` is the hash of the position after the move. With `player` only the player's games count, with
   * `colour` (`w` or `b`) only those with that colour.
   */
  movesAt(fen, { player = "", colour = "" } = {}) {
    const hash = positionHash(fen);
    const sideOf = player.trim() ? sideIn(this.namesOf(player), colour) : () => "w";
    const rows = new Map();
    let [games, last] = [0, -1];
    const hashes = this.hashes.subarray(0, this.size);
    for (let at = hashes.indexOf(hash); at >= 0; at = hashes.indexOf(hash, at + 1)) {
      const number = this.owners[at];
      const game = this.games[number];
      const side = sideOf(game);
      if (!side) continue;
      if (number !== last) games += 1;
      last = number;
      if (this.moves[at]) count(rows, this.sans[this.moves[at]], number, game.result, side, hashes[at + 1]);
    }
    return { games, moves: [...rows.values()].sort((a, b) => b.games - a.games) };
  }
}

/** The side of these players in a game, if it is one of `colour`. */
const sideIn = (names, colour) => ({ white, black }) => (
  colour !== "b" && names.has(white) ? "w" : colour !== "w" && names.has(black) ? "b" : null
);

/** Counts a game for a move; a game that repeats the position counts once. */
function count(rows, san, number, result, side, after) {
  const row = rows.get(san) ?? { san, games: 0, white: 0, draws: 0, black: 0, points: 0, score: null, after, last: -1 };
  rows.set(san, row);
  if (row.last === number) return;
  row.last = number;
  row.games += 1;
  const points = POINTS[result];
  if (points === undefined) return;
  row[{ 1: "white", 0.5: "draws", 0: "black" }[points]] += 1;
  row.points += side === "w" ? points : 1 - points;
  row.score = row.points / (row.white + row.draws + row.black);
}
