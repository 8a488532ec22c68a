// The main module: connects the game, the board, the analysis and the server.

import { Analysis, drawBar } from "./analysis.js";
import { get, post, remove } from "./api.js";
import { Board } from "./board.js";
import { Game, speech, statusText } from "./game.js";
import { drawGraph } from "./graph.js";
import { Setup } from "./setup.js";

const $ = (id) => document.getElementById(id);
// Interval between requests for the state of a review, in milliseconds.
const POLL_INTERVAL = 400;
const REVIEW_MOVETIME = 200;
const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const game = new Game();
const board = new Board($("frame"), { onMove: (uci) => playMove(uci), onEdit: (from, to) => setup.edit(from, to) });
const analysis = new Analysis({ lines: $("lines"), effort: $("effort") }, board, {
  onScore: (ply, info) => { game.setEvaluation(ply, info); drawEvaluation(); },
  onMoves: (moves) => playMoves(moves),
  onError: showError,
});
const setup = new Setup(board, {
  palette: $("palette"), fields: $("setup-fields"), clear: $("clear"), standard: $("standard"), done: $("setup-done"),
  turn: $("setup-turn"), castling: $("setup-castling"), ep: $("setup-ep"),
}, (fen) => openGame({ fen }, { engine: $("engine").value }));
let requests = new AbortController();
let reviewId = null;

// Messages.

let toastTimer = 0;
function showMessage(text) {
  $("toast").textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(clearMessage, 6000);
}

function clearMessage() { $("toast").textContent = ""; }

/** Shows an error until the next success or a click. */
function showError(error) {
  if (error.name === "AbortError") return;
  showMessage(error.message);
  clearTimeout(toastTimer);
}

function onBusy(seconds) { showMessage(`The server is busy; trying again in ${seconds} s.`); }

// The game.

/** Aborts all pending requests; the server then stops their searches. */
function abortRequests() {
  requests.abort();
  requests = new AbortController();
  return requests.signal;
}

async function showPosition() {
  if (setup.active) setup.close();
  const signal = abortRequests();
  draw();
  if (!game.position) {
    try {
      const response = await post("/api/v1/moves", game.requestFields(), { signal });
      game.positions.set(game.ply, response);
    } catch (error) {
      showError(error);
      return;
    }
    draw();
  }
  if ($("analyse").checked) analysis.start(game, $("multipv").value);
  await playEngineMove(signal);
}

function draw() {
  const position = game.position;
  // The user cannot move while it is the engine's turn.
  const legal = position && !isEngineTurn(position) ? position.legal : [];
  board.show({ fen: game.fen, legal, last: game.last, check: position?.check ?? false });
  if (position) $("status").textContent = statusText(position);
  $("fen").value = game.fen;
  for (const id of ["first", "prev"]) $(id).disabled = game.ply === 0;
  for (const id of ["next", "last"]) $(id).disabled = game.atEnd;
  $("takeback").disabled = game.plies.length === 0;
  $("review").disabled = game.plies.length === 0;
  drawMoves();
  drawEvaluation();
  history.replaceState(null, "", game.url($("engine").value));
}

function drawMoves() {
  const items = [];
  game.plies.forEach((played, index) => {
    const { number, white } = game.moveNumber(index + 1);
    if (white || index === 0) {
      const item = document.createElement("li");
      const label = document.createElement("span");
      label.textContent = `${number}.`;
      item.append(label);
      if (!white) item.append(document.createElement("span"));
      items.push(item);
    }
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = played.san;
    button.addEventListener("click", () => goToPly(index + 1));
    if (index + 1 === game.ply) button.setAttribute("aria-current", "true");
    if (game.marks.has(index + 1)) button.dataset.mark = game.marks.get(index + 1);
    items[items.length - 1].append(button);
  });
  $("moves").replaceChildren(...items);
  const current = $("moves").querySelector("[aria-current]");
  if (current) {
    const list = $("moves").getBoundingClientRect();
    const box = current.getBoundingClientRect();
    if (box.top < list.top || box.bottom > list.bottom) $("moves").scrollTop += box.top - list.top - list.height / 2;
  } else {
    $("moves").scrollTop = 0;
  }
}

function drawEvaluation() {
  drawBar($("bar"), game.evaluations.get(game.ply), board.flipped);
  drawGraph($("graph"), game, goToPly);
}

/** Opens another game. Adds the current one to the browser's history unless `fromHistory` is set. */
async function openGame(source, { ply, engine, fromHistory = false } = {}) {
  const signal = abortRequests();
  try {
    const response = await post("/api/v1/moves", { ...source, history: true }, { signal, onBusy });
    clearMessage();
    stopReview();
    $("summary").textContent = "";
    if (!fromHistory && game.plies.length) history.pushState(null, "", location.href);
    game.load(response);
    if (Number.isInteger(ply)) game.ply = Math.min(Math.max(ply, 0), game.plies.length);
    $("engine").value = engine ?? "";
    setup.close();
    if (response.repairs) showMessage(`Repaired: ${response.repairs.join("; ")}.`);
    await showPosition();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

function goToPly(ply) {
  if (setup.active || ply < 0 || ply > game.plies.length || ply === game.ply) return;
  game.ply = ply;
  if (game.last) $("spoken").textContent = speech(game.last.san);
  showPosition();
}

/** Plays a move (UCI or SAN) in the current position. */
async function playMove(move) {
  const signal = abortRequests();
  try {
    const response = await post("/api/v1/make", { ...game.requestFields(), move }, { signal, onBusy });
    clearMessage();
    const side = game.turn === "w" ? "White" : "Black";
    stopReview();
    if (!game.atEnd) history.pushState(null, "", location.href);
    game.push(response);
    $("spoken").textContent = `${side}: ${speech(response.move.san)}.`;
    await showPosition();
    return true;
  } catch (error) {
    draw();
    showError(error);
    return false;
  }
}

async function playMoves(moves) {
  $("engine").value = "";
  for (const move of moves) if (!await playMove(move)) return;
}

function isEngineTurn(position) {
  return game.atEnd && game.turn === $("engine").value && position.status === "ongoing";
}

async function playEngineMove(signal) {
  const position = game.position;
  if (!isEngineTurn(position)) return;
  $("status").textContent = "Saavedra is searching…";
  const elo = Number($("strength").value);
  const limited = $("strength").max !== "0" && elo < Number($("strength").max);
  try {
    const ply = game.ply;
    const body = { ...game.requestFields(), movetime: Number($("movetime").value), ...(limited && { elo }) };
    const response = await post("/api/v1/bestmove", body, { signal, onBusy });
    // Scores at limited strength are not shown.
    if (!limited) game.setEvaluation(ply, response);
    if (response.bestmove) await playMove(response.bestmove);
  } catch (error) {
    if (signal.aborted) return;
    $("status").textContent = statusText(position);
    showError(error);
  }
}

function takeBack() {
  if (game.plies.length === 0) return;
  const engine = $("engine").value;
  const endTurn = game.plies[game.plies.length - 1].fen.split(" ")[1];
  // Against the engine, the user's last move and the reply are taken back.
  game.takeBack(engine && endTurn !== engine ? 2 : 1);
  if (engine && game.plies.length === 0 && game.turn === engine) $("engine").value = "";
  $("spoken").textContent = "Taken back";
  stopReview();
  showPosition();
}

async function newGame() {
  const engine = $("engine").value;
  flipBoard(engine === "w");
  await openGame({ start: "startpos", moves: [] }, { engine });
}

function flipBoard(flipped) {
  board.flip(flipped);
  drawEvaluation();
}

// Reviews.

function stopReview() {
  if (!reviewId) return;
  remove(`/api/v1/reviews/${reviewId}`);
  reviewId = null;
  $("progress").hidden = true;
  $("review").textContent = "Review the game";
}

async function startReview() {
  if (reviewId) { stopReview(); return; }
  try {
    const job = await post("/api/v1/reviews", { ...game.requestFields(game.plies.length), movetime: REVIEW_MOVETIME }, { onBusy });
    reviewId = job.id;
    $("review").textContent = "Stop the review";
    $("summary").textContent = "";
    await pollReview(job.id);
  } catch (error) {
    stopReview();
    showError(error);
  }
}

async function pollReview(id) {
  while (reviewId === id) {
    const job = await get(`/api/v1/reviews/${id}`);
    if (reviewId !== id) return;
    $("progress").hidden = false;
    $("progress").value = job.progress.done / job.progress.total;
    job.positions.forEach((position) => {
      game.setEvaluation(position.ply, position);
      if (MARKS[position.judgement]) game.marks.set(position.ply, MARKS[position.judgement]);
    });
    drawMoves();
    drawEvaluation();
    if (job.status === "done") showSummary(job.summary);
    if (job.status !== "queued" && job.status !== "running") { stopReview(); return; }
    await new Promise((resolve) => { setTimeout(resolve, POLL_INTERVAL); });
  }
}

function showSummary({ white, black }) {
  const side = (name, summary) => {
    const count = (number, singular, plural) => `${number} ${number === 1 ? singular : plural}`;
    const errors = [
      count(summary.inaccuracies, "inaccuracy", "inaccuracies"), count(summary.mistakes, "mistake", "mistakes"),
      count(summary.blunders, "blunder", "blunders"),
    ].join(", ");
    return `${name}: ${summary.accuracy === null ? "no moves" : `${Math.round(summary.accuracy)} % accurate, ${errors}`}`;
  };
  $("summary").textContent = `${side("White", white)}\n${side("Black", black)}`;
}

// Settings, stored by the browser where possible.

const loadSetting = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
const saveSetting = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window */ } };

function persistSetting(id) {
  const element = $(id);
  const value = loadSetting(id);
  if (value !== null && (element.type === "range" || [...element.options].some((option) => option.value === value))) {
    element.value = value;
  }
  element.addEventListener("change", () => saveSetting(id, element.value));
}

async function initStrength() {
  const { engine } = await get("/health").catch(() => ({}));
  const slider = $("strength");
  if (!engine?.elo) { slider.closest("label").hidden = true; return; }
  const step = Number(slider.step);
  slider.min = Math.ceil(engine.elo.min / step) * step;
  // The maximum is full strength.
  slider.max = Math.floor(engine.elo.max / step) * step;
  slider.value = loadSetting("strength") ?? slider.max;
  persistSetting("strength");
  showStrength();
}

function showStrength() {
  const full = $("strength").value === $("strength").max;
  $("strength-text").textContent = full ? "full" : `Elo ${$("strength").value}`;
  $("strength").setAttribute("aria-valuetext", full ? "full strength" : `Elo ${$("strength").value}`);
}

function nextTheme() {
  const order = [null, "light", "dark"];
  const theme = order[(order.indexOf(loadSetting("theme")) + 1) % order.length];
  try { if (theme) localStorage.setItem("theme", theme); else localStorage.removeItem("theme"); } catch { /* private window */ }
  dispatchEvent(new Event("themechange"));
  labelTheme();
}

function labelTheme() { $("theme").setAttribute("aria-label", `Colours: ${loadSetting("theme") ?? "automatic"}`); }

// User actions.

async function copy(text, message) {
  try {
    await navigator.clipboard.writeText(text);
    showMessage(message);
  } catch {
    // There is no clipboard without HTTPS: show the text to be copied by hand.
    $("pgn").value = text;
    $("pgn").select();
    showMessage("Copy the text from the PGN field.");
  }
}

function submit(id, action) {
  $(id).addEventListener("submit", (event) => { event.preventDefault(); action(); });
}

function addListeners() {
  const click = (id, action) => $(id).addEventListener("click", action);
  click("first", () => goToPly(0));
  click("prev", () => goToPly(game.ply - 1));
  click("next", () => goToPly(game.ply + 1));
  click("last", () => goToPly(game.plies.length));
  click("takeback", takeBack);
  click("flip", () => flipBoard(!board.flipped));
  click("new", newGame);
  click("review", startReview);
  click("theme", nextTheme);
  click("toast", clearMessage);
  click("help", () => $("keys").showModal());
  click("edit", () => startSetup());
  click("copy-pgn", () => copy(game.pgn(), "Game copied."));
  click("copy-link", () => copy(new URL(game.url(""), location.href).href, "Link copied."));
  submit("entry", async () => { if (await playMove($("move").value.trim())) $("move").value = ""; });
  submit("fen-form", () => openGame({ fen: $("fen").value.trim() }));
  submit("pgn-form", async () => { if (await openGame({ pgn: $("pgn").value })) goToPly(0); });
  $("engine").addEventListener("change", () => { flipBoard($("engine").value === "w"); showPosition(); });
  $("strength").addEventListener("input", showStrength);
  $("multipv").addEventListener("change", () => { if ($("analyse").checked) analysis.start(game, $("multipv").value); });
  $("analyse").addEventListener("change", toggleAnalysis);
  document.addEventListener("keydown", shortcut);
  addEventListener("popstate", openUrl);
  addEventListener("resize", () => drawEvaluation());
  // The browser may cache the page: its searches must stop meanwhile.
  addEventListener("pagehide", () => { abortRequests(); analysis.stop(); });
  addEventListener("pageshow", (event) => { if (event.persisted) showPosition(); });
}

function startSetup() {
  abortRequests();
  analysis.stop();
  $("status").textContent = "Setting up a position";
  setup.open(game.fen);
}

function toggleAnalysis() {
  if ($("analyse").checked) analysis.start(game, $("multipv").value);
  else analysis.stop();
}

function shortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
  const action = {
    ArrowLeft: () => goToPly(game.ply - 1), ArrowRight: () => goToPly(game.ply + 1), Home: () => goToPly(0), End: () => goToPly(game.plies.length),
    u: takeBack, f: () => flipBoard(!board.flipped), n: newGame, m: () => $("move").focus(), "?": () => $("keys").showModal(),
    a: () => { $("analyse").checked = !$("analyse").checked; toggleAnalysis(); },
  }[event.key];
  if (action) { event.preventDefault(); action(); }
}

/** Opens the game of the URL; by default a new game against the engine. */
async function openUrl() {
  const query = new URLSearchParams(location.search);
  const source = { start: query.get("fen") ?? "startpos", moves: query.get("moves")?.split(/[ ,]+/).filter(Boolean) ?? [] };
  if (query.get("chess960") === "true") source.chess960 = true;
  const isEmpty = !query.has("fen") && !query.has("moves");
  const ply = query.has("ply") ? Number(query.get("ply")) : undefined;
  const engine = query.get("engine") ?? (isEmpty ? "b" : "");
  flipBoard(engine === "w");
  if (!await openGame(source, { ply, engine, fromHistory: true }) && !isEmpty) {
    // The URL is invalid: show the error and a new game.
    const message = $("toast").textContent;
    await openGame({ start: "startpos", moves: [] }, { engine: "b", fromHistory: true });
    showError(new Error(message));
  }
}

async function init() {
  // The strength must be set before the engine may have to move.
  await initStrength();
  await openUrl();
  document.body.dataset.ready = "true";
}

persistSetting("movetime");
persistSetting("multipv");
labelTheme();
addListeners();
init();
