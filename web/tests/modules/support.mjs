// What the tests of the page's modules share.
import { api } from "../../assets/api.js";
import { readGames, writeGames } from "../../assets/pgn.js";
import { Page } from "../../assets/page.js";
import { Session } from "../../assets/session.js";
import { START_FEN } from "../../assets/tree.js";

const noMessages = { clear: () => {}, error: () => {}, hold: () => {}, note: () => {}, put: () => {}, release: () => {}, say: () => {} };

/** What the modules use of a browser; its elements have no effect. */
export class Element extends EventTarget {
  getAttribute() { return null; }
}
export const emptyDocument = () => Object.assign(new EventTarget(), { getElementById: () => new Element() });
Object.assign(globalThis, {
  document: emptyDocument(),
  history: { state: { id: 1 }, pushState: () => {} },
  location: { href: "", pathname: "/" },
});

// The address of a server, which reads and writes PGN.
const { fetch } = globalThis;
globalThis.fetch = (path, options) => fetch(new URL(path, process.env.SAAVEDRA_WEB), options);
export const { mainLines, readGames: readRecords, writeGames: writeRecords } = api;
export const readPgn = (text) => readGames(api, text);
export const writePgn = (game) => writeGames(api, [game]);
/** The movetext of a game on one line. */
export const movetext = async (game) => (await writePgn(game)).split("\n\n").pop().replace(/\s+/g, " ").trim();

/** An engine to which only the moves of `legal` are legal; without `legal` all are. */
export function fakeEngine({ legal = null, fen = START_FEN } = {}) {
  return {
    newGame: () => {},
    readGames: readRecords,
    position: async ({ start, moves }) => {
      const bad = moves.findIndex((san) => legal && !legal.includes(san));
      if (bad >= 0) throw Object.assign(new Error(`moves[${bad}]: illegal`), { status: 422, field: `moves[${bad}]` });
      return { start, history: moves.map((san) => ({ san, uci: san, fen })), legal: [], status: "ongoing" };
    },
  };
}

/**
 * An engine that reviews: each group has all positions that are missing, and the review is `review` of the positions.
 * `before` is called with the fields and the plies of each search.
 */
export function reviewingEngine({ review = {}, before = () => {} } = {}) {
  return {
    ...fakeEngine(),
    searchGroup: async (game, limits, ply, onPosition, options) => {
      await before(game, ply, options);
      for (let at = ply; at >= 0; at -= 1) onPosition({ ply: at });
    },
    judge: async (game, searched) => ({ positions: [], ...(typeof review === "function" ? review(searched) : review) }),
  };
}

/** A session with this game. */
export function sessionWith(game, engine = fakeEngine()) {
  return Object.assign(new Session(engine), { games: [game] });
}

/** Gives the modules an empty storage of the tab. */
export function useStorage() {
  // As in a browser, the keys are the properties of the object.
  globalThis.sessionStorage = Object.create({
    getItem(key) { return this[key] ?? null; }, setItem(key, text) { this[key] = text; }, removeItem(key) { delete this[key]; },
  });
}

/** Gives the modules an empty storage of the browser. */
export function useBrowserStorage() {
  const items = new Map();
  globalThis.localStorage = { getItem: (key) => items.get(key) ?? null, setItem: (key, text) => items.set(key, text), removeItem: (key) => items.delete(key) };
  return items;
}

/** A page without the parts that draw. */
export function pageWith(parts) {
  const { choose, resume } = Page.prototype;
  const common = {
    choice: new AbortController(), choose, explorer: { add: () => {} }, resume, listeners: [], match: { reply: () => {} }, messages: noMessages, premove: { choose: () => false, take: () => null }, setup: { active: false },
    noteChanges: () => {}, practice: { active: false }, save: () => {}, show: () => {},
  };
  return Object.defineProperties(common, Object.getOwnPropertyDescriptors(parts));
}
