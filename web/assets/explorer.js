// The games of the opened files, counted for the explorer: read part by part, and kept by the browser.

import { GameIndex } from "./gameindex.js";
import { positionHash } from "./openings.js";
import { parts } from "./pgn.js";
import { Store } from "./store.js";
import { wait } from "./wait.js";

export class Explorer {
  constructor(api) {
    this.api = api;
    /** Called when the counted games have changed. */
    this.onChange = () => {};
    this.index = new GameIndex();
    /** The games that are not counted yet. */
    this.waiting = [];
    /** How many games had no room. */
    this.left = 0;
    this.isCounting = false;
    /** Why the games that wait cannot be counted. */
    this.error = null;
    /** The games as the browser keeps them; null if it does not. */
    this.kept = null;
    /** The reading of the kept games; null before. */
    this.opening = null;
  }

  /** Reads the kept games when they are needed, once: a large collection takes a moment. */
  open() { return this.opening ??= this.read(); }

  /** Reads the kept games. Without a database the games last until the page is closed. */
  async read() {
    try {
      this.kept = await Store.open("saavedra-explorer", "games");
      for (const game of await this.kept.all()) this.index.add(game);
    } catch {
      this.kept = null;
    }
    this.onChange();
  }

  /** Counts the games of a file. */
  add(games) {
    this.waiting = this.waiting.concat(games.filter((game) => !game.isEmpty));
    return this.count();
  }

  /** Counts the games that wait after a failure: it may be over. */
  async retry() { if (this.error) await this.count(); }

  /** Counts the games that wait. After a failure they go on to wait. */
  async count() {
    if (this.isCounting) return;
    this.isCounting = true;
    this.error = null;
    this.onChange();
    await this.open();
    try {
      while (this.waiting.length) {
        await this.countPart();
        this.onChange();
        // The page goes on to answer.
        await wait();
      }
    } catch (error) {
      this.error = error;
    }
    this.isCounting = false;
    this.onChange();
  }

  /** Counts as many games as are in one request; known ones are counted already. */
  async countPart() {
    const { index, waiting } = this;
    const [part] = parts(lines(waiting));
    const unknown = [...new Map(part.map((line) => [line.id, line])).values()].filter(({ id }) => !index.has(id));
    const fresh = unknown.filter(({ moves }) => index.hasRoom(moves.length));
    const positions = fresh.length ? await this.api.mainLines(fresh.map(({ record }) => record)) : [];
    // All games have been forgotten meanwhile, or others wait too.
    if (this.waiting !== waiting) return;
    this.waiting = waiting.slice(part.length);
    // A game without a legal move has nothing to count.
    const hashesOf = (fens) => Uint32Array.from(fens.length > 1 ? fens : [], positionHash);
    const games = fresh.map(({ record, ...game }, at) => ({ ...game, hashes: hashesOf(positions[at]) }));
    const counted = games.filter((game) => index.add(game));
    this.left += unknown.length - counted.length;
    await this.kept?.write((store) => { for (const game of counted) store.put(game); }).catch(() => { this.kept = null; });
  }

  /** Forgets all games. */
  async clear() {
    Object.assign(this, { waiting: [], left: 0, error: null });
    this.index.clear();
    this.onChange();
    await this.kept?.write((store) => store.clear()).catch(() => { this.kept = null; });
  }
}

/** The main lines of games, each read when it is needed: what is counted, and `record` for the request. */
function* lines(games) {
  for (const game of games) {
    const moves = game.root.line().map(({ san }) => san);
    const of = (name) => game.tag(name)?.trim() || "?";
    const [white, black, result] = [of("White"), of("Black"), game.result ?? "*"];
    const tags = ["FEN", "Variant"].map((name) => [name, game.tag(name)]).filter(([, text]) => text);
    yield {
      // A game is known by what tells it apart in a database.
      id: [white, black, of("Date"), of("Round"), result, game.tag("FEN") ?? "", moves.join(" ")].join("\n"),
      white, black, result, moves,
      record: { tags, result, chess960: game.chess960, nodes: [{}, ...moves.map((san) => ({ san }))] },
    };
  }
}
