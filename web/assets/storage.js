// What the browser keeps: settings for good, the games of the page until its tab is closed.

import { readPgn } from "./pgn-read.js";
import { writeGames, writePgn } from "./pgn-write.js";

// Games of this many pages back can be returned to.
const MAX_SNAPSHOTS = 12;

export function loadSetting(key) { try { return localStorage.getItem(key); } catch { return null; } }

export function saveSetting(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, value);
  } catch { /* a private window */ }
}

/** Stores the value of a field whenever the user changes it. */
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

/** Stores all games of the page. */
export function saveGames(id, games) { store(`games:${id}`, games.length > 1 ? writeGames(games) : ""); }

/** Stores the current game with its place and what a PGN does not have of its positions. */
export function saveGame(id, session, more) {
  const { game, index } = session;
  const nodes = [game.root, ...game.nodes()];
  const path = game.current.path().map((node) => node.parent.children.indexOf(node));
  const notes = nodes.map(({ evaluation, review, ending, fileShapes }) => {
    const note = [evaluation, review, ending, fileShapes];
    return note.some(Boolean) ? note : 0;
  });
  store(`game:${id}`, JSON.stringify({
    index, path, notes, more, pgn: writePgn(game), own: game.own, chess960: game.chess960,
  }));
}

/** The stored games {games, index, more}; null if there are none. */
export function loadGame(id) {
  try {
    const saved = JSON.parse(sessionStorage.getItem(`game:${id}`));
    const [game] = readPgn(saved.pgn);
    Object.assign(game, { own: saved.own, chess960: saved.chess960 });
    [game.root, ...game.nodes()].forEach((node, i) => {
      if (saved.notes[i]) [node.evaluation, node.review, node.ending, node.fileShapes] = saved.notes[i];
    });
    for (const child of saved.path) game.current = game.current.children[child] ?? game.current;
    const games = readPgn(sessionStorage.getItem(`games:${id}`) ?? "");
    if (games[saved.index]) games[saved.index] = game;
    return { games: games.length > 1 ? games : [game], index: games.length > 1 ? saved.index : 0, more: saved.more };
  } catch {
    return null;
  }
}

function store(key, text) {
  try {
    sessionStorage.removeItem(key);
    if (text) sessionStorage.setItem(key, text);
    const saved = Object.keys(sessionStorage).filter((name) => name.startsWith("game:")).sort();
    for (const old of saved.slice(0, -MAX_SNAPSHOTS)) {
      sessionStorage.removeItem(old);
      sessionStorage.removeItem(old.replace("game:", "games:"));
    }
  } catch { /* a private window, or more than the browser keeps */ }
}
