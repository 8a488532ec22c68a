// The analysis panel: the stream of search info, the PV lines and their arrows.

import { favoursBlack, scoreText, whiteView } from "./words.js";

// Delay before a search starts, in milliseconds: fast navigation starts none.
const START_DELAY = 120;
// Delay before an analysis that the server has ended for others starts again, in milliseconds.
const AGAIN_DELAY = 3000;
// A tab that is hidden for this time gives its engine back, in milliseconds.
const HIDDEN_DELAY = 30_000;
// A search that has nothing left to search reports a depth that it did not search.
const MAX_DEPTH = 128;

export class Analysis {
  /**
   * @param api       the engine
   * @param elements  the elements to fill: `lines` and `effort`
   * @param onScore   called with (node, {score, wdl} from White's view) for each info of the best line
   * @param onArrows  called with the arrows of the best moves
   * @param onMoves   called with the UCI moves of a clicked line
   * @param onError   called with an Error
   */
  constructor(api, elements, { onScore, onArrows, onMoves, onError }) {
    Object.assign(this, { api, ...elements, onScore, onArrows, onMoves, onError });
    this.controller = null;
    /** What is analysed: { node, turn, fields, multipv }; null while the analysis is off. */
    this.task = null;
    this.hiddenTimer = 0;
    this.frame = 0;
    this.infos = [];
    this.lines.addEventListener("click", (event) => this.click(event));
    this.lines.addEventListener("keydown", (event) => moveFocus(event));
    document.addEventListener("visibilitychange", () => this.changeVisibility());
  }

  /** Starts the analysis of the session's position. Closing the stream ends the search. */
  start(session, multipv) {
    this.stop();
    this.lineInfos = new Map();
    this.task = { node: session.node, turn: session.game.turn, fields: session.fields(), multipv };
    this.effort.textContent = "Starting…";
    this.open(START_DELAY);
  }

  /** Opens a stream after this delay in milliseconds. */
  open(delay) {
    const controller = new AbortController();
    this.controller = controller;
    setTimeout(() => {
      if (!controller.signal.aborted) this.readStream(this.task, controller.signal);
    }, delay);
  }

  changeVisibility() {
    clearTimeout(this.hiddenTimer);
    if (!this.task) return;
    if (document.hidden) this.hiddenTimer = setTimeout(() => this.pause(), HIDDEN_DELAY);
    else if (this.controller.signal.aborted) this.open(0);
  }

  /** Gives the engine back, unless the analysis has ended; what was found stays. */
  pause() {
    if (!this.task) return;
    this.controller.abort();
    this.effort.textContent = "Paused while the tab is hidden";
  }

  async readStream({ node, turn, fields, multipv }, signal) {
    let hasEnded = false;
    const onEvent = (name, data) => {
      if (signal.aborted) return;
      hasEnded ||= name === "bestmove" || name === "problem";
      if (name === "info") this.addInfo(data, node, turn);
      else if (name === "queued" || name === "started") this.tellTurn(name);
      else if (name === "bestmove") this.finish(data);
      else if (name === "problem") this.fail(data.detail);
    };
    const onBusy = (seconds) => { this.effort.textContent = `The server is busy; trying again in ${seconds} s…`; };
    try {
      await this.api.analyse(fields, { multipv }, onEvent, { signal, onBusy });
      if (!hasEnded && !signal.aborted) this.fail("The connection to the server was lost.");
    } catch (error) {
      if (!signal.aborted) this.fail(error.message);
    }
  }

  /** The analysis waits for its turn, or goes on. In its next turn nothing is reported until the search is deeper. */
  tellTurn(name) {
    const best = this.lineInfos.get(1);
    if (best) this.effort.textContent = `${effortText(best)} · ${name === "queued" ? "waiting for its turn" : "going deeper"}`;
    else if (name === "queued") this.effort.textContent = "Waiting for a free engine…";
  }

  /** The analysis has broken off: what it found stays. */
  fail(reason) {
    this.effort.textContent = "Stopped";
    this.task = null;
    this.onError(new Error(`${reason.replace(/[^.!?]$/, "$&.")} Switch the analysis on again to go on.`));
  }

  addInfo(info, node, turn) {
    this.lineInfos.set(info.multipv, info);
    if (info.multipv === 1) this.onScore(node, whiteView(info, turn));
    this.effort.textContent = effortText(info);
    this.effort.dataset.depth = info.depth;
    // Redraw at most once per animation frame.
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.drawLines(turn);
    });
  }

  drawLines(turn) {
    const infos = [...this.lineInfos].sort((a, b) => a[0] - b[0]).map(([, info]) => info);
    this.infos = infos;
    resize(this.lines, infos.length, newLine);
    infos.forEach((info, index) => fillLine(this.lines.children[index], info, turn));
    const arrows = infos.filter((info) => info.pv.length).map((info, index) => {
      const [from, to] = [info.pv[0].slice(0, 2), info.pv[0].slice(2, 4)];
      return { from, to, weight: 1 - index / infos.length };
    });
    this.onArrows(arrows.reverse());
  }

  /** Plays a line up to the clicked move. */
  click(event) {
    const button = event.target.closest("button");
    const item = event.target.closest("li");
    if (!button) return;
    const info = this.infos[[...this.lines.children].indexOf(item)];
    const index = [...button.parentElement.children].indexOf(button);
    if (info) this.onMoves(info.pv.slice(0, index + 1));
  }

  finish({ bestmove, stopped }) {
    if (!bestmove) this.effort.textContent = "The game is over";
    else if (stopped === "time") this.effort.textContent += " · ended by the time limit of the server";
    else if (stopped) {
      this.effort.textContent += " · going on soon: others wait for the engine";
      this.open(AGAIN_DELAY);
      return;
    } else this.effort.textContent += " · done";
    this.task = null;
  }

  stop() {
    this.controller?.abort();
    this.controller = this.task = null;
    // In a hidden tab a frame may wait until another position is analysed.
    cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.lines.replaceChildren();
    this.onArrows([]);
    this.effort.textContent = "Off";
    delete this.effort.dataset.depth;
  }
}

/** The arrow keys move the focus between the moves of a line. */
function moveFocus(event) {
  const sibling = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[event.key];
  const button = event.target.closest("button");
  if (!sibling || !button || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  button[sibling]?.focus();
}

/** Sets the number of children. Existing children are kept, so that a click does not miss its target. */
function resize(parent, count, create) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(create());
}

function newLine() {
  const item = document.createElement("li");
  item.append(document.createElement("b"), document.createElement("div"));
  return item;
}

function newMove() {
  const button = document.createElement("button");
  button.type = "button";
  return button;
}

function fillLine(item, info, turn) {
  const [score, moves] = item.children;
  const white = whiteView(info, turn).score;
  score.textContent = scoreText(white);
  score.classList.toggle("black-ahead", favoursBlack(white));
  resize(moves, info.pv_san.length, newMove);
  info.pv_san.forEach((san, index) => {
    const button = moves.children[index];
    if (button.textContent !== san) button.textContent = san;
    button.tabIndex = index === 0 ? 0 : -1;
  });
}

function effortText({ depth, seldepth, nodes, nps, time }) {
  const shown = depth > MAX_DEPTH ? "Searched to the end" : `Depth ${depth}${seldepth ? `/${seldepth}` : ""}`;
  const parts = [shown, `${shortNumber(nodes)} nodes`];
  if (nps) parts.push(`${shortNumber(nps)}/s`);
  if (time !== undefined) parts.push(`${(time / 1000).toFixed(1)} s`);
  return parts.join(" · ");
}

function shortNumber(number) {
  if (number >= 1e9) return `${(number / 1e9).toFixed(2)} G`;
  if (number >= 1e6) return `${(number / 1e6).toFixed(1)} M`;
  if (number >= 1e4) return `${(number / 1e3).toFixed(0)} k`;
  return String(number);
}
