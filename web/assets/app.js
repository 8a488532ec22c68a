// The page's conductor: it joins the game, the board, the analysis and the server.

import { Analysis, drawBar } from "./analysis.js";
import { get, post, remove } from "./api.js";
import { Board } from "./board.js";
import { Game, spoken, statusText } from "./game.js";
import { drawGraph } from "./graph.js";
import { Setup } from "./setup.js";

const $ = (id) => document.getElementById(id);
const POLL = 400;
const REVIEW_MOVETIME = 200;
const MARKS = { inaccuracy: "?!", mistake: "?", blunder: "??" };

const game = new Game();
const board = new Board($("frame"), { onMove: (uci) => play(uci), onEdit: (from, to) => setup.edit(from, to) });
const analysis = new Analysis({ lines: $("lines"), effort: $("effort") }, board, {
  onScore: (ply, info) => { game.evaluate(ply, info); drawEvaluation(); },
  onMoves: (moves) => playLine(moves),
  onProblem: complain,
});
const setup = new Setup(board, {
  palette: $("palette"), fields: $("setup-fields"), clear: $("clear"), standard: $("standard"), done: $("setup-done"),
  turn: $("setup-turn"), castling: $("setup-castling"), ep: $("setup-ep"),
}, (fen) => open({ fen }, { engine: $("engine").value }));
let turn = new AbortController();
let reviewing = null;

// What a person is told.

let toastTimer = 0;
function say(text) {
  $("toast").textContent = text;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(hush, 6000);
}

function hush() { $("toast").textContent = ""; }

/** An error stays until something goes well, or a click on it. */
function complain(error) {
  if (error.name === "AbortError") return;
  say(error.message);
  clearTimeout(toastTimer);
}

function busy(seconds) { say(`The server is busy; trying again in ${seconds} s.`); }

// Showing the game.

/** Ends whatever the page was waiting for: the server stops a search whose client went away. */
function newTurn() {
  turn.abort();
  turn = new AbortController();
  return turn.signal;
}

async function show() {
  if (setup.active) setup.close();
  const signal = newTurn();
  draw();
  if (!game.position) {
    try {
      const answer = await post("/api/v1/moves", game.question(), { signal });
      game.positions.set(game.ply, answer);
    } catch (error) {
      complain(error);
      return;
    }
    draw();
  }
  if ($("analyse").checked) analysis.look(game, $("multipv").value);
  await engineTurn(signal);
}

function draw() {
  const position = game.position;
  // While it is the engine's turn its pieces are its own.
  const legal = position && !engineMoves(position) ? position.legal : [];
  board.show({ fen: game.fen, legal, last: game.last, check: position?.check ?? false });
  if (position) $("status").textContent = statusText(position);
  $("fen").value = game.fen;
  for (const id of ["first", "prev"]) $(id).disabled = game.ply === 0;
  for (const id of ["next", "last"]) $(id).disabled = game.atEnd;
  $("takeback").disabled = game.plies.length === 0;
  $("review").disabled = game.plies.length === 0;
  drawMoves();
  drawEvaluation();
  history.replaceState(null, "", game.address($("engine").value));
}

function drawMoves() {
  const items = [];
  game.plies.forEach((played, index) => {
    const { number, white } = game.numberOf(index + 1);
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
    button.addEventListener("click", () => go(index + 1));
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
  drawGraph($("graph"), game, go);
}

// Playing.

/** Takes another game. The way back in the browser leads to the one before, unless this is the way. */
async function open(source, { ply, engine, recall = false } = {}) {
  const signal = newTurn();
  try {
    const answer = await post("/api/v1/moves", { ...source, history: true }, { signal, onBusy: busy });
    hush();
    stopReview();
    $("summary").textContent = "";
    if (!recall && game.plies.length) history.pushState(null, "", location.href);
    game.load(answer);
    if (Number.isInteger(ply)) game.ply = Math.min(Math.max(ply, 0), game.plies.length);
    $("engine").value = engine ?? "";
    setup.close();
    if (answer.repairs) say(`Put right: ${answer.repairs.join("; ")}.`);
    await show();
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

function go(ply) {
  if (setup.active || ply < 0 || ply > game.plies.length || ply === game.ply) return;
  game.ply = ply;
  if (game.last) $("spoken").textContent = spoken(game.last.san);
  show();
}

/** Makes a move, as UCI or standard notation, after the position on the board. */
async function play(move) {
  const signal = newTurn();
  try {
    const answer = await post("/api/v1/make", { ...game.question(), move }, { signal, onBusy: busy });
    hush();
    const side = game.turn === "w" ? "White" : "Black";
    stopReview();
    if (!game.atEnd) history.pushState(null, "", location.href);
    game.push(answer);
    $("spoken").textContent = `${side}: ${spoken(answer.move.san)}.`;
    await show();
    return true;
  } catch (error) {
    draw();
    complain(error);
    return false;
  }
}

async function playLine(moves) {
  $("engine").value = "";
  for (const move of moves) if (!await play(move)) return;
}

function engineMoves(position) {
  return game.atEnd && game.turn === $("engine").value && position.status === "ongoing";
}

async function engineTurn(signal) {
  const position = game.position;
  if (!engineMoves(position)) return;
  $("status").textContent = "Saavedra is thinking…";
  const elo = Number($("strength").value);
  const limited = $("strength").max !== "0" && elo < Number($("strength").max);
  try {
    const ply = game.ply;
    const ask = { ...game.question(), movetime: Number($("movetime").value), ...(limited && { elo }) };
    const answer = await post("/api/v1/bestmove", ask, { signal, onBusy: busy });
    // Who plays weakly misjudges too: that is no evaluation of the game.
    if (!limited) game.evaluate(ply, answer);
    if (answer.bestmove) await play(answer.bestmove);
  } catch (error) {
    if (signal.aborted) return;
    $("status").textContent = statusText(position);
    complain(error);
  }
}

function takeBack() {
  if (game.plies.length === 0) return;
  const engine = $("engine").value;
  const endTurn = game.plies[game.plies.length - 1].fen.split(" ")[1];
  // Against the engine it is the person's own move that goes, with the answer to it.
  game.takeBack(engine && endTurn !== engine ? 2 : 1);
  if (engine && game.plies.length === 0 && game.turn === engine) $("engine").value = "";
  $("spoken").textContent = "Taken back";
  stopReview();
  show();
}

async function newGame() {
  const engine = $("engine").value;
  turnBoard(engine === "w");
  await open({ start: "startpos", moves: [] }, { engine });
}

function turnBoard(flipped) {
  board.flip(flipped);
  drawEvaluation();
}

// Reviewing a whole game.

function stopReview() {
  if (!reviewing) return;
  remove(`/api/v1/reviews/${reviewing}`);
  reviewing = null;
  $("progress").hidden = true;
  $("review").textContent = "Review the game";
}

async function review() {
  if (reviewing) { stopReview(); return; }
  try {
    const job = await post("/api/v1/reviews", { ...game.question(game.plies.length), movetime: REVIEW_MOVETIME }, { onBusy: busy });
    reviewing = job.id;
    $("review").textContent = "Stop the review";
    $("summary").textContent = "";
    await follow(job.id);
  } catch (error) {
    stopReview();
    complain(error);
  }
}

async function follow(id) {
  while (reviewing === id) {
    const job = await get(`/api/v1/reviews/${id}`);
    if (reviewing !== id) return;
    $("progress").hidden = false;
    $("progress").value = job.progress.done / job.progress.total;
    job.positions.forEach((position) => {
      game.evaluate(position.ply, position);
      if (MARKS[position.judgement]) game.marks.set(position.ply, MARKS[position.judgement]);
    });
    drawMoves();
    drawEvaluation();
    if (job.status === "done") summarise(job.summary);
    if (job.status !== "queued" && job.status !== "running") { stopReview(); return; }
    await new Promise((resolve) => { setTimeout(resolve, POLL); });
  }
}

function summarise({ white, black }) {
  const side = (name, sums) => {
    const count = (number, one, many) => `${number} ${number === 1 ? one : many}`;
    const faults = [
      count(sums.inaccuracies, "inaccuracy", "inaccuracies"), count(sums.mistakes, "mistake", "mistakes"),
      count(sums.blunders, "blunder", "blunders"),
    ].join(", ");
    return `${name}: ${sums.accuracy === null ? "no moves" : `${Math.round(sums.accuracy)} % accurate, ${faults}`}`;
  };
  $("summary").textContent = `${side("White", white)}\n${side("Black", black)}`;
}

// Settings, kept by the browser where it allows that.

const remembered = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window */ } };

function keep(id) {
  const element = $(id);
  const value = remembered(id);
  if (value !== null && (element.type === "range" || [...element.options].some((option) => option.value === value))) {
    element.value = value;
  }
  element.addEventListener("change", () => remember(id, element.value));
}

async function learnStrengths() {
  const { engine } = await get("/health").catch(() => ({}));
  const slider = $("strength");
  if (!engine?.elo) { slider.closest("label").hidden = true; return; }
  const step = Number(slider.step);
  slider.min = Math.ceil(engine.elo.min / step) * step;
  // The most is full strength.
  slider.max = Math.floor(engine.elo.max / step) * step;
  slider.value = remembered("strength") ?? slider.max;
  keep("strength");
  showStrength();
}

function showStrength() {
  const full = $("strength").value === $("strength").max;
  $("strength-text").textContent = full ? "full" : `Elo ${$("strength").value}`;
  $("strength").setAttribute("aria-valuetext", full ? "full strength" : `Elo ${$("strength").value}`);
}

function nextTheme() {
  const order = [null, "light", "dark"];
  const theme = order[(order.indexOf(remembered("theme")) + 1) % order.length];
  try { if (theme) localStorage.setItem("theme", theme); else localStorage.removeItem("theme"); } catch { /* private window */ }
  dispatchEvent(new Event("themechange"));
  nameTheme();
}

function nameTheme() { $("theme").setAttribute("aria-label", `Colours: ${remembered("theme") ?? "automatic"}`); }

// What a person does.

async function copy(text, words) {
  try {
    await navigator.clipboard.writeText(text);
    say(words);
  } catch {
    // A page not served over HTTPS may have no clipboard: show the text to be copied by hand.
    $("pgn").value = text;
    $("pgn").select();
    say("Select and copy it from the PGN field.");
  }
}

function submit(id, action) {
  $(id).addEventListener("submit", (event) => { event.preventDefault(); action(); });
}

function listen() {
  const click = (id, action) => $(id).addEventListener("click", action);
  click("first", () => go(0));
  click("prev", () => go(game.ply - 1));
  click("next", () => go(game.ply + 1));
  click("last", () => go(game.plies.length));
  click("takeback", takeBack);
  click("flip", () => turnBoard(!board.flipped));
  click("new", newGame);
  click("review", review);
  click("theme", nextTheme);
  click("toast", hush);
  click("help", () => $("keys").showModal());
  click("edit", () => startSetup());
  click("copy-pgn", () => copy(game.pgn(), "The game is copied."));
  click("copy-link", () => copy(new URL(game.address(""), location.href).href, "The link is copied."));
  submit("entry", async () => { if (await play($("move").value.trim())) $("move").value = ""; });
  submit("fen-form", () => open({ fen: $("fen").value.trim() }));
  submit("pgn-form", async () => { if (await open({ pgn: $("pgn").value })) go(0); });
  $("engine").addEventListener("change", () => { turnBoard($("engine").value === "w"); show(); });
  $("strength").addEventListener("input", showStrength);
  $("multipv").addEventListener("change", () => { if ($("analyse").checked) analysis.look(game, $("multipv").value); });
  $("analyse").addEventListener("change", toggleAnalysis);
  document.addEventListener("keydown", shortcut);
  addEventListener("popstate", openAddress);
  addEventListener("resize", () => drawEvaluation());
  // A page that is left may be kept for the way back: its searches must not run on meanwhile.
  addEventListener("pagehide", () => { newTurn(); analysis.stop(); });
  addEventListener("pageshow", (event) => { if (event.persisted) show(); });
}

function startSetup() {
  newTurn();
  analysis.stop();
  $("status").textContent = "Setting up a position";
  setup.open(game.fen);
}

function toggleAnalysis() {
  if ($("analyse").checked) analysis.look(game, $("multipv").value);
  else analysis.stop();
}

function shortcut(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
  const action = {
    ArrowLeft: () => go(game.ply - 1), ArrowRight: () => go(game.ply + 1), Home: () => go(0), End: () => go(game.plies.length),
    u: takeBack, f: () => turnBoard(!board.flipped), n: newGame, m: () => $("move").focus(), "?": () => $("keys").showModal(),
    a: () => { $("analyse").checked = !$("analyse").checked; toggleAnalysis(); },
  }[event.key];
  if (action) { event.preventDefault(); action(); }
}

/** Opens what the address holds; with nothing in it, a new game against the engine. */
async function openAddress() {
  const query = new URLSearchParams(location.search);
  const source = { start: query.get("fen") ?? "startpos", moves: query.get("moves")?.split(/[ ,]+/).filter(Boolean) ?? [] };
  if (query.get("chess960") === "true") source.chess960 = true;
  const bare = !query.has("fen") && !query.has("moves");
  const ply = query.has("ply") ? Number(query.get("ply")) : undefined;
  const engine = query.get("engine") ?? (bare ? "b" : "");
  turnBoard(engine === "w");
  if (!await open(source, { ply, engine, recall: true }) && !bare) {
    // The address holds nonsense: say so over a new game.
    const fault = $("toast").textContent;
    await open({ start: "startpos", moves: [] }, { engine: "b", recall: true });
    complain(new Error(fault));
  }
}

async function begin() {
  // At which strength the engine moves must be known before it may have to.
  await learnStrengths();
  await openAddress();
  document.body.dataset.ready = "true";
}

keep("movetime");
keep("multipv");
nameTheme();
listen();
begin();
