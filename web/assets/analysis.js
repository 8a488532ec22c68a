// The analysis panel: the stream of search info, the PV lines, the evaluation bar and the arrows.

import { stream } from "./api.js";
import { expectedPoints, favoursBlack, scoreText } from "./game.js";

// Delay before a search starts, in milliseconds: fast navigation starts none.
const START_DELAY = 120;

export class Analysis {
  /**
   * @param elements  { lines, effort }: the elements to fill
   * @param board     draws the arrows
   * @param onScore   called with (ply, {score, wdl}) for each info of the best line
   * @param onMoves   called with the UCI moves of a clicked line
   * @param onError   called with an Error
   */
  constructor(elements, board, { onScore, onMoves, onError }) {
    Object.assign(this, { ...elements, board, onScore, onMoves, onError });
    this.controller = null;
    this.frame = 0;
    this.infos = [];
    this.lines.addEventListener("click", (event) => this.click(event));
  }

  /** Starts the analysis of the game's current position. Closing the stream ends the search. */
  start(game, multipv) {
    this.stop();
    const controller = new AbortController();
    this.controller = controller;
    this.lineInfos = new Map();
    this.effort.textContent = "Starting…";
    setTimeout(() => {
      if (!controller.signal.aborted) this.readStream(game, multipv, controller.signal);
    }, START_DELAY);
  }

  async readStream(game, multipv, signal) {
    const { ply, turn } = game;
    const { start, moves, chess960 } = game.requestFields();
    const query = new URLSearchParams({ start, moves: moves.join(" "), multipv });
    if (chess960) query.set("chess960", "true");
    const onEvent = (name, data) => {
      if (signal.aborted) return;
      if (name === "info") this.addInfo(data, ply, turn);
      else if (name === "queued") this.effort.textContent = "Waiting for a free engine…";
      else if (name === "bestmove") this.finish(data);
      else if (name === "problem") this.onError(new Error(data.detail));
    };
    const onBusy = (seconds) => { this.effort.textContent = `The server is busy; trying again in ${seconds} s…`; };
    try {
      await stream(`/api/v1/analysis?${query}`, signal, onEvent, onBusy);
    } catch (error) {
      if (signal.aborted) return;
      this.effort.textContent = "Stopped";
      this.onError(error);
    }
  }

  addInfo(info, ply, turn) {
    this.lineInfos.set(info.multipv, info);
    if (info.multipv === 1) this.onScore(ply, info);
    this.effort.textContent = effortText(info);
    this.effort.dataset.depth = info.depth;
    // Redraw at most once per animation frame.
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.controller) this.drawLines(turn);
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
    this.board.drawArrows(arrows.reverse());
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

  finish(data) {
    if (!data.bestmove) this.effort.textContent = "The game is over";
    else this.effort.textContent += " · done";
  }

  stop() {
    this.controller?.abort();
    this.controller = null;
    this.lines.replaceChildren();
    this.board.drawArrows([]);
    this.effort.textContent = "Off";
    delete this.effort.dataset.depth;
  }
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
  const white = whiteScore(info.score, turn);
  score.textContent = scoreText(white);
  score.classList.toggle("black-ahead", favoursBlack(white));
  resize(moves, info.pv_san.length, newMove);
  info.pv_san.forEach((san, index) => {
    const button = moves.children[index];
    if (button.textContent !== san) button.textContent = san;
    button.tabIndex = index === 0 ? 0 : -1;
  });
}

function whiteScore(score, turn) {
  const sign = turn === "w" ? 1 : -1;
  return score.mate !== undefined ? { mate: sign * score.mate } : { cp: sign * score.cp };
}

function effortText({ depth, seldepth, nodes, nps, time }) {
  const parts = [`Depth ${depth}${seldepth ? `/${seldepth}` : ""}`, `${shortNumber(nodes)} nodes`];
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

/** Draws the win/draw/loss bar. */
export function drawBar(bar, evaluation, flipped) {
  const parts = [".white", ".draw", ".black"].map((part) => bar.querySelector(part));
  bar.classList.toggle("flipped", flipped);
  bar.classList.toggle("unknown", !evaluation);
  const wdl = evaluation?.wdl ?? wdlFromScore(evaluation);
  const horizontal = getComputedStyle(bar).flexDirection.startsWith("row");
  parts.forEach((part, index) => {
    part.style[horizontal ? "width" : "height"] = `${wdl[index] / 10}%`;
    part.style[horizontal ? "height" : "width"] = "100%";
  });
  bar.classList.toggle("black-ahead", Boolean(evaluation) && favoursBlack(evaluation.score));
  bar.querySelector("output").textContent = evaluation ? shortScore(evaluation.score) : "";
  bar.setAttribute("aria-label", evaluation ? barText(evaluation, wdl) : "No evaluation yet");
}

/** The score with one decimal and without a sign, which the bar itself shows. */
function shortScore(score) {
  const text = scoreText(score).replace(/^[+−]/, "");
  return score.cp === undefined ? text : (Math.abs(score.cp) / 100).toFixed(1);
}

function wdlFromScore(evaluation) {
  if (!evaluation) return [333, 334, 333];
  const white = Math.round(expectedPoints(evaluation) * 1000);
  return [white, 0, 1000 - white];
}

function barText({ score }, [white, draw, black]) {
  const percent = (permille) => `${Math.round(permille / 10)} %`;
  return `Evaluation ${scoreText(score)}: White wins ${percent(white)}, draw ${percent(draw)}, Black wins ${percent(black)}`;
}
