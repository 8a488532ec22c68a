// The main module: creates the parts of the page and connects them with its elements.

import { api } from "./api.js";
import { Deck } from "./deck.js";
import { DeckPanel } from "./deckpanel.js";
import { Explorer } from "./explorer.js";
import { ExplorerPanel } from "./explorerpanel.js";
import { Files } from "./files.js";
import { addShortcuts } from "./keys.js";
import { Notes } from "./notes.js";
import { loadOpenings } from "./openings.js";
import { GameDialog, Opponent } from "./opponent.js";
import { $, Page } from "./page.js";
import { Match } from "./play.js";
import { Practice } from "./practice.js";
import { ReviewPanel } from "./reviewpanel.js";
import { readGames } from "./pgn.js";
import { gameFromMoves } from "./session.js";
import { Setup } from "./setup.js";
import { isShared, sharedGame } from "./share.js";
import { historyId, loadGame, loadSetting, persistField, saveSetting } from "./storage.js";

const page = new Page(api);
page.opponent = new Opponent(api, page.session, {
  engine: $("engine"), movetime: $("movetime"), strength: $("strength"), strengthText: $("strength-text"), human: $("human"),
});
page.setup = new Setup(page.board, {
  palette: $("palette"), fields: $("setup-fields"), begin: $("edit"), clear: $("clear"), standard: $("standard"), done: $("setup-done"),
  cancel: $("setup-cancel"), turn: $("setup-turn"), castling: $("setup-castling"), ep: $("setup-ep"),
}, {
  onDone: (fen) => page.open([gameFromMoves({ start: fen })], { engine: page.opponent.side, place: $("setup-row") }),
  onCancel: () => page.show(),
  onChange: () => page.save(),
});
page.match = new Match(page);
page.review = new ReviewPanel(page, api);
page.practice = new Practice(page);
page.notes = new Notes(page);
page.deck = new Deck();
page.deckPanel = new DeckPanel(page, page.deck);
page.explorer = new Explorer(api);
page.explorerPanel = new ExplorerPanel(page, page.explorer);
page.gameDialog = new GameDialog($("new-game"), $("engine-settings"), page.opponent, {
  onStart: (side) => page.match.start(side),
  onApply: (side) => page.match.playOn(side),
});
const files = new Files(page);
// Accumulated movement of the wheel over the board, in pixels.
const WHEEL_STEP = 60;
let wheel = 0;

function nextTheme() {
  const order = [null, "light", "dark"];
  saveSetting("theme", order[(order.indexOf(loadSetting("theme")) + 1) % order.length]);
  dispatchEvent(new Event("themechange"));
  labelTheme();
}

function labelTheme() { $("theme").setAttribute("aria-label", `Colours: ${loadSetting("theme") ?? "automatic"}`); }

function setSound(on) {
  $("sound").setAttribute("aria-pressed", String(on));
  saveSetting("sound", String(on));
}

function startSetup(fen) {
  page.session.abort();
  page.analysis.stop();
  page.messages.clear();
  $("status").textContent = "Setting up a position";
  page.tabs.show("files");
  page.setup.open(fen);
  $("frame").scrollIntoView({ block: "nearest" });
}

/** The wheel over the board steps through the game. */
function turnWheel(event) {
  if (event.ctrlKey || page.setup.active || page.game.isEmpty) return;
  event.preventDefault();
  wheel += event.deltaMode ? event.deltaY * WHEEL_STEP : event.deltaY;
  if (Math.abs(wheel) < WHEEL_STEP) return;
  page.goTo(wheel > 0 ? page.node.next : page.node.parent);
  wheel = 0;
}

function addListeners() {
  const click = (id, action) => $(id).addEventListener("click", action);
  const submit = (id, action) => $(id).addEventListener("submit", (event) => { event.preventDefault(); action(); });
  click("first", () => page.goTo(page.game.root));
  click("prev", () => page.goTo(page.node.parent));
  click("next", () => page.goTo(page.node.next));
  click("last", () => page.goTo(page.node.end()));
  click("takeback", () => page.match.takeBack());
  click("undo", () => page.travel("undo"));
  click("redo", () => page.travel("redo"));
  click("flip", () => page.flip(!page.board.flipped));
  click("new", () => page.gameDialog.open());
  click("resign", () => page.match.resign());
  click("draw", () => page.match.offerDraw());
  click("rematch", () => page.match.rematch());
  click("banner-review", () => { page.match.dismiss(); page.tabs.show("review"); page.review.toggle(); });
  click("banner-close", () => page.match.dismiss());
  click("promote", () => page.promote());
  click("delete", () => page.remove());
  click("review", () => page.review.toggle());
  click("mistake-prev", () => page.review.step(-1));
  click("mistake-next", () => page.review.step(1));
  click("add-best", () => page.review.addBest());
  click("review-pgn", () => page.review.savePgn());
  click("review-html", () => page.review.saveHtml());
  click("practice-review", () => page.review.toggle());
  click("practice-start", () => page.practice.start(page.practice.mistakesOf(page.practice.side)));
  click("practice-missed", () => page.practice.start(page.practice.missed));
  click("practice-hint", () => page.practice.hint());
  click("practice-solution", () => page.practice.solution());
  click("practice-next", () => page.practice.next());
  click("practice-delete", () => page.practice.remove());
  click("practice-end", () => page.practice.end());
  $("practice-side").addEventListener("change", () => page.practice.draw());
  click("theme", nextTheme);
  click("sound", () => setSound($("sound").getAttribute("aria-pressed") !== "true"));
  click("help", () => $("keys").showModal());
  click("edit", () => startSetup(page.game.fen));
  click("open-file", () => $("file").click());
  click("copy-pgn", () => files.copyPgn());
  click("copy-fen", () => files.copyFen());
  click("copy-link", () => files.copyLink());
  click("save-pgn", () => files.savePgn());
  submit("entry", async () => { if (await page.playTyped($("move").value.trim(), $("entry"))) $("move").value = ""; });
  submit("pgn-form", () => files.load());
  $("multipv").addEventListener("change", () => page.toggleAnalysis());
  $("analyse").addEventListener("change", () => page.toggleAnalysis());
  $("frame").addEventListener("wheel", turnWheel, { passive: false });
  addShortcuts(page);
  addEventListener("popstate", () => openPage());
  addEventListener("resize", () => page.drawEvaluation());
  // The browser may keep the page: its searches must stop meanwhile.
  addEventListener("pagehide", () => { page.session.abort(); page.analysis.stop(); });
  addEventListener("pageshow", (event) => { if (event.persisted) page.show(); });
}

/** Opens what was stored for this page of the history, else the game of the URL. */
async function openPage(isFirst = false) {
  const saved = await loadGame(historyId(), api);
  const query = new URLSearchParams(location.search);
  const engine = query.get("engine") ?? (query.has("fen") || query.has("moves") || isShared(location) ? "" : "b");
  const { tab, flipped = engine === "w", setup } = saved?.more ?? {};
  // A game to look at is opened for analysis.
  if (isFirst) page.tabs.show(tab ?? (engine ? "play" : "analyse"));
  const opened = saved && await page.open(saved.games, { index: saved.index, engine, flipped, fromHistory: true });
  if (opened === "opened") {
    if (setup) startSetup(setup);
    await page.review.restore(saved.more);
  } else if (!saved || opened === "refused") await openUrl(query, engine);
}

async function openUrl(query, engine) {
  if (isShared(location)) { await openShared(); return; }
  const moves = query.get("moves")?.split(/[ ,]+/).filter(Boolean) ?? [];
  const names = engine && !query.has("fen") ? { [engine === "w" ? "white" : "black"]: page.opponent.name } : {};
  const game = gameFromMoves({ start: query.get("fen") ?? "startpos", moves, chess960: query.get("chess960") === "true", ...names });
  const ply = query.has("ply") ? Number(query.get("ply")) : moves.length;
  game.current = game.root.line()[ply - 1] ?? game.root;
  if (await page.open([game], { engine, flipped: engine === "w", fromHistory: true }) !== "refused" || !location.search) return;
  await openInstead(page.messages.text);
}

/** Opens the game in the fragment of the URL. */
async function openShared() {
  try {
    const { pgn, path, isFlipped } = await sharedGame(location);
    const [game] = await readGames(api, pgn);
    if (!game) throw new Error("There is no game in this link.");
    game.current = game.at(path);
    if (await page.open([game], { flipped: isFlipped, fromHistory: true }) === "refused") throw new Error(page.messages.text);
  } catch (error) {
    await openInstead(error.message);
  }
}

/** The URL is invalid: shows the error and a new game. */
async function openInstead(message) {
  const opened = await page.open([gameFromMoves({ black: page.opponent.name })], { engine: "b", flipped: false, fromHistory: true });
  if (opened === "opened") page.messages.error(new Error(message));
}

async function init() {
  // The strength must be set before the engine may have to move.
  await Promise.all([page.opponent.init(), loadOpenings(), page.deck.open()]);
  await openPage(true);
  document.body.dataset.ready = "true";
}

persistField($("movetime"), (value) => [...$("movetime").options].some((option) => option.value === value));
persistField($("multipv"), (value) => [...$("multipv").options].some((option) => option.value === value));
persistField($("human"));
persistField($("letter-keys"));
setSound(loadSetting("sound") === "true");
labelTheme();
$("place").textContent = `The engine runs ${api.place}.`;
addListeners();
init();
