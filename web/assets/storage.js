// What the browser keeps: settings and the last reviews for good, the games of the page until its tab is closed.

import { readGames } from "./pgn.js";
import { GameTree } from "./tree.js";

// Games of this many pages back can be returned to.
const MAX_SNAPSHOTS = 12;
// What was searched is kept for this many reviews, some 30 kB each.
const MAX_REVIEWS = 30;
// Files of more games than this are not stored.
const MAX_GAMES = 2000;

export function loadSetting(key) { try { return localStorage.getItem(key); } catch { return null; } }

export function saveSetting(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch { /* a private window */ }
}

/** What was searched for a review, if it is one of the last reviews. */
export function loadSearched(key) { return loadList(`review:${key}`); }

/** Stores what was searched for a review, instead of the oldest review. */
export function saveSearched(key, searched) {
  const keys = [...loadList("reviews").filter((known) => known !== key), key];
  for (const old of keys.splice(0, keys.length - MAX_REVIEWS)) saveSetting(`review:${old}`, null);
  saveSetting("reviews", JSON.stringify(keys));
  saveSetting(`review:${key}`, JSON.stringify(searched));
}

/** A stored list; empty if there is none. */
function loadList(key) {
  try {
    const list = JSON.parse(loadSetting(key));
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}

/**
 * Stores the value of a field whenever the user changes it, and sets the stored one.
 * @param {HTMLInputElement | HTMLSelectElement} element
 * @param {(value: string) => boolean} isValid
 */
export function persistField(element, isValid = () => true) {
  const value = loadSetting(element.id);
  const isCheckbox = element.type === "checkbox";
  if (value !== null && isValid(value)) {
    if (isCheckbox) element.checked = value === "true";
    else element.value = value;
  }
  element.addEventListener("change", () => saveSetting(element.id, String(isCheckbox ? element.checked : element.value)));
}

/** The identifier of the page's place in the history of the browser. */
export function historyId() {
  if (!history.state?.id) history.replaceState({ id: `${Date.now()}-${Math.random().toString(36).slice(2)}` }, "");
  return history.state.id;
}

/** Stores all games of the page; false if they are more than the browser keeps. */
export function saveGames(id, games) {
  const isStored = games.length > 1 && games.length <= MAX_GAMES;
  const file = () => ({
    records: games.map((game) => game.record()), notes: games.map((game) => [notesOf(game), game.summary, game.own]),
  });
  return store("games", id, isStored ? JSON.stringify(file()) : "") && (isStored || games.length < 2);
}

/** Stores the current game with its place and what a PGN does not have of its positions. */
export function saveGame(id, session, more) {
  const { game, index } = session;
  store("game", id, JSON.stringify({
    index, more, path: game.current.indices(), notes: notesOf(game), summary: game.summary, records: [game.record()], own: game.own,
  }));
}

/** What a PGN does not have of the positions of a game, in the order of its nodes. */
function notesOf(game) {
  return [game.root, ...game.nodes()].map(({ evaluation, review, ending, fileShapes }) => {
    const note = [evaluation, review, ending, fileShapes];
    return note.some(Boolean) ? note : 0;
  });
}

function restoreNotes(game, notes, summary, own) {
  [game.root, ...game.nodes()].forEach((node, i) => {
    if (notes[i]) [node.evaluation, node.review, node.ending, node.fileShapes] = notes[i];
  });
  game.summary = summary ?? null;
  game.own = Boolean(own);
}

/** The stored games {games, index, more}; null if there are none. */
export async function loadGame(id, api) {
  // Earlier versions stored a PGN.
  const gamesOf = ({ records, pgn }) => records?.map(GameTree.of) ?? readGames(api, pgn);
  try {
    const saved = JSON.parse(sessionStorage.getItem(`game:${id}`));
    const [game] = await gamesOf(saved);
    game.chess960 = saved.chess960 ?? game.chess960;
    restoreNotes(game, saved.notes, saved.summary, saved.own);
    game.current = game.at(saved.path);
    const file = JSON.parse(sessionStorage.getItem(`games:${id}`)) ?? { records: [], notes: [] };
    const games = await gamesOf(file);
    games.forEach((other, index) => restoreNotes(other, ...file.notes[index]));
    if (games[saved.index]) games[saved.index] = game;
    return { games: games.length > 1 ? games : [game], index: games.length > 1 ? saved.index : 0, more: saved.more };
  } catch {
    return null;
  }
}

/** Stores a text (`game` or `games`) of a page; false if the browser does not keep it. */
function store(kind, id, text) {
  const key = `${kind}:${id}`;
  try {
    sessionStorage.removeItem(key);
    if (text) sessionStorage.setItem(key, text);
    // The user may have gone back to the oldest page: the shown one stays.
    const others = Object.keys(sessionStorage).filter((name) => name.startsWith("game:") && name !== `game:${id}`).sort();
    for (const old of others.slice(0, 1 - MAX_SNAPSHOTS)) {
      sessionStorage.removeItem(old);
      sessionStorage.removeItem(old.replace("game:", "games:"));
    }
    return true;
  } catch {
    return false;
  }
}
